"""Who may take a seat that is free: volunteers, and what rules somebody out.

Whoever has held another seat of the match, and so knows what that one knows, cannot take this one.
"""

from __future__ import annotations

from typing import Any

from peewee import fn

from pbem.db.models import Absence, Loan, MatchSeat, Outbox, Player
from pbem.db.reading import column
from pbem.services.players import bans
from pbem.services.records.match_rows import MatchRecord
from pbem.services.seats.loans import AGREED, RETURNED, RUNNING

MOST_ASKED = 20
"""Volunteers who get a letter about one seat."""


def volunteers(match: MatchRecord, number: int, at: int) -> list[int]:
    """Players who could take a seat at an instant; those first who were not asked for long."""
    away = Absence.select(Absence.id).where(
        Absence.player == Player.id, Absence.start_at <= at, Absence.end_at > at
    )
    asked = Outbox.select(fn.MAX(Outbox.created_at)).where(
        Outbox.player == Player.id, Outbox.kind == "stand_in"
    )
    found = Player.select(Player.id).where(
        Player.stands_in,
        Player.confirmed_at.is_null(False),
        ~_knows_too_much(match, number),
        ~fn.EXISTS(away),
    )
    ready = found.order_by(fn.COALESCE(asked, 0), Player.id).limit(MOST_ASKED)
    return [player for player in column(ready) if not bans.is_kept_out(player)]


def _knows_too_much(match: MatchRecord, number: int) -> Any:
    """Whether a player sits in a match, or has held another seat of it than this."""
    sits = MatchSeat.select(MatchSeat.id).where(
        MatchSeat.match == match.id, MatchSeat.player == Player.id
    )
    stood_in = (Loan.stand_in == Player.id) & Loan.state.in_([AGREED, RUNNING, RETURNED])
    held = Loan.select(Loan.id).where(
        Loan.match == match.id, Loan.seat != number, (Loan.owner == Player.id) | stood_in
    )
    return fn.EXISTS(sits) | fn.EXISTS(held)


def may_take(match: MatchRecord, number: int, player: int) -> bool:
    free = Player.select(Player.id).where(Player.id == player, ~_knows_too_much(match, number))
    return bool(free.exists())


def may_come(match: MatchRecord, number: int, player: int) -> bool:
    """Whether somebody who has no seat here may be asked to take one."""
    return may_take(match, number, player) and not bans.is_kept_out(player)
