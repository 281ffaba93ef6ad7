"""The unbounded grid of cards: cells, their names and their neighbours.

The starter lies on s19, so that every cell a match can reach has a column from a to ak and a row
from 1 to 37. Columns run west to east, rows north to south.
"""

from __future__ import annotations

import re
from functools import cache

Cell = tuple[int, int]

CENTRE = 19
_NAME = re.compile(r"([a-z]{1,2})([1-9][0-9]?)")


@cache
def neighbours(cell: Cell) -> tuple[Cell, Cell, Cell, Cell]:
    """North, west, east, south; corners never touch."""
    x, y = cell
    return (x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1)


@cache
def cell_name(cell: Cell) -> str:
    return column_name(cell[0]) + row_name(cell[1])


def column_name(x: int) -> str:
    number = x + CENTRE
    assert number >= 1, f"column {x} lies beyond the named grid"
    high, low = divmod(number - 1, 26)
    return (chr(96 + high) if high else "") + chr(97 + low)


def row_name(y: int) -> str:
    assert y + CENTRE >= 1, f"row {y} lies beyond the named grid"
    return str(y + CENTRE)


def cell_named(name: str) -> Cell | None:
    """The cell of a name such as s19, or None when it is no name of a cell."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - 96
    return column - CENTRE, int(match[2]) - CENTRE
