"""Verdicts: what a try means for a letter, and when the next one is made.

When to give up is told by the number of tries, never by the date: that may be wrong.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import NamedTuple

from pbem.deadlines import DAY, HOUR, MINUTE
from pbem.errors import TransportError, whereabouts
from pbem.mail.parcels import NoWay
from pbem.services.letters.mail_settings import MailSettings
from pbem.services.records.letter_queue import (
    DEAD,
    OVERNIGHT,
    QUEUED,
    SENT,
    SUPERSEDED,
    QueuedLetter,
)
from pbem.services.seats import unreachable

log = logging.getLogger(__name__)

BACKOFF = tuple(MINUTE * minutes for minutes in (1, 2, 5, 10, 15, 30))
REFUSED = (10 * MINUTE, HOUR, 6 * HOUR, 18 * HOUR, 24 * HOUR)
"""Pauses after refusals for good; whoever has refused a letter once more than these means it."""
JITTER = 0.2
GIVE_UP = 5 * DAY
MOST_TRIES = len(BACKOFF) + -(-(GIVE_UP - sum(BACKOFF)) // BACKOFF[-1])
"""As many as fit into five days."""
MOST_FAULTS = 3
"""Tries to build a letter before it is put aside."""


class Verdict(NamedTuple):
    """What is written down about a letter after a try."""

    id: int
    state: str
    attempts: int
    next_at: int
    error: str = ""
    refusals: int = 0
    is_unreachable: bool = False
    """Whether this shows that its reader cannot be reached."""
    stream: str = ""
    """Where it waits from now on, if not where it is."""


class Drained(NamedTuple):
    """What became of the letters that were ready."""

    sent: int = 0
    again: int = 0
    dead: int = 0
    superseded: int = 0

    def and_then(self, more: Drained) -> Drained:
        return Drained(*(old + new for old, new in zip(self, more, strict=True)))


class Batch(NamedTuple):
    """What became of letters that were claimed together."""

    verdicts: Sequence[Verdict]
    untried: Sequence[int]
    is_open: bool
    """Whether the way to the mail server is still open."""

    def counted(self) -> Drained:
        states = [verdict.state for verdict in self.verdicts]
        return Drained(*(states.count(state) for state in (SENT, QUEUED, DEAD, SUPERSEDED)))


def judge(
    settings: MailSettings, letter: QueuedLetter, problem: TransportError | None, now: int
) -> Verdict:
    """What follows from the mail server's answer; no problem means that it has the letter."""
    attempts = letter.attempts + 1
    if problem is None:
        return Verdict(letter.id, SENT, attempts, now)
    log.warning("unsent letter=%s kind=%s why=%s", letter.id, letter.kind, problem)
    refusals = letter.refusals + problem.permanent
    given_up = attempts >= MOST_TRIES or refusals > len(REFUSED)
    pauses, passed = (REFUSED, refusals) if problem.permanent else (BACKOFF, attempts)
    return Verdict(
        letter.id,
        DEAD if given_up else QUEUED,
        attempts,
        now + _pause(settings, passed, pauses),
        str(problem),
        refusals,
        refusals >= unreachable.REFUSALS or (given_up and not isinstance(problem, NoWay)),
    )


def unwritten(settings: MailSettings, letter: QueuedLetter, error: Exception, now: int) -> Verdict:
    """A letter that cannot be built: tried again, then put aside. What it says stays unsaid."""
    why = whereabouts(error)
    log.error("unwritten letter=%s kind=%s why=%s", letter.id, letter.kind, why)
    attempts = letter.attempts + 1
    state = DEAD if attempts >= MOST_FAULTS else QUEUED
    next_at = now + _pause(settings, attempts)
    return Verdict(letter.id, state, attempts, next_at, why, letter.refusals)


def kept_back(letter: QueuedLetter, now: int) -> Verdict:
    """Its match waits, and what it tells with it."""
    later = now + BACKOFF[-1]
    return Verdict(letter.id, QUEUED, letter.attempts, later, refusals=letter.refusals)


def held(letter: QueuedLetter, until: int) -> Verdict:
    """It waits for the end of its reader's night, and holds up no other letter meanwhile."""
    stream = f"{OVERNIGHT}{letter.stream.removeprefix(OVERNIGHT)}"
    return Verdict(
        letter.id, QUEUED, letter.attempts, until, refusals=letter.refusals, stream=stream
    )


def superseded(letter: QueuedLetter, now: int, why: str = "") -> Verdict:
    """A letter that is no longer true, or no longer for its reader."""
    return Verdict(letter.id, SUPERSEDED, letter.attempts, now, why, letter.refusals)


def is_way_closed(problem: TransportError | None) -> bool:
    """Whether nobody is let in at present, so that no letter needs to be tried."""
    return isinstance(problem, NoWay)


def _pause(settings: MailSettings, passed: int, pauses: Sequence[int] = BACKOFF) -> int:
    """Seconds until the next try: longer and longer, spread a little to both sides."""
    seconds = pauses[min(passed, len(pauses)) - 1]
    return round(seconds * (1 + JITTER * (2 * settings.jitter() - 1)))
