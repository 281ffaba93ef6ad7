"""Every message of the game has a German and a French form with the same parameters."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import engine.east_and_west
from engine.core import LANGUAGES, Language, Name
from engine.east_and_west.course import neutrals
from engine.east_and_west.data.arsenal import kinds, technologies
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.draw.narrate import MARKS
from engine.east_and_west.game import catalogue
from engine.text import is_printable, plain
from tests.engine.east_and_west.kit import GAME, course, state
from tests.engine.east_and_west.test_random_play import random_match
from tests.engine.messages import (
    ERRORS,
    SPACE_THAT_BREAKS,
    TRANSLATED,
    branches,
    called,
    counting,
    fields,
    glossary,
    lacking_forms,
    spoken_in,
    unused,
    within,
)

HOME = Path(engine.east_and_west.__file__).parent
SPEAKERS = {"Text", "tell", "announce", "tell_only", "_tell", "say", *ERRORS}
PASSED_ON = {
    "execution.py: Text(message, params)",
    "execution.py: self.tell(message, **params)",
    "ascii.py: Text(msgid, params)",
    "shipping.py: course.tell(message, ...)",
}
"""Where words come from elsewhere: those who call these are searched as well."""
ONLY_NAMES = re.compile(r"(\{\w+\}[:,.]? ?(- )?)+")
THE_SAME: dict[Language, set[str]] = {
    "de": {"IPC", "neutral", "Land"},
    "fr": {"IPC", "mobilisation", "Alliance", "Technologies", "canal"},
}
"""Words that are no others in a language; messages of nothing but names go without saying."""

NEVER_ONE = {
    "{line} ({count} times)",
    "{most} orders wait already; `forget` drops some",
    "an order has at most {most} characters, this one {length}",
    "at most {most} units on a side",
}
"""Messages with a number before a plural that is never one."""
ALIKE = {
    "{space}: {able} infantry can go on board, not {number}",
    "{number} Chinese infantry cannot go to North Korea; up to {possible} can",
    "retreat when the odds fall below {number} percent",
}
"""Messages with a number before a word that is the same for one and for more."""

each_language = pytest.mark.parametrize("language", TRANSLATED)


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(HOME.rglob("*.py")):
        yield path.name, ast.parse(path.read_text("utf-8"), str(path))


def spoken_in_source() -> set[str]:
    return spoken_in((module for _, module in modules()), SPEAKERS)


@pytest.mark.whole
def test_the_search_finds_messages_of_every_kind() -> None:
    spoken = spoken_in_source()
    assert "{power} takes {land} from {loser}" in spoken
    assert "Noted for later: {order}" in spoken
    assert "it is for {power} to decide now" in spoken
    assert "{power}: {units} ashore, {zone} - {land}" in spoken
    assert "{power} takes no units of {guest} on board" in spoken
    assert "diplomacy in {target}" in spoken
    assert "{option} is {value}; it can be on or off" in spoken
    assert "Give a spy a mission" in spoken
    assert "factory" in spoken


@pytest.mark.whole
def test_no_message_is_put_together_where_the_search_does_not_see_it() -> None:
    """The first thing handed to Text, announce or tell, or to an error, is a constant."""
    speaks = {"Text", "tell", "announce", *ERRORS}
    hidden = set()
    for name, module in modules():
        for call in ast.walk(module):
            if not isinstance(call, ast.Call) or called(call) not in speaks or not call.args:
                continue
            if not all(isinstance(found, ast.Constant) for found in branches(call.args[0])):
                said = ast.unparse(call)
                hidden.add(f"{name}: {said if len(said) < 40 else said.split(',')[0] + ', ...)'}")
    assert hidden == PASSED_ON


@pytest.mark.whole
@each_language
def test_every_message_in_the_source_is_translated(language: Language) -> None:
    assert sorted(spoken_in_source() - set(catalogue()[language])) == []


@each_language
def test_no_translation_is_left_over(language: Language) -> None:
    assert sorted(set(catalogue()[language]) - spoken_in_source()) == []


def test_every_message_of_a_match_is_translated() -> None:
    heard: set[str] = set()
    for moved in random_match(15, 1):
        heard |= {msgid for event in moved.step.events for msgid in within(event.text)}
        for seat in GAME.waiting_on(moved.step.state):
            options = GAME.options(moved.step.state, seat)
            heard |= {msgid for option in options for msgid in within(option.label)}
    assert len(heard) > 30
    assert [sorted(heard - set(catalogue()[language])) for language in TRANSLATED] == [[], []]


def test_no_message_counts_one_things() -> None:
    """`after 1 rounds`: words that a number stands before have a form for one."""
    assert counting(catalogue()) == NEVER_ONE | ALIKE


@each_language
def test_a_translation_has_a_form_for_one_and_a_form_for_more(language: Language) -> None:
    assert lacking_forms(catalogue()[language]) == set()


@pytest.mark.parametrize(
    ("placed", "message"),
    [
        ("1 infantry", "A unit of USSR has to leave Sinkiang and goes to Kazakhstan"),
        ("2 infantry", "2 units of USSR have to leave Sinkiang and go to Kazakhstan"),
    ],
)
def test_one_unit_leaves_and_several_leave(placed: str, message: str) -> None:
    acting = course(state(f"sinkiang ussr {placed}", "kazakhstan ussr 1 infantry"))
    neutrals.shift(acting, "china", -1)
    assert message in [GAME.say(event.text) for event in acting.events]


@each_language
def test_a_translation_names_the_same_parameters(language: Language) -> None:
    wrong = {
        msgid: words
        for msgid, words in catalogue()[language].items()
        if fields(msgid) != fields(words)
    }
    assert wrong == {}


@each_language
def test_a_translation_differs_from_english(language: Language) -> None:
    same = {
        msgid
        for msgid, words in catalogue()[language].items()
        if msgid == words and not ONLY_NAMES.fullmatch(msgid)
    }
    assert same == THE_SAME[language]


def test_french_punctuation_never_begins_a_line() -> None:
    said = catalogue()["fr"].values()
    assert [words for words in said if SPACE_THAT_BREAKS.search(words)] == [], "put U+00A0 there"


def test_both_languages_translate_the_same_messages() -> None:
    german, french = (catalogue()[language] for language in TRANSLATED)
    assert list(german) == list(french)
    assert set(catalogue()) == set(LANGUAGES) - {"en"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_glossary_has_the_words_of_the_game(language: Language) -> None:
    """Each term stands there just as boards, letters and pages say it."""
    terms = [
        term for row in glossary(GAME.rules_text(language), language) for term in row[language]
    ]
    messages = catalogue()["de"] if language == "en" else catalogue()[language].values()
    said = [*messages, *(name.in_(language) for name in names())]
    assert len(terms) > 20
    assert unused(terms, said) == []


@each_language
def test_the_glossary_is_the_same_in_all_languages(language: Language) -> None:
    assert glossary(GAME.rules_text(language), language) == glossary(GAME.rules_text())


# --- names ----------------------------------------------------------------------------------------


def names() -> Iterator[Name]:
    for space in atlas().spaces.values():
        yield space.names
    for theatre in atlas().theatres.values():
        yield theatre.names
    for kind in kinds().values():
        yield from (kind.names, kind.many)
    for technology in technologies().values():
        yield from (technology.names, *technology.steps)
    yield from MARKS.values()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_name_can_be_printed_and_written_in_ascii(language: Language) -> None:
    said = [name.in_(language) for name in names()]
    assert [name for name in said if not name.strip() or not is_printable(name)] == []
    assert [name for name in said if "?" in plain(name)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_spaces_have_one_name(language: Language) -> None:
    said = [space.names.in_(language) for space in atlas().spaces.values()]
    assert len(set(said)) == len(said) == 190


def test_french_names_are_french() -> None:
    """Few places are called the same in English and in French."""
    seas = [space for space in atlas().spaces.values() if not space.is_land]
    assert [space.names.fr for space in seas if space.names.fr == space.names.en] == []
    assert atlas().spaces["west-germany"].names.fr == "Allemagne de l'Ouest"
    assert atlas().spaces["falkland-islands"].names.fr == "Îles Malouines"
