"""Alarms: reminders that gather, downtime given back, clocks that jump, a breaker."""

from __future__ import annotations

import pytest

from pbem.db.store import execute, row, rows, writing
from pbem.deadlines import DAY, HOUR
from pbem.services.match import matches, turn_alarms, turns
from pbem.services.operations import ticking
from pbem.services.records.match_rows import LIVE, OVER, TurnRecord, get_match, locked
from pbem.services.time import absences, alarms, clock_trust, clocks, pauses, reminders
from tests.services.people import NOW, Sitting, sit_down
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

pytestmark = pytest.mark.whole

LIMIT = 3 * DAY


@pytest.fixture
def days(sitting: Sitting) -> Days:
    """A worker that has looked once; the first letters have left."""
    hand_over(NOW)
    without_vacation()
    days = Days(NOW)
    days.tick()
    return days


def without_vacation() -> None:
    """Nobody has floating vacation left this year, so that lateness is lateness."""
    with writing():
        for (player,) in rows("SELECT id FROM player"):
            execute(
                "INSERT INTO absence (player_id, start_at, end_at, is_floating, created_at)"
                " VALUES (?, ?, ?, ?, ?)",
                player,
                NOW + 200 * DAY,
                NOW + 230 * DAY,
                False,
                NOW,
            )


def reminders_sent() -> list[str]:
    return [key for (key,) in rows("SELECT dedupe FROM outbox WHERE kind = 'reminder' ORDER BY id")]


# --- reminders -----------------------------------------------------------------------------------


def test_reminders_come_at_half_and_four_fifths_and_in_the_last_twelve_hours(days: Days) -> None:
    days.passes(LIMIT - 60)

    found = rows("SELECT created_at FROM outbox WHERE kind = 'reminder' ORDER BY id")
    assert [at - NOW for (at,) in found] == [
        LIMIT // 2,
        pytest.approx(LIMIT * 4 // 5, abs=300),
        LIMIT - 12 * HOUR,
    ]


def test_own_lead_times_take_the_place_of_the_usual_ones(days: Days, sitting: Sitting) -> None:
    with locked(sitting.match):
        execute("UPDATE player SET leads = '[3600, 7200]' WHERE id = ?", sitting.bob)
        clocks.rereckon_player(sitting.bob, NOW)
    days.passes(LIMIT - 60)

    found = rows("SELECT created_at FROM outbox WHERE kind = 'reminder' ORDER BY id")
    assert [NOW + LIMIT - at for (at,) in found] == [7200, 3600]


def test_one_letter_gathers_all_that_waits(stored: str) -> None:
    sittings = [sit_down(NOW) for _ in range(3)]
    hand_over(NOW)
    days = Days(NOW)
    days.tick()

    days.passes(LIMIT // 2)

    assert len(reminders_sent()) == 1
    ((about,),) = rows("SELECT about FROM outbox WHERE kind = 'reminder'")
    assert [str(open_turn(s.match).id) in about for s in sittings] == [True] * 3


def test_no_reminder_for_a_turn_that_was_played_or_a_match_that_is_over_or_paused(
    days: Days, sitting: Sitting
) -> None:
    days.passes(DAY)
    pauses.pause(sitting.match, days.now)
    days.passes(5 * DAY, step=600)
    assert reminders_sent() == []
    pauses.resume(sitting.match, days.now)
    matches.resign(sitting.match, 0, days.now)
    days.passes(5 * DAY, step=600)
    assert reminders_sent() == []
    assert armed() == {}


def test_a_moved_deadline_is_reminded_of_anew(days: Days, sitting: Sitting) -> None:
    days.passes(LIMIT // 2)
    assert len(reminders_sent()) == 1
    turn = open_turn(sitting.match)
    with locked(sitting.match):
        clocks.give_time(turn.id, 3 * DAY, days.now)
    days.passes(3 * HOUR)

    assert armed()[str(turn.id)] > days.now, "it is not repeated at once"
    days.passes(2 * DAY)
    assert len(set(reminders_sent())) == 2


def test_a_restart_repeats_nothing(days: Days) -> None:
    days.passes(LIMIT // 2)
    days.ticker = ticking.Ticker()
    days.passes(HOUR)

    assert len(reminders_sent()) == 1


def test_one_letter_a_day_instead_of_single_ones(days: Days, sitting: Sitting) -> None:
    with locked(sitting.match):
        execute("UPDATE player SET digest_hour = 18, zone = 'Europe/Berlin'")
        clocks.rereckon_player(sitting.bob, days.now)
        reminders.arm_digest(sitting.bob, days.now)

    days.passes(2 * DAY)

    told = rows("SELECT created_at, about FROM outbox WHERE kind = 'reminder' ORDER BY id")
    assert len(told) == 2
    assert all('"digest":true' in about for _, about in told)
    assert told[1][0] - told[0][0] == DAY


def test_who_wants_no_reminders_gets_none_but_is_told_when_late(
    days: Days, sitting: Sitting
) -> None:
    with locked(sitting.match):
        execute("UPDATE player SET reminders = ?", False)
        clocks.rereckon_player(sitting.bob, days.now)
    days.passes(LIMIT + 600)

    assert reminders_sent() == []
    assert "late" in kinds()


def test_a_turn_played_between_finding_and_reminding_is_left_alone(
    days: Days, sitting: Sitting
) -> None:
    turn = open_turn(sitting.match)
    alarm = alarms.Alarm("turn", str(turn.id), armed()[str(turn.id)])
    ringing = turn_alarms.what_rings(alarm, NOW + LIMIT // 2)
    assert ringing is not None
    turns.submit(turn.id, ["first usa"], NOW + LIMIT // 2)

    assert turn_alarms.remind([ringing], NOW + LIMIT // 2) == 0


# --- downtime ------------------------------------------------------------------------------------


@pytest.mark.parametrize("down", [6 * HOUR, 3 * DAY])
def test_downtime_is_given_back(days: Days, sitting: Sitting, down: int) -> None:
    turn = open_turn(sitting.match)
    days.passes(2 * DAY)
    before = len(reminders_sent())

    days.stands_still(down)
    days.tick()

    assert again(turn).deadline_at >= NOW + LIMIT + down - 300
    assert again(turn).deadline_at - days.now >= clock_trust.NOTICE
    assert len(reminders_sent()) <= before + 1
    assert get_match(sitting.match).status == LIVE


def test_after_downtime_over_the_deadline_there_is_a_letter_and_half_a_day(
    days: Days, sitting: Sitting
) -> None:
    days.passes(LIMIT - HOUR)
    before = newest_letter()
    days.stands_still(2 * HOUR)
    days.tick()

    assert open_turn(sitting.match).deadline_at == days.now + clock_trust.NOTICE
    assert kinds(before) == ["reminder"]
    days.passes(clock_trust.NOTICE - 600)
    assert "late" not in kinds()


def test_who_is_away_after_downtime_has_half_a_day_behind_the_absence(
    days: Days, sitting: Sitting
) -> None:
    days.passes(LIMIT - HOUR)
    end = days.now + 2 * DAY
    with writing():
        execute(
            "INSERT INTO absence (player_id, start_at, end_at, is_floating, created_at)"
            " VALUES (?, ?, ?, ?, ?)",
            sitting.bob,
            days.now + HOUR,
            end,
            True,
            days.now,
        )
    before = newest_letter()
    days.stands_still(2 * HOUR)
    days.tick()

    assert kinds(before) == [], "nobody is written to while away"
    assert open_turn(sitting.match).deadline_at == end + clock_trust.NOTICE
    days.passes(end - days.now + HOUR)
    assert kinds(before) == ["reminder"]


def test_a_short_silence_is_no_downtime(days: Days, sitting: Sitting) -> None:
    deadline = open_turn(sitting.match).deadline_at
    days.stands_still(clock_trust.DOWN)
    days.tick()

    assert open_turn(sitting.match).deadline_at == deadline


def test_a_pause_that_ends_while_nobody_looks_counts_up_to_the_end_that_was_told(
    days: Days, sitting: Sitting
) -> None:
    agree(sitting.match, most_pause=10 * DAY)
    days.passes(HOUR)
    turn = open_turn(sitting.match)
    pauses.pause(sitting.match, days.now)
    days.passes(8 * DAY, step=12 * HOUR)
    days.stands_still(5 * DAY)
    days.tick()

    match = get_match(sitting.match)
    assert (match.paused_at, match.paused_total) == (None, 10 * DAY)
    assert again(turn).deadline_at == days.now + LIMIT - HOUR, "nobody pays for our three days"


def test_downtime_in_a_pause_takes_nothing_from_an_absence_behind_it(sitting: Sitting) -> None:
    agree(sitting.match, most_pause=10 * DAY)
    hand_over(NOW)
    days = Days(NOW)
    days.tick()
    turn = open_turn(sitting.match)
    absences.book(sitting.bob, NOW + 2 * DAY, NOW + 6 * DAY, NOW)
    pauses.pause(sitting.match, NOW)
    assert armed("pause") == {sitting.match: NOW + 6 * DAY}, "room is left for the absence"
    absences.book(sitting.bob, NOW + 10 * DAY, NOW + 15 * DAY, NOW)
    days.stands_still(9 * DAY)
    days.tick()

    assert get_match(sitting.match).paused_total == 6 * DAY
    assert again(turn).deadline_at == days.now + LIMIT + 4 * DAY


# --- jumps ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("jump", [400 * DAY, -400 * DAY, HOUR, -HOUR])
def test_a_jump_of_the_clock_hurts_nobody(
    days: Days, sitting: Sitting, jump: int, caplog: pytest.LogCaptureFixture
) -> None:
    turn = open_turn(sitting.match)
    days.passes(DAY)
    letters = newest_letter()

    days.jumps(jump)
    assert not days.tick().is_trusted
    days.passes(100, step=20)
    assert "pbem clock show" in caplog.text
    assert newest_letter() == letters, "nobody is told anything by a wrong clock"

    days.jumps(-jump)
    days.now, days.monotonic = days.now + 20, days.monotonic + 20
    assert days.tick().is_trusted
    assert again(turn).deadline_at == NOW + LIMIT
    assert get_match(sitting.match).status == LIVE


def test_a_sawtooth_of_seconds_is_nothing(days: Days) -> None:
    for jump in (1, -1, 2, -2) * 10:
        days.jumps(jump)
        days.now, days.monotonic = days.now + 20, days.monotonic + 20
        assert days.tick().is_trusted


def test_moves_made_while_the_clock_was_wrong_have_their_time(days: Days, sitting: Sitting) -> None:
    for jump in (400 * DAY, -800 * DAY):
        days.jumps(jump)
        days.tick()
    turns.submit(open_turn(sitting.match).id, ["first usa"], days.now)
    hand_over(days.now)
    days.jumps(400 * DAY)
    days.tick()

    assert open_turn(sitting.match).deadline_at >= days.now + clock_trust.NOTICE
    days.passes(clock_trust.NOTICE - 600)
    assert get_match(sitting.match).status == LIVE


def test_a_turn_begun_by_a_wrong_clock_still_waits_for_an_absent_player(sitting: Sitting) -> None:
    hand_over(NOW)
    days = Days(NOW)
    days.tick()
    absences.book(sitting.ann, days.now + DAY, days.now + 3 * DAY, days.now)
    days.jumps(400 * DAY)
    days.tick()
    turns.submit(open_turn(sitting.match).id, ["first usa"], days.now)
    hand_over(days.now)
    days.jumps(-400 * DAY)
    days.tick()

    assert open_turn(sitting.match).deadline_at == days.now + LIMIT + 2 * DAY
    assert open_turn(sitting.match).absent == 2 * DAY


@pytest.mark.parametrize("jump", [400 * DAY, -400 * DAY])
def test_a_pause_begun_by_a_wrong_clock_begins_anew_when_it_is_right(
    days: Days, sitting: Sitting, jump: int
) -> None:
    agree(sitting.match, most_pause=10 * DAY)
    days.passes(2 * DAY, step=600)
    days.jumps(jump)
    days.tick()
    pauses.pause(sitting.match, days.now)
    before = newest_letter()
    days.jumps(-jump)
    days.tick()

    assert get_match(sitting.match).paused_at == days.now
    assert armed("pause") == {sitting.match: days.now + 10 * DAY}
    told = rows("SELECT about FROM outbox WHERE id > ? ORDER BY id", before)
    assert [str(days.now + 10 * DAY) in about for (about,) in told] == [True, True]
    days.passes(DAY, step=600)
    pauses.resume(sitting.match, days.now)
    assert get_match(sitting.match).paused_total == DAY
    assert open_turn(sitting.match).deadline_at == days.now + LIMIT, "nobody loses time"


def test_a_turn_begun_in_a_pause_by_a_wrong_clock_has_no_more_than_its_time(
    days: Days, sitting: Sitting
) -> None:
    pauses.pause(sitting.match, days.now)
    days.jumps(400 * DAY)
    days.tick()
    turns.submit(open_turn(sitting.match).id, ["first usa"], days.now)
    hand_over(days.now)
    days.jumps(-400 * DAY)
    days.tick()
    pauses.resume(sitting.match, days.now + DAY)

    assert open_turn(sitting.match).deadline_at == days.now + DAY + LIMIT


def test_the_end_of_a_pause_that_was_told_by_a_right_clock_stays(
    days: Days, sitting: Sitting
) -> None:
    pauses.pause(sitting.match, days.now)
    told, letters = armed("pause"), newest_letter()
    for jump in (400 * DAY, -800 * DAY, 400 * DAY):
        days.jumps(jump)
        days.tick()

    assert (armed("pause"), newest_letter()) == (told, letters)
    assert get_match(sitting.match).paused_at == NOW


def test_a_pause_that_ended_in_a_long_silence_is_over_when_somebody_has_looked(
    days: Days, sitting: Sitting
) -> None:
    pauses.pause(sitting.match, days.now)
    days.stands_still(40 * DAY)
    days.tick()
    clock_trust.confirm(days.now)
    days.tick()

    match = get_match(sitting.match)
    assert (match.paused_at, match.paused_total) == (None, match.clock.most_pause)


def test_a_small_jump_is_believed_after_a_while(days: Days, sitting: Sitting) -> None:
    """A machine that slept: nobody has to come and say so, and everybody has the hour back."""
    days.jumps(HOUR)
    days.tick()
    days.passes(20 * (clock_trust.SETTLED + 1), step=20)

    assert days.tick().is_trusted
    assert open_turn(sitting.match).deadline_at >= NOW + LIMIT + HOUR


def test_a_long_silence_needs_a_person(days: Days, sitting: Sitting) -> None:
    days.stands_still(40 * DAY)
    assert not days.tick().is_trusted
    days.passes(HOUR, step=20)
    assert not days.tick().is_trusted

    clock_trust.confirm(days.now)

    assert days.tick().is_trusted
    assert open_turn(sitting.match).deadline_at >= days.now + clock_trust.NOTICE


def test_an_operator_ends_the_doubts_of_a_running_worker(days: Days) -> None:
    days.jumps(400 * DAY)
    assert not days.tick().is_trusted

    clock_trust.confirm(days.now)
    days.now, days.monotonic = days.now + 20, days.monotonic + 20

    assert days.tick().is_trusted


def test_a_worker_that_begins_with_a_wrong_clock_does_nothing(days: Days) -> None:
    for wrong in (NOW + 400 * DAY, NOW - 400 * DAY):
        assert not ticking.Ticker().tick(wrong, 5.0).is_trusted
    assert rows("SELECT ticked_at FROM heartbeat") == [(NOW,)]


# --- the breaker ---------------------------------------------------------------------------------


def all_late(count: int) -> Days:
    sittings = [sit_down(NOW) for _ in range(count)]
    for sitting in sittings:
        agree(sitting.match, policy="forfeit")
    hand_over(NOW)
    without_vacation()
    days = Days(NOW)
    days.tick()
    days.passes(LIMIT + DAY - 300, step=600)
    return days


def test_many_time_outs_at_once_are_held_until_somebody_looks(
    stored: str, caplog: pytest.LogCaptureFixture
) -> None:
    days = all_late(turn_alarms.MOST_AT_ONCE + 1)
    rung = [ticked.rung for ticked in days.passes(2 * HOUR)]

    assert sum(one.timed_out for one in rung) == 0
    assert sum(one.held for one in rung) > 0
    assert "pbem clock confirm" in caplog.text
    assert row("SELECT COUNT(*) FROM match WHERE status = ?", OVER) == (0,)

    clock_trust.confirm(days.now)
    days.passes(HOUR)
    assert row("SELECT COUNT(*) FROM match WHERE status = ?", OVER) == (
        turn_alarms.MOST_AT_ONCE + 1,
    )


def test_a_few_time_outs_are_not_held(stored: str) -> None:
    days = all_late(3)
    days.passes(2 * HOUR)
    assert row("SELECT COUNT(*) FROM match WHERE status = ?", OVER) == (3,)


# --- what cannot be handled ----------------------------------------------------------------------


def test_one_bad_match_stops_no_other_and_the_log_tells_no_secret(
    stored: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bad, good = sit_down(NOW), sit_down(NOW)
    hand_over(NOW)
    without_vacation()
    days = Days(NOW)
    days.tick()
    from pbem.services.match import timeouts

    whole = timeouts.mark_late

    def fails(turn: TurnRecord, now: int) -> None:
        if turn.match == bad.match:
            raise RuntimeError("the hidden card is Cuba")
        whole(turn, now)

    monkeypatch.setattr(timeouts, "mark_late", fails)
    days.passes(LIMIT + 600)

    late = {match for (match,) in rows("SELECT match_id FROM outbox WHERE kind = 'late'")}
    assert late == {good.match}
    assert "RuntimeError in fails" in caplog.text
    assert "Cuba" not in caplog.text
    assert armed()[str(open_turn(bad.match).id)] > days.now


def test_find_due_is_ordered_and_limited(stored: str) -> None:
    with writing():
        for number in range(5):
            alarms.arm("turn", number, NOW - number)
        alarms.arm("turn", 9, NOW + 1)

    assert [d.subject for d in alarms.find_due(NOW, ["turn"], 3)] == ["4", "3", "2"]


def test_confirming_the_clock_takes_no_downtime_away(sitting: Sitting, days: Days) -> None:
    turn = open_turn(sitting.match)
    days.stands_still(2 * HOUR)
    clock_trust.confirm(days.now)
    days.tick()

    assert again(turn).deadline_at == turn.deadline_at + 2 * HOUR
