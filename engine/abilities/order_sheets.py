"""The order sheet: a turn as forms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, Literal

from msgspec import Struct

from engine.abilities.maps import Arrow, BattleMark
from engine.core import Event, S, Seat, Text


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
    reminders: tuple[Text, ...] = ()
    """Worth a thought before it is ended."""


Heard = Callable[[], Sequence[Event]]
"""What a seat was told lately; asked for only where it matters, since it has to be looked up."""


def nothing_heard() -> tuple[Event, ...]:
    return ()


class OrderSheets(ABC, Generic[S]):
    """Offers turns as sheets to fill in, beside orders as text; both are one notation."""

    @abstractmethod
    def sheet(
        self, state: S, seat: Seat, asks: Mapping[str, str] = {}, heard: Heard = nothing_heard
    ) -> Sheet:
        """The sheet of a seat, with what the address asks for.

        `stage` is the stage to show, `at` the space that is chosen; anything else was filled in
        and looked at without being ordered. What makes no sense there is passed over. `heard` is
        what the seat was told since its last turns began.
        """

    @abstractmethod
    def compose(
        self, state: S, seat: Seat, fields: Mapping[str, str], heard: Heard = nothing_heard
    ) -> tuple[str, ...]:
        """The orders that a filled form stands for, hidden values included.

        GameError names the field that is wrong and says what would be right.
        """

    @abstractmethod
    def in_words(self, state: S, seat: Seat, order: str) -> Text:
        """An order said to people, in the state in which it is given."""

    def doubts(self, state: S, seat: Seat) -> Mapping[str, Text]:
        """Orders of the seat that wait for later, as they are notated, and could not be given if
        everything stayed as it is, with the reason."""
        return {}

    @abstractmethod
    def pasted(self, text: str) -> tuple[tuple[int, str], ...]:
        """The orders of a text with the numbers of their lines, without blanks and comments."""
