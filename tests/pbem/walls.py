"""Walls in forty zones, and a walk along them that gives a second opinion about clocks.

`walk` knows nothing of midnights and mornings: it looks at the wall every quarter of an hour. All
zones of these years change their clocks at whole quarters.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from msgspec.structs import replace

from pbem.deadlines import (
    DAY,
    HOUR,
    MINUTE,
    MOST_DAYS_OFF,
    Clock,
    DeadlineResult,
    Habits,
    Span,
    ran,
)

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
ANY_TIME = Clock()
NOON = instant("2026-06-01T12:00")


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


def walked_deadline(turn: Turn) -> DeadlineResult:
    left, absent = turn.budget, 0
    for at, until, is_away, is_off in walk(turn):
        if not (is_away or is_off):
            used = min(left, until - at)
            left -= used
            if not left and at + used < until and may_end(turn, at + used):
                return DeadlineResult(at + used, absent)
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
