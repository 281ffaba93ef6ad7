"""The view as a piece of HTML for letters: tables and inline styles, the same facts in words."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from engine.core import LANGUAGES, Language, Seat
from engine.iron_curtain.deck import USA, USSR
from engine.iron_curtain.draw.narrate import lead
from engine.iron_curtain.state import State
from tests.engine.iron_curtain.tables import GAME, random_match, state
from tests.engine.iron_curtain.test_narrate import VIEWERS, hidden_words, marked_deck
from tests.engine.iron_curtain.test_svg import HOSTILE, hostile_deck

VOID = {"br"}


class Words(HTMLParser):
    """The words a reader sees, and whether every tag is closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.seen, self.open = list[str](), list[str]()
        self.tags = set[str]()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.seen.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.seen).replace("\xa0", " ").split())


def words(position: State, seat: Seat | None, language: Language = "en") -> str:
    read = Words(GAME.markup(GAME.view(position, seat), language))
    assert read.open == []
    return read.text


def a_position() -> State:
    return state("italy t19 0/1", "france s18 3/0", "vietnam r19", mover=USA, usa="cuba", track=-2)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_card_is_named_with_who_leads(language: Language) -> None:
    view = GAME.view(a_position(), USA)
    told = words(a_position(), USA, language)
    for country in view.table:
        assert view.deck.cards[country.card].name.in_(language) in told
        if country.usa or country.ussr:
            assert GAME.say(lead(country), language) in told


def test_cubes_have_shapes_and_numbers_beside_their_colours() -> None:
    told = words(a_position(), USA)

    assert "\N{BLACK SQUARE} 3 USA controls" in told
    assert "\N{BLACK CIRCLE} 1 USSR dominates" in told


def test_the_marker_stands_in_brackets() -> None:
    told = words(a_position(), USA)

    assert "8 7 6 5 4 3 [2] 1 0 1 2" in told
    assert "Score: USSR ahead by 2" in told


def test_the_own_hand_is_shown_with_its_events_and_the_others_is_counted() -> None:
    told = words(a_position(), USA)

    assert "Your hand" in told
    assert "Cuba , Central America" in told
    assert "The USSR commands up to 4 cubes in all" in told
    assert "Hand of USSR: 3." in told


def test_a_spectator_sees_no_hand() -> None:
    assert "Your hand" not in words(a_position(), None)
    assert "Cuba" not in words(a_position(), None)


@pytest.mark.parametrize("seed", [b"h1", b"h2"])
def test_every_position_of_a_match_is_sound_small_and_needs_nothing(seed: bytes) -> None:
    for step in list(random_match(seed))[::5]:
        for seat in (USA, USSR, None):
            html = GAME.markup(GAME.view(step.state, seat), "fr")
            read = Words(html)
            assert read.open == []
            assert read.tags <= {"p", "b", "span", "table", "tr", "td", "th", "div", "br"}
            assert len(html) < 40_000
            assert max(map(len, html.splitlines())) < 900
            assert "url(" not in html


def test_names_of_a_deck_file_stay_words() -> None:
    position = state("italy t19 0/1", "france s18 3/0", mover=USA, deck=hostile_deck())
    html = GAME.markup(GAME.view(position, USA), "en")
    read = Words(html)

    assert read.open == []
    assert "script" not in read.tags
    assert HOSTILE in read.text
    assert HOSTILE not in html


@pytest.mark.parametrize("seed", [b"eve 1", b"eve 2"])
def test_eve_sees_no_hidden_card(seed: bytes) -> None:
    for number, step in enumerate(random_match(seed, {"deck": marked_deck()})):
        for seat in VIEWERS:
            view = GAME.view(step.state, seat)
            html = GAME.markup(view, LANGUAGES[number % len(LANGUAGES)])
            assert [word for word in hidden_words(view) if word in html] == []


def test_the_table_has_heads_for_its_columns_and_rows() -> None:
    html = GAME.markup(GAME.view(a_position(), USA), "en")

    assert re.findall(r'<th scope="col"[^>]*>(\w+)</th>', html) == ["r", "s", "t"]
    assert re.findall(r'<th scope="row"[^>]*>(\w+)</th>', html) == ["18", "19"]
    assert 'aria-label="Iron Curtain, as USA sees it"' in html
