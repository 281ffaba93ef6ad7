"""Turns: drafts, previews, sending, the log, snapshots, rewinds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.audit import audit
from engine.chance import QuickDice
from engine.core import BadNotation, GameError, IllegalAction, Seat
from engine.registry import GAMES
from engine.replay import read_match, write_match
from pbem.db import store
from pbem.db.store import execute, rows
from pbem.errors import Missing, Refused, Stale
from pbem.links import order_code
from pbem.services.match import drafts, joining, link_orders, match_log, matches, timeouts, turns
from pbem.services.match.joining import Joining
from pbem.services.operations import replay_check
from pbem.services.records.match_rows import TurnRecord, find_turn, get_match, open_turns
from pbem.services.seats import stand_ins
from pbem.services.time import pauses
from tests.games.stones.game import Stones
from tests.services import people
from tests.services.people import (
    ANN,
    BOB,
    DAY,
    EVE,
    NOW,
    Sitting,
    an_order,
    letters,
    play_to_the_end,
    sit_down,
    turn_of,
    turns_of,
    wanted,
)

LATER = NOW + 2 * DAY


def test_sent_orders_are_entries_and_the_turn_goes_over(sitting: Sitting) -> None:
    turn = turn_of(sitting.match)
    receipt = turns.submit(turn.id, ["First  USA"], NOW + 10)
    assert receipt.orders == ("first usa",)
    assert (receipt.first_seq, receipt.last_seq, receipt.waiting_on) == (1, 1, ("usa",))
    last = match_log.entries(sitting.match)[-1]
    assert (last.seq, last.actor, last.text, last.at) == (1, "ussr", "first usa", str(NOW + 10))
    closed, opened = find_turn(turn.id), turn_of(sitting.match)
    assert closed is not None
    assert (closed.closed_seq, closed.closed_at) == (1, NOW + 10)
    assert (opened.seat, opened.opened_seq, opened.deadline_at) == (0, 1, NOW + 10 + 3 * DAY)
    assert letters(sitting.match)[-2:] == [("turn", sitting.ann, 0), ("receipt", sitting.bob, 1)]


def test_no_letter_goes_out_while_the_same_person_decides(sitting: Sitting) -> None:
    turns.submit(turn_of(sitting.match).id, ["first ussr"], NOW)
    before, turn = len(letters()), turn_of(sitting.match)
    match = get_match(sitting.match)
    seat = match.seat(turn.seat).name
    own = [
        choice.notation
        for choice in link_orders.choices(match, match_log.current(match), seat)
        if match.game.apply(
            match_log.current(match), seat, match.game.parse(choice.notation), QuickDice(b"")
        )
        .state.stack[-1]
        .seat
        == seat
    ]
    receipt = turns.submit(turn.id, own[:1], NOW)
    assert receipt.waiting_on == (seat,)
    assert len(letters()) == before
    assert turn_of(sitting.match).id == turn.id


def test_a_whole_match_ends_verifies_and_reveals_its_secret(sitting: Sitting) -> None:
    orders = play_to_the_end(sitting.match, NOW)
    record = get_match(sitting.match)
    assert record.status == "over"
    assert record.result in ("usa", "ussr")
    moments = audit(read_match(write_match(match_log.export(record))))
    assert len(moments) == orders + 1
    assert open_turns(sitting.match) == []
    assert [kind for kind, _, _ in letters(sitting.match)[-2:]] == ["finished", "finished"]


def test_a_live_match_is_not_exported(sitting: Sitting) -> None:
    with pytest.raises(Refused, match="once it is over"):
        match_log.export(get_match(sitting.match))


def test_deleting_all_snapshots_loses_nothing(sitting: Sitting) -> None:
    choice = QuickDice(b"snapshots")
    for number in range(12):
        turn, order = an_order(sitting.match, choice)
        turns.submit(turn.id, [order], NOW + number)
    match = get_match(sitting.match)
    before = match_log.current(match)
    assert execute("DELETE FROM snapshot") > 0
    assert match_log.current(match) == before
    assert match_log.state_at(match, 3) == match_log.moments(match, 3)[-1].state


@pytest.mark.parametrize(
    ("orders", "error", "words"),
    [
        (["dance"], BadNotation, "'dance' is no order"),
        (["play poland s18"], IllegalAction, "not asked now; write: first usa or first ussr"),
        (["first usa", "first ussr"], GameError, "the match waits for USA"),
        ([], Refused, "there are no orders; write one on each line"),
        (["  ", ""], Refused, "there are no orders"),
        (["first usa"] * 201, Refused, "201 orders are too many"),
        (["first " + "u" * 300], Refused, "is too long"),
    ],
)
def test_wrong_orders_are_refused_whole(
    sitting: Sitting, orders: list[str], error: type[Exception], words: str
) -> None:
    turn = turn_of(sitting.match)
    before = rows("SELECT COUNT(*) FROM entry"), rows("SELECT COUNT(*) FROM outbox")
    with pytest.raises(error, match=words):
        turns.submit(turn.id, orders, NOW)
    assert (rows("SELECT COUNT(*) FROM entry"), rows("SELECT COUNT(*) FROM outbox")) == before
    assert turn_of(sitting.match) == turn


def test_a_turn_that_is_over_takes_no_orders_and_shows_what_was_played(sitting: Sitting) -> None:
    turn = turn_of(sitting.match)
    turns.submit(turn.id, ["first usa"], NOW)
    with pytest.raises(Stale, match="this turn is over"):
        turns.submit(turn.id, ["first ussr"], NOW)
    closed = find_turn(turn.id)
    assert closed is not None
    assert turns.played_in(get_match(sitting.match), closed) == ("first usa",)
    with pytest.raises(Missing, match="no such turn"):
        turns.submit(999_999, ["first usa"], NOW)


def compose(match: str, wants: Callable[[drafts.Preview], bool]) -> tuple[int, drafts.Preview]:
    """Random drafts of turns until one is as wanted; other turns are simply sent."""
    choice = QuickDice(b"compose")
    while True:
        turn, order = an_order(match, choice)
        people.compose(turn.id, [order], NOW)
        record = get_match(match)
        tried = drafts.preview(
            record, match_log.current(record), record.seat(turn.seat).name, drafts.draft_of(turn.id)
        )
        if wants(tried):
            return turn.id, tried
        turns.submit(turn.id, drafts.draft_of(turn.id), NOW)


def test_an_order_that_throws_a_die_can_be_tried_and_only_sending_shows_the_throw(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(GAMES, "stones", Stones())
    match = matches.create(
        wanted(game="stones", addresses={"red": ANN, "blue": BOB}, creator=ANN), NOW
    )
    joining.confirmed(sitting.ann, NOW)
    joining.accept(match, 1, sitting.bob, Joining("Bob", "en", "UTC", ""), NOW)
    red, blue = open_turns(match)
    turns.submit(red.id, ["hide 2"], NOW)
    tried = people.compose(blue.id, ["hide 3"], NOW)
    assert tried.is_final and not tried.is_asked
    assert tried.state == match_log.current(get_match(match))
    with pytest.raises(Refused, match="nothing can follow"):
        people.compose(blue.id, ["hide 1"], NOW)
    turns.submit(blue.id, ["hide 3"], NOW)
    assert [draw.kind for draw in match_log.entries(match)[-1].draws] == ["roll"]


def test_a_draft_is_previewed_undone_and_sent(sitting: Sitting) -> None:
    turn, tried = compose(sitting.match, lambda t: t.is_asked and not t.is_final)
    head = get_match(sitting.match).head_seq
    match = get_match(sitting.match)
    assert tried.state != match_log.current(match)
    assert tried.events
    assert drafts.draft_of(turn) == tried.orders
    assert get_match(sitting.match).head_seq == head
    assert people.undo(turn, NOW) == ()
    with pytest.raises(Refused, match="there are no orders"):
        turns.submit(turn, drafts.draft_of(turn), NOW)
    people.compose(turn, tried.orders, NOW)
    assert people.undo(turn, NOW, keep=1) == tried.orders
    turns.submit(turn, drafts.draft_of(turn), NOW)
    assert get_match(sitting.match).head_seq == head + 1
    assert drafts.draft_of(turn) == ()


def test_a_draft_that_cannot_be_stays_as_it_was(sitting: Sitting) -> None:
    turn = turn_of(sitting.match).id
    people.compose(turn, ["first usa"], NOW)
    for wrong in ("first ussr", "nonsense", "play poland s18"):
        with pytest.raises((GameError, Refused)):
            people.compose(turn, [wrong], NOW)
    assert drafts.draft_of(turn) == ("first usa",)


def test_a_final_order_shows_nothing_before_it_is_sent(sitting: Sitting) -> None:
    turn, tried = compose(sitting.match, lambda t: t.is_final)
    assert not tried.is_asked
    assert tried.state == match_log.current(get_match(sitting.match))
    with pytest.raises(Refused, match="nothing can follow"):
        people.compose(turn, ["done"], NOW)


def test_a_code_in_a_link_stands_for_one_legal_order(sitting: Sitting) -> None:
    match, turn = get_match(sitting.match), turn_of(sitting.match)
    state = match_log.current(match)
    code = order_code(match.secret, turn.id, "first usa")
    found = link_orders.order_with_code(match, turn, state, code)
    assert found is not None
    assert found.notation == "first usa"
    other = order_code(match.secret, turn.id + 1, "first usa")
    assert other != code
    assert link_orders.order_with_code(match, turn, state, other) is None


def test_choices_stop_at_a_limit(sitting: Sitting) -> None:
    match = get_match(sitting.match)
    state = match_log.current(match)
    assert len(link_orders.choices(match, state, Seat("ussr"))) == 2
    assert len(link_orders.choices(match, state, Seat("ussr"), most=1)) == 1
    assert link_orders.choices(match, state, Seat("usa")) == []


def test_a_rewind_is_one_more_entry_and_a_new_timeline(sitting: Sitting) -> None:
    choice = QuickDice(b"rewind")
    for number in range(9):
        turn, order = an_order(sitting.match, choice)
        turns.submit(turn.id, [order], NOW + number)
    match = get_match(sitting.match)
    then = match_log.state_at(match, 4)
    seq = turns.rewind(sitting.match, 4, turns.MODERATOR, NOW + 100)
    after = get_match(sitting.match)
    assert (seq, after.head_seq, after.timeline) == (10, 10, 1)
    assert match_log.current(after) == then
    assert [entry.kind for entry in match_log.entries(sitting.match)][-1] == "rewind"
    execute("DELETE FROM snapshot")
    assert match_log.current(after) == then
    play_to_the_end(sitting.match, NOW + 200)
    assert audit(match_log.export(get_match(sitting.match)))


def test_a_finished_match_is_never_taken_back(sitting: Sitting) -> None:
    play_to_the_end(sitting.match, NOW)
    before, owed = get_match(sitting.match), letters()
    for entry in (0, before.head_seq - 1):
        with pytest.raises(Stale, match="its secret is published"):
            turns.rewind(sitting.match, entry, turns.MODERATOR, NOW + 500)
    assert get_match(sitting.match) == before
    assert open_turns(sitting.match) == []
    assert letters() == owed


def test_a_match_that_was_called_off_is_not_taken_back(sitting: Sitting) -> None:
    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW)
    matches.cancel(sitting.match, turns.MODERATOR, NOW)
    with pytest.raises(Stale, match="in progress"):
        turns.rewind(sitting.match, 0, turns.MODERATOR, NOW)


AFTER_THE_END: dict[str, Callable[[str, TurnRecord], object]] = {
    "orders": lambda match, turn: turns.submit(turn.id, ["done"], LATER),
    "draft": lambda match, turn: people.compose(turn.id, ["done"], LATER),
    "any time": lambda match, turn: turns.give_any_time(match, 0, "resign", LATER),
    "in advance": lambda match, turn: link_orders.say_in_advance(match, 0, "resign", LATER),
    "note": lambda match, turn: turns.note(get_match(match), "note", "usa", "x", LATER),
    "default": lambda match, turn: timeouts.play_default(get_match(match), turn, LATER),
    "forfeit": lambda match, turn: timeouts.forfeit(get_match(match), turn, LATER),
    "claim": lambda match, turn: timeouts.claim_win(match, 0, LATER),
    "wait": lambda match, turn: timeouts.wait_on(match, 0, LATER),
    "resign": lambda match, turn: matches.resign(match, 0, LATER),
    "draw": lambda match, turn: matches.offer_draw(match, 0, LATER),
    "cancel": lambda match, turn: matches.cancel(match, turns.MODERATOR, LATER),
    "pause": lambda match, turn: pauses.pause(match, LATER),
    "want pause": lambda match, turn: pauses.want_pause(match, 0, LATER),
    "rewind": lambda match, turn: turns.rewind(match, 1, turns.MODERATOR, LATER),
    "lend": lambda match, turn: stand_ins.give_up(match, 0, EVE, LATER),
    "open seat": lambda match, turn: stand_ins.open_seat(match, 0, LATER),
    "replace": lambda match, turn: stand_ins.ask_instead(match, 0, EVE, LATER),
}


@pytest.fixture
def ended(sitting: Sitting) -> Sitting:
    """A match that Bob has resigned, with its last turn closed by that."""
    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW)
    matches.resign(sitting.match, 1, NOW)
    return sitting


@pytest.mark.parametrize("act", AFTER_THE_END)
def test_nothing_is_played_after_the_end(ended: Sitting, act: str) -> None:
    before, turn = get_match(ended.match), turns_of(ended.match)[-1]
    with pytest.raises((Refused, GameError)), store.writing():
        AFTER_THE_END[act](ended.match, turn)
    after = get_match(ended.match)
    assert after == before
    assert (after.status, after.result) == ("over", "usa")


@pytest.mark.parametrize("to", [-1, 0, 5])
def test_a_rewind_needs_an_earlier_entry(sitting: Sitting, to: int) -> None:
    with pytest.raises(Refused, match="there is no entry"):
        turns.rewind(sitting.match, to, turns.MODERATOR, NOW)


def test_a_rewind_closes_the_links_of_open_turns(sitting: Sitting) -> None:
    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW)
    old = turn_of(sitting.match).id
    turns.rewind(sitting.match, 0, turns.MODERATOR, NOW)
    assert turn_of(sitting.match).id != old
    with pytest.raises(Stale):
        turns.submit(old, ["done"], NOW)


def test_rules_that_no_longer_accept_a_log_are_noticed(sitting: Sitting) -> None:
    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW)
    match = get_match(sitting.match)
    assert replay_check.replayed(match) == (2, None)
    execute("UPDATE entry SET text = 'first china' WHERE seq = 1")
    assert replay_check.replayed(match) == (1, (match.id, 1, "refused"))


def test_what_one_seat_heard_is_not_told_to_the_other(sitting: Sitting) -> None:
    match = get_match(sitting.match)

    def dealt(seat: Seat | None) -> list[str]:
        events = [e for told in match_log.told_since(match, seat, -1, 0) for e in told.events]
        return [line for line in map(match.game.say, (e.text for e in events)) if "You" in line]

    assert len(dealt(Seat("usa"))) == len(dealt(Seat("ussr"))) == 1
    assert dealt(Seat("usa")) != dealt(Seat("ussr"))
    assert dealt(None) == []


def test_two_matches_do_not_touch_each_other(stored: str) -> None:
    first, second = sit_down(NOW), sit_down(NOW)
    play_to_the_end(first.match, NOW)
    assert get_match(second.match).head_seq == 0
    assert matches.matches_of(first.ann) != []
