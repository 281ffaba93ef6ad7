"""10: victory, surrender, and the last round."""

from __future__ import annotations

from typing import Any

import pytest

from engine.core import NotYourTurn, Outcome
from engine.east_and_west.board import Variant
from engine.east_and_west.data.powers import NATO, POWERS, UK, USA, USSR, WE
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import (
    GAME,
    income,
    order,
    play,
    refuses,
    state,
    told,
    waiting,
    words,
)
from tests.engine.refusals import exactly

FAST = Variant(fast_game=True)


def soviet(*lands: str) -> dict[str, str]:
    return dict.fromkeys(lands, USSR)


def ending(power: str = USA, **changes: Any) -> State:
    """A power at the end of its turn; after that of the USA the round is over."""
    return state(power=power, stop="logistics", **changes)


def outcome(position: State, power: str = USA) -> Outcome | None:
    return GAME.outcome(order(position, power, "done", faces=[]).state)


def winners(position: State, power: str = USA) -> tuple[str, ...]:
    won = outcome(position, power)
    return won.winners if won else ()


# --- at the end of a round ------------------------------------------------------------------------


@pytest.mark.parametrize("second", ["united-kingdom", "france"])
def test_10_washington_and_london_or_paris(second: str) -> None:
    step = order(ending(owners=soviet("eastern-united-states", second)), USA, "done", faces=[])
    won = GAME.outcome(step.state)
    assert won is not None
    assert won.winners == (USSR,)
    assert told(step)[-1] == "USSR wins: the USSR holds Washington and London or Paris"
    assert GAME.waiting_on(step.state) == frozenset()


def test_10_neither_washington_alone_nor_london_and_paris_suffice() -> None:
    assert outcome(ending(owners=soviet("eastern-united-states"))) is None
    assert outcome(ending(owners=soviet("united-kingdom", "france"))) is None


def test_10_an_income_of_ninety() -> None:
    lands = soviet("western-united-states", "japan", "italy", "west-germany", "france")
    position = ending(owners=lands, influence={"china": 3})
    missing = 90 - income(position, USSR)
    assert missing > 0
    assert outcome(position) is None
    more = {1: "greece", 2: "norway", 3: "spain", 4: "india"}
    position = ending(
        owners={**lands, **soviet("india", "greece", "norway", "spain")}, influence={"china": 3}
    )
    assert more[missing]
    assert income(position, USSR) >= 90
    assert winners(position) == (USSR,)


def test_10_exactly_ninety_wins_and_eighty_nine_does_not() -> None:
    position = ending(
        owners=soviet("western-united-states", "eastern-united-states"),
        influence={"china": 4},
    )
    assert income(position, USSR) == 48 + 12 + 14 + 16 == 90
    assert winners(position) == (USSR,)
    position = ending(
        owners={**soviet("western-united-states", "eastern-united-states"), "mongolia": USA},
        influence={"china": 4},
    )
    assert income(position, USSR) == 89
    assert outcome(position) is None


def test_10_nato_wins_when_the_soviet_income_is_below_fifteen() -> None:
    held = ("russia", "karelia", "ukraine", "north-korea")
    lost = [key for key, owner in state().board.owners.items() if owner == USSR and key not in held]
    owners = dict.fromkeys(lost, WE)
    position = ending(owners=owners, influence={"china": 1})
    assert income(position, USSR) == 15
    assert outcome(position) is None
    position = ending(owners={**owners, "north-korea": USA}, influence={"china": 1})
    assert income(position, USSR) == 13
    assert winners(position) == NATO
    assert outcome(ending(owners=owners, influence={"china": 2})) is None


def test_10_only_at_the_end_of_a_round() -> None:
    won = soviet("eastern-united-states", "france")
    for power in (USSR, WE, UK):
        assert outcome(ending(power, owners=won), power) is None


def test_10_after_the_last_round_agreed_it_is_a_draw() -> None:
    variant = Variant(rounds=3)
    assert outcome(ending(round=2, variant=variant)) is None
    step = order(ending(round=3, variant=variant), USA, "done", faces=[])
    drawn = GAME.outcome(step.state)
    assert drawn is not None
    assert drawn.winners == ()
    assert told(step)[-1] == "The match is drawn: the last of 3 rounds is over"


def test_10_a_victory_in_the_last_round_is_no_draw() -> None:
    position = ending(
        round=3, variant=Variant(rounds=3), owners=soviet("eastern-united-states", "france")
    )
    assert winners(position) == (USSR,)


# --- surrender ------------------------------------------------------------------------------------


@pytest.mark.parametrize("stop", ["mobilisation", "intelligence", "operations", "logistics"])
def test_10_the_ussr_surrenders_alone(stop: Any) -> None:
    step = order(state(stop=stop), USSR, "surrender")
    won = GAME.outcome(step.state)
    assert won is not None
    assert won.winners == NATO
    assert told(step) == ["USSR wants to surrender", "NATO wins: USSR surrenders"]
    with pytest.raises(NotYourTurn, match=exactly("the match is over")):
        order(step.state, USSR, "done")


def test_10_all_of_nato_must_agree() -> None:
    position = play(state(power=WE), WE, "surrender")
    assert GAME.outcome(position) is None
    refuses(position, WE, "surrender", "you have said that already; your allies have to agree")
    position = state(power=UK, surrendering=(WE,))
    position = play(position, UK, "surrender")
    assert position.board.surrendering == (WE, UK)
    step = order(state(power=USA, surrendering=(WE, UK)), USA, "surrender")
    won = GAME.outcome(step.state)
    assert won is not None
    assert won.winners == (USSR,)
    assert told(step)[-1] == "USSR wins: NATO surrenders"


def test_10_the_offer_can_be_taken_back() -> None:
    position = play(state(power=WE), WE, "surrender")
    assert "fight-on" in words(position, WE)
    position = play(position, WE, "fight-on")
    assert position.board.surrendering == ()
    refuses(position, WE, "fight-on", "you have not offered to surrender")


def test_10_surrender_is_offered_only_after_an_ally_said_it() -> None:
    for power in POWERS:
        assert "surrender" not in words(state(power=power), power)
    position = state(power=USA, surrendering=(WE,))
    assert "surrender" in words(position, USA)
    assert "surrender" not in words(state(surrendering=(WE,)), USSR)


# --- fast game ------------------------------------------------------------------------------------


def test_10_fast_a_capital_held_at_the_start_of_the_soviet_turn() -> None:
    for land in ("france", "united-kingdom", "eastern-united-states"):
        assert winners(ending(owners=soviet(land), variant=FAST)) == (USSR,)
    assert outcome(ending(USSR, owners=soviet("france"), variant=FAST), USSR) is None
    assert outcome(ending(owners=soviet("italy"), variant=FAST)) is None


def test_10_fast_an_income_of_seventy_two_at_the_start_of_the_soviet_turn() -> None:
    position = ending(
        owners=soviet("western-united-states"), influence={"china": 3, "arab": 2}, variant=FAST
    )
    assert income(position, USSR) == 48 + 12 + 8 + 3 == 71
    assert outcome(position) is None
    position = ending(
        owners=soviet("western-united-states", "algeria"),
        influence={"china": 3, "arab": 2},
        variant=FAST,
    )
    assert winners(position) == (USSR,)


def test_10_fast_nato_holds_two_soviet_factories_through_a_soviet_turn() -> None:
    owners = {"karelia": "uk", "eastern-siberia": "usa"}
    step = order(ending(USSR, owners=owners, variant=FAST), USSR, "done", faces=[])
    won = GAME.outcome(step.state)
    assert won is not None
    assert won.winners == NATO
    assert told(step)[-1] == "NATO wins: NATO has held Karelia, Eastern Siberia for a Soviet turn"


def test_10_fast_one_factory_or_a_retaken_one_is_not_enough() -> None:
    one = ending(USSR, owners={"karelia": "uk"}, variant=FAST)
    assert outcome(one, USSR) is None
    retaken = ending(
        USSR,
        owners={"karelia": "uk"},
        held={"karelia": "uk", "ukraine": "we"},
        variant=FAST,
    )
    assert outcome(retaken, USSR) is None


def test_10_fast_only_the_soviet_turn_counts() -> None:
    owners = {"karelia": "uk", "ukraine": "we"}
    for power in (WE, UK, USA):
        assert outcome(ending(power, owners=owners, variant=FAST), power) is None


def test_10_fast_replaces_the_standard_conditions() -> None:
    lost = {key: WE for key, owner in state().board.owners.items() if owner == USSR}
    keep = {**lost, "russia": USSR, "karelia": USSR, "ukraine": USSR}
    position = ending(owners=keep, influence={"china": 0}, variant=FAST)
    assert income(position, USSR) < 15
    assert outcome(position) is None


def test_10_fast_the_standard_game_knows_none_of_it() -> None:
    position = order(ending(owners=soviet("france")), USA, "done", faces=[]).state
    assert waiting(position) == USSR
    owners = {"karelia": "uk", "ukraine": "we"}
    assert outcome(ending(USSR, owners=owners), USSR) is None


def test_10_fast_rounds_end_as_well() -> None:
    position = ending(round=2, variant=Variant(fast_game=True, rounds=2))
    drawn = outcome(position)
    assert drawn is not None
    assert drawn.winners == ()
