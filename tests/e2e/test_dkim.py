"""Letters leave signed, by a real OpenDKIM with the settings of deploy/postfix."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator
from email import message_from_bytes, policy
from pathlib import Path

import dkim
import pytest

from pbem import worker
from pbem.config import Config
from pbem.db import store
from tests.kit.nginx import DEPLOY, free_ports
from tests.kit.opendkim import OpenDkim
from tests.kit.postfix import PLAY, PostfixServer
from tests.services.people import sit_down

pytestmark = [pytest.mark.mailserver, pytest.mark.whole]

SIGNED = {
    *("from", "to", "subject", "date", "message-id", "reply-to", "content-type", "mime-version"),
    *("list-unsubscribe", "list-unsubscribe-post"),
}
"""What nobody on the way may change; RFC 8058 demands the last two."""


@pytest.fixture(scope="module")
def signer() -> Iterator[OpenDkim]:
    with OpenDkim(PLAY) as running:
        yield running


@pytest.fixture(scope="module")
def postfix(signer: OpenDkim) -> Iterator[PostfixServer]:
    (port,) = free_ports(1)
    filters = f"inet:127.0.0.1:{signer.port}"
    with PostfixServer(port, smtpd_milters=filters, milter_default_action="tempfail") as server:
        yield server


@pytest.fixture
def letters(postfix: PostfixServer, config: Config) -> list[bytes]:
    """What Ann and Bob are sent when a match begins, as it came."""
    with store.connected():
        sit_down(int(time.time()))
    with worker.in_background(config, worker.Rhythm(drain=0.2)):
        for player in ("ann", "bob"):
            postfix.wait_for_mail(player)
    return [*postfix.raw_letters("ann"), *postfix.raw_letters("bob")]


def verifies(signer: OpenDkim, letter: bytes) -> bool:
    return bool(dkim.verify(letter, dnsfunc=signer.look_up))


def test_every_letter_is_signed_over_all_that_readers_go_by(
    signer: OpenDkim, letters: list[bytes]
) -> None:
    kinds = set()
    for letter in letters:
        message = message_from_bytes(letter, policy=policy.default)
        kinds.add(message["X-PBEM-Kind"])
        assert verifies(signer, letter)
        tags = dict(re.findall(r"(\w+)=([^;]+)", re.sub(r"\s", "", message["DKIM-Signature"])))
        assert (tags["d"], tags["s"], tags["a"]) == (PLAY, "pbem", "rsa-sha256")
        there = SIGNED & {name.lower() for name in message}
        assert there <= set(tags["h"].lower().split(":"))
        assert {"list-unsubscribe", "list-unsubscribe-post", "message-id"} <= there
    assert len(kinds) == 2
    assert "turn" in kinds


CHANGES = [
    (rb"\nSubject: ", b"\nSubject: Re: "),
    (rb"\nTo: ", b"\nTo: eve@example.org, "),
    (rb"\nFrom: ", b"\nFrom: eve@example.org\nFrom: "),
    (rb"\nReply-To: [^\n]+", b"\nReply-To: eve@example.org"),
    (rb"\nList-Unsubscribe: <https?:", b"\nList-Unsubscribe: <https://evil.test:"),
    (rb"\nSubject: ", b"\nSubject: another one\nSubject: "),
    (rb"/t/", b"/x/"),
]


def test_what_is_changed_on_the_way_is_seen(signer: OpenDkim, letters: list[bytes]) -> None:
    turn = next(letter for letter in letters if b"X-PBEM-Kind: turn" in letter)
    for old, new in CHANGES:
        changed = re.sub(old, new, turn, count=1)
        assert changed != turn, new
        assert not verifies(signer, changed), new


def test_postfix_takes_the_settings_of_deploy(tmp_path: Path) -> None:
    """Every name in them is known to it, and none is misspelt."""
    text = (DEPLOY / "postfix" / "main.cf").read_text()
    (tmp_path / "main.cf").write_text(text)
    (tmp_path / "master.cf").write_text("smtp inet n - y - - smtpd\n")
    names = re.findall(r"^(\w+) =", text, re.MULTILINE)
    command = ["postconf", "-c", str(tmp_path)]
    done = subprocess.run([*command, "-n"], capture_output=True, text=True, check=True)

    assert done.stderr == ""
    assert {line.split(" =")[0] for line in done.stdout.splitlines()} >= set(names) - {"alias_maps"}
    known = subprocess.run([*command, "-d"], capture_output=True, text=True, check=True).stdout
    assert set(names) <= {line.split(" =")[0] for line in known.splitlines()}
