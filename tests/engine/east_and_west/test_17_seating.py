"""17, 14a.10: one person may hold several powers; seats follow persons, rules know powers."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from engine.chance import QuickDice, SealedDice
from engine.core import LANGUAGES, BadNotation, BadSetup, NotYourTurn, Outcome, Seat, Text
from engine.east_and_west.board import Question, Variant
from engine.east_and_west.data import seating
from engine.east_and_west.data.powers import NATO, POWERS, UK, USA, USSR, WE
from engine.east_and_west.draw.standing_text import own_orders
from engine.east_and_west.standing import DelayedOrder, Standing
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import GAME, new_match, order, refuses, state, told
from tests.engine.refusals import exactly

JOINT = [named for named in seating.SEATINGS if "+" in named]
WE_UK = Seat("we-uk")


def held(power: Seat, **changes: Any) -> State:
    """A position in which one person holds Western Europe and the United Kingdom."""
    return state(power=power, variant=Variant(nato="we+uk,usa"), **changes)


def test_seats_follow_persons() -> None:
    found = {named: GAME.seats({"nato": named}) for named in seating.SEATINGS}
    assert found == {
        "we,uk,usa": ("ussr", "we", "uk", "usa"),
        "we+uk,usa": ("ussr", "we-uk", "usa"),
        "we+usa,uk": ("ussr", "we-usa", "uk"),
        "we,uk+usa": ("ussr", "we", "uk-usa"),
        "we+uk+usa": ("ussr", "nato"),
    }
    assert GAME.seats({}) == POWERS


def test_every_seat_has_a_name_in_every_language() -> None:
    named = {GAME.seat_name(WE_UK).in_(language) for language in LANGUAGES}
    assert named == {
        "Western Europe and United Kingdom",
        "Westeuropa und Großbritannien",
        "Europe de l'Ouest et Royaume-Uni",
    }


def test_an_unknown_seating_is_answered_with_those_there_are() -> None:
    message = (
        "nato is 'we+ussr'; it can be 'we,uk,usa', 'we+uk,usa', 'we+usa,uk', 'we,uk+usa', "
        "'we+uk+usa'"
    )
    for setup in ({"nato": "we+ussr"},):
        with pytest.raises(BadSetup, match=exactly(message)):
            GAME.seats(setup)
    with pytest.raises(BadSetup, match="^nato is "):
        GAME.new_game({"nato": ["we"]}, SealedDice())


def test_a_state_of_before_is_one_with_four_seats() -> None:
    """It was written without a word on seats, and still is."""
    written = GAME.dump(new_match())
    assert '"variant":{}' in written
    assert seating.seats(GAME.load(written).board.variant.nato) == POWERS


@pytest.mark.parametrize("named", JOINT)
def test_the_same_orders_and_dice_lead_to_the_same_states(named: str) -> None:
    """Whoever holds the powers: only the agreement itself differs."""
    choice = QuickDice(named.encode())
    apart = GAME.new_game({"rounds": "1"}, choice).state
    joint = GAME.new_game({"rounds": "1", "nato": named}, choice).state
    for number in range(2_000):
        if not GAME.waiting_on(apart):
            break
        (power,) = GAME.waiting_on(apart)
        seat = seating.seat_of(joint.board.variant.nato, power)
        assert GAME.waiting_on(joint) == {seat}
        assert GAME.options(joint, seat) == GAME.options(apart, power)
        if number % 5 == 0:
            apart, joint = with_word_in_advance(apart, joint, choice)
        action = drawn(apart, power, choice, "done" if choice.below(4) == 0 else "")
        one = GAME.apply(apart, power, action, QuickDice(b"%d" % number))
        two = GAME.apply(joint, seat, action, QuickDice(b"%d" % number))
        assert (one.final, len(one.events)) == (two.final, len(two.events))
        apart, joint = one.state, two.state
        assert GAME.essence(with_four_seats(joint)) == GAME.essence(apart)
    assert GAME.outcome(joint) == GAME.outcome(apart) == Outcome((), Text(*over_after_one_round()))


def over_after_one_round() -> tuple[str, dict[str, Any]]:
    return "the last of {rounds:# round|# rounds} is over", {"rounds": 1}


def with_four_seats(joint: State) -> State:
    variant = replace(joint.board.variant, nato="we,uk,usa")
    return replace(joint, board=replace(joint.board, variant=variant))


def with_word_in_advance(apart: State, joint: State, choice: QuickDice) -> tuple[State, State]:
    """The same standing order of one power: its person names it."""
    power = POWERS[choice.below(len(POWERS))]
    line = GAME.notate(leaf(GAME.any_time, apart, power, choice, ("standing",)))
    seat = seating.seat_of(joint.board.variant.nato, power)
    meant = GAME.parse(f"for {power} {line}")
    return (
        GAME.apply(apart, power, GAME.parse(line), SealedDice()).state,
        GAME.apply(joint, seat, meant, SealedDice()).state,
    )


def drawn(position: State, power: Seat, choice: QuickDice, word: str) -> Any:
    if word and not position.board.questions:
        return GAME.parse(word)
    return leaf(GAME.options, position, power, choice)


def leaf(
    tree: Any, position: State, seat: Seat, choice: QuickDice, words: tuple[str, ...] = ()
) -> Any:
    while True:
        offered = tree(position, seat, words)
        option = offered[choice.below(len(offered))]
        if option.action is not None:
            return option.action
        words = (*words, option.word)


# --- 14a.10: one person, several powers -----------------------------------------------------------


def test_turns_of_powers_of_one_person_after_one_another_ask_the_same_seat() -> None:
    position = held(WE, stop="logistics")
    assert GAME.waiting_on(position) == {WE_UK}
    after = order(position, WE_UK, "done").state
    assert after.board.turn.power == UK
    assert GAME.waiting_on(after) == {WE_UK}
    for line in ("done", "done", "done"):
        after = order(after, WE_UK, line, ()).state
    assert GAME.waiting_on(after) == {USA}
    refuses(after, WE_UK, "done", "it is for USA to decide now", NotYourTurn)


def test_a_power_without_a_seat_of_its_own_is_a_stranger() -> None:
    position = held(WE)
    refuses(position, WE, "done", "nothing is asked of we", NotYourTurn)
    refuses(position, UK, "standing aa armor", "nothing is asked of uk", NotYourTurn)
    assert GAME.options(position, WE) == GAME.any_time(position, UK) == ()
    assert GAME.view(position, WE).seat is None
    over = replace(position, board=replace(position.board, result=Outcome((), Text("x"))))
    refuses(over, WE, "done", "the match is over", NotYourTurn)


def test_a_standing_order_holds_for_all_powers_of_the_person() -> None:
    after = order(held(USSR), WE_UK, "standing aa armor").state
    assert after.standing == {power: Standing(guns={"": "armor"}) for power in (WE, UK)}
    after = order(after, WE_UK, "for uk standing aa default").state
    assert after.standing == {WE: Standing(guns={"": "armor"})}


def test_what_can_concern_one_of_them_alone_is_said_for_that_one() -> None:
    """Nobody shares with himself: Western Europe alone can share with the United Kingdom."""
    after = order(held(USSR), WE_UK, "standing share uk never").state
    assert after.standing == {WE: Standing(share={UK: "never"})}
    refuses(held(USSR), WE_UK, "standing share ussr never", "USSR is no ally of yours")


def test_standing_orders_are_offered_for_all_of_them() -> None:
    position = state(
        "france we 1 infantry",
        "malta uk 1 infantry",
        power=USSR,
        variant=Variant(nato="we+uk,usa"),
    )
    asks = [option.word for option in GAME.any_time(position, WE_UK, ("standing", "ask"))]
    assert asks == ["france", "malta"]
    shared = [option.word for option in GAME.any_time(position, WE_UK, ("standing", "share"))]
    assert sorted(shared) == ["uk", "usa", "we"]


@pytest.mark.parametrize(("at_turn", "meant"), [(USSR, WE), (WE, WE), (UK, UK), (USA, WE)])
def test_an_order_for_later_belongs_to_who_is_at_turn_or_comes_next(
    at_turn: Seat, meant: Seat
) -> None:
    after = order(held(at_turn), WE_UK, "then buy 1 infantry").state
    assert list(after.standing) == [meant]


def test_an_order_for_later_can_name_its_power() -> None:
    done = order(held(WE), WE_UK, "for uk then if cash >= 9 buy 1 infantry")
    assert done.state.standing == {
        UK: Standing(later=(DelayedOrder("buy 1 infantry", "cash >= 9"),))
    }
    assert [event.audience for event in done.events] == [(WE_UK,)]
    assert told(done, WE_UK) == ["Noted for later: if cash >= 9 buy 1 infantry"]
    assert told(done, USA) == told(done, UK) == []
    assert order(done.state, WE_UK, "for uk forget 1").state.standing[UK] == Standing()


def test_a_name_is_for_own_powers_and_words_in_advance() -> None:
    refuses(held(WE), WE_UK, "for usa standing aa armor", "USA is not yours to order")
    refuses(held(WE), USA, "for uk standing aa armor", "United Kingdom is not yours to order")
    assert order(held(WE), USA, "for usa standing aa armor").state.standing[USA].guns == {
        "": "armor"
    }
    assert (
        GAME.notate(GAME.parse("für großbritannien standing aa armor"))
        == "for uk standing aa armor"
    )
    for line in ("done", "buy 1 infantry", "3 infantry", "malta egypt 1 infantry"):
        message = f"'{line}' is no order; orders begin with standing, then, forget"
        with pytest.raises(BadNotation, match=exactly(message)):
            GAME.parse(f"for uk {line}")


def test_who_holds_one_power_is_not_offered_its_name() -> None:
    assert "for" not in [option.word for option in GAME.any_time(held(WE), USA)]
    named = [option.word for option in GAME.any_time(held(WE), WE_UK, ("for",))]
    assert named == ["we", "uk"]


def test_a_person_sees_what_he_said_for_each_of_his_powers_and_nobody_else_does() -> None:
    position = held(
        WE,
        standing={
            WE: Standing(guns={"": "armor"}, later=(DelayedOrder("done"),)),
            UK: Standing(guns={"": "armor"}, asks=("malta",)),
            USA: Standing(asks=("japan",)),
        },
    )
    assert own_orders(GAME.view(position, WE_UK)) == (
        "standing aa armor",
        "for we then done",
        "for uk standing ask malta on",
    )
    assert own_orders(GAME.view(position, USA)) == ("standing ask japan on",)
    assert own_orders(GAME.view(position, USSR)) == own_orders(GAME.view(position, None)) == ()
    assert GAME.imagine(GAME.view(position, WE_UK), SealedDice()).standing == {
        power: position.standing[power] for power in (WE, UK)
    }


def test_the_board_says_which_of_ones_powers_is_asked() -> None:
    assert "Your move as Western Europe: " in GAME.narrate(GAME.view(held(WE), WE_UK))
    assert "Your move as United Kingdom: " in GAME.render(GAME.view(held(UK), WE_UK))
    assert "Your move: " in GAME.render(GAME.view(held(USA), USA))
    assert "as Western Europe and United Kingdom sees it" in GAME.draw(GAME.view(held(UK), WE_UK))


def test_a_question_in_the_turn_of_others_asks_the_person_who_holds_the_power() -> None:
    position = held(USA, stop="intelligence", questions=(Question("share", UK),))
    assert GAME.waiting_on(position) == {WE_UK}
    assert GAME.view(position, WE_UK).power == UK
    inquiry = GAME.inquiry(position, WE_UK)
    assert inquiry is not None and inquiry.by == USA
    of_his_own = held(WE, stop="intelligence", questions=(Question("share", UK),))
    assert GAME.waiting_on(of_his_own) == {WE_UK}
    assert GAME.inquiry(of_his_own, WE_UK) is None


def test_a_fast_game_is_a_preset() -> None:
    (fast,) = GAME.presets()
    variant = GAME.new_game(fast.setup, SealedDice()).state.board.variant
    assert variant == Variant(fast_game=True, rounds=15)


def test_whoever_holds_several_powers_surrenders_for_all_of_them() -> None:
    position = held(WE, stop="logistics")
    done = order(position, WE_UK, "surrender")
    assert told(done, None) == ["Western Europe and United Kingdom wants to surrender"]
    assert (done.state.board.surrendering, GAME.outcome(done.state)) == ((WE, UK), None)
    assert order(done.state, WE_UK, "fight-on").state.board.surrendering == ()
    given_up = replace(done.state, board=replace(held(USA).board, surrendering=(WE, UK)))
    outcome = GAME.outcome(order(given_up, USA, "surrender").state)
    assert outcome is not None and outcome.winners == (USSR,)


def test_a_side_of_one_person_gives_up_by_one_word() -> None:
    position = state(power=UK, variant=Variant(nato="we+uk+usa"))
    outcome = GAME.outcome(order(position, "nato", "surrender").state)
    assert outcome is not None and outcome.winners == (USSR,)


def test_winners_are_seats_each_once() -> None:
    result = Outcome(NATO, Text("won"))
    won = replace(held(WE), board=replace(held(WE).board, result=result))
    assert GAME.outcome(won) == Outcome((WE_UK, USA), Text("won"))
    assert GAME.prospect(won, WE_UK) == 1
    assert GAME.prospect(won, USSR) == -1


def test_allies_of_a_seat_in_one_seating_or_another() -> None:
    assert {seat: GAME.allies(seat) for seat in seating.SEAT_NAMES} == {
        "ussr": (),
        "we": ("uk", "usa", "uk-usa"),
        "uk": ("we", "usa", "we-usa"),
        "usa": ("uk", "we", "we-uk"),
        "we-uk": ("usa",),
        "we-usa": ("uk",),
        "uk-usa": ("we",),
        "nato": (),
    }


@pytest.mark.whole
def test_the_stand_in_plays_every_power_of_its_seat() -> None:
    position = new_match(nato="we+uk+usa", rounds="1")
    partner, seats = GAME.stand_in("x"), set()
    for number in range(500):
        if not (waiting := GAME.waiting_on(position)):
            break
        (seat,) = waiting
        seats.add((seat, position.board.turn.power))
        action = partner.choose(GAME, GAME.view(position, seat), seat)
        position = GAME.apply(position, seat, action, QuickDice(b"%d" % number)).state
    assert GAME.outcome(position) is not None
    assert seats == {("ussr", USSR), *(("nato", power) for power in NATO)}
