"""What every question about a move is asked of: the terrain, who can move, who can land."""

from __future__ import annotations

from functools import cached_property

from msgspec.structs import replace

from engine.core import Seat
from engine.east_and_west.board import Group, Mark
from engine.east_and_west.data.arsenal import BOMBER, TRANSPORTS
from engine.east_and_west.reach.landing import Promise
from engine.east_and_west.reach.terrain import Terrain
from engine.east_and_west.state import State

HELD: frozenset[Mark] = frozenset({"spent", "grounded", "stunned"})
"""Marks of units that do not move at all."""
ENGAGED: frozenset[Mark] = HELD | {"attacking", "raiding", "carrying"}
"""The same in the combat move."""


class MoveContext(Terrain):
    """A terrain that also knows who can still move, and whether all aircraft can land."""

    def __init__(self, state: State, power: Seat) -> None:
        super().__init__(state, power)
        self._movable: dict[str, tuple[Group, ...]] = {}

    @cached_property
    def promise(self) -> Promise:
        return Promise(self)

    @cached_property
    def starts(self) -> tuple[str, ...]:
        """Spaces with own units that may still move, sorted."""
        return tuple(space for space in sorted(self.board.units) if self.movable(space))

    @cached_property
    def transports(self) -> dict[str, tuple[Group, ...]]:
        """Zones with transports of any power, and those ships."""
        ships = {
            space: tuple(group for group in groups if group.kind in TRANSPORTS)
            for space, groups in self.board.units.items()
        }
        return {zone: there for zone, there in ships.items() if there}

    def movable(self, space: str) -> tuple[Group, ...]:
        """Own groups of a space that may still move, with as many units as may."""
        if space not in self._movable:
            self._movable[space] = self._find_movable(space)
        return self._movable[space]

    def _find_movable(self, space: str) -> tuple[Group, ...]:
        held = ENGAGED if self.is_combat else HELD
        return tuple(
            group
            for standing in self.board.at(space)
            if standing.owner == self.power and held.isdisjoint(standing.marks)
            for group in [self._without_promised(space, standing)]
            if group.count and self.points(group)
        )

    def _without_promised(self, space: str, group: Group) -> Group:
        """11.3: bombers that are going to fly atomic attacks do nothing else."""
        if not self.is_combat or group.kind != BOMBER or group.used:
            return group
        strikes = self.board.turn.strikes
        promised = sum(strike.start == space and strike.by == "bomber" for strike in strikes)
        return replace(group, count=max(0, group.count - promised))


def move_context(state: State, power: Seat) -> MoveContext:
    """The context of a state; the last one is kept, since many questions are asked of one state."""
    global _last
    context = _last
    if context is None or context.state is not state or context.power != power:
        context = _last = MoveContext(state, power)
    return context


_last: MoveContext | None = None
