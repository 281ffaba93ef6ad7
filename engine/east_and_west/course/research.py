"""5: research, and half steps that allies give each other."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from engine.core import IllegalAction, Name, Option, Seat, Text
from engine.east_and_west.board import Attempt, Board, Gift, Question
from engine.east_and_west.course.treasury import purse, refund, spend
from engine.east_and_west.data.arsenal import CATEGORIES, FULL, Category, technologies
from engine.east_and_west.data.lexicon import Words
from engine.east_and_west.data.powers import NATO, POWER_NAMES, USA, USSR
from engine.east_and_west.execution import Course
from engine.east_and_west.queries import knows
from engine.east_and_west.state import State

WITH_FREE_ATTEMPT = (USSR, USA)
BREAKTHROUGH, PROGRESS = 1, 2
BREAKTHROUGH_IN_TECH_WAR, PROGRESS_IN_TECH_WAR = 2, 4
SHARE = "share"
"""The question to a power whether it gives an ally half a step."""


# --- the counters ---------------------------------------------------------------------------------


def counter(board: Board, power: Seat, category: Category) -> int:
    """5.2: even on a full step, odd between two."""
    return board.powers[power].research.get(category, 0)


def next_step(board: Board, power: Seat, category: Category) -> int:
    """The full step that comes next; the fourth, which nobody has, when all are known."""
    return counter(board, power, category) // 2 + 1


def advance(course: Course, power: Seat, category: Category, to: int) -> None:
    """5.2, 5.7: move a counter on, and remember who of NATO was first on a full step."""
    before, research = counter(course.board, power, category), course.board.powers[power].research
    course.update_power(power, research={**research, category: to})
    step = to // 2
    if step == before // 2:
        course.tell(
            "{power} makes progress in {category}",
            power=POWER_NAMES[power],
            category=category_name(category),
        )
        return
    if power in NATO:
        course.update(firsts={f"{category} {step}": power, **course.board.firsts})
    course.announce(
        "{power} gains {technology}",
        power=POWER_NAMES[power],
        technology=technologies()[category].steps[step - 1],
    )


def result(board: Board, at: int, face: int) -> int:
    """5.4, 5.8: where a counter goes when a die shows a face."""
    is_war = board.variant.tech_war
    if face <= (BREAKTHROUGH_IN_TECH_WAR if is_war else BREAKTHROUGH):
        return (at // 2 + 1) * 2
    if face <= (PROGRESS_IN_TECH_WAR if is_war else PROGRESS):
        return at + 1
    return at


def category_name(category: Category) -> Name:
    return technologies()[category].names


# --- attempts -------------------------------------------------------------------------------------


class Research(Struct, frozen=True, omit_defaults=True):
    """An attempt in a category."""

    category: Category
    is_free: bool = False


class ResearchVerb:
    word = "research"
    action = Research

    def parse(self, words: Words) -> Research:
        is_free = words.next_is("free")
        if is_free:
            words.skip()
        category = words.category()
        if not is_free and words.next_is("free"):
            words.skip()
            is_free = True
        return Research(category, is_free)

    def notate(self, action: Research) -> str:
        return f"free {action.category}" if action.is_free else action.category

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> tuple[Option[Any], ...]:
        board = state.board
        if prefix == ("free",):
            return tuple(
                Option(category, _label(category, 0), Research(category, is_free=True))
                for category in CATEGORIES
                if why_not(board, seat, Research(category, is_free=True)) is None
            )
        if prefix:
            return ()
        paid = tuple(
            Option(category, _label(category, price), Research(category))
            for category in CATEGORIES
            for price in [technologies()[category].price]
            if price <= purse(board) and why_not(board, seat, Research(category)) is None
        )
        free = (Option[Any]("free", Text("free attempt")),)
        return paid + (free if self.offer(state, seat, ("free",)) else ())

    def do(self, course: Course, seat: Seat, action: Research) -> None:
        reason = why_not(course.board, seat, action)
        if reason is not None:
            raise reason
        spend(course, 0 if action.is_free else technologies()[action.category].price)
        attempt = Attempt(action.category, action.is_free)
        course.update_turn(attempts=(*course.turn.attempts, attempt))
        if course.turn.stop == "mobilisation":
            roll(course, attempt)


def _label(category: Category, price: int) -> Text:
    params: dict[str, Any] = {"category": category_name(category), "price": price}
    return Text("{category}, for {price}", params) if price else Text("{category}", params)


def why_not(board: Board, seat: Seat, action: Research) -> IllegalAction | None:
    """2.5, 5.3, 19: what forbids an attempt, money aside."""
    category = category_name(action.category)
    at, accepted = counter(board, seat, action.category), action.category in board.turn.accepted
    if at + accepted >= FULL:
        return IllegalAction("there is nothing left to research in {category}", category=category)
    if action.is_free and (reason := _why_not_free(board, seat)):
        return reason
    is_made = any(attempt.category == action.category for attempt in board.turn.attempts)
    if is_made and board.turn.stop != "mobilisation":
        return IllegalAction(
            "you have made an attempt in {category}; one in each category is allowed in a turn",
            category=category,
        )
    return None


def _why_not_free(board: Board, seat: Seat) -> IllegalAction | None:
    """2.5, 5.3"""
    if board.turn.stop == "mobilisation":
        return IllegalAction("the free attempt does not exist in the mobilisation")
    if seat not in WITH_FREE_ATTEMPT:
        return IllegalAction("only the USSR and the USA have a free attempt")
    if any(attempt.is_free for attempt in board.turn.attempts):
        return IllegalAction("you have made your free attempt in this turn")
    return None


def roll_attempts(course: Course) -> None:
    """5.5: in a fixed order."""
    for category in CATEGORIES:
        for attempt in course.turn.attempts:
            if attempt.category == category:
                roll(course, attempt)


def roll(course: Course, attempt: Attempt) -> None:
    """5.4; one that espionage has made idle costs nothing."""
    category, at = attempt.category, counter(course.board, course.active, attempt.category)
    if at >= FULL:
        refund(course, 0 if attempt.is_free else technologies()[category].price)
        return
    (face,) = course.roll(1, f"research {category} {len(course.turn.attempts)}")
    course.tell(
        "{power} rolls a {face} for {category}",
        power=POWER_NAMES[course.active],
        face=face,
        category=category_name(category),
    )
    to = result(course.board, at, face)
    if to != at:
        advance(course, course.active, category, to)


# --- gifts ----------------------------------------------------------------------------------------


class Accept(Struct, frozen=True):
    """5.7: to take the half step that an ally can give."""

    category: Category


class AcceptVerb:
    word = "accept"
    action = Accept

    def parse(self, words: Words) -> Accept:
        return Accept(words.category())

    def notate(self, action: Accept) -> str:
        return action.category

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> tuple[Option[Any], ...]:
        if prefix:
            return ()
        return tuple(
            Option(
                category,
                Text(
                    "half a step in {category} from {giver}",
                    {"category": category_name(category), "giver": POWER_NAMES[giver]},
                ),
                Accept(category),
            )
            for category in CATEGORIES
            for giver in [giver_of(state.board, seat, category)]
            if giver is not None and self._why_not(state.board, seat, category) is None
        )

    def do(self, course: Course, seat: Seat, action: Accept) -> None:
        reason = self._why_not(course.board, seat, action.category)
        if reason is not None:
            raise reason
        course.update_turn(accepted=(*course.turn.accepted, action.category))

    def _why_not(self, board: Board, seat: Seat, category: Category) -> IllegalAction | None:
        name = category_name(category)
        if category in board.turn.accepted:
            return IllegalAction("you have accepted half a step in {category}", category=name)
        if giver_of(board, seat, category) is None:
            return IllegalAction("nobody can give you half a step in {category}", category=name)
        is_tried = any(attempt.category == category for attempt in board.turn.attempts)
        if is_tried and counter(board, seat, category) == FULL - 1:
            return IllegalAction(
                "with half a step more your attempt in {category} would be wasted", category=name
            )
        return None


def giver_of(board: Board, receiver: Seat, category: Category) -> Seat | None:
    """5.7: the ally that was the first to gain the receiver's next step and may still give."""
    step = next_step(board, receiver, category)
    giver = board.firsts.get(f"{category} {step}")
    if category == "nuclear" or receiver not in NATO:
        return None
    if giver is None or giver == receiver or not knows(board, giver, category, step):
        return None
    return None if Gift(category, step, receiver) in board.gifts else giver


def receive_gifts(course: Course) -> None:
    """5.7: before the rolls; a giver who wants to be asked is asked, and the match waits for it."""
    for category in reversed(course.turn.accepted):
        giver = giver_of(course.board, course.active, category)
        if giver is None:
            continue
        consent = course.orders(giver).share.get(course.active, "always")
        if consent == "ask":
            _ask(course, giver, category)
        else:
            settle(course, giver, category, consent == "always")


def _ask(course: Course, giver: Seat, category: Category) -> None:
    data: dict[str, int | str | tuple[str, ...]] = {
        "category": category,
        "step": next_step(course.board, course.active, category),
        "receiver": course.active,
    }
    question = Question(SHARE, giver, data=data)
    course.update(questions=(*course.board.questions, question))


def settle(course: Course, giver: Seat, category: Category, is_given: bool) -> None:
    """Half a step is given, once for each step and receiver, or refused."""
    receiver, step = course.active, next_step(course.board, course.active, category)
    names = {"giver": POWER_NAMES[giver], "receiver": POWER_NAMES[receiver]}
    if not is_given:
        course.tell(
            "{giver} does not share {technology} with {receiver}",
            technology=technologies()[category].steps[step - 1],
            **names,
        )
        return
    course.tell(
        "{giver} gives {receiver} half a step towards {technology}",
        technology=technologies()[category].steps[step - 1],
        **names,
    )
    course.update(gifts=(*course.board.gifts, Gift(category, step, receiver)))
    advance(course, receiver, category, counter(course.board, receiver, category) + 1)


VERBS = (ResearchVerb(), AcceptVerb())
