"""A game: its rules and its drawing. What only some games can do stands in engine/abilities/."""

from __future__ import annotations

from engine.core import A, S, V
from engine.drawing import Drawing
from engine.rules import Rules


class Game(Rules[S, A, V], Drawing[V]):
    """What a host is given: one object per game, the same for all its matches."""
