"""11.4, 13.6, 13.8: an attack that is called off before it is made has not been one."""

from __future__ import annotations

from engine.core import Step
from engine.east_and_west.board import Load
from engine.east_and_west.data.arsenal import Category
from engine.east_and_west.data.powers import CHINA, MINOR
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import marked, order, owner, play, state, told, units, words

FISSION: dict[str, dict[Category, int]] = {"ussr": {"nuclear": 2}}
DETONATION = [1, 1]
CHINESE_PROTEST = [1, 4]
ARSENAL = "karelia ussr 1 bomber 1 atomic-bomb"
NORWAY = "norway we 1 infantry"
STRIKE = "strike karelia norway"


def after(*lines: str, at: tuple[str, ...], faces: list[int], arsenal: str = ARSENAL) -> State:
    return ended(*lines, at=at, faces=faces, arsenal=arsenal).state


def ended(
    *lines: str, at: tuple[str, ...], faces: list[int], arsenal: str = ARSENAL
) -> Step[State]:
    """A Soviet turn with a bomb for Norway and these orders, up to the end of its battles."""
    position = state(arsenal, NORWAY, *at, techs=FISSION)
    return order(play(position, "ussr", STRIKE, *lines), "ussr", "done", faces)


# --- expulsions -----------------------------------------------------------------------------------


def test_13_8_troops_that_had_to_leave_have_attacked_no_neutral() -> None:
    position = after(
        "move sinkiang tibet 2 infantry",
        at=("sinkiang ussr 2 infantry china 1 infantry", "tibet neutral 1 infantry"),
        faces=[*CHINESE_PROTEST, 6],
    )
    assert position.board.influence[CHINA] == 1
    assert (owner(position, "tibet"), units(position, "tibet")) == (MINOR, "neutral 1 infantry")


def test_13_8_nor_the_alliance_from_within() -> None:
    position = after(
        "attack sinkiang",
        at=("sinkiang ussr 2 infantry china 1 infantry",),
        faces=[*CHINESE_PROTEST, 6],
    )
    assert position.board.influence[CHINA] == 1
    assert {owner(position, land) for land in ("sinkiang", "hunan", "jiangsu")} == {CHINA}


def test_13_8_who_came_from_elsewhere_attacks_all_the_same() -> None:
    position = after(
        "attack sinkiang",
        "move mongolia sinkiang 1 infantry",
        at=("sinkiang ussr 2 infantry china 1 infantry", "mongolia ussr 1 infantry"),
        faces=[*CHINESE_PROTEST, 6, 6, 1],
    )
    assert CHINA not in position.board.influence
    assert owner(position, "sinkiang") == "uk"


# --- detonations ----------------------------------------------------------------------------------


def test_11_4_2_who_was_destroyed_has_attacked_no_neutral() -> None:
    position = after(
        "move karelia finland 2 infantry",
        at=("finland neutral 2 infantry",),
        faces=DETONATION,
        arsenal=f"{ARSENAL} 2 infantry",
    )
    assert owner(position, "finland") == MINOR


def test_11_4_2_nor_have_aircraft_that_stay_on_the_ground() -> None:
    position = after(
        "move karelia finland 1 fighter",
        at=("finland neutral 2 infantry",),
        faces=DETONATION,
        arsenal=f"{ARSENAL} 6 infantry 1 fighter",
    )
    assert (owner(position, "finland"), units(position, "karelia")) == (
        MINOR,
        "ussr 1 infantry 1 fighter 1 bomber",
    )


def test_11_4_2_nor_paratroops_with_their_bombers() -> None:
    position = after(
        "drop karelia finland 1",
        at=("finland neutral 2 infantry",),
        faces=DETONATION,
        arsenal="karelia ussr 2 bomber 1 atomic-bomb 8 infantry",
    )
    assert owner(position, "finland") == MINOR


def test_11_4_2_who_is_left_attacks_all_the_same() -> None:
    position = after(
        "move karelia finland 7 infantry",
        at=("finland neutral 1 infantry",),
        faces=[*DETONATION, 6, 6, 6, 1, 6, 6],
        arsenal=f"{ARSENAL} 7 infantry",
    )
    assert owner(position, "finland") != MINOR


def test_11_4_2_an_empty_neutral_that_was_taken_is_neutral_again() -> None:
    position = after(
        "move karelia finland 1 infantry",
        at=(),
        faces=DETONATION,
        arsenal=f"{ARSENAL} 1 infantry",
    )
    assert owner(position, "finland") == MINOR


def irish_landing(*others: str) -> State:
    """Two infantry of Karelia were to land in Ireland; the bomb goes off, and the sea is won."""
    return after(
        "load karelia barents-sea 2 infantry",
        "move barents-sea irish-sea 1 transport 1 cruiser",
        "land irish-sea ireland 2 infantry",
        *others,
        at=(
            "barents-sea ussr 1 transport 1 cruiser",
            "north-sea ussr 1 large-transport[1 infantry]",
            "irish-sea uk 1 transport",
            "ireland neutral 1 infantry",
        ),
        faces=[*DETONATION, 1, 6],
        arsenal=f"{ARSENAL} 2 infantry",
    )


def test_11_4_2_nor_have_troops_that_waited_on_board_for_the_sea() -> None:
    position = irish_landing()
    assert units(position, "irish-sea") == "ussr 1 transport 1 cruiser"
    assert owner(position, "ireland") == MINOR


def test_11_4_2_others_on_board_do_not_land_for_them() -> None:
    """The large transport was not told to put its infantry ashore."""
    position = irish_landing("move north-sea irish-sea 1 large-transport")
    assert owner(position, "ireland") == MINOR
    large = next(g for g in marked(position, "irish-sea") if g.kind == "large-transport")
    assert large.cargo == (Load("ussr", "infantry"),)


def test_11_4_2_an_alliance_that_nobody_reached_goes_on_paying() -> None:
    """China was to be attacked: its infantry stays in North Korea, and its lands stay open."""
    position = state(
        "kazakhstan ussr 1 bomber 1 atomic-bomb 1 infantry",
        "north-korea ussr 1 infantry china 2 infantry",
        "sinkiang china 1 infantry",
        "mongolia ussr 1 infantry",
        "pakistan uk 1 infantry",
        techs=FISSION,
    )
    position = play(
        position,
        "ussr",
        "strike kazakhstan pakistan",
        "attack sinkiang",
        "move kazakhstan sinkiang 1 infantry",
    )
    called_off = play(position, "ussr", "done", faces=DETONATION)
    assert called_off.board.influence[CHINA] == 2
    assert units(called_off, "north-korea") == "china 2 infantry ussr 1 infantry"
    assert "sinkiang" in words(called_off, "ussr", "move", "mongolia")
    made = play(position, "ussr", "done", faces=[3, 4, 6, 6, 1])
    assert CHINA not in made.board.influence
    assert units(made, "north-korea") == "ussr 1 infantry"


# --- what else was only announced -----------------------------------------------------------------


def test_7_9_nobody_retreats_to_where_only_the_destroyed_came_from() -> None:
    position = state(
        "poland ussr 1 bomber 1 atomic-bomb 2 infantry",
        "east-germany ussr 3 infantry",
        "west-germany we 3 infantry",
        "turkey we 1 infantry",
        techs=FISSION,
    )
    position = play(
        position,
        "ussr",
        "strike poland turkey",
        "move poland west-germany 2 infantry",
        "move east-germany west-germany 3 infantry",
        "plan west-germany retreat ask",
    )
    assert position.board.turn.attacks[0].entries == ("poland", "east-germany")
    asked = play(position, "ussr", "done", faces=[*DETONATION, 6, 6, 6, 6, 6, 6])
    assert words(asked, "ussr", "retreat") == ["east-germany"]


def test_7_4_guns_do_not_fire_at_others_for_a_flight_that_was_called_off() -> None:
    """Of two fighters for France the one that was to come over guns stays on the ground."""
    position = state(
        "poland ussr 1 bomber 1 atomic-bomb 6 infantry 1 fighter",
        "east-germany ussr 1 fighter",
        "west-germany we 1 aa-gun 1 infantry",
        "france we 1 infantry",
        "turkey we 1 infantry",
        techs={"ussr": {"nuclear": 2, "aircraft": 4}},
    )
    position = play(
        position,
        "ussr",
        "strike poland turkey",
        "move poland france 1 fighter via west-germany",
        "move east-germany france 1 fighter via baltic-sea north-sea",
    )
    assert [flight.guns for flight in position.board.turn.flights] == [("west-germany",), ()]
    done = order(position, "ussr", "done", [*DETONATION, 3, 6])
    assert units(done.state, "france") == "ussr 1 fighter"


def test_8_10_a_transport_whose_troops_were_called_back_is_free() -> None:
    """It has put nobody ashore, so it moves in the non-combat move."""
    done = ended(
        "load manchuria sea-of-japan 2 infantry",
        "land sea-of-japan japan 2 infantry",
        at=(
            "manchuria ussr 2 infantry china 1 infantry",
            "sea-of-japan ussr 1 transport",
            "japan usa 1 infantry",
        ),
        faces=[*CHINESE_PROTEST, 6],
    )
    (ship,) = marked(done.state, "sea-of-japan")
    assert (ship.marks, ship.shore) == ((), ())
    assert "sea-of-japan" in words(done.state, "ussr", "move")


def test_8_11_a_landing_that_does_not_take_place_was_no_attack() -> None:
    """The fleet breaks off the battle at sea."""
    position = state(
        "karelia ussr 1 infantry",
        "barents-sea ussr 1 transport[2 infantry] 1 cruiser",
        "irish-sea uk 1 cruiser",
        "ireland neutral 1 infantry",
    )
    position = play(
        position,
        "ussr",
        "move barents-sea irish-sea 1 transport 1 cruiser",
        "land irish-sea ireland 2 infantry",
        "plan irish-sea retreat after 1",
    )
    done = order(position, "ussr", "done", [6, 6])
    assert "The landing in Ireland does not take place: Irish Sea is not held" in told(done)
    assert owner(done.state, "ireland") == MINOR


def test_7_4_who_was_shot_down_on_the_way_has_reached_nobody() -> None:
    position = state(
        "turkmenistan ussr 2 fighter", "pakistan uk 1 aa-gun", "tibet neutral 1 infantry"
    )
    position = play(position, "ussr", "move turkmenistan tibet 2 fighter via pakistan india")
    gone = play(position, "ussr", "done", faces=[1, 1])
    assert owner(gone, "tibet") == MINOR
    came = play(position, "ussr", "done", faces=[1, 6, 6, 1])
    assert owner(came, "tibet") == "uk"


def test_11_4_a_bomb_that_had_to_leave_is_not_thrown_for() -> None:
    """It was to start in Sinkiang; nothing can go off there any more."""
    done = ended(
        "strike sinkiang india",
        at=("sinkiang ussr 1 bomber 1 atomic-bomb china 1 infantry", "india uk 1 infantry"),
        faces=[*CHINESE_PROTEST, 6],
    )
    assert not [line for line in told(done) if "India" in line]
    assert units(done.state, "kazakhstan") == "ussr 1 bomber 1 atomic-bomb"
    assert units(done.state, "india") == "uk 1 infantry"
