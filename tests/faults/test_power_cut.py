"""The power fails: of what was written after the last fsync, anything may be missing.

Our own shim of fsync (`power_cut.c`) keeps what a disk certainly has; after a cut the files are put
together of that and, block by block at random, of what was written since. LazyFS, which is made for
this, is not in Debian; a FUSE file system of our own would need root or a setuid program, and would
slow every read. The shim needs gcc, and sees what SQLite asks of the disk: all of it but the index
of the log (`-shm`), which is made anew after a crash in any case.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path
from random import Random

import pytest

from tests.faults import table
from tests.faults.checking import Figures, check, settle
from tests.faults.deployment import Deployment
from tests.faults.ledger import Ledger, Mailroom
from tests.faults.robots import Robots
from tests.faults.seating import seat_everybody

pytestmark = [pytest.mark.compiler, pytest.mark.slow, pytest.mark.timeout(3600)]

CUTS = 100
BLOCK = 4096
LUCK = 0.5
"""How likely a block is on the disk that nobody has waited for."""
APART = 4.0
"""Seconds of play between two cuts at most."""
SOURCE = Path(__file__).with_name("power_cut.c")


@pytest.fixture
def shim(tmp_path: Path) -> Path:
    made = tmp_path / "power_cut.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-o", made, SOURCE, "-ldl"], check=True)
    return made


def after_the_cut(file: Path, chance: Random, luck: float) -> None:
    """Make a file what a disk may have of it: what is certain, and the rest with some luck."""
    kept = file.with_name(f"{file.name}.durable")
    certain = kept.read_bytes() if kept.exists() else b""
    if not file.exists():  # it was removed, after all in it had been synced elsewhere
        kept.unlink(missing_ok=True)
        return
    written = file.read_bytes()
    size = len(written) if chance.random() < luck else len(certain)
    blocks = range(0, size, BLOCK)
    whole = b"".join(
        (written if chance.random() < luck else certain)[at : at + BLOCK].ljust(BLOCK, b"\0")
        for at in blocks
    )
    for path in (file, kept):
        path.write_bytes(whole[:size])


def cut_power(server: Deployment, database: Path, chance: Random, luck: float) -> None:
    for service in server.services:
        service.stop_at_once()
    for end in ("", "-wal"):
        after_the_cut(database.with_name(database.name + end), chance, luck)
    database.with_name(f"{database.name}-shm").unlink(missing_ok=True)


def played_through_cuts(
    folder: Path, url: str, shim: Path, cuts: int, run: table.Run, careless: bool = False
) -> Figures:
    chance, ledger = Random(run.seed), Ledger()
    database = Path(url.removeprefix("sqlite:///"))
    seated = seat_everybody(url, count=12)
    for end in ("", "-wal"):  # what the test has written itself is on the disk
        found = database.with_name(database.name + end)
        if found.exists():
            shutil.copyfile(found, found.with_name(f"{found.name}.durable"))
    settings = {"LD_PRELOAD": str(shim), "POWER_CUT_FILES": ".db:.db-wal"}
    module = "tests.faults.careless" if careless else ""
    with Mailroom() as mailroom:
        server = Deployment(
            *(folder, url, mailroom.url, settings),
            app=f"{module}:app" if module else "",
            worker=module or "tests.faults.hasty_worker",
        )
        excuses = list[float]()
        robots = Robots(server.port, server.lmtp_port, ledger, run.seed, seated.sheets)
        mailroom.read = robots.read
        with server.running(), robots:
            for _ in range(cuts):
                before = len(ledger)
                patience = time.monotonic() + 60
                while len(ledger) < before + 5 and time.monotonic() < patience:
                    time.sleep(0.05)
                time.sleep(chance.uniform(0.1, APART))
                cut_power(server, database, chance, 0.0 if careless else LUCK)
                excuses.append(time.monotonic())
                for service in server.services:
                    service.start()
            server.wait_until_up()
            robots.stop()
            settle(url)
        return check(url, ledger, mailroom, excuses)


def test_what_was_acknowledged_outlives_a_power_cut(
    sqlite_store: str, tmp_path: Path, shim: Path
) -> None:
    run = table.begin("power cut", sqlite_store)

    figures = played_through_cuts(tmp_path, sqlite_store, shim, CUTS, run)

    table.write(run, CUTS, figures)
    assert figures.is_clean, figures.faults
    assert figures.acknowledged >= 5 * CUTS, "hardly anything was going on"


def test_a_server_that_does_not_wait_for_the_disk_is_seen_to_lose_moves(
    sqlite_store: str, tmp_path: Path, shim: Path
) -> None:
    """The control: whatever passes above could fail."""
    run = table.begin("power cut, synchronous=OFF (control)", sqlite_store)

    figures = played_through_cuts(tmp_path, sqlite_store, shim, 1, run, careless=True)

    table.write(run, 1, figures)
    assert figures.lost > 0
