"""Chapter 3 of RULES.md: rounds, turns, the card laid aside, the second deal."""

import pytest

from engine.chance import SealedDice
from engine.core import Event, NotYourTurn, Seat, Text
from engine.iron_curtain.board import Answer, ChooseFirst, PlayCard
from engine.iron_curtain.deck import USA, USSR
from engine.iron_curtain.scoring import chooser_of_second_round
from engine.iron_curtain.state import State
from tests.engine.iron_curtain.tables import (
    GAME,
    asked,
    new_match,
    news,
    play,
    random_match,
    refuses,
    state,
    step,
    told,
    waiting,
)

# Seven cards on the table, the eighth turn of round 1 is the USA's; Chile goes aside unseen.
EIGHTH_TURN = (
    "poland t19",
    "italy r19",
    "south_africa t20",
    "algeria t21",
    "brazil t18",
    "japan s18",
    "zaire u20",
)


@pytest.mark.parametrize(("first", "second"), [(USA, USSR), (USSR, USA)])
def test_3_1_the_chosen_side_begins_and_turns_alternate(first: Seat, second: Seat) -> None:
    done = step(new_match().state, f"first {first}")
    name = {USA: "USA", USSR: "USSR"}[first]
    assert told(done) == [f"USSR decides: {name} goes first in round 1."]
    assert done.state.first == first
    assert asked(done.state) == PlayCard(first)
    movers = [first]
    position = done.state
    for _ in range(3):
        position = _whole_turn(position)
        movers.append(waiting(position))
    assert movers == [first, second, first, second]
    assert (position.round, position.turn) == (1, 3)


def _whole_turn(position: State) -> State:
    """A turn as the clock plays it."""
    turn = position.turn
    while position.result is None and not (
        position.turn != turn and isinstance(asked(position), PlayCard | ChooseFirst)
    ):
        seat = waiting(position)
        action = GAME.default_action(position, seat)
        assert action is not None
        position = step(position, GAME.notate(action)).state
    return position


def test_3_2_a_turn_waits_for_the_side_it_asks_and_no_other() -> None:
    position = state(mover=USA, usa="poland")
    line = GAME.parse("play poland t19")
    with pytest.raises(NotYourTurn, match="^the match waits for USA, not for you$"):
        GAME.apply(position, USSR, line, SealedDice())
    other = state(mover=USSR)
    with pytest.raises(NotYourTurn, match="^the match waits for USSR, not for you$"):
        GAME.apply(other, USA, line, SealedDice())


def test_3_2_orders_that_are_not_asked_for_are_refused_with_what_is() -> None:
    start = new_match().state
    refuses(start, "done", "'done' is not asked now; write: first usa or first ussr")
    refuses(start, "play poland t19", _unasked("play poland t19", "first usa or first ussr"))
    position = play(start, "first usa")
    for line in (
        "first ussr",
        "event",
        "command",
        "decline",
        "cube europe",
        "shift europe poland",
        "remove europe",
        "relocate europe s18",
        "done",
    ):
        refuses(position, line, _unasked(line, "play CARD CELL"))


def _unasked(line: str, right: str) -> str:
    return f"{line!r} is not asked now; write: {right}"


def test_3_3_the_fifth_cards_go_aside_after_eight_turns() -> None:
    """T17."""
    position = state(*EIGHTH_TURN, mover=USA, usa="panama chile", ussr="iran")
    reserve = position.reserve
    done = step(play(position, "play panama u19", "command"), "done")
    after = done.state
    assert after.aftermath == ("chile", "iran")
    assert after.hands == (reserve[:4], reserve[4:])
    assert len(reserve) == 8
    assert after.reserve == ()
    assert (after.round, after.turn, after.first) == (2, 0, None)
    assert asked(after) == ChooseFirst(USSR)


def test_3_3_each_side_hears_which_card_it_laid_aside_and_nobody_else() -> None:
    position = state(*EIGHTH_TURN, mover=USA, usa="panama chile", ussr="iran")
    done = step(play(position, "play panama u19", "command"), "done")
    before = [
        "USA stops here.",
        "Round 1 is over. Each side lays its last card aside for the aftermath.",
    ]
    deal = "Each side is dealt four cards for round 2."
    assert done.final
    assert told(done) == [*before, deal]
    assert told(done, USA) == [
        *before,
        "You lay Chile aside.",
        deal,
        "You are dealt France, West Germany, East Germany, Egypt.",
    ]
    assert told(done, USSR) == [
        *before,
        "You lay Iran aside.",
        deal,
        "You are dealt Pakistan, Vietnam, Nigeria, Cuba.",
    ]


@pytest.mark.parametrize(("track", "chooser"), [(2, USSR), (-2, USA), (0, USSR), (-1, USA)])
def test_3_4_the_side_behind_chooses_and_the_ussr_when_level(track: int, chooser: Seat) -> None:
    """T18."""
    assert chooser_of_second_round(track) == chooser
    position = state(*EIGHTH_TURN, mover=USA, usa="panama chile", ussr="iran", track=track)
    after = play(position, "play panama u19", "command", "done")
    assert asked(after) == ChooseFirst(chooser)
    assert GAME.waiting_on(after) == {chooser}


def test_3_4_the_chooser_may_give_the_first_turn_away() -> None:
    position = state(*EIGHTH_TURN, mover=USA, usa="panama chile", ussr="iran", track=-3)
    position = play(position, "play panama u19", "command", "done")
    done = step(position, "first ussr")
    assert told(done) == ["USA decides: USSR goes first in round 2."]
    assert asked(done.state) == PlayCard(USSR)
    assert done.state.first == USSR
    assert not done.final


def test_3_4_cards_are_dealt_from_the_top_of_one_deck() -> None:
    """Section 8.1: 0-4 to the USA, 5-9 to the USSR, 10-13 to the USA, 14-17 to the USSR."""
    position = play(new_match().state, "first usa")
    order = position.order
    while position.round == 1:
        position = _whole_turn(position)
    assert position.order == order
    assert position.hands == (order[10:14], order[14:18])
    assert position.aftermath[0] in order[0:5]
    assert position.aftermath[1] in order[5:10]


def test_3_5_a_match_takes_sixteen_turns_and_leaves_seventeen_cards_on_the_table() -> None:
    position = play(new_match().state, "first usa")
    turns = 0
    while position.result is None:
        position = _whole_turn(position)
        if position.round == 2 and position.first is None:
            position = play(position, "first ussr")
        turns += 1
    assert turns == 16
    assert len(position.table) == 17
    assert position.hands == ((), ())
    assert position.stack == ()


def test_3_5_a_match_that_is_over_takes_no_order() -> None:
    position = state("europe s19 2/0", mover=USA, usa="poland", track=7)
    over = play(position, "play poland t19", "event")
    for seat in (USA, USSR):
        with pytest.raises(NotYourTurn, match="^the match is over$"):
            GAME.apply(over, seat, GAME.parse("done"), SealedDice())
        assert GAME.options(over, seat) == ()
        assert GAME.default_action(over, seat) is None
    assert GAME.waiting_on(over) == frozenset()


def test_3_6_the_news_begin_anew_with_every_card_that_is_played() -> None:
    start = new_match()
    assert news(start.state) == ["Each side is dealt five cards."]
    position = play(start.state, "first usa")
    assert news(position)[1:] == ["USSR decides: USA goes first in round 1."]
    position = play(position, "play poland t19")
    assert news(position) == ["USA plays Poland on t19."]
    position = play(position, "command", "cube poland")
    assert news(position) == [
        "USA plays Poland on t19.",
        "USA commands up to 3 cubes with Poland.",
        "USA puts a cube on Poland.",
    ]
    assert position.news == tuple(
        Event(Text(e.text.msgid, e.text.params), None) for e in position.news
    )


def test_3_6_choosing_the_event_or_the_command_alone_keeps_the_news() -> None:
    position = play(state("europe s19 0/0", mover=USA, usa="poland"), "play poland t19")
    assert news(position) == ["USA plays Poland on t19."]
    done = step(position, "command")
    assert news(done.state)[0] == "USA plays Poland on t19."
    assert done.state.news[-len(done.events) :] == done.events


@pytest.mark.parametrize("seed", [bytes([n]) for n in range(12)])
def test_11_7_a_step_is_final_when_cards_are_dealt_the_opponent_may_answer_or_the_match_ends(
    seed: bytes,
) -> None:
    hands = None
    for done in random_match(seed):
        fresh = done.state.hands
        dealt = hands is None or sum(map(len, fresh)) > sum(map(len, hands))
        answered = bool(done.state.stack) and isinstance(asked(done.state), Answer)
        assert done.final == (dealt or answered or done.state.result is not None)
        hands = fresh
