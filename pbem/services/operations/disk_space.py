"""Room on the disk: with too little of it, nothing is accepted that may not be kept.

Only the file of SQLite is looked at; a PostgreSQL server has a disk of its own, and says so itself.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from pbem.errors import NoRoom

MB = 1024 * 1024
LOOK_AGAIN = 5.0
"""Seconds for which an answer of the file system is believed."""
COME_AGAIN = 60
"""Seconds after which somebody who was sent away may try again."""


class FileSystem(Protocol):
    """How much is free, as `os.statvfs` tells it."""

    @property
    def f_bavail(self) -> int: ...

    @property
    def f_frsize(self) -> int: ...


class Room:
    """Whether the disk of a database has room left, asked as often as anybody likes."""

    def __init__(
        self,
        database_url: str,
        least_mb: int,
        look: Callable[[Path], FileSystem] = os.statvfs,
        stopwatch: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder_of(database_url) if least_mb else None
        self._least, self._look, self._stopwatch = least_mb * MB, look, stopwatch
        self._is_short, self._looked_at = False, -LOOK_AGAIN

    def check(self) -> None:
        if self.is_short():
            raise NoRoom(
                "this server's disk is full, so nothing was changed; please try again later"
            )

    def is_short(self) -> bool:
        """Whether less is free than there should be; recovers by itself when there is more."""
        if self._folder is None:
            return False
        at = self._stopwatch()
        if at - self._looked_at >= LOOK_AGAIN:
            found = self._look(self._folder)
            self._is_short = found.f_bavail * found.f_frsize < self._least
            self._looked_at = at
        return self._is_short


def folder_of(database_url: str) -> Path | None:
    """Where the file of an SQLite database is; None for another one, or one in memory."""
    kind, _, path = database_url.partition(":///")
    if kind != "sqlite" or not path or path == ":memory:":
        return None
    return Path(path).parent
