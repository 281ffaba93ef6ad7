"""Maps on pages: the whole or a part of a map, and the links to its other parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from markupsafe import Markup

from engine.abilities import Maps, Picture
from engine.game import Game
from pbem.i18n import spoken


class ZoomLink(NamedTuple):
    name: str
    address: str
    is_current: bool


class MapShown(NamedTuple):
    """What `web/_map.html` shows."""

    svg: Markup
    zooms: list[ZoomLink]


def map_shown(
    game: Game[Any, Any, Any], view: Any, picture: Picture, address: Callable[[str], str]
) -> MapShown | None:
    """A map as asked for, with links to all parts; `address` says where the part with a key is.

    None for games that have no map.
    """
    if not isinstance(game, Maps):
        return None
    language = spoken()
    known = game.zooms(language)
    current = picture.zoom if any(zoom.key == picture.zoom for zoom in known) else known[0].key
    links = [ZoomLink(zoom.name, address(zoom.key), zoom.key == current) for zoom in known]
    return MapShown(Markup(game.draw_map(view, picture, language)), links)
