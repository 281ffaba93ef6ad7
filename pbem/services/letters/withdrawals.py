"""Letters that nobody asked for do not leave to an address that is kept out meanwhile."""

from __future__ import annotations

from typing import NamedTuple

from pbem.db.models import Outbox, Player
from pbem.db.reading import every
from pbem.services.letters.kinds import registry
from pbem.services.players import bans
from pbem.services.records.letter_queue import LEASED, QUEUED, SUPERSEDED


class _Waiting(NamedTuple):
    player: int
    address: str


def withdraw_unasked() -> None:
    """Take back what waits for anybody on the list, in the transaction that has changed it."""
    waits = Outbox.state.in_((QUEUED, LEASED)) & Outbox.kind.in_(registry.UNASKED)
    waiting = every(
        Outbox.select(Player.id.alias("player"), Player.address)
        .distinct()
        .join(Player)
        .where(waits),
        _Waiting,
    )
    for one in waiting:
        if bans.is_listed(one.address):
            Outbox.update(state=SUPERSEDED, mime=None, last_error="the address is kept out").where(
                Outbox.player == one.player, waits
            ).execute()
