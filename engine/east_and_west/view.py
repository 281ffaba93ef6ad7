"""What one seat may know of a match, as a type of its own; renderers see nothing else."""

from __future__ import annotations

from msgspec import Struct

from engine.core import Seat
from engine.east_and_west.battle import Combat
from engine.east_and_west.board import Board
from engine.east_and_west.standing import NONE, Standing


class View(Struct, frozen=True):
    """The board lies open; hidden is only what each seat says in advance. None is a spectator."""

    seat: Seat | None
    board: Board
    combat: Combat | None = None
    standing: Standing = NONE
    """What this seat has said in advance."""
    is_closed: bool = False
    """Whether the match ended outside the rules, so that nobody is asked any more."""

    @property
    def asked(self) -> Seat | None:
        if self.is_closed or self.board.result is not None:
            return None
        return self.board.questions[-1].seat if self.board.questions else self.board.turn.power
