"""What every game promises, and the small values that cross between a game and its hosts.

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


class Text(Struct, frozen=True, tag="text"):
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


class Event(Struct, frozen=True):
    """Something that happened; audience None: everybody may know."""

    text: Text
    audience: tuple[Seat, ...] | None = None

    def heard_by(self, seat: Seat | None) -> bool:
        return self.audience is None or seat in self.audience


class Option(Struct, Generic[A], frozen=True):
    """One next word of an order; a leaf carries the finished action."""

    word: str
    label: Text
    action: A | None = None


class Step(Struct, Generic[S], frozen=True):
    """What an action led to; final: a die fell or a secret came out."""

    state: S
    events: tuple[Event, ...] = ()
    final: bool = False


class Outcome(Struct, frozen=True):
    """The end of a match: who won and why."""

    winners: tuple[Seat, ...]
    reason: Text


class Choice(Struct, frozen=True):
    """An option of a new match: its values, the usual one first."""

    name: str
    label: Text
    values: tuple[tuple[str, Text], ...]


class Table(Struct, frozen=True):
    """A reference table for the rules page; a * marks what no source gives."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


class Forecast(Struct, frozen=True):
    """What a part of the board would give each seat if it were scored now."""

    place: Name
    points: tuple[int, ...]
    is_scored: bool
    """Whether it was scored already."""


class Dice(Protocol):
    """The only door through which chance enters."""

    def roll(self, sides: int, count: int, why: str) -> tuple[int, ...]: ...

    def shuffle(self, items: Sequence[T], why: str) -> tuple[T, ...]: ...


class Game(Protocol[S, A, V]):
    """A stateless object; a state is a value and nothing is ever mutated."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> Name: ...

    @property
    def rules_version(self) -> int: ...

    @property
    def style(self) -> str:
        """The style sheet inside every drawing of `draw`; it never changes."""

    def choices(self) -> tuple[Choice, ...]:
        """The options a new match may set, in `setup`, by name."""

    def seats(self, setup: Setup) -> tuple[Seat, ...]: ...

    def seat_name(self, seat: Seat) -> Name: ...

    def new_game(self, setup: Setup, dice: Dice) -> Step[S]: ...

    def waiting_on(self, state: S) -> frozenset[Seat]:
        """Empty when the match is over, several when seats choose at once."""

    def outcome(self, state: S) -> Outcome | None: ...

    def options(self, state: S, seat: Seat, prefix: tuple[str, ...] = ()) -> tuple[Option[A], ...]:
        """The next words after `prefix`; the words on the way to a leaf are its notation."""

    def any_time(self, state: S, seat: Seat, prefix: tuple[str, ...] = ()) -> tuple[Option[A], ...]:
        """Orders that a seat may give whether it is asked or not, as `options` gives the others.

        Nobody else sees that one was given, and nobody is asked anything else by it.
        """

    def apply(self, state: S, seat: Seat, action: A, dice: Dice) -> Step[S]: ...

    def allies(self, seat: Seat) -> tuple[Seat, ...]:
        """Whose players may take over a seat that nobody plays any more, the nearest first."""

    def default_action(self, state: S, seat: Seat) -> A | None:
        """What the clock plays for the absent."""

    def view(self, state: S, seat: Seat | None) -> V:
        """All that a seat may know; None is a spectator."""

    def closed(self, view: V) -> V:
        """The view when people ended the match, by giving up or agreeing: it asks nobody."""

    def imagine(self, view: V, dice: Dice) -> S:
        """A state that looks like `view`, its hidden parts dealt at random."""

    def resample_hidden(self, state: S, seat: Seat | None, dice: Dice) -> S:
        """Another state that `seat` cannot tell from this one."""

    def prospect(self, state: S, seat: Seat) -> float:
        """How good a position looks for a seat, for sparring; 1 won, -1 lost."""

    def deck(self, state: S) -> tuple[str, ...]:
        """The whole shuffled deck, for the server's commitment to it and for nobody's eyes."""

    def known_deck(self, state: S, seat: Seat | None) -> dict[int, str]:
        """The positions of the shuffled deck whose cards a seat may have opened."""

    def render(self, view: V, width: int = 72, language: Language = "en", news: bool = True) -> str:
        """The view as text: what is drawn in plain ASCII, what is said in its own letters.

        Without `news` for whoever tells what happened elsewhere.
        """

    def markup(self, view: V, language: Language = "en") -> str:
        """The same view as a piece of HTML that holds in letters, without what happened last."""

    def narrate(self, view: V, language: Language = "en") -> str:
        """The same view as plain sentences, for a screen reader."""

    def draw(self, view: V, language: Language = "en") -> str:
        """The same view as an SVG document."""

    def forecast(self, view: V) -> tuple[Forecast, ...]:
        """What scoring would give now, part by part; empty where a game has no such thing."""

    def say(self, text: Text, language: Language = "en") -> str: ...

    def notate(self, action: A) -> str: ...

    def parse(self, text: str) -> A: ...

    def dump(self, state: S) -> str:
        """A state as JSON."""

    def load(self, text: str) -> S: ...

    def check(self, state: S) -> list[str]:
        """What is wrong with a state; empty when it is sound."""

    def rules_text(self) -> str:
        """The rules as this server plays them, in Markdown."""

    def reference(self, language: Language = "en") -> tuple[Table, ...]:
        """Tables that belong under the rules: cards, units, what is reconstructed."""
