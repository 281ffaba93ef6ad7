"""14a: orders for later stops by forms: tried without dice, put where they belong, conditional."""

from __future__ import annotations

import pytest

from engine.core import IllegalAction, Seat
from engine.east_and_west.sheet.desk import seen_by
from engine.east_and_west.standing import Standing
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import GAME, play, state, units
from tests.engine.east_and_west.sheet.presses import Person, form, posted, said

ANN = Seat("ussr")


def waiting(position: State) -> list[str]:
    later = position.orders(ANN).later
    return [f"{one.condition}: {one.order}" if one.condition else one.order for one in later]


def ann(stop: str = "intelligence") -> Person:
    position = state(
        "poland ussr 4 infantry",
        "baltic-states ussr 2 infantry",
        "west-germany we 1 infantry",
        stop=stop,
    )
    return Person(position, "ussr")


def test_a_form_of_a_later_stop_notes_its_orders() -> None:
    person = ann()
    person.press(stage="purchases")
    assert person.fill("buy", infantry=3) == ("then buy 3 infantry",)
    assert "Bought: 3 infantry" in said(GAME.sheet(person.state, ANN, {"stage": "purchases"}))
    person.press(stage="attack", at="poland")
    orders = person.fill("move", infantry=2, to="west-germany", condition="cash >= 10")
    assert orders == ("then if cash >= 10 move poland west-germany 2 infantry",)


def test_a_battle_that_waits_can_be_planned() -> None:
    person = ann()
    person.press(stage="attack", at="poland")
    person.fill("move", infantry=3, to="west-germany")
    person.press(stage="battles")
    assert person.fill("plan-retreat-west-germany", when="after", number=2) == (
        "then plan west-germany retreat after 2",
    )
    assert "plan: retreat after round 2" in said(person.sheet)


def test_what_cannot_be_is_refused_before_it_waits() -> None:
    person = ann()
    person.press(stage="purchases")
    person.fill("buy", infantry=20)
    buying = posted(form(person.sheet, "buy"), infantry=5, armor=1)
    with pytest.raises(IllegalAction, match="this costs 15 and you can spend 10"):
        GAME.compose(person.state, ANN, buying)


def test_a_stop_behind_another_waits_for_that_one_to_end_by_itself() -> None:
    person = ann()
    person.press(stage="moves")
    assert said(person.sheet) == [
        "This can be planned as soon as the stop before it ends by itself."
    ]
    assert person.fill("end") == ("then done",)
    person.press(stage="moves", at="baltic-states")
    assert person.fill("move", infantry=1, to="poland") == (
        "then move baltic-states poland 1 infantry",
    )
    assert waiting(person.state) == ["done", "move baltic-states poland 1 infantry"]


def test_an_order_for_an_earlier_stop_goes_before_those_of_later_ones() -> None:
    person = ann()
    person.press(stage="later")
    person.fill("end")
    person.press(stage="moves", at="baltic-states")
    person.fill("move", infantry=1, to="poland")
    person.press(stage="purchases")
    person.fill("buy", infantry=2)
    assert waiting(person.state) == [
        "buy 2 infantry",
        "done",
        "move baltic-states poland 1 infantry",
    ]
    person.press(stage="placement", at="russia")
    person.fill("place", infantry=2)
    assert waiting(person.state)[-1] == "place russia 2 infantry"


def test_the_line_is_carried_out_stop_by_stop() -> None:
    person = ann()
    person.press(stage="purchases")
    person.fill("buy", infantry=2)
    person.press(stage="later")
    person.fill("end")
    person.press(stage="placement", at="russia")
    person.fill("place", infantry=2)
    done = play(person.state, "ussr", "done", faces=[])
    assert done.board.turn.stop == "logistics"
    assert units(done, "russia") == "ussr 2 infantry"


def test_after_the_battles_on_the_condition_that_they_were_won() -> None:
    person = ann("operations")
    person.press(stage="attack", at="poland")
    person.fill("move", infantry=3, to="west-germany")
    person.press(stage="moves", at="baltic-states")
    conditions = form(person.sheet, "move").fields[-1].values
    assert {"captured west-germany", "lost baltic-states"} <= {one.value for one in conditions}
    assert person.fill("move", infantry=2, to="poland", condition="not captured west-germany") == (
        "then if not captured west-germany move baltic-states poland 2 infantry",
    )
    person.press(stage="later")
    then = "move baltic-states poland 2 infantry"
    assert person.fill("then", order=then, condition="captured west germany") == (
        f"then if captured west-germany {then}",
    )


def test_aircraft_can_be_told_before_the_battle_where_to_land() -> None:
    position = state("poland ussr 1 fighter 3 infantry", "west-germany we 1 infantry")
    person = Person(position, "ussr")
    person.press(stage="attack", at="poland", to="west-germany")
    person.fill("move")
    person.press(stage="moves")
    assert person.fill("land-fighter-west-germany", to="poland") == (
        "then move west-germany poland 1 fighter",
    )


def test_what_waits_can_be_taken_back() -> None:
    person = ann()
    person.press(stage="purchases")
    person.fill("buy", infantry=2)
    person.press(stage="later")
    assert said(person.sheet) == ["1. buy 2 infantry"]
    assert person.fill("forget", number=1) == ("forget 1",)
    assert waiting(person.state) == []


def test_nobody_elses_standing_orders_are_on_the_sheet() -> None:
    """Paired worlds: the sheets are equal, whatever the others have said in advance."""
    plain = ann("operations").state
    secret = Standing(losses={"": ("fighter",)}, asks=("west-germany",))
    other = State(plain.board, None, {Seat("we"): secret, Seat("uk"): secret})
    assert seen_by(other, ANN)[1] == plain
    for stage in ("purchases", "attack", "battles", "moves", "placement", "standing", "later"):
        for at in ("", "poland"):
            asks = {"stage": stage, "at": at, "to": "west-germany"}
            assert GAME.sheet(plain, ANN, asks) == GAME.sheet(other, ANN, asks)
