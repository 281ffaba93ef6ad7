"""14.5 by mail: a question in the middle of another's turn has a letter and a clock of its own."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from engine.core import Seat
from pbem.db.store import execute, rows
from pbem.deadlines import DAY
from pbem.services.agreements import exposure
from pbem.services.letters import outbox
from pbem.services.match import link_orders, match_log, matches, turns
from pbem.services.players import punctuality
from pbem.services.records.match_rows import TurnRecord, get_match, newest_turn, open_turns
from pbem.services.seats import draw_offers
from tests.mail.posting import WORKER, Bag, office_with, text_of
from tests.services.people import NOW, id_of
from tests.services.powers import four_people
from tests.services.time.test_alarms import without_vacation
from tests.services.waiting import Days, agree, hand_over, kinds, newest_letter

WE = Seat("we")
ATTACK = "move east-germany west-germany 4 infantry 2 armor"
TWO_DAYS = 2 * DAY


@pytest.fixture
def match(stored: str) -> str:
    """The USSR has attacked West Germany, and Western Europe wants to choose its losses."""
    with (
        patch("secrets.token_bytes", lambda size: bytes(size)),
        patch.object(matches, "new_id", lambda: "asking"),
    ):
        made = four_people()
    link_orders.say_in_advance(made, 1, "standing ask west-germany on", NOW)
    return made


def attack(match: str, now: int = NOW) -> TurnRecord:
    """The turn in which Western Europe is asked."""
    for orders in (["done"], ["done"], [ATTACK, "done"]):
        (turn,) = open_turns(match)
        turns.submit(turn.id, orders, now)
    (turn,) = open_turns(match)
    return turn


def test_a_question_has_a_short_clock_of_its_own(match: str) -> None:
    (own,) = open_turns(match)
    asked = attack(match)
    assert (own.is_inquiry, own.budget) == (False, 3 * DAY)
    assert (asked.seat, asked.is_inquiry, asked.budget) == (1, True, TWO_DAYS)


def test_an_answer_declines_no_draw(match: str) -> None:
    for number in (0, 3):
        matches.offer_draw(match, number, NOW)
    turns.submit(attack(match).id, ["lose infantry 1"], NOW)
    assert [seat.number for seat in draw_offers.draw_offer(get_match(match)).agreed] == [0, 3]


def test_no_question_has_more_time_than_a_turn(match: str) -> None:
    agree(match, per_move=DAY)
    assert attack(match).budget == DAY


def test_its_letter_says_what_is_asked_and_what_holds_without_an_answer(match: str) -> None:
    asked, bag = attack(match), Bag()
    outbox.drain(office_with(bag), WORKER, NOW, stopwatch=lambda: 0.0)
    (letter,) = [one for one in bag.letters if "needs a decision" in text_of(one)]
    text = " ".join(text_of(letter).split())
    assert letter["To"] == "we@example.org"
    assert "Ann (USSR) is in the middle of a turn and needs a decision from you" in text
    assert "choose the losses in West Germany (1 hit)" in text
    assert text.count("https://play.example/o/") == 3
    assert "Choose a different answer" in text
    assert "this is played for you and the match goes on: Choose losses: 1 infantry" in text
    (running,) = open_turns(match)
    assert (running.id, running.deadline_at) == (asked.id, NOW + TWO_DAYS)


def test_the_answer_sends_the_turn_back_to_who_has_it(match: str) -> None:
    asked, before = attack(match), newest_letter()
    receipt = turns.submit(asked.id, ["lose infantry 1"], NOW + 60)
    assert receipt.waiting_on in (("we",), ("ussr",))
    while (turn := open_turns(match)[0]).seat == 1:
        assert turn.id == asked.id, "further questions belong to the same turn of ours"
        state = match_log.current(get_match(match))
        game = get_match(match).game
        turns.submit(turn.id, [game.notate(game.default_action(state, WE))], NOW + 120)
    (back,) = open_turns(match)
    assert (back.seat, back.is_inquiry, back.budget) == (0, False, 3 * DAY)
    assert sorted(kinds(before)) == ["moved", "moved", "receipt", "turn"]


def test_without_an_answer_the_usual_one_is_given_and_nobody_is_late(match: str) -> None:
    agree(match, policy="stand_in")
    asked = attack(match)
    hand_over(NOW)
    without_vacation()
    days, before = Days(NOW), newest_letter()
    days.passes(TWO_DAYS - 300)
    assert open_turns(match)[0].id == asked.id
    days.passes(600)

    (back,) = open_turns(match)
    assert back.seat == 0
    assert "late" not in kinds(before)
    log = match_log.entries(match)
    assert {entry.kind for entry in log if entry.actor == "we" and entry.seq > 1} == {"timeout"}
    assert get_match(match).seat(1).missed == 0


def test_an_answer_left_to_the_clock_says_nothing_about_a_player(match: str) -> None:
    asked = attack(match)
    hand_over(NOW)
    without_vacation()
    Days(NOW).passes(TWO_DAYS + 300)
    ended = newest_turn(match, 1)
    assert ended is not None and (ended.id, ended.is_open) == (asked.id, False)
    with patch.object(punctuality, "FEWEST", 1):
        assert id_of("we@example.org") not in punctuality.of([id_of("we@example.org")], NOW + DAY)


def test_a_question_is_not_taken_from_the_bank(match: str) -> None:
    agree(match, per_move=0, bank=5 * DAY, increment=DAY, cap=10 * DAY)
    execute("UPDATE seat SET bank = ? WHERE match_id = ? AND number = 1", 4 * DAY, match)
    asked = attack(match)
    assert asked.budget == DAY
    hand_over(NOW)
    turns.submit(asked.id, ["lose infantry 1"], NOW + 3_600)
    assert get_match(match).seat(1).bank == 4 * DAY


def test_a_question_and_then_a_turn_of_ones_own_are_two_turns(match: str) -> None:
    asked = attack(match)
    record = get_match(match)
    opened = turns._turn_over(record, {WE: True}, {WE: False}, record.head_seq, NOW)
    (own,) = open_turns(match)
    assert opened == {1: own.id} and own.id != asked.id
    assert (own.is_inquiry, own.budget) == (False, 3 * DAY)


def test_going_back_to_a_question_asks_it_again(match: str) -> None:
    asked = attack(match)
    turns.submit(asked.id, ["lose infantry 1"], NOW + 60)
    record = get_match(match)
    (seat, at, _) = exposure.of_rewind(record, asked.opened_seq, NOW).begins[0]
    assert (seat, at) == ("we", NOW + TWO_DAYS)
    turns.rewind(match, asked.opened_seq, "moderator", NOW + 120)
    (again,) = open_turns(match)
    assert (again.seat, again.is_inquiry, again.budget) == (1, True, TWO_DAYS)
    assert rows("SELECT COUNT(*) FROM turn WHERE is_inquiry") == [(2,)]
