"""Messages between players: kept with the match; they come by letter, and many of them in one."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from peewee import fn

from engine.abilities import Alliances
from engine.text import is_printable, printable
from pbem.db.models import Message, Outbox
from pbem.db.reading import changed, every, value
from pbem.db.store import rows, writing
from pbem.errors import Refused
from pbem.services.match.turns import Receipt
from pbem.services.players import bans, blocks, limits
from pbem.services.records import letter_queue
from pbem.services.records.match_rows import (
    FORMING,
    LIVE,
    OVER,
    MatchRecord,
    SeatRecord,
    lock_match,
    open_turns,
)

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
    heard_by: frozenset[int] = frozenset()
    """The seats that it is for, with the one that wrote it; none: all."""
    unheard_by: frozenset[int] = frozenset()
    """Seats that it does not reach although it is for them; who wrote it is not told."""

    def is_for(self, seat: int) -> bool:
        return (not self.heard_by or seat in self.heard_by) and seat not in self.unheard_by


def of_match(match_id: str, seat: int, after: int = 0) -> list[Said]:
    """What a seat of a match has said and heard, or after a message of it.

    By hand, as every turn letter asks (`make bench`, row "turn letter from the log").
    """
    found = [
        Said(
            number,
            by,
            at,
            text,
            frozenset(map(int, heard_by.split())),
            frozenset(map(int, unheard_by.split())),
        )
        for number, by, at, text, heard_by, unheard_by in rows(
            "SELECT id, seat, at, text, heard_by, unheard_by FROM message"
            " WHERE match_id = ? AND id > ? ORDER BY id",
            match_id,
            after,
        )
    ]
    return [said for said in found if said.is_for(seat)]


class Addressee(NamedTuple):
    """Whom a message may be for; the word stands in forms."""

    word: str
    seats: tuple[int, ...]


EVERYBODY, ALLIES = "all", "allies"


def addressees(match: MatchRecord, number: int) -> list[Addressee]:
    """All, the allies, each other seat; where there is only one other, nobody in particular."""
    others = [seat for seat in match.seats if seat.number != number and seat.player is not None]
    everybody = Addressee(EVERYBODY, tuple(seat.number for seat in others))
    if len(others) < 2:
        return [everybody]
    names = match.game.allies(match.seat(number).name) if isinstance(match.game, Alliances) else ()
    allied = tuple(seat.number for seat in others if seat.name in names)
    together = [Addressee(ALLIES, allied)] if len(allied) > 1 else []
    return [everybody, *together, *(Addressee(seat.name, (seat.number,)) for seat in others)]


def _addressed(match: MatchRecord, number: int, to: str) -> Addressee:
    offered = addressees(match, number)
    for addressee in offered:
        if addressee.word == to:
            return addressee
    raise Refused(
        "a message cannot go to “%(to)s” here; it can go to %(words)s",
        to=printable(to[:20]),
        words=", ".join(addressee.word for addressee in offered),
    )


class Afterword(NamedTuple):
    """What a seat has said for everybody to read when all was over."""

    seat: int
    at: int
    text: str


def afterwords(match: MatchRecord) -> list[Afterword]:
    """What the public page of a match that is over shows of its messages."""
    if match.status != OVER:
        return []
    found = Message.select(Message.seat, Message.at, Message.text)
    found = found.where(Message.match == match.id, Message.is_public)
    return every(found.order_by(Message.id), Afterword)


def say(
    match_id: str,
    number: int,
    text: str,
    now: int,
    to: str = EVERYBODY,
    enclosed_for: Collection[int] = (),
    is_public: bool = False,
) -> None:
    """A message to other seats: plain text, kept with the match, mailed to them.

    It is `enclosed_for` those whose turn begins just now: they read it in the letter of the turn.
    `is_public`: an afterword to a match that is over, which its public page shows too.
    """
    words = checked_message(text)
    with writing():
        match = lock_match(match_id)
        if match.status == FORMING:
            raise Refused("you can write messages once the match has begun")
        _check_public(match, to, is_public)
        bans.check_may_write(match.seat(number).player)
        _check_few(match, number, now)
        addressee = _addressed(match, number, to)
        deaf = _deaf_to(match, number, addressee)
        said = Message.insert(
            match=match.id,
            seat=number,
            at=now,
            text=words,
            heard_by="" if to == EVERYBODY else _numbers({number, *addressee.seats}),
            unheard_by=_numbers(deaf),
            is_public=is_public,
        )
        message = int(said.execute())
        for other in sorted(set(addressee.seats).difference(enclosed_for, deaf)):
            _queue(match, match.seat(other), message, now)


def enclose(receipt: Receipt, note: str, now: int) -> None:
    """A note that goes with orders: whose turn they begin reads it in the letter of that turn."""
    if note.strip():
        opened = open_turns(receipt.match)
        begun = [turn.seat for turn in opened if turn.opened_seq == receipt.last_seq]
        say(receipt.match, receipt.seat, note, now, enclosed_for=begun)


def _check_public(match: MatchRecord, to: str, is_public: bool) -> None:
    if is_public and match.status != OVER:
        raise Refused("only when the match is over can a message be shown on its public page")
    if is_public and to != EVERYBODY:
        raise Refused("what everyone can read on the public page has to go to everyone here too")


def _numbers(seats: set[int]) -> str:
    return " ".join(map(str, sorted(seats)))


def _deaf_to(match: MatchRecord, number: int, addressee: Addressee) -> set[int]:
    """Who does not hear it: nobody while a match is played; later who has blocked the writer."""
    if match.status == LIVE:
        return set()
    writer = match.seat(number).player
    seats = {other: match.seat(other).player for other in addressee.seats}
    return {other for other, player in seats.items() if blocks.has_blocked(player, writer)}


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
