"""8.3, 8.9, 8.12, 8.13: what lies in the way of a move that would otherwise not be too far."""

from __future__ import annotations

from collections.abc import Iterator

from engine.core import IllegalAction, Name
from engine.east_and_west import queries
from engine.east_and_west.board import Group
from engine.east_and_west.data.arsenal import SUBMARINE, kinds
from engine.east_and_west.data.atlas import ICE_CAP, Passage, atlas
from engine.east_and_west.data.powers import ARAB
from engine.east_and_west.reach.routes import Terms, Way, ways
from engine.east_and_west.reach.terrain import STRAITS, Terrain

PASSAGES: dict[Passage, Name] = {
    "suez": Name("the Suez Canal", "den Suezkanal", "le canal de Suez"),
    "panama": Name("the Panama Canal", "den Panamakanal", "le canal de Panama"),
    "dardanelles": Name("the Dardanelles", "die Dardanellen", "les Dardanelles"),
    "gibraltar": Name(
        "the Strait of Gibraltar", "die Straße von Gibraltar", "le détroit de Gibraltar"
    ),
    "oresund": Name("the Oresund", "den Öresund", "l'Øresund"),
}
"""As they are said after "through": German in the accusative."""


def obstacle(
    terrain: Terrain, start: str, target: str, group: Group, terms: Terms, via: tuple[str, ...]
) -> IllegalAction | None:
    """The first thing in the way, if without it the target would be in reach."""
    points = terrain.points(group)
    for easier in _easier(terrain, group, terms):
        found = ways(start, target, points, easier, via)
        if found:
            way = min((way for _, way in found), key=len)
            return _first(terrain, group, terms, start, way)
    return None


def _easier(terrain: Terrain, group: Group, terms: Terms) -> Iterator[Terms]:
    """The terms of a move with one kind of obstacle less, at last with none."""
    kind = kinds()[group.kind]
    if kind.is_ship:
        yield from _easier_at_sea(terrain, group, terms)
    elif kind.is_air:
        every = terms._replace(enters=lambda _, near: near != ICE_CAP, crosses=lambda _: True)
        yield every
        yield every._replace(enters=lambda _, near: True)
    else:
        yield terms._replace(
            enters=lambda _, near: atlas().is_land(near), crosses=lambda _: True, weight=_light
        )


def _easier_at_sea(terrain: Terrain, group: Group, terms: Terms) -> Iterator[Terms]:
    shut = frozenset[str]() if terrain.slips(group.kind) else terrain.blocked
    dives = terrain.may_dive(group)

    def is_sea(near: str) -> bool:
        return atlas().spaces[near].kind == "sea" or (near == ICE_CAP and dives)

    def avoids(near: str) -> bool:
        return terrain.is_combat or near not in shut

    def passes(here: str, near: str) -> bool:
        return terrain.passes(here, near, group.kind)

    yield terms._replace(enters=lambda here, near: is_sea(near) and avoids(near))
    yield terms._replace(
        enters=lambda here, near: is_sea(near) and passes(here, near), crosses=lambda _: True
    )
    yield terms._replace(
        enters=lambda here, near: atlas().is_water(near) and avoids(near) and passes(here, near)
    )
    yield terms._replace(enters=lambda here, near: atlas().is_water(near), crosses=lambda _: True)


def _light(_: str) -> int:
    return 0


def _first(
    terrain: Terrain, group: Group, terms: Terms, start: str, way: Way
) -> IllegalAction | None:
    for here, near in zip((start, *way), way, strict=False):
        if here != start and not terms.crosses(here):
            return _stop(terrain, group, here)
        if not terms.enters(here, near):
            return _barrier(terrain, group, here, near)
    return None


def _stop(terrain: Terrain, group: Group, space: str) -> IllegalAction:
    """8.3, 8.4: it would have to end its move there."""
    names = {"kind": kinds()[group.kind].names, "space": atlas().spaces[space].names}
    if atlas().is_water(space):
        return IllegalAction("{kind}: enemy ships in {space} are in the way", **names)
    if queries.is_neutral(terrain.board, space):
        return _neutral(group, space)
    if not terrain.is_free_of_bombs(space):
        return IllegalAction("{kind}: {space}, on the way, is the target of a bomb", **names)
    if terrain.is_defended(space):
        return IllegalAction("{kind}: enemy units in {space} are in the way", **names)
    return IllegalAction("{kind}: {space} is enemy land and in the way", **names)


def _barrier(terrain: Terrain, group: Group, here: str, near: str) -> IllegalAction:
    """A border that it cannot cross."""
    if near == ICE_CAP:
        return _ice(terrain, group)
    names = {"kind": kinds()[group.kind].names, "space": atlas().spaces[near].names}
    if queries.is_neutral(terrain.board, near):
        return _neutral(group, near)
    if kinds()[group.kind].is_ship:
        if not terrain.passes(here, near, group.kind):
            return _closed(terrain, group, atlas().passages[here, near])
        return IllegalAction("{kind}: enemy ships in {space} are in the way", **names)
    return IllegalAction("{kind}: {space} is enemy land and in the way", **names)


def _neutral(group: Group, land: str) -> IllegalAction:
    """8.13"""
    names = {"kind": kinds()[group.kind].names, "space": atlas().spaces[land].names}
    if kinds()[group.kind].is_air:
        return IllegalAction("{kind}: {space} is neutral; nobody flies over it", **names)
    return IllegalAction("{kind}: {space} is neutral and in the way", **names)


def _ice(terrain: Terrain, group: Group) -> IllegalAction:
    """8.9"""
    names = {"kind": kinds()[group.kind].names}
    if kinds()[group.kind].is_air:
        return IllegalAction("{kind}: aircraft do not cross the ice", **names)
    if group.kind == SUBMARINE and group.has("surfaced"):
        return IllegalAction(
            "{kind}: units that began the turn under the ice cannot go back there", **names
        )
    return IllegalAction("{kind}: only submarines with nuclear power go under the ice", **names)


def _closed(terrain: Terrain, group: Group, passage: Passage) -> IllegalAction:
    """8.12: what would open it."""
    names = {"kind": kinds()[group.kind].names, "passage": PASSAGES[passage]}
    if passage != "suez":
        return IllegalAction(
            "{kind}: no passage through {passage}; your side must have held {land} since the turn"
            " began",
            **names,
            land=atlas().spaces[STRAITS[passage]].names,
        )
    if ARAB in terrain.board.influence:
        return IllegalAction(
            "{kind}: no passage through {passage}; the Arab League must not lean to the other side,"
            " or your side must have held Egypt and Jordan since the turn began",
            **names,
        )
    return IllegalAction(
        "{kind}: no passage through {passage}; your side must have held Egypt and Jordan since the"
        " turn began",
        **names,
    )
