"""Drafts on pages: the orders composed so far, in words, and what they would do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

from engine.abilities import OrderSheets
from engine.core import GameError, Seat, Text
from engine.text import printable
from pbem.errors import Refused
from pbem.i18n import ngettext, spoken
from pbem.services.match import drafts, match_log, turns
from pbem.services.match.drafts import Line, Preview, Tried
from pbem.services.records.match_rows import MatchRecord
from pbem.web.shared import match_text, option_tree
from pbem.web.shared.rule_links import Fault, fault_of

LONGEST_QUOTED = 60


class Composed(NamedTuple):
    """An order of the draft."""

    order: str
    words: str
    doubt: str = ""
    """Why it will not be possible later if all stays as it is."""


class Stack(NamedTuple):
    """An order of the draft, given once or several times, and what it does."""

    order: str
    words: str
    lines: list[str]
    """What comes of it; empty when that is not known before it is sent."""
    last: int
    """Where in the draft it stands last."""

    @property
    def said(self) -> str:
        return " ".join(self.lines) or self.words


class Draft(NamedTuple):
    """The orders composed so far, tried."""

    orders: list[Composed]
    stacks: list[Stack]
    """The same with those that are alike on one another; of a sheet, none."""
    state: Any
    is_final: bool
    is_asked: bool
    fault: Fault
    """Why the draft cannot be, when the match has changed under it."""
    changed_at: int | None = None

    @property
    def text(self) -> str:
        return "\n".join(composed.order for composed in self.orders)

    @property
    def is_ready(self) -> bool:
        return bool(self.orders) and not self.is_asked and not self.fault


def draft_of(match: MatchRecord, seat: Seat, turn: int) -> Draft:
    """What was composed for a turn of a seat; each order is tried once."""
    state, kept = match_log.current(match), drafts.kept_draft(turn)
    try:
        tried = drafts.preview(match, state, seat, kept.orders)
    except (GameError, Refused) as error:
        as_written = [Composed(order, order) for order in kept.orders]
        fault = fault_of(error, match.game)
        alone = [Stack(order, order, [], at) for at, order in enumerate(kept.orders)]
        return Draft(as_written, alone, state, False, True, fault, kept.changed_at)
    doubts = doubts_of(match, seat, tried.state)
    composed = [
        Composed(one.order, in_words(match, seat, one), doubts(one.order)) for one in tried.tried
    ]
    return Draft(
        composed,
        [] if isinstance(match.game, OrderSheets) else _stacks(match, composed, tried.tried),
        tried.state,
        tried.is_final,
        tried.is_asked,
        Fault(),
        kept.changed_at,
    )


def in_words(match: MatchRecord, seat: Seat, tried: Tried) -> str:
    """An order as people say it: by what it tells, or by the labels of its words."""
    game = match.game
    if isinstance(game, OrderSheets):
        told = match_text.said(match, tried.events)
        return " ".join(told) or game.say(game.in_words(tried.before, seat, tried.order), spoken())
    return option_tree.in_words(match, partial(game.options, tried.before, seat), tried.order)


def doubts_of(match: MatchRecord, seat: Seat, state: Any) -> Callable[[str], str]:
    """What stands in the way of an order that waits for later; of all others, nothing."""
    game = match.game
    found = game.doubts(state, seat) if isinstance(game, OrderSheets) else {}

    def doubt(order: str) -> str:
        reason = found.get(game.notate(game.parse(order))) if found else None
        return game.say(reason, spoken()) if reason else ""

    return doubt


def _stacks(
    match: MatchRecord, composed: Sequence[Composed], tried: Sequence[Tried]
) -> list[Stack]:
    """Equal orders as one, where only orders with the same verb stand between them."""
    stacks: list[Stack] = []
    for _, run in groupby(enumerate(tried), key=lambda one: one[1].order.split()[0]):
        alike: dict[str, list[int]] = {}
        for at, one in run:
            alike.setdefault(one.order, []).append(at)
        for order, places in alike.items():
            told = [event.text for at in places for event in tried[at].events]
            lines = _counted(match, told)
            stacks.append(Stack(order, composed[places[0]].words, lines, places[-1]))
    return stacks


def _counted(match: MatchRecord, told: Sequence[Text]) -> list[str]:
    """What was told, each thing once with its number, in short where the game can say it so."""
    game, lines = match.game, list[str]()
    for number, text in enumerate(told):
        if text in told[:number]:
            continue
        count, short = told.count(text), game.in_short(text, told.count(text))
        line = game.say(short or text, spoken())
        if count > 1 and short is None:
            times = ngettext("%(line)s (%(num)s time)", "%(line)s (%(num)s times)", count)
            line = times % {"line": line, "num": count}
        lines.append(line)
    return lines


class Answer(NamedTuple):
    """What became of one line of a text."""

    number: int
    order: str
    words: str
    """As it was understood."""
    error: Exception | None
    fault: Fault
    doubt: str
    """Why it will not be possible later if all stays as it is."""


def answers(match: MatchRecord, seat: Seat, lines: list[Line], done: Preview) -> list[Answer]:
    """As the text has them, in whatever order they were tried, and what they lead to."""
    doubts = doubts_of(match, seat, done.state)
    return [
        Answer(
            line.number,
            quoted(line.order),
            in_words(match, seat, line.tried) if line.tried else "",
            line.fault,
            fault_of(line.fault, match.game) if line.fault else Fault(),
            doubts(line.order) if line.tried else "",
        )
        for line in sorted(lines, key=lambda line: line.number)
    ]


def quoted(order: str) -> str:
    """An order as it may be shown, however long it is."""
    is_short = len(order) <= turns.LONGEST_ORDER
    return printable(order if is_short else order[:LONGEST_QUOTED] + "…")
