"""A recorded match of every game, compared line by line."""

from __future__ import annotations

import pytest

from engine.registry import GAMES
from tests.engine.playthrough import FOLDER, RECORDED, recorded


@pytest.mark.whole
@pytest.mark.parametrize("name", RECORDED)
def test_the_recorded_match_is_played_as_it_was(name: str) -> None:
    written = (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()
    assert list(recorded(name)) == written


def test_every_game_has_one() -> None:
    assert {*GAMES} == {*RECORDED}
