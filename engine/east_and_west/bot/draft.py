"""Orders being thought out: each is tried with the rules, and dropped if they refuse it."""

from __future__ import annotations

from typing import Any, Literal, get_args

from engine.chance import SealedDice
from engine.core import GameError, Seat
from engine.east_and_west import queries
from engine.east_and_west.board import Board
from engine.east_and_west.bot.appraisal import Appraisal
from engine.east_and_west.data.arsenal import BOMBER, BOMBS
from engine.east_and_west.forces import count
from engine.east_and_west.orders import rules
from engine.east_and_west.state import State

Skill = Literal["bombs", "raids", "paratroops", "research", "landings", "spies"]
"""11; 7.14; 12; 5.3 against money; 8.11 with full ships from afar; 4.4 and 4.5.

What a stand-in player has learnt beside marching; each can be left out, to see its worth.
"""
ALL_SKILLS: frozenset[Skill] = frozenset(get_args(Skill))
MOST_ORDERS = 59
"""In one stop, before `done`; the longest that were seen had fifty."""
MOST_TRIES = 1_500
"""Orders tried in one stop, the refused ones included, so that a stop never takes long."""
Place = tuple[State, int]
"""Where a draft stood once."""


class Draft:
    """The orders of one seat so far, and the match as it is after them; no die falls."""

    def __init__(self, state: State, seat: Seat, skills: frozenset[Skill] = ALL_SKILLS) -> None:
        self.state, self.seat, self.skills = state, seat, skills
        self.orders: list[Any] = []
        self.after: list[State] = []
        """The match after each order."""
        self._sight: Appraisal | None = None
        self._tries = 0

    @property
    def board(self) -> Board:
        return self.state.board

    @property
    def sight(self) -> Appraisal:
        """The board as it is now, appraised."""
        if self._sight is None or self._sight.board is not self.board:
            self._sight = Appraisal(self.board, self.seat)
        return self._sight

    def on_call(self, land: str) -> int:
        """Bombers that wait beside atomic bombs which the power can use; 11.3."""
        if "bombs" not in self.skills or not queries.knows(self.board, self.seat, "nuclear", 1):
            return 0
        own = queries.own_units(self.board, self.seat, land)
        return min(count(own, BOMBER), count(own, *BOMBS))

    def give(self, action: Any) -> bool:
        """Whether the rules allow an order; then it is kept. Who has tried enough is refused."""
        self._tries += 1
        if self._tries > MOST_TRIES or len(self.orders) >= MOST_ORDERS:
            return False
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
