"""Replies that are certainly the player's own are obeyed: all that they ask for, or nothing."""

from __future__ import annotations

from pbem.db.store import rows
from pbem.services.match import drafts, link_orders, match_log, matches, messages, turns
from pbem.services.records.match_rows import get_match, open_turns
from tests.services.inbox.replying import address_of, listed_now, reply, turn_now
from tests.services.people import NOW, Sitting
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
