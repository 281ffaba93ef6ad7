"""What can be wrong with a state: the sums that every legal course of play keeps."""

from __future__ import annotations

from collections import Counter

from engine.iron_curtain.board import (
    CUBES,
    FIRST_DEAL,
    FLAG_SPACE,
    ROUNDS,
    SECOND_DEAL,
    TURNS_IN_ROUND,
)
from engine.iron_curtain.deck import SIDES
from engine.iron_curtain.scoring import is_complete
from engine.iron_curtain.secrecy import dealt_positions
from engine.iron_curtain.standing_orders import is_sound, of_side
from engine.iron_curtain.state import State, still_to_come


def faults(state: State) -> list[str]:
    return [
        *_cubes(state),
        *_cards(state),
        *_course(state),
        *_regions(state),
        *_standing_orders(state),
    ]


def _cubes(state: State) -> list[str]:
    found = []
    for side in SIDES:
        on_table = sum(country.cubes(side) for country in state.table)
        if on_table + state.supply(side) != CUBES:
            found.append(
                f"{side} has {on_table} cubes on the table, {state.supply(side)} beside it"
            )
        if state.supply(side) < 0 or any(c.cubes(side) < 0 for c in state.table):
            found.append(f"{side} has fewer than no cubes somewhere")
    return found


def _cards(state: State) -> list[str]:
    found = []
    table = [country.card for country in state.table]
    everywhere = Counter(
        [*table, *state.hands[0], *state.hands[1], *state.reserve, *state.aftermath]
    )
    if everywhere != Counter(state.deck.cards.keys()):
        found.append("the cards on table, in hands, reserve and aftermath are not the deck")
    if Counter(state.order) != Counter(state.deck.order):
        found.append("the shuffled deck is not the deck")
    for side in SIDES:
        positions = dealt_positions(side, state.round)
        dealt = {card for i, card in enumerate(state.order) if i in positions}
        if not dealt.issuperset(state.hand(side)):
            found.append(f"{side} holds a card that was not dealt to it")
    if len({country.cell for country in state.table}) != len(table):
        found.append("two cards lie on one cell")
    return found


def _course(state: State) -> list[str]:
    found = []
    if abs(state.track) > FLAG_SPACE:
        found.append(f"the marker stands at {state.track}")
    if not 1 <= state.round <= ROUNDS or not 0 <= state.turn <= TURNS_IN_ROUND:
        found.append(f"there is no turn {state.turn} of round {state.round}")
    if bool(state.stack) == (state.result is not None):
        found.append("a match asks somebody until it is over, and nobody afterwards")
    left = FIRST_DEAL if state.round == 1 else SECOND_DEAL
    if sum(map(len, state.hands)) != 2 * left - state.turn:
        found.append(f"{state.turn} cards were played in round {state.round}, the hands differ")
    return found


def _regions(state: State) -> list[str]:
    found = []
    if len(set(state.scored)) != len(state.scored):
        found.append("a region scored twice during play")
    for region in state.deck.regions:
        if is_complete(state.table.layout, region) != (region in state.scored):
            found.append(f"{region} scores when it is complete, and only then")
    return found


def _standing_orders(state: State) -> list[str]:
    return [
        f"{side} has standing orders for other cards than its own to come, or out of order"
        for side in SIDES
        if not is_sound(of_side(state.standing, side), state.deck, still_to_come(state, side))
    ]
