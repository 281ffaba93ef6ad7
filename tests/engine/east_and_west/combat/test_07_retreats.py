"""7.9, 8.9, 8.12: ships retreat only where they could sail, not under the ice nor where it is shut.

It does not matter by which way a submarine of the same battle came.
"""

from __future__ import annotations

import pytest

from engine.east_and_west.board import Variant
from engine.east_and_west.data.arsenal import Category
from engine.east_and_west.state import State
from tests.engine.east_and_west.battles import answered
from tests.engine.east_and_west.kit import lines, play, state, units

NUCLEAR_POWER: dict[str, dict[Category, int]] = {"ussr": {"submarine": 4}}
FLEETS = ("1 cruiser", "1 battleship", "1 carrier", "1 transport[2 infantry]", "1 large-transport")


def ways(position: State, seat: str = "ussr") -> list[str]:
    """Where whoever is asked after the first round may retreat to."""
    return [line for line in lines(position, seat) if line.startswith("retreat")]


def asked(position: State, *moves: str, faces: list[int]) -> State:
    target = moves[0].split()[2]
    return play(position, "ussr", *moves, f"plan {target} retreat ask", "done", faces=faces)


# --- 8.9: the ice ---------------------------------------------------------------------------------


def under_the_ice(*placements: str) -> State:
    return state(
        "chukchi-sea ussr 1 submarine",
        "polar-ice-cap ussr 2 submarine",
        "iceland-sea-zone uk 2 battleship",
        *placements,
        techs=NUCLEAR_POWER,
    )


SUB = "move chukchi-sea iceland-sea-zone 1 submarine"


@pytest.mark.parametrize("fleet", FLEETS)
def test_8_9_surface_ships_do_not_retreat_under_the_ice(fleet: str) -> None:
    kind = fleet.split("[")[0]
    position = under_the_ice(f"barents-sea ussr {fleet}")
    shots = 2 if kind.split()[1] in ("cruiser", "battleship", "carrier") else 1
    position = asked(
        position,
        SUB,
        f"move barents-sea iceland-sea-zone {kind}",
        faces=[6] * (shots + 2),
    )
    assert ways(position) == ["retreat barents-sea"]
    after = answered(position, "retreat barents-sea").state
    assert units(after, "polar-ice-cap") == "ussr 2 submarine"


def test_8_9_without_another_way_they_fight_on() -> None:
    """The cruiser lay there; only the submarine came."""
    position = under_the_ice("iceland-sea-zone ussr 1 cruiser")
    done = play(
        position,
        "ussr",
        SUB,
        "plan iceland-sea-zone retreat after 1",
        "done",
        faces=[6, 6, 6, 6, 6, 6, 1, 1],
    )
    assert units(done, "polar-ice-cap") == "ussr 2 submarine"


def test_8_9_submarines_alone_retreat_under_the_ice() -> None:
    position = asked(under_the_ice(), SUB, faces=[6, 6, 6])
    assert ways(position) == ["retreat polar-ice-cap"]


def test_8_9_but_not_who_began_the_turn_there() -> None:
    position = play(
        under_the_ice(),
        "ussr",
        "move polar-ice-cap iceland-sea-zone 2 submarine",
        "plan iceland-sea-zone retreat after 1",
        "done",
        faces=[6, 6, 6, 6, 6, 6, 1, 1],
    )
    assert units(position, "polar-ice-cap") == ""


# --- 8.12: straits and canals ---------------------------------------------------------------------


def test_8_12_surface_ships_do_not_retreat_through_a_closed_strait() -> None:
    """Turkey is Western European; the submarine came out of the Black Sea all the same."""
    position = state(
        "black-sea ussr 2 submarine 3 cruiser",
        "malta-sea-zone ussr 1 cruiser",
        "italy-sea-zone we 1 battleship",
    )
    position = asked(
        position,
        "move black-sea italy-sea-zone 1 submarine",
        "move malta-sea-zone italy-sea-zone 1 cruiser",
        faces=[6, 6, 6],
    )
    assert ways(position) == ["retreat malta-sea-zone"]


def test_8_12_submarines_alone_go_back_as_they_came() -> None:
    position = state("black-sea ussr 2 submarine", "italy-sea-zone we 1 battleship")
    position = asked(position, "move black-sea italy-sea-zone 2 submarine", faces=[6, 6, 6])
    assert ways(position) == ["retreat black-sea"]


def test_8_12_with_the_strait_all_go_back_as_they_came() -> None:
    position = state(
        "black-sea ussr 1 submarine 1 cruiser",
        "italy-sea-zone we 1 battleship",
        owners={"turkey": "ussr"},
    )
    position = asked(
        position, "move black-sea italy-sea-zone 1 submarine 1 cruiser", faces=[6, 6, 6]
    )
    assert ways(position) == ["retreat black-sea"]


@pytest.mark.parametrize("variant", [Variant(), Variant(baltic_strait=True)])
def test_17_the_baltic_is_a_strait_if_agreed(variant: Variant) -> None:
    position = state(
        "baltic-sea ussr 1 submarine",
        "barents-sea ussr 1 cruiser",
        "north-sea uk 1 battleship",
        variant=variant,
    )
    position = asked(
        position,
        "move baltic-sea north-sea 1 submarine",
        "move barents-sea north-sea 1 cruiser",
        faces=[6, 6, 6],
    )
    free = [] if variant.baltic_strait else ["retreat baltic-sea"]
    assert ways(position) == [*free, "retreat barents-sea"]


def test_8_12_a_canal_that_was_closed_behind_them_is_closed() -> None:
    """The Arab League protests against a bomb, and Suez is shut for the USSR."""
    position = state(
        "red-sea ussr 1 cruiser",
        "cyprus-sea-zone uk 1 battleship",
        "karelia ussr 1 bomber 1 atomic-bomb",
        "norway we 1 infantry",
        techs={"ussr": {"nuclear": 2}},
    )
    moves = (
        "move red-sea cyprus-sea-zone 1 cruiser",
        "plan cyprus-sea-zone retreat after 1",
        "strike karelia norway",
        "done",
    )
    calm = play(position, "ussr", *moves, faces=[3, 4, 6, 6, 6])
    assert units(calm, "red-sea") == "ussr 1 cruiser"
    shut = play(position, "ussr", *moves, faces=[1, 3, 6, 6, 6, 6, 1])
    assert shut.board.influence["arab"] == -1
    assert (units(shut, "red-sea"), units(shut, "cyprus-sea-zone")) == ("", "uk 1 battleship")
