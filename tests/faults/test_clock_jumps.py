"""The clock of the machine jumps while robots play: nobody is timed out, reminded or lost.

Server and workers run with a shim of our own (`set_clock.c`), which sets their wall clock and no
other. libfaketime would do, but that of Debian 12 (0.9.10) breaks `time.sleep` of Python 3.11.
"""

from __future__ import annotations

import struct
import subprocess
import time
from pathlib import Path
from random import Random

import pytest

from pbem.db.store import rows
from pbem.deadlines import DAY, HOUR
from tests.faults import table
from tests.faults.checking import check, settle
from tests.faults.deployment import Deployment
from tests.faults.ledger import Ledger, Mailroom
from tests.faults.robots import Robots
from tests.faults.seating import looking_into, seat_everybody
from tests.faults.test_disk_full import wait_for_moves

pytestmark = [
    pytest.mark.compiler,
    pytest.mark.slow,
    pytest.mark.timeout(3600),
]

JUMPS = {"+400 d": 400 * DAY, "-400 d": -400 * DAY, "+1 h": HOUR, "-1 h": -HOUR}
WRONG_SECONDS = 45
"""For two ticks of a worker at least."""
NORMAL_SECONDS = 60
TOOTH, TEETH = 1, 40
MOST_GROWTH = 40 * 1024 * 1024


class SetClock:
    """A wall clock that is so many seconds off, for processes with its environment."""

    def __init__(self, folder: Path) -> None:
        self._file, shim = folder / "offset", folder / "set_clock.so"
        self.set(0)
        source = Path(__file__).with_name("set_clock.c")
        subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-o", shim, source, "-ldl"], check=True)
        self.environ = {"LD_PRELOAD": str(shim), "SET_CLOCK": str(self._file)}

    def set(self, seconds: int) -> None:
        """Off by so much from now on; written in place, for it is mapped."""
        with self._file.open("r+b" if self._file.exists() else "wb") as file:
            file.write(struct.pack("=q", seconds))


def is_believed() -> bool:
    return rows("SELECT suspect_since FROM heartbeat") == [(None,)]


@pytest.mark.parametrize("jump", [*JUMPS, "sawtooth"])
def test_a_clock_that_jumps_hurts_nobody(store_url: str, tmp_path: Path, jump: str) -> None:
    run = table.begin(f"clock {jump}", store_url)
    ledger, clock = Ledger(), SetClock(tmp_path)
    seated = seat_everybody(store_url, count=8)
    with Mailroom() as mailroom:
        server = Deployment(tmp_path, store_url, mailroom.url, clock.environ)
        robots = Robots(server.port, server.lmtp_port, ledger, run.seed, seated.sheets)
        mailroom.read = robots.read
        with server.running(), robots:
            wait_for_moves(ledger, 10)
            before = server.worker.memory()
            misset(clock, jump, Random(run.seed))
            clock.set(0)
            corrected = time.monotonic()
            wait_for_moves(ledger, 5)
            with looking_into(store_url):
                while not is_believed():
                    assert time.monotonic() < corrected + NORMAL_SECONDS, "still in doubt"
                    time.sleep(0.5)
            growth = server.worker.memory() - before
            robots.stop()
            settle(store_url)
            starts = [one.started for one in server.services]
        figures = check(store_url, ledger, mailroom)
    table.write(run, TEETH if jump == "sawtooth" else 1, figures)

    assert not robots.faults
    assert figures.is_clean, figures.faults
    assert growth < MOST_GROWTH
    assert starts == [1, 1, 1]


def misset(clock: SetClock, jump: str, chance: Random) -> None:
    """Leave the clock wrong for a while, or let it saw to and fro by a second."""
    if jump != "sawtooth":
        clock.set(JUMPS[jump])
        time.sleep(WRONG_SECONDS)
        return
    for tooth in range(TEETH):
        clock.set(TOOTH * (tooth % 2))
        time.sleep(chance.uniform(0.5, 1.5))
