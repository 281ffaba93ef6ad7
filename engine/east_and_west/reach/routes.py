"""Ways over the board: what a power's units may cross, how far it is, and by which spaces."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

from engine.core import Seat
from engine.east_and_west import queries
from engine.east_and_west.board import Board, Group
from engine.east_and_west.data.arsenal import BLITZING, SUBMARINE, kinds
from engine.east_and_west.data.atlas import CANALS, ICE_CAP, Passage, atlas
from engine.east_and_west.data.powers import ARAB, USSR
from engine.east_and_west.state import State

Way = tuple[str, ...]
"""The spaces that are entered, the last one being where the move ends."""

STRAITS: dict[Passage, str] = {
    "dardanelles": "turkey",
    "gibraltar": "gibraltar",
    "oresund": "west-germany",
    "panama": "panama",
}
"""8.12: who holds this land since the start of the turn may pass; Suez has rules of its own."""
SUEZ_LANDS = ("egypt", "jordan")


class Terrain:
    """A board as the power at turn sees it when it moves; each question is answered once."""

    def __init__(self, state: State, power: Seat) -> None:
        self.state, self.power = state, power
        self.board: Board = state.board
        self.is_combat = self.board.turn.stop == "operations"

    # --- lands ------------------------------------------------------------------------------------

    @cached_property
    def broken(self) -> frozenset[str]:
        """Alliances that are attacked in this turn: nobody passes any more; 19 on 13.4."""
        spaces = atlas().spaces
        return frozenset(spaces[land].owner for land in self.board.turn.attacked)

    @cached_property
    def open_lands(self) -> frozenset[str]:
        """8.6, 13.3: lands of the own side, and of alliances that pay the power."""
        return frozenset(land for land in self.board.owners if self._is_open(land))

    def _is_open(self, land: str) -> bool:
        if queries.is_friendly(self.board, self.power, land):
            return True
        held = self.board.owners[land]
        return held not in self.broken and queries.has_access(self.board, self.power, land)

    @cached_property
    def assailable(self) -> frozenset[str]:
        """Lands into which a combat move may lead; what is open has to be declared first."""
        return frozenset(
            land
            for land in self.board.owners
            if land not in self.open_lands and queries.may_attack(self.board, self.power, land)
        )

    def is_defended(self, land: str) -> bool:
        """7.2: combat units, or a battle that was declared already, as by paratroops."""
        return bool(queries.defenders(self.board, self.power, land)) or land in self.declared

    @cached_property
    def declared(self) -> frozenset[str]:
        """Spaces in which there will be a battle."""
        return frozenset(attack.space for attack in self.board.turn.attacks)

    @cached_property
    def struck(self) -> frozenset[str]:
        """11.3: spaces that no conventional attack may enter in this turn."""
        if self.board.variant.nuclear_winter:
            return frozenset()
        targets = {strike.target for strike in self.board.turn.strikes}
        return frozenset(targets | {*self.board.turn.bombed})

    def is_free_of_bombs(self, space: str) -> bool:
        return space not in self.struck

    def may_blitz(self, land: str) -> bool:
        """8.4: enemy land, not neutral land, without combat units."""
        return (
            queries.is_enemy(self.board, self.power, land)
            and not self.is_defended(land)
            and self.is_free_of_bombs(land)
        )

    # --- water ------------------------------------------------------------------------------------

    @cached_property
    def blocked(self) -> frozenset[str]:
        """8.3: zones with ships that stop others."""
        return frozenset(
            space
            for space in self.board.units
            if atlas().is_water(space) and queries.enemy_ships(self.board, self.power, space)
        )

    @cached_property
    def hostile(self) -> frozenset[str]:
        """Zones with ships that can be attacked, also those that need stop nobody; 16.26."""
        return frozenset(
            space
            for space in self.board.units
            if atlas().is_water(space) and targets_at_sea(self.board, self.power, space)
        )

    def passes(self, start: str, zone: str, kind: str) -> bool:
        """8.12: through a canal or strait, or where there is none."""
        passage = atlas().passages.get((start, zone))
        if passage is None or (passage == "oresund" and not self.board.variant.baltic_strait):
            return True
        if kind == SUBMARINE and passage not in CANALS:
            return True
        return self.is_open_passage(passage)

    def is_open_passage(self, passage: Passage) -> bool:
        if passage != "suez":
            return queries.was_held(self.board, self.power, STRAITS[passage])
        return self._likes_the_league or all(
            queries.was_held(self.board, self.power, land) for land in SUEZ_LANDS
        )

    @property
    def _likes_the_league(self) -> bool:
        position = self.board.influence.get(ARAB)
        if position is None:
            return False
        return position >= 0 if self.power == USSR else position <= 0

    def slips(self, kind: str) -> bool:
        """5.9: submarines with a snorkel are stopped by nobody."""
        return kind == SUBMARINE and queries.knows(self.board, self.power, "submarine", 1)

    def may_dive(self, group: Group) -> bool:
        """8.9: nuclear submarines go under the ice, but not back where they began the turn."""
        return (
            group.kind == SUBMARINE
            and queries.knows(self.board, self.power, "submarine", 2)
            and not group.has("surfaced")
        )

    # --- air --------------------------------------------------------------------------------------

    @cached_property
    def airspace(self) -> frozenset[str]:
        """8.13: everything but the ice and the lands of neutrals that do not pay the power."""
        spaces = atlas().spaces
        return frozenset(
            key
            for key, space in spaces.items()
            if space.kind == "sea"
            or (space.is_land and (key in self.open_lands or not self._is_neutral(key)))
        )

    def _is_neutral(self, land: str) -> bool:
        return queries.is_neutral(self.board, land)

    @cached_property
    def guns(self) -> frozenset[str]:
        """7.4: enemy lands whose guns shoot at what flies over them."""
        if not self.board.variant.aa_overflight:
            return frozenset()
        return frozenset(
            land
            for land in self.board.units
            if queries.is_enemy(self.board, self.power, land) and queries.has_gun(self.board, land)
        )

    # --- units ------------------------------------------------------------------------------------

    def points(self, group: Group) -> int:
        """Movement points that are left to a unit in this turn."""
        whole = queries.movement(self.board, group.owner, group.kind, not self.is_combat)
        return max(0, whole - group.used)


def targets_at_sea(board: Board, power: str, zone: str) -> list[Group]:
    """Enemy ships that are not submerged."""
    return [
        group
        for group in queries.enemies(board, power, zone)
        if kinds()[group.kind].is_ship and not group.has("submerged")
    ]


# --- which ways there are ------------------------------------------------------------------------


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
    enterable = open_lands | terrain.assailable
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
    enterable = airspace | terrain.assailable
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
