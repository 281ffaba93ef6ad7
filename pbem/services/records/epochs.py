"""Epochs: a link names the epoch of what it opens, and dies when that has a newer one.

This is the only place that writes one. An epoch is the time at which it was raised, or one more
than it was where the clock says less: it never repeats and never goes back, whatever the clock
does. Because it is a time and no counter, a database that was restored does not give an epoch again
that it has given before.
"""

from __future__ import annotations

from typing import Any

from pbem.db.store import execute, row

_TABLES = {"player": "epoch", "seat": "epoch", "moderator": "setup_epoch"}


def raise_player(player: int, now: int) -> int:
    """Links to a player's own pages are dead; the new epoch."""
    return _raise("player", "id = ?", player, now=now)


def raise_seat(match: str, number: int, now: int) -> int:
    """Links to a seat are dead; the new epoch."""
    return _raise("seat", "match_id = ? AND number = ?", match, number, now=now)


def raise_moderator(moderator: int, now: int) -> int:
    """Links to set up are dead; the epoch of the next one."""
    return _raise("moderator", "id = ?", moderator, now=now)


def _raise(table: str, where: str, *which: Any, now: int) -> int:
    column = _TABLES[table]
    next_one = f"ABS({column}) + 1"
    raised = row(
        f"UPDATE {table} SET {column} = CASE WHEN {next_one} > ? THEN {next_one} ELSE ? END"
        f" WHERE {where} RETURNING {column}",
        now,
        now,
        *which,
    )
    assert raised is not None, "what has links is there"
    return int(raised[0])


def use_up(moderator: int, epoch: int) -> bool:
    """The link to set up with this epoch opens nothing any more; whether it still did."""
    used = execute(
        "UPDATE moderator SET setup_epoch = -setup_epoch WHERE id = ? AND setup_epoch = ?"
        " AND disabled_at IS NULL",
        moderator,
        epoch,
    )
    return used == 1


def retire(moderator: int) -> None:
    """No link to set up opens anything any more."""
    execute("UPDATE moderator SET setup_epoch = -ABS(setup_epoch) WHERE id = ?", moderator)
