"""All legal orders of a seat, without a word: for whoever tries many of them.

The options are the same orders as a tree, with labels; both ask layout and events what is legal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine.core import Seat
from engine.iron_curtain import actions as act
from engine.iron_curtain.board import (
    Answer,
    ChooseFirst,
    Commanding,
    Frame,
    Gathering,
    Infiltrating,
    PlayCard,
    Relocating,
    Removing,
    UseCard,
)
from engine.iron_curtain.deck import SIDES
from engine.iron_curtain.events import cells_for, cube_sources, cube_targets
from engine.iron_curtain.state import State

Orders = Sequence[act.Action]

_FIRSTS = tuple([act.First(side) for side in SIDES])
_EVENT, _COMMAND, _DECLINE, _DONE = act.UseEvent(), act.UseCommand(), act.Decline(), act.Done()


def orders(state: State, seat: Seat) -> Orders:
    """In the order of the tree."""
    if state.result is not None:
        return ()
    frame = state.stack[-1]
    return _ORDERS[type(frame)](state, frame) if frame.seat == seat else ()


def _firsts(state: State, frame: ChooseFirst) -> Orders:
    return _FIRSTS


def _plays(state: State, frame: PlayCard) -> Orders:
    layout, region_of = state.table.layout, state.variant.deck.region_of
    return [
        act.Play(card, cell)
        for card in state.hand(frame.seat)
        for cell in layout.open_cells(region_of[card])
    ]


def _uses(state: State, frame: UseCard) -> Orders:
    return (_EVENT, _COMMAND) if frame.has_event else (_COMMAND,)


def _answers(state: State, frame: Answer) -> Orders:
    return _EVENT, _DECLINE


def _cubes(state: State, frame: Commanding | Infiltrating) -> Orders:
    """7.6: from other cards when the supply is empty."""
    takers = cube_targets(state, frame)
    if state.supply(frame.seat) > 0:
        return [*map(act.Cube, takers), _DONE]
    givers = state.table.layout.names(state.table.held(frame.seat))
    shifts = [act.Shift(giver, taker) for giver in givers for taker in takers if giver != taker]
    return [*shifts, _DONE]


def _removals(state: State, frame: Removing) -> Orders:
    return [*map(act.TakeOff, cube_sources(state, frame)), _DONE]


def _gatherings(state: State, frame: Gathering) -> Orders:
    return [*[act.Shift(card, frame.card) for card in cube_sources(state, frame)], _DONE]


def _relocations(state: State, frame: Relocating) -> Orders:
    moves = [
        act.MoveCard(card, cell)
        for card in state.table.layout.cells
        for cell in cells_for(state, card)
    ]
    return [*moves, _DONE]


_ORDERS: dict[type[Frame], Callable[[State, Any], Orders]] = {
    ChooseFirst: _firsts,
    PlayCard: _plays,
    UseCard: _uses,
    Answer: _answers,
    Commanding: _cubes,
    Infiltrating: _cubes,
    Removing: _removals,
    Gathering: _gatherings,
    Relocating: _relocations,
}
