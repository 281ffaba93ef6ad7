"""The small values that cross between a game and its hosts, and the family of its errors.

GameError
 +-- BadNotation      the text is not an order of this game
 +-- IllegalAction    well formed, not allowed now
 |    +-- NotYourTurn the game is not waiting for this seat
 +-- BadSetup         the options of a new match do not fit the game
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Generic, Literal, NewType, Protocol, Self, TypeVar, Union

from msgspec import Struct
from msgspec.json import Decoder

Seat = NewType("Seat", str)
Json = Any
Setup = Mapping[str, Json]
Language = Literal["en", "de", "fr"]
LANGUAGES: tuple[Language, ...] = ("en", "de", "fr")

T = TypeVar("T")
S = TypeVar("S")
A = TypeVar("A")
V = TypeVar("V")


class GameError(Exception):
    """Root of the family; every message is fit to show the player.

    `text` is the message for `Game.say`, in whatever language; the error itself reads English.
    """

    def __init__(self, message: str, /, **params: Param) -> None:
        super().__init__(message)
        self.text = Text(message, params)

    @classmethod
    def again(cls, text: Text) -> Self:
        """The error whose message this is, raised in another process."""
        return cls(text.msgid, **text.params)

    def __str__(self) -> str:
        return self.text.in_("en")


class BadNotation(GameError):
    """The text is not an order of this game."""


class IllegalAction(GameError):
    """Well formed, but not allowed now."""


class NotYourTurn(IllegalAction):
    """The game is not waiting for this seat."""


class BadSetup(GameError):
    """The options chosen for a new match do not fit the game."""


class Name(Struct, frozen=True, tag="name"):
    """A proper name or a printed text in each language."""

    en: str
    de: str
    fr: str

    def in_(self, language: Language) -> str:
        return str(getattr(self, language))


Param = Union[str, int, Name, "Text", tuple[Name, ...]]
"""What a message may name; several names are shown as a list."""


class Text(Struct, frozen=True, tag="text", gc=False):
    """An English message with named parameters, translated only when it is shown.

    `{points:# point|# points}` says a number with the words that agree with it: those for one,
    then those for more, and # where the number stands. A translation is written in the same way.
    """

    msgid: str
    params: Mapping[str, Param] = {}

    def in_(self, language: Language, *known: Mapping[str, str]) -> str:
        """Said with the first of the translations that has it; where none has it, in English."""
        pattern, spoken = self.msgid, "en"
        for words in known:
            if self.msgid in words:
                pattern, spoken = words[self.msgid], language
                break
        if not self.params:
            return pattern
        if "|" in pattern:
            pattern = _FORMS.sub(lambda forms: self._agreeing(forms, spoken), pattern)
        return pattern.format_map(
            {name: _said(value, language, known) for name, value in self.params.items()}
        )

    def _agreeing(self, forms: re.Match[str], language: str) -> str:
        name, one, more = forms.groups()
        form = one if _is_one(self.params[name], language) else more
        return form.replace("#", f"{{{name}}}")


_FORMS = re.compile(r"\{(\w+):([^{}|]+)\|([^{}|]+)\}")


def _is_one(value: Param, language: str) -> bool:
    """Whether a number takes the singular: 1, and in French also 0; what is no number does not."""
    return isinstance(value, int) and (value == 1 or (value == 0 and language == "fr"))


def _said(value: Param, language: Language, known: tuple[Mapping[str, str], ...]) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Text):
        return value.in_(language, *known)
    if isinstance(value, tuple):
        return ", ".join([name.in_(language) for name in value])
    return value.in_(language) if isinstance(value, Name) else str(value)


class Event(Struct, frozen=True, gc=False):
    """Something that happened; audience None: everybody may know."""

    text: Text
    audience: tuple[Seat, ...] | None = None

    def heard_by(self, seat: Seat | None) -> bool:
        return self.audience is None or seat in self.audience


class Option(Struct, Generic[A], frozen=True, gc=False):
    """One next word of an order; a leaf carries the finished action."""

    word: str
    label: Text
    action: A | None = None


class Step(Struct, Generic[S], frozen=True, gc=False):
    """What an action led to; final: a die fell or a secret came out."""

    state: S
    events: tuple[Event, ...] = ()
    final: bool = False


class Outcome(Struct, frozen=True):
    """The end of a match: who won and why."""

    winners: tuple[Seat, ...]
    reason: Text

    @property
    def wordless(self) -> Outcome:
        return Outcome(self.winners, Text(""))


class Choice(Struct, frozen=True):
    """An option of a new match: its values, the usual one first."""

    name: str
    label: Text
    values: tuple[tuple[str, Text], ...]
    hint: Text | None = None
    """What it changes, in a sentence."""


class Table(Struct, frozen=True):
    """A reference table for the rules page; a * marks what no source gives."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


class Illustration(Struct, frozen=True):
    """A drawing for the rules page: beside which rule it stands, and what it shows, in words."""

    rule: str
    caption: str
    svg: str


class Leaflet(Struct, frozen=True):
    """A game for whoever looks for one: how long it takes, what it is about, how it looks."""

    length: str
    sentences: tuple[str, ...]
    svg: str


class HeldCard(Struct, frozen=True):
    """A card in one's own hand: a small drawing, what it shows in words, and what the card says."""

    word: str
    """As it is written in orders."""
    face: str
    """SVG without a style of its own: it stands on a page with a drawing of the same game."""
    title: str
    text: str
    note: str = ""
    """What else there is to know about the card, for whoever looks at it closely."""


class Party(Struct, frozen=True):
    """One of those whose figures are compared, such as a power; a seat may play several."""

    name: Name
    sign: str
    """A letter or a few, where there is no room for the name; the same in all languages."""


class PlayedTurn(Struct, frozen=True):
    """When a moment of a match was."""

    number: int
    """Counted through the whole match."""
    round: int
    """0: before the first."""
    title: Text


class Figure(Struct, frozen=True):
    """What each party has of something, to be followed over time."""

    key: str
    title: Text
    amounts: tuple[int, ...]
    """By party."""


class BattlePart(Struct, frozen=True):
    """What was told between two headings; numbers are places in the list that was handed over."""

    heading: int | None
    told: tuple[int, ...]


class BattleAccount(Struct, frozen=True):
    """A battle as it was told; numbers as in `BattlePart`."""

    space: str
    opening: int
    parts: tuple[BattlePart, ...]
    result: tuple[int, ...]
    story: Text | None = None
    """How it ended, what it cost, how lucky both sides were; None: nothing to sum up."""


class Dice(Protocol):
    """The only door through which chance enters."""

    def roll(self, sides: int, count: int, why: str) -> tuple[int, ...]: ...

    def shuffle(self, items: Sequence[T], why: str) -> tuple[T, ...]: ...


def examine(*kinds: Any) -> None:
    """Let msgspec look through types when a module is loaded, before there are threads.

    It does so when a type is first read; whoever reads that type meanwhile, in another thread,
    crashes with the whole process (msgspec 0.22).
    """
    for kind in kinds:
        Decoder(kind, dec_hook=lambda wanted, value: value)
