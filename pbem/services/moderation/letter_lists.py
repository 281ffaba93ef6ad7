"""The outbox as moderators and operators see it: lists, one letter, what to do about it.

Of a stored letter they see the headers, and the text only of kinds that hold neither hidden state
nor what players write to each other. Every signed link is taken out of both.

By the query builder a page takes 0.6 ms, seven times as long as by hand; nobody who waits for a
page notices that.
"""

from __future__ import annotations

import re
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any, NamedTuple

from peewee import Case, Tuple

from pbem import sealing
from pbem.db.models import Outbox, Player
from pbem.db.reading import changed, every, first, value
from pbem.db.store import writing
from pbem.errors import Missing, Stale
from pbem.links import PATHS
from pbem.services.letters.claims import PURPOSE
from pbem.services.letters.kinds import registry
from pbem.services.moderation import act_records, impartiality
from pbem.services.records import audit_log
from pbem.services.records.letter_queue import DEAD, LEASED, QUEUED, RETURNED, SENT, SUPERSEDED
from pbem.services.records.match_rows import get_match
from pbem.services.records.moderator_rows import ModeratorRecord
from pbem.services.time import clocks, stalled_turns

A_PAGE = 50
STATES = (DEAD, RETURNED, QUEUED, LEASED, SENT, SUPERSEDED)


class ListedLetter(NamedTuple):
    """A letter and what became of it; not what it says."""

    id: int
    kind: str
    match: str | None
    seat: int | None
    to: str
    state: str
    attempts: int
    created_at: int
    next_at: int
    sent_at: int | None
    message_id: str | None
    last_error: str
    report: str
    """What a mail server has said of it since: delayed, soft or hard."""
    reported_at: int | None

    @property
    def can_change(self) -> bool:
        """Whether it may be tried again now, or given up."""
        return self.state in (QUEUED, DEAD)


class LetterKey(NamedTuple):
    """Where a page ends: the next one begins behind it."""

    next_at: int
    letter: int


class LetterPage(NamedTuple):
    letters: list[ListedLetter]
    following: LetterKey | None


_COLUMNS = [getattr(Outbox, name) for name in ListedLetter._fields if name != "to"]
_LETTERS = Outbox.select(*_COLUMNS, Player.address.alias("to")).join(Player)


def page(state: str, after: LetterKey | None) -> LetterPage:
    """One page of the letters of a state, the latest attempt first."""
    query = _LETTERS.where(Outbox.state == state)
    if after is not None:
        query = query.where(Tuple(Outbox.next_at, Outbox.id) < after)
    query = query.order_by(Outbox.next_at.desc(), Outbox.id.desc())
    found = every(query.limit(A_PAGE + 1), ListedLetter)
    shown = found[:A_PAGE]
    last = shown[-1] if len(found) > A_PAGE else None
    return LetterPage(shown, LetterKey(last.next_at, last.id) if last else None)


def of_match(match: str, most: int = 200) -> list[ListedLetter]:
    """The newest letters of a match, newest first."""
    newest = _LETTERS.where(Outbox.match == match).order_by(Outbox.id.desc())
    return every(newest.limit(most), ListedLetter)


def get(number: int) -> ListedLetter:
    found = first(_LETTERS.where(Outbox.id == number), ListedLetter)
    if found is None:
        raise Missing("there is no such email")
    return found


# --- what was written -----------------------------------------------------------------------------


class StoredLetter(NamedTuple):
    headers: list[tuple[str, str]]
    text: str | None
    """None for a kind that may hold what is hidden."""


def stored(letter: ListedLetter) -> StoredLetter | None:
    """The bytes as far as they may be seen; None before they are written and once it has left."""
    kept = value(Outbox.select(Outbox.mime).where(Outbox.id == letter.id))
    written = None if kept is None else sealing.opened(PURPOSE, letter.id, bytes(kept))
    if written is None:
        return None
    message = message_from_bytes(written, policy=default)
    headers = [(name, masked(str(value))) for name, value in message.items()]
    return StoredLetter(headers, masked(_text(message)) if registry.is_open(letter.kind) else None)


def _text(message: EmailMessage[Any, Any]) -> str:
    part = message.get_body(("plain",))
    return str(part.get_content()).replace("\r\n", "\n") if part is not None else ""


HIDDEN = "(hidden)"
_TOKEN = re.compile(r"[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{43,}")
_WAY = re.compile("(" + "|".join(map(re.escape, PATHS.values())) + r")[^\s<>\"'/]+")


def masked(text: str) -> str:
    """Without the secret part of any link: by its shape, and by the path that it follows."""
    return _WAY.sub(rf"\1{HIDDEN}", _TOKEN.sub(HIDDEN, text))


# --- what to do about one -------------------------------------------------------------------------


_ALL_TRIES = Case(None, [(Outbox.attempts > 1, 1)], Outbox.attempts)


def retry(moderator: ModeratorRecord, number: int, now: int) -> None:
    """Offer a letter again with the next batch, under the same Message-ID and with all tries."""
    with writing():
        letter = _held(moderator, number)
        _change(letter, state=QUEUED, attempts=_ALL_TRIES, refusals=0, next_at=now)
        _enter(moderator, "retry_letter", letter, "", now)


def abort(moderator: ModeratorRecord, number: int, reason: str, now: int) -> None:
    """Give a letter up; what was written of it is wiped."""
    why = act_records.checked_reason(reason)
    with writing():
        clocks.hold_waiting_matches([number])
        letter = _held(moderator, number)
        told = f"given up by an operator: {why}"[:200]
        _change(letter, state=SUPERSEDED, mime=None, last_error=told)
        stalled_turns.after_letters([letter.id], now)
        _enter(moderator, "abort_letter", letter, why, now)


def _held(moderator: ModeratorRecord, number: int) -> ListedLetter:
    letter = get(number)
    if letter.match is not None:
        impartiality.check_apart(moderator, get_match(letter.match))
    return letter


def _change(letter: ListedLetter, **columns: Any) -> None:
    """Only as long as no worker has it, and it is still true."""
    change = Outbox.update(**columns).where(Outbox.id == letter.id)
    if not changed(change.where(Outbox.state.in_((QUEUED, DEAD)))):
        raise Stale("this email is being sent, was sent, or is out of date")


def _enter(
    moderator: ModeratorRecord, act: str, letter: ListedLetter, reason: str, now: int
) -> None:
    subject = (
        f"letter {letter.id}" if letter.match is None else act_records.subject_of(letter.match)
    )
    detail = {"letter": letter.id, "kind": letter.kind}
    audit_log.record(moderator.address, act, subject, reason, "", detail, now)
