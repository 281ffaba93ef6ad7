"""The games this server knows: one line per game."""

from __future__ import annotations

from typing import Any

from engine.core import Game, GameError
from engine.iron_curtain.game import IronCurtain

GAMES: dict[str, Game[Any, Any, Any]] = {game.name: game for game in (IronCurtain(),)}


def game_called(name: str) -> Game[Any, Any, Any]:
    """The game of that name, or GameError with the names there are."""
    if name not in GAMES:
        raise GameError(
            "there is no game '{game}'; there are {games}", game=name, games=", ".join(GAMES)
        )
    return GAMES[name]
