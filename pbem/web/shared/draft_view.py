"""Drafts on pages: the orders composed so far, in words, and what they would do."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from engine.abilities import OrderSheets
from engine.core import GameError, Seat
from engine.text import printable
from pbem.errors import Refused
from pbem.i18n import spoken
from pbem.services.match import drafts, match_log, turns
from pbem.services.match.drafts import Line, Tried
from pbem.services.records.match_rows import MatchRecord
from pbem.web.shared import match_text, option_tree
from pbem.web.shared.rule_links import Fault, fault_of

LONGEST_QUOTED = 60


class Composed(NamedTuple):
    """An order of the draft."""

    order: str
    words: str


class Draft(NamedTuple):
    """The orders composed so far, tried."""

    orders: list[Composed]
    lines: list[str]
    """What they would do."""
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
        return Draft(as_written, [], state, False, True, fault, kept.changed_at)
    return Draft(
        [Composed(one.order, in_words(match, seat, one)) for one in tried.tried],
        match_text.said(match, tried.events),
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


class Answer(NamedTuple):
    """What became of one line of a text."""

    number: int
    order: str
    words: str
    """As it was understood."""
    error: Exception | None
    fault: Fault


def answers(match: MatchRecord, seat: Seat, lines: list[Line]) -> list[Answer]:
    """As the text has them, in whatever order they were tried."""
    return [
        Answer(
            line.number,
            quoted(line.order),
            in_words(match, seat, line.tried) if line.tried else "",
            line.fault,
            fault_of(line.fault, match.game) if line.fault else Fault(),
        )
        for line in sorted(lines, key=lambda line: line.number)
    ]


def quoted(order: str) -> str:
    """An order as it may be shown, however long it is."""
    is_short = len(order) <= turns.LONGEST_ORDER
    return printable(order if is_short else order[:LONGEST_QUOTED] + "…")
