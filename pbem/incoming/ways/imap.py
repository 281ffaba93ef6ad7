"""A mailbox that mail is fetched from, for servers without a mail server of their own.

A mail is marked as seen when it is kept, and not before: what is interrupted comes again. Mails to
nobody of ours are marked too, so the mailbox should be for this server alone.
"""

from __future__ import annotations

import imaplib
import logging
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import unquote, urlsplit

from imap_tools import BaseMailBox, MailBox, MailBoxUnencrypted
from imap_tools.errors import ImapToolsError

from pbem.incoming.mails import TooLarge
from pbem.incoming.ways import envelopes
from pbem.incoming.ways.doors import Door

log = logging.getLogger(__name__)

PATIENCE = 30.0
"""Seconds for each step of a conversation."""
AT_ONCE = 100
"""Mails fetched in one go; the others have their turn the next time."""
PORTS = {"imap": 143, "imaps": 993}


class Unreached(Exception):
    """The mailbox cannot be reached, or does not let us in; says why without its password."""


def fetch(url: str, door: Door, tls: ssl.SSLContext | None = None) -> int:
    """Keep what is new in a mailbox; how many mails were for us."""
    try:
        with _opened(url, tls) as mailbox:
            return sum([_fetch_one(mailbox, uid, door) for uid in _unseen(mailbox)])
    except (OSError, imaplib.IMAP4.error, ImapToolsError) as error:
        raise Unreached(f"the mailbox of PBEM_IMAP_URL: {type(error).__name__}") from None


def knock(url: str, tls: ssl.SSLContext | None = None) -> None:
    """Whether a mailbox lets us in; Unreached, if not. Nothing is fetched."""
    try:
        with _opened(url, tls):
            pass
    except (OSError, imaplib.IMAP4.error, ImapToolsError) as error:
        raise Unreached(f"the mailbox of PBEM_IMAP_URL: {type(error).__name__}") from None


@contextmanager
def _opened(url: str, tls: ssl.SSLContext | None) -> Iterator[BaseMailBox]:
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
    if parts.scheme == "imaps":
        context = tls or ssl.create_default_context()
        mailbox: BaseMailBox = MailBox(host, port, PATIENCE, ssl_context=context)
    else:
        mailbox = MailBoxUnencrypted(host, port, PATIENCE)
    try:
        folder = unquote(parts.path.strip("/")) or "INBOX"
        mailbox.login_utf8(unquote(parts.username or ""), unquote(parts.password or ""), folder)
        yield mailbox
    finally:
        with suppress(OSError, imaplib.IMAP4.error, ImapToolsError):
            mailbox.logout()


def _unseen(mailbox: BaseMailBox) -> list[str]:
    return mailbox.uids("UNSEEN")[:AT_ONCE]


def _fetch_one(mailbox: BaseMailBox, uid: str, door: Door) -> bool:
    """Whether a mail was for us; it is seen now in any case."""
    raw = _bytes_of(mailbox, uid, door.largest + 1)
    recipients = envelopes.recipients(raw, door.domain)
    try:
        is_ours = any(door.keep(envelopes.sender(raw), recipients, raw)) if recipients else False
    except TooLarge:
        log.error("a mail in the mailbox is too large and is left there uid=%s", uid)
        is_ours = False
    mailbox.client.uid("STORE", uid, "+FLAGS", r"(\Seen)")
    return is_ours


def _bytes_of(mailbox: BaseMailBox, uid: str, most: int) -> bytes:
    """What a mail consists of, as far as anybody wants to know; it stays unseen."""
    _, found = mailbox.client.uid("FETCH", uid, f"(BODY.PEEK[]<0.{most}>)")
    return next((bytes(part[1]) for part in found if isinstance(part, tuple)), b"")
