"""How the letters of one reader show boards, in which mail programs differ.

A check-up letter shows samples of each; whoever reads it presses the one that is straight.
"""

from __future__ import annotations

from typing import Final, NamedTuple

DRAWN: Final = "drawn"
"""The HTML has the board as the game draws it there."""
TYPED: Final = "typed"
"""The HTML has the board of the text part, in letters of one width."""
PLAIN: Final = "plain"
"""The letter is its text part alone."""
TOLD: Final = "told"
"""Both parts tell the board in sentences."""
FORMS = (DRAWN, TYPED, PLAIN, TOLD)
WIDTHS = (72, 60, 40)
"""Columns that a line of text has at most."""


class Shape(NamedTuple):
    form: str = DRAWN
    width: int = WIDTHS[0]


USUAL = Shape()
SAMPLES = (Shape(PLAIN, 72), Shape(PLAIN, 60), Shape(PLAIN, 40))
"""What the text part of a check-up letter shows, the widest first."""
PAGE_SAMPLES = (USUAL, Shape(TYPED, 60), Shape(TYPED, 40))
"""The same in its HTML."""
NONE_STRAIGHT = Shape(TOLD, 72)


def ruler(width: int) -> str:
    """A line of so many columns that says how many: `----5---10---15`."""
    marks = "".join(str(column).rjust(5, "-") for column in range(5, width + 1, 5))
    return marks.ljust(width, "-")
