"""Names on the map: on several lines, whole or short, larger where there is room."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html import escape
from math import hypot
from typing import NamedTuple

from engine.core import Language
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.chart import Outline, chart, short_name

SMALLEST, LARGEST = 9.5, 14.0
ZONE = 9.0
"""The size of names on land, and of those on water."""
LONGEST, LONGEST_SHORT = 12, 10
"""Letters on a line, if the words are not longer."""
BESIDE, BESIDE_SHORT = 16, 10
"""From the middle of the pieces to the end of a name that stands on their left."""
SPILL = 8
"""A name may be so much longer than the room in its land, before it is broken."""
TOO_LONG = 2
"""Letters by which a word may be longer than a line; then the short name is taken."""
DOT = 12
"""An island with less room is a dot: its name stands above it."""
COUNTER = 12
"""Below a name, if it is a land."""
Corners = tuple[float, float, float, float]
Shift = tuple[float, float]
STEP, ROAM = 4.0, 1.5
"""By what steps a name on water gives way, and how far, by the room in its space."""


class Label(NamedTuple):
    """A name around the point where it is to stand, in units of a tenth of a name."""

    svg: str
    half: float
    """About half of its width."""
    top: float
    bottom: float


@cache
def name(space: str, language: Language, is_brief: bool, scale: float) -> Label:
    outline, is_land = chart().spaces[space], atlas().is_land(space)
    size = _size(outline, scale) if is_land else ZONE
    longest = LONGEST_SHORT if is_brief else LONGEST
    if is_land and not outline.island:
        longest = min(longest, round(SPILL * outline.room / (scale * size)))
    lines = broken(atlas().spaces[space].names.in_(language), longest)
    if is_brief or max(map(len, lines)) > longest + TOO_LONG:
        lines = broken(short_name(space, language), longest)
    bottom = _bottom(outline, size, len(lines))
    turned = f' transform="rotate({outline.turn})"' if outline.turn else ""
    css = "name" if is_land else "zone"
    if outline.pieces is not None:
        css, turned = (
            f"{css} beside",
            f' transform="translate({-BESIDE_SHORT if is_brief else -BESIDE})"',
        )
    svg = f'<text class="{css}" font-size="{size:.3g}"{turned}>{_spans(lines, size, bottom)}</text>'
    half = max(map(len, lines)) * size * (0.31 if is_land else 0.27)
    return Label(svg, half, bottom - size * len(lines), bottom)


@cache
def places(
    spaces: frozenset[str], language: Language, is_brief: bool, scale: float
) -> dict[str, Shift]:
    """How far the name of each space gives way, in its own units, so that none runs into another.

    Names on land stay where they are. A water whose name has no place is not among them: it tells
    its name when it is pointed at.
    """
    taken: list[Corners] = []
    found: dict[str, Shift] = {}
    for space in sorted(spaces, key=lambda space: (not atlas().is_land(space), space)):
        for shift in _shifts(space, scale):
            corners = _corners(space, language, is_brief, scale, shift)
            if atlas().is_land(space) or not any(_overlap(corners, other) for other in taken):
                taken.append(corners)
                found[space] = shift
                break
    return found


def _shifts(space: str, scale: float) -> Iterator[Shift]:
    """The nearest first, as far as the room in the space goes."""
    outline = chart().spaces[space]
    yield 0.0, 0.0
    room = 0.0 if atlas().is_land(space) or outline.turn else ROAM * outline.room / scale
    steps = [i * STEP for i in range(-int(room // STEP), int(room // STEP) + 1)]
    yield from sorted(
        ((x, y) for x in steps for y in steps if x or y), key=lambda at: (hypot(*at), at)
    )


def _corners(space: str, language: Language, is_brief: bool, scale: float, shift: Shift) -> Corners:
    outline, label = chart().spaces[space], name(space, language, is_brief, scale)
    x, y = outline.places[0]
    half, top, low = label.half, label.top, label.bottom
    if outline.turn:
        half, top, low = ZONE / 2, -half, half
    left = -2 * half - BESIDE_SHORT if outline.pieces is not None else -half
    right = 0 if outline.pieces is not None else half
    low += COUNTER if atlas().is_land(space) else 0
    return (
        x + (left + shift[0]) * scale,
        y + (top + shift[1]) * scale,
        x + (right + shift[0]) * scale,
        y + (low + shift[1]) * scale,
    )


def _overlap(one: Corners, other: Corners) -> bool:
    is_beside = one[2] <= other[0] or other[2] <= one[0]
    return not is_beside and one[1] < other[3] and other[1] < one[3]


@cache
def name_again(space: str, language: Language) -> str:
    """The paler name of the second image of a space, at the edge of the map."""
    lines = broken(short_name(space, language), LONGEST_SHORT)
    css = "name" if atlas().is_land(space) else "zone"
    return f'<text class="{css} again" font-size="7">{_spans(lines, 7, 0)}</text>'


def is_dot(outline: Outline) -> bool:
    return outline.island and outline.room < DOT


def broken(words: str, longest: int) -> list[str]:
    """A name on as few lines as are not too long, about as long as each other."""
    lines: list[str] = []
    for part in re.findall(r"[^ -]+[ -]*", words):
        if lines and len(lines[-1]) + len(part.rstrip()) <= longest:
            lines[-1] += part
        else:
            lines.append(part)
    return [line.rstrip() for line in lines]


def _size(outline: Outline, scale: float) -> float:
    room = outline.room / scale
    return min(LARGEST, SMALLEST + max(0.0, room - 12) * 0.15)


def _bottom(outline: Outline, size: float, lines: int) -> float:
    """Where its last line stands: the name around its point, but above a dot."""
    is_above = is_dot(outline) and outline.pieces is None
    return -8.0 if is_above else size * (0.35 + (lines - 1) / 2)


def _spans(lines: list[str], size: float, bottom: float) -> str:
    if len(lines) == 1:
        return f'<tspan x="0" y="{bottom:.3g}">{escape(lines[0])}</tspan>'
    top = bottom - size * (len(lines) - 1)
    return "".join(
        f'<tspan x="0" y="{top + i * size:.3g}">{escape(line)}</tspan>'
        for i, line in enumerate(lines)
    )
