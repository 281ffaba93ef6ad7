"""What a match begins with: kinds of matches, decks and their proofs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Generic

from msgspec import Struct

from engine.core import S, Seat, Text


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


class DeckProofs(ABC, Generic[S]):
    """Shuffles one deck at the setup, so that the server can prove each card it deals."""

    @abstractmethod
    def deck(self, state: S) -> tuple[str, ...]:
        """The whole shuffled deck, for the server's commitment to it and for nobody's eyes."""

    @abstractmethod
    def known_deck(self, state: S, seat: Seat | None) -> dict[int, str]:
        """The positions of the shuffled deck whose cards a seat may have opened."""
