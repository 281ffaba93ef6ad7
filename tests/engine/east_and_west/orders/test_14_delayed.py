"""Orders for later: chapter 14a of the rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from engine.chance import SealedDice, SeededDice, match_key
from engine.core import BadNotation, NotYourTurn, Seat
from engine.east_and_west.data.powers import POWERS, UK, USA, USSR, WE
from engine.east_and_west.orders import delayed
from engine.east_and_west.standing import DelayedOrder, Standing
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import (
    GAME,
    board,
    cash,
    new_match,
    order,
    owner,
    play,
    refuses,
    state,
    told,
    units,
    waiting,
)
from tests.engine.refusals import exactly

KEY = match_key("later", b"secret" * 6, ["", ""])


def waits(*lines: str) -> Standing:
    """As if these had been said with `then`."""
    said = [GAME.parse(f"then {line}") for line in lines]
    return Standing(later=tuple(DelayedOrder(then.order, then.condition) for then in said))


def test_14a_2_only_the_owner_sees_what_waits() -> None:
    position = state("poland ussr 1 infantry")
    after = play(position, "we", "then buy 4 infantry")
    assert GAME.view(after, WE).standing.later == (DelayedOrder("buy 4 infantry"),)
    for seat in (USSR, UK, USA, None):
        assert GAME.view(after, seat) == GAME.view(position, seat)


def test_14a_2_noting_an_order_is_told_to_its_owner_alone() -> None:
    done = order(state(), "we", "then if cash >= 20 buy 4 inf")
    assert told(done, "we") == ["Noted for later: if cash >= 20 buy 4 infantry"]
    assert told(done, "ussr") == told(done) == []
    assert not done.final


def test_14a_3_orders_are_carried_out_when_their_stop_is_reached() -> None:
    position = state(stop="intelligence", cash={"ussr": 20})
    position = play(position, "ussr", "then buy 4 infantry", "done", faces=[])
    assert position.board.turn.stop == "operations"
    assert position.board.powers[USSR].hand == {"infantry": 4}
    assert cash(position, "ussr") == 12
    assert position.orders(USSR).later == ()


def test_14a_3_the_line_rests_at_an_order_for_another_stop() -> None:
    waiting_line = waits("place russia 4 infantry", "buy 4 infantry")
    position = state(stop="intelligence", standing={"ussr": waiting_line})
    position = play(position, "ussr", "done", faces=[])
    assert position.board.turn.stop == "operations"
    assert len(position.orders(USSR).later) == 2


def test_14a_3_a_whole_turn_in_one_letter() -> None:
    position = state(
        "poland ussr 3 infantry",
        "karelia ussr 1 armor",
        stop="intelligence",
        cash={"ussr": 10},
        standing={
            "ussr": waits(
                "buy 2 infantry",
                "move poland west-germany 3 infantry",
                "done",
                "move karelia russia 1 armor",
                "place russia 2 infantry",
                "done",
            )
        },
    )
    after = order(position, "ussr", "done", faces=[]).state
    assert after.board.turn.power == WE
    assert owner(after, "west-germany") == "ussr"
    assert units(after, "russia") == "ussr 2 infantry 1 armor"
    assert after.orders(USSR).later == ()


def test_14a_3_orders_may_be_given_before_the_own_turn() -> None:
    position = state(stop="logistics", cash={"we": 20})
    position = play(position, "we", "then done")
    position = play(position, "we", "then buy 2 infantry")
    done = order(position, "ussr", "done", faces=[])
    assert waiting(done.state) == "we"
    assert done.state.board.turn.stop == "operations"
    assert done.state.board.powers[WE].hand == {"infantry": 2}


def test_14a_3_several_turns_in_one_order_never_roll_under_one_name() -> None:
    said = waits("research ship", "done", "done", "done")
    position = state(stop="logistics", standing={"we": said, "uk": said, "usa": said})
    dice = SeededDice(KEY, "m", 0, 1)
    done = order(position, "ussr", "done", dice=dice)
    assert done.state.board.turn.power == USSR
    assert len(dice.draws) == 3
    assert len({draw.why for draw in dice.draws}) == 3


def test_14a_4_an_impossible_order_is_dropped_alone() -> None:
    said = waits("buy 90 infantry", "buy 2 infantry")
    position = state(stop="intelligence", cash={"ussr": 10}, standing={"ussr": said})
    done = order(position, "ussr", "done", faces=[])
    assert done.state.board.powers[USSR].hand == {"infantry": 2}
    assert done.state.orders(USSR).later == ()


def test_14a_4_only_the_owner_is_told_what_was_dropped_and_why() -> None:
    said = waits("buy 90 infantry")
    position = state(stop="intelligence", cash={"ussr": 10}, standing={"ussr": said})
    done = order(position, "ussr", "done", faces=[])
    (line,) = [line for line in told(done, "ussr") if line.startswith("Not carried out")]
    assert line.startswith("Not carried out: buy 90 infantry (")
    assert not [line for line in told(done, "we") if "Not carried out" in line]


def test_14a_5_a_condition_that_does_not_hold_drops_its_order() -> None:
    said = waits("if cash >= 30 buy 1 fighter", "if not cash >= 30 buy 1 infantry")
    position = state(stop="intelligence", cash={"ussr": 29}, standing={"ussr": said})
    done = order(position, "ussr", "done", faces=[])
    assert done.state.board.powers[USSR].hand == {"infantry": 1}
    assert "Not carried out because the condition is not met: if cash >= 30 buy 1 fighter" in told(
        done, "ussr"
    )


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("nuclear >= 1", True),
        ("nuclear >= 2", False),
        ("not nuclear >= 2", True),
        ("ship >= 1", False),
        ("cash >= 50", True),
        ("cash >= 51", False),
        ("captured greece", True),
        ("captured poland", False),
        ("lost russia", False),
        ("lost karelia", True),
        ("captured black-sea", True),
        ("captured baltic-sea", False),
    ],
)
def test_14a_5_conditions(condition: str, expected: bool) -> None:
    position = board(
        "black-sea ussr 1 cruiser",
        "baltic-sea ussr 1 cruiser uk 1 submarine",
        owners={"greece": "ussr", "karelia": "we"},
        techs={"ussr": {"nuclear": 3, "ship": 1}},
        turn={"captured": ("greece",)},
    )
    assert delayed.holds(position, USSR, condition) is expected


def test_14a_5_a_stolen_step_does_not_count_before_it_works() -> None:
    position = board(techs={"ussr": {"ship": 2}})
    assert delayed.holds(position, USSR, "ship >= 1")
    thief = replace(position.powers[USSR], pending=(("ship", 1),))
    position = replace(position, powers={**position.powers, USSR: thief})
    assert not delayed.holds(position, USSR, "ship >= 1")


def test_14a_6_forget_all_and_forget_one() -> None:
    position = state(standing={"we": waits("done", "buy 1 infantry", "done")})
    one = order(position, "we", "forget 2")
    assert one.state.orders(WE).later == (DelayedOrder("done"), DelayedOrder("done"))
    assert told(one, "we") == ["Forgotten: buy 1 infantry"]
    assert told(one, "uk") == []
    assert order(position, "we", "forget").state.orders(WE).later == ()
    refuses(position, "we", "forget 4", "orders for later: only 3")
    refuses(position, "uk", "forget", "nothing waits for later")


def test_14a_6_sixty_orders_wait_at_most() -> None:
    position = state(standing={"we": Standing(later=(DelayedOrder("done"),) * 60)})
    refuses(position, "we", "then done", "60 orders wait already; `forget` drops some")
    assert "then" not in [option.word for option in GAME.any_time(position, WE)]


def test_14a_6_what_waits_is_offered_to_be_forgotten() -> None:
    position = state(standing={"we": waits("if lost greece buy 1 infantry")})
    offered = GAME.any_time(position, WE, ("forget",))
    assert [option.word for option in offered] == ["all", "1"]
    assert GAME.say(offered[1].label) == "if lost greece buy 1 infantry"
    assert GAME.any_time(state(), WE, ("forget",)) == ()


def test_14a_7_the_clock_ends_a_stop_and_nothing_else() -> None:
    position = state(stop="logistics", cash={"ussr": 7})
    assert GAME.notate(GAME.default_action(position, USSR)) == "done"
    assert all(GAME.default_action(position, seat) is None for seat in POWERS if seat != USSR)


@pytest.mark.parametrize("line", ["then", "then if lost greece"])
def test_then_needs_an_order(line: str) -> None:
    message = f"'{line}' is not finished; expected: then ORDER | then if CONDITION ORDER"
    with pytest.raises(BadNotation, match=exactly(message)):
        GAME.parse(line)


@pytest.mark.parametrize(
    "order", ["then done", "forget", "lose infantry 1", "standing aa number", "then " * 189]
)
def test_then_needs_an_order_for_a_stop(order: str) -> None:
    quoted = order if len(order) <= 60 else f"{order[:57]}..."
    with pytest.raises(BadNotation, match=f"^'{quoted}' is no order; orders begin with research, "):
        GAME.parse(f"then {order}")


def test_the_beginning_of_then_is_no_then() -> None:
    with pytest.raises(BadNotation, match="^'the' in 'the the .*' does not fit; expected: "):
        GAME.parse("the " * 240)


def test_nobody_else_may_say_anything_for_later() -> None:
    with pytest.raises(NotYourTurn, match=exactly("nothing is asked of nobody")):
        GAME.apply(state(), Seat("nobody"), GAME.parse("then done"), SeededDice(KEY, "m", 0, 1))


# --- 14a.2: the words are offered as at the stop itself -------------------------------------------


def offered(position: State, seat: str, *prefix: str) -> list[str]:
    return [option.word for option in GAME.any_time(position, Seat(seat), ("then", *prefix))]


def leaves(position: State, seat: str, *prefix: str) -> Iterator[tuple[str, Any]]:
    for option in GAME.any_time(position, Seat(seat), ("then", *prefix)):
        path = (*prefix, option.word)
        if option.action is None:
            yield from leaves(position, seat, *path)
        else:
            yield " ".join(("then", *path)), option.action


def test_14a_2_the_orders_of_later_stops_are_offered() -> None:
    position = state(cash={"we": 9}, spies={"we": 1}, hand={"we": {"infantry": 2}})
    assert offered(position, "we") == ["spy", "research", "buy", "place", "host", "done", "if"]
    assert offered(position, "we", "buy") == ["1", "2", "3"]
    assert offered(position, "we", "buy", "3") == ["infantry"]
    assert "france" in offered(position, "we", "place")
    assert offered(position, "we", "research", "free") == []
    assert "free" in offered(position, "usa", "research")


def test_14a_2_what_waits_to_be_bought_can_be_placed() -> None:
    position = state(cash={"we": 9})
    assert "place" not in offered(position, "we")
    position = play(position, "we", "then buy 2 infantry")
    assert offered(position, "we", "place", "france") == ["1", "2"]


def test_14a_2_a_turn_that_is_still_to_come_finds_the_income_of_this_one() -> None:
    """The USSR has 48 a turn; what it buys in this turn, it buys with what it has."""
    now = state(stop="intelligence", cash={"ussr": 5}, influence={"china": 0})
    assert offered(now, "ussr", "buy")[-1] == "2"
    past = state(stop="operations", cash={"ussr": 5}, influence={"china": 0})
    assert offered(past, "ussr", "buy")[-1] == str((5 + 48) // 2)


def test_14a_5_conditions_are_offered_before_the_order() -> None:
    position = state(
        "poland ussr 2 infantry", "west-germany we 1 infantry", techs={"ussr": {"nuclear": 2}}
    )
    position = play(position, "ussr", "move poland west-germany 2 infantry")
    assert offered(position, "ussr", "if")[-2:] == ["nuclear", "captured"]
    assert offered(position, "ussr", "if", "nuclear", ">=") == ["2", "3"]
    assert offered(position, "ussr", "if", "captured") == ["west-germany"]
    assert "buy" in offered(position, "ussr", "if", "captured", "west-germany")


def test_14a_5_a_condition_on_a_technology_opens_what_it_allows() -> None:
    position = state(cash={"we": 20})
    assert "atomic-bomb" not in offered(position, "we", "buy", "1")
    assert "atomic-bomb" in offered(position, "we", "if", "nuclear", ">=", "1", "buy", "1")


@pytest.mark.parametrize("prefix", [(), ("if", "ship", ">=", "1")])
def test_14a_2_every_line_that_is_offered_can_be_said(prefix: tuple[str, ...]) -> None:
    position = state(
        "north-sea uk 1 battleship!damaged",
        power="we",
        cash={"uk": 14},
        spies={"uk": 1},
        hand={"uk": {"infantry": 1, "cruiser": 1, "factory": 1}},
    )
    found = list(leaves(position, "uk", *prefix))
    assert {line.removeprefix("then if ship >= 1").split()[-1] for line, _ in found} > {"done"}
    for line, action in found:
        if prefix or " if " not in line:
            assert GAME.parse(line) == action
            assert GAME.notate(action) == line
            assert GAME.apply(position, UK, action, SealedDice()).state.orders(UK).later


def test_14a_2_who_is_not_at_turn_may_look_ahead_at_a_new_match() -> None:
    position = new_match()
    for seat in POWERS:
        assert offered(position, seat)[-2:] == ["done", "if"]


def test_what_could_not_be_is_doubted_while_it_waits() -> None:
    """14.1: if everything stayed as it is; conditions and battles are for the dice to decide."""
    position = play(
        new_match(),
        "ussr",
        "then buy 5 infantry",
        "then buy 30 armor",
        "then if cash >= 99 buy 60 armor",
        "then move poland west-germany 6 infantry",
        "then done",
        "then move west-germany italy 6 infantry",
        "then place poland 3 infantry",
        "then place france 1 infantry",
    )
    doubts = GAME.doubts(position, Seat("ussr"))
    assert {order: GAME.say(reason) for order, reason in doubts.items()} == {
        "then buy 30 armor": "this costs 150 and you can spend 38",
        "then place france 1 infantry": "France does not belong to you",
    }
    assert GAME.doubts(position, Seat("we")) == {}
    quiet = play(
        new_match(), "ussr", "then done", "then done", "then move poland france 1 infantry"
    )
    assert list(GAME.doubts(quiet, Seat("ussr"))) == ["then move poland france 1 infantry"]


def test_orders_of_a_power_held_besides_are_doubted_by_its_name() -> None:
    position = play(new_match(nato="we+uk,usa"), "we-uk", "for uk then buy 90 armor")
    assert list(GAME.doubts(position, Seat("we-uk"))) == ["for uk then buy 90 armor"]
