"""Mail comes in through a real Postfix and out of a real Dovecot."""

from __future__ import annotations

import smtplib
import ssl
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path
from urllib.parse import quote

import pytest

from pbem import worker
from pbem.config import Config
from pbem.db import store
from pbem.incoming.mails import IncomingMail
from pbem.incoming.ways import imap
from pbem.services.inbox import arrivals, bounces, replies
from pbem.services.inbox.door import InboxDoor
from pbem.services.inbox.kept_mails import APPLIED, Ending, KeptMail
from tests.e2e.conftest import KEYS
from tests.kit.dovecot import PASSWORD, USER, DovecotServer, trusting
from tests.kit.nginx import free_ports
from tests.kit.postfix import AUTHSERV_ID, PLAY, PostfixServer
from tests.kit.smtp_sink import self_signed
from tests.kit.stores import on_sqlite
from tests.services.inbox.mailing import bounce_address, raw_mail, reply_address
from tests.services.people import ANN, BOB, sit_down, turn_of

pytestmark = [pytest.mark.mailserver, pytest.mark.whole, on_sqlite]

QUICK = worker.Rhythm(drain=0.2, work=0.1, fetch=0.5)


@pytest.fixture(scope="module")
def postfix() -> Iterator[PostfixServer]:
    (port,) = free_ports(1)
    with PostfixServer(port) as server:
        yield server


@pytest.fixture
def config(config: Config) -> Config:
    """Ann and Bob have begun there."""
    with store.connected():
        sit_down(int(time.time()))
    return config


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[tuple[KeptMail, IncomingMail]]:
    """What the hooks are given."""
    found = list[tuple[KeptMail, IncomingMail]]()

    def take(kept: KeptMail, mail: IncomingMail, now: int) -> Ending:
        found.append((kept, mail))
        return Ending(APPLIED)

    monkeypatch.setattr(replies, "take", take)
    monkeypatch.setattr(bounces, "take", take)
    return found


def wait_until(true: Callable[[], object], seconds: float = 60) -> None:
    patience = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < patience, "this takes too long"
        time.sleep(0.05)


def turn_address() -> str:
    with store.connected():
        ((match,),) = store.rows("SELECT id FROM match")
        return reply_address(turn_of(match))


def answer(letter: EmailMessage, to: str, words: str, number: int = 1) -> bytes:
    """A reply as a mail program writes it."""
    head = raw_mail(to, words, f"<answer{number}.{time.time_ns()}@client>", BOB)
    quoted = "".join(f"> {line}\r\n" for line in str(letter.get_body(["plain"])).splitlines())
    return head + b"\r\nOn Wednesday pbem wrote:\r\n" + quoted.encode()


def test_a_letter_leaves_and_its_answer_comes_back(
    postfix: PostfixServer, config: Config, taken: list[tuple[KeptMail, IncomingMail]]
) -> None:
    to = turn_address()
    before = len(postfix.mailbox("bob"))
    with worker.in_background(config, QUICK):
        letter = postfix.wait_for_mail("bob", before + 1)[-1]
        postfix.submit(BOB, [to], answer(letter, to, "first usa"))
        wait_until(lambda: taken)

    ((kept, mail),) = taken
    assert (kept.recipient, kept.sender) == (to, BOB)
    assert (mail.sender, mail.authentication, mail.automatic) == (BOB, "pass", "")
    assert mail.own_words == ("first usa",)


def test_nobody_is_vouched_for_by_his_own_word(
    postfix: PostfixServer, config: Config, taken: list[tuple[KeptMail, IncomingMail]]
) -> None:
    to = turn_address()
    forged = f"Authentication-Results: {AUTHSERV_ID}; dmarc=pass header.from=example.org\r\n"
    with worker.in_background(config, QUICK):
        postfix.submit("eve@elsewhere.example", [to], forged.encode() + raw_mail(to))
        wait_until(lambda: taken)

    ((_, mail),) = taken
    assert (mail.sender, mail.authentication) == (BOB, "none")


def test_each_recipient_has_an_answer(
    postfix: PostfixServer, config: Config, taken: list[tuple[KeptMail, IncomingMail]]
) -> None:
    to, other, nobody = turn_address(), bounce_address(7), f"nobody@{PLAY}"
    before = len(postfix.mailbox("ann"))
    with worker.in_background(config, QUICK):
        postfix.submit(ANN, [to, nobody, other], raw_mail(to, sender=ANN))
        wait_until(lambda: len(taken) == 2)
        returned = postfix.wait_for_mail("ann", before + 1)

    assert sorted(kept.recipient for kept, _ in taken) == sorted([to, other])
    (told,) = [one for one in returned if one["Subject"] == "Undelivered Mail Returned to Sender"]
    assert "550 5.1.1 there is no such address here" in str(told)
    assert nobody in str(told)


def test_a_mail_server_that_asks_first_returns_nothing_to_strangers(
    config: Config, taken: list[tuple[KeptMail, IncomingMail]]
) -> None:
    to = turn_address()
    (port,) = free_ports(1)
    listening = replace(config, lmtp_listen=f"127.0.0.1:{port}")
    with worker.in_background(listening, QUICK), PostfixServer(port, asks_first=True) as asking:
        with pytest.raises(smtplib.SMTPRecipientsRefused) as refusal:
            asking.submit(ANN, [f"nobody@{PLAY}"], raw_mail(to))
        asking.submit(BOB, [to], raw_mail(to))
        wait_until(lambda: taken)

    ((code, told),) = refusal.value.recipients.values()
    assert (code, b"there is no such address here" in told) == (550, True)


def test_what_cannot_be_kept_comes_again(
    postfix: PostfixServer,
    config: Config,
    taken: list[tuple[KeptMail, IncomingMail]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keep, failures = arrivals.keep, iter(range(2))

    def fail_twice(sender: str, recipients: Sequence[str], raw: bytes, now: int) -> list[bool]:
        if next(failures, None) is not None:
            raise OSError("the disk is on fire")
        return keep(sender, recipients, raw, now)

    to = turn_address()
    postfix.submit(BOB, [to], raw_mail(to))  # nobody listens yet
    monkeypatch.setattr(arrivals, "keep", fail_twice)
    with worker.in_background(config, QUICK):
        postfix.wait_for_log("451 4.3.0 something went wrong here")
        wait_until(lambda: taken)

    assert len(taken) == 1


def test_a_letter_to_nobody_comes_back_as_a_report(
    postfix: PostfixServer, config: Config, taken: list[tuple[KeptMail, IncomingMail]]
) -> None:
    came_from = bounce_address(7)
    with worker.in_background(config, QUICK):
        postfix.submit(came_from, ["nobody@example.org"], raw_mail("nobody@example.org"))
        wait_until(lambda: taken)

    ((kept, mail),) = taken
    assert (kept.address.use, kept.address.number, kept.sender) == ("b", 7, "")
    assert mail.report is not None
    assert (mail.report.failure, mail.report.status) == ("hard", "5.1.1")
    assert mail.report.recipients == ("nobody@example.org",)


# --- a mailbox ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = self_signed(tmp_path_factory.mktemp("certificate"))
    assert made is not None, "no openssl on this machine"
    return made


@pytest.fixture(scope="module")
def dovecot(certificate: Path) -> Iterator[DovecotServer]:
    with DovecotServer(certificate) as server:
        yield server


def url(dovecot: DovecotServer, folder: str, scheme: str = "imap") -> str:
    port = dovecot.tls_port if scheme == "imaps" else dovecot.port
    return f"{scheme}://{quote(USER, '')}:{quote(PASSWORD, '')}@127.0.0.1:{port}/{folder}"


@pytest.fixture
def door() -> InboxDoor:
    return InboxDoor(lambda: None, lambda: int(time.time()))


def kept() -> int:
    with store.connected():
        return int(store.rows("SELECT COUNT(*) FROM incoming")[0][0])


def test_mail_is_fetched_once_and_encrypted(
    config: Config, dovecot: DovecotServer, certificate: Path, door: InboxDoor
) -> None:
    to, where = turn_address(), url(dovecot, "Replies", "imaps")
    dovecot.put(
        f"Return-Path: <{BOB}>\r\nDelivered-To: {to}\r\n".encode() + raw_mail(to), "Replies"
    )
    dovecot.put(raw_mail("somebody@else.example"), "Replies")

    assert imap.fetch(where, door, trusting(certificate)) == 1
    assert imap.fetch(where, door, trusting(certificate)) == 0
    assert kept() == 1
    assert dovecot.count("SEEN", "Replies") == 2


def test_a_server_that_nobody_vouches_for_hears_no_password(
    config: Config, dovecot: DovecotServer, door: InboxDoor
) -> None:
    with pytest.raises(imap.Unreached, match="SSLCertVerificationError"):
        imap.fetch(url(dovecot, "INBOX", "imaps"), door, ssl.create_default_context())


def test_mail_that_cannot_be_kept_stays_unseen(
    config: Config, dovecot: DovecotServer, door: InboxDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    to, where = turn_address(), url(dovecot, "Unkept")
    dovecot.put(raw_mail(to), "Unkept")
    with monkeypatch.context() as trouble:

        def fail(*_: object) -> None:
            raise OSError("the disk is on fire")

        trouble.setattr(arrivals, "keep", fail)
        with pytest.raises(imap.Unreached):
            imap.fetch(where, door)
    assert dovecot.count("SEEN", "Unkept") == 0

    assert imap.fetch(where, door) == 1
    assert (kept(), dovecot.count("SEEN", "Unkept")) == (1, 1)


def test_a_mail_that_is_too_large_is_left_there(
    config: Config, dovecot: DovecotServer, door: InboxDoor
) -> None:
    to, where = turn_address(), url(dovecot, "Large")
    dovecot.put(raw_mail(to, "x" * 70 + "\r\n" * 200_000), "Large")

    assert imap.fetch(where, door) == 0
    assert (kept(), dovecot.count("ALL", "Large"), dovecot.count("SEEN", "Large")) == (0, 1, 1)


def test_a_wrong_password_is_told_without_it(
    config: Config, dovecot: DovecotServer, door: InboxDoor
) -> None:
    where = url(dovecot, "INBOX").replace(quote(PASSWORD, ""), "s3cret")
    with pytest.raises(imap.Unreached) as told:
        imap.fetch(where, door)

    assert "s3cret" not in str(told.value)
    assert "PBEM_IMAP_URL" in str(told.value)


def test_the_worker_fetches(
    config: Config,
    dovecot: DovecotServer,
    taken: list[tuple[KeptMail, IncomingMail]],
    tmp_path: Path,
) -> None:
    to = turn_address()
    dovecot.put(raw_mail(to, "first usa"), "Worker")
    fetching = Config(
        database_url=config.database_url,
        secret_keys=KEYS,
        mail_domain=PLAY,
        mailbox=tmp_path / "mailbox",
        imap_url=url(dovecot, "Worker"),
    )
    with worker.in_background(fetching, QUICK):
        wait_until(lambda: taken)

    ((kept_mail, mail),) = taken
    assert (kept_mail.recipient, mail.own_words) == (to, ("first usa",))
