"""Sessions of moderators: rows that can be ended at once; the browser holds only a random number.

What is stored is the SHA-256 of that number, so reading the table lets nobody in. A browser that is
not logged in has such a number too; it gets a row only when a passkey is to sign something.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from functools import partial
from typing import Any, NamedTuple

from pbem.db.models import AdminSession
from pbem.db.reading import changed, every, first, value
from pbem.db.store import writing
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
    old = (AdminSession.id == _id(before)) | ~_lasts(now)
    AdminSession.delete().where(old).execute()
    token = new_token()
    AdminSession.insert(
        id=_id(token), moderator=moderator, created_at=now, seen_at=now, remote=remote[:45]
    ).execute()
    return token


def find(token: str, now: int) -> Session | None:
    """The session of a token, while it lasts and its moderator is one."""
    kept = AdminSession.select(AdminSession.moderator, *_COLUMNS)
    found: dict[str, Any] | None = first(
        kept.where(AdminSession.id == _id(token), _lasts(now)), dict
    )
    moderator = find_moderator(found.pop("moderator") or 0) if found else None
    if found is None or moderator is None or moderator.disabled_at is not None:
        return None
    return Session(moderator=moderator, **found)


_COLUMNS = [getattr(AdminSession, name) for name in Session._fields if name != "moderator"]


def _lasts(now: int) -> Any:
    """Whether a session is neither idle nor too old."""
    return (AdminSession.seen_at > now - IDLE) & (AdminSession.created_at > now - ABSOLUTE)


def note_use(session: Session, now: int) -> None:
    """Keep a session from going idle."""
    if now - session.seen_at < NOTED_EVERY:
        return
    with writing():
        AdminSession.update(seen_at=now).where(
            AdminSession.id == session.id, AdminSession.seen_at < now
        ).execute()


def renew(session: Session, now: int) -> str:
    """The session under a new token, stepped up; it does not last longer for that."""
    token = new_token()
    AdminSession.update(id=_id(token), stepped_up_at=now, seen_at=now, failures=0).where(
        AdminSession.id == session.id
    ).execute()
    return token


def take_try(session: Session) -> bool:
    """Count a try to step up before it is looked at; whether one was left."""
    counted = AdminSession.update(failures=AdminSession.failures + 1).where(
        AdminSession.id == session.id, AdminSession.failures < MOST_TRIES
    )
    return changed(counted) == 1


def end_if_tried_out(session: Session) -> bool:
    """End a session whose tries are used up; whether it was so."""
    ended = AdminSession.delete().where(
        AdminSession.id == session.id, AdminSession.failures >= MOST_TRIES
    )
    return changed(ended) == 1


def end(session: Session) -> None:
    AdminSession.delete().where(AdminSession.id == session.id).execute()


def end_all(moderator: int) -> int:
    """End every session of a moderator; how many there were."""
    return changed(AdminSession.delete().where(AdminSession.moderator == moderator))


def end_everybodys() -> None:
    AdminSession.delete().execute()


def of(moderator: ModeratorRecord, now: int) -> list[Session]:
    """The sessions of a moderator that are good, newest first."""
    kept = AdminSession.select(*_COLUMNS).where(AdminSession.moderator == moderator.id, _lasts(now))
    newest_first = kept.order_by(AdminSession.created_at.desc(), AdminSession.id)
    return every(newest_first, partial(Session, moderator=moderator))


# --- what a passkey is to sign --------------------------------------------------------------------


def keep_challenge(token: str, challenge: str, remote: str, now: int) -> None:
    """Keep what a passkey is asked to sign, in place of what it was asked before.

    A session that is over is not revived by it. What strangers have left at the door is swept out.
    """
    with writing():
        late = now - CHALLENGE
        AdminSession.delete().where(
            AdminSession.moderator.is_null(),
            AdminSession.created_at <= late,
            AdminSession.challenge_at.is_null() | (AdminSession.challenge_at <= late),
        ).execute()
        AdminSession.insert(
            id=_id(token),
            created_at=now,
            seen_at=now,
            challenge=challenge,
            challenge_at=now,
            remote=remote[:45],
        ).on_conflict(
            conflict_target=[AdminSession.id],
            preserve=[AdminSession.challenge, AdminSession.challenge_at],
        ).execute()


def take_challenge(token: str, now: int) -> str | None:
    """What this browser was asked to sign; it is taken once, also when the answer is wrong."""
    with writing():
        challenge = value(
            AdminSession.select(AdminSession.challenge).where(
                AdminSession.id == _id(token), AdminSession.challenge_at > now - CHALLENGE
            )
        )
        if challenge is None:
            return None
        taken = AdminSession.update(challenge=None, challenge_at=None).where(
            AdminSession.id == _id(token), AdminSession.challenge == challenge
        )
        return str(challenge) if changed(taken) else None
