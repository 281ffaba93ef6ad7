"""What one seat may know: from a state to its view, and back to a state that looks the same."""

from __future__ import annotations

from engine.core import Dice, Event, Seat
from engine.iron_curtain.board import FIRST_DEAL, SECOND_DEAL
from engine.iron_curtain.deck import SIDES, USA, USSR
from engine.iron_curtain.standing_orders import NONE
from engine.iron_curtain.state import State
from engine.iron_curtain.view import View


def view(state: State, seat: Seat | None) -> View:
    seated = seat in SIDES
    own = SIDES.index(seat) if seated and seat else 0
    over = state.result is not None
    return View(
        seat=seat if seated else None,
        variant=state.variant,
        table=state.table,
        supplies=state.supplies,
        track=state.track,
        round=state.round,
        turn=state.turn,
        first=state.first,
        scored=state.scored,
        stack=state.stack,
        news=tuple(event.text for event in state.news if event.heard_by(seat)),
        hand=state.hands[own] if seated else (),
        hand_sizes=(len(state.hands[0]), len(state.hands[1])),
        reserve_size=len(state.reserve),
        aside=state.aftermath[own] if seated and state.aftermath else None,
        aftermath=state.aftermath if over else (),
        known=tuple(known_deck(state, seat).items()),
        result=state.result,
        standing=state.standing[own] if seated else NONE,
    )


def known_deck(state: State, seat: Seat | None) -> dict[int, str]:
    """Cards on the table, cards dealt to the seat; everything once the match is over."""
    shown = {country.card for country in state.table}
    mine = set(dealt_positions(seat, state.round)) if seat in SIDES and seat else set()
    return {
        position: card
        for position, card in enumerate(state.order)
        if state.result is not None or card in shown or position in mine
    }


def dealt_positions(seat: Seat, round_: int) -> list[int]:
    """The positions of the deck that were dealt to a seat up to a round."""
    first = 0 if seat == USA else FIRST_DEAL
    second = 2 * FIRST_DEAL + (0 if seat == USA else SECOND_DEAL)
    positions = list(range(first, first + FIRST_DEAL))
    return positions + list(range(second, second + SECOND_DEAL)) if round_ > 1 else positions


def imagine(view: View, dice: Dice) -> State:
    """A state that looks exactly like `view` to the seat that has it."""
    order = _imagined_order(view, dice)
    shown = {country.card for country in view.table}
    dealt = [[order[i] for i in dealt_positions(side, view.round)] for side in (USA, USSR)]
    kept = [[card for card in cards if card not in shown] for cards in dealt]
    if view.round == 1:
        aftermath: tuple[str, ...] = ()
        hands = tuple(kept[0]), tuple(kept[1])
    else:
        aftermath = kept[0][0], kept[1][0]
        hands = tuple(kept[0][1:]), tuple(kept[1][1:])
    return State(
        variant=view.variant,
        order=order,
        hands=hands,
        reserve=order[2 * FIRST_DEAL :] if view.round == 1 else (),
        aftermath=aftermath,
        table=view.table,
        supplies=view.supplies,
        track=view.track,
        round=view.round,
        turn=view.turn,
        first=view.first,
        scored=view.scored,
        stack=view.stack,
        news=tuple(Event(text) for text in view.news),
        result=view.result,
        standing=(NONE, view.standing) if view.seat == USSR else (view.standing, NONE),
    )


def _imagined_order(view: View, dice: Dice) -> tuple[str, ...]:
    known = dict(view.known)
    seen = set(known.values())
    unseen = iter(dice.shuffle([c for c in view.deck.order if c not in seen], "imagined"))
    return tuple(
        known[place] if place in known else next(unseen) for place in range(len(view.deck.order))
    )
