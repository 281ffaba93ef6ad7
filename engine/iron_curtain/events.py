"""What the events of the cards do: whether they can, and how each effect begins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.core import Seat
from engine.iron_curtain.board import (
    Commanding,
    Country,
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
from engine.iron_curtain.state import State
from engine.iron_curtain.table import (
    accessible,
    cells_to_move_to,
    cost,
    countries,
    is_unhindered,
    places,
    sources,
)

Asking = Command | Infiltrate | Remove | Gather | Relocate
Stepwise = Commanding | Infiltrating | Removing | Gathering | Relocating


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
    owner = opponent(side)
    return any(country.cubes(owner) for country in countries(state, card, effect.where))


def _can_ask(state: State, side: Seat, card: str, effect: Asking) -> bool:
    return has_step(state, question(state, side, card, effect))


def points_for_each(state: State, side: Seat, card: str, where: tuple[str, ...]) -> int:
    return sum([country.lead(side) > 0 for country in countries(state, card, where)])


def needs_no_choice(card: Card) -> bool:
    """6.6: whether the event happens without asking its side anything."""
    return not any(isinstance(effect, Asking) for effect in card.event)


def question(state: State, side: Seat, card: str, effect: Asking) -> Stepwise:
    """The frame that asks the side how to carry out an effect."""
    return _QUESTIONS[type(effect)](state, side, card, effect)


def _commanding(state: State, side: Seat, card: str, effect: Command) -> Stepwise:
    """8.2: only onto cards the event names, of those in reach as the event begins."""
    named = places(state, card, effect.where)
    reach = accessible(state.table, side) if named else ()
    return Commanding(side, card, effect.cubes, tuple([c for c in named if c in reach]))


def _infiltrating(state: State, side: Seat, card: str, effect: Infiltrate) -> Stepwise:
    """8.1: leads and locks are looked at once, as the event begins."""
    free = [
        country.card
        for country in countries(state, card, effect.where)
        if is_unhindered(country, side, effect.unless)
    ]
    targets = tuple([target for target in free for _ in range(effect.each)])
    return Infiltrating(side, card, effect.total or len(targets), targets)


def _removing(state: State, side: Seat, card: str, effect: Remove) -> Stepwise:
    return Removing(side, card, effect.cubes, places(state, card, effect.where))


def _gathering(state: State, side: Seat, card: str, effect: Gather) -> Stepwise:
    owner = side if effect.whose == "own" else opponent(side)
    found = tuple([c for c in places(state, card, effect.where) if c != card])
    return Gathering(side, card, effect.cubes, owner, found)


def _relocating(state: State, side: Seat, card: str, effect: Relocate) -> Stepwise:
    return Relocating(side, card)


_CAN: dict[type[Effect], Callable[[State, Seat, str, Any], bool]] = {
    Gain: _can_gain,
    GainEach: _can_gain_each,
    Clear: _can_clear,
    Command: _can_ask,
    Infiltrate: _can_ask,
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


def has_step(state: State, frame: Stepwise) -> bool:
    """Whether the asked side can still place, move or remove anything."""
    if isinstance(frame, Commanding):
        if frame.points > 1 and state.supply(frame.seat) > 0:
            return bool(frame.targets)
        return bool(cube_targets(state, frame))
    if isinstance(frame, Infiltrating):
        return bool(cube_targets(state, frame))
    if isinstance(frame, Removing | Gathering):
        return bool(cube_sources(state, frame))
    return any(cells_to_move_to(state, country.card) for country in state.table)


def cube_targets(state: State, frame: Commanding | Infiltrating) -> list[Country]:
    """The cards that may take the next cube of a command or an infiltration."""
    side, targets = frame.seat, frame.targets
    left = frame.points if isinstance(frame, Commanding) else frame.left
    if left < 1:
        return []
    found = [country for country in state.table if country.card in targets]
    if left == 1 and isinstance(frame, Commanding):
        found = [country for country in found if cost(country, side) == 1]
    if state.supply(side) > 0:
        return found
    return [country for country in found if sources(state, side, country.card)]


def cube_sources(state: State, frame: Removing | Gathering) -> list[str]:
    """The cards from which the next cube may be removed or gathered."""
    if frame.left < 1:
        return []
    if isinstance(frame, Removing):
        cards, owner = frame.targets, opponent(frame.seat)
    else:
        cards, owner = frame.sources, frame.owner
    return [c.card for c in state.table if c.card in cards and c.cubes(owner)]
