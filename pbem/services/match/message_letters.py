"""Messages between players come by letter, and many of them in one."""

from __future__ import annotations

from pbem.db.store import execute, row
from pbem.errors import Refused
from pbem.services.players import limits
from pbem.services.records import letter_queue
from pbem.services.records.match_rows import MatchRecord, SeatRecord

MOST_AFTER_THE_END = 10
"""Messages that each seat may write when the match is over."""
GATHERED_FOR = 600
"""Seconds after a letter with messages in which the next ones are gathered for one more."""


def check_few(match: MatchRecord, number: int, now: int) -> None:
    """Refused for a seat that has written enough for now, or since the match is over."""
    if match.ended_at is not None:
        found = row(
            "SELECT COUNT(*) FROM message WHERE match_id = ? AND seat = ? AND at >= ?",
            match.id,
            number,
            match.ended_at,
        )
        if found is not None and found[0] >= MOST_AFTER_THE_END:
            raise Refused(
                "the match is over; each side can write up to %(most)s messages after the end",
                most=MOST_AFTER_THE_END,
            )
    limits.by_seat("say", match.id, number, now)


def queue(match: MatchRecord, seat: SeatRecord, first: int, now: int) -> None:
    """One letter with all messages from the first on; one that waits takes a new message along.

    These letters have a stream of their own, so that turn letters do not wait for them. To touch
    the row that waits makes a worker wait who would claim it now.
    """
    stream = f"said/{match.id}/{seat.number}"
    waits = execute(
        "UPDATE outbox SET next_at = next_at WHERE stream = ? AND player_id = ?"
        " AND state = 'queued' AND message_id IS NULL",
        stream,
        seat.player,
    )
    if waits:
        return
    letter = letter_queue.to_seat(match, seat, "message", f"said:{first}", message=first)
    before = row("SELECT MAX(next_at) FROM outbox WHERE stream = ?", stream)
    last = before[0] if before and before[0] is not None else -GATHERED_FOR
    letter_queue.queue([letter._replace(stream=stream)], now, last + GATHERED_FOR)
