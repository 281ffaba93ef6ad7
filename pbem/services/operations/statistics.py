"""Figures of the first page of moderators: how many turns a day, and how long one takes.

Whole days and weeks are counted once, by the worker, and kept; a page reads only what was kept and
counts today.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from peewee import Case, fn

from pbem.db.models import Due, Figure, Match, Outbox, Turn
from pbem.db.reading import by_key, value
from pbem.db.store import writing
from pbem.deadlines import DAY
from pbem.services.records.letter_queue import OVERNIGHT, QUEUED
from pbem.services.records.match_rows import LIVE

TURNS, PACE = "turns", "pace"
DAYS, WEEKS = 30, 12
"""How far back the plots go."""
WEEK = 7 * DAY
FIRST_MONDAY = 4 * DAY
"""Of 1970: weeks begin there."""


class Point(NamedTuple):
    start: int
    value: int | None
    """Turns of a day, or the median seconds of a turn; None where nothing was kept."""


class Figures(NamedTuple):
    live: int
    """Matches being played."""
    today: int
    """Turns ended since midnight, by UTC."""
    turns: list[Point]
    """Of each day, oldest first."""
    pace: list[Point]
    """Of each week, oldest first."""
    oldest_letter: int | None
    """Since when the oldest letter waits that could be sent."""
    oldest_due: int | None
    """Since when the oldest alarm rings."""


def figures(now: int) -> Figures:
    return Figures(
        live=Match.select().where(Match.status == LIVE).count(),
        today=_turns(now - now % DAY, now + 1),
        turns=_kept(TURNS, days(now)),
        pace=_kept(PACE, weeks(now)),
        oldest_letter=oldest_letter(now),
        oldest_due=value(Due.select(fn.MIN(Due.at)).where(Due.at <= now)),
    )


def oldest_letter(now: int) -> int | None:
    """Since when the oldest letter waits that could be sent; the night of its reader is no wait."""
    slept = Outbox.stream.startswith(OVERNIGHT)
    since = Case(None, [(slept, Outbox.next_at)], Outbox.created_at)
    sendable = Outbox.select(fn.MIN(since)).where(Outbox.state == QUEUED)
    waits: int | None = value(sendable.where(Outbox.next_at <= now))
    return waits


def days(now: int) -> list[int]:
    """When each of the last whole days began, oldest first."""
    today = now - now % DAY
    return [today - back * DAY for back in range(DAYS, 0, -1)]


def weeks(now: int) -> list[int]:
    """When each of the last whole weeks began, oldest first."""
    this = now - (now - FIRST_MONDAY) % WEEK
    return [this - back * WEEK for back in range(WEEKS, 0, -1)]


def _kept(kind: str, starts: list[int]) -> list[Point]:
    kept = Figure.select(Figure.start, Figure.value).where(Figure.kind == kind)
    found = by_key(kept.where(Figure.start >= starts[0]))
    return [Point(start, found.get(start)) for start in starts]


# --- counting, once for each day and week ---------------------------------------------------------


def gather(now: int) -> int:
    """Count the whole days and weeks that were not counted yet; how many."""
    missing = [
        (kind, point.start)
        for kind, starts in ((TURNS, days(now)), (PACE, weeks(now)))
        for point in _kept(kind, starts)
        if point.value is None
    ]
    counted = [
        (kind, start, _turns(start, start + DAY) if kind == TURNS else _pace(start, start + WEEK))
        for kind, start in missing
    ]
    new = [
        {"kind": kind, "start": start, "value": number}
        for kind, start, number in counted
        if number is not None
    ]
    if not new:
        return 0
    with writing():
        return int(Figure.insert_many(new).on_conflict_ignore().as_rowcount().execute())


def _ended(start: int, end: int) -> Any:
    """The turns that were ended in some time."""
    return Turn.select().where(Turn.closed_at >= start, Turn.closed_at < end)


def _turns(start: int, end: int) -> int:
    return int(_ended(start, end).count())


def _pace(start: int, end: int) -> int | None:
    """The median of the seconds between question and answer; None when nobody played."""
    count = _turns(start, end)
    if not count:
        return None
    taken = Turn.closed_at - Turn.opened_at
    by_length = _ended(start, end).select(taken).order_by(taken)
    return int(value(by_length.limit(1).offset((count - 1) // 2)))
