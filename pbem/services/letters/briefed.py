"""Positions as letters show them: the whole board, or what matters of one that is too large;
drawn, typed or told, as the reader wishes.

The map of such a board is a picture in the letter, drawn once for all who get the same.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from markupsafe import Markup
from msgspec.structs import replace

from engine.abilities import Briefings, Maps
from engine.chance import QuickDice
from engine.core import Language
from engine.game import Game
from engine.registry import GAMES
from engine.sparring import Random
from pbem import board_shapes as shapes
from pbem.board_shapes import Shape
from pbem.i18n import gettext
from pbem.mail import parts, pictures, rendering

MOST_PICTURE = 46_000
"""Bytes; a whole letter has less than 100 kB, its pictures written in base64."""
AnyGame = Game[Any, Any, Any]
SAMPLE_ORDERS = 30
"""After which a match has something on its board."""


def board(
    game: AnyGame,
    view: Any,
    earlier: Any,
    language: Language,
    shape: Shape = shapes.USUAL,
    pictured: bool = True,
) -> parts.Board:
    """A view; of a large board what has changed since an earlier view, if there is one."""
    headline, shown = "", None
    if isinstance(game, Briefings):
        headline = game.say(game.headline(view), language)
        if pictured and shape.form in (shapes.DRAWN, shapes.TYPED):
            changed = (game.changed(view, earlier) if earlier else ()) or game.changed(view, None)
            spaces = changed[0] if changed else frozenset()
            shown = picture(game, view, earlier, spaces, language)
    if shape.form == shapes.TOLD:
        lines = _sentences(game, view, earlier, language)
        folded = "\n".join(rendering.fold(line, width=shape.width) for line in lines)
        return parts.Board(f"{folded}\n", _paragraphs(lines), headline)
    text = _text(game, view, earlier, shape.width, language)
    return parts.Board(text, _page(game, view, earlier, language, shape, text), headline, shown)


def _text(game: AnyGame, view: Any, earlier: Any, width: int, language: Language) -> str:
    if isinstance(game, Briefings):
        return game.report(view, earlier, width, language)
    return game.render(view, width, language, news=False)


def _page(
    game: AnyGame, view: Any, earlier: Any, language: Language, shape: Shape, text: str
) -> Markup:
    """As HTML shows it; nothing for who reads text alone."""
    if shape.form == shapes.PLAIN:
        return Markup()
    if shape.form == shapes.TYPED:
        return Markup('<pre style="%s">%s</pre>') % (_TYPED, text)
    if isinstance(game, Briefings):
        return Markup(game.report_markup(view, earlier, language))
    return Markup(game.markup(view, language))


_LETTERS = "font-family:Menlo,Consolas,'Courier New',monospace;font-size:13px"
_TYPED = f"margin:8px 0;overflow-x:auto;{_LETTERS}"


def _sentences(game: AnyGame, view: Any, earlier: Any, language: Language) -> list[str]:
    if isinstance(game, Briefings):
        return game.report_told(view, earlier, language).splitlines()
    return game.narrate(view, language, news=False).splitlines()


def _paragraphs(lines: list[str]) -> Markup:
    return Markup("\n").join(Markup('<p style="margin:4px 0">%s</p>') % line for line in lines)


def sample(language: Language, shape: Shape) -> parts.Board:
    """A board to be looked at: that of no match, and the same for everybody."""
    game, view = _sample()
    return board(game, view, None, language, shape)


@cache
def _sample() -> tuple[AnyGame, Any]:
    """As a spectator sees a match of the first game whose board letters show as a whole."""
    game = next(game for game in GAMES.values() if not isinstance(game, Briefings))
    dice, partner = QuickDice(b"check-up"), Random("check-up")
    state = game.new_game({}, dice).state
    for _ in range(SAMPLE_ORDERS):
        for seat in sorted(game.waiting_on(state))[:1]:
            chosen = partner.choose(game, game.view(state, seat), seat)
            state = game.apply(state, seat, chosen, dice).state
    return game, game.view(state, None)


def picture(
    game: AnyGame, view: Any, earlier: Any, spaces: frozenset[str], language: Language
) -> parts.Picture | None:
    """The part of the map that shows some spaces; None where there is no map, or it went wrong."""
    if not isinstance(game, Maps):
        return None
    shown = replace(game.picture(view, earlier), zoom=game.zoom_on(spaces))
    png = pictures.png(_unspoken(game.draw_map(view, shown, language)), most=MOST_PICTURE)
    if png is None:
        return None
    part = next(zoom.name for zoom in game.zooms(language) if zoom.key == shown.zoom)
    words = gettext("Map: %(part)s. What has changed is marked with a star.")
    return parts.Picture(png, words % {"part": part})


_WORDS = re.compile(r"<(title|desc)>[^<]*</\1>")


def _unspoken(svg: str) -> str:
    """Without words that only a screen reader says: no other picture for each reader."""
    return _WORDS.sub("", svg)
