"""What some games can do and others cannot: a game that can is also of one of these types.

A host asks by type, `isinstance(game, DeckProofs)`, never by the name of a game.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Generic, Literal, Protocol

from msgspec import Struct

from engine import core
from engine.core import A, Event, Language, Name, Option, S, Seat, Text, V
from engine.game import Game


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


class DeckProofs(ABC, Generic[S]):
    """Shuffles one deck at the setup, so that the server can prove each card it deals."""

    @abstractmethod
    def deck(self, state: S) -> tuple[str, ...]:
        """The whole shuffled deck, for the server's commitment to it and for nobody's eyes."""

    @abstractmethod
    def known_deck(self, state: S, seat: Seat | None) -> dict[int, str]:
        """The positions of the shuffled deck whose cards a seat may have opened."""


class Preset(Struct, frozen=True):
    """Options that go together."""

    name: str
    label: Text
    setup: Mapping[str, str]


class Presets(ABC):
    """Has kinds of matches that people choose by one word."""

    @abstractmethod
    def presets(self) -> tuple[Preset, ...]:
        """Beside the usual one, which needs no options."""


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


class Chapter(Struct, frozen=True):
    """Some lines under a title, for a letter."""

    title: Text
    lines: tuple[Text, ...]


class Briefings(ABC, Generic[V]):
    """Has a board that is too large for letters: they tell what matters to their reader instead.

    A host hands over views of its reader, and events that the reader may hear.
    """

    @abstractmethod
    def headline(self, view: V) -> Text:
        """Where the match stands, and who is asked what."""

    @abstractmethod
    def retold(self, before: V | None, events: Sequence[Event]) -> tuple[Chapter, ...]:
        """What happened after a view, in short: turn by turn, without every single die."""

    @abstractmethod
    def situation(self, view: V) -> tuple[Chapter, ...]:
        """What the reader should know before deciding: what threatens, and the own means."""

    @abstractmethod
    def changed(self, view: V, earlier: V | None) -> tuple[frozenset[str], ...]:
        """Spaces that have changed, by parts of the board, the part with most to tell first.

        Without an earlier view: those in which the reader has most.
        """

    @abstractmethod
    def report(self, view: V, earlier: V | None, width: int = 72, language: Language = "en") -> str:
        """The parts of the board that have changed, as far as there is room for them.

        Where nothing has, or nothing is known of earlier: those in which the reader has most.
        """

    @abstractmethod
    def report_markup(self, view: V, earlier: V | None, language: Language = "en") -> str:
        """The same as a piece of HTML that holds in letters."""


class Chronicles(ABC, Generic[V]):
    """Can be looked back on: turn by turn, in figures and battle by battle."""

    @abstractmethod
    def parties(self) -> tuple[core.Party, ...]: ...

    @abstractmethod
    def turn_of(self, view: V) -> core.PlayedTurn: ...

    @abstractmethod
    def figures(self, view: V) -> tuple[core.Figure, ...]:
        """The same ones, in the same order, of every view."""

    @abstractmethod
    def tables(self, view: V, language: Language = "en") -> tuple[core.Table, ...]:
        """What is better read than plotted, such as luck; the first column names the parties."""

    @abstractmethod
    def battles(self, events: Sequence[Event]) -> tuple[core.BattleAccount, ...]:
        """Those that were told, with every die; of one that was told in part, that part."""


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


# --- the order sheet: a turn as forms -------------------------------------------------------------


class SheetStage(Struct, frozen=True):
    """A line of the checklist of a turn; `?stage=<name>` shows its panels."""

    name: str
    title: Text
    progress: Literal["done", "now", "ahead", "any"]
    """done: behind us; now: of this stop; ahead: its orders will wait; any: open at all times."""
    summary: Text | None = None
    """Such as `38 of 48 IPC spent`."""
    is_shown: bool = False


class SheetValue(Struct, frozen=True):
    """A value of a field: as it is posted, and as a person reads it."""

    value: str
    label: Text
    note: Text | None = None


class SheetField(Struct, frozen=True):
    """One input of a form."""

    name: str
    label: Text
    kind: Literal["number", "choice", "flag", "text"]
    value: str = ""
    """What stands in it; of a flag that is set: `on`."""
    most: int = 0
    """Of a number, which is from 0 to this."""
    values: tuple[SheetValue, ...] = ()
    """Of a choice: all it can be. Of a number: those worth a button, such as all but one."""
    note: Text | None = None


class SheetForm(Struct, frozen=True):
    """Inputs and a button; posted, they are orders by `compose`."""

    name: str
    """No other form of the sheet has it."""
    title: Text
    button: Text
    fields: tuple[SheetField, ...] = ()
    hidden: tuple[tuple[str, str], ...] = ()
    """Posted along with the fields; the stage to go on with is among them, as `stage`."""
    look: Text | None = None
    """A second button, which shows the sheet for what is filled in (a GET) and orders nothing."""
    notes: tuple[Text, ...] = ()
    warning: Text | None = None
    """Said beside the button."""
    is_folded: bool = False
    """Seldom needed: shown on demand."""


class SheetLink(Struct, frozen=True):
    """Something to press that only shows the sheet otherwise: a GET with these parameters."""

    label: Text
    asks: tuple[tuple[str, str], ...]
    note: Text | None = None
    space: str = ""
    """The space of the map that it stands for."""
    is_chosen: bool = False


class SheetTrack(Struct, frozen=True):
    """A ladder of steps, some of them taken."""

    label: Text
    steps: tuple[Text, ...]
    taken: int
    is_halfway: bool = False
    """Half of the next step is taken, too."""


class SheetPanel(Struct, frozen=True):
    """A part of the sheet: what is to be known, to be pressed and to be filled in."""

    name: str
    title: Text
    lines: tuple[Text, ...] = ()
    tracks: tuple[SheetTrack, ...] = ()
    links: tuple[SheetLink, ...] = ()
    forms: tuple[SheetForm, ...] = ()
    warning: Text | None = None
    is_folded: bool = False


class SheetMap(Struct, frozen=True):
    """What the map shows besides the board, for a `Picture`."""

    selected: str = ""
    open: frozenset[str] = frozenset()
    """Spaces worth pressing, as `?stage=<shown>&at=<space>`."""
    targets: frozenset[str] = frozenset()
    """They glow: pressed as `&to=<space>` besides."""
    arrows: tuple[Arrow, ...] = ()
    battles: tuple[BattleMark, ...] = ()


class Sheet(Struct, frozen=True):
    """A turn as something to fill in; pure data for any template."""

    title: Text
    stages: tuple[SheetStage, ...]
    panels: tuple[SheetPanel, ...]
    """Of the stage that is shown."""
    map: SheetMap = SheetMap()
    question: Text | None = None
    """What is asked in the middle of a turn; then nothing else is on the sheet."""
    finish: SheetForm | None = None
    """Ends the stop; nobody at turn: None."""


class OrderSheets(ABC, Generic[S]):
    """Offers turns as sheets to fill in, beside orders as text; both are one notation."""

    @abstractmethod
    def sheet(self, state: S, seat: Seat, asks: Mapping[str, str] = {}) -> Sheet:
        """The sheet of a seat, with what the address asks for.

        `stage` is the stage to show, `at` the space that is chosen; anything else was filled in
        and looked at without being ordered. What makes no sense there is passed over.
        """

    @abstractmethod
    def compose(self, state: S, seat: Seat, fields: Mapping[str, str]) -> tuple[str, ...]:
        """The orders that a filled form stands for, hidden values included.

        GameError names the field that is wrong and says what would be right.
        """

    @abstractmethod
    def in_words(self, state: S, seat: Seat, order: str) -> Text:
        """An order said to people, in the state in which it is given."""

    @abstractmethod
    def pasted(self, text: str) -> tuple[tuple[int, str], ...]:
        """The orders of a text with the numbers of their lines, without blanks and comments."""
