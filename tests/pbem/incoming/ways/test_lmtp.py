"""The listener for mail servers: one answer a recipient, 250 once a mail is kept, else later."""

from __future__ import annotations

import logging
import os
import smtplib
import socket
import stat
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest

from pbem.errors import ConfigError, NoRoom
from pbem.incoming.ways import lmtp

KNOWN = ("one@play.example", "two@play.example", "three@play.example")
SECRET = "a word that nobody else may read"
MAIL = b"Subject: hello\r\n\r\n" + SECRET.encode() + b"\r\n"


class Letterbox:
    """A door that keeps mails in a list, or does not."""

    largest = 10_000
    domain = "play.example"

    def __init__(self) -> None:
        self.kept: list[tuple[str, list[str], bytes]] = []
        self.trouble: Exception | None = None
        self.gone: set[str] = set()

    def is_known(self, recipient: str) -> bool:
        return recipient in KNOWN

    def keep(self, sender: str, recipients: Sequence[str], raw: bytes) -> list[bool]:
        if self.trouble is not None:
            raise self.trouble
        self.kept.append((sender, list(recipients), raw))
        return [recipient not in self.gone for recipient in recipients]


@pytest.fixture
def box() -> Letterbox:
    return Letterbox()


@pytest.fixture
def path(box: Letterbox, tmp_path: Path) -> Iterator[str]:
    """A socket that somebody listens at."""
    where = str(tmp_path / "lmtp")
    with lmtp.listening(where, box, "play.example"):
        yield where


class Client:
    """Says lines and hears lines."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(20)
        self._socket.connect(path)
        self._file = self._socket.makefile("rb")

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._socket.close()

    def heard(self) -> str:
        return self._file.readline().decode().rstrip("\r\n")

    def send(self, raw: bytes) -> None:
        self._socket.sendall(raw)

    def say(self, line: str) -> str:
        self.send(line.encode() + b"\r\n")
        return self.heard()

    def greet(self) -> list[str]:
        """What the server can do."""
        assert self.heard().startswith("220 ")
        self.send(b"LHLO mail.example\r\n")
        told = [self.heard()]
        while told[-1][3] == "-":
            told.append(self.heard())
        return told

    def begin(self, *recipients: str, sender: str = "bob@example.org") -> None:
        """As far as the words of a mail."""
        self.greet()
        assert self.say(f"MAIL FROM:<{sender}>").startswith("250")
        for recipient in recipients:
            assert self.say(f"RCPT TO:<{recipient}>").startswith("250")
        assert self.say("DATA").startswith("354")

    def answers(self, count: int) -> list[str]:
        """The codes of the answers after the final dot; and none is said too many."""
        told = [self.heard()[:3] for _ in range(count)]
        assert self.say("NOOP").startswith("250")
        return told


def test_a_mail_is_kept_and_each_recipient_answered(path: str, box: Letterbox) -> None:
    with Client(path) as client:
        client.begin(*KNOWN[:2])
        box.gone = {KNOWN[1]}
        client.send(b"..dots\r\n" + MAIL + b".\r\n")
        assert client.answers(2) == ["250", "550"]

    assert box.kept == [("bob@example.org", list(KNOWN[:2]), b".dots\r\n" + MAIL)]


def test_the_librarys_own_client_is_understood(path: str, box: Letterbox) -> None:
    client = smtplib.LMTP(path, local_hostname="client")
    refused = client.sendmail("bob@example.org", [KNOWN[0], "nobody@play.example"], MAIL)
    client.quit()

    assert refused == {"nobody@play.example": (550, b"5.1.1 there is no such address here")}
    assert [recipients for _, recipients, _ in box.kept] == [[KNOWN[0]]]


def test_bounces_have_no_sender(path: str, box: Letterbox) -> None:
    with Client(path) as client:
        client.begin(KNOWN[0], sender="")
        client.send(MAIL + b".\r\n")
        assert client.answers(1) == ["250"]

    assert box.kept[0][0] == ""


def test_it_says_how_much_a_mail_may_have(path: str) -> None:
    with Client(path) as client:
        assert "250-SIZE 10000" in client.greet()
        told = client.say("MAIL FROM:<bob@example.org> SIZE=10001")
        assert told.startswith("552")


@pytest.mark.parametrize("trouble", [NoRoom("full"), OSError(SECRET), RecursionError(SECRET)])
def test_trouble_is_temporary_for_each_recipient(
    path: str, box: Letterbox, trouble: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    with Client(path) as client, caplog.at_level(logging.DEBUG):
        client.begin(*KNOWN)
        box.trouble = trouble
        client.send(MAIL + b".\r\n")
        code = "452" if isinstance(trouble, NoRoom) else "451"
        assert client.answers(3) == [code] * 3

    assert box.kept == []
    assert SECRET not in caplog.text
    assert KNOWN[0] not in caplog.text


def test_too_much_is_refused_once_for_each_recipient(path: str, box: Letterbox) -> None:
    with Client(path) as client:
        client.begin(*KNOWN[:2])
        client.send(b"x" * 70 + b"\r\n")
        client.send((b"x" * 70 + b"\r\n") * 140 + b".\r\n")
        assert client.answers(2) == ["552", "552"]
        assert client.say("MAIL FROM:<bob@example.org>").startswith("250")

    assert box.kept == []


def test_one_long_line_is_no_reason_to_refuse(path: str, box: Letterbox) -> None:
    with Client(path) as client:
        client.begin(KNOWN[0])
        client.send(b"x" * 9_000 + b"\r\n.\r\n")
        assert client.answers(1) == ["250"]


def test_who_goes_on_and_on_is_cut_off(path: str, box: Letterbox) -> None:
    with Client(path) as client:
        client.begin(KNOWN[0])
        with pytest.raises(ConnectionError):
            for _ in range(2_000):
                client.send(b"x" * 10_000)
            raise AssertionError("nobody has hung up")

    assert box.kept == []


@pytest.mark.parametrize(
    "end", [b"\n.\n", b"\n.\r\n", b"\r\n.\n", b"\r.\r", b"\r\n.\r", b"\n.\r"], ids=repr
)
def test_no_second_mail_is_smuggled_in(path: str, box: Letterbox, end: bytes) -> None:
    smuggled = b"MAIL FROM:<eve@example.org>\r\nRCPT TO:<two@play.example>\r\nDATA\r\nmine\r\n"
    with Client(path) as client:
        client.begin(KNOWN[0])
        client.send(b"Subject: hello\r\n\r\nhers" + end + smuggled + b".\r\n")
        assert client.answers(1) == ["250"]

    ((sender, recipients, raw),) = box.kept
    assert (sender, recipients) == ("bob@example.org", [KNOWN[0]])
    assert raw.endswith(smuggled)


def test_who_hangs_up_before_the_end_has_sent_nothing(path: str, box: Letterbox) -> None:
    with Client(path) as client:
        client.begin(KNOWN[0])
        client.send(MAIL)
    with Client(path) as client:
        client.begin(KNOWN[1])
        client.send(MAIL + b".\r\n")
        assert client.answers(1) == ["250"]

    assert [recipients for _, recipients, _ in box.kept] == [[KNOWN[1]]]


def test_nonsense_is_survived(path: str, box: Letterbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lmtp, "MOST_CONNECTIONS", 1_000)  # it need not notice at once who leaves
    chance = Random(16)
    words = [b"LHLO x", b"MAIL FROM:<>", b"RCPT TO:<one@play.example>", b"DATA", b".", b"RSET"]
    words += [
        b"RCPT TO:",
        b"MAIL FROM:<a@b> SIZE=x",
        b"\xff\xfe",
        b"AUTH PLAIN x",
        b"",
        b"x" * 2_000,
    ]
    for _ in range(60):
        with Client(path) as client:
            lines = [chance.choice(words) for _ in range(chance.randrange(1, 12))]
            client.send(chance.choice([b"\r\n", b"\n", b"\r", b"\0"]).join(lines))
    with Client(path) as client:
        client.begin(KNOWN[2])
        client.send(MAIL + b".\r\n")
        assert client.answers(1) == ["250"]

    assert box.kept[-1][1:] == ([KNOWN[2]], MAIL)


def test_smtp_is_not_spoken(path: str) -> None:
    with Client(path) as client:
        client.heard()
        assert client.say("EHLO mail.example").startswith("500")


def test_there_is_room_for_so_many_recipients(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lmtp, "MOST_RECIPIENTS", 1)
    with Client(path) as client:
        client.greet()
        client.say("MAIL FROM:<bob@example.org>")
        assert client.say(f"RCPT TO:<{KNOWN[0]}>").startswith("250")
        assert client.say(f"RCPT TO:<{KNOWN[1]}>").startswith("452")


def test_too_many_conversations_are_put_off(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lmtp, "MOST_CONNECTIONS", 2)
    with Client(path) as one, Client(path) as other:
        one.greet()
        other.greet()
        with Client(path) as third:
            assert third.heard().startswith("421")
            assert third.heard() == ""
    patience = time.monotonic() + 20
    while is_busy(path):  # until it has noticed that all have left
        assert time.monotonic() < patience


def is_busy(path: str) -> bool:
    with Client(path) as client:
        return client.heard().startswith("421")


def test_who_says_nothing_is_left(
    box: Letterbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lmtp, "PATIENCE", 0.2)
    path = str(tmp_path / "lmtp")
    with lmtp.listening(path, box, "play.example"), Client(path) as client:
        client.begin(KNOWN[0])
        assert client.heard() == ""


# --- where it listens -----------------------------------------------------------------------------


def test_only_user_and_group_may_use_the_socket(path: str) -> None:
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o660


def test_the_socket_is_gone_afterwards(box: Letterbox, tmp_path: Path) -> None:
    path = tmp_path / "lmtp"
    threads = threading.active_count()
    for _ in range(2):
        with lmtp.listening(str(path), box, "play.example"), Client(str(path)) as client:
            client.greet()
        assert not path.exists()
    assert threading.active_count() == threads


def test_what_an_ended_worker_has_left_is_replaced(box: Letterbox, tmp_path: Path) -> None:
    path = tmp_path / "lmtp"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    with lmtp.listening(str(path), box, "play.example"), Client(str(path)) as client:
        client.greet()


def test_another_worker_is_not_pushed_aside(path: str, box: Letterbox) -> None:
    with (
        pytest.raises(ConfigError, match="PBEM_LMTP_LISTEN is .* which cannot be used: Address"),
        lmtp.listening(path, box, "play.example"),
    ):
        raise AssertionError("two listen at one place")
    with Client(path) as client:
        client.greet()


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost"])
def test_a_port_of_this_machine(box: Letterbox, host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with lmtp.listening(f"{host}:{port}", box, "play.example"):
        client = smtplib.LMTP(host.strip("[]"), port, "client")
        assert client.sendmail("", [KNOWN[0]], MAIL) == {}
        client.quit()


def test_a_port_that_somebody_has_is_told_in_one_line(box: Letterbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        where = f"127.0.0.1:{taken.getsockname()[1]}"
        with (
            pytest.raises(ConfigError, match="which cannot be used: Address already in use"),
            lmtp.listening(where, box, "play.example"),
        ):
            raise AssertionError("two listen at one port")
