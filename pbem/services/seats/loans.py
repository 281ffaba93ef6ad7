"""Loans: seats lent for a time or given away, as rows.

offered --accept--> agreed --its day has come--> running --its end, or given back--> over
   |                   |
   +--withdrawn, declined, nobody came--> withdrawn
"""

from __future__ import annotations

from typing import Any, NamedTuple

from peewee import Case, fn

from pbem.db import models
from pbem.db.reading import changed, every, first, value
from pbem.errors import Missing
from pbem.services.records.match_rows import MatchRecord, TurnRecord, lock_match
from pbem.services.time import alarms

OFFERED, AGREED, RUNNING, RETURNED, WITHDRAWN = "offered", "agreed", "running", "over", "withdrawn"


class Loan(NamedTuple):
    """A seat lent for a time, or given away when it has no end."""

    id: int
    match: str
    seat: int
    owner: int | None
    """Whose seat it was."""
    stand_in: int | None
    """Nobody yet, while volunteers are being asked."""
    start: int
    end: int | None
    state: str
    created_at: int

    @property
    def is_lent(self) -> bool:
        """Whether the seat goes back to its owner."""
        return self.end is not None


_rows = models.Loan
_kept = _rows.select(
    _rows.id,
    _rows.match,
    _rows.seat,
    _rows.owner,
    _rows.stand_in,
    _rows.start_at.alias("start"),
    _rows.end_at.alias("end"),
    _rows.state,
    _rows.created_at,
)


def find_loan(loan: int) -> Loan | None:
    return first(_kept.where(_rows.id == loan), Loan)


def get_loan(loan: int) -> Loan:
    found = find_loan(loan)
    if found is None:
        raise Missing("there is no such offer")
    return found


def locked_loan(loan: int) -> tuple[Loan, MatchRecord]:
    """A loan and its match, for this transaction alone."""
    match = lock_match(get_loan(loan).match)
    return get_loan(loan), match


def pending(match: str, number: int) -> Loan | None:
    """What was asked or agreed about a seat, or the lending that is running."""
    is_lent = (_rows.state == RUNNING) & _rows.end_at.is_null(False)
    found = _kept.where(
        _rows.match == match,
        _rows.seat == number,
        _rows.state.in_([OFFERED, AGREED]) | is_lent,
    )
    return first(found.order_by(_rows.id.desc()), Loan)


def of_seat(match: str, number: int) -> list[Loan]:
    """Every loan of a seat, by its start."""
    found = _kept.where(_rows.match == match, _rows.seat == number)
    return every(found.order_by(_rows.start_at, _rows.id), Loan)


def concerning(player: int) -> list[Loan]:
    """Every loan that a player has made or stood in for, or was asked for by name."""
    found = _kept.where((_rows.owner == player) | (_rows.stand_in == player))
    return every(found.order_by(_rows.id), Loan)


def open_offers(now: int, most: int) -> list[Loan]:
    """Offers that any volunteer may take, oldest first."""
    found = _kept.where(
        _rows.state == OFFERED,
        _rows.stand_in.is_null(),
        _rows.end_at.is_null() | (_rows.end_at > now),
    )
    return every(found.order_by(_rows.id).limit(most), Loan)


def changes_in(turn: TurnRecord) -> int:
    """How often the seat has changed hands since its turn began."""
    begun = Case(None, [(_rows.start_at >= turn.opened_at, 1)], 0)
    came_back = (_rows.state == RETURNED) & (_rows.end_at >= turn.opened_at)
    counted = _rows.select(fn.SUM(begun + Case(None, [(came_back, 1)], 0))).where(
        _rows.match == turn.match,
        _rows.seat == turn.seat,
        _rows.state.in_([RUNNING, RETURNED]),
    )
    return int(value(counted) or 0)


# --- writing -------------------------------------------------------------------------------------


def add(
    match: MatchRecord,
    number: int,
    owner: int | None,
    stand_in: int | None,
    start: int,
    end: int | None,
    state: str,
    now: int,
) -> Loan:
    new = _rows.insert(
        match=match.id,
        seat=number,
        owner=owner,
        stand_in=stand_in,
        start_at=start,
        end_at=end,
        state=state,
        created_at=now,
    )
    return get_loan(int(new.execute()))


def change(loan: Loan, **columns: Any) -> None:
    _rows.update(**columns).where(_rows.id == loan.id).execute()


def take_offer(loan: Loan, player: int) -> bool:
    """Agree to an offer; whether it was still open."""
    taken = _rows.update(state=AGREED, stand_in=player)
    return changed(taken.where(_rows.id == loan.id, _rows.state == OFFERED)) == 1


def end(loan: Loan, state: str, **columns: Any) -> None:
    """A loan is over, or off; nothing rings for it any more."""
    change(loan, state=state, **columns)
    alarms.disarm(alarms.LOAN, loan.id)


def forget_player(player: int) -> None:
    """No loan names a player any more."""
    _rows.update(owner=None).where(_rows.owner == player).execute()
    _rows.update(stand_in=None).where(_rows.stand_in == player).execute()
