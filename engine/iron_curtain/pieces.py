"""Orders that move cubes and cards on the table."""

from __future__ import annotations

from msgspec.structs import replace

from engine.core import IllegalAction
from engine.iron_curtain import actions as act
from engine.iron_curtain.board import (
    Commanding,
    Country,
    Frame,
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
    refuse,
    supplies,
    with_cubes,
)
from engine.iron_curtain.deck import SIDE_NAMES
from engine.iron_curtain.events import cube_sources
from engine.iron_curtain.grid import cell_name
from engine.iron_curtain.state import State
from engine.iron_curtain.table import cells_to_move_to, cost, sources


def place_cube(state: State, frame: Frame, action: act.Cube, told: Telling) -> State:
    if not isinstance(frame, Commanding | Infiltrating):
        refuse(frame, action)
    side = frame.seat
    country = _target(state, frame, action.card)
    if state.supply(side) < 1:
        raise IllegalAction(
            "your supply is empty; write: shift CARD {card}, with a card from: {cards}",
            card=country.card,
            cards=listed(sources(state, side, country.card)),
        )
    told.everybody(
        _cube_words(frame, country), side=SIDE_NAMES[side], card=card_name(state, country.card)
    )
    table = with_cubes(state.table, country.card, side, 1)
    return replace(
        state,
        table=table,
        supplies=supplies(state, side, -1),
        stack=_spent(state, frame, country),
    )


def _target(state: State, frame: Commanding | Infiltrating, card: str) -> Country:
    """7.1-7.3: the card that takes the cube, if it was in reach and the points suffice."""
    country = state.country(card if card in frame.targets else called(state, card))
    if country is None or country.card not in frame.targets:
        raise IllegalAction(
            "no cube can go to {card}; cubes can go to {cards}",
            card=card,
            cards=", ".join(sorted(set(frame.targets))),
        )
    if isinstance(frame, Commanding) and cost(country, frame.seat) > frame.points:
        raise IllegalAction(
            "{card} costs 2 points, because the opponent leads there by two; you have {points}",
            card=country.card,
            points=frame.points,
        )
    return country


def _cube_words(frame: Commanding | Infiltrating, country: Country) -> str:
    if isinstance(frame, Commanding) and cost(country, frame.seat) == 2:
        return "{side} puts a cube on {card} for two points."
    return "{side} puts a cube on {card}."


_SHIFTED = "{side} moves a cube of {owner} from {source} to {target}."


def _shift_words(frame: Commanding | Infiltrating, target: Country) -> str:
    if isinstance(frame, Commanding) and cost(target, frame.seat) == 2:
        return "{side} moves a cube of {owner} from {source} to {target} for two points."
    return _SHIFTED


def _spent(state: State, frame: Commanding | Infiltrating, country: Country) -> tuple[Frame, ...]:
    """The stack after a cube went to a card: fewer points, or one cube less for that card."""
    below = state.stack[:-1]
    if isinstance(frame, Commanding):
        points = frame.points - cost(country, frame.seat)
        return *below, Commanding(frame.seat, frame.card, points, frame.targets)
    left = list(frame.targets)
    left.remove(country.card)
    return *below, Infiltrating(frame.seat, frame.card, frame.left - 1, tuple(left))


def shift(state: State, frame: Frame, action: act.Shift, told: Telling) -> State:
    """7.6: a cube of one's own from elsewhere; 8.5: cubes that an event gathers."""
    if isinstance(frame, Commanding | Infiltrating):
        target = _target(state, frame, action.target)
        source = called(state, action.source)
        if state.supply(frame.seat) > 0:
            raise IllegalAction("your supply is not empty; write: cube {card}", card=target.card)
        allowed = sources(state, frame.seat, target.card)
        stack, words = _spent(state, frame, target), _shift_words(frame, target)
        owner, card = frame.seat, target.card
    elif isinstance(frame, Gathering):
        source, card = called(state, action.source), called(state, action.target)
        if card != frame.card:
            raise IllegalAction(
                "cubes move onto {card}, not onto {target}", card=frame.card, target=action.target
            )
        allowed, owner, words = cube_sources(state, frame), frame.owner, _SHIFTED
        stack = (*state.stack[:-1], replace(frame, left=frame.left - 1))
    else:
        refuse(frame, action)
    if source not in allowed:
        raise cannot_leave(action.source, allowed)
    told.everybody(
        words,
        side=SIDE_NAMES[frame.seat],
        owner=SIDE_NAMES[owner],
        source=card_name(state, source),
        target=card_name(state, card),
    )
    table = with_cubes(with_cubes(state.table, source, owner, -1), card, owner, 1)
    return replace(state, table=table, stack=stack)


def take_off(state: State, frame: Frame, action: act.TakeOff, told: Telling) -> State:
    if not isinstance(frame, Removing):
        refuse(frame, action)
    owner, card = opponent(frame.seat), called(state, action.card)
    allowed = cube_sources(state, frame)
    if card not in allowed:
        raise cannot_leave(action.card, allowed)
    told.everybody(
        "{side} removes a cube of {owner} from {card}.",
        side=SIDE_NAMES[frame.seat],
        owner=SIDE_NAMES[owner],
        card=card_name(state, card),
    )
    return replace(
        state,
        table=with_cubes(state.table, card, owner, -1),
        supplies=supplies(state, owner, 1),
        stack=(*state.stack[:-1], replace(frame, left=frame.left - 1)),
    )


def move_card(state: State, frame: Frame, action: act.MoveCard, told: Telling) -> State:
    """8.6: the card moves with its cubes; nothing scores."""
    if not isinstance(frame, Relocating):
        refuse(frame, action)
    card = called(state, action.card)
    country = state.country(card)
    if country is None:
        raise IllegalAction("{card} is not on the table", card=action.card)
    cells = cells_to_move_to(state, card)
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
        cell=cell_name(country.cell),
        target=cell_name(action.cell),
    )
    table = tuple(replace(c, cell=action.cell) if c.card == card else c for c in state.table)
    return pop(replace(state, table=table))


def stop(state: State, frame: Frame, action: act.Done, told: Telling) -> State:
    if not isinstance(frame, Commanding | Infiltrating | Removing | Gathering | Relocating):
        refuse(frame, action)
    told.everybody("{side} stops here.", side=SIDE_NAMES[frame.seat])
    return pop(state)
