"""Sessions of moderators: rows that can be ended at once; the browser holds only a random number.

What is stored is the SHA-256 of that number, so reading the table lets nobody in. A browser that is
not logged in has such a number too; it gets a row only when a passkey is to sign something.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from typing import NamedTuple

from pbem.db.store import execute, row, rows, writing
from pbem.services.records.moderator_rows import ModeratorRecord, find_moderator

MINUTE, HOUR = 60, 3_600
IDLE, ABSOLUTE = 30 * MINUTE, 12 * HOUR
STEPPED_UP = 10 * MINUTE
CHALLENGE = 5 * MINUTE
NOTED_EVERY = MINUTE
"""How exactly it is kept when a session was last used; looking at pages seldom writes."""
MOST_TRIES = 5
"""Wrong tries in a row to show again who one is; then the session is over."""
_SHAPE = re.compile(r"[A-Za-z0-9_-]{43}")


class Session(NamedTuple):
    """A browser that a moderator has logged in with."""

    id: str
    moderator: ModeratorRecord
    created_at: int
    seen_at: int
    stepped_up_at: int | None
    remote: str

    def is_stepped_up(self, now: int) -> bool:
        """Whether the moderator has just shown again who it is."""
        return self.stepped_up_at is not None and now < self.stepped_up_at + STEPPED_UP


def new_token() -> str:
    return secrets.token_urlsafe(32)


def is_token(text: str) -> bool:
    return _SHAPE.fullmatch(text) is not None


def csrf_of(token: str) -> str:
    """What every form of a session carries; who cannot read the cookie cannot make it."""
    return hmac.digest(token.encode(), b"pbem/admin/csrf/v1", "sha256").hex()


def _id(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


# --- from login to logout -------------------------------------------------------------------------


def begin(moderator: int, before: str, remote: str, now: int) -> str:
    """A new session in place of what the browser had before; its token. Sweeps out old ones."""
    execute("DELETE FROM admin_session WHERE id = ?", _id(before))
    execute(
        "DELETE FROM admin_session WHERE seen_at <= ? OR created_at <= ?",
        now - IDLE,
        now - ABSOLUTE,
    )
    token = new_token()
    execute(
        "INSERT INTO admin_session (id, moderator_id, created_at, seen_at, remote)"
        " VALUES (?, ?, ?, ?, ?)",
        _id(token),
        moderator,
        now,
        now,
        remote[:45],
    )
    return token


def find(token: str, now: int) -> Session | None:
    """The session of a token, while it lasts and its moderator is one."""
    found = row(
        "SELECT id, moderator_id, created_at, seen_at, stepped_up_at, remote FROM admin_session"
        " WHERE id = ? AND moderator_id IS NOT NULL AND seen_at > ? AND created_at > ?",
        _id(token),
        now - IDLE,
        now - ABSOLUTE,
    )
    moderator = find_moderator(found[1]) if found else None
    if found is None or moderator is None or moderator.disabled_at is not None:
        return None
    return Session(found[0], moderator, *found[2:])


def note_use(session: Session, now: int) -> None:
    """Keep a session from going idle."""
    if now - session.seen_at < NOTED_EVERY:
        return
    with writing():
        execute(
            "UPDATE admin_session SET seen_at = ? WHERE id = ? AND seen_at < ?",
            now,
            session.id,
            now,
        )


def renew(session: Session, now: int) -> str:
    """The session under a new token, stepped up; it does not last longer for that."""
    token = new_token()
    execute(
        "UPDATE admin_session SET id = ?, stepped_up_at = ?, seen_at = ?, failures = 0"
        " WHERE id = ?",
        _id(token),
        now,
        now,
        session.id,
    )
    return token


def take_try(session: Session) -> bool:
    """Count a try to step up before it is looked at; whether one was left."""
    counted = execute(
        "UPDATE admin_session SET failures = failures + 1 WHERE id = ? AND failures < ?",
        session.id,
        MOST_TRIES,
    )
    return counted == 1


def end_if_tried_out(session: Session) -> bool:
    """End a session whose tries are used up; whether it was so."""
    return (
        execute("DELETE FROM admin_session WHERE id = ? AND failures >= ?", session.id, MOST_TRIES)
        == 1
    )


def end(session: Session) -> None:
    execute("DELETE FROM admin_session WHERE id = ?", session.id)


def end_all(moderator: int) -> int:
    """End every session of a moderator; how many there were."""
    return execute("DELETE FROM admin_session WHERE moderator_id = ?", moderator)


def of(moderator: ModeratorRecord, now: int) -> list[Session]:
    """The sessions of a moderator that are good, newest first."""
    found = rows(
        "SELECT id, created_at, seen_at, stepped_up_at, remote FROM admin_session"
        " WHERE moderator_id = ? AND seen_at > ? AND created_at > ? ORDER BY created_at DESC, id",
        moderator.id,
        now - IDLE,
        now - ABSOLUTE,
    )
    return [Session(values[0], moderator, *values[1:]) for values in found]


# --- what a passkey is to sign --------------------------------------------------------------------


def keep_challenge(token: str, challenge: str, remote: str, now: int) -> None:
    """Keep what a passkey is asked to sign, in place of what it was asked before.

    A session that is over is not revived by it. What strangers have left at the door is swept out.
    """
    with writing():
        execute(
            "DELETE FROM admin_session WHERE moderator_id IS NULL AND created_at <= ?"
            " AND (challenge_at IS NULL OR challenge_at <= ?)",
            now - CHALLENGE,
            now - CHALLENGE,
        )
        execute(
            "INSERT INTO admin_session (id, created_at, seen_at, challenge, challenge_at, remote)"
            " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id)"
            " DO UPDATE SET challenge = excluded.challenge, challenge_at = excluded.challenge_at",
            _id(token),
            now,
            now,
            challenge,
            now,
            remote[:45],
        )


def take_challenge(token: str, now: int) -> str | None:
    """What this browser was asked to sign; it is taken once, also when the answer is wrong."""
    with writing():
        found = row(
            "SELECT challenge FROM admin_session WHERE id = ? AND challenge_at > ?",
            _id(token),
            now - CHALLENGE,
        )
        if found is None or found[0] is None:
            return None
        taken = execute(
            "UPDATE admin_session SET challenge = NULL, challenge_at = NULL"
            " WHERE id = ? AND challenge = ?",
            _id(token),
            found[0],
        )
    return str(found[0]) if taken else None
