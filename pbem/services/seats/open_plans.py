"""Seats that let their allies see what they plan: the draft, and what they say in advance."""

from __future__ import annotations

from engine.abilities import Alliances
from pbem.db.models import MatchSeat
from pbem.db.store import writing
from pbem.errors import Refused, Stale
from pbem.services.records.match_rows import LIVE, MatchRecord, SeatRecord, lock_match


def allies_of(match: MatchRecord, number: int) -> list[SeatRecord]:
    """The seats that stand together with this one, the nearest first; often none."""
    game = match.game
    if not isinstance(game, Alliances):
        return []
    found = [match.seat_named(name) for name in game.allies(match.seat(number).name)]
    return [seat for seat in found if seat is not None]


def opened_to(match: MatchRecord, number: int) -> list[SeatRecord]:
    """The allies whose plans this seat may see."""
    return [seat for seat in allies_of(match, number) if seat.is_open_to_allies]


def open_or_close(match_id: str, number: int, is_open: bool) -> None:
    """Let the allies see what this seat plans, or no longer."""
    with writing():
        match = lock_match(match_id)
        if match.status != LIVE:
            raise Stale("the match is not in progress")
        if not allies_of(match, number):
            raise Refused("your side has no allies in this match; your plans are yours alone")
        MatchSeat.update(is_open_to_allies=is_open).where(
            MatchSeat.match == match.id, MatchSeat.number == number
        ).execute()
