"""Looking for words in the rules of a game, without regard to accents and capitals."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from markupsafe import Markup, escape

from pbem.errors import Refused
from pbem.web.public.rules_html import Passage

LONGEST = 100
MOST = 30


class Finding(NamedTuple):
    """A rule that has all the words, and what of it has some, with the words marked."""

    number: str
    anchor: str
    chapter: str
    blocks: list[Markup]


class Findings(NamedTuple):
    """The first rules that were found, and how many there are."""

    shown: list[Finding]
    total: int


def search(passages: Sequence[Passage], wanted: str) -> Findings:
    """The rules that have all the words; the rule that is asked for by its number comes first.

    Words are looked for at the beginning of others, and inside them only if that finds nothing.
    """
    if len(wanted) > LONGEST:
        raise Refused(
            "your search has %(count)s characters; the limit is %(most)s",
            count=len(wanted),
            most=LONGEST,
        )
    words = [re.escape(word) for word in folded(wanted)[0].split()]
    for pattern in (r"(?<!\w){}", "{}"):
        patterns = [re.compile(pattern.format(word)) for word in words]
        found = [one for one in passages if patterns and _has_all(one, patterns)]
        if found:
            break
    found.sort(key=lambda one: one.number != wanted.strip())
    return Findings([_finding(one, patterns) for one in found[:MOST]], len(found))


def _has_all(passage: Passage, patterns: Sequence[re.Pattern[str]]) -> bool:
    return all(pattern.search(_text_of(passage)) for pattern in patterns)


@cache
def _text_of(passage: Passage) -> str:
    return folded(" ".join([passage.chapter, *passage.blocks]))[0]


def _finding(passage: Passage, patterns: Sequence[re.Pattern[str]]) -> Finding:
    telling = [marked(block, patterns) for block in passage.blocks]
    shown = [block for block in telling if "<mark>" in block] or telling[:1]
    return Finding(passage.number, passage.anchor, passage.chapter, shown)


def marked(text: str, patterns: Sequence[re.Pattern[str]]) -> Markup:
    """The text with everything marked that fits one of the patterns."""
    plain, origins = folded(text)
    hits = sorted(
        (origins[hit.start()], origins[hit.end() - 1] + 1)
        for pattern in patterns
        for hit in pattern.finditer(plain)
    )
    parts, done = [], 0
    for start, end in hits:
        if start >= done:
            parts += [escape(text[done:start]), Markup("<mark>{}</mark>").format(text[start:end])]
            done = end
    return Markup("").join([*parts, escape(text[done:])])


def folded(text: str) -> tuple[str, list[int]]:
    """The text without accents and capitals, and where each letter of it comes from."""
    letters, origins = [], []
    for at, letter in enumerate(text):
        for plain in unicodedata.normalize("NFKD", letter.casefold()):
            if not unicodedata.combining(plain):
                letters.append(plain)
                origins.append(at)
    return "".join(letters), origins
