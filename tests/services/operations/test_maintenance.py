"""Maintenance: all clocks are held and get their time back; play and letters go on."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pbem.deadlines import DAY, HOUR, MINUTE
from pbem.errors import Refused, Stale
from pbem.services.match import timeouts, turns
from pbem.services.operations import maintenance
from pbem.services.records import audit_log
from pbem.services.records.match_rows import LIVE, get_match
from pbem.services.time import alarms, clock_trust, heartbeat, pauses
from tests.services.people import NOW, Sitting
from tests.services.time.test_alarms import without_vacation
from tests.services.waiting import (
    Days,
    again,
    agree,
    armed,
    hand_over,
    kinds,
    newest_letter,
    open_turn,
)

OPAL = "opal@example.org"
LIMIT = 3 * DAY
STEP = 590
"""Seconds between two ticks of a worker that is not down."""


@pytest.fixture
def days(sitting: Sitting) -> Days:
    """A worker that has looked once; the first letters have left."""
    hand_over(NOW)
    without_vacation()
    days = Days(NOW)
    days.tick()
    return days


def test_nobody_is_reminded_or_timed_out_meanwhile(sitting: Sitting, days: Days) -> None:
    maintenance.begin(OPAL, "a new disk", NOW)
    letters = newest_letter()
    days.passes(20 * DAY, step=HOUR)

    assert newest_letter() == letters
    assert get_match(sitting.match).status == LIVE


@pytest.mark.parametrize("length", [9 * MINUTE, 10 * DAY])
def test_every_running_clock_gets_the_time_back(sitting: Sitting, days: Days, length: int) -> None:
    turn, alarm = open_turn(sitting.match), armed()
    maintenance.begin(OPAL, "a new disk", NOW)
    days.passes(length, step=min(length, HOUR))
    given = maintenance.end(OPAL, days.now)

    assert given == length
    assert again(turn).deadline_at == turn.deadline_at + length
    assert armed() == {subject: at + length for subject, at in alarm.items()}
    days.tick()
    assert again(turn).deadline_at == turn.deadline_at + length, "given back once"


def test_a_clock_that_began_meanwhile_gets_what_it_has_run(sitting: Sitting, days: Days) -> None:
    maintenance.begin(OPAL, "a new disk", NOW)
    days.passes(DAY, step=HOUR)
    turns.submit(open_turn(sitting.match).id, ["first usa"], days.now)
    hand_over(days.now)
    turn = open_turn(sitting.match)
    assert turn.deadline_at == days.now + LIMIT
    days.passes(DAY, step=HOUR)
    maintenance.end(OPAL, days.now)

    assert again(turn).deadline_at == days.now + LIMIT


def test_time_runs_out_as_usual_afterwards(sitting: Sitting, days: Days) -> None:
    maintenance.begin(OPAL, "a new disk", NOW)
    days.passes(5 * DAY, step=HOUR)
    maintenance.end(OPAL, days.now)
    days.passes(LIMIT - HOUR, step=STEP)
    assert "late" not in kinds()
    days.passes(2 * HOUR, step=STEP)
    assert "late" in kinds()


def test_a_worker_that_stops_meanwhile_gives_nothing_twice(sitting: Sitting, days: Days) -> None:
    turn = open_turn(sitting.match)
    maintenance.begin(OPAL, "a new machine", NOW)
    days.stands_still(2 * HOUR)
    days.tick()
    days.stands_still(2 * HOUR)
    maintenance.end(OPAL, days.now)
    days.stands_still(DAY)
    days.tick()

    assert again(turn).deadline_at == turn.deadline_at + 4 * HOUR + DAY


def test_downtime_before_it_is_given_back_too(sitting: Sitting, days: Days) -> None:
    turn = open_turn(sitting.match)
    days.stands_still(3 * HOUR)
    maintenance.begin(OPAL, "it was down", days.now)
    days.stands_still(HOUR)
    maintenance.end(OPAL, days.now)

    assert again(turn).deadline_at == turn.deadline_at + 4 * HOUR


def test_a_clock_set_back_meanwhile_takes_nothing(sitting: Sitting, days: Days) -> None:
    turn = open_turn(sitting.match)
    maintenance.begin(OPAL, "the clock", NOW)
    maintenance.end(OPAL, NOW - DAY)

    assert again(turn).deadline_at == turn.deadline_at
    assert heartbeat.heartbeat() is not None
    assert not days.ticker.tick(NOW - DAY + 20, days.monotonic + 20).is_trusted


def test_a_clock_in_doubt_gives_nothing_before_it_is_confirmed(
    sitting: Sitting, days: Days
) -> None:
    turn = open_turn(sitting.match)
    days.jumps(400 * DAY)
    assert not days.tick().is_trusted
    maintenance.begin(OPAL, "the clock is wrong", days.now)
    assert maintenance.end(OPAL, days.now + HOUR) == 0
    assert again(turn).deadline_at == turn.deadline_at
    maintenance.confirm_clock(OPAL, NOW + 2 * HOUR)

    assert again(turn).deadline_at == turn.deadline_at + 2 * HOUR


def test_confirming_the_clock_loses_no_held_time(sitting: Sitting, days: Days) -> None:
    turn = open_turn(sitting.match)
    maintenance.begin(OPAL, "a new disk", NOW)
    maintenance.confirm_clock(OPAL, NOW + HOUR)
    assert maintenance.current() is not None
    maintenance.end(OPAL, NOW + 2 * HOUR)

    assert again(turn).deadline_at == turn.deadline_at + 2 * HOUR


def test_a_bank_is_not_charged_for_it(sitting: Sitting) -> None:
    agree(sitting.match, per_move=0, bank=LIMIT, increment=0, cap=LIMIT)
    hand_over(NOW)
    days = Days(NOW)
    days.tick()
    days.passes(HOUR)
    maintenance.begin(OPAL, "a new disk", days.now)
    days.passes(DAY, step=HOUR)
    turn = open_turn(sitting.match)
    turns.submit(turn.id, ["first usa"], days.now)

    seat = get_match(sitting.match).seat(turn.seat)
    assert seat.bank == LIMIT - HOUR


def test_a_bank_is_not_charged_for_downtime_and_pauses(sitting: Sitting) -> None:
    agree(sitting.match, per_move=0, bank=LIMIT, increment=0, cap=LIMIT)
    hand_over(NOW)
    days = Days(NOW)
    days.tick()
    days.passes(HOUR)
    days.stands_still(DAY)
    days.tick()
    pauses.pause(sitting.match, days.now)
    days.passes(DAY, step=HOUR)
    pauses.resume(sitting.match, days.now)
    turn = open_turn(sitting.match)
    turns.submit(turn.id, ["first usa"], days.now)

    assert get_match(sitting.match).seat(turn.seat).bank == LIMIT - HOUR


@pytest.mark.parametrize("is_pressed", [False, True])
def test_a_pause_whose_end_is_held_counts_up_to_that_end(
    sitting: Sitting, days: Days, is_pressed: bool
) -> None:
    agree(sitting.match, most_pause=2 * DAY)
    turn = open_turn(sitting.match)
    pauses.pause(sitting.match, NOW)
    clock_trust.pause_all_clocks("upgrade", NOW)
    days.passes(3 * DAY, step=6 * HOUR)
    assert get_match(sitting.match).paused_at == NOW, "nothing rings meanwhile"
    if is_pressed:
        pauses.end_pause(sitting.match, 0, days.now)
    clock_trust.resume_all_clocks(days.now)
    days.tick()

    match = get_match(sitting.match)
    assert (match.paused_at, match.paused_total) == (None, 2 * DAY)
    assert again(turn).deadline_at == days.now + LIMIT


def test_nobody_claims_a_win_by_time_meanwhile(sitting: Sitting, days: Days) -> None:
    days.passes(LIMIT + DAY + HOUR, step=STEP)
    turn = open_turn(sitting.match)
    patient = 1 - turn.seat
    assert timeouts.claimable(get_match(sitting.match), patient) is not None
    maintenance.begin(OPAL, "a new disk", days.now)

    with pytest.raises(Refused, match="nobody loses on time meanwhile"):
        timeouts.claim_win(sitting.match, patient, days.now)
    assert get_match(sitting.match).status == LIVE


def test_it_says_since_when_and_why_and_is_entered(stored: str) -> None:
    assert maintenance.current() is None
    maintenance.begin(OPAL, "  a new   disk ", NOW)
    assert maintenance.current() == (NOW, "a new disk")
    with pytest.raises(Stale, match="already stopped"):
        maintenance.begin(OPAL, "another", NOW)
    maintenance.end(OPAL, NOW + 60)
    assert maintenance.current() is None
    with pytest.raises(Stale, match="no clocks are stopped"):
        maintenance.end(OPAL, NOW + 60)
    with pytest.raises(Refused, match="give a reason"):
        maintenance.begin(OPAL, "", NOW)

    entered = [(entry.actor, entry.act, entry.reason) for entry in audit_log.newest(10)[::-1]]
    assert entered == [(OPAL, "maintenance_on", "a new disk"), (OPAL, "maintenance_off", "")]


def test_a_time_out_that_was_about_to_come_is_held(
    sitting: Sitting, days: Days, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The switch is thrown while a worker is in the midst of a tick."""
    days.passes(LIMIT - STEP, step=STEP)
    found = alarms.find_due

    def slowly(now: int, kinds: Sequence[str]) -> list[alarms.Alarm]:
        ringing = found(now, kinds)
        if ringing and maintenance.current() is None:
            maintenance.begin(OPAL, "a new disk", now)
        return ringing

    monkeypatch.setattr(alarms, "find_due", slowly)
    days.passes(STEP, step=STEP)

    assert maintenance.current() is not None
    assert "late" not in kinds()
    maintenance.end(OPAL, days.now)
    monkeypatch.undo()
    days.tick()
    assert "late" in kinds(), "the alarm was kept"
