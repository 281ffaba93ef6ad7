"""A board that is drawn by parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic

from msgspec import Struct

from engine.core import Language, V


class Zoom(Struct, frozen=True):
    """A part of the map that can be drawn for itself."""

    key: str
    """For addresses; empty: the whole map."""
    name: str
    """In the reader's language."""


class Arrow(Struct, frozen=True):
    """Units that are to go from one space to another."""

    start: str
    target: str
    number: int = 0
    """Shown on it, as in a list of orders; 0: none."""
    is_attack: bool = False


class BattleMark(Struct, frozen=True):
    """A battle that is to be fought, or was."""

    space: str
    percent: int | None = None
    """How likely the attacker wins, if that is to be shown."""


class Picture(Struct, frozen=True):
    """How a map is to be drawn, beside the view; spaces by their keys, unknown ones are ignored."""

    zoom: str = ""
    """A key of `Maps.zooms`; an unknown one is the whole map."""
    link: str = ""
    """Where a press on a space leads, with {space} for its key, `?at={space}`; empty: nowhere."""
    target_link: str = ""
    """The same for targets, `?at=poland&to={space}`; empty: as all others."""
    selected: str = ""
    targets: frozenset[str] = frozenset()
    """They glow: where what was selected can go."""
    changed: frozenset[str] = frozenset()
    """Marked as other than when the reader looked last."""
    arrows: tuple[Arrow, ...] = ()
    battles: tuple[BattleMark, ...] = ()


class Maps(ABC, Generic[V]):
    """Has a board that is too large for one look: a map with parts to zoom into.

    A host begins with `picture`, which says what the view itself has to show, and adds what only
    it knows by `msgspec.structs.replace`: the zoom, links, what is selected, odds of battles.
    """

    @abstractmethod
    def zooms(self, language: Language = "en") -> tuple[Zoom, ...]:
        """The parts that can be drawn for themselves; the whole map is the first."""

    @abstractmethod
    def zoom_on(self, spaces: frozenset[str]) -> str:
        """The key of the smallest part that shows all of some spaces; the whole map's if none."""

    @abstractmethod
    def picture(self, view: V, earlier: V | None = None) -> Picture:
        """The moves and battles of this turn, and what has changed since an earlier view.

        Without an earlier view: what the news since the reader's last turn tell of.
        """

    @abstractmethod
    def draw_map(self, view: V, picture: Picture, language: Language = "en") -> str:
        """The view as an SVG document, as `draw` gives it; its style sheet is `style`, too.

        Every space has an id, its key, and can be focused; the document has the attribute
        `data-zoomable`, by which a script may let people zoom and drag it.
        """
