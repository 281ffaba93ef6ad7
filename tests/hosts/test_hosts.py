"""Hosts are killed and cut off while robots play both games through nginx on what is left."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest
import pytest_socket

from pbem.db.store import rows
from tests.faults import table
from tests.faults.checking import check, settle
from tests.faults.ledger import Ledger, Mailroom
from tests.faults.robots import Robots
from tests.faults.seating import looking_into, seat_everybody
from tests.hosts.machines import FrontSite, HostedPostgres, Machines
from tests.kit import smtp_sink
from tests.kit.network import Network
from tests.kit.nginx import NGINX
from tests.kit.smtp_sink import self_signed
from tests.kit.stores import make_tables

pytestmark = [pytest.mark.hosts, pytest.mark.postgres, pytest.mark.slow]

LONGEST_CUT = 12.0
"""Seconds; some connections live through that, some do not."""
APART = 4.0
GATEWAY = ("502", "504")
"""What nginx says when a host dies in the middle of a press; whoever reads it presses again."""
PLAY_ON = 240.0
"""Seconds in which every match must have moved on after the last fault."""


@pytest.fixture
def network() -> Iterator[Network]:
    with Network() as made:
        pytest_socket.socket_allow_hosts(["127.0.0.1", f"{made.net}.0/24"], allow_unix_socket=True)
        yield made


def heads(url: str) -> dict[str, tuple[str, int]]:
    """How far each match is, with its status."""
    with looking_into(url):
        found = rows("SELECT id, status, head_seq FROM match")
    return {match: (status, head) for match, status, head in found}


def wait_until_all_moved_on(url: str, before: dict[str, tuple[str, int]]) -> None:
    patience = time.monotonic() + PLAY_ON
    while still := [m for m, at in heads(url).items() if at == before[m] and at[0] == "live"]:
        assert time.monotonic() < patience, f"nothing happens in {still}"
        time.sleep(0.5)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("faults", "matches"),
    [
        pytest.param(2, 4, marks=pytest.mark.whole),
        pytest.param(60, 24, marks=pytest.mark.slow),
    ],
)
def test_hosts_die_and_are_cut_off_and_no_move_is_lost(
    network: Network,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    faults: int,
    matches: int,
) -> None:
    certificate = self_signed(tmp_path)
    if NGINX is None or certificate is None:
        pytest.skip("no nginx or no openssl on this machine")
    monkeypatch.setattr(smtp_sink, "LOOPBACK", network.own)
    with ExitStack() as here:
        database = HostedPostgres(network.add("database"), network)
        here.enter_context(database)
        url = database.create_database()
        make_tables(url)
        run = table.begin("hosts killed and cut off", url)
        chance, ledger, mailroom = Random(run.seed), Ledger(), here.enter_context(Mailroom())
        seated = seat_everybody(url, matches)
        machines = Machines(tmp_path, network, database, url, mailroom.port)
        site = FrontSite(tmp_path, certificate, [one.host for one in machines.web])
        with machines.running(site):
            robots = Robots(site.port, 0, ledger, run.seed, seated.sheets)
            mailroom.read = robots.read
            with robots:
                for _ in range(faults):
                    time.sleep(chance.uniform(0.5, APART))
                    print(machines.trouble(chance, min(LONGEST_CUT, 2.0 * faults)))
                wait_until_all_moved_on(url, heads(url))
                robots.stop()
            machines.wait_until_up()
            settle(url)
        figures = check(url, ledger, mailroom, machines.excuses)
    table.write(run, faults, figures)

    unexcused = [one for one in robots.faults if not one.startswith(GATEWAY)]
    assert not unexcused
    assert figures.is_clean, (figures.faults, machines.logged())
    assert figures.acknowledged >= 3 * faults, "hardly anything was going on"
