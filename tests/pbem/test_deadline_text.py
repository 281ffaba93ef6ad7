"""What is agreed on about time, in words; instants as letters print them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from functools import cache
from typing import get_args
from zoneinfo import ZoneInfo

import pytest
from babel.dates import get_day_names, get_month_names
from hypothesis import given
from hypothesis import strategies as st

from engine.core import Language
from pbem.deadline_text import clock_in_words, date_in_words, long, policy_in_words, weekdays
from pbem.deadlines import DAY, HOUR, MINUTE, Clock
from pbem.i18n import speaking
from pbem.mail import parts, times
from pbem.services.players.punctuality import Punctuality
from pbem.services.time import clock_settings
from pbem.web.shared.match_terms import answers_in_words
from tests.pbem.walls import BERLIN, FIRST, LAST, QUARTER, each_zone, instant, transitions, zones


@pytest.mark.parametrize(
    ("locale", "day", "words"),
    [
        ("fr", 1, "lundi 1er mars 2027"),
        ("fr", 11, "jeudi 11 mars 2027"),
        ("fr", 21, "dimanche 21 mars 2027"),
        ("de", 12, "Freitag, 12.\u00a0März 2027"),
        ("en_GB", 1, "Monday, 1 March 2027"),
    ],
)
def test_a_day_is_written_as_people_write_it(locale: str, day: int, words: str) -> None:
    assert date_in_words(date(2027, 3, day), "full", locale) == words


def test_an_instant_has_the_day_of_its_clock_whatever_was_written_before() -> None:
    late = datetime(2027, 3, 1, 23, 30, tzinfo=UTC)
    assert date_in_words(late, "medium", "en_GB") == "1 Mar 2027"
    assert date_in_words(late.astimezone(ZoneInfo("Asia/Tokyo")), "medium", "en_GB") == "2 Mar 2027"


def test_the_usual_clock() -> None:
    assert clock_in_words(Clock()) == [
        "3 days per turn",
        "One day's grace if you are late; everyone sees it",
        "After the grace period: the other side can claim the win, or wait",
        "Pauses and vacations can stop the match for 30 days at most",
    ]


def test_a_clock_with_everything() -> None:
    clock = Clock(
        per_move=0,
        bank=3 * DAY,
        increment=12 * HOUR,
        cap=5 * DAY,
        hour=9,
        zone="Europe/Berlin",
        days_off=(5, 6),
        grace=0,
        policy="forfeit",
        most_pause=0,
    )
    assert clock_in_words(clock) == [
        "Each side starts with a time bank of 3 days; each turn adds 12 hours, up to 5 days",
        "Turns end at 09:00 (Europe/Berlin)",
        "No clock runs on Saturday and Sunday (Europe/Berlin)",
        "No grace period if you are late",
        "When time runs out: the other side wins",
        "Pauses and vacations do not stop the match",
    ]


def test_every_end_has_words_of_its_own() -> None:
    every = {*clock_settings.FOR_TWO, *clock_settings.FOR_MORE}

    assert len({policy_in_words(policy) for policy in every}) == len(every) == 5


def test_lengths_are_told_in_the_largest_whole_unit() -> None:
    assert [long(n) for n in (DAY, 36 * HOUR, HOUR, 90 * MINUTE, 10)] == [
        "1 day",
        "36 hours",
        "1 hour",
        "90 minutes",
        "1 minute",
    ]


def test_days_have_the_names_of_the_language() -> None:
    with speaking("fr"):
        assert weekdays((0, 2, 6)) == "lundi, mercredi et dimanche"


@pytest.mark.parametrize(
    ("known", "words"),
    [
        (Punctuality(54, 52, 9 * HOUR), "usually replies within 9 hours; 96% of 54 turns on time"),
        (Punctuality(54, 54, 0), "usually replies within 1 hour; 100% of 54 turns on time"),
        (Punctuality(900, 899, DAY + 1), "usually replies within 25 hours; 99% of 900 turns"),
        (Punctuality(5, 4, 2 * DAY + 1), "usually replies within 3 days; 80% of 5 turns on time"),
        (Punctuality(3, 0, None), "0% of 3 turns on time"),
        (None, "new here; too few turns to tell how quickly they reply"),
    ],
)
def test_how_somebody_answers(known: Punctuality | None, words: str) -> None:
    assert answers_in_words(known).startswith(words)


# --- printed times -------------------------------------------------------------------------------


@pytest.mark.whole
@each_zone
def test_a_printed_time_is_read_back_as_the_instant(zone: str) -> None:
    for language in get_args(Language):
        reader = parts.Reader("Ann", language, zone, "", "")
        for change in transitions(zone) or range(FIRST, LAST, 200 * DAY):
            around = range(change - 9 * QUARTER, change + 9 * QUARTER, QUARTER)
            told = [times.deadline(at, change - DAY, reader) for at in around]
            assert [read_back(one.local, language, zone) for one in told] == list(around)
            assert [instant(one.utc.removesuffix(" UTC")) for one in told] == list(around)


def test_an_hour_that_comes_twice_is_printed_in_two_ways() -> None:
    reader = parts.Reader("Ann", "en", BERLIN, "", "")
    first, second = (instant("2026-10-25T02:30", BERLIN, fold=fold) for fold in (0, 1))
    shown = "Sunday, 25 October 2026, 02:30"
    assert times.moment(first, reader) == f"{shown} (UTC+02:00, {BERLIN})"
    assert times.moment(second, reader) == f"{shown} (UTC+01:00, {BERLIN})"


def read_back(printed: str, language: Language, zone: str) -> int:
    """The instant of a time as a letter prints it, and that its weekday is right."""
    day_and_month = r"(\d+)(?:\.\u00a0|er | )(\w+)"
    place = r"(?:UTC|\(UTC(.\d\d:\d\d), (\S+)\))"
    shape = rf"(\w+),? {day_and_month} (\d{{4}}), (\d\d:\d\d) {place}"
    found = re.fullmatch(shape, printed)
    assert found, printed
    weekday, day, month, year, clock, offset, told_zone = found.groups()
    assert (told_zone or "UTC") == zone
    iso = f"{year}-{months(language)[month]:02}-{int(day):02}T{clock}{offset or '+00:00'}"
    at = datetime.fromisoformat(iso)
    assert get_day_names("wide", locale=times.LOCALES[language])[at.weekday()] == weekday
    return int(at.timestamp())


@cache
def months(language: Language) -> dict[str, int]:
    names = get_month_names("wide", locale=times.LOCALES[language])
    return {name: number for number, name in names.items()}


@given(zone=zones, at=st.integers(FIRST, LAST))
def test_a_printed_time_is_of_the_minute_and_never_later_than_the_instant(
    zone: str, at: int
) -> None:
    printed = times.moment(at, parts.Reader("Ann", "en", zone, "", ""))
    assert read_back(printed, "en", zone) == at - at % MINUTE
