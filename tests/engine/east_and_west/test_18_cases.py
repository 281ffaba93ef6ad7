"""Chapter 18: the twelve cases by which the whole engine is tried."""

from __future__ import annotations

import pytest

from engine.core import Seat
from engine.east_and_west import queries
from engine.east_and_west.course import neutrals
from engine.east_and_west.course.research import result
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWERS
from tests.engine.east_and_west.kit import (
    board,
    cash,
    course,
    income,
    new_match,
    order,
    owner,
    play,
    refuses,
    room,
    state,
    told,
    units,
)


def test_18_1_the_sums_of_the_set_up() -> None:
    position = new_match()
    assert {p: queries.land_income(position.board, p) for p in POWERS} == {
        "ussr": 48,
        "usa": 43,
        "uk": 33,
        "we": 32,
    }
    assert {p: cash(position, p) for p in POWERS} == {"ussr": 48, "usa": 43, "uk": 33, "we": 32}
    values = {
        key: sum(atlas().spaces[land].value for land in atlas().members(key))
        for key in atlas().alliances
    }
    assert values == {"china": 16, "arab": 12, "oas": 12}


def test_18_2_the_opening_of_the_guide_ten_infantry_are_mobilised() -> None:
    position = play(new_match(), "ussr", "buy 10 infantry", "place turkmenistan 2 infantry")
    position = play(position, "ussr", "place east-germany 4 infantry", "place russia 4 infantry")
    assert units(position, "turkmenistan") == "ussr 3 infantry"
    position = play(position, "ussr", "done", faces=[])
    assert cash(position, "ussr") == 48
    assert position.board.turn.stop == "intelligence"


@pytest.mark.parametrize(
    ("line", "target"),
    [
        ("move turkmenistan pakistan 3 infantry", "pakistan"),
        ("move east-germany italy 1 heavy-armor", "italy"),
        ("move russia turkey 1 armor", "turkey"),
    ],
)
def test_18_2_the_opening_of_the_guide_these_moves_reach_their_targets(
    line: str, target: str
) -> None:
    """One space for infantry, three for heavy armor through empty lands, two for armor."""
    position = state(
        "turkmenistan ussr 3 infantry",
        "east-germany ussr 1 heavy-armor",
        "russia ussr 1 armor",
        "pakistan uk 1 infantry",
        "italy we 2 infantry",
        "turkey we 6 infantry",
    )
    after = play(position, "ussr", line)
    assert units(after, target, "ussr") != ""


def test_18_3_the_first_soviet_purchase_of_the_guide_needs_52() -> None:
    line = "buy 1 spy 2 heavy-armor 14 infantry"
    with_52 = state(cash={"ussr": 52}, techs={"ussr": {"armor": 2}})
    assert cash(play(with_52, "ussr", line), "ussr") == 0
    refuses(
        state(cash={"ussr": 48}, techs={"ussr": {"armor": 2}}),
        "ussr",
        line,
        "this costs 52 and you can spend 48",
    )


def test_18_3_with_four_of_the_mobilisation_left_it_is_possible_too() -> None:
    position = play(new_match(), "ussr", "buy 8 infantry", "place east-germany 4 infantry")
    position = play(position, "ussr", "place russia 4 infantry", "done", faces=[])
    position = play(position, "ussr", "done", faces=[])
    assert cash(position, "ussr") == 52
    assert cash(play(position, "ussr", "buy 1 spy 2 heavy-armor 14 infantry"), "ussr") == 0


@pytest.mark.parametrize(
    ("land", "power", "fitting", "too_many", "message"),
    [
        ("italy", "we", "8 infantry", "9 infantry", room("Italy", 4, 4)),
        ("italy", "we", "4 armor 4 infantry", "5 armor 3 infantry", room("Italy", 4, 4)),
        ("mongolia", "ussr", "1 infantry", "2 infantry", room("Mongolia", 0, 1)),
        ("karelia", "ussr", "2 infantry 2 armor", "2 infantry 3 armor", room("Karelia", 2, 2)),
    ],
)
def test_18_4_what_a_land_receives(
    land: str, power: str, fitting: str, too_many: str, message: str
) -> None:
    position = state(
        power=power, stop="logistics", hand={power: {"infantry": 9, "armor": 5, "fighter": 1}}
    )
    after = play(position, power, f"place {land} {fitting}")
    assert units(after, land) == f"{power} {_infantry_first(fitting)}"
    refuses(position, power, f"place {land} {too_many}", message)


def _infantry_first(units_in_words: str) -> str:
    return "4 infantry 4 armor" if units_in_words == "4 armor 4 infantry" else units_in_words


def test_18_5_japan_with_a_new_factory_raises_twelve_infantry() -> None:
    position = state(
        power="usa",
        stop="logistics",
        hand={"usa": {"infantry": 13}},
        factories=["japan"],
    )
    assert units(play(position, "usa", "place japan 12 infantry"), "japan") == "usa 12 infantry"
    refuses(
        position,
        "usa",
        "place japan 13 infantry",
        room("Japan", 6, 6),
    )


def test_18_5_eastern_siberia_kamchatka_and_north_korea_raise_eight() -> None:
    position = state(stop="logistics", hand={"ussr": {"infantry": 9}})
    position = play(
        position,
        "ussr",
        "place eastern-siberia 4 infantry",
        "place kamchatka 2 infantry",
        "place north-korea 2 infantry",
    )
    refuses(position, "ussr", "place eastern-siberia 1 infantry", room("Eastern Siberia", 0, 0))
    refuses(position, "ussr", "place kamchatka 1 infantry", room("Kamchatka", 0, 0))
    refuses(position, "ussr", "place north-korea 1 infantry", room("North Korea", 0, 0))


@pytest.mark.parametrize(("at", "face", "to"), [(1, 1, 2), (1, 2, 2), (2, 2, 3), (5, 1, 6)])
def test_18_6_research(at: int, face: int, to: int) -> None:
    assert result(board(), at, face) == to
    position = state(stop="intelligence", techs={"ussr": {"armor": at}})
    position = play(position, "ussr", "research armor", "done", faces=[face])
    assert position.board.powers[Seat("ussr")].research["armor"] == to


def test_18_7_china_from_plus_2_to_plus_1() -> None:
    position = state(
        "sinkiang china 1 infantry ussr 2 infantry 1 armor",
        "north-korea ussr 1 infantry china 3 infantry",
        "manchuria china 7 infantry",
        "kazakhstan ussr 1 infantry",
    )
    before = income(position, "ussr")
    acting = course(position)
    neutrals.shift(acting, "china", -1)
    assert units(acting.board, "sinkiang") == "china 1 infantry"
    (refuge,) = [
        land
        for land in atlas().neighbours["sinkiang"]
        if "2 infantry 1 armor" in units(acting.board, land)
        or "3 infantry 1 armor" in units(acting.board, land)
    ]
    assert owner(acting.board, refuge) == "ussr"
    assert units(acting.board, "north-korea") == "ussr 1 infantry"
    assert units(acting.board, "manchuria") == "china 10 infantry"
    assert income(acting.board, "ussr") == before - 4


def test_18_8_arab_from_0_to_minus_1_closes_suez_to_the_ussr() -> None:
    ships = ("red-sea ussr 1 cruiser", "cyprus-sea-zone uk 1 cruiser")
    start = state(*ships, stop="logistics")
    before = income(start, "we")
    moved = "move red-sea cyprus-sea-zone 1 cruiser"
    empty = state("red-sea ussr 1 cruiser", stop="logistics")
    play(empty, "ussr", moved)
    leaning = state("red-sea ussr 1 cruiser", stop="logistics", influence={"arab": -1})
    refuses(
        leaning,
        "ussr",
        moved,
        "cruiser: no passage through the Suez Canal; the Arab League must not lean to "
        "the other side, or your side must have held Egypt and Jordan since the turn "
        "began",
    )
    nato = state("red-sea uk 1 cruiser", power="uk", stop="logistics", influence={"arab": -1})
    play(nato, "uk", moved)
    assert income(leaning, "we") == before
    assert income(state(influence={"arab": -2}), "we") == before + 3


def arab_war(*faces: int) -> str:
    """The owner of Iraq after a Soviet infantry has attacked it; the rest of ARAB joins WE."""
    position = state(
        "iran ussr 1 infantry",
        "iraq arab 1 infantry",
        "egypt arab 4 infantry 1 aa-gun",
        owners={"iran": "ussr"},
    )
    position = play(position, "ussr", "move iran iraq 1 infantry", "done", faces=faces)
    for land in ("egypt", "syria", "jordan", "saudi-arabia"):
        assert owner(position, land) == "we"
    assert units(position, "egypt") == "we 4 infantry 1 aa-gun"
    assert "arab" not in position.board.influence
    return owner(position, "iraq")


def test_18_9_a_soviet_attack_on_iraq_alone_drives_the_rest_to_western_europe() -> None:
    assert arab_war(1, 6) == "ussr"


def test_18_9_iraq_too_if_it_held() -> None:
    assert arab_war(6, 1) == "we"


@pytest.mark.parametrize("zone", ["cyprus-sea-zone", "italy-sea-zone"])
def test_18_10_a_soviet_cruiser_cannot_leave_the_black_sea_a_submarine_can(zone: str) -> None:
    position = state("black-sea ussr 1 cruiser 1 submarine", stop="logistics")
    refuses(
        position,
        "ussr",
        f"move black-sea {zone} 1 cruiser",
        "cruiser: no passage through the Dardanelles; your side must have held Turkey "
        "since the turn began",
    )
    after = play(position, "ussr", f"move black-sea {zone} 1 submarine")
    assert units(after, zone) == "ussr 1 submarine"
    held = state("black-sea ussr 1 cruiser", stop="logistics", owners={"turkey": "ussr"})
    assert units(play(held, "ussr", f"move black-sea {zone} 1 cruiser"), zone) == "ussr 1 cruiser"


BOMBED = "poland ussr 8 infantry 1 aa-gun 2 fighter"


def test_18_11_two_bombs_take_ten_units_and_two_of_the_value() -> None:
    """Each: a die of the gun, then the escape roll; the complications come first."""
    position = state(
        "west-germany usa 2 bomber 2 atomic-bomb",
        BOMBED,
        power="usa",
        techs={"usa": {"nuclear": 2}},
    )
    position = play(position, "usa", "strike west-germany poland", "strike west-germany poland")
    position = play(position, "usa", "done", faces=[3, 4, 3, 4, 6, 6, 6, 6])
    assert units(position, "poland", "ussr") == "1 aa-gun"
    assert queries.value(position.board, "poland") == atlas().spaces["poland"].value - 2
    assert owner(position, "poland") == "ussr"


def test_18_12_a_roll_of_9_keeps_a_bomb_of_nato_on_the_ground() -> None:
    position = state(
        "west-germany usa 1 bomber 1 atomic-bomb",
        BOMBED,
        power="usa",
        techs={"usa": {"nuclear": 2}},
    )
    position = play(position, "usa", "strike west-germany poland")
    done = order(position, "usa", "done", faces=[4, 5])
    assert units(done.state, "poland") == BOMBED.removeprefix("poland ")
    assert units(done.state, "west-germany") == "usa 1 bomber 1 atomic-bomb"
    assert told(done)


def test_18_12_the_same_roll_does_not_stop_the_ussr() -> None:
    position = state(
        "poland ussr 1 bomber 1 atomic-bomb",
        "west-germany we 6 infantry",
        techs={"ussr": {"nuclear": 2}},
    )
    position = play(position, "ussr", "strike poland west-germany")
    position = play(position, "ussr", "done", faces=[4, 5, 6])
    assert units(position, "west-germany", "we") == "1 infantry"
