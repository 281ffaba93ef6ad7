"""Browsers in which players have taken seats: a sign when one person sits in two of them.

Who comes back with such a browser and a link of the player is led on to what else waits.

A cookie has a random number; we keep its hash, for each player who has confirmed, joined or stood
in with it by a link of a letter. Moves are not noted: that a seat was taken in a browser is enough,
and costs nothing while playing.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from typing import NamedTuple

from pbem.db.models import Device
from pbem.db.reading import changed, every
from pbem.db.store import writing
from pbem.deadlines import DAY

LASTS = 400 * DAY
MOST = 20
"""Browsers of one player that are remembered, the newest ones."""
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


def new_token() -> str:
    return secrets.token_urlsafe(32)


def is_token(text: str) -> bool:
    return _TOKEN.fullmatch(text) is not None


def is_known(player: int, token: str) -> bool:
    """Whether a player has taken a seat with the browser of this cookie."""
    seen = Device.select().where(Device.player == player, Device.digest == _digest(token))
    return bool(seen.exists())


def note(player: int, token: str, now: int) -> None:
    """A player has taken a seat with the browser of this cookie."""
    with writing():
        seen = Device.insert(player=player, digest=_digest(token), first_at=now, last_at=now)
        seen.on_conflict(
            conflict_target=[Device.player, Device.digest], preserve=[Device.last_at]
        ).execute()
        own = Device.select(Device.id).where(Device.player == player)
        newest = own.order_by(Device.last_at.desc(), Device.id.desc()).limit(MOST)
        Device.delete().where(Device.player == player, Device.id.not_in(newest)).execute()


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


class Seen(NamedTuple):
    """When a browser was first and last used to take a seat."""

    first_at: int
    last_at: int


def times_of(player: int) -> list[Seen]:
    """When each browser of a player was first and last seen."""
    found = Device.select(Device.first_at, Device.last_at).where(Device.player == player)
    return every(found.order_by(Device.first_at, Device.id), Seen)


def move(player: int, to: int) -> None:
    """What is known of one player is known of another; a browser of both is one."""
    known = Device.select(Device.digest).where(Device.player == to)
    Device.delete().where(Device.player == player, Device.digest.in_(known)).execute()
    Device.update(player=to).where(Device.player == player).execute()


def forget(player: int) -> None:
    Device.delete().where(Device.player == player).execute()


def prune(now: int) -> int:
    """Forget browsers that did not come for long; how many."""
    with writing():
        return changed(Device.delete().where(Device.last_at <= now - LASTS))
