"""Whether the players of a match are told that it is their turn, as all of them may know it.

Only letters about turns count: that a seat is asked is no secret, while what else is written to a
player is. A letter that a mail server has taken, and that has not come back, counts as delivered;
whether anybody has read it is not asked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal, NamedTuple

from peewee import fn

from pbem.db.models import MatchSeat, Outbox, Player, Turn
from pbem.db.reading import by_key, every
from pbem.services.records.letter_queue import LEASED, QUEUED, SENT, SUPERSEDED
from pbem.services.records.match_rows import JOINED, MatchRecord, SeatRecord

How = Literal["none", "under_way", "delivered", "delayed", "unreachable"]


class Delivery(NamedTuple):
    """How it stands with the newest turn letter of a seat."""

    seat: int
    how: How
    at: int | None
    """Since when it is so."""


class _TurnLetter(NamedTuple):
    seat: int
    player: int
    state: str
    attempts: int
    report: str
    created_at: int
    sent_at: int | None
    reported_at: int | None


def of_match(match: MatchRecord) -> list[Delivery]:
    """For each seat that a person holds."""
    lost, letters = _unreachable(match.id), defaultdict[int, list[_TurnLetter]](list)
    for letter in _newest_letters(match.id):
        if match.seat(letter.seat).player == letter.player:
            letters[letter.seat].append(letter)
    return [
        _delivery(seat, lost.get(seat.number), letters[seat.number])
        for seat in match.seats
        if seat.status == JOINED and seat.player is not None
    ]


def _delivery(seat: SeatRecord, lost: int | None, letters: Sequence[_TurnLetter]) -> Delivery:
    """Of several letters about a turn the first that arrived: why others followed is private."""
    if lost is not None:
        return Delivery(seat.number, "unreachable", lost)
    if not letters:
        return Delivery(seat.number, "none", None)
    arrived = [one.sent_at for one in letters if one.state == SENT and not one.report]
    if arrived:
        return Delivery(seat.number, "delivered", arrived[0])
    newest = letters[-1]
    if newest.state in (QUEUED, LEASED) and not newest.attempts and len(letters) == 1:
        return Delivery(seat.number, "under_way", newest.created_at)
    return Delivery(seat.number, "delayed", letters[0].reported_at or letters[0].created_at)


def _unreachable(match: str) -> dict[int, int]:
    """Since when those players cannot be reached who cannot, by seat."""
    found = MatchSeat.select(MatchSeat.number, Player.unreachable_since).join(Player)
    return by_key(found.where(MatchSeat.match == match, Player.unreachable_since.is_null(False)))


def _newest_letters(match: str) -> list[_TurnLetter]:
    """About the newest turn of each seat, in the order in which they were written.

    Of a turn that is over only what arrived: its player has done without the rest.
    """
    newest = Turn.select(fn.MAX(Turn.id)).where(Turn.match == match).group_by(Turn.seat)
    found = Outbox.select(*(getattr(Outbox, name) for name in _TurnLetter._fields))
    found = found.join(Turn, on=Outbox.turn == Turn.id).where(
        Outbox.match == match,
        Turn.id.in_(newest),
        Outbox.kind == "turn",
        Outbox.state != SUPERSEDED,
        Turn.closed_seq.is_null() | ((Outbox.state == SENT) & (Outbox.report == "")),
    )
    return every(found.order_by(Outbox.id), _TurnLetter)
