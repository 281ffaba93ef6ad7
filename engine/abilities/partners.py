"""Players that are programs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol

from engine.core import A, S, Seat, V
from engine.game import Game


class Sparring(Protocol):
    """Chooses one of the orders that a seat may give."""

    def choose(self, game: Game[S, A, V], view: V, seat: Seat) -> A: ...


class StandIns(ABC):
    """Has a player of its own for seats that nobody plays."""

    @abstractmethod
    def stand_in(self, seed: str) -> Sparring: ...
