"""Orders that move cubes and cards on the table."""

from __future__ import annotations

from msgspec.structs import replace

from engine.core import IllegalAction
from engine.iron_curtain import actions as act
from engine.iron_curtain.board import (
    Commanding,
    Gathering,
    Infiltrating,
    Relocating,
    Removing,
    opponent,
)
from engine.iron_curtain.changes import (
    Telling,
    called,
    cannot_leave,
    card_name,
    cells_named,
    listed,
    pop,
    supplies,
    swap,
)
from engine.iron_curtain.deck import SIDE_NAMES
from engine.iron_curtain.events import (
    Stepwise,
    affordable,
    cells_for,
    cube_sources,
    pick_ups,
)
from engine.iron_curtain.grid import cell_name
from engine.iron_curtain.layout import NO_CARDS
from engine.iron_curtain.state import State

Placing = Commanding | Infiltrating


# --- cubes that are placed ------------------------------------------------------------------------


def place_cube(state: State, frame: Placing, action: act.Cube, told: Telling) -> State:
    side = frame.seat
    card, points = _target(state, frame, action.card)
    if state.supply(side) < 1:
        raise IllegalAction(
            "your supply is empty; write: shift CARD {card}, with a card from: {cards}",
            card=card,
            cards=listed(state.table.layout.names(pick_ups(state, side, card))),
        )
    told.everybody(
        "{side} puts a cube on {card} for two points."
        if points == 2
        else "{side} puts a cube on {card}.",
        side=SIDE_NAMES[side],
        card=card_name(state, card),
    )
    return replace(
        state,
        table=state.table.with_cubes(side, card, 1),
        supplies=supplies(state, side, -1),
        stack=(*state.stack[:-1], _spent(frame, card, points)),
    )


def pick_up(state: State, frame: Placing, action: act.Shift, told: Telling) -> State:
    """7.6: with an empty supply, a cube of one's own from another card."""
    side, source = frame.seat, called(state, action.source)
    card, points = _target(state, frame, action.target)
    if state.supply(side) > 0:
        raise IllegalAction("your supply is not empty; write: cube {card}", card=card)
    layout, allowed = state.table.layout, pick_ups(state, side, card)
    if not layout.deck.bits.get(source, NO_CARDS) & allowed:
        raise cannot_leave(action.source, layout.names(allowed))
    told.everybody(
        "{side} moves a cube of {owner} from {source} to {target} for two points."
        if points == 2
        else "{side} moves a cube of {owner} from {source} to {target}.",
        side=SIDE_NAMES[side],
        owner=SIDE_NAMES[side],
        source=card_name(state, source),
        target=card_name(state, card),
    )
    table = state.table.with_cubes(side, source, -1).with_cubes(side, card, 1)
    return replace(state, table=table, stack=(*state.stack[:-1], _spent(frame, card, points)))


def _target(state: State, frame: Placing, word: str) -> tuple[str, int]:
    """The card that takes the cube, and what that costs."""
    allowed = affordable(state, frame)
    card = word if word in allowed else called(state, word)
    if card not in allowed:
        raise _no_target(frame, word, card)
    return card, state.table.cost(frame.seat, card) if isinstance(frame, Commanding) else 1


def _no_target(frame: Placing, word: str, card: str) -> IllegalAction:
    """7.1-7.3: it was not in reach, or the points do not suffice."""
    if isinstance(frame, Commanding) and card in frame.targets:
        return IllegalAction(
            "{card} costs 2 points, because the opponent leads there by two; you have {points}",
            card=card,
            points=frame.points,
        )
    return IllegalAction(
        "no cube can go to {card}; cubes can go to {cards}",
        card=word,
        cards=", ".join(sorted(set(frame.targets))),
    )


def _spent(frame: Placing, card: str, points: int) -> Placing:
    """The question after a cube went to a card: fewer points, or one cube less for that card."""
    if isinstance(frame, Commanding):
        return Commanding(frame.seat, frame.card, frame.points - points, frame.targets)
    left = list(frame.targets)
    left.remove(card)
    return Infiltrating(frame.seat, frame.card, frame.left - 1, tuple(left))


# --- cubes that an event moves or removes ---------------------------------------------------------


def gather(state: State, frame: Gathering, action: act.Shift, told: Telling) -> State:
    """8.5: a cube moves onto the card of the event."""
    source, card = called(state, action.source), called(state, action.target)
    if card != frame.card:
        raise IllegalAction(
            "cubes move onto {card}, not onto {target}", card=frame.card, target=action.target
        )
    _require_source(state, frame, action.source, source)
    told.everybody(
        "{side} moves a cube of {owner} from {source} to {target}.",
        side=SIDE_NAMES[frame.seat],
        owner=SIDE_NAMES[frame.owner],
        source=card_name(state, source),
        target=card_name(state, card),
    )
    table = state.table.with_cubes(frame.owner, source, -1).with_cubes(frame.owner, card, 1)
    return swap(replace(state, table=table), replace(frame, left=frame.left - 1))


def take_off(state: State, frame: Removing, action: act.TakeOff, told: Telling) -> State:
    owner, card = opponent(frame.seat), called(state, action.card)
    _require_source(state, frame, action.card, card)
    told.everybody(
        "{side} removes a cube of {owner} from {card}.",
        side=SIDE_NAMES[frame.seat],
        owner=SIDE_NAMES[owner],
        card=card_name(state, card),
    )
    return replace(
        state,
        table=state.table.with_cubes(owner, card, -1),
        supplies=supplies(state, owner, 1),
        stack=(*state.stack[:-1], replace(frame, left=frame.left - 1)),
    )


def _require_source(state: State, frame: Removing | Gathering, word: str, card: str) -> None:
    allowed = cube_sources(state, frame)
    if card not in allowed:
        raise cannot_leave(word, allowed)


# --- cards, and the end ---------------------------------------------------------------------------


def move_card(state: State, frame: Relocating, action: act.MoveCard, told: Telling) -> State:
    """8.6: the card moves with its cubes; nothing scores."""
    card = called(state, action.card)
    lies = state.table.layout.cells.get(card)
    if lies is None:
        raise IllegalAction("{card} is not on the table", card=action.card)
    cells = cells_for(state, card)
    if action.cell not in cells:
        raise IllegalAction(
            "{card} cannot move to {cell}; it can move to {cells}",
            card=card,
            cell=cell_name(action.cell),
            cells=cells_named(cells),
        )
    told.everybody(
        "{side} moves {card} from {cell} to {target}.",
        side=SIDE_NAMES[frame.seat],
        card=card_name(state, card),
        cell=cell_name(lies),
        target=cell_name(action.cell),
    )
    return pop(replace(state, table=state.table.with_card_moved(card, action.cell)))


def stop(state: State, frame: Stepwise, action: act.Done, told: Telling) -> State:
    told.everybody("{side} stops here.", side=SIDE_NAMES[frame.seat])
    return pop(state)
