"""Handing letters over: what a refusal means, a mail server in good and bad moods, a folder."""

from __future__ import annotations

import smtplib
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pbem.errors import TransportError
from pbem.mail.mailbox_folder import MailboxTransport, list_letters, read_letter
from pbem.mail.mime import build
from pbem.mail.parcels import LinkLost, Parcel
from pbem.mail.refusals import in_words, permanence
from pbem.mail.smtp_client import Timeouts, stuffed
from pbem.mail.transport import SmtpTransport
from tests.kit import smtp_sink as kit
from tests.kit.smtp_sink import Act, Cut, SmtpSink, self_signed

pytestmark = pytest.mark.whole

QUICK = Timeouts(connect=5, command=5, data=5, done=5)
SHORT = Timeouts(connect=0.4, command=0.4, data=0.4, done=0.4)

# --- what a refusal means -------------------------------------------------------------------------

REPLIES = {
    "421 4.3.2 closing": "temporary",
    "432 4.7.12 password transition": "temporary",
    "450 4.2.1 mailbox busy": "temporary",
    "450 4.7.1 greylisted": "temporary",
    "451 4.3.0 local error": "temporary",
    "452 4.2.2 over quota": "temporary",
    "452 4.3.1 system full": "temporary",
    "454 4.7.0 login for now impossible": "temporary",
    "455 4.5.0 parameters for now impossible": "temporary",
    "500 5.5.2 unknown command": "permanent",
    "501 5.1.3 bad address": "permanent",
    "503 5.5.1 bad sequence": "permanent",
    "504 5.5.4 parameter not known": "permanent",
    "521 5.2.1 takes no mail": "permanent",
    "530 5.7.0 log in first": "temporary",
    "534 5.7.9 mechanism too weak": "temporary",
    "535 5.7.8 wrong password": "temporary",
    "550 5.1.1 no such user": "permanent",
    "550 5.4.4 no route to host": "temporary",
    "550 5.7.1 policy": "permanent",
    "551 5.1.6 moved away": "permanent",
    "552 5.2.2 mailbox full": "temporary",
    "552 5.3.4 too large": "permanent",
    "553 5.1.3 name not allowed": "permanent",
    "554 5.7.1 spam": "permanent",
    "556 5.1.10 takes no mail": "permanent",
}


@pytest.mark.parametrize(("reply", "expected"), REPLIES.items())
def test_a_reply_tells_whether_to_try_again(reply: str, expected: str) -> None:
    code, words = int(reply[:3]), reply[4:].encode()

    assert permanence(smtplib.SMTPRecipientsRefused({"bob@play.test": (code, words)})) == expected
    assert permanence(smtplib.SMTPDataError(code, words)) == expected
    assert permanence(smtplib.SMTPDataError(code, reply[4:])) == expected


@pytest.mark.parametrize(
    "error",
    [
        smtplib.SMTPConnectError(554, b"no service here"),
        smtplib.SMTPHeloError(550, b"who are you"),
        smtplib.SMTPAuthenticationError(535, b"wrong"),
        smtplib.SMTPServerDisconnected("gone"),
        smtplib.SMTPSenderRefused(550, b"not you", "pbem@play.test"),
        smtplib.SMTPNotSupportedError("no STARTTLS"),
        smtplib.SMTPRecipientsRefused({}),
        ssl.SSLError("bad certificate"),
        ConnectionRefusedError(),
        TimeoutError(),
    ],
)
def test_what_is_not_the_fault_of_the_letter_passes(error: Exception) -> None:
    assert permanence(error) == "temporary"


def test_a_letter_that_is_too_large_is_refused_for_good_at_once() -> None:
    assert permanence(smtplib.SMTPSenderRefused(552, b"5.3.4 too large", "a@b.c")) == "permanent"


def test_what_is_kept_of_a_refusal_names_no_address() -> None:
    refusal = smtplib.SMTPRecipientsRefused(
        {"bob@play.test": (550, b"5.1.1 <bob@play.test>: no\r\nsuch user" + b"!" * 500)}
    )

    assert in_words(refusal).startswith("550 5.1.1 (address) no such user!!!")
    assert len(in_words(refusal)) <= 150
    assert in_words(TimeoutError("too long")) == "TimeoutError: too long"


def test_dots_are_doubled_and_the_end_is_marked() -> None:
    assert stuffed(b"a\r\n.\r\n..b\r\nc.\r\n") == b"a\r\n..\r\n...b\r\nc.\r\n.\r\n"


# --- a real server --------------------------------------------------------------------------------


@pytest.fixture(params=["one by one", "pipelined"])
def sink(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[SmtpSink]:
    """A server that takes commands one by one, and one that takes them in a pipeline."""
    if request.param == "pipelined":
        allow_pipelines(monkeypatch)
    with SmtpSink() as server:
        yield server


def allow_pipelines(monkeypatch: pytest.MonkeyPatch) -> None:
    async def handle_EHLO(
        self: Any, server: Any, session: Any, envelope: Any, host: str, replies: list[str]
    ) -> list[str]:
        session.host_name = host
        return [replies[0], "250-PIPELINING", *replies[1:]]

    monkeypatch.setattr(kit._Conversation, "handle_EHLO", handle_EHLO, raising=False)


def parcel(to: str = "bob", number: int = 0) -> Parcel:
    headers = [
        ("From", "pbem <pbem@play.test>"),
        ("To", f"{to}@play.test"),
        ("Subject", f"letter {number}"),
        ("Date", "Thu, 13 Nov 2025 02:13:20 +0000"),
        ("Message-ID", f"<o.0.{number}.aa@play.test>"),
        ("X-PBEM-Kind", "turn"),
    ]
    mime = build(headers, ".\n..\nHällo\n", "<p>.</p>\n.\n")
    return Parcel("pbem@play.test", f"{to}@play.test", mime)


@contextmanager
def link(sink: SmtpSink, timeouts: Timeouts = QUICK, **rest: Any) -> Iterator[SmtpTransport]:
    transport = SmtpTransport(sink.url, "ann.test", timeouts, **rest)
    try:
        yield transport
    finally:
        transport.close()


def fates(results: list[TransportError | None]) -> list[str]:
    return [
        "sent"
        if problem is None
        else "lost"
        if isinstance(problem, LinkLost)
        else "dead"
        if problem.permanent
        else "later"
        for problem in results
    ]


def test_a_letter_arrives_byte_for_byte(sink: SmtpSink) -> None:
    with link(sink) as transport:
        transport.send(*parcel())
    (kept,) = sink.received

    assert kept.data == parcel().mime
    assert (kept.sender, kept.recipients) == ("pbem@play.test", ["bob@play.test"])


def test_many_letters_go_over_one_connection_in_their_order(sink: SmtpSink) -> None:
    with link(sink) as transport:
        for start in range(0, 60, 20):
            batch = [parcel(number=n) for n in range(start, start + 20)]
            assert list(transport.deliver(batch)) == [None] * 20

    assert [kept.data for kept in sink.received] == [parcel(number=n).mime for n in range(60)]
    assert sink.connections == 1


def test_nothing_to_send_needs_no_connection(sink: SmtpSink) -> None:
    with link(sink) as transport:
        assert list(transport.deliver([])) == []

    assert sink.connections == 0


REFUSED = [
    (Act(mail="451 4.3.0 later"), "later"),
    (Act(mail="550 5.7.1 not from you"), "later"),
    (Act(rcpt="450 4.2.1 busy"), "later"),
    (Act(rcpt="550 5.1.1 no such user"), "dead"),
    (Act(data="451 4.3.0 later"), "later"),
    (Act(data="554 5.7.1 spam"), "dead"),
]


@pytest.mark.parametrize(("act", "fate"), REFUSED)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_refused_letter_does_not_hinder_its_neighbours(
    sink: SmtpSink, act: Act, fate: str, place: int
) -> None:
    sink.to["eve@play.test"] = act
    if act.mail:  # acts on MAIL are told by their turn, not by recipient
        sink.script(*[Act()] * place, act)
    batch = [parcel("eve" if n == place else "bob", n) for n in range(3)]
    with link(sink) as transport:
        told = list(transport.deliver(batch))

    assert fates(told) == [fate if n == place else "sent" for n in range(3)]
    assert [kept.recipients for kept in sink.received] == [["bob@play.test"]] * 2
    assert sink.connections == 1


def test_all_letters_refused_one_after_the_other(sink: SmtpSink) -> None:
    acts = [act for act, _ in REFUSED]
    sink.script(*acts, Act())
    with link(sink) as transport:
        told = list(transport.deliver([parcel(number=n) for n in range(len(acts) + 1)]))

    assert fates(told) == [*(fate for _, fate in REFUSED), "sent"]


def test_a_server_that_closes_is_left_and_the_rest_is_not_tried(sink: SmtpSink) -> None:
    sink.script(Act(), Act(rcpt="421 4.3.2 closing"))
    with link(sink) as transport:
        told = list(transport.deliver([parcel(number=n) for n in range(4)]))
        assert fates(told) == ["sent", "lost"]
        assert list(transport.deliver([parcel(number=9)])) == [None]

    assert sink.connections == 2


@pytest.mark.parametrize("cut", list(Cut))
def test_a_cut_connection_is_told_once_and_made_anew(sink: SmtpSink, cut: Cut) -> None:
    sink.script(Act(), Act(cut=cut))
    with link(sink) as transport:
        told = list(transport.deliver([parcel(number=n) for n in range(4)]))
        assert fates(told) == ["sent", "lost"]
        rest = [parcel(number=n) for n in range(1, 4)]
        assert list(transport.deliver(rest)) == [None] * 3

    arrived = [str(kept.message["Message-ID"]) for kept in sink.received]
    assert arrived.count("<o.0.1.aa@play.test>") == (2 if cut is Cut.AFTER_THE_DOT else 1)
    assert len(arrived) == (5 if cut is Cut.AFTER_THE_DOT else 4)


def test_whoever_stops_reading_leaves_no_half_said_envelope(sink: SmtpSink) -> None:
    with link(sink) as transport:
        telling = transport.deliver([parcel(number=n) for n in range(3)])
        assert next(telling) is None
        telling.close()
        assert list(transport.deliver([parcel(number=7)])) == [None]

    subjects = [kept.message["Subject"] for kept in sink.received]
    assert subjects == ["letter 0", "letter 7"]


def test_an_idle_connection_that_was_cut_is_made_anew(sink: SmtpSink) -> None:
    with link(sink) as transport:
        transport.send(*parcel(number=1))
        assert transport._client is not None and transport._client.sock is not None
        transport._client.sock.shutdown(2)
        transport.send(*parcel(number=2))

    assert len(sink.received) == 2
    assert sink.connections == 2


def test_a_server_that_refuses_connections(sink: SmtpSink) -> None:
    with link(sink) as transport:
        with sink.refusing():
            assert fates(list(transport.deliver([parcel(), parcel()]))) == ["lost"]
            with pytest.raises(LinkLost, match="ConnectionRefusedError"):
                transport.send(*parcel())
        transport.send(*parcel())


def test_a_slow_server_is_left_in_time(sink: SmtpSink) -> None:
    sink.script(Act(delay=30))
    begun = time.monotonic()
    with link(sink, SHORT) as transport:
        assert fates(list(transport.deliver([parcel()]))) == ["lost"]

    assert time.monotonic() - begun < 5


def test_a_tarpit_cannot_hold_a_letter_for_longer_than_its_phases() -> None:
    """Bytes that drip reset no clock: the limit is on the phase as a whole."""
    begun = time.monotonic()
    with SmtpSink() as sink:
        sink.drip = 0.05
        with link(sink, SHORT) as transport:
            assert fates(list(transport.deliver([parcel()]))) == ["lost"]

    assert time.monotonic() - begun < 5


def test_a_letter_beyond_the_servers_limit_is_dead() -> None:
    with SmtpSink(size_limit=200) as sink, link(sink) as transport:
        assert fates(list(transport.deliver([parcel()]))) == ["dead"]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = self_signed(tmp_path_factory.mktemp("tls"))
    if file is None:
        pytest.skip("no openssl on this machine")
    return file


def test_starttls_and_login(certificate: Path) -> None:
    trust = ssl.create_default_context(cafile=str(certificate))
    with SmtpSink(certificate=certificate, login=("ann@x", "p:w")) as sink:
        with link(sink, tls=trust) as transport:
            transport.send(*parcel())
        (kept,) = sink.received

    assert kept.encrypted
    assert kept.login == "ann@x"


def test_a_certificate_that_is_not_trusted_is_not_used(certificate: Path) -> None:
    with SmtpSink(certificate=certificate) as sink, link(sink) as transport:
        (problem,) = transport.deliver([parcel()])

    assert isinstance(problem, LinkLost)
    assert "CERTIFICATE_VERIFY_FAILED" in str(problem)


def test_without_starttls_on_offer_nothing_is_sent_in_the_clear() -> None:
    with SmtpSink() as sink:
        transport = SmtpTransport(f"{sink.url}?tls=starttls", "ann.test", QUICK)
        (problem,) = transport.deliver([parcel()])

    assert isinstance(problem, LinkLost)
    assert sink.received == []


def test_a_wrong_password_blames_no_letter_and_is_not_kept(certificate: Path) -> None:
    trust = ssl.create_default_context(cafile=str(certificate))
    with SmtpSink(certificate=certificate, login=("ann", "right")) as sink:
        url = sink.url.replace("right", "wrong-secret")
        transport = SmtpTransport(url, "ann.test", QUICK, trust)
        (problem,) = transport.deliver([parcel()])

    assert isinstance(problem, LinkLost)
    assert "wrong-secret" not in str(problem)


def test_smtps_is_encrypted_from_the_first_byte(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tls_from_the_start(certificate, monkeypatch) as sink:
        trust = ssl.create_default_context(cafile=str(certificate))
        transport = SmtpTransport(f"smtps://127.0.0.1:{sink.port}", "ann.test", QUICK, trust)
        transport.send(*parcel())
        transport.close()
        assert len(sink.received) == 1


@contextmanager
def tls_from_the_start(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SmtpSink]:
    inside = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    inside.load_cert_chain(certificate)

    async def create_server(self: Any) -> Any:
        return await self.loop.create_server(self._factory_invoker, sock=self.socket, ssl=inside)

    monkeypatch.setattr(kit._Controller, "_create_server", create_server)
    trust = ssl.create_default_context(cafile=str(certificate))

    def knock(self: Any) -> None:
        with socket.create_connection(("127.0.0.1", self.port), 5) as plain:
            trust.wrap_socket(plain, server_hostname="127.0.0.1").close()

    monkeypatch.setattr(kit._Controller, "_trigger_server", knock)
    with SmtpSink() as sink:
        yield sink


# --- a folder -------------------------------------------------------------------------------------


def test_the_mailbox_keeps_letters_as_files_newest_first(tmp_path: Path) -> None:
    mailbox = MailboxTransport(tmp_path / "mailbox")
    assert list(mailbox.deliver([parcel(number=1), parcel("ann", 2)])) == [None, None]
    newest, oldest = list_letters(tmp_path / "mailbox")

    assert (newest.to, newest.subject, newest.kind) == ("ann@play.test", "letter 2", "turn")
    assert oldest.at == 1_763_000_000
    assert [path.suffix for path in (tmp_path / "mailbox").iterdir()] == [".eml", ".eml"]


def test_a_letter_sent_twice_is_there_once(tmp_path: Path) -> None:
    mailbox = MailboxTransport(tmp_path)
    assert list(mailbox.deliver([parcel(), parcel()])) == [None, None]

    assert len(list_letters(tmp_path)) == 1


def test_a_letter_of_the_mailbox_can_be_opened(tmp_path: Path) -> None:
    list(MailboxTransport(tmp_path).deliver([parcel()]))
    (listed,) = list_letters(tmp_path)
    letter = read_letter(tmp_path, listed.name)

    assert letter is not None
    assert letter.text == ".\n..\nHällo\n"
    assert letter.html == "<p>.</p>\n.\n"
    assert ("X-PBEM-Kind", "turn") in letter.headers


@pytest.mark.parametrize(
    "name", ["", "x.eml", "../secret", "20251113021320-00000009-aabbccddeeff.eml"]
)
def test_only_letters_can_be_opened(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret").write_text("secret")

    assert read_letter(tmp_path / "mailbox", name) is None


def test_an_empty_or_missing_mailbox_has_no_letters(tmp_path: Path) -> None:
    assert list_letters(tmp_path / "nowhere") == []


def test_a_mailbox_that_cannot_be_written_loses_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    told = list(MailboxTransport(tmp_path / "file").deliver([parcel(), parcel()]))

    assert fates(told) == ["lost"]
