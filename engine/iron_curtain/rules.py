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
    Country,
    Frame,
    PlayCard,
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
from engine.iron_curtain.pieces import move_card, place_cube, shift, stop, take_off
from engine.iron_curtain.scoring import is_complete
from engine.iron_curtain.standing_orders import without_card
from engine.iron_curtain.state import State
from engine.iron_curtain.table import may_place, open_cells
from engine.iron_curtain.tally import count_region

DECK_NUMBER = "1"


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
        table=(starter,),
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
    frame = asked(state, seat)
    told = Telling()
    carry_out = _HANDLERS[type(action)]
    before = state.news
    state = settle(carry_out(state, frame, action, told), told)
    events = tuple(told.events)
    if type(action) is act.Play:
        standing = without_card(state.standing, state.table[-1].card)
        return Step(replace(state, news=events, standing=standing), events, told.final)
    return Step(replace(state, news=before + events), events, told.final)


def asked(state: State, seat: Seat) -> Frame:
    """The question before a seat, or NotYourTurn."""
    if state.result is not None:
        raise NotYourTurn("the match is over")
    frame = state.stack[-1]
    if frame.seat != seat:
        raise NotYourTurn("the match waits for {side}, not for you", side=SIDE_NAMES[frame.seat])
    return frame


def _choose_first(state: State, frame: Frame, action: act.First, told: Telling) -> State:
    if not isinstance(frame, ChooseFirst):
        refuse(frame, action)
    told.everybody(
        "{side} decides: {first} goes first in round {round}.",
        side=SIDE_NAMES[frame.seat],
        first=SIDE_NAMES[action.side],
        round=state.round,
    )
    return replace(state, first=action.side, stack=())


def _play(state: State, frame: Frame, action: act.Play, told: Telling) -> State:
    """4.1, 4.2, 5.1: place the card, then see whether its region is complete."""
    if not isinstance(frame, PlayCard):
        refuse(frame, action)
    side, hand = frame.seat, state.hand(frame.seat)
    card = state.deck.card_called(action.card) if action.card not in hand else action.card
    if card not in hand or card is None:
        held = ", ".join(hand)
        raise IllegalAction("you do not hold {card}; you hold {held}", card=action.card, held=held)
    region = state.deck.region_of[card]
    if not may_place(state.table, state.deck, region, action.cell):
        cells = open_cells(state.table, state.deck, region)
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
    rest = tuple(held for held in hand if held != card)
    state = replace(
        state,
        hands=(rest, state.hands[1]) if side == USA else (state.hands[0], rest),
        table=(*state.table, Country(card, action.cell)),
        turn=state.turn + 1,
    )
    state = _score_if_complete(state, region, told)
    return state if state.result else replace(state, stack=_after_placing(state, side, card))


def _after_placing(state: State, side: Seat, card: str) -> tuple[Frame, ...]:
    """6.1, 6.2: one's own card is used; on the other's card he answers before the command."""
    if state.deck.cards[card].flag == side:
        return (UseCard(side, card, can_do_something(state, side, card)),)
    return CommandCard(side, card), Answer(opponent(side), card)


def _score_if_complete(state: State, region: str, told: Telling) -> State:
    if not is_complete(state.table, state.deck, region):
        return state
    state = replace(state, scored=(*state.scored, region))
    return count_region(state, region, "{region} is complete and scores", told)


def _use_event(state: State, frame: Frame, action: act.UseEvent, told: Telling) -> State:
    if not isinstance(frame, UseCard | Answer):
        refuse(frame, action)
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


def _use_command(state: State, frame: Frame, action: act.UseCommand, told: Telling) -> State:
    if not isinstance(frame, UseCard):
        refuse(frame, action)
    return swap(state, CommandCard(frame.seat, frame.card))


def _decline(state: State, frame: Frame, action: act.Decline, told: Telling) -> State:
    if not isinstance(frame, Answer):
        refuse(frame, action)
    told.everybody(
        "{side} declines the event of {card}.",
        side=SIDE_NAMES[frame.seat],
        card=card_name(state, frame.card),
    )
    return pop(state)


_HANDLERS: dict[type[Struct], Callable[[State, Frame, Any, Telling], State]] = {
    act.First: _choose_first,
    act.Play: _play,
    act.UseEvent: _use_event,
    act.UseCommand: _use_command,
    act.Decline: _decline,
    act.Cube: place_cube,
    act.Shift: shift,
    act.TakeOff: take_off,
    act.MoveCard: move_card,
    act.Done: stop,
}
