"""PostgreSQL restarted, crashed, and failed over to a standby, while robots play both games."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from tests.faults import table
from tests.faults.checking import check, settle
from tests.faults.deployment import Deployment
from tests.faults.ledger import Ledger, Mailroom
from tests.faults.robots import Robots
from tests.faults.seating import seat_everybody
from tests.faults.test_disk_full import BACK_SECONDS, wait_for_moves
from tests.kit.postgres import PostgresServer, Standby, either
from tests.kit.stores import make_tables

pytestmark = [pytest.mark.postgres, pytest.mark.slow, pytest.mark.timeout(3600)]

RESTARTS, FAILOVERS = 20, 5
AWAY = (signal.SIGINT, signal.SIGQUIT)
"""Asked to stop, and a crash."""


@pytest.fixture
def own_server() -> Iterator[PostgresServer]:
    """One that no other test looks at."""
    with PostgresServer() as server:
        yield server


def play_on(
    run: table.Run, url: str, folder: Path, times: int, disturb: Callable[[int], str]
) -> None:
    """Robots play while the database goes away; `disturb` says where it is afterwards."""
    chance, ledger, slowest = Random(run.seed), Ledger(), 0.0
    seated = seat_everybody(url, count=12)
    with Mailroom() as mailroom:
        server, excuses = Deployment(folder, url, mailroom.url), list[float]()
        robots = Robots(server.port, server.lmtp_port, ledger, run.seed, seated.sheets)
        mailroom.read = robots.read
        with server.running(), robots:
            for number in range(times):
                wait_for_moves(ledger, 5)
                time.sleep(chance.uniform(0, 2))
                excuses.append(time.monotonic())
                url = disturb(number)
                excuses.append(time.monotonic())
                slowest = max(slowest, wait_for_moves(ledger, 3))
            robots.stop()
            settle(url)
            starts = [one.started for one in server.services]
        figures = check(url, ledger, mailroom, excuses)
    table.write(run, times, figures)

    assert not robots.faults
    assert figures.is_clean, figures.faults
    assert slowest < BACK_SECONDS
    assert starts == [1, 1, 1], "it recovers without a restart"


def test_restarted_in_the_middle(own_server: PostgresServer, tmp_path: Path) -> None:
    url = own_server.create_database()
    make_tables(url)
    run = table.begin("PostgreSQL restarted", url)

    def disturb(number: int) -> str:
        own_server.restart(AWAY[number % 2])
        return url

    play_on(run, url, tmp_path, RESTARTS, disturb)


@pytest.mark.parametrize("number", range(FAILOVERS))
def test_failed_over_to_a_standby(own_server: PostgresServer, tmp_path: Path, number: int) -> None:
    url = own_server.create_database()
    make_tables(url)
    run = table.begin("PostgreSQL failed over", url)
    with Standby(own_server) as standby:
        own_server.wait_for_standby()

        def disturb(_: int) -> str:
            own_server.vanish()
            standby.promote()
            return standby.url(url.partition("?")[0].rpartition("/")[2])

        play_on(run, either(own_server, standby, url), tmp_path, 1, disturb)
