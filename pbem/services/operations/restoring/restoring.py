"""The restore of a server, whichever database it has: nobody serves meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from pbem.db import store
from pbem.services.operations import backups, health
from pbem.services.operations.restoring import new_timeline, postgres_dump, sqlite_file
from pbem.services.operations.restoring.new_timeline import Begun

CameOn = Callable[[int, int], None]
"""Told how many matches of how many are done."""


def put_back(
    backup: Path, replace: bool, url: str, now: int, came_on: CameOn
) -> tuple[Begun, str | None]:
    """Put a backup in the place of a database; what has begun, and where the old one is kept."""
    put = sqlite_file.put_back if url.startswith("sqlite:") else postgres_dump.put_back
    source = {"file": backup.name[: backups.LONGEST_NAME]}

    def begin(above: int) -> Begun:
        return new_timeline.begin(source, now, came_on, above)

    begun, kept = put(url, backup, begin, replace, now)
    return begun, str(kept) if kept is not None else None


def adopt(url: str, now: int, came_on: CameOn) -> tuple[Begun, None]:
    """Begin a new timeline of a database that somebody has put back by other means."""
    is_sqlite = url.startswith("sqlite:")
    if is_sqlite:
        sqlite_file.check_there(url)
        sqlite_file.check_unused(sqlite_file.file_of(url))
    store.open_database(url)
    with store.connected():
        health.check_release()
        health.migrate(now)
        begin = partial(new_timeline.begin, {}, now, came_on)
        return begin() if is_sqlite else postgres_dump.adopt(begin), None
