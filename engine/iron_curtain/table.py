"""Questions about the cards on the table: where a card may go, what a side reaches, who leads."""

from __future__ import annotations

from collections.abc import Iterable

from engine.core import Seat
from engine.iron_curtain.board import (
    Country,
    opponent,
)
from engine.iron_curtain.deck import ELSEWHERE, HERE, NEIGHBOURS, USA, Deck
from engine.iron_curtain.grid import Cell, neighbours
from engine.iron_curtain.state import State

Layout = tuple[Country, ...]


def open_cells(table: Layout, deck: Deck, region: str) -> list[Cell]:
    """Where a card of that region may be placed: beside its region, else beside any card."""
    taken = {country.cell for country in table}
    region_of = deck.region_of
    own = [country.cell for country in table if region_of[country.card] == region]
    return _free_beside(own, taken) or _free_beside(taken, taken)


def _free_beside(cells: Iterable[Cell], taken: set[Cell]) -> list[Cell]:
    free: set[Cell] = set()
    for cell in cells:
        free.update(neighbours(cell))
    return sorted(free - taken)


def may_place(table: Layout, deck: Deck, region: str, cell: Cell) -> bool:
    """Whether `cell` is among the open cells, found without listing them where that is easy."""
    around, beside_own = neighbours(cell), False
    region_of = deck.region_of
    for country in table:
        if country.cell == cell:
            return False
        if country.cell in around and region_of[country.card] == region:
            beside_own = True
    return beside_own or cell in open_cells(table, deck, region)


def cells_to_move_to(state: State, card: str) -> list[Cell]:
    """Where a face-up card may be moved, itself lifted first and never back to where it lay."""
    moved = state.country(card)
    if moved is None:
        return []
    rest = tuple(country for country in state.table if country.card != card)
    cells = open_cells(rest, state.deck, state.deck.cards[card].region)
    cells = [cell for cell in cells if cell != moved.cell]
    if state.variant.connected:
        taken = {country.cell for country in rest}
        cells = [cell for cell in cells if is_connected({*taken, cell})]
    return cells


def still_to_come(state: State, side: Seat) -> list[str]:
    """The cards of a flag that are not on the table."""
    laid = {country.card for country in state.table}
    cards = state.deck.cards
    return [card for card in state.deck.order if cards[card].flag == side and card not in laid]


def is_connected(cells: set[Cell]) -> bool:
    left = set(cells)
    edge = [left.pop()]
    while edge:
        found = left.intersection(neighbours(edge.pop()))
        left -= found
        edge += found
    return not left


def beside(table: Layout, card: str) -> set[str]:
    """The cards that share an edge with a card."""
    cell = next(country.cell for country in table if country.card == card)
    around = neighbours(cell)
    return {country.card for country in table if country.cell in around}


def accessible(table: Layout, side: Seat) -> tuple[str, ...]:
    """The cards with a cube of the side and the cards beside them, as the table is now."""
    own = [c.cell for c in table if (c.usa if side == USA else c.ussr)]
    reach = set(own)
    for cell in own:
        reach.update(neighbours(cell))
    return tuple([country.card for country in table if country.cell in reach])


def places(state: State, here: str, where: tuple[str, ...]) -> tuple[str, ...]:
    """The face-up cards an event points to, in the order they were played."""
    return tuple([country.card for country in countries(state, here, where)])


def countries(state: State, here: str, where: tuple[str, ...]) -> list[Country]:
    """Terms of `where`: here, neighbours, elsewhere, a region, a card.

    A word that names a region means it, even where a card has the same name.
    """
    deck = state.variant.deck
    regions, region_of = deck.regions, deck.region_of
    found = [
        c
        for c in state.table
        if region_of[c.card] in where or (c.card in where and c.card not in regions)
    ]
    if HERE in where:
        found += [c for c in state.table if c.card == here]
    if NEIGHBOURS in where:
        around = beside(state.table, here)
        found += [c for c in state.table if c.card in around]
    if ELSEWHERE in where:
        found += [c for c in state.table if c.card != here]
    if len(where) == 1:
        return found
    return [country for country in state.table if country in found]


def cost(country: Country, side: Seat) -> int:
    """Command points for one cube: two where the opponent leads by two or more."""
    return 2 if country.lead(side) <= -2 else 1


def sources(state: State, side: Seat, target: str) -> list[str]:
    """The cards a side with an empty supply may take a cube from."""
    return [c.card for c in state.table if c.cubes(side) and c.card != target]


def is_unhindered(country: Country, side: Seat, unless: str | None) -> bool:
    """Whether an infiltration that avoids led or locked cards may go there."""
    lead = country.lead(opponent(side))
    return unless is None or lead < (1 if unless == "led" else 2)
