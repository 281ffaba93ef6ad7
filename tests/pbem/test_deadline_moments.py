"""What is done about a turn, and when: reminders, lateness, the end of the grace; banks."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pbem.deadlines import (
    CLOSEST,
    DAY,
    HOUR,
    LAST_LEAD,
    LEADS_SHARE,
    MINUTE,
    Clock,
    Habits,
    Moment,
    banked,
    budget,
    moments,
)
from tests.pbem.walls import ALWAYS, ANY_TIME, NOON, QUARTER, Turn, instant, is_night, often, turns

# --- what is done about a turn -------------------------------------------------------------------

leads = st.lists(st.integers(-HOUR, 40 * DAY), max_size=5)


def reminders(
    start: int, end: int, leads: tuple[int, ...] | None = None, habits: Habits = ALWAYS
) -> list[int]:
    found = moments(ANY_TIME, habits, start, end, leads)
    assert found[-2:] == (Moment(end, "late"), Moment(end + DAY, "timeout"))
    assert {moment.kind for moment in found[:-2]} <= {"remind"}
    return [moment.at for moment in found[:-2]]


def test_reminders_come_at_half_at_four_fifths_and_before_the_end() -> None:
    end = NOON + 10 * DAY
    assert reminders(NOON, end) == [NOON + 5 * DAY, NOON + 8 * DAY, end - 12 * HOUR]


def test_reminders_of_short_turns_are_fewer() -> None:
    assert reminders(NOON, NOON + DAY) == [NOON + 12 * HOUR, NOON + DAY * 4 // 5]
    assert reminders(NOON, NOON + 6 * HOUR) == [NOON + 3 * HOUR, NOON + 6 * HOUR * 4 // 5]
    assert reminders(NOON, NOON + HOUR) == [NOON + 30 * MINUTE]
    assert reminders(NOON, NOON + 1) == []
    assert reminders(NOON, NOON) == []


def test_own_leads_take_the_place_of_the_usual_ones() -> None:
    end = NOON + 3 * DAY
    assert reminders(NOON, end, (HOUR, DAY)) == [end - DAY, end - HOUR]
    assert reminders(NOON, end, ()) == []
    assert reminders(NOON, end, (3 * DAY, 4 * DAY, 0, -HOUR)) == []
    assert reminders(NOON, end, (3 * DAY - 1, 1)) == [NOON + 1, end - 1]


def test_reminders_that_come_close_together_are_one() -> None:
    end = NOON + 3 * DAY
    assert reminders(NOON, end, (HOUR, HOUR, HOUR - CLOSEST + 1)) == [end - HOUR]
    assert reminders(NOON, end, (HOUR, HOUR - CLOSEST)) == [end - HOUR, end - HOUR + CLOSEST]


def test_nobody_is_woken_unless_the_morning_is_too_late() -> None:
    habits = Habits("UTC", (), (22, 7))
    midnight, morning = instant("2026-06-04"), instant("2026-06-04T07:00")
    end = instant("2026-06-04T18:00")
    assert reminders(NOON, end, (18 * HOUR, 17 * HOUR, 11 * HOUR), habits) == [morning]
    assert reminders(NOON, morning + 1, (7 * HOUR + 1,), habits) == [morning]
    assert reminders(NOON, morning, (7 * HOUR,), habits) == [midnight]


@pytest.mark.parametrize("grace", [0, HOUR, 14 * DAY])
def test_the_end_of_the_grace_comes_last(grace: int) -> None:
    late, timeout = moments(Clock(grace=grace), ALWAYS, NOON, NOON + DAY, ())
    assert late == (NOON + DAY, "late")
    assert timeout == (NOON + DAY + grace, "timeout")


@often
@given(turns(), st.integers(0, 60 * DAY), st.none() | leads)
def test_moments_are_in_order_apart_and_by_day(
    turn: Turn, length: int, wished: list[int] | None
) -> None:
    habits, start = turn.habits, turn.start
    end = start + length
    found = moments(turn.clock, habits, start, end, wished)
    times = [moment.at for moment in found]
    assert times == sorted(times)
    assert [moment.kind for moment in found[-2:]] == ["late", "timeout"]
    assert times[-2:] == [end, end + turn.clock.grace]
    assert all(kind == "remind" and start < at < end for at, kind in found[:-2])
    assert all(later - earlier >= CLOSEST for earlier, later in pairwise(times[:-2]))
    assert all(not is_night(habits, at) or morning(habits, at) >= end for at in times[:-2])

    if wished is None:
        expected = {start + int(share * length) for share in LEADS_SHARE} | {end - LAST_LEAD}
    else:
        expected = {end - lead for lead in wished}
    for at in expected:
        if start < at < end:
            woken = morning(habits, at) if morning(habits, at) < end else at
            assert any(woken - CLOSEST < told <= woken for told in times[:-2])
    assert len(times) - 2 <= len(expected)


def morning(habits: Habits, at: int) -> int:
    while is_night(habits, at):
        at += QUARTER - at % QUARTER
    return at


# --- banks ---------------------------------------------------------------------------------------

BANKED = Clock(per_move=0, bank=10 * DAY, increment=DAY, cap=15 * DAY)


def test_a_turn_has_its_time_or_what_its_seat_has_banked() -> None:
    assert budget(Clock(), None) == budget(Clock(), 5) == 259_200
    assert budget(BANKED, None) == 10 * DAY
    assert budget(BANKED, 3 * DAY) == 3 * DAY
    assert budget(BANKED, 0) == 0


def test_the_pace_is_what_a_turn_brings() -> None:
    assert (Clock().pace, BANKED.pace) == (3 * DAY, DAY)
    assert (Clock().is_banked, BANKED.is_banked) == (False, True)


@pytest.mark.parametrize(
    ("had", "used", "holds"),
    [
        (10 * DAY, 2 * DAY, 9 * DAY),
        (10 * DAY, 0, 11 * DAY),
        (10 * DAY, 10 * DAY, DAY),
        (10 * DAY, 12 * DAY, DAY),
        (15 * DAY, DAY, 15 * DAY),
        (15 * DAY, HOUR, 15 * DAY),
        (0, 0, DAY),
    ],
)
def test_a_bank_after_a_turn(had: int, used: int, holds: int) -> None:
    assert banked(BANKED, had, used) == holds


def test_a_bank_without_a_cap_holds_what_it_began_with() -> None:
    assert banked(replace(BANKED, cap=0), 10 * DAY, 0) == 10 * DAY
    assert banked(replace(BANKED, cap=0), 10 * DAY, 3 * DAY) == 8 * DAY


@given(
    had=st.integers(0, 120 * DAY),
    used=st.integers(0, 200 * DAY),
    bank=st.integers(HOUR, 60 * DAY),
    increment=st.integers(HOUR, 60 * DAY),
    over=st.integers(0, 60 * DAY),
)
def test_a_bank_is_between_its_increment_and_its_cap(
    had: int, used: int, bank: int, increment: int, over: int
) -> None:
    """With the caps that can be agreed on: none is less than the bank or the increment."""
    clock = Clock(per_move=0, bank=bank, increment=increment, cap=max(bank, increment) + over)
    had = min(had, clock.cap)
    after = banked(clock, had, used)
    assert increment <= after <= clock.cap
    assert after <= had + increment
    assert after <= banked(clock, had, max(0, used - HOUR))
    if used <= had and after < clock.cap:
        assert after == had - used + increment
