"""Battles for the rule tests: a position in which attacks are declared, and how they end.

war = at_war("west-germany we 2 infantry ussr 3 infantry!attacking", at="west-germany")
done = fought(war, [1, 6, 6, 2, 5])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from engine.core import Seat, Step
from engine.east_and_west.board import Attack, Landing, Question, Strike
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.standing import Plan, Standing
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import order, state


def at_war(
    *placements: str,
    at: str,
    entries: Sequence[str] = (),
    landings: Sequence[str] = (),
    plan: Plan | None = None,
    standing: dict[str, Standing] | None = None,
    turn: dict[str, Any] | None = None,
    **changes: Any,
) -> State:
    """A battle is declared in each of the spaces of `at`; the plan is for all of them.

    Units that come ashore do so in the lands among them.
    """
    power = changes.get("power", "ussr")
    position = state(*placements, standing=standing, **changes)
    attacks = tuple(
        Attack(space, tuple(entries), tuple(landings) if atlas().is_land(space) else ())
        for space in at.split()
    )
    board = position.board
    position = replace(
        position,
        board=replace(board, turn=replace(board.turn, attacks=attacks, **(turn or {}))),
    )
    return planned(position, power, plan, *at.split()) if plan else position


def planned(position: State, power: str, plan: Plan, *spaces: str) -> State:
    orders = replace(position.orders(Seat(power)), plans=dict.fromkeys(spaces, plan))
    return replace(position, standing={**position.standing, Seat(power): orders})


def fought(position: State, faces: Sequence[int]) -> Step[State]:
    """The operations of the power at turn end with exactly these dice."""
    return order(position, position.board.turn.power, "done", faces)


def answered(position: State, line: str, faces: Sequence[int] = ()) -> Step[State]:
    """Whoever is asked answers."""
    return order(position, question(position).seat, line, faces)


def question(position: State) -> Question:
    assert position.board.questions, "nobody is asked"
    return position.board.questions[-1]


def is_over(position: State) -> bool:
    return position.combat is None and position.board.turn.stop == "logistics"


def landing(zone: str, land: str, *loads: Any) -> Landing:
    return Landing(zone, land, loads)


def raided(land: str, *placements: str, **changes: Any) -> State:
    """Bombers are on their way to a factory."""
    position = state(*placements, **changes)
    turn = replace(position.board.turn, raids=(land,))
    return replace(position, board=replace(position.board, turn=turn))


def strikes(position: State, *declared: Strike) -> State:
    board = position.board
    return replace(position, board=replace(board, turn=replace(board.turn, strikes=declared)))
