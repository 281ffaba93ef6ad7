"""A match of Iron Curtain as a value, hidden parts included."""

from __future__ import annotations

from msgspec import Struct

from engine.core import Event, Outcome, Seat
from engine.iron_curtain.board import Country, Frame, Variant
from engine.iron_curtain.deck import USA, Deck
from engine.iron_curtain.standing_orders import NONE, Both
from engine.iron_curtain.table import Tableau


class State(Struct, frozen=True, gc=False):
    """Everything, hidden parts included; never handed to anything that draws."""

    variant: Variant
    order: tuple[str, ...]
    """The shuffled deck, top first; it never changes."""
    hands: tuple[tuple[str, ...], tuple[str, ...]]
    """What the USA and the USSR hold."""
    reserve: tuple[str, ...]
    aftermath: tuple[str, ...]
    """Empty in round 1, then the card of the USA and the card of the USSR."""
    table: Tableau
    """Face-up cards in the order they were played, with their cubes."""
    supplies: tuple[int, int]
    track: int
    """Points towards the US flag; negative: towards the USSR's."""
    round: int
    turn: int
    """Cards played in this round."""
    first: Seat | None
    """Who takes the first turn of this round, once that is chosen."""
    scored: tuple[str, ...]
    """Regions that were completed during play."""
    stack: tuple[Frame, ...]
    news: tuple[Event, ...]
    """What happened since the last card was placed."""
    result: Outcome | None = None
    standing: Both = (NONE, NONE)
    """What each side has said in advance; the other does not know."""

    def hand(self, side: Seat) -> tuple[str, ...]:
        return self.hands[0] if side == USA else self.hands[1]

    def supply(self, side: Seat) -> int:
        return self.supplies[0] if side == USA else self.supplies[1]

    def country(self, card: str) -> Country | None:
        return self.table.country(card)

    @property
    def deck(self) -> Deck:
        return self.variant.deck


def still_to_come(state: State, side: Seat) -> list[str]:
    """The cards of a flag that are not on the table."""
    laid, cards = state.table.layout.cells, state.deck.cards
    return [card for card in state.deck.order if cards[card].flag == side and card not in laid]
