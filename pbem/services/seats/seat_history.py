"""Who held a seat, and when: it tells what somebody may read of a match that changed hands."""

from __future__ import annotations

from typing import NamedTuple

from pbem.db.models import MatchSeat
from pbem.db.reading import every
from pbem.services.records.match_rows import MatchRecord, get_match
from pbem.services.seats import loans
from pbem.services.seats.loans import RETURNED, RUNNING


class Held(NamedTuple):
    """From when to when a player held a seat."""

    match: str
    seat: int
    start: int
    end: int | None

    def holds(self, at: int) -> bool:
        return self.start <= at and (self.end is None or at < self.end)


def held_by(player: int) -> list[Held]:
    """Every time in which a player held a seat, also one that somebody else has now."""
    mine = MatchSeat.select(MatchSeat.match, MatchSeat.number).where(MatchSeat.player == player)
    seats = {(one.match, one.number) for one in every(mine, _Place)}
    for loan in loans.concerning(player):
        if loan.owner == player or loan.state in (RUNNING, RETURNED):
            seats.add((loan.match, loan.seat))
    return [
        held
        for match_id, number in sorted(seats)
        for holder, held in of_seat(get_match(match_id), number)
        if holder == player
    ]


class _Place(NamedTuple):
    match: str
    number: int


def of_seat(match: MatchRecord, number: int) -> list[tuple[int | None, Held]]:
    """Who held a seat, one after the other; a seat that was opened counts as its last player's."""
    known = loans.of_seat(match.id, number)
    begun = [loan for loan in known if loan.state in (RUNNING, RETURNED)]
    first = match.seat(number).player
    if begun:
        first = begun[0].owner
    elif first is None and known:
        first = known[-1].owner
    changes: list[tuple[int, int | None]] = [(0, first)]
    for loan in begun:
        changes.append((loan.start, loan.stand_in))
        if loan.state == RETURNED and loan.end is not None:
            changes.append((loan.end, loan.owner))
    ends = [*(at for at, _ in changes[1:]), None]
    return [
        (holder, Held(match.id, number, at, end))
        for (at, holder), end in zip(changes, ends, strict=True)
    ]
