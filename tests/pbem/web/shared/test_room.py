"""A disk that is nearly full: nothing is accepted or sent, nothing is lost, all goes on after."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from pbem import worker
from pbem.app import create_app
from pbem.config import Config
from pbem.db import store
from pbem.deadlines import HOUR
from pbem.links import Links
from pbem.services.letters.mail_settings import open_mail
from pbem.services.operations.disk_space import LOOK_AGAIN, Room
from pbem.services.records.match_rows import open_turns
from tests.kit.stores import on_sqlite
from tests.pbem.table import Table
from tests.pbem.visiting import NOW, Clock, everything
from tests.services.people import ANN


class Disk:
    """Has as much room as it is told, and counts how often it is asked."""

    def __init__(self, free_mb: int) -> None:
        self.free_mb, self.asked, self.now = free_mb, 0, 0.0

    def look(self, folder: Path) -> SimpleNamespace:
        self.asked += 1
        self.now += LOOK_AGAIN / 10
        return SimpleNamespace(f_bavail=self.free_mb * 256, f_frsize=4096)

    def room(self, url: str = "sqlite:////somewhere/pbem.db") -> Room:
        return Room(url, 200, self.look, lambda: self.now)


@pytest.fixture
def disk() -> Disk:
    return Disk(5_000)


@pytest.fixture
def crowded(app: Flask, disk: Disk) -> FlaskClient:
    """A browser at a server with that disk."""
    app.extensions["pbem"] = replace(app.extensions["pbem"], room=disk.room())
    return app.test_client()


def test_the_file_system_is_asked_every_few_seconds(disk: Disk) -> None:
    room = disk.room()
    assert [room.is_short() for _ in range(100)] == [False] * 100
    assert disk.asked == 1
    disk.free_mb = 199
    assert not room.is_short()
    disk.now += LOOK_AGAIN
    assert room.is_short()
    disk.free_mb, disk.now = 200, disk.now + LOOK_AGAIN
    assert not room.is_short()


def test_the_disk_of_the_file_is_looked_at(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'pbem.db'}"
    assert Room(url, 1_000_000_000).is_short()
    assert not Room(url, 1).is_short()
    assert not Room(url, 0).is_short()


@pytest.mark.parametrize("url", ["postgresql:///pbem", "sqlite:///:memory:"])
def test_other_databases_look_after_their_own_disks(disk: Disk, url: str) -> None:
    disk.free_mb = 0
    assert not disk.room(url).is_short()
    assert disk.asked == 0


def test_nothing_is_accepted_that_may_not_be_kept(
    crowded: FlaskClient, links: Links, disk: Disk
) -> None:
    table = Table(crowded, links)
    disk.free_mb, disk.now = 100, disk.now + LOOK_AGAIN
    before = everything()
    paths = ["/you", table.seat_path(0), table.turn_path(), f"/api/v1/turn/{table.turn_token()}"]
    answers = [crowded.post(path, data={"address": ANN, "text": "hello"}) for path in paths]

    assert [answer.status_code for answer in answers] == [503] * 4
    assert {answer.headers["Retry-After"] for answer in answers} == {"60"}
    assert "disk is full" in answers[0].text
    assert answers[3].get_json()["error"]["code"] == "busy"
    assert everything() == before
    assert crowded.get(table.turn_path()).status_code == 200, "looking is free"

    disk.free_mb, disk.now = 300, disk.now + LOOK_AGAIN
    assert crowded.post(table.seat_path(0), data={"text": "hello"}).status_code == 303


def test_health_says_so(crowded: FlaskClient, disk: Disk) -> None:
    assert crowded.get("/healthz").status_code == 200
    disk.free_mb, disk.now = 100, disk.now + LOOK_AGAIN
    answer = crowded.get("/healthz")
    assert (answer.status_code, answer.get_json()["ok"]) == (503, False)
    assert "disk" in answer.get_json()["trouble"]


def test_the_worker_waits_and_nobody_loses_time(
    crowded: FlaskClient,
    config: Config,
    links: Links,
    disk: Disk,
    clock: Clock,
) -> None:
    table, office = Table(crowded, links), open_mail(config)
    rhythm, passed = worker.RHYTHM["production"], lambda: float(clock.now)
    jobs = [job for job, _ in worker.jobs(office, rhythm, disk.room(), clock, passed)]

    def work() -> None:
        disk.now += LOOK_AGAIN
        for job in jobs:
            job()

    store.database.close()
    work()
    with store.connected():
        (turn,) = open_turns(table.id)
    letters = len(list(config.mailbox.iterdir()))
    disk.free_mb, clock.now = 100, NOW + HOUR
    assert crowded.get("/healthz").status_code == 503
    work()
    with store.connected():
        assert store.rows("SELECT ticked_at FROM heartbeat") == [(NOW,)]
    disk.free_mb, clock.now = 300, NOW + 20 * HOUR
    work()

    with store.connected():
        assert open_turns(table.id)[0].deadline_at == turn.deadline_at + 20 * HOUR
    assert len(list(config.mailbox.iterdir())) == letters


@on_sqlite  # another kind of database may have its disk elsewhere
def test_the_setting_is_used(config: Config) -> None:
    client = create_app(replace(config, min_free_mb=1_000_000_000)).test_client()
    assert client.post("/you", data={"address": ANN}).status_code == 503
