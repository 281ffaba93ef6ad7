"""The tick of a worker: what rings, if the clock can be believed."""

from __future__ import annotations

from typing import NamedTuple

from pbem.db.store import hold_match, hold_players
from pbem.services.agreements import open_matches
from pbem.services.match import turn_alarms
from pbem.services.moderation import merging
from pbem.services.seats import loans, stand_ins, unreachable
from pbem.services.self_service import address_changes
from pbem.services.time import absences, alarms, pauses, reminders
from pbem.services.time.alarms import (
    ADDRESS,
    DIGEST,
    LAPSE,
    LOAN,
    PAUSE,
    TURN,
    UNTOLD,
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


def _ask_untold(alarm: Alarm, now: int) -> None:
    unreachable.ask_untold(int(alarm.subject), now)


def _change_address(alarm: Alarm, now: int) -> None:
    merging.come_into_force(int(alarm.subject), now)


def _hold_player(subject: str) -> None:
    hold_players([int(subject)])


def _hold_player_and_matches(subject: str) -> None:
    absences.hold(int(subject))


def _hold_match_of_loan(subject: str) -> None:
    if (loan := loans.find_loan(int(subject))) is not None:
        hold_match(loan.match)


def _hold_change(subject: str) -> None:
    address_changes.hold(int(subject))


def _lapse(alarm: Alarm, now: int) -> None:
    open_matches.lapse(alarm.subject, now)


HANDLERS = {
    TURN: turn_alarms.ring,
    PAUSE: one_by_one(_end_pause, hold_match),
    DIGEST: one_by_one(_send_digest, _hold_player),
    LOAN: one_by_one(_change_hands, _hold_match_of_loan),
    ADDRESS: one_by_one(_change_address, _hold_change),
    LAPSE: one_by_one(_lapse, hold_match),
    UNTOLD: one_by_one(_ask_untold, _hold_player_and_matches),
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
