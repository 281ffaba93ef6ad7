"""A view as an SVG document: a map of the world, or of a part of it.

Seas first, shallow water along the coasts, lands in the colours of their owners, straits,
canals, what is marked, then names and counters. Each space is a link or can be focused, and tells
what stands there. Names and counters come twice where only a part is drawn: whole on a wide screen,
short and larger on a narrow one, which the style sheet decides. Outlines and names are kept for
each part and language, and what was seen of a space with all that stood there; so only what a press
has changed is drawn anew. What is kept depends on nothing but what was handed in.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from html import escape
from typing import NamedTuple

from engine.abilities import BattleMark, Picture
from engine.core import Language, Param, Text
from engine.east_and_west.data.atlas import CANALS, ICE_CAP, atlas
from engine.east_and_west.data.chart import WORLD, Box, Outline, Part, Point, chart, parts, within
from engine.east_and_west.data.seating import SEAT_NAMES
from engine.east_and_west.draw import legend, marks, names
from engine.east_and_west.draw.counters import TALL, Scene, pieces, scene
from engine.east_and_west.draw.narrate import (
    Say,
    facts_at,
    moment,
    owner_called,
    question,
    sentence,
    touched,
)
from engine.east_and_west.draw.palette import STYLE as STYLE
from engine.east_and_west.view import View

BELOW = 14
"""For a row of counters below a name."""
PHONE = 326
"""Pixels for a picture on a narrow screen: a name of nine tenths is nine pixels high there."""
OVERVIEW, OVERVIEW_SCALE = " wide", 0.8
"""On a narrow screen the whole world is lands, arrows and battles without names."""
LEGEND = (3350, 1835)
"""Where the legend of the whole world stands: a sea that is outside of the game."""
KEPT_SPACES = 8192
"""Spaces that are kept as they were seen, 1 kB each."""
HATCH = (
    '<pattern id="hatch" width="22" height="22" patternUnits="userSpaceOnUse"'
    ' patternTransform="rotate(45)"><path class="hatch" d="M0 0v22" stroke-width="3"/></pattern>'
)


def draw(view: View, picture: Picture, language: Language, say: Say) -> str:
    return Map(view, picture, language, say).document()


def picture(view: View, earlier: View | None = None) -> Picture:
    """The moves and battles of this turn, and what has changed."""
    changed = frozenset(touched(view)) if earlier is None else marks.changes(earlier, view)
    fought = dict.fromkeys(attack.space for attack in view.board.turn.attacks)
    return Picture(
        changed=changed,
        arrows=marks.arrows(view),
        battles=tuple(map(BattleMark, fought)),
    )


class Map:
    """One view on its way onto the screen."""

    def __init__(self, view: View, picture: Picture, language: Language, say: Say) -> None:
        self.view, self.board, self.picture = view, view.board, picture
        self.language, self._say = language, say
        self.key = picture.zoom if picture.zoom in parts() else WORLD
        self.part: Part = parts()[self.key]
        self.is_world = self.key == WORLD
        self.wide, self.narrow = scales(self.key)
        self.seen = {key: self.see(key) for key in outlines(self.key)}
        self.routes = list(marks.routes(picture.arrows, self.wide))

    def see(self, key: str) -> Seen:
        there = scene(self.board, key, key in self.picture.changed)
        return seen(self.key, key, there, self.language, self._say)

    def say(self, value: Param) -> str:
        """A message or a name, ready to stand in the document."""
        return escape(_said(value, self.language, self._say))

    def sentence(self, fact: Text) -> str:
        return escape(sentence(fact, self.language, self._say))

    # --- the document -----------------------------------------------------------------------------

    def document(self) -> str:
        told = f"{self.sentence(moment(self.view))} {self.sentence(question(self.view))}"
        layers = [
            f"<title>{self.say(self.title())}</title>",
            f"<desc>{told}</desc>",
            f"<style>{STYLE}</style>",
            f"<defs>{HATCH}{marks.HEADS}</defs>",
            ground(self.key),
            f'<g class="seas">{"".join(self.spaces(is_land=False))}</g>',
            shallows(self.key),
            f'<g class="lands">{"".join(self.spaces(is_land=True))}</g>',
            passages(self.board.variant.baltic_strait),
            f"<g>{''.join(marks.outlined(self.picture, outlines(self.key).keys()))}</g>",
            f'<g class="labels">{"".join(self.arrows())}</g>',
            f'<g class="labels{OVERVIEW if self.is_world else ""}">{"".join(self.labels())}</g>',
            f'<g class="labels">{"".join(self.numbers())}{"".join(self.battles())}</g>',
            explained(self.key, self.language, self._say),
        ]
        box = self.part.box
        if not self.is_world:
            box = Box(*box[:3], box.height + legend.strip(box).height)
        view_box = " ".join(map(str, box))
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" class="east-and-west" role="group"'
            f' width="100%" viewBox="{view_box}" data-zoomable="">\n'
            + "\n".join(layers)
            + "\n</svg>\n"
        )

    def title(self) -> Text:
        if self.view.seat is None:
            return Text("East & West, as a spectator sees it")
        return Text("East & West, as {power} sees it", {"power": SEAT_NAMES[self.view.seat]})

    # --- spaces -----------------------------------------------------------------------------------

    def spaces(self, is_land: bool) -> Iterator[str]:
        lands, waters = apart(self.key)
        asked = self.picture
        link, to = escape(asked.link), escape(asked.target_link or asked.link)
        for key, path in (lands if is_land else waters).items():
            css = f"owner-{self.board.owners[key]}" if is_land else _water(key)
            told = f"<title>{self.seen[key].told}</title>{path}"
            pattern = to if key in asked.targets else link
            if pattern:
                href = pattern.replace("{space}", key)
                yield f'<a id="{key}" class="space {css}" href="{href}">{told}</a>'
            else:
                yield f'<g id="{key}" class="space {css}" tabindex="0" role="img">{told}</g>'

    # --- names and what stands there --------------------------------------------------------------

    def labels(self) -> Iterator[str]:
        return (self.seen[key].label for key in seas_first(self.key))

    def twice(self, point: Point, whole: str, brief: str) -> str:
        """Something at a point for wide screens, and for narrow ones."""
        return _twice(self.key, point, whole, brief)

    # --- what is marked ---------------------------------------------------------------------------

    def arrows(self) -> Iterator[str]:
        for arrow, curve, _ in self.routes:
            yield marks.arrow_lines(arrow, curve)

    def numbers(self) -> Iterator[str]:
        for arrow, _, middle in self.routes:
            if arrow.number:
                plate = marks.number_plate(arrow.number)
                yield self.twice(middle, plate, plate)

    def battles(self) -> Iterator[str]:
        for battle in self.picture.battles:
            if battle.space not in outlines(self.key):
                continue
            point = chart().spaces[battle.space].places[0]
            yield self.twice(point, *(self.battle(battle, brief) for brief in (False, True)))

    def battle(self, battle: BattleMark, is_brief: bool) -> str:
        """Above the name."""
        scale = self.narrow if is_brief else self.wide
        up = names.name(battle.space, self.language, is_brief, scale).top - 8
        return f'<g transform="translate(0 {up:.3g})">{marks.swords(battle.percent)}</g>'


# --- a space with what stands there ---------------------------------------------------------------


class Seen(NamedTuple):
    """A space as a view shows it."""

    told: str
    """For whoever points at it, ready to stand in the document."""
    label: str
    """Name and pieces, where the part of the map has room for them."""


@lru_cache(maxsize=KEPT_SPACES)
def seen(part: str, key: str, there: Scene, language: Language, say: Say) -> Seen:
    return Seen(_told(key, there, language, say), "".join(_labels(part, key, there, language)))


def _told(key: str, there: Scene, language: Language, say: Say) -> str:
    value = there.value or 0
    found = list(facts_at(key, there.groups, there.owner, value, there.has_factory))
    facts = [sentence(fact, language, say) for fact in found]
    if not facts:
        named: tuple[Param, Param] = atlas().spaces[key].names, owner_called(there.owner)
        facts = [", ".join(_said(name, language, say) for name in named) + "."]
    if there.is_changed:
        facts.append(sentence(Text("Changed since your last turn."), language, say))
    return escape(" ".join(facts))


def _said(value: Param, language: Language, say: Say) -> str:
    text = value if isinstance(value, Text) else Text("{value}", {"value": value})
    return say(text, language)


def _labels(part: str, key: str, there: Scene, language: Language) -> Iterator[str]:
    outline, (wide, _) = chart().spaces[key], scales(part)
    if outline.also is not None and parts()[part].box.holds(outline.also):
        yield _placed("", outline.also, wide, names.name_again(key, language))
    if key not in shown(part):
        return
    brief = _label(part, key, there, language, True)
    if part == WORLD:
        yield _placed("", outline.places[0], wide, brief)
    else:
        whole = _label(part, key, there, language, False)
        yield _twice(part, outline.places[0], whole, brief)


def _label(part: str, key: str, there: Scene, language: Language, is_brief: bool) -> str:
    """Name and pieces; moved a little where the name would be cut by the edge."""
    outline, (wide, narrow) = chart().spaces[key], scales(part)
    scale = narrow if is_brief and part != WORLD else wide
    name = names.name(key, language, is_brief, scale)
    top = name.bottom + 2 if _is_roomy(outline) else -TALL / 2
    drawn = pieces(there, is_brief, top)
    shift = names.places(shown(part), language, is_brief, scale).get(key)
    if shift is not None:
        drawn = name.svg + drawn
    if shift is None or not any(shift):
        shift = _aside(parts()[part].box, outline, name, scale)
    return _shifted(drawn, shift)


def _twice(part: str, point: Point, whole: str, brief: str) -> str:
    wide, narrow = scales(part)
    return _placed("wide", point, wide, whole) + _placed("narrow", point, narrow, brief)


# --- what no view changes -------------------------------------------------------------------------


@cache
def outlines(part: str) -> dict[str, str]:
    """The outlines of the spaces that a part of the map shows."""
    box = parts()[part].box
    found = ((key, within(space.path, box)) for key, space in chart().spaces.items())
    return {key: _outline(key, path) for key, path in found if path}


def _outline(key: str, path: str) -> str:
    drawn = f'<path id="at-{key}" d="{path}"/>'
    return f'{drawn}<use fill="url(#hatch)" href="#at-{key}"/>' if key == ICE_CAP else drawn


@cache
def apart(part: str) -> tuple[dict[str, str], dict[str, str]]:
    """The outlines of lands, and those of water."""
    every, is_land = outlines(part).items(), atlas().is_land
    lands = {key: path for key, path in every if is_land(key)}
    return lands, {key: path for key, path in every if not is_land(key)}


@cache
def seas_first(part: str) -> list[str]:
    """The spaces in the order in which their names are written over each other."""
    return sorted(outlines(part), key=atlas().is_land)


@cache
def scales(part: str) -> tuple[float, float]:
    """How large names and pieces are on wide screens, and on narrow ones."""
    shown = parts()[part]
    overview = OVERVIEW_SCALE if part == WORLD else 1
    return shown.names / names.SMALLEST, shown.box.width / PHONE * overview


@cache
def shown(part: str) -> frozenset[str]:
    """The spaces whose pieces a part of the map has room for."""
    box = parts()[part].box
    return frozenset(k for k, space in chart().spaces.items() if box.holds(space.places[0]))


@cache
def ground(part: str) -> str:
    """The paper under the map: what lies outside of the game."""
    return f'<rect class="off" {_rectangle(parts()[part].box)}/>'


@cache
def shallows(part: str) -> str:
    """A pale band along all coasts, and islands that are no space."""
    lands = [key for key in outlines(part) if atlas().is_land(key)]
    band = "".join(f'<use href="#at-{key}"/>' for key in lands)
    islands = within(chart().scenery, parts()[part].box)
    return f'<g class="coast">{band}</g><path class="scenery" d="{islands}"/>'


@cache
def passages(with_oresund: bool) -> str:
    """Straits and canals."""
    drawn = list[str]()
    for crossing in chart().passages:
        if crossing.passage == "oresund" and not with_oresund:
            continue
        css = "canal" if crossing.passage in CANALS else "passage"
        drawn.append(f'<path class="casing" d="{crossing.line}"/>')
        drawn.append(f'<path class="{css}" d="{crossing.line}"/>')
    return f"<g>{''.join(drawn)}</g>"


@lru_cache(maxsize=32)
def explained(part: str, language: Language, say: Say) -> str:
    """What it all means."""

    def said(value: Param) -> str:
        return escape(_said(value, language, say))

    entries, meant = legend.owners(said), list(legend.signs(said))
    wide, narrow = scales(part)
    if part == WORLD:
        (x, y), scale = LEGEND, wide * 0.9
        drawn = _placed("wide", (x, y), scale, legend.column(entries))
        drawn += _placed("wide", (x + 330, y), scale, legend.column(meant))
    else:
        strip = legend.strip(parts()[part].box)
        drawn = f'<rect class="page" {_rectangle(strip)}/>'
        for css, scale, shown in (
            ("wide", strip.width / 600, entries + meant),
            ("narrow", narrow, entries),
        ):
            flow = legend.flowing(shown, strip.width / scale - 8)
            drawn += _placed(css, (strip.left + 8, strip.top + 8), scale, flow)
    return f'<g class="legend">{drawn}</g>'


def _water(key: str) -> str:
    return "ice" if key == ICE_CAP else "sea"


def _is_roomy(outline: Outline) -> bool:
    """Whether counters stand below the name, not on a dot or beside it."""
    return outline.pieces is None and not outline.turn and not names.is_dot(outline)


def _aside(box: Box, outline: Outline, name: names.Label, scale: float) -> names.Shift:
    """How far a name must be moved to be inside, in its own units."""
    if outline.pieces is not None or outline.turn:
        return 0.0, 0.0
    x, y = outline.label
    left, right = (x - box.left) / scale, (box.left + box.width - x) / scale
    up, down = (y - box.top) / scale, (box.top + box.height - y) / scale
    across = max(0.0, name.half - left) - max(0.0, name.half - right)
    return across, max(0.0, -name.top - up) - max(0.0, name.bottom + BELOW - down)


def _shifted(drawn: str, by: names.Shift) -> str:
    if not any(by):
        return drawn
    return f'<g transform="translate({by[0]:.3g} {by[1]:.3g})">{drawn}</g>'


def _placed(css: str, point: Point, scale: float, drawn: str) -> str:
    if not drawn:
        return ""
    shown = f' class="{css}"' if css else ""
    return f'<g{shown} transform="translate({point[0]} {point[1]}) scale({scale:.4g})">{drawn}</g>'


def _rectangle(box: Box) -> str:
    return f'x="{box.left}" y="{box.top}" width="{box.width}" height="{box.height}"'
