"""What one seat may know of a match, as a type of its own; renderers see nothing else."""

from __future__ import annotations

from msgspec import Struct

from engine.core import Outcome, Seat, Text
from engine.iron_curtain.board import Frame, Variant
from engine.iron_curtain.deck import Deck
from engine.iron_curtain.standing_orders import StandingOrders
from engine.iron_curtain.table import Tableau


class View(Struct, frozen=True):
    """The public table and, for a seat, its own cards; seat None is a spectator."""

    seat: Seat | None
    variant: Variant
    table: Tableau
    supplies: tuple[int, int]
    track: int
    round: int
    turn: int
    first: Seat | None
    scored: tuple[str, ...]
    stack: tuple[Frame, ...]
    news: tuple[Text, ...]
    hand: tuple[str, ...]
    hand_sizes: tuple[int, int]
    reserve_size: int
    aside: str | None
    """The card this seat laid aside for the aftermath."""
    aftermath: tuple[str, ...]
    """Both cards, once the match is over."""
    known: tuple[tuple[int, str], ...]
    """Positions of the shuffled deck that this seat may have opened, with their cards."""
    result: Outcome | None
    standing: StandingOrders
    """What this seat has said in advance."""
    is_closed: bool = False
    """Whether the match ended outside the rules, so that nobody is asked any more."""

    @property
    def deck(self) -> Deck:
        return self.variant.deck

    @property
    def asked(self) -> Frame | None:
        return self.stack[-1] if self.stack else None
