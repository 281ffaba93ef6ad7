"""What a reply asks for: a strict grammar that asks back instead of guessing."""

from __future__ import annotations

import pytest

from engine.core import GameError
from engine.registry import GAMES
from pbem.incoming.requests import WORDS, Command, Request, understood


def is_order(line: str) -> bool:
    return line.startswith(("play ", "cube ", "done"))


def read(text: str) -> Request:
    return understood(text.splitlines(), is_order)


def test_the_lines_of_the_first_paragraph_are_orders() -> None:
    asked = read("\nplay  vietnam b3\n cube europe\n\nThanks for the game,\nAnn\n")
    assert asked.orders == ("play vietnam b3", "cube europe")
    assert asked.unread == ("Thanks for the game,", "Ann")
    assert asked.trouble is None


def test_programs_that_part_every_line_part_no_orders() -> None:
    asked = read("play vietnam b3\n\ncube europe\n\ncube asia\n\nThanks,\n\nAnn")
    assert asked.orders == ("play vietnam b3", "cube europe", "cube asia")
    assert asked.unread == ("Thanks,", "Ann")


def test_what_stands_among_orders_is_an_order_too() -> None:
    """So that a slip is told, and not passed over."""
    assert read("cube europe\ncubee asia").orders == ("cube europe", "cubee asia")


@pytest.mark.parametrize("line", ["2", "2.", "2)", "#2", " 2 "])
def test_a_number_is_a_listed_choice(line: str) -> None:
    assert read(line) == Request(choice=2)


def test_orders_may_follow_a_number_but_no_second_one() -> None:
    assert read("2\ncube europe") == Request(choice=2, orders=("cube europe",))
    assert read("2\n3").trouble == "number"
    assert read("cube europe\n3").trouble == "number"


@pytest.mark.parametrize("word", sorted(WORDS))
def test_commands_are_known_in_three_languages_and_any_case(word: str) -> None:
    words = " 1 Feb" if WORDS[word] in ("say", "vacation") else ""
    for spelt in (word, word.upper(), word.title(), f"{word}:"):
        assert read(spelt + words).commands == (Command(WORDS[word], words.strip()),)


@pytest.mark.parametrize("word", sorted(WORDS))
@pytest.mark.parametrize("game", sorted(GAMES))
def test_no_command_is_an_order_of_a_game(game: str, word: str) -> None:
    """Else a line would have two readings."""
    with pytest.raises(GameError):
        GAMES[game].parse(word)


def test_say_takes_the_rest_of_its_paragraph() -> None:
    asked = read("cube europe\nSAY allies good luck to\nall of you\n\nAnn")
    assert asked.orders == ("cube europe",)
    assert asked.commands == (Command("say", "allies good luck to all of you"),)
    assert asked.unread == ("Ann",)


@pytest.mark.parametrize(
    ("text", "trouble", "at"),
    [
        ("", "nothing", ""),
        ("\n \n", "nothing", ""),
        ("SAY hello\ncube europe", "below", "cube europe"),
        ("SAY hello\n\n2", "below", "2"),
        ("cube europe\n\nRESIGN", "mixed", "RESIGN"),
        ("cube europe\n\nThanks\n\ncube asia", "below", "cube asia"),
        ("cube europe\n\nThanks\n\nRESIGN", "below", "RESIGN"),
        ("Hello Bob,\n\nThanks\n\n2", "below", "2"),
        ("RESIGN\ncube europe", "mixed", "cube europe"),
        ("cube europe\nRESIGN", "mixed", "RESIGN"),
        ("RESIGN\nDRAW", "mixed", "DRAW"),
        ("HELP\nhelp", "twice", "help"),
        ("RESIGN please not", "words", "RESIGN please not"),
        ("SAY", "silent", "SAY"),
    ],
)
def test_what_is_unclear_is_asked_about(text: str, trouble: str, at: str) -> None:
    asked = read(text)
    assert (asked.trouble, asked.at) == (trouble, at)


def test_things_to_look_at_go_with_anything() -> None:
    asked = read("cube europe\nBOARD\nHISTORY\nSAY well played")
    assert [one.word for one in asked.commands] == ["board", "history", "say"]
    assert asked.orders == ("cube europe",)
    assert read("DRAW\nBOARD").trouble is None
