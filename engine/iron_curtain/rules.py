"""The rules of a match: its setup, and what each order does. See RULES.md."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from engine.core import Dice, IllegalAction, NotYourTurn, Seat, Step
from engine.iron_curtain import actions as act
from engine.iron_curtain.board import (
    CUBES,
    FIRST_DEAL,
    Answer,
    ChooseFirst,
    CommandCard,
    Commanding,
    Country,
    Frame,
    Gathering,
    Infiltrating,
    PlayCard,
    Relocating,
    Removing,
    Resolve,
    UseCard,
    Variant,
    opponent,
)
from engine.iron_curtain.changes import Telling, card_name, cells_named, pop, refuse, swap
from engine.iron_curtain.course import settle, tell_hands
from engine.iron_curtain.deck import SIDE_NAMES, USA, USSR
from engine.iron_curtain.events import can_do_something
from engine.iron_curtain.grid import cell_name
from engine.iron_curtain.in_advance import say_in_advance
from engine.iron_curtain.pieces import (
    gather,
    move_card,
    pick_up,
    place_cube,
    stop,
    take_off,
)
from engine.iron_curtain.scoring import is_complete
from engine.iron_curtain.standing_orders import NONE, without_card
from engine.iron_curtain.state import State
from engine.iron_curtain.table import Tableau
from engine.iron_curtain.tally import count_region

DECK_NUMBER = "1"
NO_ORDERS = (NONE, NONE)


# --- setup ----------------------------------------------------------------------------------------


def new_game(variant: Variant, dice: Dice) -> Step[State]:
    """2.1-2.5: the starter with a cube of each side, five cards each, the USSR chooses."""
    order = dice.shuffle(variant.deck.order, DECK_NUMBER)
    starter = Country(variant.deck.starter.id, (0, 0), 1, 1)
    hands = order[:FIRST_DEAL], order[FIRST_DEAL : 2 * FIRST_DEAL]
    told = Telling()
    state = State(
        variant=variant,
        order=order,
        hands=hands,
        reserve=order[2 * FIRST_DEAL :],
        aftermath=(),
        table=Tableau.of(variant.deck, [starter]),
        supplies=(CUBES - 1, CUBES - 1),
        track=0,
        round=1,
        turn=0,
        first=None,
        scored=(),
        stack=(ChooseFirst(USSR),),
        news=(),
    )
    told.everybody("Each side is dealt five cards.")
    tell_hands(state, told)
    return Step(replace(state, news=tuple(told.events)), tuple(told.events), final=True)


# --- one action -----------------------------------------------------------------------------------


def apply(state: State, seat: Seat, action: act.Action) -> Step[State]:
    if type(action) is act.Standing:
        return say_in_advance(state, seat, action)
    told, before = Telling(), state.news
    state = carry_out(state, seat, action, told)
    events = tuple(told.events)
    if type(action) is act.Play:
        return Step(replace(state, news=events), events, told.final)
    return Step(replace(state, news=before + events), events, told.final)


def carry_out(state: State, seat: Seat, action: act.Action, told: Telling) -> State:
    """What an order leads to, until somebody has to decide again; its news are not told yet."""
    frame = asked(state, seat)
    answer = _ANSWERS[type(frame)].get(type(action))
    if answer is None:
        refuse(frame, action)
    state = settle(answer(state, frame, action, told), told)
    if type(action) is act.Play and state.standing != NO_ORDERS:
        card = next(reversed(state.table.layout.cells))
        return replace(state, standing=without_card(state.standing, card))
    return state


def asked(state: State, seat: Seat) -> Frame:
    """The question before a seat, or NotYourTurn."""
    if state.result is not None:
        raise NotYourTurn("the match is over")
    frame = state.stack[-1]
    if frame.seat != seat:
        raise NotYourTurn("the match waits for {side}, not for you", side=SIDE_NAMES[frame.seat])
    return frame


def _choose_first(state: State, frame: ChooseFirst, action: act.First, told: Telling) -> State:
    told.everybody(
        "{side} decides: {first} goes first in round {round}.",
        side=SIDE_NAMES[frame.seat],
        first=SIDE_NAMES[action.side],
        round=state.round,
    )
    return replace(state, first=action.side, stack=())


def _play(state: State, frame: PlayCard, action: act.Play, told: Telling) -> State:
    """4.1, 4.2, 5.1: place the card, then see whether its region is complete."""
    side, hand = frame.seat, state.hand(frame.seat)
    deck = state.variant.deck
    card = deck.card_called(action.card) if action.card not in hand else action.card
    if card not in hand or card is None:
        held = ", ".join(hand)
        raise IllegalAction("you do not hold {card}; you hold {held}", card=action.card, held=held)
    region = deck.region_of[card]
    cells = state.table.layout.open_cells(region)
    if action.cell not in cells:
        raise IllegalAction(
            "{card} cannot go to {cell}; it can go to {cells}",
            card=card,
            cell=cell_name(action.cell),
            cells=cells_named(cells),
        )
    told.everybody(
        "{side} plays {card} on {cell}.",
        side=SIDE_NAMES[side],
        card=card_name(state, card),
        cell=cell_name(action.cell),
    )
    rest = tuple([held for held in hand if held != card])
    state = replace(
        state,
        hands=(rest, state.hands[1]) if side == USA else (state.hands[0], rest),
        table=state.table.with_card(card, action.cell),
        turn=state.turn + 1,
    )
    state = _score_if_complete(state, region, told)
    return state if state.result else replace(state, stack=_after_placing(state, side, card))


def _after_placing(state: State, side: Seat, card: str) -> tuple[Frame, ...]:
    """6.1, 6.2: one's own card is used; on the other's card he answers before the command."""
    if state.variant.deck.cards[card].flag == side:
        return (UseCard(side, card, can_do_something(state, side, card)),)
    return CommandCard(side, card), Answer(opponent(side), card)


def _score_if_complete(state: State, region: str, told: Telling) -> State:
    if not is_complete(state.table.layout, region):
        return state
    state = replace(state, scored=(*state.scored, region))
    return count_region(state, region, "{region} is complete and scores", told)


def _use_event(state: State, frame: UseCard | Answer, action: act.UseEvent, told: Telling) -> State:
    if isinstance(frame, UseCard) and not frame.has_event:
        raise IllegalAction(
            "the event of {card} can do nothing now; write: command", card=frame.card
        )
    told.everybody(
        "{side} uses the event of {card}.",
        side=SIDE_NAMES[frame.seat],
        card=card_name(state, frame.card),
    )
    return swap(state, Resolve(frame.seat, frame.card, 0))


def _use_command(state: State, frame: UseCard, action: act.UseCommand, told: Telling) -> State:
    return swap(state, CommandCard(frame.seat, frame.card))


def _decline(state: State, frame: Answer, action: act.Decline, told: Telling) -> State:
    told.everybody(
        "{side} declines the event of {card}.",
        side=SIDE_NAMES[frame.seat],
        card=card_name(state, frame.card),
    )
    return pop(state)


_Doing = Callable[[State, Any, Any, Telling], State]
_PLACING: dict[type[Struct], _Doing] = {act.Cube: place_cube, act.Shift: pick_up, act.Done: stop}
_ANSWERS: dict[type[Struct], dict[type[Struct], _Doing]] = {
    ChooseFirst: {act.First: _choose_first},
    PlayCard: {act.Play: _play},
    UseCard: {act.UseEvent: _use_event, act.UseCommand: _use_command},
    Answer: {act.UseEvent: _use_event, act.Decline: _decline},
    Commanding: _PLACING,
    Infiltrating: _PLACING,
    Removing: {act.TakeOff: take_off, act.Done: stop},
    Gathering: {act.Shift: gather, act.Done: stop},
    Relocating: {act.MoveCard: move_card, act.Done: stop},
}
"""Which orders answer which question."""
