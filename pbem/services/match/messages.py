"""Messages between players: kept with the match; they come by letter, and many of them in one."""

from __future__ import annotations

from typing import NamedTuple

from peewee import fn

from engine.text import is_printable
from pbem.db.models import Message, Outbox
from pbem.db.reading import changed, value
from pbem.db.store import rows, writing
from pbem.errors import Refused
from pbem.services.players import bans, limits
from pbem.services.records import letter_queue
from pbem.services.records.match_rows import FORMING, MatchRecord, SeatRecord, lock_match

LONGEST_MESSAGE = 1_000
MOST_AFTER_THE_END = 10
"""Messages that each seat may write when the match is over."""
GATHERED_FOR = 600
"""Seconds after a letter with messages in which the next ones are gathered for one more."""


class Said(NamedTuple):
    id: int
    seat: int
    at: int
    text: str


def of_match(match_id: str, after: int = 0) -> list[Said]:
    """What was said in a match, or after a message of it.

    By hand, as every turn letter asks (`make bench`, row "turn letter from the log").
    """
    found = rows(
        f"SELECT {', '.join(Said._fields)} FROM message WHERE match_id = ? AND id > ? ORDER BY id",
        match_id,
        after,
    )
    return [Said._make(values) for values in found]


def say(match_id: str, number: int, text: str, now: int) -> None:
    """A message to the other seats: plain text, kept with the match, mailed to them."""
    words = checked_message(text)
    with writing():
        match = lock_match(match_id)
        if match.status == FORMING:
            raise Refused("you can write messages once the match has begun")
        bans.check_may_write(match.seat(number).player)
        _check_few(match, number, now)
        said = Message.insert(match=match.id, seat=number, at=now, text=words)
        message = int(said.execute())
        for seat in match.seats:
            if seat.number != number and seat.player is not None:
                _queue(match, seat, message, now)


def checked_message(text: str) -> str:
    words = "\n".join(line.rstrip() for line in text.strip().splitlines())
    if not words:
        raise Refused("the message is empty")
    if len(words) > LONGEST_MESSAGE:
        raise Refused(
            "a message can have up to %(most)s characters; this one has %(count)s",
            most=LONGEST_MESSAGE,
            count=len(words),
        )
    if not is_printable(words.replace("\n", " ")):
        raise Refused("a message must be plain text without control characters")
    return words


def _check_few(match: MatchRecord, number: int, now: int) -> None:
    """Refused for a seat that has written enough for now, or since the match is over."""
    if match.ended_at is not None:
        since_then = Message.select().where(
            Message.match == match.id, Message.seat == number, Message.at >= match.ended_at
        )
        if since_then.count() >= MOST_AFTER_THE_END:
            raise Refused(
                "the match is over; after the end each side can write up to %(most)s messages",
                most=MOST_AFTER_THE_END,
            )
    limits.by_seat("say", match.id, number, now)


def _queue(match: MatchRecord, seat: SeatRecord, first: int, now: int) -> None:
    """One letter with all messages from the first on; one that waits takes a new message along.

    These letters have a stream of their own, so that turn letters do not wait for them. To touch
    the row that waits makes a worker wait who would claim it now.
    """
    stream = f"said/{match.id}/{seat.number}"
    waiting = Outbox.update(next_at=Outbox.next_at).where(
        Outbox.stream == stream,
        Outbox.player == seat.player,
        Outbox.state == letter_queue.QUEUED,
        Outbox.message_id.is_null(),
    )
    if changed(waiting):
        return
    letter = letter_queue.to_seat(match, seat, "message", f"said:{first}", message=first)
    last = value(Outbox.select(fn.MAX(Outbox.next_at)).where(Outbox.stream == stream))
    not_before = 0 if last is None else last + GATHERED_FOR
    letter_queue.queue([letter._replace(stream=stream)], now, not_before)
