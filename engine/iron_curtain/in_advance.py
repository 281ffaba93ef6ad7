"""Standing orders given and obeyed (6.6)."""

from __future__ import annotations

from msgspec.structs import replace

from engine.core import IllegalAction, NotYourTurn, Seat, Step
from engine.iron_curtain import actions as act
from engine.iron_curtain.board import Answer, Resolve
from engine.iron_curtain.changes import Telling, called, card_name, pop, swap
from engine.iron_curtain.deck import SIDE_NAMES, SIDES, USA
from engine.iron_curtain.events import needs_no_choice
from engine.iron_curtain.standing_orders import ALL, IN_WORDS, Rule, of_side, with_rule
from engine.iron_curtain.state import State, still_to_come


def say_in_advance(state: State, seat: Seat, action: act.Standing) -> Step[State]:
    """6.6: nobody else hears of it, so it is no part of the news."""
    if state.result is not None:
        raise NotYourTurn("the match is over")
    if seat not in SIDES:
        raise NotYourTurn("auto-answers are for the players, USA and USSR")
    told = Telling()
    if action.card == ALL:
        card = ALL
        told.only(seat, "Default auto-answer: {rule}.", rule=IN_WORDS[action.rule])
    else:
        card = _own_card_to_come(state, seat, action.card)
        told.only(
            seat,
            "Auto-answer for {card}: {rule}.",
            card=card_name(state, card),
            rule=IN_WORDS[action.rule],
        )
    orders = with_rule(of_side(state.standing, seat), state.deck, card, action.rule)
    usa, ussr = state.standing
    standing = (orders, ussr) if seat == USA else (usa, orders)
    return Step(replace(state, standing=standing), tuple(told.events))


def _own_card_to_come(state: State, side: Seat, word: str) -> str:
    card, cards = called(state, word), still_to_come(state, side)
    if card in cards:
        return card
    raise IllegalAction(
        "{card} lies on the table already; auto-answers are for {cards}"
        if state.country(card)
        else "{card} is no card of your flag; auto-answers are for {cards}",
        card=word,
        cards=", ".join([*cards, ALL]),
    )


def obey(state: State, frame: Answer, rule: Rule, told: Telling) -> State:
    side, card = SIDE_NAMES[frame.seat], card_name(state, frame.card)
    if rule == "never":
        told.everybody("{side} declines the event of {card} by auto-answer.", side=side, card=card)
        return pop(state)
    if not needs_no_choice(state.deck.cards[frame.card]):
        return state
    told.everybody("{side} uses the event of {card} by auto-answer.", side=side, card=card)
    return swap(state, Resolve(frame.seat, frame.card, 0))
