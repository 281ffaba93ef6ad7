"""Small line charts as SVG: told apart by dashes and letters, never by colour alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

WIDTH, HEIGHT = 340, 190
LEFT, RIGHT, TOP, BOTTOM = 38, 30, 10, 24
"""Room for numbers, letters at the ends of lines, and the axis below."""
APART = 13
"""Between letters that would lie on each other."""
DASHES = ("", "9 4", "2 3", "12 3 2 3", "5 3", "1 2")
MOST_STEPS = 4


class Line(NamedTuple):
    """What one party had, point by point."""

    name: str
    sign: str
    values: tuple[int, ...]


class Chart(NamedTuple):
    key: str
    """For the ids in the page."""
    title: str
    said: str
    """The same in words, for who does not see it."""
    lines: Sequence[Line]
    ticks: Sequence[tuple[int, str]]
    """Below the axis: at which point stands what."""


def drawn(chart: Chart) -> Markup:
    """The chart as an SVG element; its colours come from the style sheet of the page."""
    points = max((len(line.values) for line in chart.lines), default=0)
    top = _top(max((value for line in chart.lines for value in line.values), default=0))
    parts = [*_levels(top), *_marks(chart.ticks, points)]
    ends = _spread([_y(line.values[-1], top) if line.values else 0.0 for line in chart.lines])
    for number, (line, end) in enumerate(zip(chart.lines, ends, strict=True)):
        parts.append(_line(number, line, points, top, end))
    named = f"plot-{chart.key}"
    return Markup(
        '<svg class="plot" role="img" viewBox="0 0 {} {}" aria-labelledby="{}-title {}-desc">'
        '<title id="{}-title">{}</title><desc id="{}-desc">{}</desc>{}</svg>'
    ).format(
        WIDTH, HEIGHT, named, named, named, chart.title, named, chart.said, Markup("").join(parts)
    )


def sample(number: int) -> Markup:
    """A piece of the line with this number, for a legend."""
    return Markup(
        '<svg class="plot sample" viewBox="0 0 36 8" aria-hidden="true">'
        '<path class="line-{}" {}d="M0 4H36"/></svg>'
    ).format(number % len(DASHES), _dashes(number))


def _line(number: int, line: Line, points: int, top: int, end: float) -> Markup:
    way = " ".join(
        f"{_x(place, points):.1f},{_y(value, top):.1f}" for place, value in enumerate(line.values)
    )
    return Markup(
        '<polyline class="line-{0}" {1}points="{2}"/>'
        '<text class="sign-{0}" x="{3}" y="{4:.1f}">{5}</text>'
    ).format(
        number % len(DASHES), _dashes(number), way, WIDTH - RIGHT + 7, end + 4, escape(line.sign)
    )


def _dashes(number: int) -> Markup:
    dashes = DASHES[number % len(DASHES)]
    return Markup('stroke-dasharray="{}" ').format(dashes) if dashes else Markup("")


def _levels(top: int) -> list[Markup]:
    """Lines across, with their numbers."""
    step = top // MOST_STEPS if top % MOST_STEPS == 0 else top
    return [
        Markup(
            '<path class="grid" d="M{0} {1:.1f}H{2}"/>'
            '<text class="number" x="{3}" y="{4:.1f}">{5}</text>'
        ).format(LEFT, _y(level, top), WIDTH - RIGHT, LEFT - 6, _y(level, top) + 4, level)
        for level in range(0, top + 1, step)
    ]


def _marks(ticks: Sequence[tuple[int, str]], points: int) -> list[Markup]:
    return [
        Markup('<text class="tick" x="{:.1f}" y="{}">{}</text>').format(
            _x(place, points), HEIGHT - 6, label
        )
        for place, label in ticks
    ]


def _x(place: int, points: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * place / max(1, points - 1)


def _y(value: int, top: int) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * max(0, value) / top


def _top(most: int) -> int:
    """A round number that is not below: 4, 8, 20, 40, 80, 200…"""
    size = 1
    while True:
        for times in (4, 8, 12, 20):
            if times * size >= most:
                return times * size
        size *= 10


def _spread(ends: Sequence[float]) -> list[float]:
    """Where letters stand so that none covers another, each near the end of its line."""
    order = sorted(range(len(ends)), key=lambda number: ends[number])
    lowest = HEIGHT - BOTTOM
    placed = dict[int, float]()
    at = float(TOP - APART)
    for number in order:
        at = max(ends[number], at + APART)
        placed[number] = at
    for number in reversed(order):
        placed[number] = min(placed[number], lowest)
        lowest = int(placed[number]) - APART
    return [placed[number] for number in range(len(ends))]
