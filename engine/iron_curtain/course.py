"""What follows by itself until somebody has to decide: effects, turns, rounds, the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from engine.core import Seat, Text
from engine.iron_curtain.board import (
    ROUNDS,
    SECOND_DEAL,
    TURNS_IN_ROUND,
    Answer,
    ChooseFirst,
    CommandCard,
    Commanding,
    Frame,
    Gathering,
    Infiltrating,
    PlayCard,
    Relocating,
    Removing,
    Resolve,
    opponent,
)
from engine.iron_curtain.changes import Telling, card_name, pop, supplies, swap
from engine.iron_curtain.deck import SIDE_NAMES, USA, USSR, Clear, Gain, GainEach
from engine.iron_curtain.events import (
    Stepwise,
    can_do_something,
    has_step,
    points_for_each,
    question,
)
from engine.iron_curtain.in_advance import obey
from engine.iron_curtain.layout import Cards
from engine.iron_curtain.scoring import chooser_of_second_round
from engine.iron_curtain.standing_orders import of_side
from engine.iron_curtain.state import State
from engine.iron_curtain.tally import count_aftermath, count_region, gain, win


def settle(state: State, told: Telling) -> State:
    """Carry on until somebody has to decide or the match is over."""
    while state.result is None:
        if not state.stack:
            state = _next_turn(state, told)
            continue
        frame = state.stack[-1]
        go_on = _GO_ON.get(type(frame))
        if go_on is None:
            return state
        after = go_on(state, frame, told)
        if after is state:
            return state
        state = after
    return state


def _unless_stuck(state: State, frame: Stepwise, told: Telling) -> State:
    """A side is asked for cubes or cards while it has a step left."""
    return state if has_step(state, frame) else pop(state)


def _unless_settled(state: State, frame: Answer, told: Telling) -> State:
    """6.3, 6.6: an event that can do nothing is passed over, a standing order is obeyed."""
    if not can_do_something(state, frame.seat, frame.card):
        told.everybody(
            "The event of {card} would have no effect and is skipped.",
            card=card_name(state, frame.card),
        )
        return pop(state)
    told.final = True  # 11.7: whether there is a standing order must not be found out by undoing
    rule = of_side(state.standing, frame.seat).rule(frame.card)
    return state if rule == "ask" else obey(state, frame, rule, told)


def _begin_command(state: State, frame: CommandCard, told: Telling) -> State:
    """7.1: what is in reach is fixed now, after the opponent's event."""
    side, card = frame.seat, frame.card
    points = state.variant.deck.cards[card].command
    told.everybody(
        "{side} commands up to {points:# cube|# cubes} with {card}.",
        side=SIDE_NAMES[side],
        points=points,
        card=card_name(state, card),
    )
    targets = state.table.layout.names(state.table.accessible(side))
    commanding = Commanding(side, card, points, targets)
    if has_step(state, commanding):
        return swap(state, commanding)
    told.everybody("{side} cannot place any cubes.", side=SIDE_NAMES[side])
    return pop(state)


def _begin_effect(state: State, frame: Resolve, told: Telling) -> State:
    side, card, number = frame.seat, frame.card, frame.effect
    effects = state.variant.deck.cards[card].event
    if number == len(effects):
        return pop(state)
    state = swap(state, Resolve(side, card, number + 1))
    match effects[number]:
        case Gain(points):
            return gain(state, side, card, points, told)
        case GainEach(where):
            points = points_for_each(state, side, card, where)
            return gain(state, side, card, points, told)
        case Clear(where):
            return _clear(state, side, state.table.layout.meant(card, where), told)
        case effect:
            return replace(state, stack=(*state.stack, question(state, side, card, effect)))


_GO_ON: dict[type[Frame], Callable[[State, Any, Telling], State]] = {
    Answer: _unless_settled,
    CommandCard: _begin_command,
    Resolve: _begin_effect,
    Commanding: _unless_stuck,
    Infiltrating: _unless_stuck,
    Removing: _unless_stuck,
    Gathering: _unless_stuck,
    Relocating: _unless_stuck,
}


def _clear(state: State, side: Seat, cards: Cards, told: Telling) -> State:
    owner = opponent(side)
    for country in state.table:
        card, cubes = country.card, country.cubes(owner)
        if not cubes or not cards & state.table.layout.deck.bits[card]:
            continue
        told.everybody(
            "{cubes:# cube|# cubes} of {owner} {cubes:leaves|leave} {card}.",
            owner=SIDE_NAMES[owner],
            card=card_name(state, card),
            cubes=cubes,
        )
        state = replace(
            state,
            table=state.table.with_cubes(owner, card, -cubes),
            supplies=supplies(state, owner, cubes),
        )
    return state


def _next_turn(state: State, told: Telling) -> State:
    if state.turn == TURNS_IN_ROUND:
        return _second_round(state, told) if state.round < ROUNDS else _final(state, told)
    assert state.first is not None, "a round begins with the choice of the first side"
    side = state.first if state.turn % 2 == 0 else opponent(state.first)
    return replace(state, stack=(PlayCard(side),))


def _second_round(state: State, told: Telling) -> State:
    """3.3, 3.4: the last cards go aside, four more each, the side behind chooses."""
    told.final = True
    told.everybody("Round 1 is over. Each side lays its last card aside for the aftermath.")
    aftermath = state.hands[0] + state.hands[1]
    for side, card in zip((USA, USSR), aftermath, strict=True):
        told.only(side, "You lay {card} aside.", card=card_name(state, card))
    told.everybody("Each side is dealt four cards for round 2.")
    state = replace(
        state,
        hands=(state.reserve[:SECOND_DEAL], state.reserve[SECOND_DEAL:]),
        reserve=(),
        aftermath=aftermath,
        round=2,
        turn=0,
        first=None,
        stack=(ChooseFirst(chooser_of_second_round(state.track)),),
    )
    tell_hands(state, told)
    return state


def tell_hands(state: State, told: Telling) -> None:
    for side in (USA, USSR):
        names = tuple([card_name(state, card) for card in state.hand(side)])
        told.only(side, "You are dealt {cards}.", cards=names)


def _final(state: State, told: Telling) -> State:
    """9.1-9.4: the aftermath, then every region, each of which may end the match."""
    told.final = True
    state = count_aftermath(state, told)
    for region in state.variant.rules.final_order:
        if state.result is None:
            state = count_region(state, region, "Final scoring of {region}", told)
    if state.result is not None:
        return state
    ahead = USA if state.track > 0 else USSR
    if state.track == 0:
        reason = Text("The track is level at the end; the tie goes to {side}.")
        return win(state, state.variant.rules.tie, reason, told)
    return win(state, ahead, Text("{side} is ahead after the final scoring."), told)
