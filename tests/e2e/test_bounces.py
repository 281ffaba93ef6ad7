"""A letter to a mailbox that there is not comes back from a real Postfix: its reader is marked."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from pbem import worker
from pbem.config import Config
from pbem.db import store
from pbem.services.records.match_rows import get_match
from pbem.services.seats import deliveries, unreachable
from tests.e2e.test_mail_servers import QUICK, wait_until
from tests.kit.nginx import free_ports
from tests.kit.postfix import PLAY, PostfixServer
from tests.services.people import BOB, Sitting, sit_down

pytestmark = [pytest.mark.mailserver, pytest.mark.whole]


@pytest.fixture
def postfix() -> Iterator[PostfixServer]:
    """It takes letters to everybody, and Bob has no mailbox."""
    (port,) = free_ports(1)
    with PostfixServer(port, players=["ann"]) as server:
        yield server


def is_marked(sitting: Sitting) -> bool:
    with store.connected():
        return unreachable.since(sitting.bob) is not None


def test_a_letter_to_no_mailbox_marks_its_reader(postfix: PostfixServer, config: Config) -> None:
    with store.connected():
        sitting = sit_down(int(time.time()))
    with worker.in_background(config, QUICK):
        wait_until(lambda: is_marked(sitting))
        wait_until(lambda: any(one["X-PBEM-Kind"] == "away" for one in postfix.mailbox("ann")))

    with store.connected():
        ((state, report, error),) = store.rows(
            "SELECT state, report, last_error FROM outbox WHERE kind = 'turn'"
        )
        assert (state, report, error) == ("returned", "hard", "5.1.1 came back")
        assert deliveries.of_match(get_match(sitting.match))[1].how == "unreachable"
        ended = store.rows("SELECT DISTINCT state FROM incoming")
        assert ended == [("applied",)]
    assert not any(BOB in str(letter) for letter in postfix.mailbox("ann"))


def test_its_envelope_has_an_address_of_its_own(postfix: PostfixServer, config: Config) -> None:
    with store.connected():
        sit_down(int(time.time()))
    with worker.in_background(config, QUICK):
        letters = postfix.wait_for_mail("ann")

    assert letters[0]["From"] == f"pbem <pbem@{PLAY}>"
    assert str(letters[0]["Return-Path"]).startswith("<b")
    assert str(letters[0]["Return-Path"]).endswith(f"@{PLAY}>")
