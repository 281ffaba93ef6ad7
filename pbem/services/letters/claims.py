"""Claims: letters that are ready become one worker's for a while, by a conditional UPDATE.

Times that no worker can have written by a right clock are not believed: a letter parked too far
ahead is due, a lease too far ahead is over.

The statements are written by hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from pbem import sealing
from pbem.db.store import execute, rows, writing
from pbem.deadlines import DAY, MINUTE
from pbem.services.letters.verdicts import BACKOFF, JITTER, REFUSED
from pbem.services.players.limits import LONGEST_DELAY
from pbem.services.records.letter_queue import PUT_OFF, Facts, QueuedLetter

BATCH = 20
LEASE = MINUTE
APART = 10 * MINUTE
"""By how much clocks of several machines may differ."""
FARTHEST, FARTHEST_REFUSED = (round(pauses[-1] * (1 + JITTER)) for pauses in (BACKOFF, REFUSED))
PURPOSE = "letter"
"""What the bytes of letters are sealed for."""

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
_LETTER = {
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
}
_FACTS = {
    "address": "p.address",
    "news": "p.news",
    "digest_hour": "p.digest_hour",
    "player_epoch": "p.epoch",
    "match_status": "m.status",
    "timeline": "m.timeline",
    "seat_name": "s.name",
    "seat_player": "s.player_id",
    "seat_status": "s.status",
    "seat_epoch": "s.epoch",
    "turn_closed": "t.closed_seq",
    "has_newer": """o.kind = 'moved' AND EXISTS (
        SELECT 1 FROM outbox n
        WHERE n.stream = o.stream AND n.id > o.id AND n.kind IN ('turn', 'finished')
    )""",
}
_CLAIMED = f"""
    SELECT {", ".join([*_LETTER.values(), *_FACTS.values()])}
    FROM outbox o JOIN player p ON p.id = o.player_id
    LEFT JOIN match m ON m.id = o.match_id
    LEFT JOIN seat s ON s.match_id = o.match_id AND s.number = o.seat
    LEFT JOIN turn t ON t.id = o.turn
    WHERE o.id IN ({{places}}) ORDER BY o.id
"""


def claim(worker: str, now: int, most: int = BATCH, but: Sequence[str] = ()) -> list[QueuedLetter]:
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
        found = rows(_CLAIMED.format(places=", ".join(["?"] * len(ids))), *ids)
    return [_letter(dict(zip((*_LETTER, *_FACTS), values, strict=True))) for values in found]


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


def _letter(named: dict[str, Any]) -> QueuedLetter:
    """Bytes whose key is gone count as not written yet: the letter is written anew."""
    facts = Facts(**{name: named.pop(name) for name in _FACTS})
    kept, about = named.pop("mime"), named.pop("about")
    return QueuedLetter(
        **named,
        about=msgspec.json.decode(about),
        mime=None if kept is None else sealing.opened(PURPOSE, named["id"], bytes(kept)),
        facts=facts._replace(news=bool(facts.news), has_newer=bool(facts.has_newer)),
    )
