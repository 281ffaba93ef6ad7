"""2: the board as it begins, checked against what is printed, and the Soviet mobilisation."""

from __future__ import annotations

from collections import deque

import pytest

from engine.east_and_west.board import Variant
from engine.east_and_west.check import faults
from engine.east_and_west.course.setup import new_board
from engine.east_and_west.data.arsenal import CATEGORIES, kinds, technologies
from engine.east_and_west.data.atlas import ICE_CAP, atlas
from engine.east_and_west.data.powers import ALLIANCES, MINOR, POWERS, UK, USA, USSR, WE
from engine.east_and_west.forces import count
from engine.east_and_west.queries import knows, price
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import (
    cash,
    lines,
    new_match,
    order,
    play,
    refuses,
    told,
    units,
    waiting,
    words,
)

SPACES, LANDS, ZONES, BORDERS = 190, 120, 69, 467
SUMS = {
    USSR: 48,
    USA: 43,
    UK: 33,
    WE: 32,
    "china": 16,
    "arab": 12,
    "oas": 12,
}
BOARD = new_board(Variant())


def reached(start: str, among: set[str]) -> dict[str, int]:
    """How far everything is from a space over some spaces only."""
    found, waiting_for = {start: 0}, deque([start])
    while waiting_for:
        here = waiting_for.popleft()
        for near in atlas().neighbours[here]:
            if near in among and near not in found:
                found[near] = found[here] + 1
                waiting_for.append(near)
    return found


# --- 2.1: the board -------------------------------------------------------------------------------


def test_2_1_spaces_and_borders() -> None:
    spaces = atlas().spaces
    assert len(spaces) == SPACES
    assert sum(space.kind == "land" for space in spaces.values()) == LANDS
    assert sum(space.kind == "sea" for space in spaces.values()) == ZONES
    assert sum(len(near) for near in atlas().neighbours.values()) == 2 * BORDERS
    assert all(key not in near for key, near in atlas().neighbours.items())


def test_2_1_borders_go_both_ways() -> None:
    near = atlas().neighbours
    assert all(here in near[there] for here, others in near.items() for there in others)


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_2_1_names_are_unique_in_each_language(language: str) -> None:
    names = [getattr(space.names, language) for space in atlas().spaces.values()]
    assert len(set(names)) == SPACES


def test_2_1_values_of_powers_and_alliances() -> None:
    sums = dict.fromkeys(SUMS, 0)
    for land in atlas().lands:
        space = atlas().spaces[land]
        if space.owner in sums:
            sums[space.owner] += space.value
    assert sums == SUMS


def test_2_1_every_land_has_an_owner_and_no_water_has() -> None:
    owners = {*POWERS, *ALLIANCES, MINOR}
    for space in atlas().spaces.values():
        assert (space.owner in owners) if space.is_land else (space.owner, space.value) == ("", 0)


def test_2_1_everything_is_connected_and_the_caspian_sea_is_a_lake() -> None:
    assert len(reached("russia", set(atlas().spaces))) == SPACES
    seas = {key for key, space in atlas().spaces.items() if space.kind == "sea"}
    assert seas - set(reached("north-sea", seas)) == {"caspian-sea"}


def test_2_1_the_ice_cap_touches_four_zones() -> None:
    assert set(atlas().neighbours[ICE_CAP]) == {
        "baffin-and-hudson-bay",
        "iceland-sea-zone",
        "barents-sea",
        "chukchi-sea",
    }


@pytest.mark.parametrize(
    ("start", "target", "steps"),
    [
        ("turkmenistan", "pakistan", 1),
        ("sinkiang", "pakistan", 1),
        ("russia", "turkey", 2),
        ("baltic-states", "west-germany", 2),
        ("poland", "italy", 2),
        ("east-germany", "italy", 3),
        ("romania", "greece", 1),
        ("yugoslavia", "greece", 1),
        ("manchuria", "north-korea", 1),
        ("georgia", "turkey", 1),
        ("west-germany", "italy", 2),
    ],
)
def test_2_1_ways_over_land(start: str, target: str, steps: int) -> None:
    assert reached(start, set(atlas().lands))[target] == steps


def test_2_1_passages_join_neighbours() -> None:
    assert {*atlas().passages.values()} == {
        "suez",
        "panama",
        "dardanelles",
        "gibraltar",
        "oresund",
    }
    for (one, other), _ in atlas().passages.items():
        assert other in atlas().neighbours[one]
        assert atlas().is_water(one) and atlas().is_water(other)


def test_2_1_capitals_have_factories() -> None:
    capitals = {space.capital: key for key, space in atlas().spaces.items() if space.capital}
    assert capitals == {
        USSR: "russia",
        WE: "france",
        UK: "united-kingdom",
        USA: "eastern-united-states",
    }
    assert set(capitals.values()) <= set(BOARD.factories)


def test_2_1_thirteen_factories() -> None:
    assert BOARD.factories == (
        "brazil",
        "eastern-siberia",
        "eastern-united-states",
        "egypt",
        "france",
        "italy",
        "karelia",
        "manchuria",
        "ontario",
        "russia",
        "ukraine",
        "united-kingdom",
        "western-united-states",
    )


# --- 2.1: what stands where -----------------------------------------------------------------------


def test_2_1_ships_are_at_sea_and_the_rest_on_land() -> None:
    for space, groups in BOARD.units.items():
        for group in groups:
            is_on_carrier = atlas().is_water(space) and group.kind == "fighter"
            assert kinds()[group.kind].is_ship == atlas().is_water(space) or is_on_carrier


def test_2_1_fighters_at_sea_have_a_carrier() -> None:
    for space, groups in BOARD.units.items():
        for power in {group.owner for group in groups if atlas().is_water(space)}:
            own = [group for group in groups if group.owner == power]
            assert count(own, "fighter") <= 2 * count(own, "carrier")


def test_2_1_troops_stand_with_their_owner_or_an_ally() -> None:
    for land, owner in BOARD.owners.items():
        for group in BOARD.at(land):
            assert group.owner == owner or (owner in POWERS and group.owner != USSR != owner)


def test_2_1_every_neutral_land_with_a_value_has_troops() -> None:
    for land, owner in BOARD.owners.items():
        if owner not in POWERS and atlas().spaces[land].value:
            assert BOARD.at(land)


@pytest.mark.parametrize(
    ("owner", "kind", "number"),
    [
        (USSR, "infantry", 60),
        (USSR, "heavy-armor", 3),
        (USSR, "submarine", 6),
        (USSR, "fighter", 7),
        (USA, "infantry", 33),
        (USA, "carrier", 2),
        (USA, "atomic-bomb", 1),
        (UK, "battleship", 1),
        (UK, "bomber", 2),
        (WE, "infantry", 28),
        (WE, "fighter", 4),
        ("china", "infantry", 26),
        ("china", "transport", 1),
        ("arab", "infantry", 13),
        ("oas", "infantry", 14),
        (MINOR, "infantry", 28),
    ],
)
def test_2_1_numbers_of_units(owner: str, kind: str, number: int) -> None:
    groups = [group for there in BOARD.units.values() for group in there if group.owner == owner]
    assert count(groups, kind) == number


def test_2_1_north_korea_and_western_united_states() -> None:
    assert units(BOARD, "north-korea") == "ussr 5 infantry 2 armor 1 fighter"
    assert units(BOARD, "western-united-states") == (
        "usa 3 infantry 1 armor 1 aa-gun 1 bomber 1 atomic-bomb"
    )


def test_2_1_a_new_board_is_sound() -> None:
    assert faults(State(BOARD)) == []


# --- 2.1: units, technologies, tracks, complications ----------------------------------------------


def test_2_1_nineteen_kinds_of_units_whose_technologies_exist() -> None:
    assert len(kinds()) == 19
    for kind in kinds().values():
        assert kind.needs is None or (kind.needs[0] in CATEGORIES and 1 <= kind.needs[1] <= 3)


def test_2_1_six_categories_with_three_steps() -> None:
    assert tuple(technologies()) == CATEGORIES
    assert all(len(technology.steps) == 3 for technology in technologies().values())
    prices = {category: technology.price for category, technology in technologies().items()}
    assert prices == {
        "submarine": 3,
        "ship": 3,
        "infantry": 4,
        "armor": 5,
        "aircraft": 5,
        "nuclear": 6,
    }


def test_2_1_tracks_of_the_alliances() -> None:
    tracks = {key: (a.west, a.start, a.income) for key, a in atlas().alliances.items()}
    assert tracks == {
        "china": (UK, 2, (0, 0, 4, 8, 16)),
        "arab": (WE, 0, (0, 0, 3, 6, 12)),
        "oas": (USA, -1, (0, 0, 3, 6, 12)),
    }


def test_2_1_complications_for_every_sum_of_two_dice() -> None:
    assert sorted(atlas().complications) == list(range(2, 13))


# --- 2.2 to 2.4 -----------------------------------------------------------------------------------


def test_2_2_treasuries_are_the_printed_values() -> None:
    for power in POWERS:
        assert cash(BOARD, power) == SUMS[power]


def test_2_2_the_ussr_may_begin_with_the_chinese_money() -> None:
    assert cash(new_board(Variant(ussr_start_52=True)), USSR) == 52


def test_2_3_heavy_armor_and_the_bomb_are_known() -> None:
    known = {power: BOARD.powers[power].research for power in POWERS}
    assert known == {USSR: {"armor": 2}, WE: {}, UK: {}, USA: {"nuclear": 2}}
    assert all(BOARD.powers[power].spies == 0 for power in POWERS)


def test_2_3_11_8_in_a_nuclear_winter_the_ussr_knows_the_bomb_too() -> None:
    winter = new_board(Variant(nuclear_winter=True))
    assert knows(winter, USSR, "nuclear", 1)
    assert price(winter, USSR, "atomic-bomb") == 10


def test_2_4_markers() -> None:
    assert BOARD.influence == {"china": 2, "arab": 0, "oas": -1}


# --- 2.5: the mobilisation ------------------------------------------------------------------------


def test_2_5_the_ussr_mobilises_first() -> None:
    position = new_match()
    assert waiting(position) == USSR
    assert words(position, USSR) == ["research", "buy", "done"]


def test_2_5_ten_infantry_for_twenty_may_attack_in_the_first_turn() -> None:
    position = play(
        new_match(),
        USSR,
        "buy 10 infantry",
        "place turkmenistan 1 infantry",
        "place east-germany 3 infantry",
        "place russia 6 infantry",
        "done",
        faces=[],
    )
    assert units(position, "turkmenistan") == "ussr 2 infantry"
    assert units(position, "east-germany", USSR).startswith("13 infantry")
    assert all(not group.marks for group in position.board.at("east-germany"))
    assert cash(position, USSR) == 48
    assert position.board.turn.stop == "intelligence"


def test_2_5_only_the_twenty_may_be_spent() -> None:
    refuses(new_match(), USSR, "buy 11 infantry", "this costs 22 and you can spend 20")
    position = play(new_match(), USSR, "buy 9 infantry")
    refuses(position, USSR, "research submarine", "this costs 3 and you can spend 2")


def test_2_5_what_is_left_is_kept() -> None:
    step = order(play(new_match(), USSR, "buy 8 infantry"), USSR, "done", faces=[])
    assert cash(step.state, USSR) == 52
    assert "USSR keeps 4 IPC of its mobilisation" in told(step)


def test_2_5_units_not_placed_are_placed_at_the_end() -> None:
    position = play(new_match(), USSR, "buy 2 armor 5 infantry", "done", faces=[])
    assert position.board.powers[USSR].hand == {}
    assert units(position, "russia") == (
        "ussr 11 infantry 4 armor 1 heavy-armor 1 aa-gun 1 fighter 1 bomber"
    )


def test_2_5_factory_units_only_at_factories() -> None:
    position = play(new_match(), USSR, "buy 1 armor")
    refuses(
        position,
        USSR,
        "place poland 1 armor",
        "Poland has room for units from its factory: 0, raised infantry: 3",
    )


def test_2_5_a_spy_serves_in_the_first_espionage_phase() -> None:
    position = play(new_match(), USSR, "buy 2 spy", "done", faces=[])
    assert position.board.powers[USSR].spies == 2
    assert "spy" in words(position, USSR)


def test_2_5_research_is_rolled_at_once_and_as_often_as_it_is_paid() -> None:
    step = order(new_match(), USSR, "research submarine", faces=[2])
    assert step.final
    step = order(step.state, USSR, "research submarine", faces=[1])
    step = order(step.state, USSR, "research submarine", faces=[6])
    assert step.state.board.powers[USSR].research == {"armor": 2, "submarine": 2}
    assert step.state.board.turn.fund == 11


def test_2_5_there_is_no_free_attempt() -> None:
    refuses(
        new_match(),
        USSR,
        "research free armor",
        "the free attempt does not exist in the mobilisation",
    )
    assert "free" not in words(new_match(), USSR, "research")


def test_2_5_placements_do_not_use_up_the_limits_of_the_first_turn() -> None:
    position = play(
        new_match(), USSR, "buy 1 infantry", "place turkmenistan 1 infantry", "done", faces=[]
    )
    assert position.board.turn.levied == {}


def test_2_5_every_purchase_offered_fits() -> None:
    offered = [line for line in lines(new_match(), USSR) if line.startswith("buy")]
    assert "buy 10 infantry" in offered
    assert "buy 11 infantry" not in offered
    assert "buy 1 atomic-bomb" not in offered
    assert "buy 1 special-forces" not in offered
