"""Small plots, reckoned on the server: bars of a row of figures, drawn by a template."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.deadlines import HOUR as HOUR
from pbem.services.operations.statistics import Point

WIDTH, HEIGHT = 300, 80
GAP = 1
"""Of each side of a bar, in the units of the picture."""


class Bar(NamedTuple):
    start: int
    """When its day or week began."""
    value: float | None
    x: float
    y: float
    width: float
    height: float


class Plot(NamedTuple):
    bars: list[Bar]
    top: float
    """What a bar of full height stands for; 0 when there is nothing to draw."""
    width: int = WIDTH
    height: int = HEIGHT


def bars(points: Sequence[Point], unit: int) -> Plot:
    """One bar for each point, in so many of its units; the highest fills the picture."""
    values = [None if point.value is None else point.value / unit for point in points]
    top = max((value for value in values if value is not None), default=0.0)
    step = WIDTH / len(points)
    drawn = list[Bar]()
    for place, (point, value) in enumerate(zip(points, values, strict=True)):
        height = HEIGHT * value / top if value and top else 0.0
        x, y = place * step + GAP, HEIGHT - height
        drawn.append(
            Bar(point.start, value, *(round(n, 1) for n in (x, y, step - 2 * GAP, height)))
        )
    return Plot(drawn, top)
