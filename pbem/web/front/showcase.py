"""Pictures of the first page: the board of a match, and of each game how it looks."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from flask import Blueprint, Response, abort

from engine.abilities import Maps
from engine.chance import QuickDice
from engine.core import Language
from engine.registry import GAMES, AnyGame
from pbem.i18n import spoken
from pbem.services.records import shown_matches
from pbem.services.records.match_rows import LIVE, MatchRecord
from pbem.web.public.pictures import language_asked, packed, picture, position_of

pages = Blueprint("showcase", __name__)

FEWEST_TURNS = 6
"""A match that has had so many has something to see."""


class Shown(NamedTuple):
    """What the board on the first page is of."""

    game: AnyGame
    match: MatchRecord | None
    """None: how a match begins."""

    @property
    def is_running(self) -> bool:
        return self.match is not None and self.match.status == LIVE


def shown() -> Shown:
    """The newest match with something to see; else how a match of a game begins."""
    found = shown_matches.played_lately(FEWEST_TURNS)
    if found is not None and position_of(found, spoken()) is not None:
        return Shown(found.game, found)
    return Shown(_with_most_to_see(), None)


def _with_most_to_see() -> AnyGame:
    """A game with a map fills it from the start."""
    return next((game for game in GAMES.values() if isinstance(game, Maps)), first_game())


def first_game() -> AnyGame:
    return next(iter(GAMES.values()))


@pages.get("/front/board.svg")
def board() -> Response:
    """The board of `shown`, as every spectator sees it."""
    game, match = shown()
    drawn = None if match is None else position_of(match, language_asked())
    return picture(drawn or _opening(game.name, language_asked()))


@pages.get("/front/<game>.svg")
def game(game: str) -> Response:
    """How a game looks."""
    if game not in GAMES:
        abort(404)
    return picture(_poster(game, language_asked()))


@lru_cache(maxsize=8)
def _opening(name: str, language: Language) -> bytes:
    game = GAMES[name]
    begun = game.new_game({}, QuickDice(b"front")).state
    return packed(game.draw(game.view(begun, None), language))


@lru_cache(maxsize=16)
def _poster(name: str, language: Language) -> bytes:
    leaflet = GAMES[name].leaflet(language)
    return _opening(name, language) if leaflet is None else packed(leaflet.svg)
