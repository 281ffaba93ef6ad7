"""Maintenance: play goes on, but all clocks are held, and every page says so."""

from __future__ import annotations

from typing import NamedTuple

from pbem.db.store import writing
from pbem.errors import Stale
from pbem.services.moderation.act_records import checked_reason
from pbem.services.records import audit_log
from pbem.services.time import clock_trust, heartbeat

SUBJECT = "the server"


class Maintenance(NamedTuple):
    since: int
    reason: str


def current() -> Maintenance | None:
    """What every page says; None while clocks run."""
    beat = heartbeat.heartbeat()
    if beat is None or beat.maintenance_since is None:
        return None
    return Maintenance(beat.maintenance_since, beat.maintenance_why)


def begin(actor: str, reason: str, now: int) -> None:
    """Hold all clocks, reminders and time-outs."""
    why = checked_reason(reason)
    with writing():
        if not clock_trust.pause_all_clocks(why, now):
            raise Stale("all clocks are held already")
        audit_log.record(actor, "maintenance_on", SUBJECT, why, "", {}, now)


def end(actor: str, now: int) -> int:
    """Let all clocks run again, each with what it had; seconds that were given back."""
    with writing():
        given = clock_trust.resume_all_clocks(now)
        if given is None:
            raise Stale("no clocks are held for maintenance")
        audit_log.record(actor, "maintenance_off", SUBJECT, "", "", {"seconds": given}, now)
        return given


def confirm_clock(actor: str, now: int) -> None:
    """Somebody has looked at the clock: time is believed, and held time-outs may come."""
    with writing():
        clock_trust.confirm(now)
        audit_log.record(actor, "confirm_clock", SUBJECT, "", "", {}, now)
