"""Saying messages, plain ASCII, wrapping, columns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.core import Name, Text
from engine.text import columns, plain, repeated, say, wrap

CATALOGUE = {"de": {"{side} plays {cards}.": "{side} spielt {cards}.", "level": "Gleichstand"}}
USSR = Name("USSR", "UdSSR", "URSS")
CUBA = Name("Cuba", "Kuba", "Cuba")


def test_a_message_is_said_in_the_language_of_the_reader() -> None:
    message = Text("{side} plays {cards}.", {"side": USSR, "cards": (CUBA, USSR)})
    assert say(message, "en", CATALOGUE) == "USSR plays Cuba, USSR."
    assert say(message, "de", CATALOGUE) == "UdSSR spielt Kuba, UdSSR."


def test_a_message_without_translation_stays_english() -> None:
    assert say(Text("{side} stops.", {"side": USSR}), "fr", CATALOGUE) == "URSS stops."


def test_a_message_inside_a_message_is_translated_too() -> None:
    outer = Text("Track: {track} ({points}).", {"track": Text("level"), "points": 0})
    assert say(outer, "de", CATALOGUE) == "Track: Gleichstand (0)."


def test_braces_in_what_people_wrote_are_only_braces() -> None:
    assert say(Text("{line}", {"line": "{side} {0.__class__}"}), "en", {}) == "{side} {0.__class__}"


def test_umlauts_and_accents_are_written_out() -> None:
    assert (
        plain("Ägypten, Südafrika, Zaïre, « œuvre » – 1…")
        == 'Aegypten, Suedafrika, Zaire, " oeuvre " - 1...'
    )
    assert plain("日") == "?"


@given(st.text())
def test_plain_text_is_always_ascii(text: str) -> None:
    assert plain(text).isascii()


def test_repeated_lines_are_gathered_where_they_stand_together() -> None:
    assert repeated(["a", "a", "b", "a"]) == [("a", 2), ("b", 1), ("a", 1)]


def test_wrapped_lines_hang_under_their_bullet() -> None:
    assert wrap("one two three", 9, "- ") == ["- one two", "  three"]


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    assert columns([["a", "b"], ["long", "c"]]) == ["a     b", "long  c"]
