"""Leases: letters that one worker has for a while, taken by a conditional UPDATE.

A lease is short and renewed while its letter is on the way, so that what a dead worker had is taken
up within a minute. Times that no worker can have written by a right clock are not believed: a
letter parked too far ahead is due, a lease too far ahead is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pbem import sealing
from pbem.db.store import execute, rows, writing
from pbem.deadlines import DAY
from pbem.services.players.limits import LONGEST_DELAY
from pbem.services.records.letter_queue import PUT_OFF

BATCH = 20
MINUTE, HOUR = 60, 3_600
LEASE = MINUTE
APART = 10 * MINUTE
"""By how much clocks of several machines may differ."""
BACKOFF = tuple(MINUTE * minutes for minutes in (1, 2, 5, 10, 15, 30))
REFUSED = (10 * MINUTE, HOUR, 6 * HOUR, 18 * HOUR, 24 * HOUR)
"""Pauses after refusals for good; whoever has refused a letter once more than these means it."""
JITTER = 0.2
FARTHEST, FARTHEST_REFUSED = (round(pauses[-1] * (1 + JITTER)) for pauses in (BACKOFF, REFUSED))
PURPOSE = "letter"
"""What the bytes of letters are sealed for."""


class Claimed(NamedTuple):
    """A row of the outbox that is ours for now, with all that says whether it is still true."""

    id: int
    kind: str
    player: int
    match: str | None
    seat: int | None
    turn: int | None
    about: str
    epoch: int
    attempts: int
    refusals: int
    created_at: int
    message_id: str | None
    mime: bytes | None
    address: str
    news: bool
    digest_hour: int | None
    player_epoch: int
    match_status: str | None
    timeline: int | None
    seat_player: int | None
    seat_status: str | None
    seat_epoch: int | None
    turn_closed: int | None
    has_newer: bool
    """A later letter of the stream tells what this one tells."""


_READY = """
    SELECT o.id FROM outbox o WHERE o.state = 'queued' AND o.next_at <= ?
    AND NOT EXISTS (
        SELECT 1 FROM outbox p
        WHERE p.stream = o.stream AND p.id < o.id AND p.state IN ('queued', 'leased')
        AND p.refusals = 0
    ){elsewhere} ORDER BY o.next_at, o.id LIMIT ?
"""
"""At the head of their streams; a letter that was refused holds up no other."""
_ELSEWHERE = " AND NOT EXISTS (SELECT 1 FROM player q WHERE q.id = o.player_id AND ({alike}))"
_CLAIM = f"""
    UPDATE outbox SET state = 'leased', lease_by = ?, lease_until = ?
    WHERE id IN ({_READY}) AND state = 'queued' AND next_at <= ? RETURNING id
"""
_CLAIMED = """
    SELECT o.id, o.kind, o.player_id, o.match_id, o.seat, o.turn, o.about, o.epoch, o.attempts,
        o.refusals, o.created_at, o.message_id, o.mime, p.address, p.news, p.digest_hour, p.epoch,
        m.status, m.timeline, s.player_id, s.status, s.epoch, t.closed_seq,
        o.kind = 'moved' AND EXISTS (
            SELECT 1 FROM outbox n
            WHERE n.stream = o.stream AND n.id > o.id AND n.kind IN ('turn', 'finished')
        )
    FROM outbox o JOIN player p ON p.id = o.player_id
    LEFT JOIN match m ON m.id = o.match_id
    LEFT JOIN seat s ON s.match_id = o.match_id AND s.number = o.seat
    LEFT JOIN turn t ON t.id = o.turn
    WHERE o.id IN ({places}) ORDER BY o.id
"""


def claim(worker: str, now: int, most: int = BATCH, but: Sequence[str] = ()) -> list[Claimed]:
    """Take letters that are ready, but none to these domains; nobody else has them now."""
    alike = " OR ".join(["q.address LIKE ?"] * len(but))
    ready = _CLAIM.format(elsewhere=_ELSEWHERE.format(alike=alike) if but else "")
    domains = [f"%@{domain}" for domain in but]
    with writing():
        _let_go(now)
        taken = rows(ready, worker, now + LEASE, now, *domains, most, now)
        if not taken:
            return []
        ids = [number for (number,) in taken]
        found = rows(_CLAIMED.format(places=places(ids)), *ids)
    return [_claimed(values) for values in found]


def _let_go(now: int) -> None:
    """Leases that are over, and times that only a wrong clock can have set."""
    execute(
        "UPDATE outbox SET state = 'queued'"
        " WHERE state = 'leased' AND (lease_until <= ? OR lease_until > ?)",
        now,
        now + LEASE + APART,
    )
    execute(
        "UPDATE outbox SET next_at = ? WHERE state = 'queued' AND next_at > ?"
        " AND (refusals = 0 OR next_at > ?) AND (stream NOT LIKE ? OR next_at > ?)",
        now,
        now + FARTHEST + APART,
        now + FARTHEST_REFUSED + APART,
        f"{PUT_OFF}%",
        now + (LONGEST_DELAY + 1) * DAY,
    )


def _claimed(values: tuple[Any, ...]) -> Claimed:
    """Bytes whose key is gone count as not written yet: the letter is written anew."""
    claimed = Claimed(*values)
    kept = claimed.mime
    return claimed._replace(
        news=bool(claimed.news),
        has_newer=bool(claimed.has_newer),
        mime=None if kept is None else sealing.opened(PURPOSE, claimed.id, bytes(kept)),
    )


def places(values: Sequence[object]) -> str:
    return ", ".join(["?"] * len(values))


def renew(worker: str, letters: Sequence[int], now: int) -> None:
    """Letters that are still on the way stay ours."""
    if letters:
        execute(
            "UPDATE outbox SET lease_until = ? WHERE state = 'leased' AND lease_by = ?"
            f" AND id IN ({places(letters)})",
            now + LEASE,
            worker,
            *letters,
        )


def give_back(worker: str, letters: Sequence[int]) -> None:
    """Letters that were not tried are anybody's again."""
    if letters:
        execute(
            "UPDATE outbox SET state = 'queued'"
            f" WHERE state = 'leased' AND lease_by = ? AND id IN ({places(letters)})",
            worker,
            *letters,
        )
