"""Versions of the rules: what becomes of matches that began before a game was changed.

A game raises its `rules_version` whenever a match might go otherwise under the new rules, or a
state is written otherwise. It may have the ability to read what older versions have kept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from engine.game import Game


class Conversions(ABC):
    """Reads states that older versions of its rules have dumped."""

    @abstractmethod
    def convert(self, state: str, version: int) -> str:
        """The JSON of a state as that version has dumped it, as `load` of this one takes it."""


def loaded(game: Game[Any, Any, Any], state: str, version: int) -> Any:
    """A state that a version of the rules has dumped; whatever `load` raises, if it cannot be."""
    if version != game.rules_version and isinstance(game, Conversions):
        state = game.convert(state, version)
    return game.load(state)
