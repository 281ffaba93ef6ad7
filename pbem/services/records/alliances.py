"""Who stands together in a match, and who against whom."""

from __future__ import annotations

from engine.abilities import Alliances
from engine.core import Seat
from pbem.services.records.match_rows import MatchRecord, SeatRecord


def allies(match: MatchRecord, name: Seat) -> list[SeatRecord]:
    """Who stands together with a seat, the nearest first; in many games nobody."""
    able = match.game.allies(name) if isinstance(match.game, Alliances) else ()
    found = [match.seat_named(ally) for ally in able]
    return [seat for seat in found if seat is not None]


def together(match: MatchRecord, name: Seat) -> tuple[Seat, ...]:
    """A seat and its allies, in the order of the seats."""
    found = {name, *(seat.name for seat in allies(match, name))}
    return tuple(seat.name for seat in match.seats if seat.name in found)


def parties(match: MatchRecord) -> list[tuple[Seat, ...]]:
    """Those who win together, in the order of their first seats."""
    return list(dict.fromkeys(together(match, seat.name) for seat in match.seats))


def opponents(match: MatchRecord, name: Seat) -> list[SeatRecord]:
    own = together(match, name)
    return [seat for seat in match.seats if seat.name not in own]
