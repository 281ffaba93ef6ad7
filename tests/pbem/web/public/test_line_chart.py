"""Line charts: numbers become heights, letters stay apart, and nothing hangs on colour."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from pbem.web.public import line_chart
from pbem.web.public.line_chart import APART, BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Chart, Line


def chart(*values: tuple[int, ...], names: str = "ABCDEF") -> ElementTree.Element:
    lines = [
        Line(f"Power {name}", name, points) for name, points in zip(names, values, strict=False)
    ]
    drawn = line_chart.drawn(Chart("income", "Income", "in words", lines, [(0, "1")]))
    return ElementTree.fromstring(drawn)


def points(root: ElementTree.Element) -> list[list[tuple[float, ...]]]:
    return [
        [tuple(map(float, point.split(","))) for point in line.attrib["points"].split()]
        for line in root.iter("polyline")
    ]


def signs(root: ElementTree.Element) -> dict[str, float]:
    return {
        text.text or "": float(text.attrib["y"])
        for text in root.iter("text")
        if text.attrib["class"].startswith("sign-")
    }


def test_numbers_are_heights_from_nothing_to_a_round_top() -> None:
    ((first, middle, last),) = points(chart((0, 20, 40)))
    bottom = HEIGHT - BOTTOM
    assert first == (LEFT, bottom)
    assert middle == (LEFT + (WIDTH - LEFT - RIGHT) / 2, (bottom + TOP) / 2)
    assert last == (WIDTH - RIGHT, TOP)


@pytest.mark.parametrize(
    ("most", "top"),
    [
        (0, 4),
        (4, 4),
        (5, 8),
        (9, 12),
        (13, 20),
        (21, 40),
        (68, 80),
        (529, 800),
        (10**9, 12 * 10**8),
    ],
)
def test_the_top_is_the_next_round_number(most: int, top: int) -> None:
    assert line_chart._top(most) == top


def test_lines_differ_in_their_dashes_and_have_their_letters() -> None:
    root = chart((1, 2), (2, 3), (3, 4), (4, 5))
    dashes = [line.attrib.get("stroke-dasharray", "") for line in root.iter("polyline")]
    assert len(set(dashes)) == 4
    assert list(signs(root)) == ["A", "B", "C", "D"]


@pytest.mark.parametrize("ends", [(5, 5, 5, 5), (0, 0, 0, 0), (8, 8, 7, 7), (8, 0, 8, 0)])
def test_letters_of_lines_that_end_together_stand_apart(ends: tuple[int, ...]) -> None:
    places = sorted(signs(chart(*((0, end) for end in ends))).values())
    assert all(b - a >= APART - 1 for a, b in zip(places, places[1:], strict=False))
    assert places[0] >= 0 and places[-1] <= HEIGHT


def test_it_is_named_and_described_for_who_does_not_see_it() -> None:
    root = chart((1, 2))
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"] == "plot-income-title plot-income-desc"
    assert [root.findtext("title"), root.findtext("desc")] == ["Income", "in words"]


def test_names_cannot_break_out() -> None:
    sign = '"><script>'
    drawn = line_chart.drawn(Chart("x", sign, sign, [Line(sign, sign, (1,))], [(0, sign)]))
    assert "<script>" not in drawn
    assert not re.search(r'\sstyle="', drawn), "the content policy forbids it"


def test_a_single_point_and_none_can_be_drawn() -> None:
    ((only,),) = points(chart((3,)))
    assert only == (LEFT, HEIGHT - BOTTOM - 0.75 * (HEIGHT - BOTTOM - TOP))
    assert points(chart(())) == [[]]
