"""What some games can do and others cannot: a game that can is also of one of these types.

A host asks by type, `isinstance(game, DeckProofs)`, never by the name of a game.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, Protocol

from msgspec import Struct

from engine.core import A, Language, Name, Option, S, Seat, V
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


class Zoom(Struct, frozen=True):
    """A part of the map that can be drawn for itself."""

    key: str
    """For addresses; empty: the whole map."""
    name: str
    """In the reader's language."""


class Arrow(Struct, frozen=True):
    """Units that are to go from one space to another."""

    start: str
    target: str
    number: int = 0
    """Shown on it, as in a list of orders; 0: none."""
    is_attack: bool = False


class BattleMark(Struct, frozen=True):
    """A battle that is to be fought, or was."""

    space: str
    percent: int | None = None
    """How likely the attacker wins, if that is to be shown."""


class Picture(Struct, frozen=True):
    """How a map is to be drawn, beside the view; spaces by their keys, unknown ones are ignored."""

    zoom: str = ""
    """A key of `Maps.zooms`; an unknown one is the whole map."""
    link: str = ""
    """Where a press on a space leads, with {space} for its key, `?at={space}`; empty: nowhere."""
    target_link: str = ""
    """The same for targets, `?at=poland&to={space}`; empty: as all others."""
    selected: str = ""
    targets: frozenset[str] = frozenset()
    """They glow: where what was selected can go."""
    changed: frozenset[str] = frozenset()
    """Marked as other than when the reader looked last."""
    arrows: tuple[Arrow, ...] = ()
    battles: tuple[BattleMark, ...] = ()


class Maps(ABC, Generic[V]):
    """Has a board that is too large for one look: a map with parts to zoom into.

    A host begins with `picture`, which says what the view itself has to show, and adds what only
    it knows by `msgspec.structs.replace`: the zoom, links, what is selected, odds of battles.
    """

    @abstractmethod
    def zooms(self, language: Language = "en") -> tuple[Zoom, ...]:
        """The parts that can be drawn for themselves; the whole map is the first."""

    @abstractmethod
    def zoom_on(self, spaces: frozenset[str]) -> str:
        """The key of the smallest part that shows all of some spaces; the whole map's if none."""

    @abstractmethod
    def picture(self, view: V, earlier: V | None = None) -> Picture:
        """The moves and battles of this turn, and what has changed since an earlier view.

        Without an earlier view: what the news since the reader's last turn tell of.
        """

    @abstractmethod
    def draw_map(self, view: V, picture: Picture, language: Language = "en") -> str:
        """The view as an SVG document, as `draw` gives it; its style sheet is `style`, too.

        Every space has an id, its key, and can be focused; the document has the attribute
        `data-zoomable`, by which a script may let people zoom and drag it.
        """


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
