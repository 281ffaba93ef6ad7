"""Saying messages, plain ASCII, wrapping."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine.core import LANGUAGES, GameError, IllegalAction, Language, Name, Text
from engine.text import (
    is_printable,
    plain,
    plain_words,
    printable,
    repeated,
    say,
    shared,
    spaced,
    words_of,
    wrap,
)
from tests.engine.messages import counting, fields, lacking_forms

CATALOGUE = {"de": {"{side} plays {cards}.": "{side} spielt {cards}.", "level": "Gleichstand"}}
USSR = Name("USSR", "UdSSR", "URSS")
CUBA = Name("Cuba", "Kuba", "Cuba")
NO_BREAK = "\u00a0"
OTHERS: tuple[Language, ...] = ("de", "fr")


def test_a_message_is_said_in_the_language_of_the_reader() -> None:
    message = Text("{side} plays {cards}.", {"side": USSR, "cards": (CUBA, USSR)})
    assert say(message, "en", CATALOGUE) == "USSR plays Cuba, USSR."
    assert say(message, "de", CATALOGUE) == "UdSSR spielt Kuba, UdSSR."


def test_a_message_without_translation_stays_english() -> None:
    assert say(Text("{side} stops.", {"side": USSR}), "fr", CATALOGUE) == "URSS stops."


def test_a_message_inside_a_message_is_translated_too() -> None:
    outer = Text("Track: {track} ({points}).", {"track": Text("level"), "points": 0})
    assert say(outer, "de", CATALOGUE) == "Track: Gleichstand (0)."


CUBES = Text("{side} has {count:one cube|# cubes}.", {"side": USSR, "count": 1})
CUBES_TOLD = {
    "de": {CUBES.msgid: "{side} hat {count:einen Marker|# Marker}."},
    "fr": {CUBES.msgid: "{side} : {count:# cube|# cubes}."},
}


@pytest.mark.parametrize(
    ("count", "en", "de", "fr"),
    [
        (0, "USSR has 0 cubes.", "UdSSR hat 0 Marker.", "URSS : 0 cube."),
        (1, "USSR has one cube.", "UdSSR hat einen Marker.", "URSS : 1 cube."),
        (2, "USSR has 2 cubes.", "UdSSR hat 2 Marker.", "URSS : 2 cubes."),
        (21, "USSR has 21 cubes.", "UdSSR hat 21 Marker.", "URSS : 21 cubes."),
    ],
)
def test_words_agree_with_their_number_in_each_language(
    count: int, en: str, de: str, fr: str
) -> None:
    told = Text(CUBES.msgid, {"side": USSR, "count": count})
    assert [say(told, language, CUBES_TOLD) for language in LANGUAGES] == [en, de, fr]


def test_a_number_in_an_english_message_agrees_by_the_rule_of_english() -> None:
    """None is plural in English, also where a French reader gets a message untranslated."""
    told = Text(CUBES.msgid, {"side": USSR, "count": 0})
    assert say(told, "fr", {}) == "URSS has 0 cubes."


def test_a_number_that_is_taken_out_leaves_the_plural() -> None:
    told = Text(CUBES.msgid, {"side": "...", "count": "..."})
    assert say(told, "en", {}) == "... has ... cubes."


def test_braces_in_what_people_wrote_are_only_braces() -> None:
    assert say(Text("{line}", {"line": "{side} {0.__class__}"}), "en", {}) == "{side} {0.__class__}"


def test_braces_in_a_message_without_parameters_are_only_braces() -> None:
    assert str(GameError("what {does} not } fit {")) == "what {does} not } fit {"


# --- errors ---------------------------------------------------------------------------------------


def test_an_error_reads_english_and_can_be_said_in_any_language() -> None:
    catalogue = {"de": {"you do not hold {card}": "{card} hast du nicht"}}
    error = IllegalAction("you do not hold {card}", card=CUBA)
    assert str(error) == "you do not hold Cuba"
    assert say(error.text, "de", catalogue) == "Kuba hast du nicht"
    assert say(error.text, "fr", catalogue) == "you do not hold Cuba"


def test_an_error_of_the_engine_is_said_by_every_game() -> None:
    inner = IllegalAction("level")
    error = GameError("entry {entry}: {reason}", entry=3, reason=inner.text)
    assert str(error) == "entry 3: level"
    assert say(error.text, "de", CATALOGUE) == "Eintrag 3: Gleichstand"
    assert say(error.text, "de", {}) == "Eintrag 3: level"
    assert say(error.text, "fr", {}) == f"entrée 3{NO_BREAK}: level"


def test_an_error_of_unknown_words_stays_english() -> None:
    assert say(GameError("who knows").text, "de", {}) == "who knows"


ERRORS = {"GameError", "AuditError", "OtherRules", "ChanceError", "NotYourTurn", "SealedThrow"}


def errors_of_the_engine() -> set[str]:
    """The messages of every error raised outside the games and the terminal."""
    home = Path(engine.__file__).parent
    trees = [ast.parse(path.read_text("utf-8")) for path in home.glob("*.py")]
    return {
        call.args[0].value
        for tree in trees
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in ERRORS
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[0].value, str)
    }


@pytest.mark.parametrize("language", OTHERS)
def test_every_error_of_the_engine_is_translated(language: Language) -> None:
    said = errors_of_the_engine() | {"roll", "shuffle"}
    assert "entry {entry} ({order}): {reason}" in said
    assert set(shared()[language]) == said


@pytest.mark.parametrize("language", OTHERS)
def test_a_translated_error_names_the_same_parameters(language: Language) -> None:
    for msgid, words in shared()[language].items():
        assert fields(words) == fields(msgid)


@pytest.mark.parametrize("language", OTHERS)
def test_a_translated_error_has_a_form_for_one_and_a_form_for_more(language: Language) -> None:
    assert lacking_forms(shared()[language]) == set()


def test_no_error_counts_one_things() -> None:
    never_one = "'{head}' is no head; it has {count} digits, as in 3f9c1a2b77d04e51"
    assert counting(shared()) == {never_one}


def test_french_errors_never_begin_a_line_with_punctuation() -> None:
    wrong = re.compile(r" [:;?!»]|« ")
    assert [words for words in shared()["fr"].values() if wrong.search(words)] == []


# --- letters and lines ----------------------------------------------------------------------------


def test_what_somebody_wrote_is_quoted_without_what_cannot_be_seen() -> None:
    assert printable("plain, œuvre !") == "plain, œuvre !"
    assert printable("a\x1b[31m\u202eb\nc") == "a\ufffd[31m\ufffdb\ufffdc"
    assert printable("\ud800") == "\ufffd"
    assert is_printable(f"Bonjour{NO_BREAK}!")
    assert not is_printable("two\nlines")


def test_a_no_break_space_holds_words_together() -> None:
    assert words_of(f"Score{NO_BREAK}: égalité\n à\u202f3\t!") == [
        f"Score{NO_BREAK}:",
        "égalité",
        "à\u202f3",
        "!",
    ]
    assert words_of(" one  two ") == ["one", "two"]
    assert wrap(f"Le score{NO_BREAK}: nul", 8) == ["Le", f"score{NO_BREAK}:", "nul"]


def test_plain_words_keep_their_no_break_spaces_until_they_are_wrapped() -> None:
    assert plain_words(f"Régions\u202f: «{NO_BREAK}œ{NO_BREAK}»") == (
        f'Regions{NO_BREAK}: "{NO_BREAK}oe{NO_BREAK}"'
    )
    assert spaced(plain_words(f"Régions{NO_BREAK}:")) == "Regions :"


def test_a_wrapped_line_keeps_its_letters_and_loses_its_no_break_spaces() -> None:
    assert spaced(f"Régions\u202f: «{NO_BREAK}œ{NO_BREAK}»") == "Régions : « œ »"


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
