"""Ways over the board: what a power's units may cross, how far it is, and by which spaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from engine.east_and_west.board import Group
from engine.east_and_west.data.arsenal import BLITZING
from engine.east_and_west.data.atlas import ICE_CAP, atlas
from engine.east_and_west.reach.terrain import Terrain

Way = tuple[str, ...]
"""The spaces that are entered, the last one being where the move ends."""


class Terms(NamedTuple):
    """On what terms a unit goes."""

    enters: Callable[[str, str], bool]
    """Whether it may go from a space into a neighbouring one."""
    crosses: Callable[[str], bool]
    """Whether it may go on from there."""
    weight: Callable[[str], int]
    """What speaks against crossing a space."""


def by_land(terrain: Terrain, group: Group) -> Terms:
    """8.3, 8.4, 8.6: through open lands; who blitzes, also through empty enemy lands."""
    open_lands, blitzes = terrain.open_lands, group.kind in BLITZING
    if not terrain.is_combat:
        return Terms(lambda _, near: near in open_lands, lambda _: True, lambda _: 0)
    enterable = terrain.enterable_lands
    return Terms(
        lambda _, near: near in enterable,
        lambda land: land in open_lands or (blitzes and terrain.may_blitz(land)),
        lambda land: land not in open_lands,
    )


def by_sea(terrain: Terrain, group: Group) -> Terms:
    """8.3, 8.9, 8.12: enemy ships stop a ship; in the non-combat move they keep it out."""
    kind, dives, slips = group.kind, terrain.may_dive(group), terrain.slips(group.kind)
    blocked = frozenset[str]() if slips else terrain.blocked
    shut = frozenset[str]() if terrain.is_combat else blocked
    spaces = atlas().spaces

    def enters(here: str, near: str) -> bool:
        if spaces[near].kind != "sea" and not (near == ICE_CAP and dives):
            return False
        return near not in shut and terrain.passes(here, near, kind)

    return Terms(enters, lambda zone: zone not in blocked, lambda _: 0)


def by_air(terrain: Terrain, is_combat: bool) -> Terms:
    """7.4, 8.13: over everything but neutrals; on the way to a battle better not over guns."""
    airspace = terrain.airspace
    if not is_combat:
        return Terms(lambda _, near: near in airspace, lambda _: True, lambda _: 0)
    enterable = terrain.enterable_by_air
    return Terms(
        lambda _, near: near in enterable,
        lambda space: space in airspace,
        lambda space: space in terrain.guns,
    )


def distances(start: str, points: int, terms: Terms) -> dict[str, int]:
    """How far every space is that can be reached."""
    found, edge = {start: 0}, [start]
    neighbours = atlas().neighbours
    for length in range(1, points + 1):
        fresh = []
        for here in edge:
            for near in neighbours[here]:
                if near not in found and terms.enters(here, near):
                    found[near] = length
                    if terms.crosses(near):
                        fresh.append(near)
        edge = fresh
    return found


def ways(
    start: str, target: str, points: int, terms: Terms, via: tuple[str, ...] = ()
) -> list[tuple[int, Way]]:
    """Ways with their weights: the lightest of each length; over given spaces only the shortest."""
    if not via:
        return [layer[target] for layer in _layers(start, points, terms) if target in layer]
    heavy, whole, here = 0, Way(), start
    for stop in (*via, target):
        legs = [
            layer[stop]
            for layer in _layers(here, points - len(whole), terms)
            if stop in layer and stop != here
        ]
        if not legs or (stop != target and not terms.crosses(stop)):
            return []
        heavy, whole, here = heavy + legs[0][0], (*whole, *legs[0][1]), stop
        heavy += terms.weight(stop) if stop != target else 0
    return [(heavy, whole)]


def _layers(start: str, points: int, terms: Terms) -> list[dict[str, tuple[int, Way]]]:
    """For each length the lightest way to every space."""
    layers: list[dict[str, tuple[int, Way]]] = [{start: (0, ())}]
    neighbours = atlas().neighbours
    for _ in range(points):
        fresh: dict[str, tuple[int, Way]] = {}
        for here, (heavy, way) in layers[-1].items():
            if way and not terms.crosses(here):
                continue
            so_far = heavy + (terms.weight(here) if way else 0)
            for near in neighbours[here]:
                if (near not in fresh or so_far < fresh[near][0]) and terms.enters(here, near):
                    fresh[near] = so_far, (*way, near)
        layers.append(fresh)
    return layers
