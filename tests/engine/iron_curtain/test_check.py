"""What `check` finds wrong with a state; each sum that the rules keep, broken once."""

from typing import Any

import pytest
from msgspec.structs import replace

from engine.core import Outcome, Text
from engine.iron_curtain.deck import USA, standard_deck
from engine.iron_curtain.grid import cell_name
from engine.iron_curtain.standing_orders import Rule, StandingOrders
from engine.iron_curtain.state import State
from engine.iron_curtain.table import Tableau
from tests.engine.iron_curtain.tables import GAME, country, state, table

LAID = ("poland t19 1/0", "iran u19")


def sound() -> State:
    return state(*LAID, mover=USA, usa="japan", ussr="italy")


def test_a_sound_state_has_no_faults() -> None:
    assert GAME.check(sound()) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"supplies": (21, 23)}, "usa has 2 cubes on the table, 21 beside it"),
        ({"supplies": (22, 24)}, "ussr has 1 cubes on the table, 24 beside it"),
        ({"track": 9}, "the marker stands at 9"),
        ({"track": -9}, "the marker stands at -9"),
        ({"stack": ()}, "a match asks somebody until it is over, and nobody afterwards"),
        (
            {"result": Outcome((USA,), Text(""))},
            "a match asks somebody until it is over, and nobody afterwards",
        ),
        ({"scored": ("asia",)}, "asia scores when it is complete, and only then"),
        (
            {"reserve": ()},
            "the cards on table, in hands, reserve and aftermath are not the deck",
        ),
        (
            {"aftermath": ("chile", "cuba")},
            "the cards on table, in hands, reserve and aftermath are not the deck",
        ),
    ],
)
def test_a_broken_sum_is_named(change: dict[str, Any], fault: str) -> None:
    assert GAME.check(replace(sound(), **change)) == [fault]


def test_negative_cubes_are_found() -> None:
    with pytest.raises(ValueError, match="poland cannot hold 3/-1 cubes"):
        table("europe s19 1/1", "poland t19 3/-1", "iran u19 -2/0")
    found = GAME.check(replace(sound(), table=table("europe s19 25/1", *LAID), supplies=(-2, 23)))
    assert found == ["usa has fewer than no cubes somewhere"]


def test_wrong_turns_and_rounds_are_found() -> None:
    late = replace(sound(), turn=9)
    assert GAME.check(late) == [
        "there is no turn 9 of round 1",
        "9 cards were played in round 1, the hands differ",
    ]
    assert "there is no turn 2 of round 3" in GAME.check(replace(sound(), round=3))
    assert "there is no turn 2 of round 0" in GAME.check(replace(sound(), round=0))
    assert "there is no turn -1 of round 1" in GAME.check(replace(sound(), turn=-1))


def test_a_card_in_the_wrong_hand_is_found() -> None:
    position = sound()
    swapped = replace(position, hands=position.hands[::-1])
    assert GAME.check(swapped) == [
        "usa holds a card that was not dealt to it",
        "ussr holds a card that was not dealt to it",
    ]


def test_a_deck_that_changed_is_found() -> None:
    position = sound()
    order = (*position.order[:-1], position.order[0])
    assert GAME.check(replace(position, order=order)) == ["the shuffled deck is not the deck"]


def test_a_deck_that_lost_a_card_is_found_in_round_two_as_well() -> None:
    row = standard_deck().order[:8]
    laid = [f"{card} {cell_name((i + 1, 0))}" for i, card in enumerate(row)]
    position = state(*laid, mover=USA)
    assert GAME.check(position) == []
    lost = replace(position, order=position.order[:-1])
    assert "the shuffled deck is not the deck" in GAME.check(lost)


def test_two_cards_on_one_cell_are_found() -> None:
    position = sound()
    laid = Tableau.of(position.deck, (*position.table[:-1], country("iran t19")))
    assert GAME.check(replace(position, table=laid)) == ["two cards lie on one cell"]


def test_a_region_that_scored_twice_or_not_at_all_is_found() -> None:
    position = state("egypt t19", "iran u19", mover=USA)
    assert GAME.check(replace(position, scored=())) == [
        "middle_east scores when it is complete, and only then"
    ]
    twice = replace(position, scored=("middle_east", "middle_east"))
    assert GAME.check(twice) == ["a region scored twice during play"]


@pytest.mark.parametrize(
    "cards",
    [
        (("poland", "use"),),
        (("italy", "use"),),
        (("atlantis", "use"),),
        (("japan", "use"), ("pakistan", "never")),
        (("japan", "use"), ("japan", "never")),
        (("japan", "ask"),),
    ],
)
def test_standing_orders_that_nobody_can_have_given_are_found(
    cards: tuple[tuple[str, Rule], ...],
) -> None:
    wrong = replace(sound(), standing=(StandingOrders("ask", cards), StandingOrders()))
    assert GAME.check(wrong) == [
        "usa has standing orders for other cards than its own to come, or out of order"
    ]


def test_the_rules_are_there_to_be_read() -> None:
    assert GAME.rules_text().startswith("# ")
