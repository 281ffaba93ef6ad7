"""14.1: the board as the next stop of an own turn may find it, for orders given in advance."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from engine.core import Seat
from engine.east_and_west import queries
from engine.east_and_west.board import Board, Power, Stop, Turn
from engine.east_and_west.data.arsenal import CATEGORIES, SPY
from engine.east_and_west.state import State

COURSE: tuple[Stop, ...] = ("mobilisation", "intelligence", "operations", "logistics")


def at_stop(state: State, seat: Seat, stop: Stop, bought: Iterable[tuple[str, int]] = ()) -> State:
    """As if the seat were asked there, everything else being as it is, with purchases in hand."""
    board = state.board
    is_new = not _is_ahead(board, seat, stop)
    own = tuple(land for land, owner in board.owners.items() if owner == seat)
    turn = Turn(
        power=seat,
        stop=stop,
        owners=board.owners if is_new else board.turn.owners,
        factories=(
            tuple(land for land in board.factories if board.owners[land] == seat)
            if is_new
            else board.turn.factories
        ),
        levies=own,
    )
    power = _provided(board, seat, bought, is_new)
    powers = {**board.powers, seat: power}
    return replace(state, board=replace(board, turn=turn, powers=powers, questions=()))


def _is_ahead(board: Board, seat: Seat, stop: Stop) -> bool:
    """Whether this very turn is still going to come to the stop."""
    turn = board.turn
    return turn.power == seat and COURSE.index(turn.stop) < COURSE.index(stop)


def _provided(board: Board, seat: Seat, bought: Iterable[tuple[str, int]], is_new: bool) -> Power:
    """With its income, if it is at turn and that turn ends before; with what it wants to buy."""
    power = board.powers[seat]
    hand = dict(power.hand)
    for kind, number in bought:
        hand[kind] = hand.get(kind, 0) + number
    is_paid = is_new and board.turn.power == seat
    return replace(
        power,
        cash=power.cash + (queries.income(board, seat) if is_paid else 0),
        spies=power.spies + (power.hand.get(SPY, 0) if is_paid else 0),
        hand=hand,
    )


def with_technology(state: State, seat: Seat, category: str, step: int) -> State:
    """The same when a step has been reached."""
    board = state.board
    power = board.powers[seat]
    known = {key: 2 * step for key in CATEGORIES if key == category}
    research = {**power.research, **{k: max(n, power.research.get(k, 0)) for k, n in known.items()}}
    powers = {**board.powers, seat: replace(power, research=research)}
    return replace(state, board=replace(board, powers=powers))
