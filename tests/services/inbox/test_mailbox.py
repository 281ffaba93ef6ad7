"""A mailbox that cannot be reached is tried again, and stops the deadlines meanwhile."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from pbem import worker
from pbem.db.store import rows
from pbem.errors import NoRoom
from pbem.incoming.ways import imap
from pbem.services.inbox.door import InboxDoor
from pbem.services.inbox.mailbox import PATIENCE, Mailbox
from pbem.services.operations.disk_space import Room
from tests.mail.posting import Bag, office_with
from tests.services.people import NOW, Sitting

URL = "imaps://ann:s3cret@mail.test/INBOX"


class Stopwatch:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def passed() -> Stopwatch:
    return Stopwatch()


@pytest.fixture
def mailbox(passed: Stopwatch) -> Mailbox:
    return Mailbox(URL, InboxDoor(lambda: None, lambda: NOW), passed)


def out_of_reach(*_: object) -> int:
    raise imap.Unreached("the mailbox of PBEM_IMAP_URL: gaierror")


@pytest.mark.parametrize("trouble", [imap.Unreached("gaierror"), NoRoom("full")])
def test_it_is_cut_off_after_a_while(
    mailbox: Mailbox,
    passed: Stopwatch,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    trouble: Exception,
) -> None:
    def fail(*_: object) -> int:
        raise trouble

    monkeypatch.setattr(imap, "fetch", fail)
    passed.now += PATIENCE
    with caplog.at_level(logging.INFO):
        mailbox.fetch()
    assert not mailbox.is_cut_off()
    passed.now += 1
    assert mailbox.is_cut_off()
    assert "no mail was fetched" in caplog.text
    assert "s3cret" not in caplog.text

    monkeypatch.setattr(imap, "fetch", lambda *_: 0)
    mailbox.fetch()
    assert not mailbox.is_cut_off()


def test_nobody_is_timed_out_by_a_worker_that_is_cut_off(
    sitting: Sitting,
    mailbox: Mailbox,
    passed: Stopwatch,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(imap, "fetch", out_of_reach)
    room, rhythm = Room(f"sqlite:///{tmp_path}/x", 0), worker.RHYTHM["production"]
    fetch, tick, *_ = [
        job
        for job, _ in worker.jobs(
            office_with(Bag()), rhythm, room, lambda: NOW, passed, mailbox=mailbox
        )
    ]
    passed.now += PATIENCE + 1
    fetch()
    tick()
    assert rows("SELECT ticked_at FROM heartbeat") == []

    monkeypatch.setattr(imap, "fetch", lambda *_: 0)
    fetch()
    tick()
    assert rows("SELECT ticked_at FROM heartbeat") == [(NOW,)]
