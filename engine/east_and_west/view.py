"""What one seat may know of a match, as a type of its own; renderers see nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from engine.core import Seat
from engine.east_and_west.battle import Combat
from engine.east_and_west.board import Board
from engine.east_and_west.data import seating
from engine.east_and_west.standing import NONE, Standing


class View(Struct, frozen=True):
    """The board lies open; hidden is only what each seat says in advance. None is a spectator."""

    seat: Seat | None
    board: Board
    combat: Combat | None = None
    said: Mapping[Seat, Standing] = {}
    """What this seat has said in advance, by power; of whom nothing was said is not there."""
    is_closed: bool = False
    """Whether the match ended outside the rules, so that nobody is asked any more."""

    @property
    def asked(self) -> Seat | None:
        """The power that has to decide."""
        return None if self.is_closed else self.board.asked

    @property
    def powers(self) -> tuple[Seat, ...]:
        """Those of this seat."""
        return seating.powers(self.board.variant.nato, self.seat)

    @property
    def power(self) -> Seat | None:
        """Of the powers of this seat the one that is asked, at turn, or the next to be."""
        return self.board.speaker(self.powers) if self.powers else None

    @property
    def standing(self) -> Standing:
        """What was said in advance for that power."""
        return self.said.get(self.power, NONE) if self.power else NONE
