"""Claims: letters that are ready become one worker's for a while, past those that others have.

Times that no worker can have written by a right clock are not believed: a letter parked too far
ahead is due, a lease too far ahead is over.

The statements of a batch that is claimed, written and taken are written by hand, for the rows
"draining" and "handed over" of `make bench`: what this server does for 100 letters beside writing
them and talking to a mail server takes 7 ms, and the query builder would add 1 ms to it for marking
them as sent, and 40 ms for keeping their bytes.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import msgspec

from pbem import sealing
from pbem.db.store import execute, has_row_locks, hold_players, rows, unclaimed, writing
from pbem.deadlines import DAY, HOUR, MINUTE, Habits
from pbem.errors import whereabouts
from pbem.services.letters.verdicts import BACKOFF, JITTER, REFUSED
from pbem.services.players.limits import LONGEST_DELAY
from pbem.services.records.letter_queue import OVERNIGHT, PUT_OFF, Facts, QueuedLetter

log = logging.getLogger(__name__)

BATCH = 20
LEASE = MINUTE
APART = 10 * MINUTE
"""By how much clocks of several machines may differ."""
FARTHEST, FARTHEST_REFUSED = (round(pauses[-1] * (1 + JITTER)) for pauses in (BACKOFF, REFUSED))
LONGEST_WAIT = 13 * HOUR
"""For a morning: a night of twelve hours, when clocks are turned back."""
PURPOSE = "letter"
"""What the bytes of letters are sealed for."""

_READY = """
    SELECT o.id FROM outbox o WHERE o.state = 'queued' AND o.next_at <= ?
    AND NOT EXISTS (
        SELECT 1 FROM outbox p
        WHERE p.stream = o.stream AND p.id < o.id AND p.state IN ('queued', 'leased')
        AND p.refusals = 0
    ){elsewhere} ORDER BY o.next_at, o.id LIMIT ?{unclaimed}
"""
"""At the head of their streams; a letter that was refused holds up no other."""
_ELSEWHERE = " AND NOT EXISTS (SELECT 1 FROM player q WHERE q.id = o.player_id AND ({alike}))"
_CLAIM = f"""
    WITH ready AS ({_READY})
    UPDATE outbox SET state = 'leased', lease_by = ?, lease_until = ?
    WHERE id IN (SELECT id FROM ready) AND state = 'queued' AND next_at <= ? RETURNING id
"""
_COLUMNS = {
    "id": "o.id",
    "kind": "o.kind",
    "player": "o.player_id",
    "key": "o.dedupe",
    "stream": "o.stream",
    "epoch": "o.epoch",
    "match": "o.match_id",
    "seat": "o.seat",
    "turn": "o.turn",
    "about": "o.about",
    "created_at": "o.created_at",
    "attempts": "o.attempts",
    "refusals": "o.refusals",
    "message_id": "o.message_id",
    "mime": "o.mime",
    "address": "p.address",
    "news": "p.news",
    "receipts": "p.receipts",
    "digest_hour": "p.digest_hour",
    "zone": "p.zone",
    "night": "p.night",
    "quiet_turns": "p.quiet_turns",
    "player_epoch": "p.epoch",
    "match_status": "m.status",
    "timeline": "m.timeline",
    "seat_name": "s.name",
    "seat_player": "s.player_id",
    "seat_status": "s.status",
    "seat_epoch": "s.epoch",
    "turn_closed": "t.closed_seq",
    "is_told": f"""CASE o.kind WHEN 'moved' THEN EXISTS (
        SELECT 1 FROM outbox n
        WHERE n.stream IN (
            o.stream, REPLACE(o.stream, '{OVERNIGHT}', ''), '{OVERNIGHT}' || o.stream
        ) AND n.id > o.id AND n.kind IN ('turn', 'finished')
    ) WHEN 'started' THEN EXISTS (
        SELECT 1 FROM outbox t
        WHERE t.stream = REPLACE(o.stream, '{OVERNIGHT}', '') AND t.id < o.id
        AND t.kind = 'turn' AND t.state = 'sent'
    ) ELSE FALSE END""",
    "first": """(
        SELECT f.message_id FROM outbox f
        WHERE f.match_id = o.match_id AND f.player_id = o.player_id AND f.state = 'sent'
        ORDER BY f.id LIMIT 1
    )""",
}
_CLAIMED = f"""
    SELECT {", ".join(_COLUMNS.values())}
    FROM outbox o JOIN player p ON p.id = o.player_id
    LEFT JOIN match m ON m.id = o.match_id
    LEFT JOIN seat s ON s.match_id = o.match_id AND s.number = o.seat
    LEFT JOIN turn t ON t.id = o.turn
    WHERE o.id IN ({{places}}) ORDER BY o.id
"""


def claim(worker: str, now: int, most: int = BATCH, but: Sequence[str] = ()) -> list[QueuedLetter]:
    """Take letters that are ready, but none to these domains; nobody else has them now."""
    alike = " OR ".join(["q.address LIKE ?"] * len(but))
    elsewhere = _ELSEWHERE.format(alike=alike) if but else ""
    ready = _CLAIM.format(elsewhere=elsewhere, unclaimed=unclaimed())
    domains = [f"%@{domain}" for domain in but]
    with writing():
        _let_go(now)
        taken = rows(ready, now, *domains, most, worker, now + LEASE, now)
        if not taken:
            return []
        ids = [number for (number,) in taken]
        return _letters(ids)


def read(letters: Sequence[int]) -> list[QueuedLetter]:
    """Letters with all facts about their readers, whatever became of them."""
    if not letters:
        return []
    return _letters(letters)


def _letters(ids: Sequence[int]) -> list[QueuedLetter]:
    letters = list[QueuedLetter]()
    for values in rows(_CLAIMED.format(places=_places(ids)), *ids):
        found = dict(zip(_COLUMNS, values, strict=True))
        try:
            letters.append(_letter(found))
        except Exception as error:  # a row that nobody can read must not stop the others
            _put_aside(found["id"], error)
    return letters


def _put_aside(letter: int, error: Exception) -> None:
    why = whereabouts(error)
    log.error("unreadable letter=%s why=%s", letter, why)
    execute("UPDATE outbox SET state = 'dead', last_error = ? WHERE id = ?", why[:200], letter)


def keep_bytes(worker: str, letter: int, message_id: str, sealed: bytes) -> bool:
    """Write what a letter says into its row; False if it is not this worker's any more."""
    kept = execute(
        "UPDATE outbox SET message_id = ?, mime = ?"
        " WHERE id = ? AND state = 'leased' AND lease_by = ?",
        message_id,
        sealed,
        letter,
        worker,
    )
    return kept == 1


def mark_sent(letters: Sequence[int], now: int) -> None:
    """A mail server has these letters now, whoever has claimed them since; their bytes go.

    Some may have come back before anybody could write that down.
    """
    execute(
        "UPDATE outbox SET state = 'sent', attempts = attempts + 1, sent_at = ?, last_error = '',"
        f" mime = NULL WHERE id IN ({_places(letters)}) AND state <> 'returned'",
        now,
        *letters,
    )


def hold_readers(letters: Sequence[int]) -> None:
    """What is written of a letter may change its reader, who is held before."""
    if letters and has_row_locks():
        found = rows(f"SELECT player_id FROM outbox WHERE id IN ({_places(letters)})", *letters)
        hold_players(player for (player,) in found)


def _places(values: Sequence[object]) -> str:
    return ", ".join(["?"] * len(values))


def _let_go(now: int) -> None:
    """Leases that are over, and times that only a wrong clock can have set."""
    execute(
        "UPDATE outbox SET state = 'queued' WHERE id IN (SELECT id FROM outbox"
        f" WHERE state = 'leased' AND (lease_until <= ? OR lease_until > ?){unclaimed()})",
        now,
        now + LEASE + APART,
    )
    execute(
        "UPDATE outbox SET next_at = ? WHERE id IN (SELECT id FROM outbox"
        " WHERE state = 'queued' AND next_at > ?"
        " AND (refusals = 0 OR next_at > ?) AND (stream NOT LIKE ? OR next_at > ?)"
        f" AND (stream NOT LIKE ? OR next_at > ?){unclaimed()})",
        now,
        now + FARTHEST + APART,
        now + FARTHEST_REFUSED + APART,
        f"{PUT_OFF}%",
        now + (LONGEST_DELAY + 1) * DAY,
        f"{OVERNIGHT}%",
        now + LONGEST_WAIT + APART,
    )


_decode_night = msgspec.json.Decoder(tuple[int, int]).decode


def _night(kept: str) -> tuple[int, int] | None:
    return _decode_night(kept) if kept else None


def _letter(found: dict[str, Any]) -> QueuedLetter:
    """Bytes whose key is gone count as not written yet: the letter is written anew."""
    kept = found["mime"]
    return QueuedLetter(
        kind=found["kind"],
        player=found["player"],
        key=found["key"],
        stream=found["stream"],
        epoch=found["epoch"],
        match=found["match"],
        seat=found["seat"],
        turn=found["turn"],
        about=msgspec.json.decode(found["about"]),
        id=found["id"],
        created_at=found["created_at"],
        attempts=found["attempts"],
        refusals=found["refusals"],
        message_id=found["message_id"],
        mime=None if kept is None else sealing.opened(PURPOSE, found["id"], bytes(kept)),
        facts=Facts(
            address=found["address"],
            news=bool(found["news"]),
            receipts=bool(found["receipts"]),
            digest_hour=found["digest_hour"],
            habits=Habits(found["zone"], night=_night(found["night"])),
            quiet_turns=bool(found["quiet_turns"]),
            player_epoch=found["player_epoch"],
            match_status=found["match_status"],
            timeline=found["timeline"],
            seat_name=found["seat_name"],
            seat_player=found["seat_player"],
            seat_status=found["seat_status"],
            seat_epoch=found["seat_epoch"],
            turn_closed=found["turn_closed"],
            is_told=bool(found["is_told"]),
            first=found["first"],
        ),
    )
