"""Boards on pages: a view as a picture, as text and in sentences; what scoring would give now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from markupsafe import Markup

from engine.core import Game, Seat
from engine.iron_curtain.scoring import score_region
from engine.iron_curtain.view import View
from pbem.words import spoken


class Board(NamedTuple):
    """One view, shown three times."""

    svg: Markup
    text: str
    sentences: list[str]


def board(game: Game[Any, Any, Any], view: Any) -> Board:
    language = spoken()
    return Board(
        Markup(game.draw(view, language)),
        game.render(view, language=language),
        game.narrate(view, language).splitlines(),
    )


def board_of(game: Game[Any, Any, Any], state: Any, seat: Seat | None) -> Board:
    return board(game, game.view(state, seat))


class Score(NamedTuple):
    """What a part of the board would give each seat if it were scored now."""

    place: str
    points: tuple[int, ...]
    is_scored: bool


def forecast(game: Game[Any, Any, Any], view: Any) -> list[Score]:
    """What scoring would give now, part by part; empty for a game that has no such thing."""
    return _FORECASTS[game.name](view) if game.name in _FORECASTS else []


def _regions(view: View) -> list[Score]:
    regions = view.deck.regions
    scores = {key: score_region(view.table, view.deck, key) for key in regions}
    return [
        Score(regions[key].name.in_(spoken()), (score.usa, score.ussr), key in view.scored)
        for key, score in scores.items()
    ]


_FORECASTS: dict[str, Callable[[Any], list[Score]]] = {"iron_curtain": _regions}
