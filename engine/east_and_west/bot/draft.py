"""Orders being thought out: each is tried with the rules, and dropped if they refuse it."""

from __future__ import annotations

from typing import Any

from engine.chance import SealedDice
from engine.core import GameError, Seat
from engine.east_and_west.board import Board
from engine.east_and_west.bot.appraisal import Appraisal
from engine.east_and_west.orders import rules
from engine.east_and_west.state import State

Place = tuple[State, int]
"""Where a draft stood once."""


class Draft:
    """The orders of one seat so far, and the match as it is after them; no die falls."""

    def __init__(self, state: State, seat: Seat) -> None:
        self.state, self.seat = state, seat
        self.orders: list[Any] = []
        self.after: list[State] = []
        """The match after each order."""
        self._sight: Appraisal | None = None

    @property
    def board(self) -> Board:
        return self.state.board

    @property
    def sight(self) -> Appraisal:
        """The board as it is now, appraised."""
        if self._sight is None or self._sight.board is not self.board:
            self._sight = Appraisal(self.board, self.seat)
        return self._sight

    def give(self, action: Any) -> bool:
        """Whether the rules allow an order; then it is kept."""
        try:
            step = rules.apply(self.state, self.seat, action, SealedDice())
        except GameError:
            return False
        self.state = step.state
        self.orders.append(action)
        self.after.append(step.state)
        return True

    def mark(self) -> Place:
        return self.state, len(self.orders)

    def back(self, place: Place) -> None:
        """Forget what was ordered since."""
        self.state, number = place
        del self.orders[number:]
        del self.after[number:]
