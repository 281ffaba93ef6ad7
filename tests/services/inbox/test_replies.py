"""Replies that are certainly the player's own are obeyed: all that they ask for, or nothing."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from pbem.db.models import Player
from pbem.db.store import rows, writing
from pbem.services.match import drafts, link_orders, match_log, matches, messages, turns
from pbem.services.records.match_rows import get_match, open_turns
from tests.services.inbox.replying import address_of, listed_now, reply, turn_now
from tests.services.people import EVE, NOW, Sitting
from tests.services.powers import four_people


def head(match: str) -> int:
    return get_match(match).head_seq


def answers(match: str) -> list[str]:
    """What the newest letters of kind `reply` say became of a reply."""
    found = rows(
        "SELECT about FROM outbox WHERE kind = 'reply' AND match_id = ? ORDER BY id", match
    )
    return [about for (about,) in found]


def whole_turn(match: str) -> list[str]:
    """Orders that make a whole turn, the last of each list."""
    record, turn = get_match(match), turn_now(match)
    seat, orders = record.seat(turn.seat).name, list[str]()
    tried = drafts.preview(record, match_log.current(record), seat, [])
    while tried.is_asked:
        orders.append(link_orders.choices(record, tried.state, seat)[-1].notation)
        tried = drafts.go_on(record, seat, tried, orders[-1:])
    return orders


def test_a_whole_turn_is_played(sitting: Sitting) -> None:
    orders = whole_turn(sitting.match)
    turn = turn_now(sitting.match)
    ending = reply(sitting.match, *orders)
    assert ending.state == "applied"
    assert [one.id for one in open_turns(sitting.match)] != [turn.id]
    assert turns.played_in(get_match(sitting.match), turn) == tuple(orders)
    assert len(answers(sitting.match)) == 1


def test_half_a_turn_waits_in_the_draft_for_the_rest(sitting: Sitting) -> None:
    first, *rest = whole_turn(sitting.match)
    assert rest, "a turn of several orders"
    turn, before = turn_now(sitting.match), head(sitting.match)
    assert reply(sitting.match, first).reason == "drafted"
    assert drafts.draft_of(turn.id) == (first,)
    assert head(sitting.match) == before
    assert reply(sitting.match, *rest).reason == "sent"
    assert head(sitting.match) == before + 1 + len(rest)


def test_undo_takes_the_last_order_of_the_draft_back(sitting: Sitting) -> None:
    first, *_ = whole_turn(sitting.match)
    turn = turn_now(sitting.match)
    reply(sitting.match, first)
    assert reply(sitting.match, "UNDO").reason == "undone"
    assert drafts.draft_of(turn.id) == ()
    assert reply(sitting.match, "UNDO").reason == "refused"


def test_a_number_is_the_listed_choice(sitting: Sitting) -> None:
    turn = turn_now(sitting.match)
    choices = listed_now(sitting.match, turn)
    assert reply(sitting.match, "2").state == "applied"
    played = turns.played_in(get_match(sitting.match), turn) or drafts.draft_of(turn.id)
    assert list(played) == [choices[1]]


def test_a_number_of_another_list_moves_nothing(sitting: Sitting) -> None:
    turn, before = turn_now(sitting.match), head(sitting.match)
    old = address_of(sitting.match, turn, ["something", "else"])
    assert reply(sitting.match, "1", local=old).reason == "refused"
    none = address_of(sitting.match, turn)
    assert reply(sitting.match, "1", local=none).reason == "refused"
    assert (head(sitting.match), drafts.draft_of(turn.id)) == (before, ())


def test_a_copied_line_of_the_list_has_to_be_one_choice(sitting: Sitting) -> None:
    turn, before = turn_now(sitting.match), head(sitting.match)
    first, second, *_ = listed_now(sitting.match, turn)
    assert reply(sitting.match, f"2. Something [{first}]").reason == "refused"
    assert (head(sitting.match), drafts.draft_of(turn.id)) == (before, ())
    assert reply(sitting.match, f"2. Something [{second.upper()}]").state == "applied"
    played = turns.played_in(get_match(sitting.match), turn) or drafts.draft_of(turn.id)
    assert list(played) == [second]


def test_one_wrong_line_and_nothing_is_done(sitting: Sitting) -> None:
    orders, turn = whole_turn(sitting.match), turn_now(sitting.match)
    before = head(sitting.match)
    assert reply(sitting.match, *orders[:-1], "play nowhere", "SAY hello").state == "rejected"
    assert (head(sitting.match), drafts.draft_of(turn.id)) == (before, ())
    assert not rows("SELECT 1 FROM message")


def test_words_go_along_with_orders_or_alone(sitting: Sitting) -> None:
    orders, turn = whole_turn(sitting.match), turn_now(sitting.match)
    assert reply(sitting.match, *orders, "SAY good luck").state == "applied"
    assert reply(sitting.match, "SAY and have fun", turn=turn).state == "applied"
    heard = messages.of_match(sitting.match, 1 - turn.seat)
    assert [said.text for said in heard] == ["good luck", "and have fun"]


def test_no_link_or_address_of_ours_is_passed_on(sitting: Sitting) -> None:
    local = address_of(sitting.match, turn_now(sitting.match))
    for words in (
        "see https://play.example/t/abc",
        f"write to {local}",
        "to pbem@localhost",
        "x" * 501,
    ):
        assert reply(sitting.match, f"SAY {words}").reason == "refused", words
    assert not rows("SELECT 1 FROM message")


def test_a_reply_to_an_old_turn_moves_nothing_and_says_so(sitting: Sitting) -> None:
    orders, turn = whole_turn(sitting.match), turn_now(sitting.match)
    reply(sitting.match, *orders)
    before = head(sitting.match)
    assert reply(sitting.match, *orders, turn=turn).reason == "refused"
    assert head(sitting.match) == before
    assert "over" in answers(sitting.match)[-1] or "vorbei" in answers(sitting.match)[-1]


def test_what_no_person_has_written_is_left_alone(sitting: Sitting) -> None:
    before = head(sitting.match)
    ending = reply(sitting.match, *whole_turn(sitting.match), automatic="auto-submitted")
    assert ending.state == "ignored"
    assert (head(sitting.match), answers(sitting.match)) == (before, [])


def test_the_same_unclear_words_are_answered_once(sitting: Sitting) -> None:
    for hour in range(24):
        reply(sitting.match, "I am away until Monday.", now=NOW + 60 + hour * 3600)
    assert len(answers(sitting.match)) == 1


def test_who_clearly_wrote_something_wrong_is_answered_each_time(sitting: Sitting) -> None:
    """No machine writes numbers and commands."""
    for number, words in enumerate(("1\n2", "HELP me", "RESIGN\nDRAW"), 1):
        reply(sitting.match, *words.split("\n"), now=NOW + 60 * number)
        assert len(answers(sitting.match)) == number


@pytest.mark.parametrize(
    "words",
    [
        "VACATION 2027-02-01 2027-02-14",
        "VACATION from 2027-02-01 to 2027-02-14.",
        "VACATION 2027-02-01–2027-02-14",
        "URLAUB vom 1.2.2027 bis 14.2.2027",
        "VACANCES du 01/02/2027 au 14/02/2027",
    ],
)
def test_a_vacation_is_booked_as_people_write_days(sitting: Sitting, words: str) -> None:
    """Bob reads German, so that days with slashes have one reading."""
    assert reply(sitting.match, words).reason == "done"
    ((start, end),) = rows("SELECT start_at, end_at FROM absence")
    zone = ZoneInfo("Europe/Berlin")
    days = [datetime.fromtimestamp(moment, zone) for moment in (start, end)]
    assert [(day.day, day.month, day.hour) for day in days] == [(1, 2, 0), (15, 2, 0)]


@pytest.mark.parametrize(
    "words",
    [
        "VACATION",
        "VACATION 2027-02-01",
        "VACATION 2027-02-01 2027-02-14 2027-03-01",
        "VACATION 2027-02-30 2027-03-14",
        "VACATION 2027-02-14 2027-02-01",
        "VACATION next week",
    ],
)
def test_other_vacations_are_not(sitting: Sitting, words: str) -> None:
    assert reply(sitting.match, words).reason == "refused"
    assert not rows("SELECT 1 FROM absence")


def test_days_with_slashes_have_two_readings_in_english(sitting: Sitting) -> None:
    with writing():
        Player.update(language="en").where(Player.id == sitting.bob).execute()
    assert reply(sitting.match, "VACATION 01/02/2027 14/02/2027").reason == "refused"


# --- what may be the player's own ----------------------------------------------------------------


@pytest.mark.parametrize("words", ["2 or 3", "I am away until Monday.", "1\n2", ""])
def test_who_may_be_the_player_is_told_what_is_unclear(sitting: Sitting, words: str) -> None:
    ending = reply(sitting.match, *words.split("\n"), authentication="none")
    assert (ending.state, ending.reason) == ("rejected", "unclear")
    assert len(answers(sitting.match)) == 1


def test_who_may_be_the_player_is_told_that_a_turn_is_over(sitting: Sitting) -> None:
    orders, turn = whole_turn(sitting.match), turn_now(sitting.match)
    reply(sitting.match, *orders)
    before = head(sitting.match)
    assert reply(sitting.match, *orders, turn=turn, authentication="none").reason == "refused"
    assert "vorbei" in answers(sitting.match)[-1]
    assert head(sitting.match) == before
    assert reply(sitting.match, "SAY hello", turn=turn, authentication="none").state == "asked"


@pytest.mark.parametrize("words", ["2 or 3", "I am away until Monday.", ""])
def test_nobody_is_told_of_useless_words_from_elsewhere(sitting: Sitting, words: str) -> None:
    assert reply(sitting.match, words, sender=EVE).state == "ignored"
    assert not answers(sitting.match)


def test_a_revoked_address_does_nothing(sitting: Sitting) -> None:
    turn = turn_now(sitting.match)
    local, orders = address_of(sitting.match, turn), whole_turn(sitting.match)
    matches.revoke_links(sitting.match, turn.seat, NOW + 30)
    before = head(sitting.match)
    assert reply(sitting.match, *orders, local=local).reason == "revoked address"
    assert head(sitting.match) == before


def test_words_go_to_those_whom_they_name(stored: str) -> None:
    match = four_people()
    ussr = turn_now(match)
    for words in (
        "SAY hello all",
        "SAGE WE nur dir",
        "SAY: ALLIES nobody is one",
        "DIRE tous: à vous",
    ):
        assert reply(match, words, turn=ussr).state == "applied", words
    heard = {seat: [one.text for one in messages.of_match(match, seat)] for seat in (1, 2)}
    assert heard[1] == ["hello all", "nur dir", "ALLIES nobody is one", "à vous"]
    assert heard[2] == ["hello all", "ALLIES nobody is one", "à vous"]
