"""Epochs: a link names the epoch of what it opens, and dies when that has a newer one.

This is the only place that writes one. An epoch is the time at which it was raised, or one more
than it was where the clock says less: it never repeats and never goes back, whatever the clock
does. Because it is a time and no counter, a database that was restored does not give an epoch again
that it has given before.
"""

from __future__ import annotations

from typing import Any

from peewee import Case, Field, fn

from pbem.db.models import MatchSeat, Moderator, Player
from pbem.db.reading import changed, returned


def raise_player(player: int, now: int) -> int:
    """Links to a player's own pages are dead; the new epoch."""
    return _raise(Player.epoch, Player.id == player, now)


def raise_seat(match: str, number: int, now: int) -> int:
    """Links to a seat are dead; the new epoch."""
    return _raise(MatchSeat.epoch, (MatchSeat.match == match) & (MatchSeat.number == number), now)


def raise_moderator(moderator: int, now: int) -> int:
    """Links to set up are dead; the epoch of the next one."""
    return _raise(Moderator.setup_epoch, Moderator.id == moderator, now)


def raise_all(now: int) -> None:
    """Links to all players' own pages and to all seats are dead."""
    for epoch in (Player.epoch, MatchSeat.epoch):
        epoch.model.update({epoch: _raised(epoch, now)}).execute()


def _raise(epoch: Field, which: Any, now: int) -> int:
    raised = epoch.model.update({epoch: _raised(epoch, now)})
    found = returned(raised.where(which).returning(epoch), dict[str, int])
    assert found is not None, "what has links is there"
    return found[epoch.name]


def _raised(epoch: Field, now: int) -> Any:
    following = fn.ABS(epoch) + 1
    return Case(None, [(following > now, following)], now)


def use_up(moderator: int, epoch: int) -> bool:
    """The link to set up with this epoch opens nothing any more; whether it still did."""
    used = Moderator.update(setup_epoch=-epoch).where(
        Moderator.id == moderator,
        Moderator.setup_epoch == epoch,
        Moderator.disabled_at.is_null(),
    )
    return changed(used) == 1


def retire(moderator: int) -> None:
    """No link to set up opens anything any more."""
    Moderator.update(setup_epoch=0 - fn.ABS(Moderator.setup_epoch)).where(
        Moderator.id == moderator
    ).execute()
