"""The worker: drains the outbox, prunes, goes on after a failure, ends cleanly."""

from __future__ import annotations

import os
import resource
import signal
import smtplib
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

import pytest
from peewee import OperationalError

from pbem import worker
from pbem.config import Config
from pbem.db import store
from pbem.services.letters import delivery, mail_settings, outbox
from pbem.services.operations import health
from pbem.services.operations.disk_space import Room
from pbem.services.players import process_settings
from pbem.services.self_service import requests
from pbem.worker import Rhythm
from tests.pbem.visiting import NOW
from tests.services.inbox.mailing import raw_mail, reply_address, states
from tests.services.people import BOB, compose, play_to_the_end, sit_down, turn_of

ROOT = Path(__file__).parents[2]


def wait_until(true: Callable[[], object], seconds: float = 30) -> None:
    patience = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < patience, "this takes too long"
        time.sleep(0.05)


def letters_in(folder: Path) -> list[Path]:
    return list(folder.glob("*.eml"))


@pytest.fixture
def begun(config: Config) -> Config:
    """A database in which Ann and Bob have begun."""
    store.open_database(config.database_url)
    with store.connected():
        store.migrate()
        sit_down(int(time.time()))
    return config


def test_it_works_beside_the_pages(begun: Config) -> None:
    with worker.in_background(begun):
        wait_until(lambda: len(letters_in(begun.mailbox)) == 2)
    with store.connected():
        states = dict(store.rows("SELECT state, COUNT(*) FROM outbox GROUP BY state"))
    assert states == {"sent": 2, "superseded": 3}


def test_a_failure_does_not_stop_it(begun: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[int] = []

    def fail(*_: object) -> None:
        tries.append(1)
        raise RuntimeError("the mail server is on fire")

    monkeypatch.setattr(outbox, "drain", fail)
    with worker.in_background(begun, Rhythm(drain=0.05)):
        wait_until(lambda: len(tries) > 2)


def test_who_stops_while_the_clock_is_wrong_goes_by_steady_time(
    begun: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled, right = list[int](), int(time.time())
    monkeypatch.setattr(delivery, "settle", lambda office, name, now: settled.append(now))
    with worker.in_background(begun):
        wait_until(lambda: len(letters_in(begun.mailbox)) == 2)
        with store.connected():
            wait_until(lambda: store.rows("SELECT ticked_at FROM heartbeat"))
        monkeypatch.setattr(time, "time", lambda: right + 400 * worker.DAY)

    assert right <= settled[0] < right + 60


def test_it_takes_mail_and_works_on_it(begun: Config, tmp_path: Path) -> None:
    path = str(tmp_path / "lmtp")
    process_settings.make_known(begun)
    with store.connected():
        ((match,),) = store.rows("SELECT id FROM match")
        to = reply_address(turn_of(match))
    with worker.in_background(replace(begun, lmtp_listen=path), Rhythm(drain=2, work=0.1)):
        with smtplib.LMTP(path, local_hostname="client") as client:
            client.sendmail(BOB, [to], raw_mail(to))
        with store.connected():
            wait_until(lambda: [state for state, _ in states()] == ["asked"])
    assert not Path(path).exists()


def test_a_question_that_breaks_stops_no_letter(
    begun: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OperationalError("the database is locked")

    monkeypatch.setattr(requests, "answer_all", fail)
    with worker.in_background(begun):
        wait_until(lambda: len(letters_in(begun.mailbox)) == 2)


def test_jobs_tick_drain_read_play_mend_end_prune_tell_look_around_and_rehearse(
    begun: Config,
) -> None:
    office = mail_settings.open_mail(begun)
    now = int(time.time())
    jobs = worker.jobs(
        office, worker.RHYTHM["production"], Room(begun.database_url, 1), now=lambda: now
    )
    for job, _ in jobs:
        job()

    assert [seconds for _, seconds in jobs] == [20, 5, 2, 1, 300, 3_600, 86_400, 3_600, 3_600, 20]
    with store.connected():
        assert store.rows("SELECT ticked_at FROM heartbeat") == [(now,)]
        assert store.rows("SELECT seen_at FROM signing_key") == [(now,)]
        assert store.rows("SELECT COUNT(*) FROM figure WHERE kind = 'turns'") == [(30,)]
    assert len(letters_in(begun.mailbox)) == 2
    assert store.database.is_closed()


def test_pruning_takes_drafts_of_closed_turns_only(begun: Config) -> None:
    with store.connected():
        sitting = sit_down(NOW)
        turn = turn_of(sitting.match)
        compose(turn.id, ["first usa"], NOW)
        health.prune(NOW)  # what was counted while the store was made is over
        assert health.prune(NOW) == 0
        play_to_the_end(sitting.match, NOW)
        store.execute(
            "INSERT INTO draft (turn_id, orders, updated_at) VALUES (?, '[]', ?)", turn.id, NOW
        )
        assert health.prune(NOW) == 1
        assert store.rows("SELECT * FROM draft") == []


@pytest.mark.whole
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_the_command_works_and_ends_cleanly(begun: Config, tmp_path: Path, sign: int) -> None:
    env = {
        **os.environ,
        "PBEM_DATABASE_URL": begun.database_url,
        "PBEM_SECRET_KEYS": "a-key-for-the-tests-that-is-long-enough",
        "PYTHONPATH": str(ROOT),
    }
    with subprocess.Popen(
        [sys.executable, "-m", "pbem.cli", "worker"],
        cwd=tmp_path,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            wait_until(lambda: len(letters_in(tmp_path / "var" / "mailbox")) == 2)
            process.send_signal(sign)
            output, _ = process.communicate(timeout=30)
        finally:
            process.kill()

    assert process.returncode == 0, output
    assert "Traceback" not in output


# --- a clock that is set -------------------------------------------------------------------------


@pytest.mark.whole
@pytest.mark.parametrize("days", [400, -400, 60_000])
def test_it_works_on_when_the_clock_is_set(
    begun: Config, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    """Who counts what was missed needs gigabytes; who is set back sleeps for a year."""
    shift, runs = [timedelta()], list[float]()

    class Wall(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Wall:
            real = datetime.now(tz) + shift[0]
            return cls.fromtimestamp(real.timestamp(), tz)

    monkeypatch.setattr("apscheduler.schedulers.base.datetime", Wall)
    monkeypatch.setattr(worker, "datetime", Wall)
    monkeypatch.setattr(worker, "LONGEST_WAIT", 1)
    monkeypatch.setattr(
        worker, "jobs", lambda *_, **__: [(lambda: runs.append(time.monotonic()), 1)]
    )
    with worker.in_background(begun):
        wait_until(lambda: runs)
        before = memory()
        shift[0] = timedelta(days=days)
        set_at = time.monotonic()
        wait_until(lambda: len([run for run in runs if run > set_at + 1]) >= 2, seconds=20)
        assert memory() - before < 20_000, "kilobytes"


def memory() -> int:
    """The most memory that this process has needed so far, in kilobytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
