"""What is laid over the map: moves as arrows, battles, what is selected and where it can go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from engine.abilities import Arrow, Picture
from engine.east_and_west.data.chart import Point, chart
from engine.east_and_west.view import View

BEND = 0.14
"""How far an arrow leaves the straight line, by its length."""


def outlined(picture: Picture, drawn: Set[str]) -> Iterator[str]:
    """The selected space and its targets, if they are drawn; the lines of targets are broken."""
    for space in sorted(picture.targets & drawn):
        yield f'<use class="glow" href="#at-{space}"/><use class="target" href="#at-{space}"/>'
    if picture.selected in drawn:
        yield (
            f'<use class="glow" href="#at-{picture.selected}"/>'
            f'<use class="selected" href="#at-{picture.selected}"/>'
        )


def routes(arrows: Iterable[Arrow], scale: float) -> Iterator[tuple[Arrow, str, Point]]:
    """Arrows that can be drawn, each with its curve and where its number stands."""
    for arrow in arrows:
        if arrow.start != arrow.target and {arrow.start, arrow.target} <= chart().spaces.keys():
            yield arrow, *_route(arrow, scale)


def _route(arrow: Arrow, scale: float) -> tuple[str, Point]:
    """The curve of an arrow, which ends before the counters, and where its number stands."""
    (x, y), (u, v) = nearest(arrow.start, arrow.target)
    dx, dy = u - x, v - y
    length = max(1.0, (dx * dx + dy * dy) ** 0.5)
    cut = min(14 * scale, length / 3) / length
    u, v = u - dx * cut, v - dy * cut
    bend_x, bend_y = (x + u) / 2 + dy * BEND, (y + v) / 2 - dx * BEND
    middle = round((x + 2 * bend_x + u) / 4), round((y + 2 * bend_y + v) / 4)
    return f"M{x:.0f} {y:.0f}Q{bend_x:.0f} {bend_y:.0f} {u:.0f} {v:.0f}", middle


def nearest(start: str, target: str) -> tuple[Point, Point]:
    """The images of two spaces that lie next to each other: some are on both edges of the map."""
    spaces = chart().spaces
    pairs = [(one, other) for one in spaces[start].places for other in spaces[target].places]
    return min(pairs, key=lambda pair: _distance(*pair))


def _distance(one: Point, other: Point) -> int:
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2


def arrow_lines(arrow: Arrow, curve: str) -> str:
    css, head = ("attack", "to-battle") if arrow.is_attack else ("way", "to-space")
    return (
        f'<path class="casing" d="{curve}"/>'
        f'<path class="{css}" marker-end="url(#{head})" d="{curve}"/>'
    )


def number_plate(number: int) -> str:
    wide = 4 + 4.8 * len(str(number))
    return (
        f'<rect class="plate" x="{-wide / 2:.3g}" y="-5" width="{wide:.3g}" height="10" rx="5"/>'
        f'<text class="on-owner" font-size="7.5" y="2.7">{number}</text>'
    )


def swords(percent: int | None) -> str:
    """Two crossed blades, and how likely the attacker wins."""
    odds = ""
    if percent is not None:
        odds = (
            '<rect class="plate" x="5" y="-5" width="24" height="10" rx="2"/>'
            f'<text class="on-owner" font-size="7.5" x="18" y="2.7">{percent}%</text>'
        )
    return (
        f'{odds}<circle class="plate" r="8"/>'
        '<path class="blade" d="M-4 4L4-4M4 4L-4-4M-4.5 2l2.5 2.5M4.5 2L2 4.5"/>'
    )


HEADS = "".join(
    f'<marker id="{name}" class="{css}" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="4"'
    ' markerHeight="4" orient="auto-start-reverse"><path d="M0 0l8 4-8 4z"/></marker>'
    for name, css in (("to-space", "head"), ("to-battle", "attack-head"))
)


# --- what a view itself has to show ---------------------------------------------------------------


def arrows(view: View) -> tuple[Arrow, ...]:
    """The moves of this turn so far, each way once, in the order in which they were ordered."""
    turn = view.board.turn
    fought = {attack.space for attack in turn.attacks} | {*turn.raids}
    ways = dict.fromkeys((gone.start, gone.target) for gone in turn.departures)
    found = [
        Arrow(start, target, number, target in fought)
        for number, (start, target) in enumerate(ways, 1)
        if start != target
    ]
    strikes = (Arrow(strike.start, strike.target, 0, True) for strike in turn.strikes)
    return (*found, *strikes)


def changes(earlier: View, view: View) -> frozenset[str]:
    """Spaces with another owner, other units or another factory than before."""
    then, now = earlier.board, view.board
    return frozenset(
        space
        for space in chart().spaces
        if then.owners.get(space) != now.owners.get(space)
        or _counted(earlier, space) != _counted(view, space)
        or (space in then.factories) != (space in now.factories)
    )


def _counted(view: View, space: str) -> dict[tuple[str, str], int]:
    counted: dict[tuple[str, str], int] = {}
    for group in view.board.at(space):
        key = group.owner, group.kind
        counted[key] = counted.get(key, 0) + group.count
    return counted
