"""What colours, letters and signs of the map mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.core import Param, Text
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.chart import Box
from engine.east_and_west.data.powers import MINOR, POWER_NAMES, USSR
from engine.east_and_west.draw.ascii import LETTERS
from engine.east_and_west.draw.counters import (
    Counter,
    Domain,
    changed_sign,
    counter_sign,
    factory_sign,
    value_sign,
)
from engine.east_and_west.draw.marks import swords

Said = Callable[[Param], str]
"""Says something in the reader's language, ready to stand in the document."""

LINE = 15.0
"""From one line to the next, in tenths of a name."""
SHAPES: tuple[tuple[Domain, Text], ...] = (
    ("ground", Text("ground units")),
    ("air", Text("aircraft")),
    ("sea", Text("ships")),
    ("bomb", Text("bombs")),
)
Entry = tuple[str, str]
"""A sign and what it means."""


def owners(say: Said) -> list[Entry]:
    named: dict[str, Param] = {str(power): name for power, name in POWER_NAMES.items()}
    named |= {key: alliance.names for key, alliance in atlas().alliances.items()}
    named[MINOR] = Text("neutral")
    return [(_swatch(owner), say(name)) for owner, name in named.items()]


def signs(say: Said) -> Iterator[Entry]:
    for domain, text in SHAPES:
        yield counter_sign(Counter(USSR, domain, 2)).svg, say(text)
    yield value_sign(3).svg, say(Text("value in IPC"))
    yield factory_sign().svg, say(Text("factory"))
    yield changed_sign().svg, say(Text("changed"))
    yield f'<g transform="translate(6 6) scale(.8)">{swords(None)}</g>', say(Text("battle"))
    yield '<path class="passage" d="M0 6h14"/>', say(Text("strait"))
    yield '<path class="canal" d="M0 6h14"/>', say(Text("canal"))


def _swatch(owner: str) -> str:
    return (
        f'<rect class="counter owner-{owner}" y="1" width="12" height="10" rx="1.5"/>'
        f'<text class="on-owner" font-size="8" x="6" y="8.8">'
        f"{LETTERS[owner]}</text>"
    )


def column(entries: list[Entry]) -> str:
    """One below the other, from 0 on."""
    return "".join(_entry(entry, 0, i * LINE) for i, entry in enumerate(entries))


def flowing(entries: list[Entry], width: float) -> str:
    """Side by side, in as many lines as it takes."""
    drawn, x, y = [], 0.0, 0.0
    for entry in entries:
        wide = 27 + 4.7 * len(entry[1]) + 1.5 * sum(map(str.isupper, entry[1]))
        if x and x + wide > width:
            x, y = 0.0, y + LINE
        drawn.append(_entry(entry, x, y))
        x += wide
    return "".join(drawn)


def _entry(entry: Entry, x: float, y: float) -> str:
    sign, words = entry
    return (
        f'<g transform="translate({x:.4g} {y:.4g})">{sign}'
        f'<text class="ink" font-size="9" x="19" y="9">{words}</text></g>'
    )


def strip(box: Box) -> Box:
    """The room for a legend below a part of the map."""
    return Box(box.left, box.top + box.height, box.width, round(box.width * 0.108))
