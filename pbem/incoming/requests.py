"""What a reply asks for: orders, the number of a listed choice, or commands; a strict grammar.

A reply is read in paragraphs. Those at its top are for the server, as long as there is an order, a
number or a command in each: all of their lines count, whatever else stands there. What follows
below is read only to see whether somebody meant it: its words are left alone, but an order or a
command there makes the whole reply unclear. `SAY` takes the rest of its paragraph, as mail programs
fold long lines, so it stands last. A salutation in the first line asks for nothing, and with a line
of thanks or regards another paragraph begins.

Whether a line looks like an order only the game can tell; it is asked by `is_order`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, islice
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from pbem.incoming import phrases

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
    "zuruecknehmen": "undo",
    "annuler": "undo",
}
ALONE: frozenset[Word] = frozenset({"resign", "draw", "vacation", "undo"})
"""Nothing else can be asked for beside these, but for words to others and things to look at."""
WITH_WORDS: frozenset[Word] = frozenset({"say", "vacation"})
"""The others are a line of their own."""
_NUMBER = re.compile(
    r"(?:(?:no\.|nr\.?|n[°º]|num(?:mer|ber|[ée]ro)|option|choice|choix|(?:aus)?wahl):? ?)?"
    r"(?:# ?)?([0-9]{1,3})[.):!]?",
    re.IGNORECASE,
)
_COPIED = re.compile(r"([0-9]{1,3})[.):] (?:.*\[(?P<inside>[^][]+)\]|(?P<alone>[^][]+))")
"""A line of the list as the letter has it: number, words, and the order between brackets."""
_AROUND = {
    '"': '"', "'": "'", "“": "”", "„": "“”", "”": "”", "«": "»", "»": "«", "‘": "’", "’": "’",
    "‚": "‘’", "`": "`", "*": "*", "_": "_", "(": ")", "[": "]",
}  # fmt: skip
"""Marks that people and programs put around a line, and with what each ends."""
_BULLET = re.compile(r"^[-–*•·] ")
LONGEST_COURTESY = 40
WORDS_OF_COURTESY = 6
WORDS_OF_NAME = 3
MOST_COURTESIES = 10
"""So many are looked at, as a game takes its time to say that something is no order of it."""
_COURTESIES = {tuple(phrase.split()) for phrase in phrases.all_of("courtesies")}

IsOrder = Callable[[str], bool]
Trouble = Literal["nothing", "alien", "below", "twice", "mixed", "number", "words", "silent"]
"""Nothing is asked for; no line is anything that could be asked for, as people write to people;
something below the first paragraph looks meant; one thing is asked for twice; things that do not go
together; a number that is not the first line; words behind a command that takes none; nothing to
say."""


class Command(Struct, frozen=True):
    word: Word
    words: str = ""
    """Behind it."""


class Request(Struct, frozen=True):
    """What a reply asks for; with trouble, what it might have meant, and nothing is done."""

    choice: int | None = None
    """The number of a listed choice, before all orders."""
    beside: str = ""
    """The order that stands beside the number; empty: none does."""
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
    tidy = [_tidied(line, is_order) for line in lines]
    courtesies = _courtesies(tidy, is_order)
    top, below = _parted(list(_paragraphs(tidy, courtesies)), is_order)
    if not top and not below:
        return Request(trouble="nothing")
    said = next((at for at, line in enumerate(top) if _is_say(line)), len(top))
    request = Request()
    for line in top[:said]:
        request = _with_line(request, line, is_order)
        if request.trouble:
            return request
    for line in [*top[said + 1 :], *below]:
        if _is_meant(line, is_order):
            return replace(request, trouble="below", at=line)
    if said < len(top):
        request = _saying(request, top[said:])
    return replace(request, unread=tuple(_but_courtesies(below, courtesies)))


# --- paragraphs ----------------------------------------------------------------------------------


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


def _paragraphs(lines: Sequence[str], courtesies: frozenset[str]) -> Iterator[list[str]]:
    """Without a salutation; what is said may have courtesies in it."""
    begun = next((at for at, line in enumerate(lines) if line), 0)
    has_salutation = lines[begun : begun + 1] and lines[begun] in courtesies
    rest = lines[begun + 1 :]
    for is_empty, group in groupby(
        rest if has_salutation and any(rest) else lines, key=lambda line: not line
    ):
        if not is_empty:
            yield from _above_courtesy(list(group), courtesies)


def _above_courtesy(paragraph: list[str], courtesies: frozenset[str]) -> Iterator[list[str]]:
    """The paragraph in two, if thanks or regards follow what it asks for."""
    for at, line in enumerate(paragraph):
        if _is_say(line):
            break
        if at and line in courtesies:
            yield paragraph[:at]
            yield paragraph[at:]
            return
    yield paragraph


def _tidied(line: str, is_order: IsOrder) -> str:
    """The line with single blanks; what is meant also without marks around it and behind it."""
    tidy = " ".join(line.split())
    bare = _BULLET.sub("", tidy, count=1)
    while len(bare) > 2 and bare[-1] in _AROUND.get(bare[0], ""):
        bare = bare[1:-1].strip()
    if _command(bare) is None:
        bare = bare.rstrip(" .!,;")
    return bare if bare != tidy and _is_meant(bare, is_order) else tidy


def _courtesies(lines: Sequence[str], is_order: IsOrder) -> frozenset[str]:
    """Salutations, thanks and regards, in which nothing could be meant; of many the first ones."""
    polite = islice(filter(_is_polite, dict.fromkeys(lines)), MOST_COURTESIES)
    return frozenset(line for line in polite if not _has_meaning(line, is_order))


def _is_polite(line: str) -> bool:
    words = re.findall(r"[^\W_]+", line.casefold()) if len(line) <= LONGEST_COURTESY else []
    begins_so = any(tuple(words[: len(one)]) == one for one in _COURTESIES)
    return begins_so and len(words) <= WORDS_OF_COURTESY


def _has_meaning(line: str, is_order: IsOrder) -> bool:
    """Whether some of its words, to the end, are anything that could be asked for."""
    words = re.findall(r"[^\W_]+", line)
    ends = (" ".join(words[at:]) for at in range(len(words)))
    return any(c.isdigit() for c in line) or any(_is_meant(end, is_order) for end in ends)


def _but_courtesies(lines: Sequence[str], courtesies: frozenset[str]) -> Iterator[str]:
    """The lines without thanks and regards, and the name behind them."""
    before = ""
    for line in lines:
        is_name = before in courtesies and len(line.split()) <= WORDS_OF_NAME
        if line not in courtesies and not is_name:
            yield line
        before = line


# --- lines ---------------------------------------------------------------------------------------


def _is_meant(line: str, is_order: IsOrder) -> bool:
    return _number(line) is not None or _command(line) is not None or is_order(line)


def _command(line: str) -> Command | None:
    """The command of a line: its word, or its word and a colon."""
    first, _, rest = line.partition(" ")
    word = WORDS.get(first.rstrip(":.!").casefold())
    return None if word is None else Command(word, rest)


def _number(line: str) -> int | None:
    found = _NUMBER.fullmatch(line)
    return None if found is None else int(found[1])


def _copied(line: str, is_order: IsOrder) -> tuple[int, str] | None:
    """Number and order of a line that was copied from the list of a letter."""
    found = _COPIED.fullmatch(line)
    order = "" if found is None else found["inside"] or found["alone"]
    return (int(found[1]), order) if found is not None and is_order(order) else None


def _is_say(line: str) -> bool:
    command = _command(line)
    return command is not None and command.word == "say"


def _with_line(request: Request, line: str, is_order: IsOrder) -> Request:
    number, command = _number(line), _command(line)
    if command is not None:
        return _with_command(request, line, command)
    if any(one.word in ALONE for one in request.commands):
        return replace(request, trouble="mixed", at=line)
    if not request.has_orders and (copied := _copied(line, is_order)) is not None:
        return replace(request, choice=copied[0], beside=copied[1])
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
