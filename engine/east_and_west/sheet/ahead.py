"""14a: orders for a later stop of the turn: what the board may look like then, and where they wait.

The line rests at an order that belongs to another stop than the one reached, and goes on when that
is reached; `then done` ends a stop. A sheet puts an order where its stop is in the line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from engine.abilities import SheetField, SheetForm, SheetValue
from engine.chance import SealedDice, SealedThrow
from engine.core import GameError, IllegalAction, Seat, Text
from engine.east_and_west import queries
from engine.east_and_west.board import Board, Stop
from engine.east_and_west.course.research import next_step
from engine.east_and_west.data.arsenal import CATEGORIES, technologies
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.lexicon import Words
from engine.east_and_west.execution import Course
from engine.east_and_west.orders import delayed
from engine.east_and_west.orders.delayed import Forget, Then
from engine.east_and_west.orders.foresight import COURSE, at_stop
from engine.east_and_west.orders.registry import STOPS, VERBS, notate, parse, verb_of
from engine.east_and_west.orders.rules import STOP_NAMES
from engine.east_and_west.sheet.desk import Desk
from engine.east_and_west.sheet.paper import Offer, Part, Values, choice, nothing, typed
from engine.east_and_west.standing import DelayedOrder
from engine.east_and_west.state import State
from engine.east_and_west.verbs.done import Done

CONDITION = "condition"
DONE = "done"
THEN = "then"
CASH = (10, 20, 30, 40)
"""Sums worth a condition of their own; others are typed."""


def stops_ahead(board: Board, power: Seat) -> tuple[Stop, ...]:
    """The stops that come before the power's turn is over, or those of its next turn."""
    if board.turn.power == power:
        return COURSE[COURSE.index(board.turn.stop) + 1 :]
    return COURSE[1:]


def stops_of(board: Board, power: Seat, verbs: Iterable[str]) -> list[int]:
    """At which of the stops ahead orders of these kinds, in line, are carried out; from 0."""
    ahead = stops_ahead(board, power)
    at, found = 0, []
    for verb in verbs:
        while at < len(ahead) and VERBS[verb] not in STOPS[ahead[at]]:
            at += 1
        found.append(at)
        at += verb == DONE
    return found


def _verbs(later: Iterable[DelayedOrder]) -> list[str]:
    return [order.order.split()[0] for order in later]


def is_within_reach(state: State, power: Seat, stop: Stop, verb: str) -> bool:
    """14a.3: whether an order noted for a stop would wait for that one and none before it."""
    verbs, place = _verbs(state.orders(power).later), _place(state, power, stop)
    line = [*verbs[:place], verb, *verbs[place:]]
    return stops_of(state.board, power, line)[place] == _far(state.board, power, stop)


def _far(board: Board, power: Seat, stop: Stop) -> int:
    return stops_ahead(board, power).index(stop)


def _place(state: State, power: Seat, stop: Stop) -> int:
    """Where in the line an order for a stop goes: behind its others, before its `done`."""
    far, later = _far(state.board, power, stop), state.orders(power).later
    for place, at in enumerate(stops_of(state.board, power, _verbs(later))):
        if at > far or (at == far and later[place].order == DONE):
            return place
    return len(later)


class Waiting(NamedTuple):
    """What waits for one of the stops ahead, carried out on the board as it may be then."""

    state: State
    failed: tuple[tuple[DelayedOrder, Text], ...]
    """What could not be, and why."""


def foreseen(state: State, power: Seat, stop: Stop) -> State:
    """The board as a stop may find it, what waits for it carried out as far as it can be."""
    return _waiting(state, power, stop).state


def _waiting(state: State, power: Seat, stop: Stop) -> Waiting:
    far, later = _far(state.board, power, stop), state.orders(power).later
    waiting = list(zip(later, stops_of(state.board, power, _verbs(later)), strict=True))
    bought = [
        unit
        for order, at in waiting
        if at < far and order.order.startswith("buy ")
        for unit in parse(order.order).units
    ]
    course = Course(at_stop(state, power, stop, bought), SealedDice())
    failed = []
    for order, at in waiting:
        if at == far and order.order != DONE:
            try:
                _carry_out(course, power, order.order)
            except SealedThrow:
                continue
            except GameError as error:
                failed.append((order, error.text))
    return Waiting(course.state, tuple(failed))


def doubts(state: State, power: Seat) -> Iterator[tuple[DelayedOrder, Text]]:
    """14a.2: what would not be possible if everything stayed as it is.

    Nothing is said of what a condition holds for, nor of moves behind battles that are still to
    be fought.
    """
    ahead = stops_ahead(state.board, power) if state.orders(power).later else ()
    for stop in ahead:
        for order, reason in _waiting(state, power, stop).failed:
            is_open = stop == "logistics" and not order.order.startswith("place ")
            if not order.condition and not (is_open and any(_battles(state, power))):
                yield order, reason


def _carry_out(course: Course, power: Seat, order: str) -> None:
    action = parse(order)
    before = course.state
    try:
        verb_of(action).do(course, power, action)
    except (GameError, SealedThrow):
        course.state = before
        raise


# --- noting ---------------------------------------------------------------------------------------


def noted(
    state: State, desk: Desk, stop: Stop, actions: Sequence[Any], condition: str
) -> list[Any]:
    """Orders that put others where they belong in the line; tried on the board as foreseen."""
    course = Course(desk.state, SealedDice())
    for action in actions:
        _carry_out(course, desk.power, notate(action))
    new = [DelayedOrder(notate(action), condition) for action in actions]
    return _inserted(state, desk.power, stop, new)


def _inserted(
    state: State, power: Seat, stop: Stop, new: Sequence[DelayedOrder]
) -> list[Forget | Then]:
    """What waits for later stops is taken back and said again behind the new orders."""
    later, place = state.orders(power).later, _place(state, power, stop)
    if len(later) + len(new) > delayed.MOST:
        raise IllegalAction("{most} orders wait already; `forget` drops some", most=delayed.MOST)
    line = (*later[:place], *new, *later[place:])
    found = stops_of(state.board, power, _verbs(line))[place : place + len(new)]
    if any(at != _far(state.board, power, stop) for at in found):
        raise IllegalAction(
            "{stop} does not end by itself yet; order that first, then plan what comes after it",
            stop=STOP_NAMES[stops_ahead(state.board, power)[found[0]]],
        )
    return [
        *(Forget(number) for number in range(len(later), place, -1)),
        *(Then(order.order, order.condition) for order in line[place:]),
    ]


def condition(state: State, desk: Desk) -> SheetField:
    """14a.5: what a form ahead of its stop has besides."""
    return choice(
        CONDITION, Text("Only if"), _conditions(state, desk), desk.asks.get(CONDITION, "")
    )


def _battles(state: State, power: Seat) -> Iterator[str]:
    """Where this turn has battles, declared or waiting to be."""
    if state.board.turn.power == power:
        yield from (attack.space for attack in state.board.turn.attacks)
    if "operations" in stops_ahead(state.board, power):
        waiting = foreseen(state, power, "operations")
        yield from (attack.space for attack in waiting.board.turn.attacks)


def _conditions(state: State, desk: Desk) -> Iterator[SheetValue]:
    """As far as it can be pressed; anything else is typed."""
    yield nothing(Text("in any case"))
    for space in dict.fromkeys(_battles(state, desk.power)):
        name = {"space": atlas().spaces[space].names}
        yield SheetValue(f"captured {space}", Text("{space} was taken", name))
        yield SheetValue(f"not captured {space}", Text("{space} was not taken", name))
    if desk.at and atlas().is_land(desk.at):
        name = {"space": atlas().spaces[desk.at].names}
        yield SheetValue(f"lost {desk.at}", Text("{space} was lost", name))
    for cash in CASH:
        yield SheetValue(f"cash >= {cash}", Text("you have {cash} IPC or more", {"cash": cash}))
    for category in CATEGORIES:
        step = next_step(desk.board, desk.power, category)
        if step <= delayed.STEPS and not queries.knows(desk.board, desk.power, category, step):
            technology = {"technology": technologies()[category].steps[step - 1]}
            yield SheetValue(f"{category} >= {step}", Text("you have {technology}", technology))


# --- the line itself ------------------------------------------------------------------------------


def parts(state: State, power: Seat) -> Iterator[Part]:
    """What waits, with a way to take it back, to end a stop by itself, and to type anything."""
    later = state.orders(power).later
    lines = tuple(
        Text("{number}. {order}", {"number": number, "order": delayed.in_words(order)})
        for number, order in enumerate(later, 1)
    )
    offers = [*_forgetting(later), *ending(state, power), _typing()]
    yield Part(
        "later",
        Text("Orders for later in your turn"),
        lines or (Text("Nothing waits."),),
        offers=tuple(offers),
    )


def _forgetting(later: Sequence[DelayedOrder]) -> Iterator[Offer]:
    if not later:
        return
    every = [SheetValue("0", Text("all of them"))]
    every += [
        SheetValue(str(number), Text("{order}", {"order": delayed.in_words(order)}))
        for number, order in enumerate(later, 1)
    ]
    form = SheetForm(
        "forget",
        Text("Take back"),
        Text("Take it back"),
        (choice("number", Text("Which one"), every),),
    )
    yield Offer(form, lambda values: [Forget(int(values.chosen("number")))])


def ending(state: State, power: Seat) -> Iterator[Offer]:
    """`then done`, for the first stop that does not end by itself yet."""
    later = state.orders(power).later
    waiting = zip(later, stops_of(state.board, power, _verbs(later)), strict=True)
    ended = {at for order, at in waiting if order.order == DONE}
    ahead = stops_ahead(state.board, power)
    stop = next((stop for at, stop in enumerate(ahead) if at not in ended), None)
    if stop is not None:
        form = SheetForm(
            "end",
            Text("End the next stop without being asked: {stop}", {"stop": STOP_NAMES[stop]}),
            Text("End it by itself"),
            notes=(Text("Its dice are then rolled at once, and the orders behind it are next."),),
        )
        new = (DelayedOrder(notate(Done())),)
        yield Offer(form, lambda values: list(_inserted(state, power, stop, new)))


def _typing() -> Offer:
    form = SheetForm(
        "then",
        Text("Any other order for later"),
        Text("Note it"),
        (
            typed(
                "order", Text("Order"), note=Text("such as: move poland west-germany 2 infantry")
            ),
            typed(CONDITION, Text("Only if"), note=Text("such as: captured greece, or cash >= 20")),
        ),
        is_folded=True,
    )
    return Offer(form, _typed_order)


def _typed_order(values: Values) -> list[Any]:
    condition = values.read_as(CONDITION, _read_condition)
    under = f"then if {condition}" if condition else "then"
    return [values.read_as("order", lambda said: parse(f"{under} {said}"))]


def _read_condition(said: str) -> str:
    if not said:
        return ""
    words = Words(said)
    condition = delayed.condition_in(words)
    words.end()
    return condition


def in_one_go(orders: Sequence[tuple[int, str]]) -> tuple[tuple[int, str], ...]:
    """Numbered orders of a turn as people write it down, from its first stop to its end.

    Nothing can follow the end of a stop, so what stands behind it is said before it, for later.
    """
    end = next((at for at, (_, order) in enumerate(orders) if _ends_a_stop(order)), None)
    if end is None:
        return tuple(orders)
    later = [(number, _for_later(order)) for number, order in orders[end + 1 :]]
    return (*orders[:end], *later, orders[end])


def _ends_a_stop(order: str) -> bool:
    with suppress(GameError):
        return isinstance(parse(order), Done)
    return False


def _for_later(order: str) -> str:
    with suppress(GameError):
        if isinstance(parse(order), Then | Forget):
            return order
    return f"{THEN} {order}"
