"""What some games can do and others cannot: a game that can is also of one of these types.

A host asks by type, `isinstance(game, DeckProofs)`, never by the name of a game.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, Protocol

from msgspec import Struct

from engine.core import A, Name, Option, S, Seat, Text, V
from engine.game import Game


class StandingOrders(ABC, Generic[S, A]):
    """Takes orders that need no question, such as what to do in a case that may come."""

    @abstractmethod
    def any_time(self, state: S, seat: Seat, prefix: tuple[str, ...] = ()) -> tuple[Option[A], ...]:
        """Orders that a seat may give whether it is asked or not, as `options` gives the others.

        Nobody else sees that one was given, and nobody is asked anything else by it.
        """


class Alliances(ABC):
    """Has seats that stand together."""

    @abstractmethod
    def allies(self, seat: Seat) -> tuple[Seat, ...]:
        """Whose players may take over a seat that nobody plays any more, the nearest first."""


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


class DeckProofs(ABC, Generic[S]):
    """Shuffles one deck at the setup, so that the server can prove each card it deals."""

    @abstractmethod
    def deck(self, state: S) -> tuple[str, ...]:
        """The whole shuffled deck, for the server's commitment to it and for nobody's eyes."""

    @abstractmethod
    def known_deck(self, state: S, seat: Seat | None) -> dict[int, str]:
        """The positions of the shuffled deck whose cards a seat may have opened."""


class OwnDecks(ABC):
    """Can be played with a deck that players bring, described in a TOML file."""

    @property
    @abstractmethod
    def deck_option(self) -> str:
        """The name of the choice that takes what stands in the file."""


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


class Prospects(ABC, Generic[S]):
    """Can judge a position that is not over; sparring partners see further with it."""

    @abstractmethod
    def prospect(self, state: S, seat: Seat) -> float:
        """How good a position looks for a seat; 1 won, -1 lost."""


class Sparring(Protocol):
    """Chooses one of the orders that a seat may give."""

    def choose(self, game: Game[S, A, V], view: V, seat: Seat) -> A: ...


class StandIns(ABC):
    """Has a player of its own for seats that nobody plays."""

    @abstractmethod
    def stand_in(self, seed: str) -> Sparring: ...
