"""Mo, who acts on players, and what players are told of it."""

from __future__ import annotations

from typing import Any

import msgspec

from pbem.db.store import rows
from pbem.services.moderation import player_acts
from pbem.services.moderation.player_acts import ACTS, Params
from pbem.services.records.moderator_rows import ModeratorRecord
from tests.services.people import NOW

MO = ModeratorRecord(1, "mo@example.org", "Mo", "moderator", NOW, None, "", "", 0, None, 0)
WHY = "asked for by letter"


def perform(
    player: int,
    act: str,
    params: Params | None = None,
    now: int = NOW,
    by: ModeratorRecord = MO,
    reason: str = WHY,
) -> int:
    return player_acts.perform(by, player, ACTS[act], params or Params(), reason, now)


def told(after: int = 0) -> list[dict[str, Any]]:
    """What letters of moderators to players tell, in order."""
    found = rows(
        "SELECT about, player_id FROM outbox WHERE kind = 'account' AND id > ? ORDER BY id", after
    )
    return [msgspec.json.decode(about) | {"player": player} for about, player in found]
