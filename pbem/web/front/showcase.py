"""Pictures of the first page: the board of a match, and of each game how it looks.

They are public and hold nothing that was typed into a request, so they may be kept: here in the
memory of the process, packed, and in browsers for some minutes.
"""

from __future__ import annotations

import gzip
from functools import lru_cache
from typing import NamedTuple

from flask import Blueprint, Response, abort, request

from engine.abilities import Maps
from engine.chance import QuickDice
from engine.core import LANGUAGES, GameError, Language
from engine.registry import GAMES, AnyGame
from pbem.errors import Refused
from pbem.i18n import as_language, spoken
from pbem.services.match import match_log
from pbem.services.records import shown_matches
from pbem.services.records.match_rows import LIVE, MatchRecord, get_match

pages = Blueprint("showcase", __name__)

FEWEST_TURNS = 6
"""A match that has had so many has something to see."""
KEPT_FOR = 300
"""Seconds for which a browser need not ask again."""


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
    if found is not None and _drawn(found, spoken()) is not None:
        return Shown(found.game, found)
    return Shown(_with_most_to_see(), None)


def _drawn(match: MatchRecord, language: Language) -> bytes | None:
    return position(match.id, match.timeline, match.head_seq, match.status, language)


def _with_most_to_see() -> AnyGame:
    """A game with a map fills it from the start."""
    return next((game for game in GAMES.values() if isinstance(game, Maps)), first_game())


def first_game() -> AnyGame:
    return next(iter(GAMES.values()))


@pages.get("/front/board.svg")
def board() -> Response:
    """The board of `shown`, as every spectator sees it."""
    game, match = shown()
    drawn = None if match is None else _drawn(match, _language())
    return _picture(drawn or _opening(game.name, _language()))


@pages.get("/front/<game>.svg")
def game(game: str) -> Response:
    """How a game looks."""
    if game not in GAMES:
        abort(404)
    return _picture(_poster(game, _language()))


def _language() -> Language:
    asked = request.args.get("lang", "")
    return as_language(asked) if asked in LANGUAGES else spoken()


@lru_cache(maxsize=8)
def position(
    match_id: str, timeline: int, seq: int, status: str, language: Language
) -> bytes | None:
    """The board of a match after an entry; all that it depends on is named.

    None where these rules cannot read what older ones have left.
    """
    match = get_match(match_id)
    try:
        view = match.game.view(match_log.state_at(match, seq), None)
    except (Refused, GameError):
        return None
    return _packed(match.game.draw(view if status == LIVE else match.game.closed(view), language))


@lru_cache(maxsize=8)
def _opening(name: str, language: Language) -> bytes:
    game = GAMES[name]
    begun = game.new_game({}, QuickDice(b"front")).state
    return _packed(game.draw(game.view(begun, None), language))


@lru_cache(maxsize=16)
def _poster(name: str, language: Language) -> bytes:
    leaflet = GAMES[name].leaflet(language)
    return _opening(name, language) if leaflet is None else _packed(leaflet.svg)


def _packed(svg: str) -> bytes:
    return gzip.compress(svg.encode(), mtime=0)


def _picture(packed: bytes) -> Response:
    takes_packed = bool(request.accept_encodings["gzip"])
    answer = Response(packed if takes_packed else gzip.decompress(packed), mimetype="image/svg+xml")
    if takes_packed:
        answer.content_encoding = "gzip"
    answer.vary.add("Accept-Encoding")
    answer.cache_control.public, answer.cache_control.max_age = True, KEPT_FOR
    return answer
