"""Work on what strangers hand in, done by a process of its own that cannot grow or last.

The process begins anew for each piece of work, knows no setting and no secret, and may use so much
time and memory and no more; the system ends it when it wants more, and we do when it lingers. There
is one of them at a time on this machine: whoever comes meanwhile is asked to come again.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pbem.errors import Busy, Refused

TOO_HEAVY = 3
"""The exit status of a process that saw by itself that the work was too much."""
CODE = Path(__file__).parents[3]

log = logging.getLogger("pbem")


class Limits(NamedTuple):
    """What one piece of work may take."""

    seconds: int = 10
    """By the clock on the wall."""
    cpu_seconds: int = 8
    memory: int = 384 * 1024 * 1024
    """Addresses, not pages: Python and the games need a third of it before they begin."""


USUAL = Limits()


def run(module: str, work: bytes, place: str, limits: Limits = USUAL) -> bytes:
    """What a module of ours says about the work; Refused when it is too much, Busy when one runs.

    `place` tells servers on one machine apart, such as the address of the database.
    """
    with alone(place) as lock:
        return _answer(module, work, lock, limits)


@contextmanager
def alone(place: str) -> Iterator[int]:
    """Hold the one place there is; the process inherits it, and so it lasts until both are gone."""
    lock = os.open(_lock_file(place), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy(
                "this server checks one file at a time and is busy; try again in ten seconds"
            ) from None
        yield lock
    finally:
        os.close(lock)


def _lock_file(place: str) -> Path:
    name = hashlib.sha256(place.encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"pbem-{os.getuid()}-{name}.lock"


def _answer(module: str, work: bytes, lock: int, limits: Limits) -> bytes:
    command = [sys.executable, "-m", module, str(limits.cpu_seconds), str(limits.memory)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # it might quote what was handed in
        cwd=CODE,
        env={"PYTHONDONTWRITEBYTECODE": "1"},
        pass_fds=[lock],
    ) as process:
        try:
            said, _ = process.communicate(work, limits.seconds)
        except subprocess.TimeoutExpired:
            said = b""
        finally:
            process.kill()
    if process.returncode == 0:
        return said
    if process.returncode > 0 and process.returncode != TOO_HEAVY:
        log.error("%s broke off with status %s", module, process.returncode)
    raise Refused("checking it takes more time or memory than this server allows for one file")


def confine_myself(cpu_seconds: int, memory: int) -> None:
    """Called by the process itself, before it reads anything."""
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
