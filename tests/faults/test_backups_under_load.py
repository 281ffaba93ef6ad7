"""Backups made while robots play: whole, with what was acknowledged, and good to be restored."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from pbem.db import store
from pbem.services.operations import backups
from pbem.services.operations.restoring import restoring, sealed_files
from tests.faults import table
from tests.faults.checking import check, half_applied, lost_of, settle
from tests.faults.deployment import Deployment
from tests.faults.ledger import Acknowledged, Ledger, Mailroom
from tests.faults.robots import Robots
from tests.faults.seating import looking_into, seat_everybody
from tests.faults.test_disk_full import wait_for_moves

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

BACKUPS = 20


class Copied(NamedTuple):
    """A backup, and how much had been acknowledged when it was begun."""

    file: Path
    acknowledged: int


@pytest.fixture
def new_place(store_url: str, tmp_path: Path, request: pytest.FixtureRequest) -> Callable[[], str]:
    """Empty databases of the kind of the store."""
    if store_url.startswith("sqlite"):
        numbers = iter(range(BACKUPS))
        return lambda: f"sqlite:///{tmp_path}/back{next(numbers)}.db"
    server = request.getfixturevalue("postgres_server")
    return lambda: str(server.create_database())


@pytest.fixture(autouse=True)
def closed_again() -> Iterator[None]:
    yield
    if not store.database.is_closed():
        store.database.close()


def test_every_backup_under_load_can_be_restored(
    store_url: str, tmp_path: Path, new_place: Callable[[], str]
) -> None:
    run = table.begin("backups under load", store_url)
    chance, ledger, copies = Random(run.seed), Ledger(), list[Copied]()
    seated = seat_everybody(store_url, count=12)
    with Mailroom() as mailroom:
        server = Deployment(tmp_path, store_url, mailroom.url)
        robots = Robots(server.port, server.lmtp_port, ledger, run.seed, seated.sheets)
        mailroom.read = robots.read
        with server.running(), robots:
            for number in range(BACKUPS):
                wait_for_moves(ledger, 5)
                time.sleep(chance.uniform(0, 1))
                copies.append(Copied(tmp_path / f"copy{number}", len(ledger)))
                server.command("backup", str(copies[-1].file))
            robots.stop()
            settle(store_url)
        figures = check(store_url, ledger, mailroom)
    wrong = [put_back(one, new_place(), ledger.acknowledged) for one in copies]
    lost, half = (sum(len(one[kind]) for one in wrong) for kind in (0, 1))
    table.write(run, BACKUPS, figures._replace(lost=lost, half_applied=half))

    assert not robots.faults
    assert figures.is_clean, figures.faults
    assert wrong == [([], [])] * BACKUPS


def put_back(copied: Copied, url: str, acknowledged: list[Acknowledged]) -> tuple[list[str], ...]:
    """What a backup does not hold, and what is only half in it; then it begins a new timeline."""
    plain = copied.file.with_suffix(".plain")
    with looking_into("sqlite:///:memory:"):
        sealed_files.open_into(copied.file, plain)
    if url.startswith("sqlite"):
        plain.rename(url.removeprefix("sqlite:///"))
    else:
        backups.run_at(url, ["pg_restore", "--exit-on-error", "--no-owner", str(plain)])
    with looking_into(url):
        missing = lost_of(acknowledged, copied.acknowledged)
        lost = [one for one in missing if "what='mail'" not in one]  # one may not be read yet
        half = half_applied()
    store.database.close()
    restoring.adopt(url, int(time.time()), lambda done, total: None)
    with looking_into(url):
        half += half_applied()
    return lost, half
