"""Saying a message in a language, plain ASCII, wrapping, repeated lines; numbered rules."""

from __future__ import annotations

import re
import textwrap
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from importlib import resources

from engine.core import Language, Text

Catalogue = Mapping[str, Mapping[str, str]]

MOST_WRAPPED = 4_096
"""Paragraphs that are remembered in lines: about 2 MB of them, as letters have them."""

_PLAIN = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss", "œ": "oe"}
    | {"’": "'", "‘": "'", "„": '"', "“": '"', "”": '"', "«": '"', "»": '"', "–": "-", "—": "-"}
    | {"…": "...", "·": "-", "−": "-", "\u00a0": " ", "\u202f": " "}
)


def say(text: Text, language: Language, catalogue: Catalogue) -> str:
    """A message in a language: by the words of its game, else of the engine, else in English."""
    return text.in_(language, catalogue.get(language, {}), shared().get(language, {}))


@cache
def shared() -> Catalogue:
    """What the engine itself says in other languages, whatever is played."""
    return tomllib.loads((resources.files(__package__) / "texts.toml").read_text("utf-8"))


def plain(text: str) -> str:
    """The text in ASCII, umlauts and accents written out."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text.translate(_PLAIN))
    return "".join(
        letter if letter.isascii() else "?"
        for letter in decomposed
        if not unicodedata.combining(letter)
    )


_NO_BREAK = re.compile("[\u00a0\u202f]")
_MAY_BREAK = re.compile("[^\\S\u00a0\u202f]+")


def is_printable(text: str) -> bool:
    """Whether this is one line that can be seen; a no-break space is as good as any."""
    return _NO_BREAK.sub(" ", text).isprintable()


def printable(text: str) -> str:
    """What somebody wrote, fit to be quoted: what cannot be seen, or turns the line, is marked."""
    if is_printable(text):
        return text
    return "".join(
        letter if is_printable(letter) else "\N{REPLACEMENT CHARACTER}" for letter in text
    )


def spaced(line: str) -> str:
    """A wrapped line: its no-break spaces have done their work and are blanks like any other."""
    return line if line.isascii() else _NO_BREAK.sub(" ", line)


def plain_words(text: str) -> str:
    """The text in ASCII but for its no-break spaces, for `wrap` to see; `spaced` takes them out."""
    if text.isascii():
        return text
    return "\u00a0".join(map(plain, _NO_BREAK.split(text)))


def words_of(text: str) -> list[str]:
    """What may stand on lines of its own: French keeps `Score :` together by a no-break space."""
    if text.isascii() or not _NO_BREAK.search(text):
        return text.split()
    return [word for word in _MAY_BREAK.split(text) if word]


def wrap(text: str, width: int, indent: str = "") -> list[str]:
    return list(_wrapped(text, width, indent))


@lru_cache(maxsize=MOST_WRAPPED)
def _wrapped(text: str, width: int, indent: str) -> tuple[str, ...]:
    """Kept for the next letter: most of what two letters tell is the same, line by line."""
    return tuple(
        textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=" " * len(indent))
    )


def repeated(lines: Iterable[str]) -> list[tuple[str, int]]:
    """Neighbouring equal lines gathered, with how often each stood there."""
    gathered: list[tuple[str, int]] = []
    for line in lines:
        if gathered and gathered[-1][0] == line:
            gathered[-1] = (line, gathered[-1][1] + 1)
        else:
            gathered.append((line, 1))
    return gathered


# --- the rules of a game --------------------------------------------------------------------------
#
# Beside the sources of a game lie its rules in English, `RULES.md`, and in other languages, as
# `RULES.de.md`; and `citations.toml`, which names for a refusal, by its English message, the rule
# it rests on. A chapter is `## 8. Movement`; a rule begins a paragraph or a row of a table with its
# number in bold, as `**8.7 Aircraft.**`.

_CHAPTER = re.compile(r"(\d+[a-z]?)\.? ")
_RULE = re.compile(r"(\d+[a-z]?\.\d+)\b")
_MARK = re.compile(r"^(?:## (\d+[a-z]?)\.? |(?:\| )?\*\*(\d+[a-z]?\.\d+)\b)", re.MULTILINE)


@cache
def rules_in(package: str, language: Language) -> str:
    """The rules of the game in this package; in English where nobody has translated them."""
    home = resources.files(package)
    translated = home / f"RULES.{language}.md"
    return (translated if translated.is_file() else home / "RULES.md").read_text("utf-8")


@cache
def citations(package: str) -> Mapping[str, str]:
    """The number of the rule that each refusal of the game rests on, by its English message."""
    return tomllib.loads((resources.files(package) / "citations.toml").read_text("utf-8"))


def chapter_number(heading: str) -> str:
    """`8` of `8. Movement`; empty for a chapter without a number."""
    found = _CHAPTER.match(heading)
    return found[1] if found else ""


def rule_number(words: str) -> str:
    """`8.7` of `8.7 Aircraft.`; empty for other words."""
    found = _RULE.match(words)
    return found[1] if found else ""


def numbers(rules: str) -> Iterator[str]:
    """The numbers of all chapters and rules, as they come."""
    return (number for number, _ in parted(rules))


def parted(rules: str) -> Iterator[tuple[str, str]]:
    """The numbers of all chapters and rules, each with what is said under it."""
    marks = list(_MARK.finditer(rules))
    ends = [mark.start() for mark in marks[1:]] + [len(rules)]
    for mark, end in zip(marks, ends, strict=True):
        yield mark[1] or mark[2], rules[mark.start() : end]
