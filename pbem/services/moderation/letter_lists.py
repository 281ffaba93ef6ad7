"""The outbox as operators see it: lists, one letter, what to do about it.

Of a stored letter they see the headers, and the text only of kinds that hold neither hidden state
nor what players write to each other. Every signed link is taken out of both.
"""

from __future__ import annotations

import re
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any, NamedTuple

from pbem import sealing
from pbem.db.store import execute, row, rows, writing
from pbem.errors import Missing, Stale
from pbem.links import PATHS
from pbem.services.letters.claims import PURPOSE
from pbem.services.letters.outbox import DEAD, LEASED, QUEUED, SENT, SUPERSEDED
from pbem.services.moderation import match_acts
from pbem.services.players import staff_alerts
from pbem.services.records import audit_log
from pbem.services.records.records import ModeratorRecord, get_match
from pbem.services.time import stalled_turns

A_PAGE = 50
STATES = (DEAD, QUEUED, LEASED, SENT, SUPERSEDED)
OPEN_KINDS = frozenset(
    {
        "away",
        "cancelled",
        "claim",
        "confirm",
        "declined",
        "invitation",
        "late",
        "moderated",
        staff_alerts.KIND,
        "you",
    }
)
"""Kinds of letters that say nothing of boards, hands or private words; every other is shut."""


class Letter(NamedTuple):
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

    @property
    def can_change(self) -> bool:
        """Whether it may be tried again now, or given up."""
        return self.state in (QUEUED, DEAD)


class Key(NamedTuple):
    """Where a page ends: the next one begins behind it."""

    next_at: int
    letter: int


class Page(NamedTuple):
    letters: list[Letter]
    following: Key | None


_LETTER = (
    "SELECT o.id, o.kind, o.match_id, o.seat, p.address, o.state, o.attempts, o.created_at,"
    " o.next_at, o.sent_at, o.message_id, o.last_error"
    " FROM outbox o JOIN player p ON p.id = o.player_id"
)


def page(state: str, after: Key | None) -> Page:
    """One page of the letters of a state, the latest attempt first."""
    behind, values = ("", ()) if after is None else (" AND (o.next_at, o.id) < (?, ?)", after)
    found = rows(
        f"{_LETTER} WHERE o.state = ?{behind} ORDER BY o.next_at DESC, o.id DESC LIMIT ?",
        state,
        *values,
        A_PAGE + 1,
    )
    shown = [Letter(*one) for one in found[:A_PAGE]]
    last = shown[-1] if len(found) > A_PAGE else None
    return Page(shown, Key(last.next_at, last.id) if last else None)


def get(number: int) -> Letter:
    found = row(f"{_LETTER} WHERE o.id = ?", number)
    if found is None:
        raise Missing("there is no such email")
    return Letter(*found)


# --- what was written -----------------------------------------------------------------------------


class Stored(NamedTuple):
    headers: list[tuple[str, str]]
    text: str | None
    """None for a kind that may hold what is hidden."""


def stored(letter: Letter) -> Stored | None:
    """The bytes as far as they may be seen; None before they are written and once it has left."""
    found = row("SELECT mime FROM outbox WHERE id = ?", letter.id)
    kept = found[0] if found else None
    written = None if kept is None else sealing.opened(PURPOSE, letter.id, bytes(kept))
    if written is None:
        return None
    message = message_from_bytes(written, policy=default)
    headers = [(name, masked(str(value))) for name, value in message.items()]
    return Stored(headers, masked(_text(message)) if letter.kind in OPEN_KINDS else None)


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


_ALL_TRIES = "attempts = CASE WHEN attempts > 1 THEN 1 ELSE attempts END"


def retry(moderator: ModeratorRecord, number: int, now: int) -> None:
    """Offer a letter again with the next batch, under the same Message-ID and with all tries."""
    with writing():
        letter = _held(moderator, number)
        _change(letter, QUEUED, f"{_ALL_TRIES}, refusals = 0, next_at = ?", now)
        _enter(moderator, "retry_letter", letter, "", now)


def abort(moderator: ModeratorRecord, number: int, reason: str, now: int) -> None:
    """Give a letter up; what was written of it is wiped."""
    why = match_acts.checked_reason(reason)
    with writing():
        letter = _held(moderator, number)
        told = f"given up by an operator: {why}"[:200]
        _change(letter, SUPERSEDED, "mime = NULL, last_error = ?", told)
        stalled_turns.after_letters([letter.id], now)
        _enter(moderator, "abort_letter", letter, why, now)


def _held(moderator: ModeratorRecord, number: int) -> Letter:
    letter = get(number)
    if letter.match is not None:
        match_acts.check_apart(moderator, get_match(letter.match))
    return letter


def _change(letter: Letter, state: str, fields: str, value: object) -> None:
    """Only as long as no worker has it, and it is still true."""
    changed = execute(
        f"UPDATE outbox SET state = ?, {fields} WHERE id = ? AND state IN (?, ?)",
        state,
        value,
        letter.id,
        QUEUED,
        DEAD,
    )
    if not changed:
        raise Stale("this email is being sent, was sent, or is out of date")


def _enter(moderator: ModeratorRecord, act: str, letter: Letter, reason: str, now: int) -> None:
    subject = f"letter {letter.id}" if letter.match is None else match_acts.subject_of(letter.match)
    detail = {"letter": letter.id, "kind": letter.kind}
    audit_log.record(moderator.address, act, subject, reason, "", detail, now)
