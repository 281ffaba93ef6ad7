"""Heirs: allies who go on with a seat that its player leaves, and what comes after them.

Nobody asks them beforehand, so that the match need not wait; they are told, and hand the seat on if
they do not want it: to the next ally, and in the end to the stand-in player of the game.
"""

from __future__ import annotations

from engine.abilities import StandIns
from pbem.db.store import writing
from pbem.errors import Stale
from pbem.services.records import alliances
from pbem.services.records.match_rows import JOINED, LIVE, MatchRecord, SeatRecord, lock_match
from pbem.services.seats import loans, stand_ins
from pbem.services.seats.loans import RETURNED, RUNNING


def heir_of(match: MatchRecord, number: int) -> SeatRecord | None:
    """The nearest ally who is somebody else, and has not had the seat before."""
    seat = match.seat(number)
    had = {seat.player}
    for loan in loans.of_seat(match.id, number):
        if loan.state in (RUNNING, RETURNED):
            had |= {loan.owner, loan.stand_in}
    allies = alliances.allies(match, seat.name)
    return next((ally for ally in allies if ally.status == JOINED and ally.player not in had), None)


def is_inherited(match: MatchRecord, number: int) -> bool:
    """Whether a seat has come to its player, who has an own one, from an ally."""
    seat, known = match.seat(number), loans.of_seat(match.id, number)
    has_own = any(other.player == seat.player for other in match.seats if other.number != number)
    return (
        has_own
        and bool(known)
        and (known[-1].state, known[-1].stand_in) == (RUNNING, seat.player)
        and not known[-1].is_lent
    )


def inherit(match_id: str, number: int, now: int) -> bool:
    """The heir goes on with a seat; whether there is one."""
    with writing():
        match = lock_match(match_id)
        heir = heir_of(match, number)
        if heir is None or heir.player is None:
            return False
        stand_ins.hand_over(match.id, number, heir.player, now)
        return True


def hand_on(match_id: str, number: int, now: int) -> None:
    """An heir does not want the seat: the next one has it, else the machine, else who comes."""
    with writing():
        match = lock_match(match_id)
        if match.status != LIVE or not is_inherited(match, number):
            raise Stale("this seat has not come to you from an ally")
        if inherit(match_id, number, now):
            return
        if isinstance(match.game, StandIns):
            stand_ins.leave_to_machine(match_id, number, now)
        else:
            stand_ins.open_seat(match_id, number, now)
