"""Figures of the first page of moderators: how many turns a day, and how long one takes.

Whole days and weeks are counted once, by the worker, and kept; a page reads only what was kept and
counts today.
"""

from __future__ import annotations

from typing import NamedTuple

from pbem.db.store import execute, row, rows, writing
from pbem.deadlines import DAY
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
        live=_number("SELECT COUNT(*) FROM match WHERE status = ?", LIVE) or 0,
        today=_turns(now - now % DAY, now + 1),
        turns=_kept(TURNS, days(now)),
        pace=_kept(PACE, weeks(now)),
        oldest_letter=_number(
            "SELECT MIN(created_at) FROM outbox WHERE state = 'queued' AND next_at <= ?", now
        ),
        oldest_due=_number("SELECT MIN(at) FROM due WHERE at <= ?", now),
    )


def days(now: int) -> list[int]:
    """When each of the last whole days began, oldest first."""
    today = now - now % DAY
    return [today - back * DAY for back in range(DAYS, 0, -1)]


def weeks(now: int) -> list[int]:
    """When each of the last whole weeks began, oldest first."""
    this = now - (now - FIRST_MONDAY) % WEEK
    return [this - back * WEEK for back in range(WEEKS, 0, -1)]


def _kept(kind: str, starts: list[int]) -> list[Point]:
    found = dict(
        rows("SELECT start, value FROM figure WHERE kind = ? AND start >= ?", kind, starts[0])
    )
    return [Point(start, found.get(start)) for start in starts]


def _number(sql: str, *values: object) -> int | None:
    found = row(sql, *values)
    return None if found is None or found[0] is None else int(found[0])


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
    with writing():
        return sum(
            execute(
                "INSERT INTO figure (kind, start, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                kind,
                start,
                value,
            )
            for kind, start, value in counted
            if value is not None
        )


_ENDED = "FROM turn WHERE closed_at >= ? AND closed_at < ?"


def _turns(start: int, end: int) -> int:
    return _number(f"SELECT COUNT(*) {_ENDED}", start, end) or 0


def _pace(start: int, end: int) -> int | None:
    """The median of the seconds between question and answer; None when nobody played."""
    count = _turns(start, end)
    if not count:
        return None
    return _number(
        f"SELECT closed_at - opened_at {_ENDED} ORDER BY closed_at - opened_at LIMIT 1 OFFSET ?",
        start,
        end,
        (count - 1) // 2,
    )
