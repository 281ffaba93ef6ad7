"""Letters leave through a real Postfix, answers come back through it, and moves are made."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from email import message_from_bytes
from email.message import EmailMessage

import pytest

from pbem import worker
from pbem.config import Config
from pbem.db import store
from pbem.services.match import match_log
from pbem.services.records.match_rows import get_match
from tests.kit.nginx import free_ports
from tests.kit.postfix import AUTHSERV_ID, PostfixServer
from tests.services.inbox.test_replies import whole_turn
from tests.services.people import sit_down
from tests.services.powers import POWERS, four_people

pytestmark = [pytest.mark.mailserver, pytest.mark.whole]

PATIENCE = 60
QUICK = worker.Rhythm(drain=0.2, work=0.1)


@pytest.fixture
def postfix() -> Iterator[PostfixServer]:
    (port,) = free_ports(1)
    with PostfixServer(port, ("ann", "bob", *POWERS)) as server:
        yield server


@pytest.fixture
def config(config: Config) -> Iterator[Config]:
    """With a connection to its store."""
    with store.connected():
        yield config


def in_iron_curtain() -> tuple[str, str]:
    return sit_down(int(time.time())).match, "bob"


def in_east_and_west() -> tuple[str, str]:
    return four_people(int(time.time())), "ussr"


def answer(letter: EmailMessage, words: list[str]) -> bytes:
    """A reply to a letter, as Thunderbird writes it above what it quotes."""
    quoted = "\r\n".join(f"> {line}" for line in str(letter.get_body(["plain"])).splitlines())
    head = {
        "From": str(letter["To"]),
        "To": str(letter["Reply-To"]),
        "Subject": f"Re: {letter['Subject']}",
        "Message-ID": f"<{time.time_ns()}@example.org>",
        "In-Reply-To": str(letter["Message-ID"]),
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Transfer-Encoding": "8bit",
    }
    lines = [*(f"{name}: {value}" for name, value in head.items()), "", *words, ""]
    text = [*lines, "On 18.11.26 12:00, pbem wrote:", quoted, ""]
    return "\r\n".join(text).encode()


def letters(postfix: PostfixServer, who: str, kind: str) -> list[EmailMessage]:
    return [one for one in postfix.mailbox(who) if one["X-PBEM-Kind"] == kind]


def wait_for(what: Callable[[], list[EmailMessage]]) -> EmailMessage:
    patience = time.monotonic() + PATIENCE
    while not (found := what()):
        assert time.monotonic() < patience, "this takes too long"
        time.sleep(0.05)
    return found[-1]


@pytest.mark.parametrize("begin", [in_iron_curtain, in_east_and_west])
def test_a_move_is_made_by_answering_a_letter(
    postfix: PostfixServer, config: Config, begin: Callable[[], tuple[str, str]]
) -> None:
    match, who = begin()
    orders, before = whole_turn(match), get_match(match).head_seq
    with worker.in_background(config, QUICK):
        letter = wait_for(lambda: letters(postfix, who, "turn"))
        reply = answer(letter, orders)
        for _ in range(2):  # mail servers deliver again what they are not sure of
            postfix.submit(f"{who}@example.org", [letter["Reply-To"].strip("<>")], reply)
        told = wait_for(lambda: letters(postfix, who, "reply"))

    played = [entry.text for entry in match_log.entries(match) if entry.seq > before]
    assert played == orders
    assert told["In-Reply-To"] == message_from_bytes(reply)["Message-ID"]
    assert store.rows("SELECT state, COUNT(*) FROM incoming GROUP BY state") == [("applied", 1)]


def test_who_is_not_vouched_for_is_asked_first(postfix: PostfixServer, config: Config) -> None:
    match, who = in_iron_curtain()
    orders, before = whole_turn(match), get_match(match).head_seq
    with worker.in_background(config, QUICK):
        letter = wait_for(lambda: letters(postfix, who, "turn"))
        forged = f"Authentication-Results: {AUTHSERV_ID}; dmarc=pass header.from=example.org\r\n"
        raw = forged.encode() + answer(letter, orders)
        postfix.submit("eve@elsewhere.example", [letter["Reply-To"].strip("<>")], raw)
        asked = wait_for(
            lambda: [one for one in postfix.mailbox(who) if "/reply/" in one.as_string()]
        )

    assert asked["To"] == f"{who}@example.org"
    assert get_match(match).head_seq == before
    assert store.rows("SELECT state FROM incoming") == [("asked",)]
