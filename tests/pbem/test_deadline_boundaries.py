"""The clock of a match at its edges: to the second, with spans written out as numbers."""

from __future__ import annotations

import pytest

from pbem.deadlines import Clock, Habits, Span, deadline, moments, ran
from tests.pbem.walls import ALWAYS, NOON

MINUTE, HOUR, DAY = 60, 3_600, 86_400


def test_a_night_that_ends_as_it_begins_is_none() -> None:
    for hour in (0, 12, 23):
        assert deadline(Clock(), Habits(night=(hour, hour)), NOON, DAY).at == NOON + DAY


@pytest.mark.parametrize(("most", "absent"), [(None, DAY), (0, 0), (1, 1), (DAY, DAY)])
def test_no_absence_counts_where_none_is_left(most: int | None, absent: int) -> None:
    """Nothing left is something else than no limit of its own."""
    away = [Span(NOON, NOON + DAY)]
    assert deadline(Clock(), ALWAYS, NOON, DAY, away, most) == (NOON + DAY + absent, absent)
    assert ran(Clock(), ALWAYS, NOON, NOON + 2 * DAY, away, most) == 2 * DAY - absent


def test_an_absence_that_ends_as_a_turn_begins_is_not_of_it() -> None:
    away = [Span(NOON - DAY, NOON), Span(NOON + DAY, NOON + DAY + 1)]
    assert deadline(Clock(), ALWAYS, NOON, DAY - 1, away) == (NOON + DAY - 1, 0)
    assert deadline(Clock(), ALWAYS, NOON, DAY, away) == (NOON + DAY + 1, 1)


def reminders(end: int, *leads: int, habits: Habits = ALWAYS) -> list[int]:
    return [end - m.at for m in moments(Clock(), habits, NOON, end, leads) if m.kind == "remind"]


def test_reminders_half_an_hour_apart_are_two_and_a_second_less_one() -> None:
    end = NOON + DAY
    assert reminders(end, 60 * MINUTE, 30 * MINUTE) == [60 * MINUTE, 30 * MINUTE]
    assert reminders(end, 60 * MINUTE, 30 * MINUTE + 1) == [60 * MINUTE]


def test_a_reminder_comes_after_the_beginning_and_before_the_end() -> None:
    end = NOON + DAY
    assert reminders(end, DAY, 0) == []
    assert reminders(end, DAY - 1, 1) == [DAY - 1, 1]


def test_a_morning_that_is_the_end_reminds_nobody() -> None:
    end = NOON + 19 * HOUR  # seven o'clock
    sleeps = Habits(night=(22, 7))
    assert reminders(end, HOUR, habits=sleeps) == [HOUR]
    assert reminders(end + 1, HOUR, habits=sleeps) == [1]
