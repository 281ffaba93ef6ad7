"""How good a position looks for a side: income, money and what its units cost."""

from __future__ import annotations

from engine.core import Seat
from engine.east_and_west import queries
from engine.east_and_west.board import Board
from engine.east_and_west.data.arsenal import kinds
from engine.east_and_west.data.powers import NATO, POWERS, USSR, side

TURNS_AHEAD = 3
"""A standing income is worth that many times itself."""


def prospect(board: Board, seat: Seat) -> float:
    """1 won, -1 lost; between, how the worth of both sides compares."""
    if board.result is not None:
        winners = board.result.winners
        return 0.0 if not winners else 1.0 if seat in winners else -1.0
    worth = _worths(board)
    east, west = worth[USSR], sum(worth[power] for power in NATO)
    lead = (east - west) / (east + west + 1)
    return lead if side(seat) == (USSR,) else -lead


def _worths(board: Board) -> dict[Seat, float]:
    worth = {
        power: board.powers[power].cash
        + TURNS_AHEAD * float(queries.income(board, power))
        + sum(count * kinds()[kind].cost for kind, count in board.powers[power].hand.items())
        for power in POWERS
    }
    for groups in board.units.values():
        for group in groups:
            cargo = [load for load in group.cargo for _ in range(group.count)]
            for owner, kind, count in [
                (group.owner, group.kind, group.count),
                *((load.owner, load.kind, load.count) for load in cargo),
            ]:
                if owner in worth:
                    worth[Seat(owner)] += count * kinds()[kind].cost
    return worth
