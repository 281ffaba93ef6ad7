"""8.3, 8.9, 8.12, 8.13: what lies in the way of a move that would otherwise not be too far."""

from __future__ import annotations

from collections.abc import Iterator

from engine.core import IllegalAction, Name
from engine.east_and_west import world
from engine.east_and_west.arsenal import SUBMARINE, kinds
from engine.east_and_west.atlas import ICE_CAP, Passage, atlas
from engine.east_and_west.board import Group
from engine.east_and_west.powers import ARAB
from engine.east_and_west.routes import STRAITS, Terms, Theatre, Way, ways

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
    theatre: Theatre, start: str, target: str, group: Group, terms: Terms, via: tuple[str, ...]
) -> IllegalAction | None:
    """The first thing in the way, if without it the target would be in reach."""
    points = theatre.points(group)
    for easier in _easier(theatre, group, terms):
        found = ways(start, target, points, easier, via)
        if found:
            way = min((way for _, way in found), key=len)
            return _first(theatre, group, terms, start, way)
    return None


def _easier(theatre: Theatre, group: Group, terms: Terms) -> Iterator[Terms]:
    """The terms of a move with one kind of obstacle less, at last with none."""
    kind = kinds()[group.kind]
    if kind.is_ship:
        yield from _easier_at_sea(theatre, group, terms)
    elif kind.is_air:
        every = terms._replace(enters=lambda _, near: near != ICE_CAP, crosses=lambda _: True)
        yield every
        yield every._replace(enters=lambda _, near: True)
    else:
        yield terms._replace(
            enters=lambda _, near: atlas().is_land(near), crosses=lambda _: True, weight=_light
        )


def _easier_at_sea(theatre: Theatre, group: Group, terms: Terms) -> Iterator[Terms]:
    shut = frozenset[str]() if theatre.slips(group.kind) else theatre.blocked
    dives = theatre.may_dive(group)

    def is_sea(near: str) -> bool:
        return atlas().spaces[near].kind == "sea" or (near == ICE_CAP and dives)

    def avoids(near: str) -> bool:
        return theatre.is_combat or near not in shut

    def passes(here: str, near: str) -> bool:
        return theatre.passes(here, near, group.kind)

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
    theatre: Theatre, group: Group, terms: Terms, start: str, way: Way
) -> IllegalAction | None:
    for here, near in zip((start, *way), way, strict=False):
        if here != start and not terms.crosses(here):
            return _stop(theatre, group, here)
        if not terms.enters(here, near):
            return _barrier(theatre, group, here, near)
    return None


def _stop(theatre: Theatre, group: Group, space: str) -> IllegalAction:
    """8.3, 8.4: it would have to end its move there."""
    names = {"kind": kinds()[group.kind].names, "space": atlas().spaces[space].names}
    if atlas().is_water(space):
        return IllegalAction("{kind}: enemy ships in {space} are in the way", **names)
    if world.is_neutral(theatre.board, space):
        return _neutral(group, space)
    if not theatre.is_free_of_bombs(space):
        return IllegalAction("{kind}: {space}, on the way, is the target of a bomb", **names)
    if theatre.is_defended(space):
        return IllegalAction("{kind}: enemy units in {space} are in the way", **names)
    return IllegalAction("{kind}: {space} is enemy land and in the way", **names)


def _barrier(theatre: Theatre, group: Group, here: str, near: str) -> IllegalAction:
    """A border that it cannot cross."""
    if near == ICE_CAP:
        return _ice(theatre, group)
    names = {"kind": kinds()[group.kind].names, "space": atlas().spaces[near].names}
    if world.is_neutral(theatre.board, near):
        return _neutral(group, near)
    if kinds()[group.kind].is_ship:
        if not theatre.passes(here, near, group.kind):
            return _closed(theatre, group, atlas().passages[here, near])
        return IllegalAction("{kind}: enemy ships in {space} are in the way", **names)
    return IllegalAction("{kind}: {space} is enemy land and in the way", **names)


def _neutral(group: Group, land: str) -> IllegalAction:
    """8.13"""
    names = {"kind": kinds()[group.kind].names, "space": atlas().spaces[land].names}
    if kinds()[group.kind].is_air:
        return IllegalAction("{kind}: {space} is neutral; nobody flies over it", **names)
    return IllegalAction("{kind}: {space} is neutral and in the way", **names)


def _ice(theatre: Theatre, group: Group) -> IllegalAction:
    """8.9"""
    names = {"kind": kinds()[group.kind].names}
    if kinds()[group.kind].is_air:
        return IllegalAction("{kind}: aircraft do not cross the ice", **names)
    if group.kind == SUBMARINE and group.has("surfaced"):
        return IllegalAction(
            "{kind}: units that began the turn under the ice cannot go back there", **names
        )
    return IllegalAction("{kind}: only submarines with nuclear power go under the ice", **names)


def _closed(theatre: Theatre, group: Group, passage: Passage) -> IllegalAction:
    """8.12: what would open it."""
    names = {"kind": kinds()[group.kind].names, "passage": PASSAGES[passage]}
    if passage != "suez":
        return IllegalAction(
            "{kind}: no passage through {passage}; your side must have held {land} since the turn"
            " began",
            **names,
            land=atlas().spaces[STRAITS[passage]].names,
        )
    if ARAB in theatre.board.influence:
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
