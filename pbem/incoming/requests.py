"""What a reply asks for: orders, the number of a listed choice, or commands; a strict grammar.

A reply is read in paragraphs. Those at its top are for the server, as long as there is an order, a
number or a command in each: all of their lines count, whatever else stands there. What follows
below is read only to see whether somebody meant it: greetings are left alone, but an order or a
command there makes the whole reply unclear. `SAY` takes the rest of its paragraph, as mail programs
fold long lines, so it stands last.

Whether a line looks like an order only the game can tell; it is asked by `is_order`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

Word = Literal["say", "help", "board", "history", "map", "resign", "draw", "vacation", "undo"]
WORDS: dict[str, Word] = {
    "say": "say",
    "sage": "say",
    "dis": "say",
    "dire": "say",
    "help": "help",
    "hilfe": "help",
    "aide": "help",
    "board": "board",
    "brett": "board",
    "plateau": "board",
    "history": "history",
    "verlauf": "history",
    "historique": "history",
    "map": "map",
    "karte": "map",
    "carte": "map",
    "resign": "resign",
    "aufgeben": "resign",
    "abandonner": "resign",
    "draw": "draw",
    "remis": "draw",
    "nulle": "draw",
    "vacation": "vacation",
    "urlaub": "vacation",
    "vacances": "vacation",
    "undo": "undo",
    "zurücknehmen": "undo",
    "annuler": "undo",
}
ALONE: frozenset[Word] = frozenset({"resign", "draw", "vacation", "undo"})
"""Nothing else can be asked for beside these, but for words to others and things to look at."""
WITH_WORDS: frozenset[Word] = frozenset({"say", "vacation"})
"""The others are a line of their own."""
_NUMBER = re.compile(r"#?(\d{1,3})[.)]?", re.ASCII)

IsOrder = Callable[[str], bool]
Trouble = Literal["nothing", "below", "twice", "mixed", "number", "words", "silent"]
"""Nothing is asked for; something below the first paragraph looks meant; one thing is asked for
twice; things that do not go together; a number that is not the first line; words behind a command
that takes none; nothing to say."""


class Command(Struct, frozen=True):
    word: Word
    words: str = ""
    """Behind it."""


class Request(Struct, frozen=True):
    """What a reply asks for; with trouble, what it might have meant, and nothing is done."""

    choice: int | None = None
    """The number of a listed choice, before all orders."""
    orders: tuple[str, ...] = ()
    commands: tuple[Command, ...] = ()
    unread: tuple[str, ...] = ()
    """Lines below that nobody acts on."""
    trouble: Trouble | None = None
    at: str = ""
    """The line that the trouble is about."""

    @property
    def has_orders(self) -> bool:
        return self.choice is not None or bool(self.orders)


def understood(lines: Sequence[str], is_order: IsOrder) -> Request:
    """What the own words of a reply ask for; empty lines part paragraphs."""
    top, below = _parted(list(_paragraphs(lines)), is_order)
    if not top and not below:
        return Request(trouble="nothing")
    said = next((at for at, line in enumerate(top) if _is_say(line)), len(top))
    request = Request()
    for line in top[:said]:
        request = _with_line(request, line)
        if request.trouble:
            return request
    for line in [*top[said + 1 :], *below]:
        if _is_meant(line, is_order):
            return replace(request, trouble="below", at=line)
    if said < len(top):
        request = _saying(request, top[said:])
    return replace(request, unread=tuple(below))


def _parted(
    paragraphs: Sequence[list[str]], is_order: IsOrder
) -> tuple[Sequence[str], Sequence[str]]:
    """The lines of the paragraphs that are for the server, and the others; the first always is.

    What is said ends with its paragraph.
    """
    top = list[str]()
    for number, paragraph in enumerate(paragraphs):
        is_said = any(map(_is_say, top))
        if number and (is_said or not any(_is_meant(line, is_order) for line in paragraph)):
            return top, [line for more in paragraphs[number:] for line in more]
        top += paragraph
    return top, []


def _is_meant(line: str, is_order: IsOrder) -> bool:
    return _number(line) is not None or _command(line) is not None or is_order(line)


def _paragraphs(lines: Sequence[str]) -> Iterator[list[str]]:
    tidy = [" ".join(line.split()) for line in lines]
    for is_empty, group in groupby(tidy, key=lambda line: not line):
        if not is_empty:
            yield list(group)


def _command(line: str) -> Command | None:
    """The command of a line: its word, or its word and a colon."""
    first, _, rest = line.partition(" ")
    word = WORDS.get(first.rstrip(":").casefold())
    return None if word is None else Command(word, rest)


def _number(line: str) -> int | None:
    found = _NUMBER.fullmatch(line)
    return None if found is None else int(found[1])


def _is_say(line: str) -> bool:
    command = _command(line)
    return command is not None and command.word == "say"


def _with_line(request: Request, line: str) -> Request:
    number, command = _number(line), _command(line)
    if command is not None:
        return _with_command(request, line, command)
    if any(one.word in ALONE for one in request.commands):
        return replace(request, trouble="mixed", at=line)
    if number is None:
        return replace(request, orders=(*request.orders, line))
    if request.has_orders:
        return replace(request, trouble="number", at=line)
    return replace(request, choice=number)


def _with_command(request: Request, line: str, command: Command) -> Request:
    if command.words and command.word not in WITH_WORDS:
        return replace(request, trouble="words", at=line)
    if any(one.word == command.word for one in request.commands):
        return replace(request, trouble="twice", at=line)
    others = [one for one in request.commands if one.word in ALONE]
    if command.word in ALONE and (request.has_orders or others):
        return replace(request, trouble="mixed", at=line)
    return replace(request, commands=(*request.commands, command))


def _saying(request: Request, lines: Sequence[str]) -> Request:
    """The first line begins with the command; the others go on with what is said."""
    words = " ".join([*lines[0].split()[1:], *lines[1:]])
    if not words:
        return replace(request, trouble="silent", at=lines[0])
    return replace(request, commands=(*request.commands, Command("say", words)))
