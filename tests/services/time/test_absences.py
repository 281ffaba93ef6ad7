"""Absences: booked, cancelled, burnt; the allowance of a year; what the others are told."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from pbem.db import store
from pbem.db.store import execute, rows
from pbem.deadlines import DAY, HOUR, Span
from pbem.errors import Refused
from pbem.services.match import matches, turns
from pbem.services.records.match_rows import get_match
from pbem.services.time import absences, clocks
from tests.services.people import NOW, Sitting, sit_down, turn_of
from tests.services.waiting import Days, again, agree, armed, hand_over, newest_letter, open_turn

LIMIT = 3 * DAY
YEAR = 2027  # NOW is 15 January 2027, 08:00 UTC


def told(after: int = 0) -> list[dict[str, Any]]:
    """What letters about absence say, with the seat they go to."""
    found = rows("SELECT seat, about FROM outbox WHERE kind = 'away' AND id > ? ORDER BY id", after)
    return [{"to": seat, **msgspec.json.decode(about)} for seat, about in found]


def spans(player: int) -> list[Span]:
    return [one.span for one in absences.of(player)]


def burn(player: int, at: int, now: int) -> int:
    with store.writing():
        absences.hold(player)
        return absences.burn_floating(player, at, now)


def instant(year: int, month: int, day: int) -> int:
    return int(datetime(year, month, day, tzinfo=UTC).timestamp())


# --- booking -------------------------------------------------------------------------------------


def test_an_absence_stops_a_running_clock(sitting: Sitting) -> None:
    turn = open_turn(sitting.match)
    hand_over(NOW)
    absences.book(sitting.bob, NOW + DAY, NOW + 5 * DAY, NOW)

    assert again(turn).deadline_at == NOW + LIMIT + 4 * DAY
    assert again(turn).absent == 4 * DAY
    assert armed()[str(turn.id)] > NOW + LIMIT // 2


def test_an_absence_counts_in_turns_that_begin_later(sitting: Sitting) -> None:
    absences.book(sitting.bob, NOW + DAY, NOW + 5 * DAY, NOW)
    hand_over(NOW + 2 * DAY)

    assert open_turn(sitting.match).deadline_at == NOW + 5 * DAY + LIMIT


def test_the_absence_of_one_player_leaves_the_other_alone(sitting: Sitting) -> None:
    hand_over(NOW)
    absences.book(sitting.ann, NOW, NOW + 5 * DAY, NOW)

    assert open_turn(sitting.match).deadline_at == NOW + LIMIT


def test_the_others_learn_the_dates_and_nobody_else_anything(sitting: Sitting) -> None:
    other, over = sit_down(NOW), sit_down(NOW)
    matches.resign(over.match, 0, NOW)
    before = newest_letter()
    absences.book(sitting.bob, NOW + DAY, NOW + 5 * DAY, NOW)

    letter = {"by": 1, "what": "booked", "start": NOW + DAY, "end": NOW + 5 * DAY, "to": 0}
    assert told(before) == [letter, letter]
    found = rows("SELECT match_id, player_id FROM outbox WHERE kind = 'away' ORDER BY id")
    assert found == [(sitting.match, sitting.ann), (other.match, sitting.ann)]


def test_booking_the_same_again_changes_nothing(sitting: Sitting) -> None:
    for _ in range(3):
        absences.book(sitting.bob, NOW + DAY, NOW + 5 * DAY, NOW)
    absences.book(sitting.bob, NOW + 2 * DAY, NOW + 3 * DAY, NOW)

    assert spans(sitting.bob) == [Span(NOW + DAY, NOW + 5 * DAY)]
    assert len(told()) == 1


def test_what_overlaps_becomes_one(sitting: Sitting) -> None:
    absences.book(sitting.bob, NOW + 2 * DAY, NOW + 4 * DAY, NOW)
    absences.book(sitting.bob, NOW + 6 * DAY, NOW + 8 * DAY, NOW)
    (first, _) = absences.of(sitting.bob)
    absences.book(sitting.bob, NOW + 3 * DAY, NOW + 7 * DAY, NOW)

    (whole,) = absences.of(sitting.bob)
    assert whole == (first.id, sitting.bob, NOW + 2 * DAY, NOW + 8 * DAY, False)
    assert absences.left(sitting.bob, YEAR) == absences.ALLOWANCE - 6 * DAY
    assert [(one["start"], one["end"]) for one in told()][-1] == whole.span


def test_what_only_touches_stays_apart(sitting: Sitting) -> None:
    absences.book(sitting.bob, NOW + 2 * DAY, NOW + 4 * DAY, NOW)
    absences.book(sitting.bob, NOW + 4 * DAY, NOW + 6 * DAY, NOW)

    assert len(absences.of(sitting.bob)) == 2


@pytest.mark.parametrize(
    ("start", "end", "words"),
    [
        (NOW + DAY, NOW + DAY, "must end after it starts"),
        (NOW + DAY, NOW, "must end after it starts"),
        (NOW - 1, NOW + DAY, "cannot start in the past"),
        (NOW + 365 * DAY, NOW + 367 * DAY, "up to one year ahead"),
        (NOW, NOW + 31 * DAY, "would take 31 vacation days in 2027; you have 30 left"),
        (NOW, NOW + 30 * DAY + 1, "would take 31 vacation days in 2027; you have 30 left"),
        (NOW + 30 * DAY, NOW + 366 * DAY, "vacation days in 2027; you have 30 left"),
    ],
)
def test_what_cannot_be_booked_is_refused_in_words(
    sitting: Sitting, start: int, end: int, words: str
) -> None:
    with pytest.raises(Refused, match=words):
        absences.book(sitting.bob, start, end, NOW)
    assert absences.of(sitting.bob) == []
    assert told() == []


def test_a_year_in_the_middle_is_counted_too(sitting: Sitting) -> None:
    """366 days from the end of one year reach over the next into the one after it."""
    eve = instant(2027, 12, 31) + 23 * HOUR
    with pytest.raises(Refused, match="would take 366 vacation days in 2028"):
        absences.book(sitting.bob, eve, eve + 366 * DAY, eve)


def test_an_absence_over_new_year_is_split(sitting: Sitting) -> None:
    start, end = instant(2027, 12, 22), instant(2028, 1, 6)
    absences.book(sitting.bob, start, end, start - 30 * DAY)

    assert absences.left(sitting.bob, 2027) == 20 * DAY
    assert absences.left(sitting.bob, 2028) == 25 * DAY
    assert absences.left(sitting.bob, 2029) == 30 * DAY
    absences.book(sitting.bob, end, end + 25 * DAY, start - 30 * DAY)
    with pytest.raises(Refused, match="would take 1 vacation day in 2028; you have 0 left"):
        absences.book(sitting.bob, end + 40 * DAY, end + 41 * DAY, start - 30 * DAY)


def test_a_match_stands_still_no_longer_than_was_agreed(sitting: Sitting) -> None:
    agree(sitting.match, most_pause=2 * DAY)
    hand_over(NOW)
    absences.book(sitting.bob, NOW, NOW + 20 * DAY, NOW)

    assert open_turn(sitting.match).deadline_at == NOW + LIMIT + 2 * DAY


def test_of_bookings_at_once_no_more_are_kept_than_allowed(sitting: Sitting) -> None:
    def book(number: int) -> str:
        start = NOW + number * 20 * DAY
        with store.connected():
            try:
                absences.book(sitting.bob, start, start + 16 * DAY, NOW)
            except Refused:
                return "refused"
        return "booked"

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(book, range(12)))

    assert results.count("booked") == len(absences.of(sitting.bob)) == 1


# --- cancelling ----------------------------------------------------------------------------------


def test_what_has_not_begun_is_free_again(sitting: Sitting) -> None:
    absences.book(sitting.ann, NOW + 10 * DAY, NOW + 20 * DAY, NOW)
    (absence,) = absences.of(sitting.ann)
    for _ in range(2):
        absences.cancel(absence.id, sitting.ann, NOW + DAY)

    assert absences.of(sitting.ann) == []
    assert absences.left(sitting.ann, YEAR) == absences.ALLOWANCE
    last = {"to": 1, "by": 0, "what": "cancelled", "start": absence.start, "end": absence.end}
    assert told()[1:] == [last]


def test_what_is_over_already_stays_taken(sitting: Sitting) -> None:
    absences.book(sitting.ann, NOW, NOW + 20 * DAY, NOW)
    (absence,) = absences.of(sitting.ann)
    absences.cancel(absence.id, sitting.ann, NOW + 5 * DAY)
    absences.cancel(absence.id, sitting.ann, NOW + 6 * DAY)

    assert spans(sitting.ann) == [Span(NOW, NOW + 5 * DAY)]
    assert absences.left(sitting.ann, YEAR) == 25 * DAY
    assert [one["start"] for one in told()] == [NOW, NOW + 5 * DAY]


def test_nobody_cancels_the_absence_of_another(sitting: Sitting) -> None:
    absences.book(sitting.ann, NOW + DAY, NOW + 2 * DAY, NOW)
    (absence,) = absences.of(sitting.ann)
    absences.cancel(absence.id, sitting.bob, NOW)

    assert absences.of(sitting.ann) == [absence]


def test_time_that_a_turn_was_given_is_not_given_back(sitting: Sitting) -> None:
    """Who could book, cancel and book again would have all the time in the world."""
    turn = open_turn(sitting.match)
    hand_over(NOW)
    absences.book(sitting.bob, NOW + DAY, NOW + 20 * DAY, NOW)
    (absence,) = absences.of(sitting.bob)
    given = again(turn).deadline_at
    with pytest.raises(Refused, match="already uses this vacation; play it first"):
        absences.cancel(absence.id, sitting.bob, NOW + HOUR)
    assert again(turn).deadline_at == given == NOW + LIMIT + 19 * DAY

    turns.submit(turn.id, ["first usa"], NOW + 2 * DAY)
    absences.cancel(absence.id, sitting.bob, NOW + 2 * DAY)
    assert spans(sitting.bob) == [Span(NOW + DAY, NOW + 2 * DAY)]


def test_a_turn_keeps_what_it_counts_on_and_no_more(sitting: Sitting) -> None:
    agree(sitting.match, most_pause=2 * DAY)
    turn = open_turn(sitting.match)
    hand_over(NOW)
    absences.book(sitting.bob, NOW + DAY, NOW + 20 * DAY, NOW)
    (absence,) = absences.of(sitting.bob)
    deadline = again(turn).deadline_at
    absences.cancel(absence.id, sitting.bob, NOW)

    assert spans(sitting.bob) == [Span(NOW + DAY, deadline)]
    assert again(turn).deadline_at == deadline


def test_an_absence_after_the_deadline_can_be_cancelled(sitting: Sitting) -> None:
    hand_over(NOW)
    absences.book(sitting.bob, NOW + 10 * DAY, NOW + 12 * DAY, NOW)
    (absence,) = absences.of(sitting.bob)
    absences.cancel(absence.id, sitting.bob, NOW + DAY)

    assert absences.of(sitting.bob) == []


# --- floating ------------------------------------------------------------------------------------


def test_a_turn_that_runs_out_burns_a_day(sitting: Sitting) -> None:
    turn = open_turn(sitting.match)
    hand_over(NOW)
    at = again(turn).deadline_at
    before = newest_letter()
    assert burn(sitting.bob, at, at + 30) == DAY

    (absence,) = absences.of(sitting.bob)
    assert (absence.span, absence.is_floating) == (Span(at, at + DAY), True)
    assert at + DAY <= again(turn).deadline_at <= at + DAY + 1
    assert again(turn).absent == DAY
    assert armed()[str(turn.id)] > at
    letter = {"by": 1, "what": "floating", "start": at, "end": at + DAY, "to": 0}
    assert told(before) == [letter, letter | {"what": "own_floating", "to": 1}]


def test_all_matches_of_the_player_stand_still(sitting: Sitting) -> None:
    hand_over(NOW)
    other = sit_down(NOW)
    hand_over(NOW + DAY)
    first, second = turn_of(sitting.match), turn_of(other.match)
    burn(sitting.bob, first.deadline_at, first.deadline_at)

    assert again(second).deadline_at == second.deadline_at + DAY


def test_a_worker_that_comes_late_burns_as_many_days_as_it_takes(sitting: Sitting) -> None:
    turn = open_turn(sitting.match)
    hand_over(NOW)
    at = again(turn).deadline_at

    assert burn(sitting.bob, at, at + 50 * HOUR) == 3 * DAY
    assert again(turn).deadline_at >= at + 3 * DAY


def test_nothing_is_burnt_that_does_not_help(sitting: Sitting) -> None:
    turn = open_turn(sitting.match)
    hand_over(NOW)
    at = again(turn).deadline_at
    assert burn(sitting.bob, at, at + 31 * DAY) == 0
    assert burn(sitting.ann, at, at) == 0, "nobody waits for her"
    agree(sitting.match, most_pause=0)
    assert burn(sitting.bob, at, at) == 0, "this match stops for nobody"

    assert absences.of(sitting.bob) == absences.of(sitting.ann) == []
    assert again(turn).deadline_at == at
    assert told() == []


def test_a_day_that_is_not_left_is_not_burnt(sitting: Sitting) -> None:
    execute(
        "INSERT INTO absence (player_id, start_at, end_at, is_floating, created_at)"
        " VALUES (?, ?, ?, ?, ?)",
        sitting.bob,
        instant(2027, 1, 1),
        instant(2027, 1, 1) + 29 * DAY + 1,
        False,
        NOW,
    )
    hand_over(NOW + 20 * DAY)
    at = turn_of(sitting.match).deadline_at

    assert burn(sitting.bob, at, at) == 0


def test_burning_ends_where_a_booking_begins(sitting: Sitting) -> None:
    turn = open_turn(sitting.match)
    hand_over(NOW)
    at = again(turn).deadline_at
    absences.book(sitting.bob, at + 6 * HOUR, at + 2 * DAY, NOW)

    assert burn(sitting.bob, at, at) == 6 * HOUR
    assert spans(sitting.bob) == [Span(at, at + 6 * HOUR), Span(at + 6 * HOUR, at + 2 * DAY)]
    assert again(turn).deadline_at >= at + 2 * DAY


@pytest.mark.whole
def test_vacation_is_burnt_day_by_day_until_it_is_used_up(sitting: Sitting) -> None:
    """Then the player is late like anybody else: the match is not endless."""
    agree(sitting.match, most_pause=5 * DAY, policy="forfeit")
    hand_over(NOW)
    days = Days(NOW)
    days.passes(LIMIT + 8 * DAY, step=590)

    burnt = [one.end - one.start for one in absences.of(sitting.bob)]
    assert burnt == [DAY] * 5
    assert get_match(sitting.match).status == "over"
    assert [one["what"] for one in told()] == ["floating", "own_floating"] * 5


def test_a_burnt_day_grows_when_the_player_books_on(sitting: Sitting) -> None:
    hand_over(NOW)
    at = turn_of(sitting.match).deadline_at
    burn(sitting.bob, at, at)
    absences.book(sitting.bob, at + HOUR, at + 3 * DAY, at + HOUR)

    (absence,) = absences.of(sitting.bob)
    assert (absence.span, absence.is_floating) == (Span(at, at + 3 * DAY), False)
    assert turn_of(sitting.match).deadline_at >= at + 3 * DAY
    assert clocks.absences_of(sitting.bob) == [absence.span]
