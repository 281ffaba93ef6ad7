"""The games: one line per game."""

from __future__ import annotations

from typing import Any

from engine.core import GameError
from engine.east_and_west.game import EastAndWest
from engine.game import Game
from engine.iron_curtain.game import IronCurtain

AnyGame = Game[Any, Any, Any]

GAMES: dict[str, AnyGame] = {game.name: game for game in (IronCurtain(),)}
"""Those that this server hosts."""
AT_HOME: dict[str, AnyGame] = {EastAndWest.name: EastAndWest()}
"""Those that can only be played in a terminal so far."""


def all_games() -> dict[str, AnyGame]:
    return {**GAMES, **AT_HOME}


def game_called(name: str) -> AnyGame:
    """The game of that name, or GameError with the names there are."""
    games = all_games()
    if name not in games:
        raise GameError(
            "there is no game '{game}'; there are {games}", game=name, games=", ".join(games)
        )
    return games[name]
