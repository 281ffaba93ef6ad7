"""Boards on pages: a view as a picture, as text and in sentences; what scoring would give now."""

from __future__ import annotations

from typing import Any, NamedTuple

from markupsafe import Markup

from engine.abilities import Forecasts
from engine.core import Seat
from engine.game import Game
from pbem.i18n import spoken


class Held(NamedTuple):
    """A card in one's own hand."""

    face: Markup
    title: str
    text: str
    note: str


class Board(NamedTuple):
    """One view, shown three times."""

    svg: Markup
    text: str
    sentences: list[str]
    hand: tuple[Held, ...] = ()
    """What the picture leaves out."""
    question: str = ""


def board(game: Game[Any, Any, Any], view: Any) -> Board:
    language = spoken()
    return Board(
        Markup(game.draw(view, language)),
        game.render(view, language=language),
        game.narrate(view, language).splitlines(),
    )


def in_parts(game: Game[Any, Any, Any], view: Any) -> Board:
    """The same with the hand and what is asked beside the picture."""
    language, asked = spoken(), game.question(view)
    return in_words(game, view)._replace(
        svg=Markup(game.draw_table(view, language)),
        hand=held(game, view),
        question=game.say(asked, language) if asked else "",
    )


def held(game: Game[Any, Any, Any], view: Any) -> tuple[Held, ...]:
    """The cards of whoever looks."""
    return tuple(
        Held(Markup(card.face), card.title, card.text, card.note)
        for card in game.held(view, spoken())
    )


def in_words(game: Game[Any, Any, Any], view: Any) -> Board:
    """The same for pages that have a picture of their own."""
    language = spoken()
    text = game.render(view, language=language)
    return Board(Markup(), text, game.narrate(view, language).splitlines())


def board_of(
    game: Game[Any, Any, Any], state: Any, seat: Seat | None, is_over: bool = False
) -> Board:
    """What a seat sees; of a match that is over, however that came about, it asks nothing."""
    return board(game, _seen(game, state, seat, is_over))


def parts_of(
    game: Game[Any, Any, Any], state: Any, seat: Seat | None, is_over: bool = False
) -> Board:
    """The same in parts."""
    return in_parts(game, _seen(game, state, seat, is_over))


def _seen(game: Game[Any, Any, Any], state: Any, seat: Seat | None, is_over: bool) -> Any:
    view = game.view(state, seat)
    return game.closed(view) if is_over else view


class Score(NamedTuple):
    """What a part of the board would give each seat if it were scored now."""

    place: str
    points: tuple[int, ...]
    is_scored: bool


def forecast(game: Game[Any, Any, Any], view: Any) -> list[Score]:
    if not isinstance(game, Forecasts):
        return []
    return [
        Score(part.place.in_(spoken()), part.points, part.is_scored) for part in game.forecast(view)
    ]
