"""What a reply asks for: a strict grammar that asks back instead of guessing."""

from __future__ import annotations

from itertools import islice, product

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
    assert asked.unread == ()
    assert asked.trouble is None


def test_programs_that_part_every_line_part_no_orders() -> None:
    asked = read("play vietnam b3\n\ncube europe\n\ncube asia\n\nAnn\n\nThanks,\n\nAnn")
    assert asked.orders == ("play vietnam b3", "cube europe", "cube asia")
    assert asked.unread == ("Ann",)


def test_what_stands_among_orders_is_an_order_too() -> None:
    """So that a slip is told, and not passed over."""
    assert read("cube europe\ncubee asia").orders == ("cube europe", "cubee asia")


@pytest.mark.parametrize(
    "line",
    ["2", "2.", "2)", "#2", " 2 ", "# 2", "Nr. 2", "nr 2", "No. 2", "n° 2", "Nummer 2", "numéro 2",
     "Number 2", "Option 2", "OPTION: 2", "choice 2", "Choix 2", "Wahl 2", "(2)", "[2]", "2:", "2!",
     "“2”", "„2“", "«2»", "‘2’", "`2`", "*2*", "**2**", "- 2", "• 2", "02"],
)  # fmt: skip
def test_a_number_is_a_listed_choice(line: str) -> None:
    assert read(line) == Request(choice=2)


@pytest.mark.parametrize(
    "line",
    ["2 please", "2 or 3", "1 and 2", "1, 2", "-2", "2.5", "2-3", "1/2", "2?", "no 2", "not 2",
     "yes please 3!", "two", "2 👍", "1234", "２", "²"],
)  # fmt: skip
def test_what_only_resembles_a_number_is_none(line: str) -> None:
    """It is asked about, as no line of the reply is anything that could be asked for."""
    assert read(line) == Request(orders=(line,))


@pytest.mark.parametrize("word", ["option", "choice", "number", "no.", "nr", "wahl", "choix"])
@pytest.mark.parametrize("game", sorted(GAMES))
def test_no_number_with_its_word_is_an_order_of_a_game(game: str, word: str) -> None:
    """Else a line would have two readings."""
    with pytest.raises(GameError):
        GAMES[game].parse(f"{word} 2")


@pytest.mark.parametrize(
    "line",
    ["2. USSR gains Europe [cube europe]", "2: cube europe", "2) cube europe"],
)
def test_a_line_of_the_list_has_number_and_order(line: str) -> None:
    assert read(line) == Request(choice=2, beside="cube europe")
    assert read(f"{line}\ncube asia").orders == ("cube asia",)


@pytest.mark.parametrize("line", ["2. Thank you for your email", "2. Coup [now", "2.cube europe"])
def test_other_lines_with_numbers_are_none_of_the_list(line: str) -> None:
    assert read(line) == Request(orders=(line,))


def test_a_line_of_the_list_is_one_only_above_all_orders() -> None:
    """Below, it may be a letter that was quoted without a mark."""
    assert read("1\n2. cube asia") == Request(choice=1, orders=("2. cube asia",))
    asked = read("1\n\nYour choices:\n2. Cube [cube asia]\n")
    assert (asked.choice, asked.trouble) == (1, None)


@pytest.mark.parametrize(
    "line",
    ["“cube europe”", '"cube europe"', "„cube europe“", "« cube europe »", "`cube europe`",
     "*cube europe*", "[cube europe]", "- cube europe", "• cube europe", "cube europe.",
     "cube europe;", "cube europe!", "“cube europe.”"],
)  # fmt: skip
def test_marks_around_an_order_are_no_part_of_it(line: str) -> None:
    assert read(line) == Request(orders=("cube europe",))


def test_marks_around_what_is_said_stay() -> None:
    assert read("SAY “well played”!").commands == (Command("say", "“well played”!"),)
    assert read("SAY he said\n*well* played.").commands[0].words == "he said *well* played."


@pytest.mark.parametrize(
    "first",
    ["Hi,", "Hello Ann,", "Dear server", "Hallo Bob!", "Liebe Anna,", "Guten Morgen,", "Moin",
     "Bonjour,", "Salut Pierre !", "Chère Anne,", "Thanks!", "Danke!"],
)  # fmt: skip
def test_a_salutation_asks_for_nothing(first: str) -> None:
    assert read(f"{first}\ncube europe") == Request(orders=("cube europe",))
    assert read(f"{first}\n\n2") == Request(choice=2)
    assert read(f"{first}\nHELP").commands == (Command("help"),)


@pytest.mark.parametrize(
    "last",
    ["Thanks!", "Best regards,", "Cheers, Bob", "Viele Grüße", "LG Bob", "Merci !", "Cordialement",
     "À bientôt,", "MfG"],
)  # fmt: skip
def test_thanks_and_regards_end_what_is_asked_for(last: str) -> None:
    assert read(f"cube europe\n{last}\nBob") == Request(orders=("cube europe",))
    assert read(f"cube europe\n{last}\nBob\nWhat now?").unread == ("What now?",)
    assert read(f"cube europe\n{last}\n2").trouble == "number"
    assert read(f"cube europe\n{last}\ncube asia").orders == ("cube europe", last, "cube asia")
    assert read(f"SAY well played\n{last}").commands[0].words == f"well played {last}"


@pytest.mark.parametrize(
    "line", ["Hi, cube europe", "Thanks, 2", "Hello 2", "Danke und remis", "best play vietnam b3"]
)
def test_no_courtesy_hides_what_is_meant(line: str) -> None:
    """Half of what somebody wants is never done."""
    asked = read(f"{line}\ncube asia")
    assert line in asked.orders or asked.trouble
    assert read(f"cube asia\n{line}").orders == ("cube asia", line)


def test_a_salutation_alone_is_not_nothing() -> None:
    assert read("Hello Ann,").orders == ("Hello Ann",) or read("Hello Ann,").orders


def test_orders_may_follow_a_number_but_no_second_one() -> None:
    assert read("2\ncube europe") == Request(choice=2, orders=("cube europe",))
    assert read("2\n3").trouble == "number"
    assert read("cube europe\n3").trouble == "number"


@pytest.mark.parametrize("word", sorted(WORDS))
def test_commands_are_known_in_three_languages_and_any_case(word: str) -> None:
    words = " 1 Feb" if WORDS[word] in ("say", "vacation") else ""
    for spelt in (word, word.upper(), word.title(), f"{word}:", f"{word}!"):
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
        ("Hello Bob,\n\nThanks\n\n2", "number", "2"),
        ("I am away.\n\nThanks\n\n2", "below", "2"),
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


@pytest.mark.parametrize(
    "line", ["hi a{} b c d", "hi {} b c d\n", "“a{}”", "- a{}", "2. a{}", "thanks {}\n"]
)
def test_a_game_is_not_asked_too_often(line: str) -> None:
    """It takes its time to say that something is no order of it."""
    asked = list[str]()

    def is_order(words: str) -> bool:
        asked.append(words)
        return False

    names = ("".join(letters) for letters in product("abcdefgh", repeat=3))
    lines = (line.format(name) for name in islice(names, 500))
    understood([words for one in lines for words in one.split("\n")], is_order)
    assert len(asked) <= 3 * 500
