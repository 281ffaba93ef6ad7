"""What is told of a match: to somebody who is to decide, and to whoever looks back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic

from msgspec import Struct

from engine import core
from engine.core import Event, Language, Text, V


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

    @abstractmethod
    def report_told(self, view: V, earlier: V | None, language: Language = "en") -> str:
        """The same as plain sentences, one a line, for a screen reader."""


class Chronicles(ABC, Generic[V]):
    """Can be looked back on: turn by turn, and in figures."""

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


class Battles(ABC):
    """Has battles, which are told die by die."""

    @abstractmethod
    def battles(self, events: Sequence[Event]) -> tuple[core.BattleAccount, ...]:
        """Those that were told, with every die; of one that was told in part, that part."""
