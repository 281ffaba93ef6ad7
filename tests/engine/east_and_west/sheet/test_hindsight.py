"""What was heard lately helps to order: the last battle under another plan, purchases once more."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine.abilities import Sheet
from engine.core import Event, Seat
from engine.east_and_west.sheet import outlook, supply
from engine.east_and_west.standing import Plan, Standing
from engine.east_and_west.state import State
from tests.engine.east_and_west.battles import at_war, fought
from tests.engine.east_and_west.kit import GAME, order, play, state, units
from tests.engine.east_and_west.sheet.presses import form, panel, posted, said
from tests.engine.east_and_west.test_random_play import random_match

ANN, BOB = Seat("ussr"), Seat("we")
ATTACK = at_war("norway ussr 4 infantry!attacking 1 armor!attacking we 3 infantry", at="norway")
TOLD = fought(
    ATTACK,
    [
        *[6, 6, 6, 6, 6],  # round 1: nobody hits
        *[1, 1, 6],  # and 2 infantry are lost
        *[1, 6, 6],  # round 2: one hit
        *[1, 6, 6],  # and another infantry is lost
        *[1, 1],  # round 3: both
        *[6, 6],
    ],
).events
"""5 against 3, 3 against 3, 2 against 2, 2 against nobody."""


def declared(*plan: str) -> State:
    position = state("poland ussr 3 infantry 1 armor", "west-germany we 2 infantry")
    orders = ("move poland west-germany 3 infantry 1 armor", *plan)
    return play(position, "ussr", *orders)


def sheet(position: State, asks: dict[str, str], told: Sequence[Event] = TOLD) -> Sheet:
    return GAME.sheet(position, ANN, asks, lambda: told)


def last_words(*plan: str, told: Sequence[Event] = TOLD) -> list[str]:
    lines = said(sheet(declared(*plan), {"stage": "battles"}, told))
    return [line for line in lines if line.startswith("in your last battle")]


# --- the last battle ------------------------------------------------------------------------------


def test_a_battle_is_read_round_by_round() -> None:
    (last,) = outlook.battles(TOLD)
    assert (last.space, last.attacker) == ("norway", ANN)
    assert [(a.total(), d.total()) for a, d in last.rounds] == [(3, 3), (2, 2), (2, 0)]
    assert last.owners == {"infantry": BOB}


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ("retreat after 1", "out after round 1 with 1 armor, 2 infantry against 3 infantry"),
        ("retreat below 3 units", "out after round 2 with 1 armor, 1 infantry against 2 infantry"),
        ("retreat below 5 power", "out after round 2 with 1 armor, 1 infantry against 2 infantry"),
        ("retreat strafe 2", "out after round 2 with 1 armor, 1 infantry against 2 infantry"),
        ("retreat odds 99", "out after round 1 with 1 armor, 2 infantry against 3 infantry"),
        ("retreat odds 1", "no retreat in 3 rounds"),
        ("retreat below 2 units", "no retreat in 3 rounds"),
        ("retreat ask", "asked after round 1"),
        ("losses armor", "lost 1 armor instead of 1 infantry"),
        ("losses infantry", "the same losses"),
        ("keep ground", "the same losses"),
    ],
)
def test_a_plan_says_what_it_would_have_done_in_the_last_battle(plan: str, words: str) -> None:
    assert last_words(f"plan west-germany {plan}") == [f"in your last battle, Norway: {words}"]


def test_without_a_plan_or_a_battle_nothing_is_said() -> None:
    assert last_words() == []
    assert last_words("plan west-germany retreat after 1", told=()) == []


def test_nobody_retreats_from_a_landing() -> None:
    position = state("barents-sea ussr 1 transport[2 infantry]", "norway we 1 infantry")
    landing = order(position, "ussr", "land barents-sea norway 2 infantry")
    told = (*landing.events, *fought(landing.state, [1, 6, 6]).events)
    assert last_words("plan west-germany retreat after 1", told=told) == [
        "in your last battle, Norway: no retreat from a landing"
    ]


def test_a_plan_is_tried_before_it_is_made() -> None:
    name = "plan-retreat-west-germany"
    asks = {"stage": "battles", "form": name, "when": "after", "number": "1"}
    tried = form(sheet(declared(), asks), name)
    assert [GAME.say(note) for note in tried.notes] == [
        "in your last battle, Norway: out after round 1 with 1 armor, 2 infantry against 3 infantry"
    ]
    assert not tried.is_folded and {f.name: f.value for f in tried.fields}["number"] == "1"
    nonsense = form(sheet(declared(), {**asks, "number": "many"}), name)
    assert nonsense.notes == () and nonsense.look is not None
    assert form(sheet(declared(), asks, ()), name).look is None


def test_hindsight_agrees_with_the_rules() -> None:
    """A plan that is fought with the same dice retreats in the round that was foretold."""
    plan = Plan(below_units=3)
    planned = at_war(
        "norway ussr 4 infantry!attacking 1 armor!attacking we 3 infantry",
        "finland ussr 1 infantry",
        at="norway",
        entries=["finland"],
        owners={"finland": "ussr"},
        plan=plan,
    )
    dice = [*[6, 6, 6, 6, 6], *[1, 1, 6], *[1, 6, 6], *[1, 6, 6]]
    (done,) = outlook.battles(fought(planned, dice).events)
    assert len(done.rounds) == 2
    (last,) = outlook.battles(TOLD)
    (words,) = outlook.of_plan(planned.board, last, plan)
    assert "out after round 2" in GAME.say(words)


def test_a_standing_order_says_what_it_would_have_done() -> None:
    defence = at_war(
        "norway we 3 infantry!attacking ussr 2 infantry 1 armor",
        at="norway",
        owners={"norway": "ussr"},
        power="we",
    )
    told = fought(defence, [*[1, 6, 6], *[1, 1, 1]]).events
    position = state(power="usa", standing={"ussr": Standing(losses={"": ("armor", "infantry")})})
    (last,) = outlook.battles(told)
    assert last.is_defence_of(ANN)
    lines = said(sheet(position, {"stage": "standing"}, told))
    assert lines[-1] == "in your last battle, Norway: lost 1 armor instead of 1 infantry"


@pytest.mark.parametrize("seed", [3, 4])
def test_every_battle_of_a_match_can_be_looked_back_on(seed: int) -> None:
    events = [event for moved in random_match(seed, 2) for event in moved.step.events]
    found = outlook.battles(events)
    assert len(found) > 3
    board = state().board
    for last in found:
        for ours, theirs in last.rounds:
            assert all(number >= 0 for number in (*ours.values(), *theirs.values()))
        for plan in (Plan(after=1, odds=50, losses=("armor",)), Plan(below_power=9)):
            assert all(GAME.say(words) for words in outlook.of_plan(board, last, plan))


# --- as last turn ---------------------------------------------------------------------------------


def placed(*lines: str) -> list[Event]:
    """What the USSR is told of a turn in which it places new units, and of the next one."""
    position = state(stop="logistics", hand={"ussr": {"infantry": 4, "fighter": 1}})
    told: list[Event] = []
    for line in (*lines, "done"):
        step = order(position, "ussr", line, faces=[])
        position = step.state
        told += step.events
    return told


LAST_TURN = placed("place russia 2 infantry 1 fighter", "place ukraine 2 infantry")


def again(position: State, stage: str) -> list[str]:
    """The orders of the form that repeats the last turn."""
    name = {"purchases": "buy-again", "placement": "place-again"}[stage]
    filled = posted(form(sheet(position, {"stage": stage}, LAST_TURN), name))
    return list(GAME.compose(position, ANN, filled, lambda: LAST_TURN))


def test_one_press_buys_and_places_as_last_turn() -> None:
    position = state(cash={"ussr": 40})
    orders = again(position, "purchases")
    assert orders[0] == "buy 4 infantry 1 fighter"
    assert orders[1:] == [
        "then place russia 2 infantry",
        "then place russia 1 fighter",
        "then place ukraine 2 infantry",
    ]
    done = play(position, "ussr", *orders, "done", faces=[])
    assert units(done, "russia") == "ussr 2 infantry 1 fighter"
    assert units(done, "ukraine") == "ussr 2 infantry"


def test_the_placement_can_be_left_out() -> None:
    position = state(cash={"ussr": 40})
    filled = posted(form(sheet(position, {"stage": "purchases"}, LAST_TURN), "buy-again"))
    del filled["place"]
    assert GAME.compose(position, ANN, filled, lambda: LAST_TURN) == ("buy 4 infantry 1 fighter",)


def test_only_what_can_be_paid_and_has_room_is_repeated() -> None:
    poor = state(cash={"ussr": 7})
    (bought, *_) = again(poor, "purchases")
    assert bought == "buy 3 infantry"
    lost = state(
        stop="logistics", hand={"ussr": {"infantry": 3}}, owners={"ukraine": "we"}, power="ussr"
    )
    assert again(lost, "placement") == ["place russia 2 infantry"]


def test_the_first_turn_has_nothing_to_repeat() -> None:
    names = {
        one.name
        for stage in ("purchases", "placement")
        for one in panel(sheet(state(), {"stage": stage}, ()), stage).forms
    }
    assert not names & {"buy-again", "place-again"}


def test_a_placement_of_the_turn_that_is_on_does_not_count() -> None:
    position = state(stop="logistics", hand={"ussr": {"infantry": 2}})
    told = order(position, "ussr", "place karelia 1 infantry").events
    assert supply.last_placed([*LAST_TURN, *told], ANN) == (
        ("russia", "infantry", 2),
        ("russia", "fighter", 1),
        ("ukraine", "infantry", 2),
    )
