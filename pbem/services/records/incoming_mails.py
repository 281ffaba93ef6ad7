"""Mails that came in, for who need not know what they say: whether one waits, whose it was."""

from __future__ import annotations

from typing import Any

from peewee import fn

from pbem.db.models import Incoming
from pbem.db.reading import changed, every, value

RECEIVED, LEASED, QUARANTINED = "received", "leased", "quarantined"
_WAITING = (RECEIVED, LEASED)


def is_reply_waiting(turn: int) -> bool:
    """Whether somebody has answered the letter of a turn, and nobody has read it yet."""
    waiting = Incoming.state.in_(_WAITING)
    return bool(Incoming.select().where(Incoming.turn == turn, waiting).exists())


def oldest_waiting() -> int | None:
    """Since when the oldest mail waits that nobody has worked on."""
    since: int | None = value(
        Incoming.select(fn.MIN(Incoming.received_at)).where(Incoming.state.in_(_WAITING))
    )
    return since


def is_any_set_aside() -> bool:
    """Whether there is a mail that nobody could work on."""
    return bool(Incoming.select().where(Incoming.state == QUARANTINED).exists())


def of_player(player: int) -> list[dict[str, Any]]:
    """When a player's mails came and what became of them; never what they said."""
    found = Incoming.select(
        Incoming.match, Incoming.state, Incoming.received_at, Incoming.done_at
    ).where(Incoming.player == player)
    return every(found.order_by(Incoming.id), dict)


def forget(player: int) -> int:
    """Drop a player's mails; how many."""
    return changed(Incoming.delete().where(Incoming.player == player))
