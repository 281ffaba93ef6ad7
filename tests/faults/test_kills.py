"""kill -9 at random instants of web, worker and inbox in turn, while robots play both games."""

from __future__ import annotations

import time
from pathlib import Path
from random import Random

import pytest

from tests.faults import table
from tests.faults.checking import check, settle
from tests.faults.deployment import Deployment
from tests.faults.ledger import Ledger, Mailroom
from tests.faults.robots import Robots
from tests.faults.seating import seat_everybody

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

FEW, MANY = 6, 200
APART = 3.0
"""Seconds between two kills at most."""


@pytest.mark.timeout(300)
def test_killed_a_few_times(sqlite_store: str, tmp_path: Path) -> None:
    play_through_kills(sqlite_store, tmp_path, FEW)


@pytest.mark.slow
def test_killed_two_hundred_times(store_url: str, tmp_path: Path) -> None:
    play_through_kills(store_url, tmp_path, MANY)


def play_through_kills(store_url: str, tmp_path: Path, instants: int) -> None:
    run = table.begin("kill -9", store_url)
    chance, ledger = Random(run.seed), Ledger()
    seated = seat_everybody(store_url, count=max(8, instants // 4))
    with Mailroom() as mailroom:
        server = Deployment(tmp_path, store_url, mailroom.url)
        robots = Robots(server.port, server.lmtp_port, ledger, run.seed, seated.sheets)
        mailroom.read = robots.read
        with server.running(), robots:
            for instant in range(instants):
                time.sleep(chance.uniform(0.2, APART))
                server.services[instant % 3].kill(chance)
            time.sleep(APART)
            robots.stop()
            server.wait_until_up()
            settle(store_url)
        excuses = [at for one in (server.worker, server.inbox) for at in one.deaths]
        figures = check(store_url, ledger, mailroom, excuses)
    table.write(run, instants, figures)

    assert not robots.faults
    assert figures.is_clean, figures.faults
    assert figures.acknowledged >= instants, "hardly anything was going on"
