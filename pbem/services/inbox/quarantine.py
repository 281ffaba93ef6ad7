"""Mails that could not be worked on: shown to operators without their words, tried anew, dropped.

Also how long mails are kept once they were worked on.
"""

from __future__ import annotations

from typing import NamedTuple

from pbem.db.models import Incoming
from pbem.db.reading import changed, every
from pbem.db.store import writing
from pbem.deadlines import DAY
from pbem.errors import Missing
from pbem.return_addresses import BOUNCE
from pbem.services.inbox import arrivals
from pbem.services.inbox.kept_mails import IGNORED, LEASED, QUARANTINED, RECEIVED
from pbem.services.records import audit_log

MOST = 100
"""More than these nobody looks at in one list."""
KEEP_WORDS = 7 * DAY
"""After a mail was worked on."""
KEEP_QUARANTINED = 30 * DAY
KEEP_ROWS = 90 * DAY
RETRY, DROP = "mail.retry", "mail.drop"


class SetAside(NamedTuple):
    """A mail that was set aside, as far as an operator may know it."""

    id: int
    recipient: str
    received_at: int
    attempts: int
    reason: str

    @property
    def is_bounce(self) -> bool:
        address = arrivals.return_address(self.recipient)
        return address is not None and address.use == BOUNCE


def set_aside(most: int = MOST) -> list[SetAside]:
    """The mails that nobody could work on, the newest first."""
    found = Incoming.select(*(getattr(Incoming, name) for name in SetAside._fields))
    found = found.where(Incoming.state == QUARANTINED).order_by(Incoming.id.desc())
    return every(found.limit(most), SetAside)


def retry(number: int, who: str, now: int) -> None:
    """Work on a mail once more, as if it had just come; in time is what was in time."""
    _act(number, who, RETRY, now, state=RECEIVED, attempts=0, next_at=now, done_at=None)


def drop(number: int, who: str, now: int) -> None:
    """Throw a mail away."""
    _act(number, who, DROP, now, state=IGNORED, reason="dropped", mime=None)


def _act(number: int, who: str, act: str, now: int, **changes: object) -> None:
    with writing():
        met = Incoming.update(**changes).where(
            Incoming.id == number, Incoming.state == QUARANTINED, Incoming.mime.is_null(False)
        )
        if not changed(met):
            raise Missing("no email with the number %(number)s is set aside", number=number)
        audit_log.record(who, act, f"mail {number}", "", "", {}, now)


def prune(now: int) -> int:
    """Wipe what old mails said, and drop rows that nobody can deliver again; how many."""
    with writing():
        old = Incoming.done_at <= now - KEEP_QUARANTINED
        given_up = Incoming.update(state=IGNORED, reason="given up")
        given_up = given_up.where(Incoming.state == QUARANTINED, old)
        has_words = Incoming.mime.is_null(False) | Incoming.words.is_null(False)
        wiped = Incoming.update(mime=None, words=None).where(
            has_words,
            Incoming.done_at <= now - KEEP_WORDS,
            Incoming.state.not_in([RECEIVED, LEASED, QUARANTINED]),
        )
        dropped = Incoming.delete().where(Incoming.done_at <= now - KEEP_ROWS)
        return sum(map(changed, (given_up, wiped, dropped)))
