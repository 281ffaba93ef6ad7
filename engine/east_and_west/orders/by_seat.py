"""14a.10: what a seat may order and orders, for whichever of its powers it is meant.

At a stop or a question that is the power which is asked. A standing order holds for all powers of
the seat; an order for later belongs to the one that is at turn, or comes next. `for` names another.
"""

from __future__ import annotations

from typing import Any

from engine.core import Dice, IllegalAction, NotYourTurn, Option, Seat, Step
from engine.east_and_west.data import seating
from engine.east_and_west.orders import options as offers
from engine.east_and_west.orders import rules
from engine.east_and_west.state import State
from engine.east_and_west.verbs.standing import StandingOrder, StandingVerb

Choices = tuple[Option[Any], ...]


def waiting_on(state: State) -> frozenset[Seat]:
    asked = state.board.asked
    return frozenset() if asked is None else frozenset({seating.seat_of(_agreed(state), asked)})


def options(state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
    power = _asked(state, seat)
    return () if power is None else offers.options(state, power, prefix)


def default_action(state: State, seat: Seat) -> Any | None:
    power = _asked(state, seat)
    return None if power is None else offers.default_action(state, power)


def any_time(state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
    own = _own(state, seat)
    if not own:
        return ()
    if prefix[:1] != (StandingVerb.word,):
        return offers.any_time(state, state.board.speaker(own), prefix)
    found: dict[str, Option[Any]] = {}
    for power in own:
        for option in offers.any_time(state, power, prefix):
            found.setdefault(option.word, option)
    return tuple(found.values())


def apply(state: State, seat: Seat, action: Any, dice: Dice) -> Step[State]:
    own = _own(state, seat)
    if not own:
        is_over = state.board.result is not None
        raise NotYourTurn(
            "the match is over" if is_over else "nothing is asked of {seat}", seat=seat
        )
    if isinstance(action, StandingOrder):
        step = _for_all(state, own, action, dice)
    else:
        step = rules.apply(state, state.board.speaker(own), action, dice)
    return Step(step.state, seating.heard(_agreed(state), step.events), step.final)


def _for_all(state: State, own: tuple[Seat, ...], action: Any, dice: Dice) -> Step[State]:
    """For each power that it can concern: to share with an ally is nothing to that ally itself."""
    refusals: list[IllegalAction] = []
    step = Step(state)
    for power in own:
        try:
            step = rules.apply(step.state, power, action, dice)
        except IllegalAction as refusal:
            refusals.append(refusal)
    if len(refusals) == len(own):
        raise refusals[0]
    return step


def _asked(state: State, seat: Seat) -> Seat | None:
    """The power of this seat that has to decide, if one has."""
    asked = state.board.asked
    return asked if asked in _own(state, seat) else None


def _agreed(state: State) -> str:
    return state.board.variant.nato


def _own(state: State, seat: Seat) -> tuple[Seat, ...]:
    return seating.powers(_agreed(state), seat)
