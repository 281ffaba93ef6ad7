"""The board as printed: spaces, borders, passages, alliances, starting forces."""

from __future__ import annotations

import tomllib
from collections import deque
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Any, Literal

from msgspec import Struct, convert

from engine.core import Name, Seat, examine
from engine.east_and_west.data.powers import ALLIANCES

SpaceKind = Literal["land", "sea", "ice"]
Passage = Literal["suez", "panama", "dardanelles", "gibraltar", "oresund"]
CANALS: tuple[Passage, ...] = ("suez", "panama")
"""Closed to all ships; the others, straits, to surface ships only."""
ICE_CAP = "polar-ice-cap"


class Space(Struct, frozen=True, kw_only=True):
    names: Name
    tag: str
    """A few letters for drawn maps, the same in all languages; small ones for water."""
    theatre: str
    kind: SpaceKind
    value: int = 0
    owner: str = ""
    """At the beginning; empty for water."""
    capital: Seat | None = None
    factory: bool = False
    x: float
    y: float

    @property
    def is_land(self) -> bool:
        return self.kind == "land"

    @property
    def alliance(self) -> str | None:
        return self.owner if self.owner in ALLIANCES else None


class Alliance(Struct, frozen=True):
    names: Name
    west: Seat
    """Whom of NATO it pays when it leans that way."""
    start: int
    income: tuple[int, ...]
    """By distance of the marker from the middle."""


class Theatre(Struct, frozen=True):
    """A part of the world, for reports and maps only."""

    names: Name
    east: float = 1.0
    """Spaces from here on are drawn on the left: the theatre goes across the edge of the map."""


class Atlas(Struct, frozen=True):
    spaces: dict[str, Space]
    theatres: dict[str, Theatre]
    neighbours: dict[str, tuple[str, ...]]
    lands_near: dict[str, tuple[str, ...]]
    """Those of the neighbours that are land."""
    seas: frozenset[str]
    """All sea zones; the ice cap is none."""
    seas_near: dict[str, tuple[str, ...]]
    """Those that are sea zones."""
    passages: dict[tuple[str, str], Passage]
    """Both ways."""
    alliances: dict[str, Alliance]
    forces: dict[str, dict[str, dict[str, int]]]
    """By owner, space and kind."""
    complications: dict[int, str]

    def theatre(self, name: str) -> list[str]:
        """The spaces of a theatre."""
        return [key for key, space in self.spaces.items() if space.theatre == name]

    @property
    def lands(self) -> list[str]:
        return [key for key, space in self.spaces.items() if space.is_land]

    def is_land(self, space: str) -> bool:
        return self.spaces[space].kind == "land"

    def is_water(self, space: str) -> bool:
        """Sea zones and the ice cap."""
        return self.spaces[space].kind != "land"

    def coasts(self, zone: str) -> tuple[str, ...]:
        """The lands that touch a zone."""
        return self.lands_near[zone]

    def zones(self, land: str) -> tuple[str, ...]:
        """The sea zones that touch a land."""
        return self.seas_near[land]

    def is_island(self, land: str) -> bool:
        """19: all its neighbours are sea."""
        return not self.lands_near[land]

    def members(self, alliance: str) -> tuple[str, ...]:
        """The lands of a neutral alliance, as printed."""
        return tuple(key for key, space in self.spaces.items() if space.owner == alliance)

    def distances(self, start: Iterable[str]) -> dict[str, int]:
        """How many spaces of any kind away everything is from the nearest of some."""
        found = dict.fromkeys(start, 0)
        waiting = deque(found)
        while waiting:
            here = waiting.popleft()
            for near in self.neighbours[here]:
                if near not in found:
                    found[near] = found[here] + 1
                    waiting.append(near)
        return found


@cache
def atlas() -> Atlas:
    borders = _table("borders")
    passages = borders.pop("passages")
    pairs = [tuple(pair) for group in borders.values() for pair in group]
    marked = {tuple(pair): name for name, edges in passages.items() for pair in edges}
    spaces = convert(_table("spaces"), dict[str, Space])
    neighbours = _neighbours(spaces, [*pairs, *marked])
    return Atlas(
        spaces=spaces,
        theatres=convert(_table("theatres"), dict[str, Theatre]),
        neighbours=neighbours,
        seas=frozenset(key for key, space in spaces.items() if space.kind == "sea"),
        lands_near=_of_kind("land", spaces, neighbours),
        seas_near=_of_kind("sea", spaces, neighbours),
        passages={way: name for (a, b), name in marked.items() for way in ((a, b), (b, a))},
        alliances=convert(_table("alliances"), dict[str, Alliance]),
        forces=_table("forces"),
        complications={int(roll): what for roll, what in _table("complications").items()},
    )


def _neighbours(
    spaces: Mapping[str, Space], pairs: Iterable[tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    near: dict[str, set[str]] = {key: set() for key in spaces}
    for a, b in pairs:
        near[a].add(b)
        near[b].add(a)
    return {key: tuple(sorted(others)) for key, others in near.items()}


def _of_kind(
    kind: SpaceKind, spaces: Mapping[str, Space], neighbours: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    return {
        key: tuple(near for near in others if spaces[near].kind == kind)
        for key, others in neighbours.items()
    }


def _table(name: str) -> dict[str, Any]:
    file = resources.files(__package__) / f"{name}.toml"
    return tomllib.loads(file.read_text("utf-8"))


examine(Space)
