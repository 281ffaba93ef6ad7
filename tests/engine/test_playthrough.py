"""A recorded match of every game, compared line by line."""

from __future__ import annotations

from typing import Any

import pytest

from engine.core import Game
from engine.registry import GAMES
from tests.engine.playthrough import FOLDER, playthrough


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_the_recorded_match_is_played_as_it_was(game: Game[Any, Any, Any]) -> None:
    recorded = (FOLDER / f"{game.name}.txt").read_text("utf-8").splitlines()
    assert list(playthrough(game)) == recorded
