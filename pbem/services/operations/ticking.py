"""The tick of a worker: what rings, if the clock can be believed."""

from __future__ import annotations

from typing import NamedTuple

from pbem.services.agreements import open_matches
from pbem.services.match import turn_alarms
from pbem.services.moderation import merging
from pbem.services.seats import stand_ins
from pbem.services.time import alarms, pauses, reminders
from pbem.services.time.alarms import (
    ADDRESS,
    DIGEST,
    LAPSE,
    LOAN,
    PAUSE,
    TURN,
    Alarm,
    Rung,
    one_by_one,
)
from pbem.services.time.clock_trust import ClockTrust


def _end_pause(alarm: Alarm, now: int) -> None:
    pauses.resume(alarm.subject, now, end=alarm.at)


def _send_digest(alarm: Alarm, now: int) -> None:
    reminders.digest(int(alarm.subject), now)


def _change_hands(alarm: Alarm, now: int) -> None:
    alarms.disarm(LOAN, alarm.subject)
    stand_ins.change_over(int(alarm.subject), now)


def _change_address(alarm: Alarm, now: int) -> None:
    merging.come_into_force(int(alarm.subject), now)


def _lapse(alarm: Alarm, now: int) -> None:
    open_matches.lapse(alarm.subject, now)


HANDLERS = {
    TURN: turn_alarms.ring,
    PAUSE: one_by_one(_end_pause),
    DIGEST: one_by_one(_send_digest),
    LOAN: one_by_one(_change_hands),
    ADDRESS: one_by_one(_change_address),
    LAPSE: one_by_one(_lapse),
}
"""What each kind of alarm means."""


class Ticked(NamedTuple):
    """What a tick has done."""

    rung: Rung = Rung()
    is_trusted: bool = True


class Ticker:
    """One worker's look at the clock and at what is due."""

    def __init__(self) -> None:
        self._trust = ClockTrust()

    def tick(self, now: int, monotonic: float) -> Ticked:
        """Do what is due, if the time can be believed."""
        match self._trust.judge(now, monotonic):
            case "doubted":
                return Ticked(is_trusted=False)
            case "stopped":
                return Ticked()
            case "trusted":
                return Ticked(alarms.ring(now, HANDLERS))
