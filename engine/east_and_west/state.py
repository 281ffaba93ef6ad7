"""A match of East & West as a value, hidden parts included."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from engine.core import Seat
from engine.east_and_west.battle import Combat
from engine.east_and_west.board import Board
from engine.east_and_west.standing import NONE, Standing


class State(Struct, frozen=True):
    """Everything, hidden parts included; never handed to anything that draws."""

    board: Board
    combat: Combat | None = None
    """The battles that are being fought, while somebody is asked in the middle of one."""
    standing: Mapping[Seat, Standing] = {}
    """What each seat has said in advance; the others do not know."""

    def orders(self, seat: Seat) -> Standing:
        return self.standing.get(seat, NONE)
