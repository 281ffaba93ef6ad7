"""Carrying out an order: who may give it, what it does, and what was said in advance."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from engine.core import Dice, IllegalAction, NotYourTurn, Seat, Step, Text
from engine.east_and_west.board import Board, Stop, Variant
from engine.east_and_west.course import setup
from engine.east_and_west.data.powers import POWER_NAMES
from engine.east_and_west.execution import Course
from engine.east_and_west.orders import delayed
from engine.east_and_west.orders.registry import ANSWERS, ANY_TIME, STOPS, parse, verb_of
from engine.east_and_west.orders.verb import Verb
from engine.east_and_west.standing import DelayedOrder
from engine.east_and_west.state import State
from engine.east_and_west.verbs.done import DONE

STOP_NAMES: dict[Stop, Text] = {
    "mobilisation": Text("the mobilisation"),
    "intelligence": Text("espionage and research"),
    "operations": Text("production and combat move"),
    "logistics": Text("non-combat move and placement"),
}


def new_game(variant: Variant) -> Step[State]:
    """2: the board as it begins, with the Soviet mobilisation."""
    return Step(State(setup.new_board(variant)))


def apply(state: State, seat: Seat, action: Any, dice: Dice) -> Step[State]:
    verb = verb_of(action)
    _check(state.board, seat, verb)
    course = Course(state, dice)
    verb.do(course, seat, action)
    is_advance = verb is DONE or verb in ANSWERS
    if is_advance:
        _carry_out_later(course)
    is_final = is_advance or course.has_rolled or course.board.result is not None
    return Step(course.state, tuple(course.events), is_final)


def _check(board: Board, seat: Seat, verb: Verb) -> None:
    """NotYourTurn unless the seat is asked, IllegalAction if it is asked for something else."""
    if board.result is not None:
        raise NotYourTurn("the match is over")
    if verb in ANY_TIME:
        return
    waiting = board.asked
    if waiting != seat and waiting is not None:
        raise NotYourTurn("it is for {power} to decide now", power=POWER_NAMES[waiting])
    allowed = ANSWERS if board.questions else STOPS[board.turn.stop]
    if verb not in allowed:
        raise IllegalAction(
            "`{verb}` is not possible now ({stop}); possible: {verbs}",
            verb=verb.word,
            stop=Text("a question") if board.questions else STOP_NAMES[board.turn.stop],
            verbs=", ".join(known.word for known in allowed),
        )


# --- 14.1: what was said for later ----------------------------------------------------------------


def _carry_out_later(course: Course) -> None:
    """The head of the line of whoever is at turn, as long as it belongs to the stop reached."""
    while (said := _next_later(course)) is not None:
        seat = course.active
        orders = course.orders(seat)
        course.state = replace(
            course.state,
            standing={**course.state.standing, seat: replace(orders, later=orders.later[1:])},
        )
        _carry_out(course, seat, said)


def _next_later(course: Course) -> DelayedOrder | None:
    board = course.board
    if board.result is not None or board.questions:
        return None
    waiting = course.orders(board.turn.power).later
    if not waiting or verb_of(parse(waiting[0].order)) not in STOPS[board.turn.stop]:
        return None
    return waiting[0]


def _carry_out(course: Course, seat: Seat, said: DelayedOrder) -> None:
    """One order; impossible ones are dropped and told to their owner alone."""
    if not delayed.holds(course.board, seat, said.condition):
        course.tell_only(
            seat,
            "Not carried out because the condition is not met: {order}",
            order=delayed.in_words(said),
        )
        return
    action = parse(said.order)
    before, told, rolled = course.state, len(course.events), course.has_rolled
    try:
        verb_of(action).do(course, seat, action)
    except IllegalAction as refused:
        course.state, course.has_rolled = before, rolled
        del course.events[told:]
        course.tell_only(
            seat,
            "Not carried out: {order} ({reason})",
            order=delayed.in_words(said),
            reason=refused.text,
        )
