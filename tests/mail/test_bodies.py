"""What letters say above the footer, in text and in HTML."""

from __future__ import annotations

import re
from email.message import EmailMessage

import pytest

from tests.mail.posting import html_of, text_of
from tests.mail.reading import Golden

pytestmark = pytest.mark.whole


def test_inboxes_show_the_same_first_words_of_both_parts(book: list[Golden]) -> None:
    """The essential comes first; what precedes it in the HTML is not shown."""
    for one in book:
        text = " ".join(one.text.split())
        words = [" ".join(word.split()) for word in one.page.shown if word.split()]
        assert len(words[0]) > 20, one.name
        assert text.startswith(words[0]), one.name
        assert "://" not in words[0], one.name


def test_the_first_line_of_a_turn_tells_what_the_other_has_played(
    named: dict[str, EmailMessage],
) -> None:
    """In an inbox all letters of a round have the same subject."""
    firsts = {name: text_of(named[name]).partition("\n")[0] for name in named}

    assert firsts["turn_second"].startswith("USA plays Vietnam on s18. It is your turn until ")
    assert firsts["turn_many"].startswith("USA puts a cube on Europe. It is your turn until ")
    assert firsts["one_subject_turn"].startswith("USSR decides: USA goes first in round 1. It is")
    for name in ("turn_after_rewind", "turn_after_timeout", "campaign_turn", "reminder"):
        assert firsts[name].startswith("It is your turn until "), name


def test_a_reminder_shows_the_board_of_the_only_match(named: dict[str, EmailMessage]) -> None:
    assert "USSR 8 7 6" in text_of(named["reminder"])
    for name in ("reminder_several", "reminder_daily"):
        assert "USSR 8 7 6" not in text_of(named[name])


def test_a_turn_letter_keeps_its_order(named: dict[str, EmailMessage]) -> None:
    text = text_of(named["turn_many"])
    parts = [
        "What has happened since your last turn:",
        "Your move: play a card.",
        "USSR 8 7 6",
        "Your hand:",
        "Your choices:",
        "?prefix=play+",
        "The turn page:",
        "Your turn ends:",
        "2027-01-17 04:00 UTC, in 1 d 12 h",
        "One day's grace",
        "offers a draw",
        "Accept the draw",
        "| Hello <Bob>,",
        "Head of match",
        "Your seat page and more links",
        "/mute/",
    ]

    places = [text.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)


def test_the_head_of_the_log_stands_alone_on_its_line(named: dict[str, EmailMessage]) -> None:
    text = text_of(named["moderator_head"])

    assert len(re.findall(r"(?m)^[0-9a-f]{64}$", text)) == 1
    assert "pbem audit verify --head" in " ".join(text.split())


def test_what_a_moderator_answers_stays_words(named: dict[str, EmailMessage]) -> None:
    assert "| Did <Ann> write more" in text_of(named["answer"])
    assert "Did &lt;Ann&gt; write more" in html_of(named["answer"])
    assert "closed" not in text_of(named["answer"])
    assert "Your report is now closed." in text_of(named["answer_closed"])


def test_what_a_player_writes_stays_words(named: dict[str, EmailMessage]) -> None:
    html = html_of(named["turn_many"])

    assert "Hello &lt;Bob&gt;," in html
    assert "<Bob>" not in html


# --- the HTML part --------------------------------------------------------------------------------


def test_the_html_needs_nothing_from_elsewhere(book: list[Golden]) -> None:
    for one in book:
        keys = [key for key, _ in one.page.attributes]
        assert not {"svg", "script", "link", "iframe", "form", "object"} & set(one.page.tags), (
            one.name
        )
        assert not {"background", "onclick"} & set(keys), one.name
        assert "url(" not in one.html, one.name
        assert "@import" not in one.html, one.name


def test_the_html_shows_the_pictures_that_travel_with_it(book: list[Golden]) -> None:
    for one in book:
        pictures = [value for key, value in one.page.attributes if key == "src"]
        attached = [
            f"cid:{str(part['Content-ID']).strip('<>')}"
            for part in one.letter.walk()
            if part.get_content_maintype() == "image"
        ]
        assert pictures == attached, one.name
        assert len(attached) == one.page.tags.count("img"), one.name


def test_the_html_is_small_and_plain_ascii(book: list[Golden]) -> None:
    for one in book:
        assert len(one.html.encode()) < 100_000, one.name
        assert one.html.isascii(), one.name
        assert max(map(len, one.html.splitlines())) < 990, one.name


def test_the_html_knows_light_and_dark_and_its_language(book: list[Golden]) -> None:
    for one in book:
        language = one.name[-2:] if one.name.endswith(("_de", "_fr")) else "en"
        assert f'<html lang="{language}">' in one.html, one.name
        assert '<meta name="color-scheme" content="light dark">' in one.html, one.name
        assert "@media (prefers-color-scheme: dark)" in one.html, one.name
