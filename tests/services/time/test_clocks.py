"""Clocks in the tables: when they start, how they stand still, what a bank keeps."""

from __future__ import annotations

import pytest

from pbem.db.store import execute, rows, writing
from pbem.deadlines import DAY, HOUR, Clock
from pbem.errors import Refused, Stale
from pbem.services.match import turns
from pbem.services.records.match_rows import get_match, locked
from pbem.services.time import absences, clocks, pauses
from tests.services.people import NOW, Sitting, compose, turn_of
from tests.services.waiting import again, agree, armed, hand_over, kinds, newest_letter, open_turn

LIMIT = 3 * DAY


def pause_left(sitting: Sitting) -> int:
    return clocks.pause_left(get_match(sitting.match), NOW)


def test_a_clock_waits_for_its_letter(sitting: Sitting) -> None:
    turn = open_turn(sitting.match)
    assert (turn.started_at, turn.since, armed()) == (None, None, {})

    hand_over(NOW + 5 * HOUR)

    started = again(turn)
    assert (started.started_at, started.deadline_at) == (NOW + 5 * HOUR, NOW + 5 * HOUR + LIMIT)
    assert armed() == {str(turn.id): NOW + 5 * HOUR + LIMIT // 2}


def test_a_second_letter_does_not_start_it_again(sitting: Sitting) -> None:
    turn = open_turn(sitting.match)
    hand_over(NOW)
    with writing():
        clocks.start(turn.id, NOW + DAY)

    assert again(turn).started_at == NOW


def test_a_clock_runs_from_the_first_press_though_the_letter_is_on_its_way(
    sitting: Sitting,
) -> None:
    turn = open_turn(sitting.match)

    compose(turn.id, ["first usa"], NOW + HOUR)
    hand_over(NOW + DAY)

    assert again(turn).started_at == NOW + HOUR
    assert again(turn).deadline_at == NOW + HOUR + LIMIT


def test_a_turn_without_a_letter_never_ends(sitting: Sitting) -> None:
    """The mail server may be away for a day or a month."""
    assert armed() == {}
    expected = clocks.expected_deadline(
        get_match(sitting.match), open_turn(sitting.match), NOW + 40 * DAY
    )
    assert expected == NOW + 40 * DAY + LIMIT


# --- banks ---------------------------------------------------------------------------------------


def test_a_bank_keeps_what_was_not_used(sitting: Sitting) -> None:
    agree(sitting.match, per_move=0, bank=3 * DAY, increment=12 * HOUR, cap=5 * DAY)
    hand_over(NOW)

    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW + DAY)

    bank = get_match(sitting.match).seat(1).bank
    assert bank == 2 * DAY + 12 * HOUR
    hand_over(NOW + DAY)
    assert open_turn(sitting.match).deadline_at == NOW + DAY + 3 * DAY, "the other has his own"


def test_a_bank_has_a_cap(sitting: Sitting) -> None:
    agree(sitting.match, per_move=0, bank=3 * DAY, increment=12 * HOUR, cap=3 * DAY)
    hand_over(NOW)

    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW + HOUR)

    assert get_match(sitting.match).seat(1).bank == 3 * DAY


def test_whoever_is_late_begins_anew_with_the_increment(sitting: Sitting) -> None:
    agree(sitting.match, per_move=0, bank=3 * DAY, increment=12 * HOUR, cap=3 * DAY)
    hand_over(NOW)

    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW + 3 * DAY + HOUR)

    assert get_match(sitting.match).seat(1).bank == 12 * HOUR


# --- pauses --------------------------------------------------------------------------------------


def test_a_pause_needs_all_players_and_gives_back_what_was_left(sitting: Sitting) -> None:
    hand_over(NOW)
    turn, before = open_turn(sitting.match), newest_letter()

    assert not pauses.want_pause(sitting.match, 0, NOW + DAY)
    assert kinds(before) == ["away"]
    assert pauses.want_pause(sitting.match, 1, NOW + DAY)
    assert (again(turn).since, armed()) == (None, {})
    assert armed("pause") == {sitting.match: NOW + DAY + Clock().most_pause}

    pauses.end_pause(sitting.match, 0, NOW + 11 * DAY)
    assert again(turn).deadline_at == NOW + 11 * DAY + 2 * DAY
    assert get_match(sitting.match).paused_total == 10 * DAY
    assert armed("pause") == {}


def test_one_wish_for_a_pause_can_be_taken_back(sitting: Sitting) -> None:
    pauses.want_pause(sitting.match, 0, NOW)
    pauses.end_pause(sitting.match, 0, NOW + 1)

    assert not pauses.want_pause(sitting.match, 1, NOW + 2)
    assert get_match(sitting.match).paused_at is None


def test_a_match_cannot_be_stopped_for_ever(sitting: Sitting) -> None:
    agree(sitting.match, most_pause=2 * DAY)
    hand_over(NOW)
    pauses.pause(sitting.match, NOW)
    pauses.resume(sitting.match, NOW + 2 * DAY)

    with pytest.raises(Refused, match="has used up its agreed time"):
        pauses.want_pause(sitting.match, 0, NOW + 3 * DAY)
    with pytest.raises(Stale, match="not paused"):
        pauses.resume(sitting.match, NOW + 3 * DAY)


def test_a_turn_opened_in_a_pause_has_its_whole_time_after_it(sitting: Sitting) -> None:
    hand_over(NOW)
    pauses.pause(sitting.match, NOW)
    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW + DAY)
    hand_over(NOW + DAY)
    assert armed() == {} or str(open_turn(sitting.match).id) not in armed()

    pauses.resume(sitting.match, NOW + 5 * DAY)

    assert open_turn(sitting.match).deadline_at == NOW + 5 * DAY + LIMIT


# --- more time -----------------------------------------------------------------------------------


def test_more_time_comes_behind_what_there_is(sitting: Sitting) -> None:
    hand_over(NOW)
    turn = open_turn(sitting.match)
    with locked(sitting.match):
        clocks.give_time(turn.id, DAY, NOW + HOUR)
    assert again(turn).deadline_at == NOW + LIMIT + DAY

    with locked(sitting.match):
        clocks.give_time(turn.id, DAY, NOW + 10 * DAY)
    assert again(turn).deadline_at == NOW + 11 * DAY


def test_an_absence_moves_a_running_turn_and_taking_it_back_does_not(sitting: Sitting) -> None:
    hand_over(NOW)
    turn = open_turn(sitting.match)
    with locked(sitting.match):
        execute(
            "INSERT INTO absence (player_id, start_at, end_at, is_floating, created_at)"
            " VALUES (?, ?, ?, ?, ?)",
            sitting.bob,
            NOW + DAY,
            NOW + 8 * DAY,
            False,
            NOW,
        )
        clocks.rereckon_player(sitting.bob, NOW)
    assert again(turn).deadline_at == NOW + LIMIT + 7 * DAY
    assert again(turn).absent == 7 * DAY
    assert clocks.pause_left(get_match(sitting.match), NOW) == Clock().most_pause - 7 * DAY

    with locked(sitting.match):
        execute("DELETE FROM absence")
        clocks.rereckon_player(sitting.bob, NOW)
    assert again(turn).deadline_at == NOW + LIMIT + 7 * DAY
    assert rows("SELECT COUNT(*) FROM due") == [(1,)]


def test_absence_before_and_after_a_pause_adds_up(sitting: Sitting) -> None:
    hand_over(NOW)
    turn = open_turn(sitting.match)
    for start in (NOW + DAY, NOW + 20 * DAY):
        absences.book(sitting.bob, start, start + 2 * DAY, NOW)
    assert again(turn).absent == 2 * DAY, "the second one comes after the turn"

    pauses.pause(sitting.match, NOW + 4 * DAY)
    assert (again(turn).allowed, again(turn).absent) == (DAY, 2 * DAY)
    pauses.resume(sitting.match, NOW + 20 * DAY - HOUR)

    assert again(turn).deadline_at == NOW + 20 * DAY - HOUR + DAY + 2 * DAY
    assert again(turn).absent == 2 * DAY, "the two days before the pause are the match's"
    paused = 16 * DAY - HOUR
    assert pause_left(sitting) == Clock().most_pause - 2 * DAY - paused - 2 * DAY


def test_a_turn_begun_in_a_pause_is_charged_for_its_absence_once(sitting: Sitting) -> None:
    hand_over(NOW)
    pauses.pause(sitting.match, NOW)
    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW + DAY)
    absences.book(sitting.ann, NOW + 3 * DAY, NOW + 5 * DAY, NOW + DAY)
    hand_over(NOW + DAY)

    pauses.resume(sitting.match, NOW + 2 * DAY)

    assert open_turn(sitting.match).deadline_at == NOW + 2 * DAY + LIMIT + 2 * DAY
    assert open_turn(sitting.match).absent == 2 * DAY
    assert pause_left(sitting) == Clock().most_pause - 2 * DAY - 2 * DAY


def test_an_absence_cancelled_in_a_pause_gives_a_turn_begun_in_it_nothing(
    sitting: Sitting,
) -> None:
    hand_over(NOW)
    pauses.pause(sitting.match, NOW)
    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW)
    absences.book(sitting.ann, NOW + DAY, NOW + 20 * DAY, NOW)
    hand_over(NOW)
    (absence,) = absences.of(sitting.ann)
    absences.cancel(absence.id, sitting.ann, NOW + HOUR)

    pauses.resume(sitting.match, NOW + 2 * HOUR)

    assert open_turn(sitting.match).deadline_at == NOW + 2 * HOUR + LIMIT


def test_absence_before_a_pause_counts_against_the_limit_behind_it(sitting: Sitting) -> None:
    agree(sitting.match, most_pause=5 * DAY)
    hand_over(NOW)
    turn = open_turn(sitting.match)
    absences.book(sitting.bob, NOW + DAY, NOW + 3 * DAY, NOW)
    pauses.pause(sitting.match, NOW + 4 * DAY)
    absences.book(sitting.bob, NOW + 6 * DAY, NOW + 9 * DAY, NOW + 4 * DAY)

    pauses.resume(sitting.match, NOW + 6 * DAY)

    assert pause_left(sitting) == 0, "two days of absence, two of pause, one that is to come"
    assert again(turn).deadline_at == NOW + 6 * DAY + DAY + DAY


def test_absence_booked_behind_a_pause_adds_to_that_before_it(sitting: Sitting) -> None:
    hand_over(NOW)
    absences.book(sitting.bob, NOW + HOUR, NOW + HOUR + 2 * DAY, NOW)
    pauses.pause(sitting.match, NOW + 3 * DAY)
    pauses.resume(sitting.match, NOW + 4 * DAY)
    absences.book(sitting.bob, NOW + 5 * DAY, NOW + 6 * DAY, NOW + 4 * DAY)

    assert pause_left(sitting) == Clock().most_pause - 2 * DAY - DAY - DAY


def test_absence_is_remembered_over_two_pauses(sitting: Sitting) -> None:
    hand_over(NOW)
    absences.book(sitting.bob, NOW + HOUR, NOW + HOUR + 2 * DAY, NOW)
    for day in (3, 5):
        pauses.pause(sitting.match, NOW + day * DAY)
        pauses.resume(sitting.match, NOW + day * DAY + DAY)

    assert pause_left(sitting) == Clock().most_pause - 2 * DAY - 2 * DAY


def test_a_pause_takes_no_time_from_who_is_away_longer_than_was_agreed(sitting: Sitting) -> None:
    agree(sitting.match, most_pause=3 * DAY)
    hand_over(NOW)
    turn = open_turn(sitting.match)
    pauses.pause(sitting.match, NOW)
    pauses.resume(sitting.match, NOW + DAY)
    absences.book(sitting.bob, NOW + DAY, NOW + 9 * DAY, NOW + DAY)
    assert again(turn).deadline_at == NOW + DAY + 2 * DAY + LIMIT, "two days are left"
    agree(sitting.match, most_pause=5 * DAY)

    pauses.pause(sitting.match, NOW + 4 * DAY)

    assert again(turn).allowed == 2 * DAY


def test_who_plays_while_away_is_charged_for_what_is_over(sitting: Sitting) -> None:
    hand_over(NOW)
    absences.book(sitting.bob, NOW + DAY, NOW + 8 * DAY, NOW)
    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW + 2 * DAY)

    assert pause_left(sitting) == Clock().most_pause - DAY


def test_a_rewind_charges_the_absence_that_is_over(sitting: Sitting) -> None:
    hand_over(NOW)
    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW)
    hand_over(NOW)
    absences.book(sitting.ann, NOW + DAY, NOW + 8 * DAY, NOW)
    turns.rewind(sitting.match, 0, "mo", NOW + 2 * DAY)

    assert pause_left(sitting) == Clock().most_pause - DAY


def test_a_bank_is_used_while_its_player_is_away_longer_than_was_agreed(sitting: Sitting) -> None:
    agree(sitting.match, per_move=0, bank=3 * DAY, increment=HOUR, most_pause=DAY)
    hand_over(NOW)
    pauses.pause(sitting.match, NOW)
    pauses.resume(sitting.match, NOW + DAY)
    absences.book(sitting.bob, NOW + DAY, NOW + 9 * DAY, NOW + DAY)
    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW + 2 * DAY)

    assert get_match(sitting.match).seat(1).bank == 2 * DAY + HOUR
