"""The rules of each game as a numbered text: alike in every language, and cited by refusals."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from engine import text as words
from engine.core import LANGUAGES, Language, Name, Text
from engine.east_and_west.data.arsenal import kinds, technologies
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWER_NAMES
from engine.iron_curtain.deck import SIDE_NAMES, standard_deck
from engine.registry import GAMES
from tests.engine.messages import ERRORS, TRANSLATED, spoken_in

UNCITED = {
    "iron_curtain": {"the match is over"},
    "east_and_west": {
        "the match is over",
        "an order has at most {most} characters, this one {length}",
        # the calculator of odds, which belongs to no match
        "{one} and {other} are no enemies",
        "ships fight at sea; on land they only bombard in a landing",
        "{kind} takes no part in a battle",
        "at most {most} units on a side",
        "steps are 1, 2 and 3",
        # a form filled in wrongly
        "nothing is chosen; choose {what}",
        "'{power}' is none of your powers; yours: {powers}",
        "{field}: {reason}",
        "there is no form '{form}' here now; there is: {forms}",
        "there is nothing to fill in for '{stage}' now; shown is: {shown}",
        "{field}: '{value}' is neither on nor empty",
        "{field}: '{value}' is not a number from 0 to {most}",
        "{field}: '{value}' is not possible; possible: {values}",
        "{field}: choose one of {values}",
        "{field}: this is too long; at most {most}, not {length}",
    },
}
"""Refusals that rest on no rule of the game."""

each_game = pytest.mark.parametrize("name", UNCITED)
each_language = pytest.mark.parametrize("language", TRANSLATED)


def package(name: str) -> str:
    return f"engine.{name}"


def refusals(name: str) -> set[str]:
    """Every message that the sources of a game hand to an error."""
    home = Path(str(import_module(package(name)).__file__)).parent
    sources = [ast.parse(path.read_text("utf-8"), str(path)) for path in home.rglob("*.py")]
    return spoken_in(sources, ERRORS)


def test_every_game_that_is_hosted_is_looked_at() -> None:
    assert set(UNCITED) == set(GAMES)


@pytest.mark.whole
@each_game
def test_every_refusal_cites_a_rule_or_is_known_to_have_none(name: str) -> None:
    cited = set(words.citations(package(name)))
    assert len(cited) > 20
    assert sorted(refusals(name) - cited) == sorted(UNCITED[name])


@pytest.mark.whole
@each_game
def test_no_rule_is_cited_for_what_nobody_says(name: str) -> None:
    assert sorted(set(words.citations(package(name))) - refusals(name)) == []


@each_game
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_cited_rule_is_there_in_every_language(name: str, language: Language) -> None:
    there = set(words.numbers(GAMES[name].rules_text(language)))
    assert set(words.citations(package(name)).values()) - there == set()


@each_game
def test_a_game_tells_the_rule_of_a_refusal(name: str) -> None:
    for message, rule in words.citations(package(name)).items():
        assert GAMES[name].rule_of(Text(message)) == rule
    assert GAMES[name].rule_of(Text("the match is over")) == ""


@each_game
def test_no_rule_has_the_number_of_another(name: str) -> None:
    there = list(words.numbers(GAMES[name].rules_text()))
    assert len(there) > 60
    assert sorted(there) == sorted(set(there))


@each_game
@each_language
def test_the_rules_are_numbered_alike_in_every_language(name: str, language: Language) -> None:
    translated = GAMES[name].rules_text(language)
    assert list(words.numbers(translated)) == list(words.numbers(GAMES[name].rules_text()))


def shape(rules: str) -> Iterator[str]:
    """What kind of line follows which: headings, items, rows of tables with their cells."""
    for line in rules.splitlines():
        if line.startswith("|"):
            yield f"row of {line.count('|') - 1}"
        elif line.startswith(("# ", "## ", "* ")):
            yield line.split()[0]


@each_game
@each_language
def test_a_translation_leaves_out_no_chapter_row_or_item(name: str, language: Language) -> None:
    translated = GAMES[name].rules_text(language)
    assert list(shape(translated)) == list(shape(GAMES[name].rules_text()))


def test_a_chapter_and_a_rule_are_known_by_their_numbers() -> None:
    assert words.chapter_number("14a. Orders for later") == "14a"
    assert words.chapter_number("3 Course of a match") == "3"
    assert words.chapter_number("Words") == ""
    assert words.rule_number("8.7 Aircraft.") == "8.7"
    assert words.rule_number("14a.3") == "14a.3"
    assert words.rule_number("dominate") == ""
    assert list(words.numbers("# A\n\n## 1. B\n\n**1.1** c\n\n| **1.2** | d |\n")) == [
        "1",
        "1.1",
        "1.2",
    ]


# --- names ----------------------------------------------------------------------------------------


def names_of(name: str) -> Iterator[Name]:
    """Every name that the data of a game gives a thing."""
    if name == "iron_curtain":
        deck = standard_deck()
        yield from SIDE_NAMES.values()
        yield from (region.name for region in deck.regions.values())
        yield from (card.name for card in deck.cards.values())
        return
    yield from POWER_NAMES.values()
    yield from (space.names for space in atlas().spaces.values())
    yield from (alliance.names for alliance in atlas().alliances.values())
    yield from (kind.names for kind in kinds().values())
    yield from (step for technology in technologies().values() for step in technology.steps)


def spelt(name: str, language: Language) -> dict[str, set[str]]:
    """By the English name what a thing is called: a land and its power may differ elsewhere."""
    called: dict[str, set[str]] = {}
    for one in names_of(name):
        called.setdefault(one.en, set()).add(one.in_(language))
    return called


def by_number(rules: str) -> dict[str, str]:
    """What stands under each number, without the words of orders."""
    prose = re.sub(r"`[^`]*`", "", rules)
    return {number: " ".join(said.split()) for number, said in words.parted(prose)}


def names(said: str, name: str) -> bool:
    """Whether a text names it, whatever its endings there."""
    text = said.casefold()
    return all(part[: max(3, len(part) - 2)] in text for part in name.casefold().split())


@each_game
@each_language
def test_a_translation_calls_things_as_the_data_does(name: str, language: Language) -> None:
    english, translated = (by_number(GAMES[name].rules_text(one)) for one in ("en", language))
    called = spelt(name, language)
    missing = [
        (number, known)
        for number, said in english.items()
        for known, others in called.items()
        if re.search(rf"(?<![\w-]){re.escape(known)}(?![\w-])", said)
        and not any(names(translated[number], other) for other in others)
    ]
    assert missing == []
