"""Clocks as arithmetic: exact seconds in every zone, days off, absence, nights, reminders, banks.

Most of it is held against `walk`, which knows nothing of midnights and mornings: it looks at the
wall every quarter of an hour. All zones of these years change their clocks at whole quarters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from itertools import pairwise
from math import ceil
from typing import NamedTuple, get_args
from zoneinfo import ZoneInfo

import pytest
from babel.dates import get_day_names, get_month_names
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.core import Language
from pbem.clock import (
    CLOSEST,
    DAY,
    HOUR,
    LAST_LEAD,
    LEADS_SHARE,
    MINUTE,
    MOST_DAYS_OFF,
    Clock,
    Habits,
    Moment,
    Reckoned,
    Span,
    banked,
    budget,
    deadline,
    moments,
    next_hour,
    ran,
)
from pbem.mail import letters

ZONES = (
    "UTC",
    "Africa/Cairo",  # midnight is skipped, 23:00 comes twice
    "Africa/Casablanca",  # back for the month of Ramadan
    "Africa/Johannesburg",
    "America/Adak",
    "America/Asuncion",
    "America/Havana",  # midnight is skipped, and comes twice
    "America/Los_Angeles",
    "America/New_York",
    "America/Nuuk",  # 23:00 is skipped: the next instant is of the next day
    "America/Phoenix",
    "America/Santiago",
    "America/Sao_Paulo",
    "America/St_Johns",  # half an hour off the others
    "Antarctica/Troll",  # two hours at once
    "Asia/Beirut",
    "Asia/Gaza",
    "Asia/Jerusalem",
    "Asia/Kabul",
    "Asia/Kathmandu",  # 45 minutes off
    "Asia/Kolkata",
    "Asia/Tehran",
    "Asia/Tokyo",
    "Asia/Yangon",
    "Atlantic/Azores",
    "Australia/Adelaide",
    "Australia/Eucla",
    "Australia/Lord_Howe",  # half an hour at once
    "Australia/Sydney",
    "Europe/Athens",
    "Europe/Berlin",
    "Europe/Chisinau",
    "Europe/London",
    "Pacific/Apia",
    "Pacific/Auckland",
    "Pacific/Chatham",  # from 2:45 to 3:45, and from 3:45 to 2:45
    "Pacific/Easter",
    "Pacific/Kiritimati",
    "Pacific/Marquesas",
    "Pacific/Pago_Pago",
)
QUARTER, WEEK = 15 * MINUTE, 7 * DAY
FAR = 1_000 * DAY
"""More absence than any turn here has."""
WIDEST = 2 * HOUR
"""How far a clock is put forward or back at most."""
BERLIN, HAVANA, CHATHAM = "Europe/Berlin", "America/Havana", "Pacific/Chatham"
TROLL, NUUK = "Antarctica/Troll", "America/Nuuk"
MON, TUE, WED, THU, FRI, SAT, SUN = range(7)
ALWAYS = Habits()

each_zone = pytest.mark.parametrize("zone", ZONES)
thorough = settings(deadline=None, max_examples=300)
often = settings(deadline=None, max_examples=100)


def instant(text: str, zone: str = "UTC", fold: int = 0) -> int:
    """When a wall shows this; with `fold`, for the second time."""
    wall = datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold)
    return int(wall.timestamp())


FIRST, LAST = instant("2026-01-01"), instant("2031-01-01")


@cache
def transitions(zone: str) -> tuple[int, ...]:
    """The instants of 2026 to 2030 at which a zone puts its clocks forward or back."""
    return tuple(
        _change(zone, day, day + DAY)
        for day in range(FIRST, LAST, DAY)
        if _offset(day, zone) != _offset(day + DAY, zone)
    )


def _change(zone: str, before: int, after: int) -> int:
    while after - before > 1:
        middle = (before + after) // 2
        if _offset(middle, zone) == _offset(before, zone):
            before = middle
        else:
            after = middle
    return after


def _offset(at: int, zone: str) -> timedelta | None:
    return wall(at, zone).utcoffset()


def wall(at: int, zone: str) -> datetime:
    return datetime.fromtimestamp(at, ZoneInfo(zone))


# --- a second opinion ----------------------------------------------------------------------------


class Turn(NamedTuple):
    """What `deadline` is asked, in its order."""

    clock: Clock
    habits: Habits
    start: int
    budget: int
    absences: tuple[Span, ...] = ()
    most_absent: int | None = None

    @property
    def limit(self) -> int:
        return self.clock.most_pause if self.most_absent is None else self.most_absent

    def ran(self, end: int) -> int:
        return ran(self.clock, self.habits, self.start, end, self.absences, self.most_absent)


class Stretch(NamedTuple):
    """At most a quarter of an hour in which nothing changes."""

    at: int
    until: int
    is_away: bool
    is_off: bool

    @property
    def stands_still(self) -> bool:
        return self.is_away or self.is_off


def walk(turn: Turn) -> Iterator[Stretch]:
    """From the start of a turn on, without an end."""
    at, limit = turn.start, turn.limit
    edges = [edge for span in turn.absences for edge in span]
    while True:
        until = min([at - at % QUARTER + QUARTER, *(edge for edge in edges if edge > at)])
        is_away = limit > 0 and any(start <= at < end for start, end in turn.absences)
        if is_away:
            until = min(until, at + limit)
            limit -= until - at
        yield Stretch(at, until, is_away, is_day_off(turn, at))
        at = until


def is_day_off(turn: Turn, at: int) -> bool:
    return any(
        wall(at, people.zone).weekday() in people.days_off for people in (turn.clock, turn.habits)
    )


def is_night(habits: Habits, at: int) -> bool:
    if habits.night is None:
        return False
    begins, ends = habits.night
    return (wall(at, habits.zone).hour - begins) % 24 < (ends - begins) % 24


def hours_struck(at: int, zone: str) -> set[int]:
    """The hours a wall shows for the first time, with those it skips in this very instant."""
    shown = wall(at, zone)
    if shown.fold:
        return set()
    hour = wall(at - 1, zone).replace(tzinfo=None) + timedelta(seconds=1)
    if hour.minute or hour.second:
        hour = hour.replace(minute=0, second=0) + timedelta(hours=1)
    struck = set()
    while hour <= shown.replace(tzinfo=None):
        struck.add(hour.hour)
        hour += timedelta(hours=1)
    return struck


def may_end(turn: Turn, at: int) -> bool:
    if turn.clock.hour is None:
        return not is_night(turn.habits, at)
    return turn.clock.hour in hours_struck(at, turn.clock.zone)


def walked_deadline(turn: Turn) -> Reckoned:
    left, absent = turn.budget, 0
    for at, until, is_away, is_off in walk(turn):
        if not (is_away or is_off):
            used = min(left, until - at)
            left -= used
            if not left and at + used < until and may_end(turn, at + used):
                return Reckoned(at + used, absent)
        absent += (until - at) * is_away
    raise AssertionError("a walk has no end")


def walked_ran(turn: Turn, end: int) -> int:
    total = 0
    for stretch in walk(turn):
        if stretch.at >= end:
            break
        total += (min(stretch.until, end) - stretch.at) * (not stretch.stands_still)
    return total


# --- turns at random -----------------------------------------------------------------------------

zones = st.sampled_from(ZONES)
weekdays = st.sets(st.integers(0, 6), max_size=MOST_DAYS_OFF).map(lambda days: tuple(sorted(days)))
hours = st.integers(0, 23)
nights = st.builds(lambda begins, lasts: (begins, (begins + lasts) % 24), hours, st.integers(1, 12))


@st.composite
def spans(draw: st.DrawFn, start: int, step: int = 1) -> Span:
    """An absence around the time of a turn that begins at `start`."""
    begin = start + draw(st.integers(-5 * DAY // step, 20 * DAY // step)) * step
    return Span(begin, begin + draw(st.integers(1, 8 * DAY // step)) * step)


@st.composite
def turns(draw: st.DrawFn, is_polite: bool = True, has_hour: bool | None = None) -> Turn:
    """Any turn; half of them would end, if nothing stopped them, near a change of the clocks.

    In most turns all times are whole hours or quarters, so that edges meet.
    """
    step = draw(st.sampled_from((1, QUARTER, HOUR)))
    clock = Clock(
        zone=draw(zones),
        days_off=draw(weekdays),
        hour=draw(_hours_of_turns(is_polite, has_hour)),
        most_pause=draw(st.integers(0, 20 * DAY // step)) * step,
    )
    night = draw(st.none() | nights) if is_polite else None
    habits = Habits(draw(zones), draw(weekdays), night)
    budget = draw(st.integers(0, 6 * DAY // step)) * step
    start = draw(st.integers(FIRST // step, LAST // step)) * step
    is_near = draw(st.booleans())
    near = transitions(clock.zone) + transitions(habits.zone)
    if near and is_near:
        around = draw(st.integers(-3 * HOUR // step, 3 * HOUR // step)) * step
        start = draw(st.sampled_from(near)) - budget + around
    absences = tuple(draw(st.lists(spans(start, step), max_size=3)))
    most = draw(st.none() | st.integers(0, 20 * DAY // step).map(lambda steps: steps * step))
    return Turn(clock, habits, start, budget, absences, most)


def _hours_of_turns(is_polite: bool, has_hour: bool | None) -> st.SearchStrategy[int | None]:
    if has_hour:
        return hours
    return st.none() | hours if is_polite and has_hour is None else st.none()


def unpolite(turn: Turn) -> Turn:
    """The same without a night and without a fixed hour."""
    clock, habits = replace(turn.clock, hour=None), replace(turn.habits, night=None)
    return turn._replace(clock=clock, habits=habits)


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


@each_zone
def test_a_printed_time_is_read_back_as_the_instant(zone: str) -> None:
    for language in get_args(Language):
        reader = letters.Reader("Ann", language, zone, "", "")
        for change in transitions(zone) or range(FIRST, LAST, 200 * DAY):
            around = range(change - 9 * QUARTER, change + 9 * QUARTER, QUARTER)
            told = [letters.deadline(at, change - DAY, reader) for at in around]
            assert [read_back(one.local, language, zone) for one in told] == list(around)
            assert [instant(one.utc.removesuffix(" UTC")) for one in told] == list(around)


def test_an_hour_that_comes_twice_is_printed_in_two_ways() -> None:
    reader = letters.Reader("Ann", "en", BERLIN, "", "")
    first, second = (instant("2026-10-25T02:30", BERLIN, fold=fold) for fold in (0, 1))
    shown = "Sunday, 25 October 2026, 02:30"
    assert letters.moment(first, reader) == f"{shown} (UTC+02:00, {BERLIN})"
    assert letters.moment(second, reader) == f"{shown} (UTC+01:00, {BERLIN})"


def read_back(printed: str, language: Language, zone: str) -> int:
    """The instant of a time as a letter prints it, and that its weekday is right."""
    shape = r"(\w+),? (\d+)\.? (\w+) (\d{4}), (\d\d:\d\d) (?:UTC|\(UTC(.\d\d:\d\d), (\S+)\))"
    found = re.fullmatch(shape, printed)
    assert found, printed
    weekday, day, month, year, clock, offset, told_zone = found.groups()
    assert (told_zone or "UTC") == zone
    iso = f"{year}-{months(language)[month]:02}-{int(day):02}T{clock}{offset or '+00:00'}"
    at = datetime.fromisoformat(iso)
    assert get_day_names("wide", locale=letters.LOCALES[language])[at.weekday()] == weekday
    return int(at.timestamp())


@cache
def months(language: Language) -> dict[str, int]:
    names = get_month_names("wide", locale=letters.LOCALES[language])
    return {name: number for number, name in names.items()}


@given(zone=zones, at=st.integers(FIRST, LAST))
def test_a_printed_time_is_of_the_minute_and_never_later_than_the_instant(
    zone: str, at: int
) -> None:
    printed = letters.moment(at, letters.Reader("Ann", "en", zone, "", ""))
    assert read_back(printed, "en", zone) == at - at % MINUTE


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


@thorough
@given(turns())
def test_the_deadline_is_what_a_walk_through_the_quarters_finds(turn: Turn) -> None:
    assert deadline(*turn) == walked_deadline(turn)


@thorough
@given(turns(is_polite=False), st.integers(-DAY, 30 * DAY))
def test_the_clock_has_run_as_long_as_a_walk_through_the_quarters_finds(
    turn: Turn, length: int
) -> None:
    assert turn.ran(turn.start + length) == walked_ran(turn, turn.start + length)


@often
@given(turns())
def test_the_whole_budget_runs_and_only_politeness_adds_to_it(turn: Turn) -> None:
    ends, plain = deadline(*turn), deadline(*unpolite(turn))
    assert turn.ran(plain.at) == turn.budget
    assert turn.start + turn.budget <= plain.at <= ends.at
    assert turn.ran(ends.at) >= turn.budget
    if ends.at > plain.at:
        assert not may_end(turn, plain.at)


@often
@given(turns(), st.integers(0, 5 * DAY))
def test_who_begins_later_never_ends_earlier(turn: Turn, later: int) -> None:
    assert deadline(*turn).at <= deadline(*turn._replace(start=turn.start + later)).at


@often
@given(turns(), st.integers(0, 5 * DAY))
def test_more_time_is_never_less(turn: Turn, more: int) -> None:
    assert deadline(*turn).at <= deadline(*turn._replace(budget=turn.budget + more)).at


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


@often
@given(turns())
def test_a_turn_never_ends_while_its_player_is_away(turn: Turn) -> None:
    ends = deadline(*turn)
    assert not is_day_off(turn, ends.at)
    assert turn.clock.hour is not None or not is_night(turn.habits, ends.at)
    if ends.absent < turn.limit:
        assert not any(start <= ends.at < end for start, end in turn.absences)


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

ANY_TIME = Clock()
NOON = instant("2026-06-01T12:00")


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


@often
@given(turns(), st.data())
def test_one_more_absence_never_makes_it_earlier_within_the_limit(
    turn: Turn, data: st.DataObject
) -> None:
    turn = turn._replace(most_absent=FAR)
    more = (*turn.absences, data.draw(spans(turn.start)))
    assert deadline(*turn).at <= deadline(*turn._replace(absences=more)).at


@often
@given(turns(is_polite=False), st.data())
def test_one_more_absence_never_makes_it_earlier_where_nothing_else_stops_the_clock(
    turn: Turn, data: st.DataObject
) -> None:
    clock, habits = replace(turn.clock, days_off=()), replace(turn.habits, days_off=())
    turn = turn._replace(clock=clock, habits=habits)
    more = (*turn.absences, data.draw(spans(turn.start)))
    assert deadline(*turn).at <= deadline(*turn._replace(absences=more)).at


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
