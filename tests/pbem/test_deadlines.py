"""When a turn ends: exact seconds in every zone, days off, absence, nights, a fixed hour.

Most of it is held against `walk`, which only looks at the wall.
"""

from __future__ import annotations

from itertools import pairwise
from math import ceil

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from pbem.deadlines import DAY, HOUR, MOST_DAYS_OFF, Clock, Habits, Span, deadline, next_hour, ran
from tests.pbem.walls import (
    ALWAYS,
    ANY_TIME,
    BERLIN,
    CHATHAM,
    FAR,
    FIRST,
    FRI,
    HAVANA,
    LAST,
    MON,
    NOON,
    NUUK,
    QUARTER,
    SAT,
    SUN,
    THU,
    TROLL,
    TUE,
    WED,
    WEEK,
    WIDEST,
    ZONES,
    Turn,
    each_zone,
    hours_struck,
    instant,
    is_day_off,
    is_night,
    may_end,
    often,
    spans,
    thorough,
    transitions,
    turns,
    unpolite,
    walked_deadline,
    walked_ran,
    wall,
)

# --- three days are 259,200 seconds --------------------------------------------------------------


def test_the_zones_are_forty_and_their_clocks_change_often() -> None:
    assert len(set(ZONES)) == 40
    changing = [zone for zone in ZONES if transitions(zone)]
    assert len(changing) >= 20
    assert sum(len(transitions(zone)) for zone in changing) >= 200
    assert all(at % QUARTER == 0 for zone in changing for at in transitions(zone))


@each_zone
def test_three_days_are_exact_over_every_transition(zone: str) -> None:
    clock, habits = Clock(zone=zone), Habits(zone=zone)
    for at in transitions(zone) or range(FIRST, LAST, 30 * DAY):
        for before in (1, HOUR - 1, DAY, 2 * DAY + 3 * HOUR, 3 * DAY - 1, 3 * DAY, 3 * DAY + 1):
            start = at - before
            assert deadline(clock, habits, start, clock.per_move) == (start + 259_200, 0)
            assert ran(clock, habits, start, start + 259_200) == 259_200


# --- days off ------------------------------------------------------------------------------------

WEEKENDS = Clock(zone=BERLIN, days_off=(SAT, SUN))
FRIDAY_NOON = instant("2026-06-05T12:00", BERLIN)


def test_time_stands_still_on_days_off() -> None:
    assert wall(FRIDAY_NOON, BERLIN).weekday() == FRI
    ends = deadline(WEEKENDS, ALWAYS, FRIDAY_NOON, 3 * DAY)
    assert ends == (instant("2026-06-10T12:00", BERLIN), 0)
    assert ran(WEEKENDS, ALWAYS, FRIDAY_NOON, ends.at) == 3 * DAY


def test_a_turn_that_would_end_with_the_last_second_of_the_week_ends_after_the_weekend() -> None:
    midnight, monday = FRIDAY_NOON + 12 * HOUR, instant("2026-06-08", BERLIN)
    assert deadline(WEEKENDS, ALWAYS, FRIDAY_NOON, 12 * HOUR - 1).at == midnight - 1
    assert deadline(WEEKENDS, ALWAYS, FRIDAY_NOON, 12 * HOUR).at == monday
    assert deadline(WEEKENDS, ALWAYS, FRIDAY_NOON, 12 * HOUR + 1).at == monday + 1


def test_a_turn_that_begins_on_a_day_off_begins_to_run_after_it() -> None:
    sunday = instant("2026-06-07T09:30", BERLIN)
    ends = deadline(WEEKENDS, ALWAYS, sunday, DAY).at
    assert ends == instant("2026-06-09", BERLIN)
    assert ran(WEEKENDS, ALWAYS, sunday, instant("2026-06-07T20:00", BERLIN)) == 0
    sunday_evening = instant("2026-06-07T20:00", HAVANA)  # Monday in UTC
    sundays = Clock(zone=HAVANA, days_off=(SUN,))
    assert deadline(sundays, ALWAYS, sunday_evening, DAY).at == instant("2026-06-09", HAVANA)


def test_days_off_are_those_on_the_wall_of_who_has_them() -> None:
    tokyo = Habits("Asia/Tokyo", (MON,))
    start = instant("2026-06-07T00:00")  # Sunday 09:00 in Tokyo
    assert deadline(Clock(), tokyo, start, DAY).at == instant("2026-06-09T00:00")
    assert deadline(Clock(days_off=(MON,)), tokyo, start, DAY).at == instant("2026-06-09T09:00")


def test_a_day_off_is_as_long_as_the_day_on_the_wall() -> None:
    sundays = Clock(zone=BERLIN, days_off=(SUN,))
    spring, autumn = instant("2026-03-28T12:00", BERLIN), instant("2026-10-24T12:00", BERLIN)
    assert deadline(sundays, ALWAYS, spring, DAY).at == spring + DAY + 23 * HOUR
    assert deadline(sundays, ALWAYS, autumn, DAY).at == autumn + DAY + 25 * HOUR


@pytest.mark.parametrize(
    ("zone", "saturday", "length"),
    [
        (HAVANA, "2026-03-07", 24),  # Sunday begins at 01:00
        (HAVANA, "2026-10-31", 24),  # Sunday has its first hour twice
        ("Africa/Cairo", "2026-04-23", 24),  # a Thursday
        ("Africa/Cairo", "2026-10-29", 25),  # a Thursday whose last hour comes twice
        (NUUK, "2026-03-28", 23),  # a Saturday without its last hour
        (NUUK, "2026-10-24", 25),
    ],
)
def test_days_end_rightly_where_the_clocks_change_at_midnight(
    zone: str, saturday: str, length: int
) -> None:
    begins = instant(saturday, zone)
    off = Clock(zone=zone, days_off=(wall(begins, zone).weekday(),))
    assert deadline(off, ALWAYS, begins, 0).at == begins + length * HOUR
    assert ran(off, ALWAYS, begins - HOUR, begins + 48 * HOUR) == (49 - length) * HOUR


@pytest.mark.whole
@thorough
@given(turns())
def test_the_deadline_is_what_a_walk_through_the_quarters_finds(turn: Turn) -> None:
    assert deadline(*turn) == walked_deadline(turn)


@pytest.mark.whole
@thorough
@given(turns(is_polite=False), st.integers(-DAY, 30 * DAY))
def test_the_clock_has_run_as_long_as_a_walk_through_the_quarters_finds(
    turn: Turn, length: int
) -> None:
    assert turn.ran(turn.start + length) == walked_ran(turn, turn.start + length)


@pytest.mark.whole
@often
@given(turns())
def test_the_whole_budget_runs_and_only_politeness_adds_to_it(turn: Turn) -> None:
    ends, plain = deadline(*turn), deadline(*unpolite(turn))
    assert turn.ran(plain.at) == turn.budget
    assert turn.start + turn.budget <= plain.at <= ends.at
    assert turn.ran(ends.at) >= turn.budget
    if ends.at > plain.at:
        assert not may_end(turn, plain.at)


@pytest.mark.whole
@often
@given(turns(), st.integers(0, 5 * DAY))
def test_who_begins_later_never_ends_earlier(turn: Turn, later: int) -> None:
    assert deadline(*turn).at <= deadline(*turn._replace(start=turn.start + later)).at


@pytest.mark.whole
@often
@given(turns(), st.integers(0, 5 * DAY))
def test_more_time_is_never_less(turn: Turn, more: int) -> None:
    assert deadline(*turn).at <= deadline(*turn._replace(budget=turn.budget + more)).at


@pytest.mark.whole
@often
@given(turns(), st.integers(0, 6), st.booleans())
def test_one_more_day_off_never_makes_it_earlier(turn: Turn, day: int, of_match: bool) -> None:
    clock, habits = turn.clock, turn.habits
    assume(len((clock if of_match else habits).days_off) < MOST_DAYS_OFF)
    if of_match:
        clock = replace(clock, days_off=(*clock.days_off, day))
    else:
        habits = replace(habits, days_off=(*habits.days_off, day))
    assert deadline(*turn).at <= deadline(*turn._replace(clock=clock, habits=habits)).at


@pytest.mark.whole
@often
@given(turns())
def test_a_turn_never_ends_while_its_player_is_away(turn: Turn) -> None:
    ends = deadline(*turn)
    assert not is_day_off(turn, ends.at)
    assert turn.clock.hour is not None or not is_night(turn.habits, ends.at)
    if ends.absent < turn.limit:
        assert not any(start <= ends.at < end for start, end in turn.absences)


@pytest.mark.whole
@often
@given(turns())
def test_time_always_runs_out(turn: Turn) -> None:
    assert deadline(*turn).at <= farthest(turn)


@pytest.mark.parametrize("night", [None, (20, 8), (8, 20)])
@pytest.mark.parametrize("hour", [None, 0, 12])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((MON, TUE, WED), (THU, FRI, SAT)),
        ((MON, WED, FRI), (TUE, THU, SAT)),
        ((FRI, SAT, SUN), (TUE, WED, THU)),
    ],
)
def test_time_runs_out_with_one_day_a_week_to_play(
    one: tuple[int, ...],
    other: tuple[int, ...],
    hour: int | None,
    night: tuple[int, int] | None,
) -> None:
    away = tuple(Span(FIRST + n * WEEK, FIRST + n * WEEK + 3 * DAY) for n in range(10))
    east, west = "Pacific/Kiritimati", "Pacific/Pago_Pago"
    for of_match, of_player in (("UTC", "UTC"), (east, west), (west, east), ("UTC", east)):
        clock = Clock(zone=of_match, days_off=one, hour=hour)
        turn = Turn(clock, Habits(of_player, other, night), FIRST, 3 * DAY, away, FAR)
        assert deadline(*turn).at <= farthest(turn)
        assert turn.ran(deadline(*turn).at) >= 3 * DAY


def farthest(turn: Turn) -> int:
    """No turn ends later than this.

    Of every week a part is neither day off of the match nor of the player, so that so many weeks
    hold the budget and all absences. From there on a turn may end within two weeks (the second for
    a change of the clocks), which each absence may make it wait for once again.
    """
    away = min(turn.limit, sum(end - start for start, end in turn.absences))
    days = 7 - len(turn.clock.days_off) - len(turn.habits.days_off)
    weeks = ceil((turn.budget + away) / (days * DAY - 2 * WIDEST))
    return turn.start + weeks * WEEK + away + 2 * WEEK * (len(turn.absences) + 1)


# --- absence -------------------------------------------------------------------------------------


def test_absence_stops_the_clock() -> None:
    away = [Span(NOON + DAY, NOON + 5 * DAY)]
    assert deadline(ANY_TIME, ALWAYS, NOON, 3 * DAY, away) == (NOON + 7 * DAY, 4 * DAY)
    assert ran(ANY_TIME, ALWAYS, NOON, NOON + 7 * DAY, away) == 3 * DAY


def test_only_the_absence_within_the_turn_is_reported() -> None:
    away = [Span(NOON - 9 * DAY, NOON + DAY), Span(NOON + 9 * DAY, NOON + 20 * DAY)]
    assert deadline(ANY_TIME, ALWAYS, NOON, 3 * DAY, away) == (NOON + 4 * DAY, DAY)
    assert deadline(ANY_TIME, ALWAYS, NOON, 3 * DAY, away[1:]) == (NOON + 3 * DAY, 0)


def test_a_turn_that_would_end_as_an_absence_begins_ends_after_it() -> None:
    away = [Span(NOON + 3 * DAY, NOON + 5 * DAY)]
    assert deadline(ANY_TIME, ALWAYS, NOON, 3 * DAY, away) == (NOON + 5 * DAY, 2 * DAY)
    assert deadline(ANY_TIME, ALWAYS, NOON, 3 * DAY - 1, away) == (NOON + 3 * DAY - 1, 0)


def test_absence_stops_the_clock_as_long_as_the_match_allows() -> None:
    away = [Span(NOON, NOON + 2 * DAY), Span(NOON + 3 * DAY, NOON + 9 * DAY)]
    short = replace(ANY_TIME, most_pause=3 * DAY)
    assert deadline(short, ALWAYS, NOON, 3 * DAY, away) == (NOON + 6 * DAY, 3 * DAY)
    assert deadline(short, ALWAYS, NOON, 3 * DAY, away, DAY) == (NOON + 4 * DAY, DAY)
    assert deadline(short, ALWAYS, NOON, 3 * DAY, away, 0) == (NOON + 3 * DAY, 0)
    assert ran(short, ALWAYS, NOON, NOON + 6 * DAY, away) == 3 * DAY
    assert ran(short, ALWAYS, NOON, NOON + 4 * DAY, away, DAY) == 3 * DAY
    assert ran(short, ALWAYS, NOON, NOON + 3 * DAY, away, 0) == 3 * DAY


def test_absences_that_overlap_are_counted_once() -> None:
    away = [Span(NOON + 2 * DAY, NOON + 5 * DAY), Span(NOON + DAY, NOON + 3 * DAY)]
    assert deadline(ANY_TIME, ALWAYS, NOON, 3 * DAY, away) == (NOON + 7 * DAY, 4 * DAY)
    assert deadline(ANY_TIME, ALWAYS, NOON, 3 * DAY, away, 4 * DAY) == (NOON + 7 * DAY, 4 * DAY)


def test_an_absence_uses_up_the_limit_also_where_it_stops_nothing() -> None:
    """So one absence more can make a deadline earlier, once the limit is reached.

    It does on a day off, and while a turn only waits for the morning or the hour.
    """
    monday = Span(instant("2026-06-08", BERLIN), instant("2026-06-09", BERLIN))
    sunday = Span(monday.start - DAY, monday.start)
    ends = deadline(WEEKENDS, ALWAYS, FRIDAY_NOON, DAY, [monday], DAY)
    assert ends == (instant("2026-06-09T12:00", BERLIN), DAY)
    ends = deadline(WEEKENDS, ALWAYS, FRIDAY_NOON, DAY, [sunday, monday], DAY)
    assert ends == (instant("2026-06-08T12:00", BERLIN), DAY)


@pytest.mark.whole
@often
@given(turns())
def test_absences_stop_the_clock_no_longer_than_the_limit(turn: Turn) -> None:
    ends, without = deadline(*turn), deadline(*turn._replace(absences=()))
    assert 0 <= ends.absent <= min(turn.limit, sum(end - start for start, end in turn.absences))
    assert without.absent == 0
    assert without.at <= ends.at
    seconds = ends.at - turn.start - turn.ran(ends.at)
    if not turn.clock.days_off and not turn.habits.days_off:
        assert ends.absent == seconds
    assert ends.absent <= seconds


@pytest.mark.whole
@often
@given(turns(), st.data())
def test_one_more_absence_never_makes_it_earlier_within_the_limit(
    turn: Turn, data: st.DataObject
) -> None:
    turn = turn._replace(most_absent=FAR)
    more = (*turn.absences, data.draw(spans(turn.start)))
    assert deadline(*turn).at <= deadline(*turn._replace(absences=more)).at


@pytest.mark.whole
@often
@given(turns(is_polite=False), st.data())
def test_one_more_absence_never_makes_it_earlier_where_nothing_else_stops_the_clock(
    turn: Turn, data: st.DataObject
) -> None:
    clock, habits = replace(turn.clock, days_off=()), replace(turn.habits, days_off=())
    turn = turn._replace(clock=clock, habits=habits)
    more = (*turn.absences, data.draw(spans(turn.start)))
    assert deadline(*turn).at <= deadline(*turn._replace(absences=more)).at


@pytest.mark.whole
@often
@given(turns(), st.integers(0, 5 * DAY))
def test_a_higher_limit_never_makes_it_earlier(turn: Turn, more: int) -> None:
    assert deadline(*turn).at <= deadline(*turn._replace(most_absent=turn.limit + more)).at


# --- nights --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("night", "ends", "polite"),
    [
        ((22, 7), "2026-06-04T21:59:59", "2026-06-04T21:59:59"),
        ((22, 7), "2026-06-04T22:00", "2026-06-05T07:00"),
        ((22, 7), "2026-06-05T03:10", "2026-06-05T07:00"),
        ((22, 7), "2026-06-05T06:59:59", "2026-06-05T07:00"),
        ((22, 7), "2026-06-05T07:00", "2026-06-05T07:00"),
        ((1, 8), "2026-06-05T00:59", "2026-06-05T00:59"),
        ((1, 8), "2026-06-05T01:00", "2026-06-05T08:00"),
        ((22, 0), "2026-06-04T23:30", "2026-06-05T00:00"),
        ((0, 6), "2026-06-05T00:00", "2026-06-05T06:00"),
        (None, "2026-06-05T03:10", "2026-06-05T03:10"),
    ],
)
def test_a_turn_waits_for_the_morning(
    night: tuple[int, int] | None, ends: str, polite: str
) -> None:
    habits = Habits(BERLIN, (), night)
    start = instant(ends, BERLIN) - 3 * DAY
    assert deadline(ANY_TIME, habits, start, 3 * DAY).at == instant(polite, BERLIN)


def test_a_morning_on_a_day_off_is_no_morning() -> None:
    habits = Habits(BERLIN, (SAT, SUN), (22, 7))
    friday_night = instant("2026-06-05T23:00", BERLIN)
    assert deadline(ANY_TIME, habits, friday_night - DAY, DAY).at == instant(
        "2026-06-08T07:00", BERLIN
    )


def test_a_morning_that_is_skipped_is_the_moment_of_the_skip() -> None:
    for zone, midnight, ends in (
        (BERLIN, "2026-03-29", 2),
        (TROLL, "2026-03-29", 1),
        (TROLL, "2026-03-29", 2),
        (CHATHAM, "2026-09-27", 3),
        (HAVANA, "2026-03-07T23:00", 0),
        (NUUK, "2026-03-28T21:00", 23),
    ):
        skip = transitions(zone)[1 if zone == CHATHAM else 0]
        start = instant(midnight, zone)
        habits = Habits(zone, (), (20, ends))
        assert deadline(ANY_TIME, habits, start, 60).at == skip, (zone, ends)


def test_a_morning_that_comes_again_is_waited_for_again() -> None:
    """The wall says 3:00, 3:45, then 2:45: night once more; the turn had its time and no less."""
    habits = Habits(CHATHAM, (), (22, 3))
    night = instant("2026-04-05T02:50", CHATHAM, fold=1)
    morning = instant("2026-04-05T03:00", CHATHAM, fold=1)
    assert deadline(ANY_TIME, habits, night - DAY, DAY).at == morning
    night, morning = (instant(f"2026-10-25T0{n}:00", TROLL, fold=1) for n in (1, 2))
    assert deadline(ANY_TIME, Habits(TROLL, (), (22, 2)), night - DAY, DAY).at == morning


# --- a fixed hour --------------------------------------------------------------------------------


def test_turns_end_at_the_hour_all_have_agreed_on() -> None:
    at_noon = Clock(hour=12, zone=BERLIN)
    asleep = Habits(BERLIN, (), (8, 20))
    noon = instant("2026-06-04T12:00", BERLIN)
    for start in (noon, noon - 1, noon - DAY + 1):
        assert deadline(at_noon, asleep, start - 3 * DAY, 3 * DAY).at == noon
    assert deadline(at_noon, asleep, noon + 1 - 3 * DAY, 3 * DAY).at == noon + DAY


def test_the_agreed_hour_is_not_on_a_day_off_nor_in_an_absence() -> None:
    at_noon = replace(WEEKENDS, hour=12)
    monday = instant("2026-06-08T12:00", BERLIN)
    assert deadline(at_noon, ALWAYS, FRIDAY_NOON, 1).at == monday
    away = [Span(monday - 1, monday + 1)]
    assert deadline(at_noon, ALWAYS, FRIDAY_NOON, 1, away) == (monday + DAY, 2)


def test_an_hour_that_is_skipped_strikes_at_the_skip() -> None:
    for zone, hour, skip in (
        (BERLIN, 2, instant("2026-03-29T03:00", BERLIN)),
        (HAVANA, 0, instant("2026-03-08T01:00", HAVANA)),
        (TROLL, 1, instant("2026-03-29T03:00", TROLL)),
        (TROLL, 2, instant("2026-03-29T03:00", TROLL)),
        (CHATHAM, 3, instant("2026-09-27T03:45", CHATHAM)),
        (NUUK, 23, instant("2026-03-29T00:00", NUUK)),
    ):
        assert deadline(Clock(hour=hour, zone=zone), ALWAYS, skip - HOUR, 60).at == skip
        assert next_hour(skip - 1, hour, zone) == skip
        assert next_hour(skip, hour, zone) > skip + 20 * HOUR


def test_an_hour_that_comes_twice_strikes_the_first_time() -> None:
    first, second = (instant("2026-10-25T02:00", BERLIN, fold=fold) for fold in (0, 1))
    assert second - first == HOUR
    at_two = Clock(hour=2, zone=BERLIN)
    assert deadline(at_two, ALWAYS, first - DAY, DAY).at == first
    assert deadline(at_two, ALWAYS, first - DAY, DAY + 1).at == second + DAY
    assert next_hour(first, 2, BERLIN) == second + DAY


@often
@given(turns(has_hour=True))
def test_the_wall_shows_the_agreed_hour(turn: Turn) -> None:
    ends, plain = deadline(*turn), deadline(*unpolite(turn))
    shown = wall(ends.at, turn.clock.zone)
    on_the_hour = shown.hour == turn.clock.hour and (shown.minute, shown.second) == (0, 0)
    assert on_the_hour or ends.at in transitions(turn.clock.zone)
    assert ends.at >= plain.at
    if not (turn.clock.days_off or turn.habits.days_off or turn.absences):
        assert ends.at < plain.at + DAY + WIDEST
    missed = sum(
        turn.clock.hour in hours_struck(at, turn.clock.zone)
        for at in range(plain.at + -plain.at % QUARTER, ends.at, QUARTER)
        if not is_day_off(turn, at) and not any(start <= at < end for start, end in turn.absences)
    )
    assert missed == 0, "it struck before, when nobody was away"


@pytest.mark.whole
@each_zone
def test_every_hour_strikes_once_a_day(zone: str) -> None:
    for change in transitions(zone) or (FIRST,):
        begin, end = change - 2 * DAY, change + 2 * DAY
        struck: dict[int, list[int]] = {hour: [] for hour in range(24)}
        for at in range(begin, end, QUARTER):
            for hour in hours_struck(at, zone):
                struck[hour].append(at)
        for hour, expected in struck.items():
            told, at = list[int](), begin - 1
            for _ in range(6):
                at = next_hour(at, hour, zone)
                told.append(at)
            assert [at for at in told if at < end] == expected
            assert all(
                DAY - WIDEST <= later - earlier <= DAY + WIDEST for earlier, later in pairwise(told)
            )


def test_the_next_hour_is_never_now() -> None:
    noon = instant("2026-06-04T12:00", BERLIN)
    assert next_hour(noon - 1, 12, BERLIN) == noon
    assert next_hour(noon, 12, BERLIN) == noon + DAY
    assert next_hour(noon + 1, 12, BERLIN) == noon + DAY
    assert next_hour(noon, 0, BERLIN) == noon + 12 * HOUR
    assert next_hour(noon, 23, BERLIN) == noon + 11 * HOUR
