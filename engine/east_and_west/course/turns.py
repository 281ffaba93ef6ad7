"""3: the course of a turn: its beginning, what the end of each stop brings, the next turn."""

from __future__ import annotations

from msgspec.structs import replace

from engine.core import Seat
from engine.east_and_west.board import Board, Group, Mark, Turn
from engine.east_and_west.course import (
    espionage,
    income,
    mobilisation,
    placement,
    research,
    victory,
)
from engine.east_and_west.data.arsenal import CATEGORIES
from engine.east_and_west.data.powers import POWER_NAMES, POWERS, USA, USSR
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import change_all, mark, unmark
from engine.east_and_west.movement import moving

OF_ONE_TURN: tuple[Mark, ...] = (
    "spent",
    "attacking",
    "landed",
    "dropped",
    "carrying",
    "raiding",
    "submerged",
    "surfaced",
    "grounded",
)


def begin(course: Course, power: Seat) -> None:
    """3: the bookkeeping at the start of a turn, then the power is asked."""
    board = course.board
    course.update(
        turn_number=board.turn_number + 1,
        turn=_fresh(board, power),
        units=change_all(board.units, lambda group: _woken(group, power)),
        fallout=tuple(fallout for fallout in board.fallout if fallout.by != power),
    )
    course.update_power(power, pending=())
    course.tell("Round {round}: {power}", round=course.board.round, power=POWER_NAMES[power])
    if power == USSR:
        victory.check_fast(course, "start")


def _fresh(board: Board, power: Seat) -> Turn:
    """3(a): what the power and its side hold now."""
    return Turn(
        power=power,
        stop="intelligence",
        owners=board.owners,
        factories=tuple(land for land in board.factories if board.owners[land] == power),
    )


def _woken(group: Group, power: Seat) -> Group:
    """3(d), 3(f): fighters have their defence again; EMP keeps aircraft on the ground now."""
    if group.owner != power:
        return group
    if group.has("stunned"):
        group = mark(unmark(group, "stunned"), "grounded")
    return unmark(group, "helpless")


# --- the ends of the stops ------------------------------------------------------------------------


def end_mobilisation(course: Course) -> None:
    """2.5"""
    mobilisation.finish(course)
    begin(course, USSR)


def end_intelligence(course: Course) -> None:
    """4, 5: all dice of espionage and research, unless an ally has to be asked in between."""
    espionage.roll_jobs(course)
    research.receive_gifts(course)
    if not course.board.questions:
        _begin_production(course)


def answer_share(course: Course, is_given: bool) -> None:
    """5.7: what the giver says that was asked last; then the turn goes on."""
    *others, question = course.board.questions
    course.update(questions=tuple(others))
    category = next(key for key in CATEGORIES if key == question.data["category"])
    research.settle(course, question.seat, category, is_given)
    if not others:
        _begin_production(course)


def _begin_production(course: Course) -> None:
    research.roll_attempts(course)
    own = tuple(land for land, owner in course.board.owners.items() if owner == course.active)
    course.update_turn(stop="operations", levies=own)


def end_logistics(course: Course) -> None:
    """6-8: the turn is over; somebody has won, or the next power begins."""
    moving.lose_stranded(course)
    placement.finish(course)
    income.collect(course)
    course.set_units(change_all(course.board.units, _rested))
    if course.active == USSR:
        victory.check_fast(course, "end")
    if course.active == USA:
        victory.check_round(course)
    if course.board.result is None:
        _next(course)


def _rested(group: Group) -> Group:
    """3(b), 7.10: movement is restored, submarines surface."""
    rested = unmark(group, *OF_ONE_TURN)
    return replace(rested, used=0) if rested.used else rested


def _next(course: Course) -> None:
    if course.active == USA:
        course.update(round=course.board.round + 1)
    following = POWERS[(POWERS.index(course.active) + 1) % len(POWERS)]
    begin(course, following)
