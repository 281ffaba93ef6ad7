"""A match of Iron Curtain as a value, hidden parts included."""

from __future__ import annotations

from msgspec import Struct

from engine.core import Event, Outcome, Seat
from engine.iron_curtain.board import Country, Frame, Variant
from engine.iron_curtain.deck import USA, Deck
from engine.iron_curtain.standing_orders import NONE, Both


class State(Struct, frozen=True):
    """Everything, hidden parts included; never handed to anything that draws."""

    variant: Variant
    order: tuple[str, ...]
    """The shuffled deck, top first; it never changes."""
    hands: tuple[tuple[str, ...], tuple[str, ...]]
    """What the USA and the USSR hold."""
    reserve: tuple[str, ...]
    aftermath: tuple[str, ...]
    """Empty in round 1, then the card of the USA and the card of the USSR."""
    table: tuple[Country, ...]
    """Face-up cards in the order they were played."""
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
        for country in self.table:
            if country.card == card:
                return country
        return None

    @property
    def deck(self) -> Deck:
        return self.variant.deck
