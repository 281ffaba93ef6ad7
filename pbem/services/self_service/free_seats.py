"""Free seats that the computer takes: whoever started the match offers it, and all others agree."""

from __future__ import annotations

from engine.abilities import StandIns
from pbem.db.models import Match, MatchSeat
from pbem.db.store import writing
from pbem.errors import Refused, Stale
from pbem.services.match import joining
from pbem.services.players import limits
from pbem.services.records import letter_queue
from pbem.services.records.match_rows import (
    FORMING,
    JOINED,
    MACHINE,
    OPEN,
    MatchRecord,
    SeatRecord,
    get_match,
    lock_match,
)


def free(match: MatchRecord) -> list[SeatRecord]:
    """The seats that the computer could take; none in a match that has begun or cannot have it."""
    if match.status != FORMING or not isinstance(match.game, StandIns):
        return []
    return [seat for seat in match.seats if seat.status == OPEN]


def is_offered(match: MatchRecord) -> bool:
    """Whether whoever started the match has said that the computer may take them."""
    return any(_is_hosts(match, seat) and seat.machine_wanted for seat in match.seats)


def may_want(match: MatchRecord, seat: SeatRecord) -> bool:
    """Whether a seat can say so now: its host at any time, the others once it was offered."""
    if seat.status != JOINED or not free(match):
        return False
    return _is_hosts(match, seat) or is_offered(match)


def _is_hosts(match: MatchRecord, seat: SeatRecord) -> bool:
    return seat.status == JOINED and seat.player is not None and seat.player == match.creator


def want(match_id: str, number: int, now: int) -> bool:
    """A seat wants the computer to take what is free; whether it has them now.

    The word of the host asks everybody else by letter. The last one to agree begins the match,
    unless somebody who was invited has not answered yet.
    """
    with writing():
        match = lock_match(match_id)
        seat = match.seat(number)
        if not free(match):
            raise Stale("this match has no free seat any more")
        if not may_want(match, seat):
            raise Refused("only players of this match can let the computer take its free seats")
        MatchSeat.update(machine_wanted=True).where(
            MatchSeat.match == match.id, MatchSeat.number == number
        ).execute()
        match = get_match(match_id)
        if all(one.machine_wanted for one in match.seats if one.status == JOINED):
            _fill(match, now)
            return True
        if _is_hosts(match, seat):
            limits.by_seat("offer_computer", match.id, number, now)
            _ask_others(match, now)
        return False


def _fill(match: MatchRecord, now: int) -> None:
    MatchSeat.update(status=MACHINE).where(
        MatchSeat.match == match.id, MatchSeat.status == OPEN
    ).execute()
    Match.update(listed=False).where(Match.id == match.id).execute()
    joining.start_if_full(match.id, now)


def _ask_others(match: MatchRecord, now: int) -> None:
    asked = [
        letter_queue.to_seat(match, seat, "computer", str(now))
        for seat in match.seats
        if seat.status == JOINED and not seat.machine_wanted
    ]
    letter_queue.queue(asked, now)
