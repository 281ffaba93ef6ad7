"""What needs a person now: each kind with how much of it there is, the most pressing first."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from pbem.db.models import Outbox
from pbem.deadlines import HOUR
from pbem.services.moderation import match_lists, report_answers
from pbem.services.moderation.match_lists import Wanted
from pbem.services.operations import backups, replay_check
from pbem.services.records import addresses
from pbem.services.records.letter_queue import DEAD, QUEUED
from pbem.services.time import clock_trust, heartbeat

MOST, MOST_REFUSING = 1_000, 100
"""Further than this nobody counts."""
TROUBLED = 5
"""Attempts after which a letter that still waits is worth a look."""
OLD_BACKUP = 25 * HOUR

What = Literal[
    "clock",
    "held",
    "silent",
    "maintenance",
    "reports",
    "stuck",
    "late",
    "dead",
    "troubled",
    "refusing",
    "backup",
    "rehearsal",
]


class Need(NamedTuple):
    what: What
    number: int = 1
    since: int | None = None
    is_more: bool = False
    """Whether nobody has counted further."""


def needs(now: int) -> list[Need]:
    """Whatever is there; empty when nothing needs anybody."""
    return [*_of_the_clock(now), *_counted(now), *_of_the_house(now)]


def _counted(now: int) -> list[Need]:
    counts: list[tuple[What, int]] = [
        ("reports", min(MOST, report_answers.open_count())),
        ("stuck", match_lists.count(Wanted(stuck=True), MOST, now)),
        ("late", match_lists.count(Wanted(late=True), MOST, now)),
        ("dead", _letters(Outbox.state == DEAD)),
        ("troubled", _letters(Outbox.state == QUEUED, Outbox.attempts >= TROUBLED)),
        ("refusing", len(addresses.refusing(MOST_REFUSING))),
    ]
    return [
        Need(what, number, is_more=number == (MOST_REFUSING if what == "refusing" else MOST))
        for what, number in counts
        if number
    ]


def _of_the_clock(now: int) -> list[Need]:
    beat = heartbeat.heartbeat()
    if beat is None:
        return []
    if beat.maintenance_since is not None:
        return [Need("maintenance", since=beat.maintenance_since)]
    found = list[Need]()
    if beat.suspect_since is not None:
        found.append(Need("clock", since=beat.suspect_since))
    if beat.held_since is not None:
        found.append(Need("held", since=beat.held_since))
    if now - beat.ticked_at > clock_trust.DOWN:
        found.append(Need("silent", since=beat.ticked_at))
    return found


def _of_the_house(now: int) -> list[Need]:
    found, last, rehearsed = list[Need](), backups.newest(), replay_check.newest(1)
    if last is not None and now - last.at > OLD_BACKUP:
        found.append(Need("backup", since=last.at))
    if rehearsed and rehearsed[0].faults:
        found.append(Need("rehearsal", rehearsed[0].faults, rehearsed[0].asked_at))
    return found


def _letters(*which: Any) -> int:
    """How many letters fulfil all these conditions, as far as anybody counts."""
    return int(Outbox.select().where(*which).limit(MOST).count())
