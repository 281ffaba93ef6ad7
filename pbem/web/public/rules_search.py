"""Looking for words in the rules of a game, without regard to accents and capitals."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from pbem.errors import Refused
from pbem.web.public.rules_html import Passage

LONGEST = 100
MOST = 30


class Finding(NamedTuple):
    """A rule that has all the words, with the words marked."""

    anchor: str
    chapter: str
    words: Markup


class Findings(NamedTuple):
    """The first rules that were found, and how many there are."""

    shown: list[Finding]
    count: int


def search(passages: Sequence[Passage], wanted: str) -> Findings:
    """The rules that hold all the words; the rule that is asked for by its number comes first."""
    if len(wanted) > LONGEST:
        raise Refused(
            "your search has %(count)s characters; the limit is %(most)s",
            count=len(wanted),
            most=LONGEST,
        )
    words = [word for word in (_folded(part)[0] for part in wanted.split()) if word]
    if not words:
        return Findings([], 0)
    found = [one for one in passages if all(word in _folded(_text(one))[0] for word in words)]
    found.sort(key=lambda one: one.number != wanted.strip())
    return Findings([_finding(one, words) for one in found[:MOST]], len(found))


def _text(passage: Passage) -> str:
    return f"{passage.chapter} {passage.words}"


def _finding(passage: Passage, words: Sequence[str]) -> Finding:
    return Finding(passage.anchor, passage.chapter, marked(passage.words, words))


def marked(text: str, words: Sequence[str]) -> Markup:
    """The text with every occurrence of the words marked."""
    folded, origins = _folded(text)
    hits = sorted(
        (origins[start], origins[start + len(word) - 1] + 1)
        for word in words
        for start in _starts(folded, word)
    )
    parts, done = [], 0
    for start, end in hits:
        if start < done:
            continue
        parts += [escape(text[done:start]), Markup("<mark>{}</mark>").format(text[start:end])]
        done = end
    return Markup("").join([*parts, escape(text[done:])])


def _starts(text: str, word: str) -> list[int]:
    found, at = [], text.find(word)
    while at >= 0:
        found.append(at)
        at = text.find(word, at + len(word))
    return found


def _folded(text: str) -> tuple[str, list[int]]:
    """The text without accents and capitals, and where each letter of it comes from."""
    letters, origins = [], []
    for at, letter in enumerate(text):
        for plain in unicodedata.normalize("NFKD", letter.casefold()):
            if not unicodedata.combining(plain):
                letters.append(plain)
                origins.append(at)
    return "".join(letters), origins
