"""Handing letters over: to a mail server, or into a folder while developing.

Only `pbem.services.letters.outbox` uses this module.
"""

from __future__ import annotations

import os
import re
import smtplib
import socket
import ssl
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from email import message_from_bytes
from email.message import EmailMessage
from email.parser import BytesHeaderParser
from email.policy import default
from email.utils import parsedate_to_datetime
from hashlib import sha256
from math import inf
from pathlib import Path
from typing import Literal, NamedTuple, Protocol
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from pbem.errors import TransportError

Verdict = Literal["permanent", "temporary"]
Reply = tuple[int, bytes]

SMTP_PORT, SUBMISSION_PORT, SMTPS_PORT = 25, 587, 465
LONGEST_REPLY = 8_192
CLOSING = 421
OWN_FAULTS = {CLOSING, 530, 534, 535, 538}
"""Codes that are about the connection or the login: the letter is not to blame."""
TOO_LARGE = 552
PASSING = {"5.2.2", "5.3.1", "5.3.2", "5.4.4"}
"""Refusals that a few days may mend: mailbox full, system full, not accepting, no route."""
_ENHANCED = re.compile(rb"\s*(5\.\d{1,3}\.\d{1,3})\b")
_ADDRESSES = re.compile(r"\S+@\S+")


class Parcel(NamedTuple):
    sender: str
    recipient: str
    mime: bytes


class LinkLost(TransportError):
    """The way to the mail server is closed; the letters behind this one need not be tried."""


class NoWay(LinkLost):
    """Nobody let us in: that says nothing about any letter."""


class Transport(Protocol):
    def deliver(self, parcels: Sequence[Parcel]) -> Iterator[TransportError | None]:
        """Hand letters over one after another, telling of each what went wrong with it.

        LinkLost is the last word; the letters behind it were not tried.
        """

    def close(self) -> None: ...


# --- what a refusal means -------------------------------------------------------------------------


def verdict(error: Exception) -> Verdict:
    """Whether the letter itself was refused for good; whatever may pass is temporary."""
    match error:
        case smtplib.SMTPRecipientsRefused(recipients=refused):
            judged = {_by_code(code, words) for code, words in refused.values()}
            return "permanent" if judged == {"permanent"} else "temporary"
        case smtplib.SMTPSenderRefused(smtp_code=code):  # our sender, our settings
            return "permanent" if code == TOO_LARGE else "temporary"
        case smtplib.SMTPConnectError() | smtplib.SMTPHeloError():
            return "temporary"
        case smtplib.SMTPResponseException(smtp_code=code, smtp_error=words):
            return _by_code(code, words if isinstance(words, bytes) else words.encode())
    return "temporary"


def _by_code(code: int, words: bytes) -> Verdict:
    enhanced = _ENHANCED.match(words)
    passing = enhanced is not None and enhanced[1].decode() in PASSING
    final = 500 <= code < 600 and code not in OWN_FAULTS and not passing
    return "permanent" if final else "temporary"


def in_words(error: Exception) -> str:
    """What went wrong, fit to be kept: no address, no more than a line."""
    match error:
        case smtplib.SMTPRecipientsRefused(recipients=refused):
            return "; ".join(_clean(code, words) for code, words in refused.values())
        case smtplib.SMTPResponseException(smtp_code=code, smtp_error=words):
            return _clean(code, words if isinstance(words, bytes) else words.encode())
    return f"{type(error).__name__}: {error}"[:150]


def _clean(code: int, words: bytes) -> str:
    line = " ".join(words.decode("ascii", "replace").split())
    return f"{code} {_ADDRESSES.sub('(address)', line)}"[:150]


# --- SMTP -----------------------------------------------------------------------------------------


class Timeouts(NamedTuple):
    """Seconds for each phase as a whole, however slowly the bytes drip."""

    connect: float = 15
    """To be greeted, to change to TLS, to log in: each."""
    command: float = 60
    data: float = 60
    """To take the letter in."""
    done: float = 300
    """To answer for it after the final dot; who is cut off then may have it all the same."""
    whole: float = 360
    """For a letter from its envelope to its end."""


class SmtpTransport:
    """One connection that is kept; letters go through a pipeline where the server allows it."""

    def __init__(
        self,
        url: str,
        own_name: str = "localhost",
        timeouts: Timeouts | None = None,
        tls: ssl.SSLContext | None = None,
        stopwatch: Callable[[], float] = time.monotonic,
    ) -> None:
        self.url, self.own_name, self.timeouts = urlsplit(url), own_name, timeouts or Timeouts()
        self._tls, self._stopwatch = tls, stopwatch
        self._client: Client | None = None

    def send(self, sender: str, recipient: str, mime: bytes) -> None:
        """Hand one letter over, or raise TransportError."""
        for problem in self.deliver([Parcel(sender, recipient, mime)]):
            if problem is not None:
                raise problem

    def deliver(self, parcels: Sequence[Parcel]) -> Generator[TransportError | None]:
        if not parcels:
            return
        told, client = 0, None
        try:
            client = self._ready()
            for problem in client.conversation(parcels, self.timeouts):
                told += 1
                yield problem
        except (OSError, smtplib.SMTPException) as error:
            self.close()
            yield (NoWay if client is None else LinkLost)(in_words(error))
        finally:
            if told < len(parcels):  # an envelope may have been announced whose letter never comes
                self.close()

    def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.leave()

    def cut(self) -> None:
        """End the connection under somebody in another thread who waits for an answer."""
        client = self._client
        if client is not None:
            client.cut()

    def _ready(self) -> Client:
        """The connection, if it still answers; else a new one."""
        if self._client is not None and self._client.answers(self.timeouts.command):
            return self._client
        self.close()
        self._client = self._connected()
        return self._client

    def _connected(self) -> Client:
        url, seconds = self.url, self.timeouts.connect
        starttls = parse_qs(url.query).get("tls") == ["starttls"]
        kind = EncryptedClient if url.scheme == "smtps" else Client
        client = kind(self.own_name, seconds, self._stopwatch, self._context())
        try:
            client.reach(url.hostname or "", url.port or _usual_port(url, starttls), seconds)
            if starttls:
                client.encrypt(seconds)
            if url.username:
                client.begin(seconds)
                client.login(unquote(url.username), unquote(url.password or ""))
        except BaseException:
            client.close()
            raise
        return client

    def _context(self) -> ssl.SSLContext:
        return self._tls or ssl.create_default_context()


def _usual_port(url: SplitResult, starttls: bool) -> int:
    if url.scheme == "smtps":
        return SMTPS_PORT
    return SUBMISSION_PORT if starttls or url.username else SMTP_PORT


class Client(smtplib.SMTP):
    """smtplib's client with a limit on each phase as a whole, and a pipeline of letters."""

    def __init__(
        self,
        own_name: str,
        seconds: float,
        stopwatch: Callable[[], float],
        context: ssl.SSLContext,
    ) -> None:
        self._stopwatch, self._until, self._read = stopwatch, stopwatch() + seconds, b""
        self._latest = inf
        self._hurries = False
        self._trust = context
        self._prepare(own_name, seconds)

    def _prepare(self, own_name: str, seconds: float) -> None:
        super().__init__(local_hostname=own_name, timeout=seconds)

    def reach(self, host: str, port: int, seconds: float) -> None:
        self._host = host  # what the certificate is checked against
        self.begin(seconds)
        code, words = self.connect(host, port)
        if code != 220:
            raise smtplib.SMTPConnectError(code, words)
        self.ehlo_or_helo_if_needed()

    def encrypt(self, seconds: float) -> None:
        self.begin(seconds)
        self.starttls(context=self._trust)
        if self._read:
            raise smtplib.SMTPServerDisconnected("somebody spoke before the encryption began")
        self.begin(seconds)
        self.ehlo()

    def begin(self, seconds: float) -> None:
        """A phase begins that may last so long, but not longer than its letter may."""
        self._until = min(self._stopwatch() + seconds, self._latest)

    # --- what goes over the wire ---

    def getreply(self) -> Reply:
        """A whole reply; whoever drips it is cut off when the phase is over."""
        lines = []
        while True:
            line = self._line()
            lines.append(line[4:].strip(b" \t\r\n"))
            if not line[:3].isdigit():
                raise smtplib.SMTPServerDisconnected("the server gave what is no reply")
            if line[3:4] != b"-":
                return int(line[:3]), b"\n".join(lines)

    def _line(self) -> bytes:
        while b"\n" not in self._read:
            if len(self._read) > LONGEST_REPLY:
                raise smtplib.SMTPServerDisconnected("the server talks without end")
            link = self._limited()
            if self._hurries:
                link.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
            received = link.recv(4_096)
            if not received:
                raise smtplib.SMTPServerDisconnected("the server hung up")
            self._read += received
        line, _, self._read = self._read.partition(b"\n")
        return line

    def say(self, spoken: bytes) -> None:
        self._limited().sendall(spoken)

    def _limited(self) -> socket.socket:
        """The socket, told to wait no longer than this phase may last."""
        if self.sock is None:
            raise smtplib.SMTPServerDisconnected("not connected")
        left = self._until - self._stopwatch()
        if left <= 0:
            raise TimeoutError("the server takes too long")
        self.sock.settimeout(left)
        return self.sock

    def answers(self, seconds: float) -> bool:
        """Whether the connection is still there, ready for a letter."""
        try:
            self._reset(seconds)
        except (OSError, smtplib.SMTPException):
            return False
        return True

    def _reset(self, seconds: float) -> None:
        self.begin(seconds)
        self.say(b"RSET\r\n")
        code, words = self.getreply()
        if code != 250:
            raise smtplib.SMTPServerDisconnected(f"RSET was answered with {code}")

    def cut(self) -> None:
        try:
            if self.sock is not None:
                self.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it was gone already

    def leave(self) -> None:
        """Hang up; politely, but without waiting for the farewell."""
        try:
            self.begin(1)
            self.say(b"QUIT\r\n")
        except (OSError, smtplib.SMTPException):
            pass  # whoever is gone needs no farewell
        finally:
            self.close()

    # --- letters ---

    def conversation(
        self, parcels: Sequence[Parcel], timeouts: Timeouts
    ) -> Iterator[TransportError | None]:
        """Each letter's fate in turn; raises when the connection is of no more use.

        In a pipeline a letter travels together with the envelope of the next one (RFC 2920, 3.1):
        one round trip a letter instead of four.
        """
        pipelined = self.has_extn("pipelining")
        # A server that answers in small pieces without TCP_NODELAY would wait 40 ms for our
        # acknowledgement of each: ten times as long for a letter. Others notice nothing of it.
        self._hurries = pipelined and hasattr(socket, "TCP_QUICKACK")
        announced = False
        for number, parcel in enumerate(parcels):
            following = parcels[number + 1 : number + 2] if pipelined else ()
            known, announced = announced, False
            self._latest = self._stopwatch() + timeouts.whole
            try:
                self.begin(timeouts.command)
                (self._enter_pipeline if pipelined else self._enter)(parcel, known)
                self.begin(timeouts.data)
                self.say(stuffed(parcel.mime) + b"".join(map(self._envelope, following)))
                announced = bool(following)
                self.begin(timeouts.done)
                self._accepted(parcel, [self.getreply()], (smtplib.SMTPDataError,))
            except (smtplib.SMTPResponseException, smtplib.SMTPRecipientsRefused) as error:
                if not announced:
                    self._reset(timeouts.command)
                yield TransportError(in_words(error), verdict(error) == "permanent")
            else:
                yield None
        self._latest = inf

    def _enter(self, parcel: Parcel, known: bool) -> None:
        """The envelope, each command answered before the next."""
        replies: list[Reply] = []
        for command in self._commands(parcel):
            self.say(command)
            replies.append(self.getreply())
            self._accepted(parcel, replies, _STAGES)

    def _enter_pipeline(self, parcel: Parcel, known: bool) -> None:
        """The envelope in one go, unless it was announced behind the letter before."""
        if not known:
            self.say(self._envelope(parcel))
        replies = [self.getreply() for _ in _STAGES]
        if replies[-1][0] == 354 and any(code // 100 != 2 for code, _ in replies[:-1]):
            self.say(b".\r\n")  # the server waits for a letter to nobody
            self.getreply()
        self._accepted(parcel, replies, _STAGES)

    def _accepted(
        self, parcel: Parcel, replies: Sequence[Reply], stages: Sequence[type[Exception]]
    ) -> None:
        """Raise what the first refusal means."""
        for (code, words), stage in zip(replies, stages, strict=False):
            if code == CLOSING:
                raise smtplib.SMTPServerDisconnected(_clean(code, words))
            if code // 100 in (2, 3):
                continue
            if stage is smtplib.SMTPSenderRefused:
                raise smtplib.SMTPSenderRefused(code, words, parcel.sender)
            if stage is smtplib.SMTPRecipientsRefused:
                raise smtplib.SMTPRecipientsRefused({parcel.recipient: (code, words)})
            raise smtplib.SMTPDataError(code, words)

    def _commands(self, parcel: Parcel) -> tuple[bytes, bytes, bytes]:
        size = f" SIZE={len(parcel.mime)}" if "size" in self.esmtp_features else ""
        return (
            f"MAIL FROM:<{parcel.sender}>{size}\r\n".encode("ascii"),
            f"RCPT TO:<{parcel.recipient}>\r\n".encode("ascii"),
            b"DATA\r\n",
        )

    def _envelope(self, parcel: Parcel) -> bytes:
        return b"".join(self._commands(parcel))


_STAGES = (smtplib.SMTPSenderRefused, smtplib.SMTPRecipientsRefused, smtplib.SMTPDataError)


class EncryptedClient(Client, smtplib.SMTP_SSL):
    """The same over a connection that is encrypted from its first byte."""

    def _prepare(self, own_name: str, seconds: float) -> None:
        smtplib.SMTP_SSL.__init__(
            self, local_hostname=own_name, timeout=seconds, context=self._trust
        )


def stuffed(mime: bytes) -> bytes:
    """The letter as DATA takes it: dots at the beginning of lines doubled, a dot at the end."""
    return mime.replace(b"\r\n.", b"\r\n..") + b".\r\n"


# --- a folder -------------------------------------------------------------------------------------


class MailboxLetter(NamedTuple):
    """A letter in the folder, as a list shows it."""

    name: str
    at: int
    to: str
    subject: str
    kind: str


class OpenedLetter(NamedTuple):
    name: str
    at: int
    to: str
    subject: str
    headers: tuple[tuple[str, str], ...]
    text: str
    html: str


class MailboxTransport:
    """Letters as files; one that is sent twice is there once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def deliver(self, parcels: Sequence[Parcel]) -> Iterator[TransportError | None]:
        for parcel in parcels:
            try:
                self._put(parcel.mime)
            except OSError as error:
                yield LinkLost(f"the mailbox cannot be written: {error.strerror}")
                return
            yield None

    def close(self) -> None:
        pass

    def _put(self, mime: bytes) -> None:
        """The whole file under its name, or nothing, also when the power fails."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / _file_name(mime)
        unfinished = path.with_suffix(f".{os.getpid()}.tmp")
        with unfinished.open("wb") as file:
            file.write(mime)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def list_letters(folder: Path) -> list[MailboxLetter]:
    """The letters of the folder, newest first."""
    return [_listed(path) for path in sorted(folder.glob("*.eml"), reverse=True)]


def read_letter(folder: Path, name: str) -> OpenedLetter | None:
    """A letter by its name in the list; None when there is none."""
    if not _NAME.fullmatch(name):
        return None
    try:
        raw = (folder / name).read_bytes()
    except FileNotFoundError:
        return None
    message = message_from_bytes(raw, policy=default)
    parts = {part.get_content_subtype(): part.get_content() for part in message.iter_parts()}
    return OpenedLetter(
        name,
        _date(message),
        str(message["To"]),
        str(message["Subject"]),
        tuple((key, str(value)) for key, value in message.items()),
        parts.get("plain", "").replace("\r\n", "\n"),
        parts.get("html", "").replace("\r\n", "\n"),
    )


_NAME = re.compile(r"\d{14}-\d{8}-[0-9a-f]{12}\.eml")
_NUMBER = re.compile(r"<o\.\d+\.(\d{1,8})\.")


def _file_name(mime: bytes) -> str:
    """By date, then by number in the outbox; the same for the same letter."""
    head = BytesHeaderParser(policy=default).parsebytes(mime)
    numbered = _NUMBER.match(str(head["Message-ID"]))
    number = int(numbered[1]) if numbered else 0
    date = parsedate_to_datetime(str(head["Date"]))
    mark = sha256(str(head["Message-ID"]).encode()).hexdigest()[:12]
    return f"{date:%Y%m%d%H%M%S}-{number:08}-{mark}.eml"


def _listed(path: Path) -> MailboxLetter:
    with path.open("rb") as file:
        head = BytesHeaderParser(policy=default).parse(file)
    kind = str(head["X-PBEM-Kind"] or "")
    return MailboxLetter(path.name, _date(head), str(head["To"]), str(head["Subject"]), kind)


def _date(head: EmailMessage) -> int:
    return int(parsedate_to_datetime(str(head["Date"])).timestamp())
