"""Signs of work being done: how long each kind has been waiting, and for how long it may.

`/healthz`, `pbem doctor`, `/metrics` and the rules of deploy/monitoring all go by these.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from peewee import fn

from pbem.db.models import Due
from pbem.db.reading import value
from pbem.deadlines import MINUTE
from pbem.services.operations import backups, statistics
from pbem.services.operations.alerts import OLD_BACKUP
from pbem.services.records import incoming_mails
from pbem.services.time import clock_trust, heartbeat

LONG = 15 * MINUTE
"""For which nothing that could be done at once should wait."""

SignName = Literal["letter", "mail", "alarm", "tick", "backup"]


class Sign(NamedTuple):
    name: SignName
    since: int | None
    """Since when it waits, or when it was done last; None where there is no such thing."""
    limit: int
    words: str
    """What is wrong when it is over the limit."""

    def age(self, now: int) -> int:
        return 0 if self.since is None else max(0, now - self.since)

    def is_overdue(self, now: int) -> bool:
        return self.age(now) > self.limit


def read(now: int) -> list[Sign]:
    beat = heartbeat.heartbeat()
    is_stopped = beat is not None and beat.maintenance_since is not None
    newest, waits = backups.newest(), statistics.oldest_letter(now)
    return [
        Sign("letter", waits, LONG, "letters wait to be sent; is the mail server well?"),
        Sign(
            "mail",
            incoming_mails.oldest_waiting(),
            LONG,
            "mail that came in has been waiting for too long; is a worker running?",
        ),
        Sign("alarm", None if is_stopped else _oldest_alarm(now), LONG, "what is due is not done"),
        Sign(
            "tick",
            None if beat is None or is_stopped else beat.ticked_at,
            clock_trust.DOWN,
            "no worker looks at what is due; is one running?",
        ),
        Sign("backup", newest and newest.at, OLD_BACKUP, "the newest backup is old"),
    ]


def _oldest_alarm(now: int) -> int | None:
    """Since when the oldest alarm rings."""
    since: int | None = value(Due.select(fn.MIN(Due.at)).where(Due.at <= now))
    return since
