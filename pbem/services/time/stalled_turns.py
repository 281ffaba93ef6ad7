"""Next moments: no open turn of a live match may wait for nothing.

What it may wait for: its alarm, the end of a pause, or a letter that is still to leave. Whoever
gives a turn letter up says so here, and the clock starts without it; whatever else goes wrong, a
worker finds it and sets it going.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import NamedTuple

from pbem.db.store import execute, rows, writing
from pbem.services.records.match_rows import LIVE, find_turn, lock_match
from pbem.services.time import alarms, clocks

log = logging.getLogger(__name__)

MOST = 20
"""Turns that are named at a time."""
AT_ONCE = 1_000
"""Turns that are mended at a time."""

_WAITING_LETTER = (
    "SELECT 1 FROM outbox w WHERE w.match_id = t.match_id AND w.turn = t.id AND w.kind = 'turn'"
    " AND w.state IN ('queued', 'leased')"
)
_IDLE = f"""
    SELECT t.match_id, t.id FROM turn t JOIN match m ON m.id = t.match_id
    WHERE t.closed_seq IS NULL AND m.status = ?
    AND NOT EXISTS (
        SELECT 1 FROM due d WHERE d.kind = 'turn' AND d.subject = CAST(t.id AS VARCHAR(40))
    )
    AND NOT (m.paused_at IS NOT NULL AND EXISTS (
        SELECT 1 FROM due d WHERE d.kind = 'pause' AND d.subject = m.id
    ))
    AND NOT (t.started_at IS NULL AND EXISTS ({_WAITING_LETTER}))
"""


class Idle(NamedTuple):
    """An open turn that waits for nothing."""

    match: str
    turn: int


def idle(most: int = MOST) -> list[Idle]:
    """Turns without a next moment; there should be none."""
    return [Idle(*values) for values in rows(f"{_IDLE} ORDER BY t.id LIMIT ?", LIVE, most)]


def is_idle(match: str) -> bool:
    """Whether a turn of this match waits for nothing."""
    return bool(rows(f"{_IDLE} AND t.match_id = ?", LIVE, match))


def after_letters(letters: Sequence[int], now: int) -> None:
    """These letters will not leave any more: turns that waited for them wait no longer."""
    if not letters:
        return
    marks = ", ".join(["?"] * len(letters))
    found = rows(
        "SELECT DISTINCT t.id FROM outbox o JOIN turn t ON t.id = o.turn"
        " JOIN match m ON m.id = t.match_id"
        f" WHERE o.kind = 'turn' AND o.id IN ({marks}) AND m.status = ?"
        f" AND t.closed_seq IS NULL AND t.started_at IS NULL AND NOT EXISTS ({_WAITING_LETTER})",
        *letters,
        LIVE,
    )
    for (turn,) in found:
        clocks.start(turn, now)


def mend(now: int) -> int:
    """Give a next moment to every turn that has none; how many had none."""
    found = idle(AT_ONCE)
    for one in found:
        log.error("a turn waited for nothing match=%s turn=%s", one.match, one.turn)
        with writing():
            _set_going(one, now)
    return len(found)


def _set_going(one: Idle, now: int) -> None:
    match, turn = lock_match(one.match), find_turn(one.turn)
    if turn is None or not turn.is_open or match.status != LIVE:
        return
    if match.paused_at is not None:
        alarms.arm(alarms.PAUSE, match.id, now + clocks.pause_left(match, now))
    elif turn.started_at is None:
        clocks.start(turn.id, now)
    elif turn.since is None:
        clocks.run_from(turn, now, turn.allowed, now)
    else:
        clocks.arm_turn(turn.id, now)


def mend_letters(now: int) -> None:
    """Letters that a wrong clock has dated later than now."""
    for column in ("created_at", "sent_at"):
        execute(f"UPDATE outbox SET {column} = ? WHERE {column} > ?", now, now)
