"""The picture of a view: sound XML, all that may be seen, nothing hidden, no colour alone."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from engine.chance import QuickDice
from engine.core import LANGUAGES, Language, Seat
from engine.iron_curtain.deck import SIDES, USA, USSR, Deck, standard_deck
from engine.iron_curtain.draw.palette import DARK, LIGHT, ON_REGION, ON_SIDE, REGIONS, STYLE
from engine.iron_curtain.grid import cell_name
from engine.iron_curtain.state import State
from tests.engine.iron_curtain.tables import GAME, card_in, deck_document, random_match, state
from tests.engine.iron_curtain.test_narrate import VIEWERS, hidden_words, marked_deck

SVG = "{http://www.w3.org/2000/svg}"
READABLE = 4.5
"""WCAG 1.4.3: the contrast that text needs."""

HOSTILE = '<script>a("1")</script>&\''


def drawn(position: State, seat: Seat | None = USA, language: Language = "en") -> ET.Element:
    return ET.fromstring(GAME.draw(GAME.view(position, seat), language))


def words(element: ET.Element) -> list[str]:
    return ["".join(text.itertext()) for text in element.iter(f"{SVG}text")]


def group(picture: ET.Element, name: str) -> ET.Element:
    found = picture.findall(f".//{SVG}g[@id='{name}']")
    assert len(found) == 1, name
    return found[0]


def of_class(element: ET.Element, name: str) -> list[ET.Element]:
    return [found for found in element.iter() if name in found.get("class", "").split()]


def hostile_deck() -> Deck:
    """A deck file in which somebody has tried to write markup wherever words can stand."""
    document = deck_document()
    for region in document["regions"].values():
        region["name"] = dict.fromkeys(LANGUAGES, HOSTILE)
        region["short"] = dict.fromkeys(LANGUAGES, "<&>")
    for card in (document["starter"], *document["cards"]):
        card["name"] = dict.fromkeys(LANGUAGES, HOSTILE)
    for card in document["cards"]:
        card["text"] = dict.fromkeys(LANGUAGES, HOSTILE * 5)
    return GAME.new_game({"deck": document}, QuickDice(b"hostile")).state.deck


# --- the document --------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_picture_scales_and_is_named_for_those_who_do_not_see_it(language: Language) -> None:
    position = state("poland s18 2/1", track=3)
    picture = drawn(position, USA, language)
    assert picture.tag == f"{SVG}svg"
    assert (picture.get("role"), picture.get("width")) == ("img", "100%")
    assert re.fullmatch(r"0 0 720 \d+(\.\d)?", picture.get("viewBox", ""))
    assert picture.get("height") is None
    assert picture[0].tag == f"{SVG}title" and picture[0].text
    told = GAME.narrate(GAME.view(position, USA), language).splitlines()
    assert (picture[1].tag, picture[1].text) == (f"{SVG}desc", " ".join(told[:3]))


def test_nothing_runs_and_nothing_comes_from_elsewhere() -> None:
    for step in random_match(b"quiet"):
        svg = GAME.draw(GAME.view(step.state, USA))
        assert not re.search(r"<script|<image|<use|<foreignObject|href|url\(|@import| on\w+=", svg)
        assert " style=" not in svg, "a strict content policy would not let it pass"


def test_the_style_is_always_the_same_and_knows_dark_mode() -> None:
    for step in random_match(b"style"):
        assert f"<style>{STYLE}</style>" in GAME.draw(GAME.view(step.state, None))
    assert ".iron-curtain:root{color-scheme:light dark}" in STYLE, "alone, as the machine is"
    assert f"fill:light-dark({LIGHT['ink']},{DARK['ink']})" in STYLE, "else as the page is"
    selectors = re.findall(r"([^{}]+)\{[^{}]*\}", STYLE)
    assert len(selectors) > 40
    assert {selector.split()[0] for selector in selectors} == {
        ".iron-curtain",
        ".iron-curtain:root",
    }


def test_a_picture_opened_alone_is_not_shrunk_to_the_height_of_the_window() -> None:
    (root,) = re.findall(r"\.iron-curtain\{([^}]*)\}", STYLE)
    assert "height:auto" in root.split(";")


def test_every_class_in_the_picture_has_a_rule() -> None:
    named = set(re.findall(r"\.iron-curtain \.([\w-]+)\{", STYLE))
    for step in random_match(b"classes"):
        for element in drawn(step.state, USSR).iter():
            if element.tag != f"{SVG}svg":
                assert set(element.get("class", "").split()) <= named


# --- what may be seen ----------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_card_on_the_table_lies_on_its_cell(language: Language) -> None:
    for step in random_match(b"cells"):
        picture = drawn(step.state, None, language)
        cells = {g.get("id"): g.get("data-cell") for g in picture.iter() if g.get("data-cell")}
        assert cells == {f"card-{c.card}": cell_name(c.cell) for c in step.state.table}


def test_a_card_on_the_table_says_all_about_itself() -> None:
    picture = drawn(state("poland s18 2/1"))
    assert words(group(picture, "card-poland")) == [
        "EU",
        "s18",
        "Poland",
        "USA",
        "3",
        "U2",
        "S1",
        "USA dominates",
    ]
    assert words(group(picture, "card-europe"))[2:] == ["Europe", "no flag", "U1", "S1", "level"]


def test_sides_have_shapes_of_their_own() -> None:
    poland = group(drawn(state("poland s18 2/1")), "card-poland")
    (circle,) = poland.iter(f"{SVG}circle")
    assert circle.get("class") == "side-ussr"
    squares = [r for r in poland.iter(f"{SVG}rect") if r.get("width") == r.get("height") == "36"]
    assert [square.get("class") for square in squares] == ["side-usa"]


def test_dominating_and_controlling_look_and_read_different() -> None:
    picture = drawn(state("poland s18 2/1", "italy t18 0/2", "japan s20"))
    poland, italy, japan = (group(picture, f"card-{c}") for c in ("poland", "italy", "japan"))
    assert (len(of_class(poland, "led")), len(of_class(poland, "bow"))) == (1, 0)
    assert (len(of_class(italy, "locked")), len(of_class(italy, "bow"))) == (1, 1)
    assert "USSR controls" in words(italy)
    assert not of_class(japan, "led") and not of_class(japan, "locked")


def test_columns_and_rows_are_named() -> None:
    seen = words(group(drawn(state("poland s18", "japan u19")), "grid"))
    assert [name for name in seen if name in ("s", "t", "u", "18", "19")] == [*"stu", "18", "19"]


def test_cards_to_the_east_stand_further_right() -> None:
    picture = drawn(state("poland r19", "italy t19", "japan u19"))
    places = [
        parent.get("transform", "")
        for card in ("poland", "europe", "italy", "japan")
        for parent in picture.iter(f"{SVG}g")
        if any(child.get("id") == f"card-{card}" for child in parent)
    ]
    lefts = [float(place.removeprefix("translate(").split()[0]) for place in places]
    assert all(west < east for west, east in pairwise(lefts))


@pytest.mark.parametrize(("track", "shown"), [(-8, "−8"), (-1, "−1"), (0, "0"), (8, "+8")])
def test_the_marker_stands_on_the_track(track: int, shown: str) -> None:
    strip = group(drawn(state(track=track)), "track")
    assert ["".join(text.itertext()) for text in of_class(strip, "on-marked")] == [shown]
    assert len(list(strip.iter(f"{SVG}polygon"))) == 1
    assert len(of_class(strip, "space")) == 16


def test_the_own_hand_is_open_and_the_other_shows_backs() -> None:
    position = state(usa="vietnam france egypt japan cuba")
    picture = drawn(position)
    assert len(of_class(picture, "back")) == 5
    france = words(group(picture, "card-france"))
    assert france[:5] == ["EU", "Europe", "France", "USA", "command 1"]
    assert " ".join(france[5:]) == "The US infiltrates up to 2 cubes onto France."
    assert len(of_class(drawn(position, None), "back")) == 10


def test_a_finished_match_shows_winner_and_aftermath() -> None:
    *_, last = random_match(b"finished")
    seen = " ".join(words(drawn(last.state, None)))
    names = [last.state.deck.cards[card].name.en for card in last.state.aftermath]
    assert f"Aftermath: {names[0]} and {names[1]}." in seen
    assert "The match is over." in seen


@pytest.mark.whole
@pytest.mark.parametrize("seed", [b"eve 1", b"eve 2", b"eve 3"])
def test_eve_sees_no_hidden_card(seed: bytes) -> None:
    for number, step in enumerate(random_match(seed, {"deck": marked_deck()})):
        for seat in VIEWERS:
            view = GAME.view(step.state, seat)
            svg = GAME.draw(view, LANGUAGES[number % len(LANGUAGES)])
            assert [word for word in hidden_words(view) if word in svg] == []
            ids = set(re.findall(r'id="card-(\w+)"', svg))
            assert ids == {*(country.card for country in view.table), *view.hand}


@pytest.mark.whole
def test_two_states_that_look_alike_draw_alike() -> None:
    for step in random_match(b"alike"):
        for seat in VIEWERS:
            other = GAME.resample_hidden(step.state, seat, QuickDice(b"another"))
            pictures = {GAME.draw(GAME.view(position, seat)) for position in (step.state, other)}
            assert len(pictures) == 1


# --- words that do harm or do not fit ------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_markup_in_a_deck_file_stays_text(language: Language) -> None:
    picture = drawn(state("poland s18 2/1", usa="france", deck=hostile_deck()), USA, language)
    known = {"svg", "title", "desc", "style", "g", "rect", "text", "circle", "path", "polygon"}
    assert {element.tag.removeprefix(SVG) for element in picture.iter()} <= known
    assert any("<script>" in (title.text or "") for title in picture.iter(f"{SVG}title"))


def test_cards_of_two_decks_with_the_same_ids_keep_their_own_words() -> None:
    document = deck_document()
    card_in(document, "poland")["name"] = dict.fromkeys(LANGUAGES, "Elsewhere")
    deck = GAME.new_game({"deck": document}, QuickDice(b"own words")).state.deck
    for names in (("Poland", None), ("Elsewhere", deck), ("Poland", None)):
        word, own = names
        position = state("poland s18", deck=own) if own else state("poland s18")
        assert words(group(drawn(position), "card-poland"))[2] == word


def test_a_long_name_is_cut_to_its_card() -> None:
    document = deck_document()
    card_in(document, "poland")["name"] = dict.fromkeys(LANGUAGES, "Donaudampfschifffahrtskapitaen")
    deck = GAME.new_game({"deck": document}, QuickDice(b"long")).state.deck
    name = words(group(drawn(state("poland s18", deck=deck)), "card-poland"))[2]
    assert name.startswith("Donaudampf") and name.endswith("…") and len(name) < 30


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_of_the_standard_deck_are_never_cut(language: Language) -> None:
    deck = standard_deck()
    places = [f"{card} {'abcdefghijklmnopq'[i]}1 1/0" for i, card in enumerate(deck.order[:16])]
    picture = drawn(state(*places), USA, language)
    assert [text for text in words(picture) if "…" in text] == []


# --- colours -------------------------------------------------------------------------------------


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_words_stand_out_from_what_is_behind_them(palette: dict[str, str]) -> None:
    for ink in ("ink", "muted"):
        for behind in ("page", "card"):
            assert contrast(palette[ink], palette[behind]) >= READABLE
    on_side = ON_SIDE["light" if palette is LIGHT else "dark"]
    for side in SIDES:
        assert contrast(on_side[side], palette[side]) >= READABLE
        assert contrast(palette[side], palette["card"]) >= 3, "shapes need less than words"


@pytest.mark.parametrize("region", REGIONS)
def test_words_stand_out_from_every_region(region: str) -> None:
    assert contrast(ON_REGION, REGIONS[region]) >= READABLE


def test_every_region_has_a_colour() -> None:
    assert set(REGIONS) == set(standard_deck().regions)
    assert len(set(REGIONS.values())) == len(REGIONS)


# --- the picture in parts -------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [b"one", b"two"])
def test_the_table_apart_has_every_card_that_lies_and_none_that_is_held(seed: bytes) -> None:
    for step in random_match(seed):
        for seat in SIDES:
            seen = GAME.view(step.state, seat)
            apart = GAME.draw_table(seen, "de")
            assert set(re.findall(r'id="card-(\w+)"', apart)) == {c.card for c in seen.table}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_hand_apart_says_all_about_its_cards(language: Language) -> None:
    for step in random_match(b"one"):
        seen = GAME.view(step.state, USA)
        held = GAME.held(seen, language)
        assert tuple(card.word for card in held) == seen.hand
        for card, apart in zip(map(seen.deck.cards.__getitem__, seen.hand), held, strict=True):
            assert card.name.in_(language) in apart.title
            assert card.text.in_(language) in apart.text
            assert ET.fromstring(apart.face).get("class") == "iron-curtain"


def test_nobody_sees_the_hand_of_another_side() -> None:
    for step in random_match(b"two"):
        assert GAME.held(GAME.view(step.state, None)) == ()
        seen = GAME.view(step.state, USSR)
        assert {card.word for card in GAME.held(seen)} == set(seen.hand)


def test_the_table_apart_tells_no_more_than_the_picture() -> None:
    """Two worlds that a seat cannot tell from one another are drawn alike, in parts, too."""
    for step in random_match(b"one"):
        seen = GAME.view(step.state, USA)
        other = GAME.imagine(seen, QuickDice(b"another world"))
        again = GAME.view(other, USA)
        assert GAME.draw_table(again) == GAME.draw_table(seen)
        assert GAME.held(again) == GAME.held(seen)
