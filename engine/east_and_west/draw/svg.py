"""A view as an SVG document: a map of the world, or of a part of it.

Seas first, shallow water along the coasts, lands in the colours of their owners, straits,
canals, what is marked, then names and counters. Each space is a link or can be focused, and tells
what stands there. Names and counters come twice where only a part is drawn: whole on a wide screen,
short and larger on a narrow one, which the style sheet decides. Outlines and names are kept for
each part and language; only what a view changes is drawn anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html import escape

from engine.abilities import BattleMark, Picture
from engine.core import Language, Param, Text
from engine.east_and_west.data.atlas import CANALS, ICE_CAP, atlas
from engine.east_and_west.data.chart import WORLD, Box, Outline, Part, Point, chart, parts, within
from engine.east_and_west.data.seating import SEAT_NAMES
from engine.east_and_west.draw import legend, marks, names
from engine.east_and_west.draw.counters import TALL, pieces, scene
from engine.east_and_west.draw.narrate import (
    Say,
    moment,
    owner_name,
    question,
    sentence,
    space_facts,
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
        self.wide = self.part.names / names.SMALLEST
        self.narrow = self.part.box.width / PHONE * (OVERVIEW_SCALE if self.is_world else 1)
        self.shown = shown(self.key)
        self.routes = list(marks.routes(picture.arrows, self.wide))

    def say(self, value: Param) -> str:
        """A message or a name, ready to stand in the document."""
        text = value if isinstance(value, Text) else Text("{value}", {"value": value})
        return escape(self._say(text, self.language))

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
            f"<g>{''.join(self.passages())}</g>",
            f"<g>{''.join(marks.outlined(self.picture, outlines(self.key).keys()))}</g>",
            f'<g class="labels">{"".join(self.arrows())}</g>',
            f'<g class="labels{OVERVIEW if self.is_world else ""}">{"".join(self.labels())}</g>',
            f'<g class="labels">{"".join(self.numbers())}{"".join(self.battles())}</g>',
            f'<g class="legend">{self.legend()}</g>',
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
        for key, path in outlines(self.key).items():
            if atlas().is_land(key) == is_land:
                yield self.space(key, path)

    def space(self, key: str, path: str) -> str:
        css = f"owner-{self.board.owners[key]}" if atlas().is_land(key) else _water(key)
        told = f"<title>{self.told(key)}</title>{path}"
        link = self.link(key)
        if link:
            return f'<a id="{key}" class="space {css}" href="{link}">{told}</a>'
        return f'<g id="{key}" class="space {css}" tabindex="0" role="img">{told}</g>'

    def link(self, key: str) -> str:
        asked = self.picture
        pattern = asked.target_link if key in asked.targets and asked.target_link else asked.link
        return escape(pattern.replace("{space}", key))

    def told(self, key: str) -> str:
        facts = [self.sentence(fact) for fact in space_facts(self.view, key)]
        if not facts:
            owner = self.say(owner_name(self.board, key))
            facts = [f"{self.say(atlas().spaces[key].names)}, {owner}."]
        if key in self.picture.changed:
            facts.append(self.sentence(Text("Changed since your last turn.")))
        return " ".join(facts)

    def passages(self) -> Iterator[str]:
        for crossing in chart().passages:
            if crossing.passage == "oresund" and not self.board.variant.baltic_strait:
                continue
            css = "canal" if crossing.passage in CANALS else "passage"
            yield f'<path class="casing" d="{crossing.line}"/>'
            yield f'<path class="{css}" d="{crossing.line}"/>'

    # --- names and what stands there --------------------------------------------------------------

    def labels(self) -> Iterator[str]:
        for key in sorted(outlines(self.key), key=atlas().is_land):
            outline = chart().spaces[key]
            if outline.also is not None and self.part.box.holds(outline.also):
                again = names.name_again(key, self.language)
                yield _placed("", outline.also, self.wide, again)
            if key not in self.shown:
                continue
            brief = self.label(key, True)
            if self.is_world:
                yield _placed("", outline.places[0], self.wide, brief)
            else:
                yield self.twice(outline.places[0], self.label(key, False), brief)

    def label(self, key: str, is_brief: bool) -> str:
        """Name and pieces; moved a little where the name would be cut by the edge."""
        outline = chart().spaces[key]
        scale = self.narrow if is_brief and not self.is_world else self.wide
        name = names.name(key, self.language, is_brief, scale)
        top = name.bottom + 2 if _is_roomy(outline) else -TALL / 2
        drawn = pieces(scene(self.board, key, key in self.picture.changed), is_brief, top)
        shift = names.places(self.shown, self.language, is_brief, scale).get(key)
        if shift is not None:
            drawn = name.svg + drawn
        if shift is None or not any(shift):
            shift = _aside(self.part.box, outline, name, scale)
        return _shifted(drawn, shift)

    def twice(self, point: Point, whole: str, brief: str) -> str:
        """Something at a point for wide screens, and for narrow ones."""
        return _placed("wide", point, self.wide, whole) + _placed(
            "narrow", point, self.narrow, brief
        )

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

    # --- what it all means ------------------------------------------------------------------------

    def legend(self) -> str:
        entries, meant = legend.owners(self.say), list(legend.signs(self.say))
        if self.is_world:
            (x, y), scale = LEGEND, self.wide * 0.9
            first = _placed("wide", (x, y), scale, legend.column(entries))
            return first + _placed("wide", (x + 330, y), scale, legend.column(meant))
        strip = legend.strip(self.part.box)
        drawn = f'<rect class="page" {_rectangle(strip)}/>'
        for css, scale, shown in (
            ("wide", strip.width / 600, entries + meant),
            ("narrow", self.narrow, entries),
        ):
            flow = legend.flowing(shown, strip.width / scale - 8)
            drawn += _placed(css, (strip.left + 8, strip.top + 8), scale, flow)
        return drawn


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
