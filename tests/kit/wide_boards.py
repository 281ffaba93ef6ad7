"""Matches of Iron Curtain whose boards grow as wide or as high as they can."""

from __future__ import annotations

from typing import Literal

from engine.chance import QuickDice
from engine.core import Seat
from engine.iron_curtain.actions import Play
from engine.iron_curtain.game import IronCurtain
from engine.iron_curtain.state import State
from engine.sparring import leaves
from engine.terminal.rehearsal import random_order

GAME = IronCurtain()
Along = Literal["columns", "rows", "chance"]


def an_order(state: State, seat: Seat, dice: QuickDice, along: Along) -> str:
    """At random, but a card goes where the board grows, as long as it is no longer than 8."""
    played = [order for order in leaves(GAME, state, seat) if isinstance(order, Play)]
    if not played or along == "chance" or span(state, along) >= 8:
        return random_order(GAME, state, seat, dice)
    axis = 0 if along == "columns" else 1
    furthest = max(order.cell[axis] for order in played)
    longer = [order for order in played if order.cell[axis] == furthest]
    return GAME.notate(longer[dice.below(len(longer))])


def span(state: State, along: Along) -> int:
    places = [country.cell[0 if along == "columns" else 1] for country in state.table]
    return max(places) - min(places) + 1


def grown(seed: bytes, orders: int, along: Along) -> State:
    """A position after so many orders."""
    dice = QuickDice(seed)
    state = GAME.new_game({}, dice).state
    for _ in range(orders):
        (seat,) = GAME.waiting_on(state)
        order = GAME.parse(an_order(state, seat, dice, along))
        state = GAME.apply(state, seat, order, dice).state
        if state.result is not None:
            break
    return state
