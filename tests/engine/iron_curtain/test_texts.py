"""Every message of the game has a German and a French form with the same parameters."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import engine.iron_curtain
from engine.core import LANGUAGES, Language
from engine.iron_curtain.deck import standard_deck
from engine.iron_curtain.game import catalogue
from engine.iron_curtain.state import State
from tests.engine.iron_curtain.tables import GAME, random_match, waiting
from tests.engine.messages import (
    ERRORS,
    SPACE_THAT_BREAKS,
    TRANSLATED,
    counting,
    fields,
    glossary,
    lacking_forms,
    spoken_in,
    unused,
    within,
)

HOME = Path(engine.iron_curtain.__file__).parent
SPEAKERS = {"Text", "everybody", "only", "say", "_fault", *ERRORS}
SCORINGS = {
    "{region} is complete and scores: USA {usa}, USSR {ussr}. Track: {track}.",
    "Final scoring of {region}: USA {usa}, USSR {ussr}. Track: {track}.",
}
"""Put together by the rules from an opening and what follows."""
THE_SAME: dict[Language, set[str]] = {
    "de": {
        "{card}",
        "{card}: {rule}",
        "{value}",
        "{value}*",
        "{label}: {value}",
        "{told}; {more}",
        "Region",
        "Bonus",
    },
    "fr": {"{card}", "{value}", "{value}*", "Score", "Bonus"} | {"{points:# point|# points}"},
}
NEVER_ONE = {
    "{line} ({count} times)",
    "card '{card}' appears {count} times",
    "{count} events move a card, at most 1 can",
    "'{owner}': a name or text must be one line of 1 to {longest} characters",
}
"""Messages with a number before a plural that is never one."""

each_language = pytest.mark.parametrize("language", TRANSLATED)


def modules() -> Iterator[ast.Module]:
    for path in sorted(HOME.rglob("*.py")):
        yield ast.parse(path.read_text("utf-8"), str(path))


def strings_in(node: ast.AST) -> set[str]:
    return {
        found.value
        for found in ast.walk(node)
        if isinstance(found, ast.Constant) and isinstance(found.value, str)
    }


def spoken_in_source() -> set[str]:
    return spoken_in(modules(), SPEAKERS)


def labels(state: State, prefix: tuple[str, ...] = ()) -> Iterator[str]:
    for option in GAME.options(state, waiting(state), prefix):
        yield from within(option.label)
        if option.action is None:
            yield from labels(state, (*prefix, option.word))


def spoken_in_play(seed: bytes) -> set[str]:
    """What a random match really says, in events and in the labels of its options."""
    heard: set[str] = set()
    for step in random_match(seed):
        heard |= {msgid for event in step.events for msgid in within(event.text)}
        if step.state.result is None:
            heard |= set(labels(step.state))
    return heard


def test_the_search_finds_messages_of_every_kind() -> None:
    spoken = spoken_in_source()
    assert "{side} plays {card} on {cell}." in spoken
    assert "You lay {card} aside." in spoken
    assert "Choose who goes first" in spoken
    assert "{card} has no neighbour." in spoken
    assert "Moved cards must keep the map connected" in spoken
    assert "the match waits for {side}, not for you" in spoken
    assert "{card} is no card of your flag; auto-answers are for {cards}" in spoken
    assert "card '{card}' has no event" in spoken


@each_language
def test_every_message_in_the_source_is_translated(language: Language) -> None:
    assert sorted((spoken_in_source() | SCORINGS) - set(catalogue()[language])) == []


@each_language
@pytest.mark.parametrize("seed", [b"one", b"two", b"three"])
def test_every_message_of_a_match_is_translated(language: Language, seed: bytes) -> None:
    assert sorted(spoken_in_play(seed) - set(catalogue()[language])) == []


@each_language
def test_a_translation_names_the_same_parameters(language: Language) -> None:
    wrong = {
        msgid: words
        for msgid, words in catalogue()[language].items()
        if fields(msgid) != fields(words)
    }
    assert wrong == {}


def test_no_message_counts_one_things() -> None:
    """`1 points left`: words that a number stands before have a form for one."""
    assert counting(catalogue()) == NEVER_ONE


@each_language
def test_a_translation_has_a_form_for_one_and_a_form_for_more(language: Language) -> None:
    assert lacking_forms(catalogue()[language]) == set()


@each_language
def test_no_translation_is_left_over(language: Language) -> None:
    written = {text for module in modules() for text in strings_in(module)}
    assert sorted(set(catalogue()[language]) - written - SCORINGS) == []


@each_language
def test_a_translation_differs_from_english(language: Language) -> None:
    same = {msgid for msgid, words in catalogue()[language].items() if msgid == words}
    assert same == THE_SAME[language]


def test_french_punctuation_never_begins_a_line() -> None:
    said = [*catalogue()["fr"].values(), *(card.text.fr for card in standard_deck().cards.values())]
    assert [words for words in said if SPACE_THAT_BREAKS.search(words)] == [], "put U+00A0 there"


def test_both_languages_translate_the_same_messages() -> None:
    german, french = (catalogue()[language] for language in TRANSLATED)
    assert list(german) == list(french)
    assert set(catalogue()) == set(LANGUAGES) - {"en"}


def test_the_openings_of_scorings_are_those_of_the_rules() -> None:
    rules = {said for module in modules() for said in strings_in(module)}
    openings = {msgid.partition(": USA")[0] for msgid in SCORINGS}
    assert openings <= rules
    assert ": USA {usa}, USSR {ussr}. Track: {track}." in rules


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_glossary_has_the_words_of_the_game(language: Language) -> None:
    """Each term stands there just as boards, letters and pages say it."""
    terms = [
        term for row in glossary(GAME.rules_text(language), language) for term in row[language]
    ]
    messages = catalogue()["de"] if language == "en" else catalogue()[language].values()
    said = [
        *messages,
        *(name.in_(language) for name in (card.text for card in standard_deck().cards.values())),
    ]
    assert len(terms) > 20
    assert unused(terms, said) == []


@each_language
def test_the_glossary_is_the_same_in_all_languages(language: Language) -> None:
    assert glossary(GAME.rules_text(language), language) == glossary(GAME.rules_text())


def test_the_rules_have_no_other_words_for_a_lead() -> None:
    assert re.findall(r"\b(?:majorit|lock)\w*", GAME.rules_text()) == []


@each_language
def test_the_editions_words_for_a_lead_are_kept(language: Language) -> None:
    """Glossary: German calls a lead of one control and a lead of two domination."""
    words = {"de": ("kontrolliert", "dominiert"), "fr": ("domine", "contrôle")}
    of_this = catalogue()[language]
    assert (of_this["dominates"], of_this["controls"]) == words[language]
    for msgid, word in zip(("dominates", "controls"), words[language], strict=True):
        assert of_this["{side} " + msgid] == "{side} " + word
