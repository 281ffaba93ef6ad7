"""Who writes to a file of SQLite waits in a queue of ours.

SQLite lets whoever finds it locked sleep, longer each time, and then whoever comes at the right
moment goes first: with two processes of four threads some wait for seconds. Here the threads of a
process wait for each other, and one of each process for those of others, by a lock on the folder of
the database; the next one goes on as soon as the one before has committed. SQLite's own lock still
decides who may write: whoever does not queue, another program for instance, waits as it lets them.
"""

from __future__ import annotations

import fcntl
import os
import threading
from contextlib import suppress
from pathlib import Path


class WriteQueue:
    """A queue for one database; a process that is killed leaves it by that."""

    def __init__(self, database: str) -> None:
        self._folder = Path(database).absolute().parent
        self._here = threading.Lock()
        self._held: int | None = None

    def enter(self, patience: float) -> bool:
        """Wait for one's turn; False when the threads of this process took longer than that."""
        if not self._here.acquire(timeout=patience):
            return False
        with suppress(OSError):  # then SQLite's own lock has to do
            self._held = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(self._held, fcntl.LOCK_EX)
        return True

    def leave(self) -> None:
        if self._held is not None:
            os.close(self._held)
            self._held = None
        self._here.release()
