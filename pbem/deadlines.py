"""The clock of a match, as arithmetic: when a turn ends, when to remind, how long it has run.

All instants are UTC seconds and "3 days" is 259,200 of them. Zones decide only where days begin,
so that a day off and a night are those on the wall of the people who have them.

Time does not run on days off (of the match or of the player), while the player is absent, and
while the match is paused. Night hours do not stop it: a deadline that would fall into the night
waits for the morning.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

from msgspec import Struct

MINUTE, HOUR, DAY = 60, 3_600, 86_400

Policy = Literal["claim", "forfeit", "default", "stand_in", "ally", "machine"]
MomentKind = Literal["remind", "late", "timeout"]

MOST_DAYS_OFF = 3
"""Of a match and of a player each: together they leave one weekday on which time runs."""
LEADS_SHARE = (0.5, 0.8)
LAST_LEAD = 12 * HOUR
CLOSEST = 30 * MINUTE
"""Reminders that would come closer together than this are one."""


class Clock(Struct, frozen=True, omit_defaults=True):
    """What the players of a match have agreed on about time."""

    per_move: int = 3 * DAY
    """Seconds for each turn; 0 where time is banked."""
    bank: int = 0
    """Seconds each seat begins with."""
    increment: int = 0
    """Seconds added after each turn."""
    cap: int = 0
    """The most that a bank can hold."""
    hour: int | None = None
    """Turns end at this hour of the day."""
    zone: str = "UTC"
    """Where that hour and the days off are those of the wall."""
    days_off: tuple[int, ...] = ()
    """Weekdays on which time stands still; Monday is 0."""
    grace: int = DAY
    """What a late player still has, in everybody's sight."""
    answer: int = 2 * DAY
    """Seconds for a question in the middle of the turn of somebody else; never more than a turn."""
    policy: Policy = "claim"
    """What happens when the grace is over."""
    most_pause: int = 30 * DAY
    """How long pauses and absences together may stop this match."""

    @property
    def is_banked(self) -> bool:
        return self.bank > 0

    @property
    def pace(self) -> int:
        """Seconds a turn brings, in one number."""
        return self.per_move or self.increment


class Habits(Struct, frozen=True):
    """When a player does not play."""

    zone: str = "UTC"
    days_off: tuple[int, ...] = ()
    night: tuple[int, int] | None = None
    """Hours of the wall between which no turn ends: (22, 7)."""


class Span(NamedTuple):
    """From one instant up to another."""

    start: int
    end: int


class DeadlineResult(NamedTuple):
    """When a turn ends, and how much of the wait was absence."""

    at: int
    absent: int


class Moment(NamedTuple):
    """Something to do about a turn."""

    at: int
    kind: MomentKind


# --- when a turn ends ----------------------------------------------------------------------------


def deadline(
    clock: Clock,
    habits: Habits,
    start: int,
    budget: int,
    absences: Sequence[Span] = (),
    most_absent: int | None = None,
) -> DeadlineResult:
    """When a turn that began at `start` has used its budget.

    Absences stop the clock for `most_absent` seconds at most; the match's own limit if None.
    """
    most = clock.most_pause if most_absent is None else most_absent
    counted = list(_first(most, start, absences))
    at, left = start, budget
    for stop in _stops(clock, habits, start, counted):
        if stop.start - at >= left:
            break
        left -= max(0, stop.start - at)
        at = stop.end
    at = _polite(clock, habits, counted, at + left)
    return DeadlineResult(at, sum(_overlap(span, start, at) for span in counted))


def ran(
    clock: Clock,
    habits: Habits,
    start: int,
    end: int,
    absences: Sequence[Span] = (),
    most_absent: int | None = None,
) -> int:
    """How many seconds the clock has run between two instants, with the limit of `deadline`."""
    most = clock.most_pause if most_absent is None else most_absent
    stopped = 0
    for stop in _stops(clock, habits, start, list(_first(most, start, absences))):
        if stop.start >= end:
            break
        stopped += _overlap(stop, start, end)
    return max(0, end - start - stopped)


def _first(most: int, start: int, absences: Sequence[Span]) -> Iterator[Span]:
    """The absences from `start` on, cut off where they have lasted long enough.

    What overlaps is counted once.
    """
    left = most
    for span in sorted(absences):
        begin = max(start, span.start)
        if left > 0 and span.end > begin:
            end = min(span.end, begin + left)
            left -= end - begin
            yield Span(begin, end)
            start = end


def _overlap(span: Span, start: int, end: int) -> int:
    return max(0, min(span.end, end) - max(span.start, start))


def _stops(clock: Clock, habits: Habits, start: int, absences: Sequence[Span]) -> Iterator[Span]:
    """The spans from `start` on in which time stands still, in order, never touching each other."""
    current: Span | None = None
    for span in heapq.merge(
        _days(clock.zone, clock.days_off, start),
        _days(habits.zone, habits.days_off, start),
        sorted(span for span in absences if span.end > start),
    ):
        if current is None:
            current = span
        elif span.start <= current.end:
            current = Span(current.start, max(current.end, span.end))
        else:
            yield current
            current = span
    if current is not None:
        yield current


def _days(zone: str, weekdays: Sequence[int], start: int) -> Iterator[Span]:
    """These weekdays from the one that holds `start`, on and on."""
    if not weekdays:
        return
    day = _local(start, zone).date()
    while True:
        if day.weekday() in weekdays:
            yield Span(_midnight(day, zone), _midnight(day + timedelta(1), zone))
        day += timedelta(1)


# --- where a turn may end ------------------------------------------------------------------------


def _polite(clock: Clock, habits: Habits, absences: Sequence[Span], at: int) -> int:
    """The first instant from `at` on at which a turn may end: not while its player is away.

    An hour that all have agreed on counts for more than the night of one of them.
    """
    while True:
        later = _after_day_off(clock, habits, _after_absence(absences, at))
        if clock.hour is None:
            later = _after_night(habits, later)
        else:
            later = _at_the_hour(clock.hour, clock.zone, later)
        if later == at:
            return at
        at = later


def _after_absence(absences: Sequence[Span], at: int) -> int:
    return next((span.end for span in absences if span.start <= at < span.end), at)


def _after_day_off(clock: Clock, habits: Habits, at: int) -> int:
    for zone, weekdays in ((clock.zone, clock.days_off), (habits.zone, habits.days_off)):
        day = _local(at, zone).date()
        if day.weekday() in weekdays:
            return _midnight(day + timedelta(1), zone)
    return at


def _after_night(habits: Habits, at: int) -> int:
    if habits.night is None:
        return at
    begins, ends = habits.night
    local = _local(at, habits.zone)
    if begins <= ends:
        is_night, tomorrow = begins <= local.hour < ends, False
    else:
        is_night = local.hour >= begins or local.hour < ends
        tomorrow = local.hour >= begins
    if not is_night:
        return at
    return _instant(local.date() + timedelta(tomorrow), ends, habits.zone, local.fold)


def _at_the_hour(hour: int, zone: str, at: int) -> int:
    """The first instant from `at` on at which an hour strikes: once a day, also if shown twice.

    Yesterday's may be skipped together with midnight, and strike as today begins.
    """
    day = _local(at, zone).date()
    strikes = (_instant(day + timedelta(n), hour, zone) for n in (-1, 0, 1))
    return next(found for found in strikes if found >= at)


def _local(at: int, zone: str) -> datetime:
    return datetime.fromtimestamp(at, ZoneInfo(zone))


def _midnight(day: date, zone: str) -> int:
    return _instant(day, 0, zone)


def _instant(day: date, hour: int, zone: str, fold: int = 0) -> int:
    """When the wall shows an hour, `fold` of two times; a skipped one is the moment of the skip."""
    wall = datetime(day.year, day.month, day.day, hour, tzinfo=ZoneInfo(zone))
    first, second = int(wall.timestamp()), int(wall.replace(fold=1).timestamp())
    if first <= second:
        return second if fold else first
    around, shown = range(second, first + 1), wall.replace(tzinfo=None)
    return around[bisect_left(around, shown, key=lambda at: _shown(at, zone))]


def _shown(at: int, zone: str) -> datetime:
    """What the wall shows, without the distance from UTC."""
    return _local(at, zone).replace(tzinfo=None)


# --- what is done about a turn -------------------------------------------------------------------


def moments(
    clock: Clock, habits: Habits, start: int, end: int, leads: Sequence[int] | None = None
) -> tuple[Moment, ...]:
    """Reminders, the end of the time and the end of the grace, in order.

    `leads` are a player's own wishes: seconds before the end. Nobody is woken: a reminder in the
    night comes in the morning, if that is before the end.
    """
    if leads is None:
        wished = [start + int(share * (end - start)) for share in LEADS_SHARE]
        wished.append(end - LAST_LEAD)
    else:
        wished = [end - lead for lead in leads]
    reminders = list[int]()
    for at in sorted(_awake(habits, at, end) for at in wished if start < at < end):
        if not reminders or at - reminders[-1] >= CLOSEST:
            reminders.append(at)
    return (
        *(Moment(at, "remind") for at in reminders),
        Moment(end, "late"),
        Moment(end + clock.grace, "timeout"),
    )


def morning(habits: Habits, at: int) -> int:
    """When the night is over that an instant falls into; the instant itself by day."""
    return _after_night(habits, at)


def _awake(habits: Habits, at: int, end: int) -> int:
    morning = _after_night(habits, at)
    return morning if morning < end else at


def next_hour(at: int, hour: int, zone: str) -> int:
    """The next instant after `at` at which the wall shows an hour."""
    return _at_the_hour(hour, zone, at + 1)


# --- banks ---------------------------------------------------------------------------------------


def budget(clock: Clock, bank: int | None) -> int:
    """What a seat has for its next turn."""
    if not clock.is_banked:
        return clock.per_move
    return clock.bank if bank is None else bank


def time_to_answer(clock: Clock) -> int:
    """What a seat has that is asked in the middle of the turn of another one."""
    return min(clock.answer, clock.pace)


def banked(clock: Clock, had: int, used: int) -> int:
    """What a bank holds after a turn."""
    return min(clock.cap or clock.bank, max(0, had - used) + clock.increment)
