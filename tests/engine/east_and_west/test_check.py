"""A state in which something is wrong is found out, and the fault is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from engine.core import Seat
from engine.east_and_west.battle import Combat
from engine.east_and_west.board import Board, Fallout, Group, Load, Power, Stop
from engine.east_and_west.data.powers import USSR
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import GAME, new_match, play, state

STOPS: tuple[Stop, ...] = ("intelligence", "operations", "logistics")
Change = Callable[[Board], dict[str, Any]]


def standing(space: str, *groups: Group) -> Change:
    return lambda board: {"units": {**board.units, space: groups}}


def soviet(**changes: Any) -> Change:
    def changed(board: Board) -> dict[str, Any]:
        power: Power = replace(board.powers[USSR], **changes)
        return {"powers": {**board.powers, USSR: power}}

    return changed


FAULTS: dict[str, Change] = {
    "the lands that have an owner are not the lands of the board": lambda b: {
        "owners": {land: o for land, o in b.owners.items() if land != "poland"}
    },
    "poland belongs to nobody": lambda b: {"owners": {**b.owners, "poland": "nobody"}},
    "iraq belongs to arab, which is no more": lambda b: {"influence": {"china": 2, "oas": -1}},
    "the list of factories is not sorted": lambda b: {"factories": b.factories[::-1]},
    "fallout of 0 in poland": lambda b: {"fallout": (Fallout("poland", 0, USSR),)},
    "units in atlantis, which is nowhere": standing("atlantis", Group("ussr", "infantry")),
    "the units in poland are not gathered and sorted": standing(
        "poland", Group("ussr", "infantry"), Group("ussr", "armor")
    ),
    "poland: zeppelin is no unit": standing("poland", Group("ussr", "zeppelin")),
    "poland: spy is no unit": standing("poland", Group("ussr", "spy")),
    "poland: infantry of nobody": standing("poland", Group("nobody", "infantry")),
    "poland: ussr armor moved 3 spaces": standing("poland", Group("ussr", "armor", used=3)),
    "poland: marks of armor": standing("poland", Group("ussr", "armor", marks=("spent", "landed"))),
    "poland: a damaged armor": standing("poland", Group("ussr", "armor", marks=("damaged",))),
    "poland: cruiser on land": standing("poland", Group("ussr", "cruiser")),
    "polar-ice-cap: cruiser under the ice": standing("polar-ice-cap", Group("ussr", "cruiser")),
    "north-sea: armor swims": standing("north-sea", Group("ussr", "armor")),
    "north-sea: atomic-bomb swims": standing("north-sea", Group("usa", "atomic-bomb")),
    "poland: bomber has cargo": standing(
        "poland", Group("ussr", "bomber", cargo=(Load("ussr", "infantry"),))
    ),
    "north-sea: transport has cargo ussr 3 infantry": standing(
        "north-sea", Group("ussr", "transport", cargo=(Load("ussr", "infantry", 3),))
    ),
    "north-sea: transport has cargo ussr 1 fighter": standing(
        "north-sea", Group("ussr", "transport", cargo=(Load("ussr", "fighter"),))
    ),
    "north-sea: transport has cargo ussr 1 zeppelin": standing(
        "north-sea", Group("ussr", "transport", cargo=(Load("ussr", "zeppelin"),))
    ),
    "north-sea: carrier has cargo uk 3 fighter": standing(
        "north-sea", Group("usa", "carrier", cargo=(Load("uk", "fighter", 3),))
    ),
    "north-sea: cruiser has cargo usa 1 infantry": standing(
        "north-sea", Group("usa", "cruiser", cargo=(Load("usa", "infantry"),))
    ),
    "aircraft are still below deck": standing(
        "north-sea", Group("usa", "carrier", cargo=(Load("uk", "fighter"),))
    ),
    "a ship is still on its voyage": standing("north-sea", Group("usa", "carrier", sailed=("x",))),
    "polar-ice-cap: submarine of uk under the ice": standing(
        "polar-ice-cap", Group("uk", "submarine")
    ),
    "infantry of ussr in france, a land of we": standing("france", Group("ussr", "infantry")),
    "infantry of uk in spain, a land of neutral": standing("spain", Group("uk", "infantry")),
    "infantry of china in poland, a land of ussr": standing("poland", Group("china", "infantry")),
    "north-sea: cargo of transport": standing(
        "north-sea", Group("ussr", "transport", cargo=(Load("ussr", "infantry", 0),))
    ),
    "north-sea: the carriers of ussr": standing("north-sea", Group("ussr", "fighter")),
    "north-sea: the carriers of we": standing(
        "north-sea", Group("uk", "carrier"), Group("we", "fighter", 3)
    ),
    "the powers are": lambda b: {"powers": {USSR: b.powers[USSR]}},
    "ussr has -1 IPC": soviet(cash=-1),
    "ussr stands at": soviet(research={"ship": 7}),
    "ussr has 3 spies": soviet(spies=3),
    "ussr holds": soviet(hand={"infantry": 0}),
    "china stands at 5": lambda b: {"influence": {**b.influence, "china": 5}},
    "arab exists without all its lands": lambda b: {"owners": {**b.owners, "iraq": "ussr"}},
    "it is the turn of nobody": lambda b: {"turn": replace(b.turn, power=Seat("nobody"))},
    "a unit still fights": standing("poland", Group("ussr", "armor", marks=("attacking",))),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named(fault: str) -> None:
    position = state(stop="intelligence")
    assert GAME.check(position) == []
    broken = replace(position, board=replace(position.board, **FAULTS[fault](position.board)))
    assert any(found.startswith(fault) for found in GAME.check(broken)), GAME.check(broken)


def test_a_battle_rests_only_while_somebody_is_asked() -> None:
    resting = replace(state(), combat=Combat())
    (fault,) = GAME.check(resting)
    assert fault.startswith("a battle rests although nobody is asked")


def test_the_first_state_is_sound() -> None:
    position: State = new_match()
    assert GAME.check(position) == []
    assert GAME.check(play(position, "ussr", "done", faces=[])) == []


def test_only_aircraft_of_the_power_at_turn_may_be_in_the_air() -> None:
    """6.10: over the open sea no ally of whoever moves is left behind."""
    assert GAME.check(state("north-sea usa 1 fighter", power="usa", stop="logistics")) == []
    for stop in STOPS:
        hovering = state("north-sea uk 1 fighter", power="usa", stop=stop)
        assert GAME.check(hovering) == ["north-sea: the carriers of we and its allies are too full"]
