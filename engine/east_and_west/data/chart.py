"""The drawn map: outlines of all spaces, where their names stand, and the parts to zoom into.

`map.json` was made from the country shapes of Natural Earth (public domain), whose coordinates
came by way of world-atlas 2.0.2 (ISC licence): divided and joined into the spaces of the game, and
drawn onto a board of 4000 by 2274 units on which Europe is larger than on the globe. Nothing in it
comes from a printed board. Outlines of neighbours share their points, so that they neither
overlap nor leave gaps.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources
from typing import NamedTuple

import msgspec
from msgspec import Struct

from engine.core import LANGUAGES, Language, Name, examine
from engine.east_and_west.data.atlas import Passage, atlas

Point = tuple[int, int]
Ring = tuple[Point, ...]
WORLD = "world"


class Box(NamedTuple):
    left: int
    top: int
    width: int
    height: int

    def holds(self, point: Point) -> bool:
        x, y = point
        in_width = self.left <= x <= self.left + self.width
        return in_width and self.top <= y <= self.top + self.height

    def meets(self, ring: Ring) -> bool:
        across, down = [x for x, _ in ring], [y for _, y in ring]
        is_beside = max(across) < self.left or min(across) > self.left + self.width
        return not is_beside and max(down) >= self.top and min(down) <= self.top + self.height


class Outline(Struct, frozen=True):
    """A space on the map; one that is cut by its edge has a second image."""

    path: str
    """As SVG writes it, in whole numbers: each ring is a move, relative lines, and a close."""
    label: Point
    room: int
    """How far the next border is from the middle of its widest part."""
    pieces: Point | None = None
    """Where pieces stand, if not at the name: that lies outside of the space."""
    also: Point | None = None
    """For the name of the second image."""
    island: bool = False
    turn: int = 0
    """Degrees by which the name is turned."""

    @property
    def places(self) -> tuple[Point, ...]:
        """Where its pieces stand, at each of its images."""
        first = self.pieces or self.label
        return (first,) if self.also is None else (first, self.also)


class Crossing(Struct, frozen=True):
    """A strait or a canal, as a line."""

    passage: Passage
    line: str


class Part(Struct, frozen=True):
    """A part of the map that is drawn for itself."""

    title: Name
    box: Box
    names: float


class Chart(Struct, frozen=True):
    width: int
    height: int
    spaces: dict[str, Outline]
    passages: tuple[Crossing, ...]
    scenery: str
    """Islands that are no space of the game."""


@cache
def chart() -> Chart:
    return msgspec.json.decode(_file("map.json"), type=Chart)


@cache
def parts() -> dict[str, Part]:
    """The whole world is the first."""
    return msgspec.convert(tomllib.loads(_file("zooms.toml")), dict[str, Part])


def part_with(spaces: Iterable[str]) -> str:
    """The smallest part in which all of some spaces have a name."""
    wanted = [chart().spaces[space].places for space in spaces]
    fitting = [
        key
        for key, part in parts().items()
        if all(any(map(part.box.holds, places)) for places in wanted)
    ]
    return min(fitting, key=lambda key: parts()[key].box.width * parts()[key].box.height)


# --- outlines -------------------------------------------------------------------------------------

_RING = re.compile(r"M[^M]+")
_NUMBER = re.compile(r"-?\d+")


def rings(path: str) -> Iterator[tuple[str, Ring]]:
    """The closed lines of a path, each as it is written and as points."""
    for found in _RING.finditer(path):
        numbers = [int(number) for number in _NUMBER.findall(found[0])]
        x, y = 0, 0
        ring: list[Point] = []
        for dx, dy in zip(numbers[::2], numbers[1::2], strict=True):
            x, y = x + dx, y + dy
            ring.append((x, y))
        yield found[0], tuple(ring)


def within(path: str, box: Box) -> str:
    """What of a path lies in a box, or reaches into it."""
    return "".join(written for written, ring in rings(path) if box.meets(ring))


# --- names for little room ------------------------------------------------------------------------

_ZONES: dict[Language, tuple[re.Pattern[str], str]] = {
    "en": (re.compile(r"^(.+) Sea Zone$"), r"\1 Z."),
    "de": (re.compile(r"^Seezone (.+)$"), r"SZ \1"),
    "fr": (re.compile(r"^Zone (.+)$"), r"Z. \1"),
}


def short_name(space: str, language: Language) -> str:
    found = _short_names()[language].get(space)
    if found is not None:
        return found
    pattern, shorter = _ZONES[language]
    return pattern.sub(shorter, atlas().spaces[space].names.in_(language))


@cache
def _short_names() -> dict[Language, dict[str, str]]:
    kept = tomllib.loads(_file("short_names.toml"))
    return {
        language: {space: said[language] for space, said in kept.items() if language in said}
        for language in LANGUAGES
    }


def _file(name: str) -> str:
    return (resources.files(__package__) / name).read_text("utf-8")


examine(Chart, Part)
