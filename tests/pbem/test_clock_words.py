"""What is agreed on about time, in words."""

from __future__ import annotations

import pytest

from pbem.clock import DAY, HOUR, MINUTE, Clock
from pbem.clock_words import clock_in_words, long, policy_in_words, weekdays
from pbem.services import agreed
from pbem.services.punctuality import Punctuality
from pbem.web.terms import answers_in_words
from pbem.words import speaking


def test_the_usual_clock() -> None:
    assert clock_in_words(Clock()) == [
        "3 days for each turn",
        "1 day of grace for who is late, and everybody sees it",
        "After the grace: the other side may claim the win, or wait",
        "Pauses and vacations stop the match for 30 days at most",
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
        "Each side begins with a bank of 3 days; each turn adds 12 hours, up to 5 days",
        "Turns end at 09:00 (Europe/Berlin)",
        "No time runs on Saturday and Sunday (Europe/Berlin)",
        "No grace for who is late",
        "When the time is over: the other side wins",
        "Neither pauses nor vacations stop the match",
    ]


def test_every_end_has_words_of_its_own() -> None:
    every = {*agreed.FOR_TWO, *agreed.FOR_MORE}

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
        (Punctuality(54, 52, 9 * HOUR), "usually answers within 9 hours; 96% of 54 turns in time"),
        (Punctuality(54, 54, 0), "usually answers within 1 hour; 100% of 54 turns in time"),
        (Punctuality(900, 899, DAY + 1), "usually answers within 25 hours; 99% of 900 turns"),
        (Punctuality(5, 4, 2 * DAY + 1), "usually answers within 3 days; 80% of 5 turns in time"),
        (Punctuality(3, 0, None), "0% of 3 turns in time"),
        (None, "new here, too few turns yet to tell how fast the answers come"),
    ],
)
def test_how_somebody_answers(known: Punctuality | None, words: str) -> None:
    assert answers_in_words(known).startswith(words)
