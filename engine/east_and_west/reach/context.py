"""What every question about a move is asked of: the terrain, and whether all aircraft can land."""

from __future__ import annotations

from functools import cached_property

from engine.core import Seat
from engine.east_and_west.reach.landing import Promise
from engine.east_and_west.reach.terrain import Terrain
from engine.east_and_west.state import State


class MoveContext(Terrain):
    """A terrain that also knows whether all aircraft can land."""

    @cached_property
    def promise(self) -> Promise:
        return Promise(self)


def move_context(state: State, power: Seat) -> MoveContext:
    """The context of a state; the last one is kept, since many questions are asked of one state."""
    global _last
    if _last is None or _last.state is not state or _last.power != power:
        _last = MoveContext(state, power)
    return _last


_last: MoveContext | None = None
