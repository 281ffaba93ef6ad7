"""17: a verb is offered exactly when there is something to order with it."""

from __future__ import annotations

import pytest

from engine.chance import QuickDice
from engine.core import Seat
from engine.east_and_west.orders.registry import ANSWERS, SEARCHING, STOPS
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import GAME, state

DECISIONS = 150


def test_these_are_asked_for_one_order_instead_of_all() -> None:
    assert set(SEARCHING) == {"move", "attack", "load", "land", "drop", "raid"}


def agrees(position: State, seat: Seat) -> None:
    """Whether a verb may begin an order, and which words would follow."""
    board = position.board
    first = [option.word for option in GAME.options(position, seat)]
    verbs = ANSWERS if board.questions else STOPS[board.turn.stop]
    assert first == [verb.word for verb in verbs if verb.offer(position, seat, ())]


@pytest.mark.parametrize("seed", range(4))
def test_first_words_are_those_that_lead_on(seed: int) -> None:
    dice = QuickDice(b"first words %d" % seed)
    position = GAME.new_game({"bomber_airlift": "on"}, dice).state
    for _ in range(DECISIONS):
        (seat,) = GAME.waiting_on(position)
        agrees(position, seat)
        said: tuple[str, ...] = ()
        action = None
        while action is None:
            offered = GAME.options(position, seat, said)
            chosen = offered[dice.below(len(offered))]
            said, action = (*said, chosen.word), chosen.action
        position = GAME.apply(position, seat, action, dice).state


def test_nothing_that_moves_is_offered_to_who_has_no_units() -> None:
    position = state(power="uk")
    agrees(position, Seat("uk"))
    assert not SEARCHING.keys() & {option.word for option in GAME.options(position, Seat("uk"))}
