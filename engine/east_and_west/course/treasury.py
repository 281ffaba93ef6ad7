"""Money that is spent: of the treasury, or in the mobilisation of what was given for it."""

from __future__ import annotations

from engine.core import IllegalAction
from engine.east_and_west.board import Board
from engine.east_and_west.execution import Course


def purse(board: Board) -> int:
    """What the power at turn can spend now; 2.5, 9.1."""
    if board.turn.stop == "mobilisation":
        return board.turn.fund
    return board.powers[board.turn.power].cash


def require(board: Board, cost: int) -> None:
    """9.1: no credit."""
    if cost > purse(board):
        raise IllegalAction(
            "this costs {cost} and you can spend {purse}", cost=cost, purse=purse(board)
        )


def spend(course: Course, cost: int) -> None:
    require(course.board, cost)
    if course.turn.stop == "mobilisation":
        course.update_turn(fund=course.turn.fund - cost)
    else:
        _add(course, -cost)


def refund(course: Course, amount: int) -> None:
    _add(course, amount)


def _add(course: Course, amount: int) -> None:
    held = course.board.powers[course.active].cash
    course.update_power(course.active, cash=held + amount)
