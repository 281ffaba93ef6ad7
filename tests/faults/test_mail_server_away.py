"""A mail server that is away for an hour, drips its answers, or is cut off at any word."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from pbem.db import store
from pbem.db.store import rows
from pbem.deadlines import HOUR, MINUTE
from pbem.key_ring import ring
from pbem.mail.lanes import Lanes
from pbem.mail.smtp_client import Timeouts
from pbem.mail.transport import SmtpTransport
from pbem.services.letters import delivery
from pbem.services.letters.mail_settings import MailSettings
from tests.faults import table
from tests.faults.checking import Figures, check, settle
from tests.faults.deployment import Deployment
from tests.faults.ledger import Ledger, Mailroom
from tests.faults.robots import Robots
from tests.faults.seating import seat_everybody
from tests.faults.test_disk_full import wait_for_moves
from tests.kit.cutting_relay import STAGES, At, CuttingRelay
from tests.kit.smtp_sink import Act
from tests.mail.posting import KEYS, WORKER, office_with, outbox, owe_you
from tests.services.people import NOW

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

LETTERS, MOODS = 1_000, 40
HASTE = Timeouts(5, 5, 5, 5, 8)
SLOW = 0.5
BEHIND_THE_DOT = (At("dot", "unanswered"),)
"""Only then does a server have a letter of which the sender has not heard."""


@pytest.fixture
def stored(store_url: str) -> Iterator[str]:
    ring.use(lambda: KEYS)
    store.open_database(store_url)
    with store.connected():
        yield store_url
    if not store.database.is_closed():
        store.database.close()


def office_to(url: str) -> MailSettings:
    def open_way() -> SmtpTransport:
        return SmtpTransport(url, "play.example", HASTE)

    return office_with(open_way())._replace(lanes=Lanes(open_way, SLOW))


def drain_all(office: MailSettings) -> None:
    """Until all letters have left, looking every ten minutes."""
    now, patience = NOW, time.monotonic() + 60
    while set(outbox("state")) != {"sent"}:
        assert time.monotonic() < patience, Counter(outbox("state"))
        delivery.drain(office, WORKER, now)
        now += 10 * MINUTE


# --- cut ------------------------------------------------------------------------------------------


def test_cut_at_every_word_no_letter_is_lost_or_doubled_for_nothing(stored: str) -> None:
    run, forced = table.begin("SMTP cut at every word", stored), 0
    with Mailroom() as mailroom, CuttingRelay(mailroom.port) as wire:
        for number, stage in enumerate(STAGES):
            office, copies = office_to(wire.url), sum(map(len, mailroom.copies.values()))
            for letter in range(4):
                owe_you(f"ann@s{number}x{letter % 2}.example", 1, NOW)
            wire.cut(stage)
            drain_all(office)
            office.close()
            extra = sum(map(len, mailroom.copies.values())) - copies - 4
            assert extra == (1 if stage in BEHIND_THE_DOT else 0), stage
            forced += extra
        assert wire.cuts == len(STAGES)
    same = all(len({copy.digest for copy in one}) == 1 for one in mailroom.copies.values())
    table.write(run, len(STAGES), Figures(4 * len(STAGES), 0, 0, 0, 0))

    assert len(mailroom.copies) == 4 * len(STAGES)
    assert same, "a letter that comes twice is the same letter"
    assert forced == len(BEHIND_THE_DOT)


# --- away -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_hour_without_a_mail_server(stored: str) -> None:
    run = table.begin("SMTP outage of an hour", stored)
    with Mailroom() as mailroom:
        office = office_to(mailroom.url)
        for number in range(LETTERS):
            owe_you(f"ann{number}@d{number % 25}.example", 1, NOW)
        with mailroom.refusing():
            for minute in range(0, 61):
                delivery.drain(office, WORKER, NOW + minute * MINUTE)
        assert not mailroom.copies

        back = NOW + HOUR
        first = None
        while set(outbox("state")) != {"sent"}:
            assert back < NOW + 3 * HOUR
            delivery.drain(office, WORKER, back)
            first = back if first is None and mailroom.copies else first
            back += MINUTE
        office.close()
    table.write(run, 1, Figures(LETTERS, LETTERS - len(mailroom.copies), 0, mailroom.extra, 0))

    assert len(mailroom.copies) == LETTERS
    assert mailroom.extra == 0
    assert first is not None
    assert first - NOW - HOUR <= 10 * MINUTE
    assert rows("SELECT COUNT(*) FROM outbox WHERE state = 'dead'") == [(0,)]


# --- under load -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_mail_server_with_moods_under_load(store_url: str, tmp_path: Path) -> None:
    """Away, dripping, busy or cut: play goes on by what letters were there, and then by all."""
    run = table.begin("SMTP moods under load", store_url)
    chance, ledger = Random(run.seed), Ledger()
    seated = seat_everybody(store_url, count=12)
    with Mailroom() as mailroom, CuttingRelay(mailroom.port) as wire:
        server, excuses = Deployment(tmp_path, store_url, wire.url), list[float]()
        robots = Robots(server.port, server.lmtp_port, ledger, run.seed, seated.sheets)
        mailroom.read = robots.read
        with server.running(), robots:
            wait_for_moves(ledger, 5)
            for _ in range(MOODS):
                stages = chance.sample(STAGES, 3)
                wire.cut(*stages)
                mailroom.script(*[Act(rcpt="450 4.2.1 busy")] * chance.randrange(3))
                mailroom.drip = chance.choice([0.0, 0.0, 0.02])
                with mailroom.refusing():
                    time.sleep(chance.uniform(0, 2))
                time.sleep(chance.uniform(0, 3))
                excuses.append(time.monotonic())
            mailroom.drip = 0.0
            robots.stop()
            wait_for_letters(store_url)
            settle(store_url)
        excuses += moments_of_cuts(mailroom)
        figures = check(store_url, ledger, mailroom, excuses)
    table.write(run, MOODS, figures)

    assert not robots.faults
    assert figures.is_clean, figures.faults
    assert mailroom.extra <= wire.cuts


def wait_for_letters(url: str, seconds: float = 400) -> None:
    """Until also those have left that wait for their next try."""
    patience = time.monotonic() + seconds
    store.open_database(url)
    with store.connected():
        while rows("SELECT 1 FROM outbox WHERE state IN ('queued', 'leased') LIMIT 1"):
            assert time.monotonic() < patience, "letters wait for ever"
            time.sleep(0.5)


def moments_of_cuts(mailroom: Mailroom) -> list[float]:
    """Copies are counted against cuts as a whole; each may have been cut right after it came."""
    return [copy.at for copies in mailroom.copies.values() for copy in copies[:-1]]
