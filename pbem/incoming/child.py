"""Reading in a child that can be killed: no mail takes more time or memory than it may.

One child reads many mails, one after another, and is started anew after one that was too much for
it. It knows no keys: its environment is empty but for where Python finds its modules.

    python -m pbem.incoming.child DESCRIPTOR
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec
from msgspec import Struct

import pbem
from pbem.incoming.mails import IncomingMail, Unreadable
from pbem.incoming.parsing import LARGEST

MOST_CPU = 2
MOST_MEMORY = 100 * 1024 * 1024
"""Seconds of processor time for each mail, and bytes beyond what the child has at its start."""
MOST_SECONDS = 20
"""Of anybody's time, on a machine that is busy with other things."""
LARGEST_ANSWER = 4 * 1024 * 1024
COMMAND = (sys.executable, "-m", "pbem.incoming.child")
"""Starts a child; the number of its end of the pipe comes behind it."""


class ReaderLost(Exception):
    """The child has died over a mail, or did not come to an end with it."""


class Task(Struct, array_like=True):
    raw: bytes
    envelope_sender: str
    authserv_id: str


class Answer(Struct, array_like=True):
    mail: IncomingMail | None
    unreadable: str = ""


class ChildReader:
    """Reads mails in a child of this process; to be closed. Not for several threads at once."""

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        self._command = command
        self._child: subprocess.Popen[bytes] | None = None
        self._way: Connection | None = None

    def read(self, raw: bytes, envelope_sender: str, authserv_id: str) -> IncomingMail:
        """As `reading.read`; raises `ReaderLost` too, and is ready for the next mail again."""
        if len(raw) > LARGEST:
            raise Unreadable("over 256 kB")
        task = msgspec.msgpack.encode(Task(raw, envelope_sender, authserv_id))
        try:
            answer = msgspec.msgpack.decode(self._answered(task), type=Answer)
        except BaseException:
            self.close()
            raise
        if answer.mail is None:
            raise Unreadable(answer.unreadable)
        return answer.mail

    def close(self) -> None:
        """End the child, whatever it is doing."""
        if self._way is not None:
            self._way.close()
            self._way = None
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            self._child = None

    def _answered(self, task: bytes) -> bytes:
        way = self._way if self._way is not None else self._start()
        try:
            way.send_bytes(task)
            if not way.poll(MOST_SECONDS):
                raise ReaderLost("the mail was not read in time")
            return way.recv_bytes(LARGEST_ANSWER)
        except (EOFError, OSError):
            raise ReaderLost("the mail took too much time or memory") from None

    def _start(self) -> Connection:
        self._way, theirs = Pipe()
        with theirs:
            descriptor = theirs.fileno()
            self._child = subprocess.Popen(
                [*self._command, str(descriptor)],
                pass_fds=[descriptor],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=_environment(),
            )
        return self._way


def _environment() -> dict[str, str]:
    """Only where modules are found; no settings of the server."""
    here = str(Path(pbem.__file__).parents[1])
    path = os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])
    return {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


# --- in the child --------------------------------------------------------------------------------


def serve(way: Connection) -> None:
    """Read what comes until the parent is gone."""
    from pbem.incoming import reading  # the parent needs none of what this takes of memory

    _limit_memory()
    with suppress(EOFError, OSError):
        while True:
            task = msgspec.msgpack.decode(way.recv_bytes(), type=Task)
            _limit_time()
            way.send_bytes(msgspec.msgpack.encode(_answer(reading.read, task)))


def _answer(read: Callable[[bytes, str, str], IncomingMail], task: Task) -> Answer:
    try:
        return Answer(read(task.raw, task.envelope_sender, task.authserv_id))
    except Unreadable as why:
        return Answer(None, str(why))


def _limit_memory() -> None:
    """Beyond what the child has now."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    limit = pages * resource.getpagesize() + MOST_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _limit_time() -> None:
    """From now on; the kernel counts in whole seconds, so it may be somewhat less."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime) + MOST_CPU
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])))
