"""What was answered with 250 takes effect once, whatever is killed and however often it comes."""

from __future__ import annotations

import smtplib
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from random import Random

import pytest

from pbem.db import store
from pbem.db.store import row, rows
from pbem.incoming import reading
from pbem.incoming.ways import lmtp
from pbem.key_ring import ring
from pbem.services.inbox import working
from pbem.services.inbox.door import InboxDoor
from pbem.services.players.process_settings import settings
from pbem.services.records.match_rows import get_match
from tests.kit.mail_taker import AUTHSERV_ID
from tests.mail.posting import KEYS
from tests.services.inbox.mailing import raw_mail, reply_address
from tests.services.inbox.test_replies import whole_turn
from tests.services.people import BOB, NOW, sit_down, turn_of

ROOT = Path(__file__).parents[3]
KILLS = pytest.mark.parametrize("kills", [20, pytest.param(200, marks=pytest.mark.slow)])
REPLIES = pytest.mark.parametrize("count", [30, pytest.param(500, marks=pytest.mark.slow)])
COPIES, WORKERS, SENDERS = 3, 3, 8
A_ROUND = 3
"""Mails that are on their way when somebody is killed, beside those that come again."""


class Reply:
    """A mail with a whole turn for one match."""

    def __init__(self, number: int) -> None:
        self.match = sit_down(NOW).match
        self.to = reply_address(turn_of(self.match))
        self.orders = whole_turn(self.match)
        self.begun = get_match(self.match).head_seq
        verdict = f"Authentication-Results: {AUTHSERV_ID}; dmarc=pass header.from=example.org\r\n"
        words = raw_mail(self.to, "\r\n".join(self.orders), f"<{number}@client>")
        self.raw = verdict.encode() + words
        self.is_taken = False

    def send(self, path: str) -> None:
        """Until somebody has said 250, or hung up."""
        client = smtplib.LMTP(local_hostname="client")
        with suppress(OSError, smtplib.SMTPServerDisconnected), closing(client):
            client.connect(path)
            assert client.sock is not None
            client.sock.settimeout(30)
            client.sendmail(BOB, [self.to], self.raw)
            self.is_taken = True

    def plays(self) -> int:
        """How often its orders were played."""
        played, rest = divmod(get_match(self.match).head_seq - self.begun, len(self.orders))
        assert not rest, "half a turn"
        return played


def answers(match: str) -> int:
    found = row("SELECT COUNT(*) FROM outbox WHERE kind = 'reply' AND match_id = ?", match)
    assert found is not None
    return int(found[0])


def endings() -> dict[str, int]:
    return dict(rows("SELECT state, COUNT(*) FROM incoming GROUP BY state"))


# --- killed ---------------------------------------------------------------------------------------


class Taker:
    """Starts processes that take mail, and kills them."""

    def __init__(self, url: str, path: str) -> None:
        self.path, self._url, self._now = path, url, NOW

    def __enter__(self) -> Taker:
        self._nursery = subprocess.Popen(
            [sys.executable, "-m", "tests.kit.mail_taker", self._url, self.path],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._nursery.kill()
        self._nursery.communicate()

    @contextmanager
    def running(self) -> Iterator[None]:
        """A process, until it is killed at the end of the block; leases of others are over."""
        assert self._nursery.stdin is not None
        assert self._nursery.stdout is not None
        self._now += working.LEASE
        print(self._now, file=self._nursery.stdin, flush=True)
        number = self._nursery.stdout.readline().strip()
        try:
            yield
        finally:
            subprocess.run(["kill", "-9", number], check=True)
            assert self._nursery.stdout.readline() == "ended\n"

    def wait(self) -> None:
        """Until the process listens."""
        patience = time.monotonic() + 30
        with socket.socket(socket.AF_UNIX) as trial:
            while trial.connect_ex(self.path):
                assert time.monotonic() < patience, "nobody listens"
                time.sleep(0.005)


def send_all(replies: list[Reply], path: str) -> None:
    for reply in replies:
        reply.send(path)


@pytest.mark.whole
@KILLS
def test_killed_at_any_instant_nothing_is_lost_or_done_twice(
    stored: str, tmp_path: Path, kills: int
) -> None:
    chance = Random(kills)
    ring.use(lambda: KEYS)  # as the other process has them
    replies = [Reply(number) for number in range(A_ROUND * kills)]
    store.database.close()
    with Taker(stored, str(tmp_path / "lmtp")) as taker:
        span, interrupted, unread = 0.1, 0, 0
        for kill in range(kills):
            due = [one for one in replies[: A_ROUND * (kill + 1)] if not one.is_taken]
            with taker.running():
                taker.wait()
                sending = threading.Thread(target=send_all, args=(due, taker.path))
                begun = time.monotonic()
                sending.start()
                sending.join(chance.uniform(0, span))
                if not sending.is_alive():
                    span = max(0.02, 1.3 * (time.monotonic() - begun))
            sending.join()
            interrupted += not all(one.is_taken for one in due)
            unread += is_any_unread(stored)
        with taker.running():
            taker.wait()
            send_all([one for one in replies if not one.is_taken], taker.path)
            settle(stored)

    assert all(one.is_taken for one in replies)
    assert [one.plays() for one in replies] == [1] * len(replies)
    assert [answers(one.match) for one in replies] == [1] * len(replies)
    assert endings() == {"applied": len(replies)}
    assert min(interrupted, unread) >= kills // 20, "nobody was killed at a bad moment"


def is_any_unread(url: str) -> bool:
    """Whether somebody was killed before all was worked on that was kept."""
    store.open_database(url)
    with store.connected():
        return bool(set(endings()) - {"applied"})


def settle(url: str) -> None:
    """Until nothing is left to be worked on."""
    store.open_database(url)
    store.database.connect()
    patience = time.monotonic() + 60
    while set(endings()) - {"applied"}:
        assert time.monotonic() < patience, endings()
        time.sleep(0.05)


# --- delivered again ------------------------------------------------------------------------------


def work_until(is_over: threading.Event, name: str) -> None:
    while True:
        last = is_over.is_set()
        with store.connected():
            working.work(reading.read, name, NOW)
        if last:
            return


@pytest.mark.whole
@REPLIES
def test_delivered_three_times_at_once_it_is_one_move(
    stored: str, tmp_path: Path, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "authserv_id", AUTHSERV_ID)
    monkeypatch.setattr(lmtp, "MOST_CONNECTIONS", 2 * SENDERS)
    replies, is_over = [Reply(number) for number in range(count)], threading.Event()
    path = str(tmp_path / "lmtp")
    with (
        lmtp.listening(path, InboxDoor(lambda: None, lambda: NOW), "localhost"),
        ThreadPoolExecutor(WORKERS) as workers,
    ):
        working_on = [workers.submit(work_until, is_over, f"w:{n}") for n in range(WORKERS)]
        try:
            with ThreadPoolExecutor(SENDERS) as senders:
                for reply in replies:
                    for _ in range(COPIES):
                        senders.submit(reply.send, path)
        finally:
            is_over.set()
        for one in working_on:
            one.result()

    assert all(one.is_taken for one in replies)
    assert endings() == {"applied": count}
    assert [one.plays() for one in replies] == [1] * count
    assert [answers(one.match) for one in replies] == [1] * count
