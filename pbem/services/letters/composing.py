"""From a queued letter to its bytes: is it still current, what does it say, which headers.

What a letter says is fixed in its row, sealed and durably, before it is first offered to a server;
so it may arrive twice when a link was lost behind its final dot, but then with the same Message-ID.
"""

from __future__ import annotations

import hmac
from base64 import b64encode
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from email.utils import format_datetime
from hashlib import sha256

from peewee import PeeweeException

from pbem import return_addresses, sealing, server_timeline
from pbem.db.store import reading, writing
from pbem.errors import RulesChanged
from pbem.links import YouLink
from pbem.mail import mime
from pbem.mail.parcels import Parcel
from pbem.services.letters import daily_notices
from pbem.services.letters.claims import PURPOSE, keep_bytes
from pbem.services.letters.kinds import registry
from pbem.services.letters.mail_settings import MailSettings
from pbem.services.letters.verdicts import Verdict, held, kept_back, superseded, unwritten
from pbem.services.players import process_settings
from pbem.services.records.letter_queue import GATHERED, QueuedLetter

ERRORS = ("refused", "unclear")
"""What an answer to a reply may tell: nothing was done."""
OUTLOOK_TIME = bytes.fromhex("01d5c0366905")
"""The beginning of 2020, as far as an index of Outlook tells time."""


def prepared(
    settings: MailSettings, worker: str, claimed: Sequence[QueuedLetter], now: int
) -> Iterator[tuple[QueuedLetter, Parcel | Verdict]]:
    """For each letter its parcel, with bytes that are durably in its row, or why there is none."""
    parcels, fresh = dict[int, Parcel](), list[QueuedLetter]()
    for letter in claimed:
        try:
            if not registry.is_current(letter):
                yield letter, superseded(letter, now)
                continue
            if letter.mime is None and registry.is_gathered(letter):
                yield letter, superseded(letter, now, GATHERED)
                continue
            if letter.mime is None and (until := registry.waits_until(letter, now)) > now:
                yield letter, held(letter, until)
                continue
            address, body = mime.mailbox(letter.facts.address), letter.mime
            if body is None:
                named = letter._replace(message_id=message_id(settings, letter))
                with reading():
                    body = build(settings, named, now)
                fresh.append(named._replace(mime=body))
        except PeeweeException:
            raise  # a database that is away says nothing about a letter
        except RulesChanged:
            yield letter, kept_back(letter, now)
            continue
        except Exception as error:  # a letter that cannot be written must not stop the others
            yield letter, unwritten(settings, letter, error, now)
            continue
        if is_addressed_to(body, address):
            parcels[letter.id] = Parcel(envelope_sender(settings, letter), address, body)
        else:
            yield letter, superseded(letter, now, "written for another address")
    lost = keep(worker, fresh)
    for letter in claimed:
        if letter.id in parcels and letter.id not in lost:
            yield letter, parcels[letter.id]


def envelope_sender(settings: MailSettings, letter: QueuedLetter) -> str:
    """Where a letter comes back to: an address of its own, if mail finds a way in.

    An answer that tells of an error comes back to nobody: two machines might go on for ever.
    """
    if not process_settings.settings.takes_mail:
        return settings.sender
    if letter.kind == "reply" and letter.about.get("what") in ERRORS:
        return ""
    return f"{return_addresses.of_letter(letter.id)}@{settings.domain}"


def is_addressed_to(body: bytes, address: str) -> bool:
    head = body[: body.find(b"\r\n\r\n") + 2]
    return b"\r\nTo: %b\r\n" % address.encode("ascii") in head


def keep(worker: str, fresh: Sequence[QueuedLetter]) -> set[int]:
    """Write bytes into their rows, all at once; the rows that are not ours any more."""
    if not fresh:
        return set()
    with writing():
        return {letter.id for letter in fresh if not _keep(worker, letter)}


def _keep(worker: str, letter: QueuedLetter) -> bool:
    sealed = sealing.seal(PURPOSE, letter.id, letter.mime or b"")
    return keep_bytes(worker, letter.id, letter.message_id or "", sealed)


def message_id(settings: MailSettings, letter: QueuedLetter) -> str:
    """The one it has; for a new letter its own, which nobody can guess.

    Numbers come again when the server is restored; the mark of its timeline does not.
    """
    if letter.message_id:
        return letter.message_id
    numbers = (server_timeline.current.mark, str(letter.facts.timeline or 0), str(letter.id))
    number = ".".join(filter(None, numbers))
    mark = hmac.digest(settings.key, f"{number}.{letter.created_at}".encode(), "sha256").hex()[:16]
    return f"<o.{number}.{mark}@{settings.domain}>"


def build(settings: MailSettings, letter: QueuedLetter, now: int) -> bytes:
    """The letter as bytes, written from the log."""
    told = daily_notices.told_by(letter, settings.links, now)
    composed = registry.compose(letter._replace(notices=told), settings.links, now)
    fields = [
        ("From", f"pbem <{settings.sender}>"),
        ("To", mime.mailbox(letter.facts.address)),
        ("Subject", composed.subject),
        ("Date", format_datetime(datetime.fromtimestamp(now, UTC))),
        ("Message-ID", message_id(settings, letter)),
        *headers(settings, letter),
        *composed.headers,
    ]
    page, pictures = composed.html or None, composed.pictures
    return mime.build(fields, composed.text, page, pictures, composed.attachments)


def thread(
    settings: MailSettings, match: str, first: str | None, answered: str = ""
) -> Iterator[tuple[str, str]]:
    """One conversation for a match: all letters answer the first one that their reader was sent.

    An answer to a reply answers that.

    They also name a letter that there is not, so that they stay together without the first. Where
    subjects differ, Outlook goes by an index of its own: a time, always the same, and a number.
    """
    root = f"<match.{match}@{settings.domain}>"
    yield "In-Reply-To", answered or first or root
    yield "References", " ".join(filter(None, (root, first, answered)))
    index = OUTLOOK_TIME + sha256(root.encode()).digest()[:16]
    yield "Thread-Index", b64encode(index).decode("ascii")


def headers(settings: MailSettings, letter: QueuedLetter) -> Iterator[tuple[str, str]]:
    """Thread, list, way to stop, and what programs sort by."""
    if letter.match is not None:
        answered = str(letter.about.get("answers", ""))
        yield from thread(settings, letter.match, letter.facts.first, answered)
        yield "List-Id", f"<{letter.match}.match.{settings.domain}>"
    player = YouLink(letter.player, letter.facts.player_epoch)
    stop = settings.links.url(registry.stop_of(letter.kind), player)
    yield "List-Unsubscribe", f"<{stop}>"
    yield "List-Unsubscribe-Post", "List-Unsubscribe=One-Click"
    yield "Auto-Submitted", "auto-replied" if letter.about.get("answers") else "auto-generated"
    yield "X-Auto-Response-Suppress", "All"
    yield "X-PBEM-Kind", letter.kind
    if letter.match is not None:
        yield "X-PBEM-Match", letter.match
    if letter.seat is not None:
        yield "X-PBEM-Seat", letter.facts.seat_name or ""
    if letter.turn is not None:
        yield "X-PBEM-Turn", str(letter.turn)
