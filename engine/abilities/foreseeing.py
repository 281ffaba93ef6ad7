"""What would come of a position or a battle."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic

from msgspec import Struct

from engine.core import A, Name, S, Seat, V


class Forecast(Struct, frozen=True):
    """What a part of the board would give each seat if it were scored now."""

    place: Name
    points: tuple[int, ...]
    is_scored: bool
    """Whether it was scored already."""


class Forecasts(ABC, Generic[V]):
    """Scores parts of the board, and can say what each would give now."""

    @abstractmethod
    def forecast(self, view: V) -> tuple[Forecast, ...]: ...


class PlannedBattle(Struct, frozen=True):
    """A battle that nobody fights yet, as a person describes it."""

    attacker: Seat
    ours: str
    defender: Seat
    theirs: str
    known: tuple[str, ...] = ()
    """What the two have found out that the others have not."""
    is_at_sea: bool = False
    is_landing: bool = False


class Odds(ABC):
    """Has battles, and can say how one would end."""

    @abstractmethod
    def odds(self, battle: PlannedBattle) -> tuple[str, ...]:
        """Line by line, in English."""


class Rehearsals(ABC, Generic[S, A]):
    """Can go through very many orders quickly, for sparring partners: nothing is told of them."""

    @abstractmethod
    def orders(self, state: S, seat: Seat) -> Sequence[A]:
        """All legal orders of a seat, as the options lead to them, without their words."""

    @abstractmethod
    def rehearsed(self, state: S, seat: Seat, action: A) -> S:
        """The state that `apply` leads to, except for what is told of it; nobody throws a die."""


class Prospects(ABC, Generic[S]):
    """Can judge a position that is not over; sparring partners see further with it."""

    @abstractmethod
    def prospect(self, state: S, seat: Seat) -> float:
        """How good a position looks for a seat; 1 won, -1 lost."""
