"""What the events of the cards do: whether they can, how effects begin, which cards they are about.

Here it is said which cards may take, give or lose the next cube (`cube_targets`, `cube_sources`):
options list these sets, and an order is legal if its cards are in them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine.core import Seat
from engine.iron_curtain.board import (
    Commanding,
    Gathering,
    Infiltrating,
    Relocating,
    Removing,
    opponent,
)
from engine.iron_curtain.deck import (
    Card,
    Clear,
    Command,
    Effect,
    Gain,
    GainEach,
    Gather,
    Infiltrate,
    Relocate,
    Remove,
)
from engine.iron_curtain.grid import Cell
from engine.iron_curtain.layout import NO_CARDS, Cards
from engine.iron_curtain.state import State
from engine.iron_curtain.table import LOCK, MAJORITY

Asking = Command | Infiltrate | Remove | Gather | Relocate
Stepwise = Commanding | Infiltrating | Removing | Gathering | Relocating


# --- whether an event can do something ------------------------------------------------------------


def can_do_something(state: State, side: Seat, card: str) -> bool:
    """Whether the event would change the track, remove a cube, move a card or offer a step."""
    for effect in state.variant.deck.cards[card].event:
        if _CAN[type(effect)](state, side, card, effect):
            return True
    return False


def _can_gain(state: State, side: Seat, card: str, effect: Gain) -> bool:
    return True


def _can_gain_each(state: State, side: Seat, card: str, effect: GainEach) -> bool:
    return points_for_each(state, side, card, effect.where) > 0


def _can_clear(state: State, side: Seat, card: str, effect: Clear) -> bool:
    table = state.table
    return table.layout.meant(card, effect.where) & table.held(opponent(side)) != NO_CARDS


def _can_command(state: State, side: Seat, card: str, effect: Command) -> bool:
    targets = _reached(state, side, card, effect)
    if effect.cubes == 1:
        targets &= ~state.table.dear(side)
    return _has_cube_for(state, side, targets)


def _can_infiltrate(state: State, side: Seat, card: str, effect: Infiltrate) -> bool:
    return _has_cube_for(state, side, _unhindered(state, side, card, effect))


def _has_cube_for(state: State, side: Seat, targets: Cards) -> bool:
    """Whether there is a target, and a cube in the supply or on another card."""
    if targets == NO_CARDS or state.supply(side) > 0:
        return targets != NO_CARDS
    givers = state.table.held(side)
    return givers.bit_count() > 1 or givers != NO_CARDS and targets & ~givers != NO_CARDS


def _can_ask(state: State, side: Seat, card: str, effect: Asking) -> bool:
    return has_step(state, question(state, side, card, effect))


def points_for_each(state: State, side: Seat, card: str, where: tuple[str, ...]) -> int:
    return (state.table.layout.meant(card, where) & state.table.led(side)).bit_count()


def needs_no_choice(card: Card) -> bool:
    """6.6: whether the event happens without asking its side anything."""
    return not any(isinstance(effect, Asking) for effect in card.event)


# --- how an effect begins -------------------------------------------------------------------------


def question(state: State, side: Seat, card: str, effect: Asking) -> Stepwise:
    """The frame that asks the side how to carry out an effect."""
    return _QUESTIONS[type(effect)](state, side, card, effect)


def _commanding(state: State, side: Seat, card: str, effect: Command) -> Stepwise:
    targets = _reached(state, side, card, effect)
    return Commanding(side, card, effect.cubes, state.table.layout.names(targets))


def _reached(state: State, side: Seat, card: str, effect: Command) -> Cards:
    """8.2: only the cards that the event names, of those in reach as the event begins."""
    named = state.table.layout.meant(card, effect.where)
    return named & state.table.accessible(side) if named else NO_CARDS


def _infiltrating(state: State, side: Seat, card: str, effect: Infiltrate) -> Stepwise:
    names = state.table.layout.names(_unhindered(state, side, card, effect))
    targets = tuple([target for target in names for _ in range(effect.each)])
    return Infiltrating(side, card, effect.total or len(targets), targets)


def _unhindered(state: State, side: Seat, card: str, effect: Infiltrate) -> Cards:
    """8.1: leads and locks are looked at once, as the event begins."""
    named = state.table.layout.meant(card, effect.where)
    if effect.unless is None:
        return named
    return named & ~state.table.led(opponent(side), MAJORITY if effect.unless == "led" else LOCK)


def _removing(state: State, side: Seat, card: str, effect: Remove) -> Stepwise:
    layout = state.table.layout
    return Removing(side, card, effect.cubes, layout.names(layout.meant(card, effect.where)))


def _gathering(state: State, side: Seat, card: str, effect: Gather) -> Stepwise:
    layout, owner = state.table.layout, side if effect.whose == "own" else opponent(side)
    sources = layout.meant(card, effect.where) & ~layout.deck.bits[card]
    return Gathering(side, card, effect.cubes, owner, layout.names(sources))


def _relocating(state: State, side: Seat, card: str, effect: Relocate) -> Stepwise:
    return Relocating(side, card)


_CAN: dict[type[Effect], Callable[[State, Seat, str, Any], bool]] = {
    Gain: _can_gain,
    GainEach: _can_gain_each,
    Clear: _can_clear,
    Command: _can_command,
    Infiltrate: _can_infiltrate,
    Remove: _can_ask,
    Gather: _can_ask,
    Relocate: _can_ask,
}
_QUESTIONS: dict[type[Asking], Callable[[State, Seat, str, Any], Stepwise]] = {
    Command: _commanding,
    Infiltrate: _infiltrating,
    Remove: _removing,
    Gather: _gathering,
    Relocate: _relocating,
}


# --- what the next step may be --------------------------------------------------------------------


def has_step(state: State, frame: Stepwise) -> bool:
    """Whether the asked side can still place, move or remove anything."""
    return bool(_STEPS[type(frame)](state, frame))


def cube_targets(state: State, frame: Commanding | Infiltrating) -> Sequence[str]:
    """The cards that may take the next cube of a command or an infiltration."""
    targets = affordable(state, frame)
    if state.supply(frame.seat) > 0:
        return targets
    return [target for target in targets if pick_ups(state, frame.seat, target)]


def affordable(state: State, frame: Commanding | Infiltrating) -> Sequence[str]:
    """7.3: the targets for which the points that are left are enough."""
    if isinstance(frame, Infiltrating):
        return tuple(dict.fromkeys(frame.targets)) if frame.left else ()
    if frame.points > 1:
        return frame.targets
    if frame.points < 1:
        return ()
    dear, bits = state.table.dear(frame.seat), state.variant.deck.bits
    return [card for card in frame.targets if not bits[card] & dear] if dear else frame.targets


def cube_sources(state: State, frame: Removing | Gathering) -> Sequence[str]:
    """The cards from which the next cube may be removed or gathered."""
    if frame.left < 1:
        return ()
    if isinstance(frame, Removing):
        cards, owner = frame.targets, opponent(frame.seat)
    else:
        cards, owner = frame.sources, frame.owner
    bits, held = state.variant.deck.bits, state.table.held(owner)
    return [card for card in cards if bits[card] & held]


def cards_to_move(state: State, frame: Relocating) -> Sequence[str]:
    """8.6: the cards for which there is another cell."""
    return [card for card in state.table.layout.cells if cells_for(state, card)]


def _card_to_move(state: State, frame: Relocating) -> Sequence[str]:
    """The first of them, if there is any."""
    return next(([card] for card in state.table.layout.cells if cells_for(state, card)), [])


_STEPS: dict[type[Stepwise], Callable[[State, Any], Sequence[str]]] = {
    Commanding: cube_targets,
    Infiltrating: cube_targets,
    Removing: cube_sources,
    Gathering: cube_sources,
    Relocating: _card_to_move,
}


def pick_ups(state: State, side: Seat, target: str) -> Cards:
    """7.6: the cards that may give the cube for another one when the supply is empty."""
    return state.table.held(side) & ~state.table.layout.deck.bits[target]


def cells_for(state: State, card: str) -> tuple[Cell, ...]:
    """8.6: the cells a face-up card may be moved to."""
    return state.table.layout.cells_to_move_to(card, state.variant.connected)
