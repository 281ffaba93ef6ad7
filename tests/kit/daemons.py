"""Servers that change their user: started and ended so that none outlives the tests."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

STOP_SECONDS = 20
_GUARD = '"$@" & trap "kill $!" TERM; wait $!; wait $!'
"""Who changes the user is not told any more when the tests are killed; a shell is, and tells."""


def launch(command: list[str], said: Path) -> subprocess.Popen[bytes]:
    """A process group of its own; what it says goes into a file."""
    setpriv = shutil.which("setpriv")
    told = [setpriv, "--pdeathsig=TERM"] if setpriv else []
    with said.open("ab") as file:
        return subprocess.Popen(
            [*told, "sh", "-c", _GUARD, "sh", *command],
            stdout=file,
            stderr=file,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )


def end(process: subprocess.Popen[bytes]) -> None:
    """Ask all of a process group to stop, and insist if one does not."""
    for insistence in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, insistence)
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            break
