"""Leaving a seat takes the player's word by letter: whoever holds a link to it cannot give it away.

What is asked for on the page of a seat waits in the link of a letter to the registered address. It
is offered to others when that link is pressed; until then nothing has happened.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.db.store import writing
from pbem.deadlines import DAY, HOUR
from pbem.errors import Stale
from pbem.links import LeaveLink
from pbem.services.players import limits
from pbem.services.records import letter_queue
from pbem.services.records.match_rows import MatchRecord, SeatRecord, get_match, lock_match
from pbem.services.records.player_rows import get_player
from pbem.services.seats import loans, stand_ins

LETTER = "leave"
LASTS = 2 * DAY


def ask(
    match_id: str, number: int, start: int, end: int | None, address: str | None, now: int
) -> None:
    """Owe the letter, if the seat could be lent or given up so; the same asked twice is one.

    Asked again in another hour, or when an offer was made since, it is another.
    """
    with writing():
        to = stand_ins.foresee(match_id, number, start, end, address, now)
        match = get_match(match_id)
        limits.by_seat("leave", match.id, number, now)
        seat = match.seat(number)
        offers = len(loans.of_seat(match.id, number))
        key = f"{seat.epoch}:{now // HOUR}:{start // HOUR}:{end}:{to}:{offers}"
        about = {"at": now, "start": start, "end": end, "to": to}
        letter_queue.queue([letter_queue.to_seat(match, seat, LETTER, key, **about)], now)


def link_of(match: MatchRecord, seat: SeatRecord, about: Mapping[str, Any]) -> LeaveLink:
    return LeaveLink(
        match.id, seat.number, seat.epoch, about["at"], about["start"], about["end"], about["to"]
    )


def is_open(link: LeaveLink, match: MatchRecord, now: int) -> bool:
    """Whether the word can still be given; not again, when the offer it made is off."""
    is_late = now >= link.asked_at + LASTS or (link.end is not None and now >= link.end)
    if match.seat(link.seat).epoch != link.epoch or is_late:
        return False
    offers = loans.of_seat(match.id, link.seat)
    is_used = any(loan.created_at > link.asked_at for loan in offers)
    return not is_used or loans.pending(match.id, link.seat) is not None


def confirm(link: LeaveLink, now: int) -> None:
    """The player has given the word: others are asked now."""
    with writing():
        match = lock_match(link.match)
        if not is_open(link, match, now):
            raise Stale("this link is no longer good")
        address = None if link.to is None else get_player(link.to).address
        if link.end is None:
            stand_ins.give_up(match.id, link.seat, address, now)
        else:
            start = max(link.start, now)
            stand_ins.lend(match.id, link.seat, start, link.end, address, now)
