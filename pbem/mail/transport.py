"""Handing letters over to a mail server by a connection that is kept.

Only `pbem.services.letters` uses this module.
"""

from __future__ import annotations

import smtplib
import ssl
import time
from collections.abc import Callable, Generator, Sequence
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from pbem.errors import TransportError
from pbem.mail.parcels import LinkLost, NoWay, Parcel
from pbem.mail.refusals import in_words
from pbem.mail.smtp_client import Client, EncryptedClient, Timeouts

SMTP_PORT, SUBMISSION_PORT, SMTPS_PORT = 25, 587, 465


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

    def knock(self) -> None:
        """Whether the server lets us in and is ready for letters; TransportError, if not."""
        try:
            is_ready = self._ready().answers(self.timeouts.command)
        except (OSError, smtplib.SMTPException) as error:
            raise NoWay(in_words(error)) from error
        if not is_ready:
            raise LinkLost("the server hung up")

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
