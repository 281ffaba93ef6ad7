"""Who is asked, by whom, and what is said unasked: standing orders, allies, questions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic

from msgspec import Struct

from engine.core import A, Option, S, Seat, Text, V


class StandingOrders(ABC, Generic[S, A]):
    """Takes orders that need no question, such as what to do in a case that may come."""

    @abstractmethod
    def any_time(self, state: S, seat: Seat, prefix: tuple[str, ...] = ()) -> tuple[Option[A], ...]:
        """Orders that a seat may give whether it is asked or not, as `options` gives the others.

        Nobody else sees that one was given, and nobody is asked anything else by it.
        """

    @abstractmethod
    def is_any_time(self, action: A) -> bool:
        """Whether an order is one of these; lists too long to be offered can be typed."""


class Alliances(ABC, Generic[V]):
    """Has seats that stand together."""

    @abstractmethod
    def allies(self, seat: Seat) -> tuple[Seat, ...]:
        """Whose players may take over a seat that nobody plays any more, the nearest first.

        Where the setup decides which seats there are, some of them are in other matches only.
        """

    @abstractmethod
    def plans(self, view: V) -> tuple[str, ...]:
        """What a seat has said in advance, as orders: for its allies, if it lets them see it."""


class Inquiry(Struct, frozen=True):
    """What a seat is asked in the middle of the turn of another one."""

    by: Seat
    """Whose turn it is."""
    about: Text
    """What is to be decided, as a sentence."""


class Inquiries(ABC, Generic[S]):
    """Asks seats in the middle of the turns of others; the usual answer is `default_action`."""

    @abstractmethod
    def inquiry(self, state: S, seat: Seat) -> Inquiry | None:
        """What the match waits for from this seat, if that is no turn of its own."""
