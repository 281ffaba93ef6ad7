"""The clock of a match in words, for pages and letters alike."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, time
from functools import lru_cache
from typing import Literal

from babel.dates import format_date, format_skeleton, format_time, get_day_names
from babel.lists import format_list

from pbem.deadlines import DAY, HOUR, MINUTE, Clock, Policy, time_to_answer
from pbem.i18n import gettext, labelled, ngettext, spoken


def clock_in_words(clock: Clock, asks_back: bool = False) -> list[str]:
    """What is agreed on about time: one short line for each thing.

    `asks_back`: of a game that asks players in the middle of the turns of others.
    """
    answers = [_answers(clock)] if asks_back else []
    return [_pace(clock), *answers, *end_in_words(clock), _pauses(clock)]


def _answers(clock: Clock) -> str:
    return gettext(
        "%(time)s to answer a question in another player's turn; then the usual answer is given"
    ) % {"time": long(time_to_answer(clock))}


def end_in_words(clock: Clock) -> list[str]:
    """What bears on the end of a turn that runs."""
    return [*_calendar(clock), _grace(clock), _end(clock)]


def _pace(clock: Clock) -> str:
    if not clock.is_banked:
        return gettext("%(time)s per turn") % {"time": long(clock.per_move)}
    return gettext(
        "Each side starts with a time bank of %(bank)s; each turn adds %(more)s, up to %(most)s"
    ) % {
        "bank": long(clock.bank),
        "more": long(clock.increment),
        "most": long(clock.cap or clock.bank),
    }


def _calendar(clock: Clock) -> list[str]:
    lines = []
    if clock.hour is not None:
        end = gettext("Turns end at %(hour)s (%(zone)s)")
        lines.append(end % {"hour": f"{clock.hour:02}:00", "zone": clock.zone})
    if clock.days_off:
        off = gettext("No clock runs on %(days)s (%(zone)s)")
        lines.append(off % {"days": weekdays(clock.days_off), "zone": clock.zone})
    return lines


def _grace(clock: Clock) -> str:
    if not clock.grace:
        return gettext("No grace period if you are late")
    unit, count = _whole(clock.grace)
    return {
        DAY: ngettext(
            "One day's grace if you are late; everyone sees it",
            "%(num)s days' grace if you are late; everyone sees it",
            count,
        ),
        HOUR: ngettext(
            "One hour's grace if you are late; everyone sees it",
            "%(num)s hours' grace if you are late; everyone sees it",
            count,
        ),
        MINUTE: ngettext(
            "One minute's grace if you are late; everyone sees it",
            "%(num)s minutes' grace if you are late; everyone sees it",
            count,
        ),
    }[unit] % {"num": count}


def _end(clock: Clock) -> str:
    label = gettext("After the grace period") if clock.grace else gettext("When time runs out")
    return labelled(label, policy_in_words(clock.policy))


def policy_in_words(policy: Policy) -> str:
    """What happens to who is too late."""
    return {
        "claim": gettext("the other side can claim the win, or wait"),
        "forfeit": gettext("the other side wins"),
        "default": gettext("the default move is played for the late player"),
        "stand_in": gettext("a stand-in can take the seat; until then the default move is played"),
        "ally": gettext("an ally plays for the late player"),
        "machine": gettext("the computer plays for the late player until a stand-in comes"),
    }[policy]


def _pauses(clock: Clock) -> str:
    if not clock.most_pause:
        return gettext("Pauses and vacations do not stop the match")
    return gettext("Pauses and vacations can stop the match for %(time)s at most") % {
        "time": long(clock.most_pause)
    }


def long(seconds: int) -> str:
    """How long something lasts, in whole days where it can be."""
    unit, count = _whole(seconds)
    return {
        DAY: ngettext("%(num)s day", "%(num)s days", count),
        HOUR: ngettext("%(num)s hour", "%(num)s hours", count),
        MINUTE: ngettext("%(num)s minute", "%(num)s minutes", count),
    }[unit] % {"num": count}


def _whole(seconds: int) -> tuple[int, int]:
    """The largest unit that the time is whole in, and how many of it; at least one minute."""
    for unit in (DAY, HOUR):
        if seconds % unit == 0:
            return unit, seconds // unit
    return MINUTE, max(1, round(seconds / MINUTE))


Length = Literal["full", "medium", "brief"]


def date_in_words(day: date, length: Length, locale: str) -> str:
    """A day as people write it: French has a `1er`; a German `12.` stays beside its month."""
    return _in_words(date(day.year, day.month, day.day), length, locale)


@lru_cache(maxsize=1_024)
def _in_words(day: date, length: Length, locale: str) -> str:
    """The same of a bare day: an instant is equal to itself on another clock, on another day."""
    if length == "brief":
        words = format_skeleton("MMMEd", day, locale=locale)
    else:
        words = format_date(day, length, locale=locale)
    if locale == "fr":
        return re.sub(r"\b1 (?=\D)", "1er ", words)
    return re.sub(r"(\d\.) (?=\D)", "\\1\u00a0", words) if locale == "de" else words


@lru_cache(maxsize=1_024)
def hour_in_words(hour: int, minute: int, locale: str) -> str:
    """A time of day as people write it."""
    return format_time(time(hour, minute), "short", locale=locale)


def weekdays(days: Iterable[int]) -> str:
    """As in `Saturday and Sunday`; Monday is 0."""
    names = get_day_names("wide", locale=spoken())
    return format_list([names[day] for day in days], locale=spoken())
