"""The client of a mail server: smtplib's, with limits for each phase and a pipeline of letters."""

from __future__ import annotations

import smtplib
import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from math import inf
from typing import NamedTuple

from pbem.errors import TransportError
from pbem.mail.parcels import Parcel
from pbem.mail.refusals import CLOSING, cleaned, in_words, permanence

Reply = tuple[int, bytes]

LONGEST_REPLY = 8_192


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
                yield TransportError(in_words(error), permanence(error) == "permanent")
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
                raise smtplib.SMTPServerDisconnected(cleaned(code, words))
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
