"""What every question about a move is asked of: the terrain, who can move, who can land."""

from __future__ import annotations

from functools import cached_property

from msgspec.structs import replace

from engine.core import Seat
from engine.east_and_west.board import Group, Mark
from engine.east_and_west.data.arsenal import BOMBER, TRANSPORTS, kinds
from engine.east_and_west.reach.landing import Promise
from engine.east_and_west.reach.routes import Terms, by_air, by_land, by_sea, distances
from engine.east_and_west.reach.terrain import Terrain
from engine.east_and_west.state import State

HELD: frozenset[Mark] = frozenset({"spent", "grounded", "stunned"})
"""Marks of units that do not move at all."""
ENGAGED: frozenset[Mark] = HELD | {"attacking", "raiding", "carrying"}
"""The same in the combat move."""


class MoveContext(Terrain):
    """A terrain that also knows who can still move, and whether all aircraft can land."""

    def __init__(self, state: State, power: Seat, followed: str = "") -> None:
        super().__init__(state, power)
        self.followed = followed
        """8.2: a land that was taken by the first units of an order, to which others belong."""
        self._movable: dict[str, tuple[Group, ...]] = {}
        self._reach: dict[tuple[str, Group, int], dict[str, int]] = {}

    @cached_property
    def promise(self) -> Promise:
        return Promise(self)

    # --- who can move -----------------------------------------------------------------------------

    @cached_property
    def starts(self) -> tuple[str, ...]:
        """Spaces with own units that may still move, sorted."""
        return tuple(space for space in sorted(self.board.units) if self.movable(space))

    def starts_of(self, *some: str) -> list[str]:
        """Those with units of some kinds, sorted."""
        by_kind = self._starts_by_kind
        return sorted({start for kind in some for start in by_kind.get(kind, ())})

    @cached_property
    def _starts_by_kind(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for start in self.starts:
            for group in self.movable(start):
                found.setdefault(group.kind, []).append(start)
        return found

    def movable(self, space: str) -> tuple[Group, ...]:
        """Own groups of a space that may still move, with as many units as may."""
        known = self._movable.get(space)
        if known is None:
            known = self._movable[space] = self._find_movable(space)
        return known

    def _find_movable(self, space: str) -> tuple[Group, ...]:
        held = ENGAGED if self.is_combat else HELD
        found: list[Group] = []
        for group in self.board.at(space):
            if group.owner == self.power and held.isdisjoint(group.marks):
                free = self._without_promised(space, group)
                if free.count and self.points(free):
                    found.append(free)
        return tuple(found)

    def _without_promised(self, space: str, group: Group) -> Group:
        """11.3: bombers that are going to fly atomic attacks do nothing else."""
        if not self.is_combat or group.kind != BOMBER or group.used:
            return group
        strikes = self.board.turn.strikes
        promised = sum(strike.start == space and strike.by == "bomber" for strike in strikes)
        return replace(group, count=max(0, group.count - promised))

    @cached_property
    def transports(self) -> dict[str, list[Group]]:
        """Zones with transports of any power, and those ships."""
        found: dict[str, list[Group]] = {}
        for zone, groups in self.board.units.items():
            for group in groups:
                if group.kind in TRANSPORTS:
                    found.setdefault(zone, []).append(group)
        return found

    # --- how far ----------------------------------------------------------------------------------

    def terms(self, group: Group) -> Terms:
        kind = kinds()[group.kind]
        if kind.is_air:
            return by_air(self, self.is_combat)
        return by_sea(self, group) if kind.is_ship else by_land(self, group)

    def reach(self, start: str, group: Group, more: int = 0) -> dict[str, int]:
        """How far each space is that a unit of a group can get to, with more points perhaps."""
        key = start, group, more
        known = self._reach.get(key)
        if known is None:
            known = distances(start, self.points(group) + more, self.terms(group))
            self._reach[key] = known
        return known


def move_context(state: State, power: Seat) -> MoveContext:
    """The context of a state; the last one is kept, since many questions are asked of one state."""
    global _last
    context = _last
    if context is None or context.state is not state or context.power != power:
        context = _last = MoveContext(state, power)
    return context


_last: MoveContext | None = None
