"""A view as an SVG document: a schematic map of the world.

Lands are boxes in the colour of their owner, water is pale and round; each has its tag, the letters
of whose units are there and their number, and tells the rest when it is pointed at. Neighbours are
joined by lines, canals and straits by broken ones. No colour stands alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from engine.core import Language, Param, Text
from engine.east_and_west.data.atlas import Space, atlas
from engine.east_and_west.data.powers import MINOR, POWER_NAMES
from engine.east_and_west.data.seating import SEAT_NAMES
from engine.east_and_west.draw.ascii import FACTORY, LETTERS, label
from engine.east_and_west.draw.narrate import (
    Say,
    moment,
    owner_name,
    question,
    sentence,
    space_facts,
)
from engine.east_and_west.draw.palette import STYLE as STYLE
from engine.east_and_west.view import View

WIDE, HIGH = 1800, 1000
"""The map between the middles of its outermost spaces."""
MARGIN = 50
BOX, TALL = 64, 36
LEGEND = 60
ROUND = 16


def draw(view: View, language: Language, say: Say) -> str:
    return Picture(view, language, say).document()


class Picture:
    """One view on its way onto the screen."""

    def __init__(self, view: View, language: Language, say: Say) -> None:
        self.view, self.board, self.language, self._say = view, view.board, language, say

    def say(self, value: Param) -> str:
        """A message or a name, ready to stand in the document."""
        text = value if isinstance(value, Text) else Text("{value}", {"value": value})
        return escape(self._say(text, self.language))

    def sentence(self, fact: Text) -> str:
        return escape(sentence(fact, self.language, self._say))

    def document(self) -> str:
        width, height = WIDE + 2 * MARGIN, HIGH + 2 * MARGIN + LEGEND
        told = f"{self.sentence(moment(self.view))} {self.sentence(question(self.view))}"
        parts = [
            '<svg xmlns="http://www.w3.org/2000/svg" class="east-and-west" role="img" '
            f'width="100%" viewBox="0 0 {width} {height}">',
            f"<title>{self.say(self.title())}</title>",
            f"<desc>{told}</desc>",
            f"<style>{STYLE}</style>",
            f'<rect class="page" width="{width}" height="{height}"/>',
            f'<g id="borders">{"".join(borders())}</g>',
            *map(self.space, atlas().spaces),
            self.legend(),
            "</svg>",
        ]
        return "\n".join(parts) + "\n"

    def title(self) -> Text:
        if self.view.seat is None:
            return Text("East & West, as a spectator sees it")
        return Text("East & West, as {power} sees it", {"power": SEAT_NAMES[self.view.seat]})

    def space(self, key: str) -> str:
        space, owner = atlas().spaces[key], self.board.owners.get(key, "")
        x, y = _middle(space)
        shape = f"owner-{owner}" if space.is_land else "sea"
        on = "on-owner" if space.is_land else "ink"
        rim = " rim" if space.capital else ""
        corner = 3 if space.is_land else ROUND
        tag, _, units = label(self.board, key).partition(":" if space.is_land else "~")
        factory = FACTORY if units.endswith(FACTORY) else ""
        return (
            f'<g id="{key}" transform="translate({x} {y})"><title>{self._told(key)}</title>'
            f'<rect class="{shape}{rim}" x="{-BOX // 2}" y="{-TALL // 2}" width="{BOX}" '
            f'height="{TALL}" rx="{corner}"/>'
            f'<text class="{on} bold" text-anchor="middle" font-size="13" y="-3">{tag}{factory}'
            f'</text><text class="{on}" text-anchor="middle" font-size="12" y="12">'
            f"{units.removesuffix(FACTORY)}</text></g>"
        )

    def _told(self, key: str) -> str:
        facts = [self.sentence(fact) for fact in space_facts(self.view, key)]
        if facts:
            return " ".join(facts)
        return f"{self.say(atlas().spaces[key].names)}, {self.say(owner_name(self.board, key))}."

    def legend(self) -> str:
        """Whose colour and letter is whose."""
        named: dict[str, Param] = {str(power): name for power, name in POWER_NAMES.items()}
        named |= {key: alliance.names for key, alliance in atlas().alliances.items()}
        named[MINOR] = Text("neutral")
        step, top = (WIDE + MARGIN) // len(named), HIGH + 2 * MARGIN + LEGEND // 2
        parts = [
            f'<g transform="translate({MARGIN + step * i} {top})">'
            f'<rect class="owner-{owner}" y="-14" width="20" height="20" rx="3"/>'
            f'<text class="on-owner bold" text-anchor="middle" font-size="14" x="10" y="1">'
            f'{LETTERS[owner]}</text><text class="ink" font-size="16" x="28" y="2">'
            f"{self.say(name)}</text></g>"
            for i, (owner, name) in enumerate(named.items())
        ]
        return f'<g id="legend">{"".join(parts)}</g>'


def borders() -> Iterator[str]:
    """A line for each border; one across the edge of the map runs out on both sides."""
    known = atlas()
    for key, near in known.neighbours.items():
        for other in near:
            if key > other:
                continue
            (x, y), (u, v) = _middle(known.spaces[key]), _middle(known.spaces[other])
            css = "passage" if (key, other) in known.passages else "edge"
            if abs(x - u) <= WIDE / 2:
                yield _line(css, x, y, u, v)
                continue
            if x > u:
                x, y, u, v = u, v, x, y
            half = round((y + v) / 2)
            yield _line(css, x, y, 0, half)
            yield _line(css, u, v, WIDE + 2 * MARGIN, half)


def _line(css: str, x: int, y: int, u: int, v: int) -> str:
    return f'<line class="{css}" x1="{x}" y1="{y}" x2="{u}" y2="{v}"/>'


def _middle(space: Space) -> tuple[int, int]:
    return round(MARGIN + space.x * WIDE), round(MARGIN + space.y * HIGH)
