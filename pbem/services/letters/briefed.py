"""Positions as letters show them: the whole board, or what matters of one that is too large.

The map of such a board is a picture in the letter, drawn once for all who get the same.
"""

from __future__ import annotations

import re
from typing import Any

from markupsafe import Markup
from msgspec.structs import replace

from engine.abilities import Briefings, Maps
from engine.core import Language
from engine.game import Game
from pbem.i18n import gettext
from pbem.mail import parts, pictures, rendering

MOST_PICTURE = 46_000
"""Bytes; a whole letter has less than 100 kB, its pictures written in base64."""
AnyGame = Game[Any, Any, Any]


def board(
    game: AnyGame, view: Any, earlier: Any, language: Language, pictured: bool = True
) -> parts.Board:
    """A view; of a large board what has changed since an earlier view, if there is one."""
    if not isinstance(game, Briefings):
        return parts.Board(
            game.render(view, rendering.WIDTH, language, news=False),
            Markup(game.markup(view, language)),
        )
    changed = (game.changed(view, earlier) if earlier else ()) or game.changed(view, None)
    return parts.Board(
        game.report(view, earlier, rendering.WIDTH, language),
        Markup(game.report_markup(view, earlier, language)),
        game.say(game.headline(view), language),
        picture(game, view, earlier, changed[0] if changed else frozenset(), language)
        if pictured
        else None,
    )


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
