"""The cards on the table with their cubes: which of them a side holds, leads, locks and reaches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from engine.core import Seat
from engine.iron_curtain.board import Country, opponent
from engine.iron_curtain.deck import FLAGS, USA, Deck
from engine.iron_curtain.grid import Cell
from engine.iron_curtain.layout import Cards, Layout, layout_of

Cubes = int
"""The cubes of one side: in the byte of each card, how many of them lie on it."""

MOST_CARDS = sum(FLAGS.values()) + 1
MAJORITY, LOCK = 1, 2
"""By how many cubes a side leads."""
_ALL = sum(1 << 8 * place for place in range(MOST_CARDS))
"""A 1 in every byte."""
_LEADS = {lead: lead * _ALL for lead in (MAJORITY, LOCK)}
_TOPS = _ALL << 7
"""The highest bit of every byte, which no number of cubes reaches."""


def ahead(own: Cubes, other: Cubes, lead: int) -> Cards:
    """The cards on which one side has at least so many cubes more than the other.

    Every byte is reckoned at once: with its highest bit set none has to borrow from the next, and
    the bit is still there where own - other - lead is not below 0.
    """
    return ((own | _TOPS) - other - _LEADS[lead]) >> 7 & _ALL


class Tableau(Sequence[Country]):
    """The countries in the order they were played; a value that never changes.

    To whoever looks at it, it is a sequence of countries. The rules ask it for sets of cards.
    """

    __slots__ = ("_countries", "layout", "usa", "ussr")

    def __init__(self, layout: Layout, usa: Cubes, ussr: Cubes) -> None:
        self.layout, self.usa, self.ussr = layout, usa, ussr
        self._countries: tuple[Country, ...] | None = None

    @classmethod
    def of(cls, deck: Deck, countries: Iterable[Country]) -> Tableau:
        cells: dict[str, Cell] = {}
        usa = ussr = 0
        for country in countries:
            if not 0 <= min(country.usa, country.ussr) <= max(country.usa, country.ussr) < 100:
                raise ValueError(f"{country.card} cannot hold {country.usa}/{country.ussr} cubes")
            cells[country.card] = country.cell
            usa += country.usa * deck.bits[country.card]
            ussr += country.ussr * deck.bits[country.card]
        return cls(layout_of(deck, cells), usa, ussr)

    # --- what a side has ------------------------------------------------------------------------

    def cubes(self, side: Seat) -> Cubes:
        return self.usa if side == USA else self.ussr

    def held(self, side: Seat) -> Cards:
        """Those with a cube of the side."""
        return ahead(self.cubes(side), 0, 1)

    def led(self, side: Seat, lead: int = MAJORITY) -> Cards:
        if side == USA:
            return ahead(self.usa, self.ussr, lead)
        return ahead(self.ussr, self.usa, lead)

    def dear(self, side: Seat) -> Cards:
        """7.3: those on which a cube costs the side two points, because the opponent locks them."""
        return self.led(opponent(side), LOCK)

    def cost(self, side: Seat, card: str) -> int:
        """Command points for a cube of the side."""
        return 2 if self.dear(side) & self.layout.deck.bits[card] else 1

    def accessible(self, side: Seat) -> Cards:
        """7.1: those with a cube of the side and those beside them."""
        return self.layout.reach(self.held(side))

    # --- changed --------------------------------------------------------------------------------

    def with_cubes(self, side: Seat, card: str, cubes: int) -> Tableau:
        change = cubes * self.layout.deck.bits[card]
        if side == USA:
            return Tableau(self.layout, self.usa + change, self.ussr)
        return Tableau(self.layout, self.usa, self.ussr + change)

    def with_card(self, card: str, cell: Cell) -> Tableau:
        """4.4: a new card lies empty."""
        return Tableau(self.layout.with_card(card, cell), self.usa, self.ussr)

    def with_card_moved(self, card: str, cell: Cell) -> Tableau:
        return Tableau(self.layout.with_card_moved(card, cell), self.usa, self.ussr)

    # --- as countries ---------------------------------------------------------------------------

    @property
    def countries(self) -> tuple[Country, ...]:
        if self._countries is None:
            usa = self._by_card(self.usa)
            ussr = self._by_card(self.ussr)
            self._countries = tuple(
                [Country(card, at, usa[card], ussr[card]) for card, at in self.layout.cells.items()]
            )
        return self._countries

    def _by_card(self, cubes: Cubes) -> dict[str, int]:
        return dict(zip(self.layout.deck.bits, cubes.to_bytes(MOST_CARDS, "little"), strict=True))

    def country(self, card: str) -> Country | None:
        return next((country for country in self.countries if country.card == card), None)

    def __iter__(self) -> Iterator[Country]:
        return iter(self.countries)

    def __len__(self) -> int:
        return len(self.layout.cells)

    @overload
    def __getitem__(self, place: int) -> Country: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Country, ...]: ...

    def __getitem__(self, place: int | slice) -> Country | tuple[Country, ...]:
        return self.countries[place]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tableau):
            return NotImplemented
        return (self.usa, self.ussr) == (other.usa, other.ussr) and self.layout == other.layout

    def __hash__(self) -> int:
        return hash((self.layout, self.usa, self.ussr))

    def __repr__(self) -> str:
        return f"Tableau({self.countries})"
