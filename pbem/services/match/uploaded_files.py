"""Files that anybody may hand in: bounded first, then read and checked by a confined process.

Run as a program this module is that process: one piece of work comes in, one answer goes out.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from engine.abilities import OwnDecks
from engine.audit import OtherRules, audit, head_from
from engine.chance import QuickDice
from engine.core import GameError, Json, Text
from engine.registry import game_called
from engine.replay import read_match
from pbem.errors import Refused
from pbem.services.match import confinement
from pbem.services.match.confinement import TOO_HEAVY

LONGEST_DECK = 40_000
MOST_LINES = MOST_KEYS = 2_000
MOST_DOTS = 8
"""That join the words of one key."""
MOST_DIGITS = 40
DEEPEST_DECK, DEEPEST_MATCH = 8, 30
LARGEST_MATCH = 1_000_000


class DeckWork(Struct, tag="deck"):
    """A deck file for a match with this setup."""

    game: str
    setup: Mapping[str, str]
    text: str


class MatchWork(Struct, tag="match"):
    """The file of a finished match, and heads from letters that it must show."""

    content: bytes
    heads: list[str]


class DeckRead(Struct, tag="deck_read"):
    deck: dict[str, Any]


class MatchChecked(Struct, tag="match_checked"):
    """A match that is right: the timeline of each entry, and how it ended."""

    timelines: tuple[int, ...]
    outcome: Text | None


class Unreadable(Struct, tag="unreadable"):
    """No TOML, and why not."""

    detail: str


class Faulty(Struct, tag="faulty"):
    """What the rules say against it, and of which game they are, if that is known."""

    text: Text
    game: str = ""
    is_other_rules: bool = False
    """Whether nothing is wrong, but its orders follow rules that are not here."""

    def error(self) -> GameError:
        return GameError.again(self.text)


Answer = DeckRead | MatchChecked | Unreadable | Faulty


# --- deck files ----------------------------------------------------------------------------------


def deck_of(text: str, game: str, setup: Mapping[str, str], place: str) -> dict[str, Json]:
    """The deck that a text describes; Refused or GameError says what does not fit."""
    _check_deck_bounds(text)
    answer = _ask(DeckWork(game, setup, text.replace("\r\n", "\n")), place)
    if isinstance(answer, Faulty):
        raise answer.error()
    if isinstance(answer, Unreadable):
        raise Refused("the deck file cannot be read: %(detail)s", detail=answer.detail)
    assert isinstance(answer, DeckRead), "a deck is answered with a deck"
    return answer.deck


_TOML_STRINGS = re.compile(r"""(?s:"(?:[^"\\\n]++|\\.?)*+"?)|'[^'\n]*+'|#[^\n]*+|[ \t]++""")
_LONG_KEY = re.compile(rf"(?<![\w.-])(?:[\w-]*+\.){{{MOST_DOTS + 1}}}")
_LONG_NUMBER = re.compile(rf"(?<![0-9A-Fa-f_])[0-9A-Fa-f_]{{{MOST_DIGITS + 1}}}")


def _check_deck_bounds(text: str) -> None:
    """What no deck file needs, and what would keep the reader of TOML busy."""
    if len(text) > LONGEST_DECK:
        raise Refused(
            "the deck file has %(count)s characters; %(most)s are enough",
            count=len(text),
            most=LONGEST_DECK,
        )
    if text.count("\n") > MOST_LINES:
        raise Refused("the deck file has more than %(most)s lines", most=MOST_LINES)
    bare = _TOML_STRINGS.sub("", text)
    if bare.count("=") > MOST_KEYS:
        raise Refused("the deck file has more than %(most)s keys", most=MOST_KEYS)
    if _LONG_KEY.search(bare):
        raise Refused("the deck file cannot be read: a key is joined with too many dots")
    if _LONG_NUMBER.search(bare):
        raise Refused("the deck file cannot be read: a number has too many digits")
    if _is_deeper(bare.encode(errors="replace"), DEEPEST_DECK):
        raise Refused(
            "the deck file cannot be read: its brackets do not fit, or are nested too deeply"
        )


def _is_deeper(data: bytes, most: int) -> bool:
    """Whether brackets enclose each other more often than that, or do not fit together."""
    brackets = data.translate(_AS_SQUARE, delete=_NO_BRACKETS)
    for _ in range(most):
        brackets = brackets.replace(b"[]", b"")
    return bool(brackets)


_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_AS_SQUARE = bytes.maketrans(b"{}", b"[]")


# --- match files ---------------------------------------------------------------------------------


def check_match(content: bytes, heads: list[str], place: str) -> MatchChecked | Faulty:
    """Whether every entry of a finished match is right; Refused when it is no such file."""
    _check_match_bounds(content)
    answer = _ask(MatchWork(content, heads), place)
    assert isinstance(answer, MatchChecked | Faulty), "a match is answered with a match"
    return answer


_JSON_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.?)*+"?', re.DOTALL)
_LONG_JSON_NUMBER = re.compile(rb"(?<![0-9])[0-9]{%d}" % (MOST_DIGITS + 1))


def _check_match_bounds(content: bytes) -> None:
    if not content:
        raise Refused("there is no file; choose the one that was downloaded from the match page")
    bare = _JSON_STRINGS.sub(b"", content)
    if _LONG_JSON_NUMBER.search(bare):
        raise Refused("this is no match file: a number has too many digits")
    if _is_deeper(bare, DEEPEST_MATCH):
        raise Refused("this is no match file: its brackets do not fit, or are nested too deeply")


# --- asking the other process --------------------------------------------------------------------


_answers: msgspec.json.Decoder[Answer] = msgspec.json.Decoder(Answer)


def _ask(work: DeckWork | MatchWork, place: str) -> Answer:
    return _answers.decode(confinement.run(__name__, msgspec.msgpack.encode(work), place))


# --- being the other process ---------------------------------------------------------------------


def main() -> None:
    confinement.confine_myself(int(sys.argv[1]), int(sys.argv[2]))
    work = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=DeckWork | MatchWork)
    try:
        said = msgspec.json.encode(_answer_to(work))
    except (MemoryError, RecursionError):
        sys.exit(TOO_HEAVY)
    sys.stdout.buffer.write(said)


def _answer_to(work: DeckWork | MatchWork) -> Answer:
    return _read(work) if isinstance(work, DeckWork) else _check(work)


def _read(work: DeckWork) -> Answer:
    """The deck, once a match was dealt from it with throw-away dice."""
    try:
        deck = tomllib.loads(work.text)
        game = game_called(work.game)
        assert isinstance(game, OwnDecks), f"{work.game} takes no deck of its players"
        game.new_game({**work.setup, game.deck_option: deck}, QuickDice(b"trial"))
    except tomllib.TOMLDecodeError as error:
        return Unreadable(str(error))
    except GameError as error:
        return Faulty(error.text)
    return DeckRead(deck)


def _check(work: MatchWork) -> Answer:
    name = ""
    try:
        file = read_match(work.content)
        game, name = game_called(file.game), file.game
        moments = audit(file, [head_from(head) for head in work.heads])
    except GameError as error:
        return Faulty(error.text, name, isinstance(error, OtherRules))
    outcome = game.outcome(moments[-1].state)
    timelines = tuple([moment.timeline for moment in moments])
    return MatchChecked(timelines, outcome.reason if outcome else None)


if __name__ == "__main__":
    main()
