"""What needs a person now: each kind with how much of it there is, the most pressing first."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from pbem.db.models import Outbox
from pbem.deadlines import HOUR, MINUTE
from pbem.services.inbox import quarantine
from pbem.services.match import new_rules
from pbem.services.moderation import match_lists, report_answers
from pbem.services.moderation.match_lists import MatchFilter
from pbem.services.operations import backups, replay_check
from pbem.services.records import addresses, incoming_mails
from pbem.services.records.letter_queue import DEAD, QUEUED
from pbem.services.time import clock_trust, heartbeat

MOST, MOST_REFUSING = 1_000, 100
"""Further than this nobody counts."""
TROUBLED = 5
"""Attempts after which a letter that still waits is worth a look."""
OLD_BACKUP = 25 * HOUR
OLD_MAIL = 10 * MINUTE
"""How long a mail that came in may wait before somebody should know."""

AlertKind = Literal[
    "clock",
    "held",
    "silent",
    "maintenance",
    "unread",
    "reports",
    "stuck",
    "late",
    "rules",
    "dead",
    "troubled",
    "quarantined",
    "refusing",
    "backup",
    "rehearsal",
]


class Alert(NamedTuple):
    what: AlertKind
    number: int = 1
    since: int | None = None
    is_more: bool = False
    """Whether nobody has counted further."""


def active(now: int) -> list[Alert]:
    """Whatever is there; empty when nothing needs anybody."""
    return [
        *_clock_alerts(now),
        *_mail_alerts(now),
        *_counted_alerts(now),
        *_operation_alerts(now),
    ]


def _counted_alerts(now: int) -> list[Alert]:
    counts: list[tuple[AlertKind, int]] = [
        ("reports", min(MOST, report_answers.open_count())),
        ("stuck", match_lists.count(MatchFilter(stuck=True), MOST, now)),
        ("late", match_lists.count(MatchFilter(late=True), MOST, now)),
        ("rules", new_rules.count_waiting(MOST)),
        ("dead", _letters(Outbox.state == DEAD)),
        ("troubled", _letters(Outbox.state == QUEUED, Outbox.attempts >= TROUBLED)),
        ("quarantined", len(quarantine.set_aside())),
        ("refusing", len(addresses.refusing(MOST_REFUSING))),
    ]
    return [
        Alert(what, number, is_more=number == (MOST_REFUSING if what == "refusing" else MOST))
        for what, number in counts
        if number
    ]


def _clock_alerts(now: int) -> list[Alert]:
    beat = heartbeat.heartbeat()
    if beat is None:
        return []
    if beat.maintenance_since is not None:
        return [Alert("maintenance", since=beat.maintenance_since)]
    found = list[Alert]()
    if beat.suspect_since is not None:
        found.append(Alert("clock", since=beat.suspect_since))
    if beat.held_since is not None:
        found.append(Alert("held", since=beat.held_since))
    if now - beat.ticked_at > clock_trust.DOWN:
        found.append(Alert("silent", since=beat.ticked_at))
    return found


def _mail_alerts(now: int) -> list[Alert]:
    """Mail that came in, and nobody works on."""
    since = incoming_mails.oldest_waiting()
    return [Alert("unread", since=since)] if since is not None and now - since > OLD_MAIL else []


def _operation_alerts(now: int) -> list[Alert]:
    found, last, rehearsed = list[Alert](), backups.newest(), replay_check.newest(1)
    if last is not None and now - last.at > OLD_BACKUP:
        found.append(Alert("backup", since=last.at))
    if rehearsed and rehearsed[0].faults:
        found.append(Alert("rehearsal", rehearsed[0].faults, rehearsed[0].asked_at))
    return found


def _letters(*which: Any) -> int:
    """How many letters fulfil all these conditions, as far as anybody counts."""
    return int(Outbox.select().where(*which).limit(MOST).count())
