"""The beat of the workers: when one last looked, whether time is in doubt, or stopped."""

from __future__ import annotations

from typing import Any, NamedTuple

from pbem.db import models
from pbem.db.store import row


class Heartbeat(NamedTuple):
    ticked_at: int
    suspect_since: int | None
    why: str
    held_since: int | None
    """Since when time-outs wait for an operator, because too many came at once."""
    let_go_until: int | None
    """Until when an operator lets all of them pass."""
    maintenance_since: int | None
    maintenance_why: str


_HEARTBEAT = f"SELECT {', '.join(Heartbeat._fields)} FROM heartbeat"


def heartbeat() -> Heartbeat | None:
    """Every page asks whether clocks are stopped, so the statement is written by hand.

    With that of `unreachable.among` it saves a tenth of the page of a turn.
    """
    found = row(_HEARTBEAT)
    return Heartbeat(*found) if found else None


def lock_heartbeat(now: int) -> Heartbeat:
    """The heartbeat for this transaction alone; the first tick of all makes it."""
    new = models.Heartbeat.insert(id=1, ticked_at=now, why="")
    new.on_conflict(conflict_target=[models.Heartbeat.id], action="ignore").execute()
    change(id=1)  # other workers wait here
    beat = heartbeat()
    assert beat is not None, "it was just made"
    return beat


def change(**columns: Any) -> None:
    models.Heartbeat.update(**columns).where(models.Heartbeat.id == 1).execute()


def clocks_stopped_at() -> int | None:
    """From when on no clock runs, because of maintenance; None while they do."""
    beat = heartbeat()
    return beat.ticked_at if beat is not None and beat.maintenance_since is not None else None
