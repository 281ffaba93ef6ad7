"""Who is talked to: the mail server, the ways in for mail, the site itself. No letter is sent."""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Iterator
from functools import partial
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from pbem.config import Config
from pbem.errors import TransportError
from pbem.incoming.ways import imap
from pbem.services.letters import mail_settings
from pbem.services.operations.doctor.findings import Check, Finding, ok, todo, unknown

PATIENCE = 5.0
"""Seconds for each answer."""


def checks(config: Config, tls: ssl.SSLContext | None = None) -> list[tuple[str, Check]]:
    return [
        ("relay", partial(_relay, config, tls)),
        ("lmtp", partial(_lmtp, config)),
        ("imap", partial(_imap, config, tls)),
        ("senders", partial(_senders, config)),
        ("site", partial(_site, config, tls)),
    ]


def _relay(config: Config, tls: ssl.SSLContext | None) -> Iterator[Finding]:
    if config.smtp_url is None:
        yield ok("relay", "none is set: letters go to the mailbox of this machine")
        return
    try:
        mail_settings.knock(config, PATIENCE, tls)
    except TransportError as problem:
        yield todo("relay", f"it does not take letters: {problem}; look at PBEM_SMTP_URL")
        return
    parts = urlsplit(config.smtp_url)
    how = "encrypted" if parts.scheme == "smtps" or parts.query else "on this machine"
    yield ok("relay", f"answers, {how}{', and lets us in' if parts.username else ''}")


def _lmtp(config: Config) -> Iterator[Finding]:
    if config.lmtp_listen is None:
        yield unknown("lmtp", "PBEM_LMTP_LISTEN is not set")
        return
    try:
        _greet(config.lmtp_listen)
    except (OSError, smtplib.SMTPException) as error:
        why = type(error).__name__
        yield todo("lmtp", f"nobody answers at PBEM_LMTP_LISTEN ({why}); start: pbem worker")
        return
    yield ok("lmtp", "the listener answers")


def _greet(listen: str) -> None:
    """Say LHLO and NOOP to a listener at a socket or at `host:port`."""
    parts = urlsplit(f"lmtp://{listen}")
    host, port = (listen, 0) if listen.startswith("/") else (parts.hostname or "", parts.port or 0)
    with smtplib.LMTP(host, port, timeout=PATIENCE) as client:
        for code, _ in (client.ehlo(), client.noop()):
            if code != 250:
                raise smtplib.SMTPServerDisconnected(f"it says {code}")


def _imap(config: Config, tls: ssl.SSLContext | None) -> Iterator[Finding]:
    if config.imap_url is None:
        yield unknown("imap", "PBEM_IMAP_URL is not set")
        return
    try:
        imap.knock(config.imap_url, tls)
    except imap.Unreached as error:
        yield todo("imap", f"{error}; look at PBEM_IMAP_URL")
        return
    yield ok("imap", "the mailbox lets us in")


def _senders(config: Config) -> Iterator[Finding]:
    """Whose word counts about who has written a reply."""
    if not config.takes_mail:
        yield unknown("senders", "no mail comes in")
    elif config.authserv_id:
        yield ok("senders", f"{config.authserv_id} says in each mail who vouches for its sender")
    else:
        yield ok(
            "senders",
            "every reply has to be confirmed by a link, unless the mail server checks senders and"
            " PBEM_AUTHSERV_ID names it",
        )


def _site(config: Config, tls: ssl.SSLContext | None) -> Iterator[Finding]:
    address = f"{config.base_url}/healthz"
    try:
        with urlopen(Request(address), timeout=PATIENCE, context=tls) as answer:
            is_well = answer.status == 200
    except (URLError, OSError) as error:
        why = getattr(error, "code", None) or type(error).__name__
        yield todo("site", f"{address} does not answer well ({why}); start: pbem serve")
        return
    yield ok("site", f"{address} answers") if is_well else todo("site", f"{address} is not well")
