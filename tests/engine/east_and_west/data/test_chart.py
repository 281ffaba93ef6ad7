"""The drawn map says the same about borders as the rules, and has room for every space."""

from __future__ import annotations

from collections import defaultdict
from math import hypot

import pytest

from engine.core import LANGUAGES, Language
from engine.east_and_west.data.atlas import ICE_CAP, atlas
from engine.east_and_west.data.chart import (
    WORLD,
    chart,
    part_with,
    parts,
    rings,
    short_name,
    within,
)

TOUCH = 3.0
"""Units of a common border from which on two spaces are seen to touch; corners have less."""
ON_ICE = {"eastern-siberia", "greenland", "russia", "western-canada", "western-siberia"}
"""Coasts under the ice, which is hatched: nothing passes there."""
Pair = tuple[str, str]


def contacts() -> dict[Pair, float]:
    """How long the common border of each two spaces is, from their outlines."""
    sides = defaultdict(set)
    for key, space in chart().spaces.items():
        for _, ring in rings(space.path):
            for one, other in zip(ring, (*ring[1:], ring[0]), strict=True):
                if one != other:
                    sides[min(one, other), max(one, other)].add(key)
    found: dict[Pair, float] = defaultdict(float)
    for ((x, y), (u, v)), keys in sides.items():
        assert len(keys) <= 2, "three spaces cannot share a border"
        if len(keys) == 2:
            first, second = sorted(keys)
            found[first, second] += hypot(x - u, y - v)
    return found


def test_the_drawn_borders_are_those_of_the_rules() -> None:
    ruled = {(a, b) for a, near in atlas().neighbours.items() for b in near if a < b}
    drawn = {pair for pair, length in contacts().items() if length >= TOUCH}

    assert len(ruled) == 467
    assert len(ruled & drawn) == 465
    canals = {("caribbean-sea", "colombia-sea-zone"), ("cyprus-sea-zone", "red-sea")}
    assert ruled - drawn == canals
    assert drawn - ruled == {(min(land, ICE_CAP), max(land, ICE_CAP)) for land in ON_ICE}


def test_canals_and_straits_are_drawn_as_lines() -> None:
    assert {line.passage for line in chart().passages} == set(atlas().passages.values())


def test_every_space_has_an_outline_and_no_other() -> None:
    assert set(chart().spaces) == set(atlas().spaces)
    for space in chart().spaces.values():
        assert all(len(ring) >= 3 for _, ring in rings(space.path))
        for _, ring in rings(space.path):
            assert all(parts()[WORLD].box.holds(point) for point in ring)


def test_every_space_is_shown_by_a_part_that_is_not_the_whole() -> None:
    for space in chart().spaces:
        assert part_with([space]) != WORLD


def test_the_smallest_part_that_shows_them_all_is_found() -> None:
    assert part_with(["iraq"]) == "near-east"
    assert part_with(["france", "poland"]) == "central-europe"
    assert part_with(["france", "karelia"]) == "europe"
    assert part_with(["france", "hawaii"]) == WORLD
    assert part_with([]) == min(parts(), key=lambda key: parts()[key].box[2] * parts()[key].box[3])


def test_what_lies_outside_of_a_part_is_left_out() -> None:
    europe = parts()["europe"].box
    assert within(chart().spaces["hawaii"].path, europe) == ""
    assert within(chart().spaces["poland"].path, europe) == chart().spaces["poland"].path
    united_states = chart().spaces["eastern-united-states"].path
    west = within(united_states, parts()["south-america"].box)
    assert west and len(west) < len(united_states), "its image on the right is left out"


@pytest.mark.parametrize("language", LANGUAGES)
def test_short_names_are_short_and_no_two_alike(language: Language) -> None:
    names = {space: short_name(space, language) for space in atlas().spaces}
    assert len(set(names.values())) == len(names)
    for space, name in names.items():
        assert len(name) <= max(len(atlas().spaces[space].names.in_(language)), 3)
        assert max(map(len, name.replace("-", "- ").split())) <= 14, name
