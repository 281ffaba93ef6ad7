"""Where the cards lie, which of them touch, which cells are free; and sets of cards as numbers.

Every card of a deck has a byte of its own in a number (`Deck.bits`). A set of cards is a number
with a 1 in the bytes of its cards, so that sets are joined with |, cut with & and empty when 0. The
cubes on a table are counted in the same bytes.

A layout lasts from one placement to the next: all states between share it, and with it what was
found out about it.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from engine.iron_curtain.deck import ELSEWHERE, HERE, NEIGHBOURS, Deck
from engine.iron_curtain.grid import Cell, neighbours

Cards = int
"""A set of cards."""

NO_CARDS: Cards = 0
NO_CELLS = frozenset[Cell]()


class Layout(Struct, frozen=True, eq=False):
    """The cards of a deck on their cells; a value that never changes."""

    deck: Deck
    laid: Cards
    cells: dict[str, Cell]
    """In the order in which the cards were played."""
    at: dict[Cell, str]
    beside: dict[str, Cards]
    """The cards that share an edge with a card."""
    borders: dict[str, frozenset[Cell]]
    """The free cells beside the cards of each region."""
    _open: dict[str, tuple[Cell, ...]] = field(default_factory=dict)
    _reach: dict[Cards, Cards] = field(default_factory=dict)
    _next: dict[tuple[str, Cell], Layout] = field(default_factory=dict)
    _moves: dict[tuple[str, bool], tuple[Cell, ...]] = field(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layout):
            return NotImplemented
        return self is other or (
            self.deck is other.deck and list(self.cells.items()) == list(other.cells.items())
        )

    def __hash__(self) -> int:
        return hash(tuple(self.cells.items()))

    def with_card(self, card: str, cell: Cell) -> Layout:
        found = self._next.get((card, cell))
        if found is None:
            cells, at = self.cells.copy(), self.at.copy()
            beside, borders = self.beside.copy(), self.borders.copy()
            _lay(self.deck, card, cell, cells, at, beside, borders)
            laid = self.laid | self.deck.bits[card]
            found = Layout(self.deck, laid, cells, at, beside, borders)
            self._next[card, cell] = found
        return found

    def with_card_moved(self, card: str, cell: Cell) -> Layout:
        """The card lies elsewhere, and still comes where it came in the order of play."""
        return layout_of(self.deck, {**self.cells, card: cell})

    # --- sets of cards --------------------------------------------------------------------------

    def names(self, cards: Cards) -> tuple[str, ...]:
        """The face-up cards of a set, in the order they were played."""
        if cards == self.laid:
            return tuple(self.cells)
        bits = self.deck.bits
        return tuple([card for card in self.cells if bits[card] & cards])

    def reach(self, held: Cards) -> Cards:
        """7.1: these cards and those beside them."""
        found = self._reach.get(held)
        if found is None:
            found, bits = held, self.deck.bits
            for card, near in self.beside.items():
                if near & held:
                    found |= bits[card]
            self._reach[held] = found
        return found

    def meant(self, here: str, where: tuple[str, ...]) -> Cards:
        """The face-up cards that an event on the card `here` points to."""
        found = NO_CARDS
        for word in where:
            found |= self._named(here, word)
        return found

    def _named(self, here: str, word: str) -> Cards:
        """A word that names a region means it, even where a card has the same name."""
        deck = self.deck
        if word in deck.sets:
            return deck.sets[word] & self.laid
        if word == HERE:
            return deck.bits[here]
        if word == NEIGHBOURS:
            return self.beside[here]
        if word == ELSEWHERE:
            return self.laid & ~deck.bits[here]
        return deck.bits[word] & self.laid

    # --- cells ----------------------------------------------------------------------------------

    def open_cells(self, region: str) -> tuple[Cell, ...]:
        """4.1, 4.2: where a card of that region may go: beside its region, else beside any card."""
        found = self._open.get(region)
        if found is None:
            border = self.borders.get(region) or NO_CELLS.union(*self.borders.values())
            found = self._open[region] = tuple(sorted(border))
        return found

    def cells_to_move_to(self, card: str, connected: bool) -> tuple[Cell, ...]:
        """8.6: where a face-up card may go; connected: if the cards must not fall apart."""
        if card not in self.cells:
            return ()
        found = self._moves.get((card, connected))
        if found is None:
            found = self._moves[card, connected] = self._moves_of(card, connected)
        return found

    def _moves_of(self, card: str, connected: bool) -> tuple[Cell, ...]:
        """The card is lifted first and never goes back to where it lay."""
        others = self.laid & ~self.deck.bits[card]
        region = self.deck.sets[self.deck.region_of[card]] & others
        cells = self._free_beside(region)
        if not cells and not self.beside[card] & region:
            cells = self._free_beside(others)
        if connected:
            rest = {cell for other, cell in self.cells.items() if other != card}
            cells = [cell for cell in cells if is_connected({*rest, cell})]
        return tuple(cells)

    def _free_beside(self, cards: Cards) -> list[Cell]:
        around = {near for card in self.names(cards) for near in neighbours(self.cells[card])}
        return sorted(around - self.at.keys())


def layout_of(deck: Deck, placed: Mapping[str, Cell]) -> Layout:
    """The cards of a deck on these cells, in the order in which they were played."""
    layout = Layout(deck, sum([deck.bits[card] for card in placed]), {}, {}, {}, {})
    for card, cell in placed.items():
        _lay(deck, card, cell, layout.cells, layout.at, layout.beside, layout.borders)
    return layout


def _lay(
    deck: Deck,
    card: str,
    cell: Cell,
    cells: dict[str, Cell],
    at: dict[Cell, str],
    beside: dict[str, Cards],
    borders: dict[str, frozenset[Cell]],
) -> None:
    """Put one card more into the parts of a layout that is being made."""
    bits, bit, region = deck.bits, deck.bits[card], deck.region_of[card]
    touched, free = NO_CARDS, list[Cell]()
    for near in neighbours(cell):
        if near in at:
            other = at[near]
            beside[other] |= bit
            touched |= bits[other]
        else:
            free.append(near)
    for name, border in borders.items():
        if cell in border:
            borders[name] = border - {cell}
    borders[region] = borders.get(region, NO_CELLS).union(free)
    cells[card], at[cell], beside[card] = cell, card, touched


def is_connected(cells: set[Cell]) -> bool:
    left = set(cells)
    edge = [left.pop()]
    while edge:
        found = left.intersection(neighbours(edge.pop()))
        left -= found
        edge += found
    return not left
