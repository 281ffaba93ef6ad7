"""Whom a player wants nothing new to do with. The other one is not told, and finds no trace of it.

Who is blocked cannot invite the player, nor join a match in which the player waits for others, nor
write to the player when a match is over. A match that is being played goes on as if nothing were.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from pbem.db.models import Block, Player
from pbem.db.reading import column, every
from pbem.db.store import writing
from pbem.errors import Refused
from pbem.plural import Counted

MOST = 200


class Blocked(NamedTuple):
    """Somebody on a player's list, as that one was called."""

    player: int
    name: str
    at: int


def has_blocked(player: int | None, other: int | None) -> bool:
    """Whether a player has blocked another one."""
    if player is None or other is None or player == other:
        return False
    return bool(Block.select().where(Block.player == player, Block.blocked == other).exists())


def any_has_blocked(players: Collection[int], other: int) -> bool:
    """Whether one of these has blocked somebody."""
    found = Block.select().where(
        Block.player.in_(list(players)), Block.blocked == other, Block.player != other
    )
    return bool(players) and bool(found.exists())


def blocked_by(player: int) -> set[int]:
    """Whom a player has blocked."""
    return set(column(Block.select(Block.blocked).where(Block.player == player)))


def shown(player: int) -> list[Blocked]:
    """The list of a player, the newest first."""
    found = Block.select(Block.blocked.alias("player"), Player.name, Block.at)
    found = found.join(Player, on=Block.blocked == Player.id).where(Block.player == player)
    return every(found.order_by(Block.id.desc()), Blocked)


def block(player: int, other: int, now: int) -> None:
    """Put somebody on the list; once is enough."""
    with writing():
        if player == other:
            raise Refused("you cannot block yourself")
        known = blocked_by(player)
        if other in known:
            return
        if len(known) >= MOST:
            raise Refused(
                Counted(
                    "you can block up to %(num)s player; unblock one first",
                    "you can block up to %(num)s players; unblock one first",
                ),
                num=MOST,
            )
        Block.insert(player=player, blocked=other, at=now).execute()


def unblock(player: int, other: int) -> None:
    """Strike somebody off the list; who is not on it stays off it."""
    with writing():
        Block.delete().where(Block.player == player, Block.blocked == other).execute()


def forget(player: int) -> None:
    """A player leaves this server: off all lists, and with no list."""
    Block.delete().where((Block.player == player) | (Block.blocked == player)).execute()
