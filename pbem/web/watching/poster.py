"""A board with words beside it, as a picture of the size that other sites show with links.

Nobody is named on it: it stays right whoever is renamed or deleted.
"""

from __future__ import annotations

import re
from html import escape
from textwrap import wrap
from typing import NamedTuple

WIDE, HIGH = 1200, 630
MARGIN = 36
COLUMN = 300
"""Pixels for the words; the board has the rest."""
PAPER, INK, FAINT, SEAL = "#fdfcf8", "#1f2328", "#565d66", "#b8432f"


class Type(NamedTuple):
    """How lines of words are set."""

    size: int
    a_line: int
    """Letters that are sure to fit into the column."""
    lines: int
    weight: int = 400
    colour: str = INK


TITLE = Type(44, 13, 3, 700)
SAID = Type(27, 24, 11)
SITE = Type(22, 28, 1, colour=FAINT)

_ROOT = re.compile(r"<svg\b[^>]*>")
_KEPT = re.compile(r'\s(?:class|viewBox)="[^"]*"')
_SPOKEN = re.compile(r"<(title|desc)>[^<]*</\1>")


def svg(board: str, title: str, said: str, site: str) -> str:
    """The drawing of a board, a title, how the match stands, and where all this is from."""
    heading = _lines(title, TITLE)
    below = MARGIN + 2 * TITLE.size + _height(heading, TITLE)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}">'
        f'<rect width="{WIDE}" height="{HIGH}" style="fill:{PAPER}"/>'
        f'<rect width="{WIDE}" height="8" style="fill:{SEAL}"/>'
        f"{_set(heading, TITLE, MARGIN + TITLE.size)}"
        f"{_set(_lines(said, SAID), SAID, below)}"
        f"{_set(_lines(site, SITE), SITE, HIGH - MARGIN)}"
        f"{_beside(board)}</svg>"
    )


def _lines(text: str, type: Type) -> list[str]:
    return wrap(text, type.a_line, max_lines=type.lines, placeholder=" …")


def _height(lines: list[str], type: Type) -> int:
    return round((len(lines) - 1) * type.size * 1.25)


def _set(lines: list[str], type: Type, top: int) -> str:
    """Inline, so that no style sheet of a board changes it."""
    style = f"font:{type.weight} {type.size}px sans-serif;fill:{type.colour};text-anchor:start"
    return "".join(
        f'<text x="{MARGIN}" y="{top + number * type.size * 1.25:g}" style="{style}">'
        f"{escape(line)}</text>"
        for number, line in enumerate(lines)
    )


def _beside(board: str) -> str:
    """The board in its own corner, as large as fits; without words for screen readers."""
    left, top = COLUMN + 2 * MARGIN, 8 + MARGIN // 2
    place = (
        f'x="{left}" y="{top}" width="{WIDE - left - MARGIN // 2}" height="{HIGH - 2 * top + 8}"'
    )
    root = _ROOT.search(board)
    assert root is not None, "a drawing of a game is an SVG document"
    kept = "".join(_KEPT.findall(root[0]))
    return f"<svg {place}{kept}>{_SPOKEN.sub('', board[root.end() :])}"
