"""The disk is full at COMMIT: refusals are temporary, nothing is lost, and room is used again."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.faults import table
from tests.faults.checking import check, settle
from tests.faults.deployment import Deployment
from tests.faults.ledger import Ledger, Mailroom
from tests.faults.robots import Robots
from tests.faults.seating import seat_everybody
from tests.kit.small_disk import SmallDisk

pytestmark = [pytest.mark.mounting, pytest.mark.slow, pytest.mark.timeout(3600)]

MEGABYTES = 64
FULL_SECONDS = 6.0
BACK_SECONDS = 60.0
TEMPORARY = {"503", "451", "452", "421"}


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with SmallDisk(tmp_path / "disk", MEGABYTES) as disk:
        yield disk


@pytest.mark.parametrize(
    ("floor", "rounds"), [("0", 20), ("8", 5)], ids=["at COMMIT", "below the floor"]
)
def test_a_full_disk_refuses_and_loses_nothing(
    sqlite_store: str, disk: SmallDisk, tmp_path: Path, floor: str, rounds: int
) -> None:
    """With a floor of 0 nobody looks how much is free: SQLite fails in the middle of a move."""
    database = shutil.copyfile(sqlite_store.removeprefix("sqlite:///"), disk.folder / "pbem.db")
    url = f"sqlite:///{database}"
    run = table.begin(f"disk full, floor {floor} MB", url)
    chance, ledger, slowest = Random(run.seed), Ledger(), 0.0
    seated = seat_everybody(url, count=12)
    with Mailroom() as mailroom:
        server = Deployment(tmp_path, url, mailroom.url, {"PBEM_MIN_FREE_MB": floor})
        excuses = list[float]()
        robots = Robots(server.port, server.lmtp_port, ledger, run.seed, seated.sheets)
        mailroom.read = robots.read
        with server.running(), robots:
            for _ in range(rounds):
                wait_for_moves(ledger, 5)
                time.sleep(chance.uniform(0, 2))
                disk.fill()
                excuses.append(time.monotonic())
                time.sleep(chance.uniform(FULL_SECONDS / 2, FULL_SECONDS))
                excuses.append(time.monotonic())
                disk.make_room()
                slowest = max(slowest, wait_for_moves(ledger, 3))
            robots.stop()
            settle(url)
        figures = check(url, ledger, mailroom, excuses)
    table.write(run, rounds, figures)

    assert not robots.faults
    assert figures.is_clean, figures.faults
    assert TEMPORARY & set(ledger.refusals), f"nobody was refused anything: {ledger.refusals}"
    assert slowest < BACK_SECONDS
    assert [one.started for one in server.services] == [1, 1, 1], "it recovers without a restart"


def wait_for_moves(ledger: Ledger, count: int) -> float:
    """Until so many more were acknowledged; after how many seconds."""
    begun, before = time.monotonic(), len(ledger)
    while len(ledger) < before + count:
        assert time.monotonic() < begun + 2 * BACK_SECONDS, f"nothing moves: {ledger.refusals}"
        time.sleep(0.05)
    return time.monotonic() - begun
