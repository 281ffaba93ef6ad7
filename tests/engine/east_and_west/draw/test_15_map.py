"""The drawn map: every space with its name, its owner and what stands there, and what is marked."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter

import pytest
from msgspec.structs import replace

from engine.abilities import Arrow, BattleMark, Maps, Picture
from engine.chance import SealedDice
from engine.core import LANGUAGES, Language, Text
from engine.east_and_west.board import Board, Fallout, Headline
from engine.east_and_west.data.arsenal import BOMBS
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.chart import chart, parts
from engine.east_and_west.data.powers import UK, USSR
from engine.east_and_west.draw.ascii import LETTERS
from engine.east_and_west.draw.counters import counters, totals
from engine.east_and_west.draw.names import SMALLEST, broken, places
from engine.east_and_west.draw.palette import DARK, LIGHT, OWNERS, STYLE
from engine.east_and_west.draw.svg import shown
from engine.east_and_west.view import View
from tests.engine.east_and_west.kit import GAME, play, state
from tests.engine.east_and_west.test_random_play import random_match

SVG = "{http://www.w3.org/2000/svg}"
ZOOMS = [zoom.key for zoom in GAME.zooms()]
ON_SCREEN = 9.0
"""Pixels that a name is high at least."""


def start() -> View:
    return GAME.view(GAME.new_game({}, SealedDice()).state, USSR)


def drawn(view: View, picture: Picture | None = None, language: Language = "en") -> ET.Element:
    return ET.fromstring(GAME.draw_map(view, picture or Picture(), language))


def spaces(picture: ET.Element) -> dict[str, ET.Element]:
    return {
        element.get("id", ""): element
        for element in picture.iter()
        if "space" in element.get("class", "").split()
    }


def classed(picture: ET.Element, css: str) -> list[ET.Element]:
    return [element for element in picture.iter() if css in element.get("class", "").split()]


# --- every space ----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_picture_is_named_and_shows_every_space(language: Language) -> None:
    view = start()
    picture = ET.fromstring(GAME.draw(view, language))
    assert picture.get("width") == "100%"
    assert picture[0].tag == f"{SVG}title" and picture[0].text
    told = GAME.narrate(view, language).splitlines()
    assert (picture[1].tag, picture[1].text) == (f"{SVG}desc", " ".join(told[:2]))
    found = spaces(picture)
    assert set(found) == set(atlas().spaces)
    for key, space in atlas().spaces.items():
        assert space.names.in_(language) in (found[key][0].text or "")


def test_every_space_can_be_focused_and_says_what_stands_there() -> None:
    position = state("poland ussr 2 infantry 1 fighter", "baltic-sea ussr 1 submarine")
    for element in spaces(drawn(GAME.view(position, None))).values():
        assert (element.tag, element.get("tabindex")) == (f"{SVG}g", "0")
        assert element.get("role") == "img"
    linked = spaces(drawn(GAME.view(position, None), Picture(link="?at={space}")))
    assert {element.get("href") for element in linked.values()} == {
        f"?at={space}" for space in atlas().spaces
    }
    assert linked["poland"][0].text == "Poland, USSR, worth 3: 2 infantry, 1 fighter."
    assert linked["baltic-sea"][0].text == "Baltic Sea, units of USSR: 1 submarine."
    assert linked["north-sea"][0].text == "North Sea, sea."


def test_links_to_targets_can_be_others_and_are_escaped() -> None:
    asked = Picture(
        link='/t/"><script>?at={space}',
        target_link="?at=poland&to={space}",
        targets=frozenset({"west-germany", "no-such-space"}),
        selected="<b>",
    )
    text = GAME.draw_map(start(), asked)
    found = spaces(ET.fromstring(text))
    assert found["west-germany"].get("href") == "?at=poland&to=west-germany"
    assert found["poland"].get("href") == '/t/"><script>?at=poland'
    assert "<script" not in text and "<b>" not in text and "no-such-space" not in text


def test_names_with_marks_of_markup_are_written_out() -> None:
    picture = drawn(start(), Picture(zoom="south-east-asia"), "de")
    assert "Borneo & Celebes" in (spaces(picture)["borneo-and-celebes"][0].text or "")


def test_lands_have_the_colour_of_their_owner() -> None:
    view = GAME.view(state(owners={"poland": "usa"}), None)
    found = spaces(drawn(view))
    for key in atlas().lands:
        assert found[key].get("class") == f"space owner-{view.board.owners[key]}"
    assert found["poland"].get("class") == "space owner-usa"
    assert found["baltic-sea"].get("class") == "space sea"
    assert found["polar-ice-cap"].get("class") == "space ice"


# --- counters -------------------------------------------------------------------------------------


def written(picture: ET.Element, space: str, css: str = "") -> list[str]:
    """What is written on the counters of a space."""
    x, y = chart().spaces[space].places[0]
    groups = [
        group
        for group in picture.iter(f"{SVG}g")
        if group.get("transform", "").startswith(f"translate({x} {y}) ")
        and group.get("class", "") == css
    ]
    return [
        text.text or ""
        for group in groups
        for text in group.iter(f"{SVG}text")
        if {"on-owner", "on-bomb"} & set(text.get("class", "").split())
    ]


def expected(board: Board, space: str) -> Counter[str]:
    """Letters with numbers, as the world shows them."""
    counts: Counter[tuple[str, bool]] = Counter()
    for group in board.at(space):
        counts[group.owner, group.kind in BOMBS] += group.count
    return Counter(f"{LETTERS[owner]}{count}" for (owner, _), count in counts.items())


@pytest.mark.whole
def test_the_counters_of_random_positions_say_how_many_units_there_are() -> None:
    positions = [moved.step.state for moved in random_match(3, 2, is_rich=True)][::30]
    assert len(positions) > 3
    for position in positions:
        view = GAME.view(position, UK)
        picture = drawn(view)
        for space in atlas().spaces:
            assert Counter(written(picture, space)) == expected(view.board, space), space
        for space in atlas().spaces:
            stacks = counters(view.board.at(space), view.board.owners.get(space, ""))
            units = sum(group.count for group in view.board.at(space))
            assert sum(stack.count for stack in stacks) == units
            assert sum(stack.count for stack in totals(stacks)) == units


def test_a_part_shows_ground_air_and_sea_apart_with_value_and_factory() -> None:
    position = state("italy we 4 infantry usa 6 infantry 1 fighter", "north-sea usa 3 cruiser")
    europe = drawn(GAME.view(position, None), Picture(zoom="europe"))
    assert written(europe, "italy", "wide") == ["4", "E4", "A6", "A1"]
    assert written(europe, "italy", "narrow") == ["E4", "A7"]
    assert written(europe, "north-sea", "wide") == ["A3"]


def test_shapes_tell_ground_air_and_sea_from_each_other() -> None:
    position = state("poland ussr 1 infantry 1 fighter", "baltic-sea ussr 1 cruiser")
    europe = drawn(GAME.view(position, None), Picture(zoom="europe"))
    shapes = {path.get("d") for path in classed(europe, "counter") if path.tag == f"{SVG}path"}
    assert len(shapes) == 3


def test_damage_is_marked() -> None:
    sound = GAME.view(state("baltic-sea ussr 1 battleship"), None)
    plain = len(classed(drawn(sound), "hurt"))
    hurt = GAME.view(state("baltic-sea ussr 1 battleship!damaged"), None)
    assert len(classed(drawn(hurt), "hurt")) == plain + 1
    board = replace(sound.board, fallout=(Fallout("poland", 2, UK),))
    europe = Picture(zoom="europe")
    fallen = drawn(replace(sound, board=board), europe)
    assert len(classed(fallen, "hurt")) == len(classed(drawn(sound, europe), "hurt")) + 1
    assert written(fallen, "poland", "wide")[0] == "1"


# --- parts of the map -----------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_zooms_are_named_and_the_world_is_first(language: Language) -> None:
    assert isinstance(GAME, Maps)
    zooms = GAME.zooms(language)
    assert zooms[0].key == ""
    assert len({zoom.key for zoom in zooms}) == len({zoom.name for zoom in zooms}) == len(parts())
    assert GAME.zoom_on(frozenset({"iraq"})) == "near-east"
    assert GAME.zoom_on(frozenset({"iraq", "hawaii"})) == ""


@pytest.mark.parametrize("zoom", ZOOMS)
def test_a_part_has_its_own_box_and_names_that_can_be_read(zoom: str) -> None:
    picture = drawn(start(), Picture(zoom=zoom))
    box = parts()[zoom or "world"].box
    left, top, width, height = map(int, (picture.get("viewBox") or "").split())
    assert (left, top, width) == box[:3]
    assert height == box.height if not zoom else box.height < height < box.height * 1.25
    for css, screen in (("", 1264),) if not zoom else (("wide", 1000), ("narrow", 328)):
        for group in picture.iter(f"{SVG}g"):
            scale = re.search(r"scale\(([\d.]+)\)$", group.get("transform", ""))
            if scale is None or group.get("class", "") != css:
                continue
            for text in group.iter(f"{SVG}text"):
                if text.get("class", "").split()[0] in ("name", "zone") and len(text):
                    size = float(text.get("font-size", "0")) * float(scale[1])
                    assert size * screen / width >= ON_SCREEN or "again" in text.get("class", "")


def test_an_unknown_zoom_is_the_whole_world() -> None:
    assert GAME.draw_map(start(), Picture(zoom="atlantis")) == GAME.draw_map(start(), Picture())


def test_a_space_at_both_edges_has_a_second_paler_name() -> None:
    twice = [space for space in chart().spaces.values() if space.also is not None]
    assert len(classed(drawn(start()), "again")) == len(twice) == 13


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_space_is_named_in_a_part(language: Language) -> None:
    named: set[str] = set()
    for key, part in parts().items():
        scale = part.names / SMALLEST
        found = places(shown(key), language, key == "world", scale)
        assert set(atlas().lands) & shown(key) <= set(found)
        named |= set(found) if key != "world" else set()
    assert named == set(atlas().spaces)


def test_names_are_broken_between_words() -> None:
    assert broken("French West Africa", 12) == ["French West", "Africa"]
    assert broken("Baffin- und Hudson-Bai", 12) == ["Baffin- und", "Hudson-Bai"]
    assert broken("Turkmenistan", 9) == ["Turkmenistan"]


# --- what is marked -------------------------------------------------------------------------------


def test_moves_are_arrows_with_numbers_and_battles_swords_with_odds() -> None:
    asked = Picture(
        zoom="europe",
        arrows=(Arrow("poland", "west-germany", 7, True), Arrow("ukraine", "romania", 8)),
        battles=(BattleMark("west-germany", 62), BattleMark("turkey")),
    )
    picture = drawn(GAME.view(state(), None), asked)
    assert len(classed(picture, "attack")) == len(classed(picture, "way")) == 1
    texts = [text.text for text in picture.iter(f"{SVG}text")]
    assert {"7", "8", "62%"} <= set(texts)
    plain = len(classed(drawn(GAME.view(state(), None), Picture(zoom="europe")), "blade"))
    assert len(classed(picture, "blade")) == plain + 4, "each for wide and narrow screens"


def test_arrows_that_cannot_be_drawn_are_left_out() -> None:
    asked = Picture(arrows=(Arrow("poland", "poland", 1), Arrow("poland", "atlantis", 2)))
    assert classed(drawn(start(), asked), "way") == []


def test_an_arrow_across_the_edge_takes_the_short_way() -> None:
    asked = Picture(arrows=(Arrow("western-canada", "ontario", 1),))
    (way,) = classed(drawn(start(), asked), "way")
    numbers = [int(number) for number in re.findall(r"-?\d+", way.get("d", ""))]
    assert abs(numbers[0] - numbers[-2]) < 500


def test_what_is_selected_and_where_it_can_go_is_outlined_in_two_ways() -> None:
    asked = Picture(selected="poland", targets=frozenset({"west-germany", "baltic-sea"}))
    picture = drawn(start(), asked)
    assert [use.get("href") for use in classed(picture, "selected")] == ["#at-poland"]
    assert {use.get("href") for use in classed(picture, "target")} == {
        "#at-west-germany",
        "#at-baltic-sea",
    }


def test_what_has_changed_is_marked_and_told() -> None:
    picture = drawn(start(), Picture(changed=frozenset({"turkey"})))
    told = spaces(picture)["turkey"][0].text or ""
    assert told.endswith("Changed since your last turn.")
    assert len(classed(picture, "hurt")) == len(classed(drawn(start()), "hurt")) + 1


def test_a_view_knows_its_moves_its_battles_and_what_is_new() -> None:
    position = state("poland ussr 3 infantry", "west-germany we 1 infantry")
    before = GAME.view(position, USSR)
    attacked = play(position, USSR, "move 2 infantry poland west-germany")
    picture = GAME.picture(GAME.view(attacked, USSR), before)
    assert picture.changed == {"poland", "west-germany"}
    assert picture.arrows == (Arrow("poland", "west-germany", 1, True),)
    assert picture.battles == (BattleMark("west-germany"),)
    assert GAME.picture(before, before) == Picture()


def test_without_an_earlier_view_the_news_say_what_is_new() -> None:
    taken = Headline(1, Text("{land} falls", {"land": atlas().spaces["turkey"].names}))
    view = GAME.view(state(headlines=(taken,)), UK)
    assert GAME.picture(view).changed == {"turkey"}


# --- the document ---------------------------------------------------------------------------------


def test_nothing_runs_and_nothing_comes_from_elsewhere() -> None:
    for moved in list(random_match(6, 1))[::60]:
        svg = GAME.draw(GAME.view(moved.step.state, UK), "fr")
        assert not re.search(r"<script|<image|<foreignObject|@import| on\w+=", svg)
        targets = re.findall(r'href="([^"]*)"|url\(([^)]*)\)', svg)
        assert targets and all((one or other).startswith("#") for one, other in targets)
        assert " style=" not in svg, "a strict content policy would not let it pass"
        assert f"<style>{STYLE}</style>" in svg
        ET.fromstring(svg)


def test_what_is_used_is_there() -> None:
    asked = Picture(zoom="europe", selected="hawaii", targets=frozenset({"poland", "midway"}))
    picture = drawn(start(), asked)
    ids = {element.get("id") for element in picture.iter()}
    for use in picture.iter(f"{SVG}use"):
        assert use.get("href", "").removeprefix("#") in ids


def test_the_style_is_for_this_picture_only_and_knows_dark_mode() -> None:
    assert GAME.style == STYLE
    assert ".east-and-west:root{color-scheme:light dark}" in STYLE, "alone, as the machine is"
    assert f"fill:light-dark({LIGHT['ink']},{DARK['ink']})" in STYLE, "else as the page is"
    selectors = re.findall(r"([^{}]+)\{[^{}]*\}", re.sub(r"@\w+[^{]*\{", "", STYLE))
    assert {selector.split()[0] for selector in selectors} == {
        ".east-and-west",
        ".east-and-west:root",
    }
    named = set(re.findall(r"\.([a-z][\w-]*)", "".join(selectors)))
    asked = Picture("europe", selected="poland", targets=frozenset({"turkey"}))
    for element in drawn(GAME.view(state("poland ussr 1 infantry"), None), asked).iter():
        if element.tag != f"{SVG}svg":
            assert set(element.get("class", "").split()) <= named


def test_every_owner_has_a_colour_of_its_own() -> None:
    assert set(OWNERS) == set(LETTERS)
    assert len(set(OWNERS.values())) == len(OWNERS)
