"""Restores that the server went through; the newest one names its timeline."""

from __future__ import annotations

from typing import NamedTuple

from pbem import server_timeline
from pbem.db import models
from pbem.db.reading import first


class Restoration(NamedTuple):
    mark: str
    """Of the timeline that began with it."""
    at: int
    back_to: int
    """What happened after this moment is lost."""


def newest() -> Restoration | None:
    found = models.Restoration.select(
        models.Restoration.mark, models.Restoration.at, models.Restoration.back_to
    )
    return first(found.order_by(models.Restoration.id.desc()), Restoration)


def make_known() -> None:
    """Tell this process which timeline it serves; nobody restores while one runs."""
    found = newest()
    server_timeline.current.mark = found.mark if found else ""
    server_timeline.current.back_to = found.back_to if found else 0


def begin(restoration: Restoration) -> None:
    """From now on this is the timeline, also of this process; in the transaction of the restore."""
    models.Restoration.insert(restoration._asdict()).execute()
    make_known()
