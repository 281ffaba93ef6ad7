"""Alarms: armed here, rung here. Each thing has at most one row in `due`, its next moment.

Any number of workers may look; each alarm rings once, for whoever moves its row, and what another
worker has just now is passed over. What an alarm means is not known here: `ring` is given a handler
for each kind, which reads the tables again and arms the next moment in the transaction in which it
claimed the alarm. It holds what the alarm is about before it claims the alarm: whoever acts in a
match arms and disarms while holding the match.

The statements of a tick are written by hand: it looks every few seconds for ever (`make bench`, row
"tick").
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from pbem.db.store import execute, marks, rows, unclaimed, writing
from pbem.deadlines import HOUR
from pbem.errors import whereabouts
from pbem.services.time.heartbeat import clocks_stopped_at

log = logging.getLogger(__name__)

TURN, PAUSE, DIGEST, LOAN, ADDRESS = "turn", "pause", "digest", "loan", "address"
LAPSE, UNTOLD = "lapse", "untold"
BATCH = 200
SET_ASIDE = HOUR
"""When to look again at something that cannot be handled."""


class Alarm(NamedTuple):
    kind: str
    subject: str
    at: int


class Rung(NamedTuple):
    """What came of the alarms that rang."""

    reminded: int = 0
    late: int = 0
    timed_out: int = 0
    held: int = 0
    other: int = 0

    def __add__(self, more: object) -> Rung:
        assert isinstance(more, Rung)
        return Rung(*(old + new for old, new in zip(self, more, strict=True)))


Handler = Callable[[list[Alarm], int, Rung], Rung]
"""Handles alarms of one kind that ring now, after so much has been done in this tick."""


# --- arming --------------------------------------------------------------------------------------


def arm(kind: str, subject: object, at: int) -> None:
    """Set the one alarm of a thing; an older one is forgotten."""
    execute(
        "INSERT INTO due (kind, subject, at) VALUES (?, ?, ?)"
        " ON CONFLICT (kind, subject) DO UPDATE SET at = excluded.at",
        kind,
        str(subject),
        at,
    )


def disarm(kind: str, subject: object) -> None:
    execute("DELETE FROM due WHERE kind = ? AND subject = ?", kind, str(subject))


def armed_at(kind: str, subject: object) -> int | None:
    """When the alarm of a thing rings; None where it has none."""
    found = rows("SELECT at FROM due WHERE kind = ? AND subject = ?", kind, str(subject))
    return next((at for (at,) in found), None)


# --- ringing -------------------------------------------------------------------------------------


def ring(now: int, handlers: Mapping[str, Handler]) -> Rung:
    """Ring all that is due, batch after batch, unless the clocks are stopped meanwhile.

    Kinds that nobody here knows wait for a worker of the release that has armed them.
    """
    total, kinds = Rung(), sorted(handlers)
    while clocks_stopped_at() is None and (batch := find_due(now, kinds)):
        by_kind = sorted(batch, key=lambda alarm: alarm.kind == TURN)  # turns last, else in order
        for kind, alarms in groupby(by_kind, key=lambda alarm: alarm.kind):
            total += handlers[kind](list(alarms), now, total)
    return total


def find_due(now: int, kinds: Sequence[str], most: int = BATCH) -> list[Alarm]:
    """The alarms of these kinds that have to ring and that nobody else has, earliest first.

    By their time: looked up by `kind` itself, SQLite would walk all that are ever to ring.
    """
    due = f"SELECT kind, subject, at FROM due WHERE at <= ? AND kind || '' IN ({marks(kinds)})"
    found = rows(f"{due} ORDER BY at, kind, subject LIMIT ?{unclaimed()}", now, *kinds, most)
    return [Alarm(kind, subject, at) for kind, subject, at in found]


def claim(alarm: Alarm, now: int) -> bool:
    """Take an alarm for this transaction; nobody else has it. Whoever handles it sets the next."""
    return postpone(alarm, now + SET_ASIDE)


def postpone(alarm: Alarm, at: int) -> bool:
    """Move an alarm, unless somebody else has moved it since it was read, or is about to."""
    this = "SELECT kind, subject FROM due WHERE kind = ? AND subject = ? AND at = ?" + unclaimed()
    moved = execute(
        f"UPDATE due SET at = ? WHERE (kind, subject) IN ({this})",
        at,
        alarm.kind,
        alarm.subject,
        alarm.at,
    )
    return moved == 1


def one_by_one(act: Callable[[Alarm, int], None], hold: Callable[[str], object]) -> Handler:
    """A handler that does something about each alarm, in a transaction of its own.

    `hold` makes others wait who write to what an alarm is about; it is given its subject.
    """

    def handle(alarms: list[Alarm], now: int, _: Rung) -> Rung:
        return Rung(other=sum([_alone(act, hold, alarm, now) for alarm in alarms]))

    return handle


def _alone(
    act: Callable[[Alarm, int], None], hold: Callable[[str], object], alarm: Alarm, now: int
) -> bool:
    try:
        with writing():
            hold(alarm.subject)
            if not claim(alarm, now):
                return False
            act(alarm, now)
            return True
    except Exception as error:  # whatever is wrong with one thing, the others have their time
        set_aside(alarm, error, now)
        return False


def set_aside(alarm: Alarm, error: Exception, now: int) -> None:
    """Say what is wrong, and look at it again later."""
    why = whereabouts(error)
    log.error("cannot do what is due kind=%s subject=%s why=%s", alarm.kind, alarm.subject, why)
    with writing():
        claim(alarm, now)
