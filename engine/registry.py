"""The games: one line per game."""

from __future__ import annotations

from typing import Any

from engine.core import GameError
from engine.east_and_west.game import EastAndWest
from engine.game import Game
from engine.iron_curtain.game import IronCurtain

AnyGame = Game[Any, Any, Any]

GAMES: dict[str, AnyGame] = {game.name: game for game in (IronCurtain(), EastAndWest())}
"""Those that this server hosts."""


def game_called(name: str) -> AnyGame:
    """The game of that name, or GameError with the names there are."""
    if name not in GAMES:
        raise GameError(
            "there is no game '{game}'; there are {games}", game=name, games=", ".join(GAMES)
        )
    return GAMES[name]
