"""14.1: orders given in advance for a later stop of the own turn, perhaps under a condition.

They stand in line. When a stop of their owner is reached, those at the head that belong to it are
carried out, one by one: what has become impossible is dropped and told to the owner alone. The
line rests at an order for another stop; `then done` ends the stop it comes to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from engine.core import BadNotation, IllegalAction, Option, Seat, Text
from engine.east_and_west import queries
from engine.east_and_west.board import Board, Stop
from engine.east_and_west.data.arsenal import CATEGORIES, technologies
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.lexicon import Words
from engine.east_and_west.execution import Course
from engine.east_and_west.orders.foresight import at_stop, with_technology
from engine.east_and_west.orders.headings import HEADINGS
from engine.east_and_west.orders.verb import Verb
from engine.east_and_west.standing import DelayedOrder, Standing
from engine.east_and_west.state import State

Parse = Callable[[str], Any]
Notate = Callable[[Any], str]
Ahead = tuple[Verb, Stop]
"""A verb whose words can be offered before its stop is reached."""

MOST = 60
"""Orders that may wait at once."""
ALL = "all"
STEPS = 3
LARGEST = 999


class Then(Struct, frozen=True):
    order: str
    """Canonical."""
    condition: str = ""
    """Canonical too; nothing: whatever happens."""


class Forget(Struct, frozen=True):
    """Take back what was said with `then`: all of it, or one by its number from 1."""

    number: int = 0


def delayed_verbs(parse: Parse, notate: Notate, ahead: Mapping[str, Ahead]) -> tuple[Verb, ...]:
    return ThenVerb(parse, notate, ahead), ForgetVerb()


class ThenVerb:
    word = "then"
    action = Then

    def __init__(self, parse: Parse, notate: Notate, ahead: Mapping[str, Ahead]) -> None:
        self._parse, self._notate, self._ahead = parse, notate, ahead

    def parse(self, words: Words) -> Then:
        condition = ""
        if words.next_is("if", "wenn", "si"):
            words.skip()
            condition = condition_in(words)
        if words.is_over:
            raise words.wrong("then ORDER | then if CONDITION ORDER")
        return Then(self._notate(self._parse(words.rest())), condition)

    def notate(self, action: Then) -> str:
        return f"if {action.condition} {action.order}" if action.condition else action.order

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> tuple[Option[Any], ...]:
        """What can be said without knowing what the board will look like; by typing all can."""
        if len(state.orders(seat).later) >= MOST:
            return ()
        if prefix[:1] == ("if",):
            return self._under_conditions(state, seat, prefix[1:])
        orders = self._orders(state, seat, prefix, "")
        return orders if prefix else (*orders, Option("if", Text("only on a condition")))

    def _orders(
        self, state: State, seat: Seat, prefix: tuple[str, ...], condition: str
    ) -> tuple[Option[Any], ...]:
        """The same words as at the stop itself, as far as it can be foreseen."""
        if prefix:
            return self._further(state, seat, prefix, condition)
        words = [word for word in self._ahead if self._further(state, seat, (word,), condition)]
        done = Option[Any]("done", Text("End the next stop, too"), Then("done", condition))
        return (*(Option[Any](word, HEADINGS[word]) for word in words), done)

    def _further(
        self, state: State, seat: Seat, prefix: tuple[str, ...], condition: str
    ) -> tuple[Option[Any], ...]:
        if prefix[0] not in self._ahead:
            return ()
        verb, stop = self._ahead[prefix[0]]
        foreseen = at_stop(state, seat, stop, self._purchases(state, seat))
        match condition.split():
            case [category, ">=", step] if category in CATEGORIES:
                foreseen = with_technology(foreseen, seat, category, int(step))
        return tuple(
            option
            if option.action is None
            else replace(option, action=Then(self._notate(option.action), condition))
            for option in verb.offer(foreseen, seat, prefix[1:])
        )

    def _purchases(self, state: State, seat: Seat) -> list[tuple[str, int]]:
        """What waits to be bought can be placed afterwards."""
        waiting = [later.order for later in state.orders(seat).later]
        bought = [self._parse(order) for order in waiting if order.startswith("buy ")]
        return [unit for order in bought for unit in order.units]

    def _under_conditions(
        self, state: State, seat: Seat, words: tuple[str, ...]
    ) -> tuple[Option[Any], ...]:
        found: dict[str, Option[Any]] = {}
        for condition, labels in _conditions(state.board, seat):
            if words[: len(condition)] == condition:
                return self._orders(state, seat, words[len(condition) :], " ".join(condition))
            if condition[: len(words)] == words:
                word = condition[len(words)]
                found.setdefault(word, Option(word, labels[len(words)]))
        return tuple(found.values())

    def do(self, course: Course, seat: Seat, action: Then) -> None:
        said = course.orders(seat)
        if len(said.later) >= MOST:
            raise IllegalAction("{most} orders wait already; `forget` drops some", most=MOST)
        _set(
            course,
            seat,
            replace(said, later=(*said.later, DelayedOrder(action.order, action.condition))),
        )
        course.tell_only(seat, "Noted for later: {order}", order=self.notate(action))


class ForgetVerb:
    word = "forget"
    action = Forget

    def parse(self, words: Words) -> Forget:
        if words.is_over or words.next_is(ALL):
            words.rest()
            return Forget()
        number = words.number()
        if not number:
            raise BadNotation("'{line}': orders are counted from 1", line=words.line)
        return Forget(number)

    def notate(self, action: Forget) -> str:
        return str(action.number) if action.number else ALL

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> tuple[Option[Any], ...]:
        waiting = state.orders(seat).later
        if prefix or not waiting:
            return ()
        return (
            Option(ALL, Text("All orders for later"), Forget()),
            *(
                Option(str(number), Text("{order}", {"order": in_words(later)}), Forget(number))
                for number, later in enumerate(waiting, 1)
            ),
        )

    def do(self, course: Course, seat: Seat, action: Forget) -> None:
        said = course.orders(seat)
        if not said.later:
            raise IllegalAction("nothing waits for later")
        if action.number > len(said.later):
            raise IllegalAction("orders for later: only {count}", count=len(said.later))
        dropped = said.later[action.number - 1 : action.number] if action.number else said.later
        kept = tuple(
            later
            for number, later in enumerate(said.later, 1)
            if action.number and number != action.number
        )
        _set(course, seat, replace(said, later=kept))
        for later in dropped:
            course.tell_only(seat, "Forgotten: {order}", order=in_words(later))


def in_words(later: DelayedOrder) -> str:
    """As it was given."""
    return f"if {later.condition} {later.order}" if later.condition else later.order


def _set(course: Course, seat: Seat, said: Standing) -> None:
    course.state = replace(course.state, standing={**course.state.standing, seat: said})


# --- conditions -----------------------------------------------------------------------------------


def condition_in(words: Words) -> str:
    """A condition in canonical words."""
    is_not = words.next_is("not", "nicht", "pas", "non")
    if is_not:
        words.skip()
    said = _plain_condition(words)
    if said.startswith("not "):
        return said.removeprefix("not ") if is_not else said
    return f"not {said}" if is_not else said


def _conditions(board: Board, seat: Seat) -> Iterator[tuple[tuple[str, ...], tuple[Text, ...]]]:
    """Some worth offering, word by word with what each word means: steps, and battles ahead."""
    for category in CATEGORIES:
        label = Text("{category}", {"category": technologies()[category].names})
        for step in range(1, STEPS + 1):
            if not queries.knows(board, seat, category, step):
                number = Text("step {number}", {"number": step})
                yield (category, ">=", str(step)), (label, Text("at least"), number)
    for attack in board.turn.attacks if board.turn.power == seat else ():
        space = Text("{space}", {"space": atlas().spaces[attack.space].names})
        yield ("captured", attack.space), (Text("captured"), space)


def _plain_condition(words: Words) -> str:
    if words.next_is("captured", "erobert", "pris"):
        words.skip()
        return f"captured {words.space()}"
    if words.next_is("lost", "verloren", "perdu"):
        words.skip()
        return f"lost {_land(words)}"
    if words.next_is("cash", "geld", "ipc", "argent"):
        words.skip()
        return _at_least("cash", words, 0, LARGEST)
    try:
        category = words.category()
    except BadNotation:
        raise words.wrong(
            f"captured SPACE | lost LAND | cash >= N | {' | '.join(CATEGORIES)} >= 1-3 | not ..."
        ) from None
    return _at_least(category, words, 1, STEPS)


def _land(words: Words) -> str:
    land = words.space()
    if not atlas().is_land(land):
        raise BadNotation("'{line}': a land can be lost, not a sea zone", line=words.line)
    return land


def _at_least(what: str, words: Words, least: int, most: int) -> str:
    """`>= N`, where less is its opposite."""
    is_less = words.next_is("<")
    if words.next_is(">=", "<", "="):
        words.skip()
    number = words.number()
    if not least <= number <= most:
        raise BadNotation(
            "'{line}': {what} is compared with {least} to {most}",
            line=words.line,
            what=what,
            least=least,
            most=most,
        )
    said = f"{what} >= {number}"
    return f"not {said}" if is_less else said


def holds(board: Board, seat: Seat, condition: str) -> bool:
    """Whether a canonical condition is true for a seat now."""
    if condition.startswith("not "):
        return not holds(board, seat, condition.removeprefix("not "))
    match condition.split():
        case ["captured", space]:
            return _has_won(board, seat, space)
        case ["lost", land]:
            return not queries.is_friendly(board, seat, land)
        case ["cash", _, number]:
            return board.powers[seat].cash >= int(number)
        case [category, _, number]:
            return any(
                category == known and queries.knows(board, seat, known, int(number))
                for known in CATEGORIES
            )
    return not condition


def _has_won(board: Board, seat: Seat, space: str) -> bool:
    """A land captured in this turn; a zone with own and without enemy ships."""
    if atlas().is_land(space):
        return space in board.turn.captured and queries.is_friendly(board, seat, space)
    is_there = bool(queries.own_units(board, seat, space))
    return is_there and not queries.enemy_ships(board, seat, space)
