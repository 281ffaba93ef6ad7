"""The rules of a game as a numbered text: where they lie, what is numbered, what refusals cite.

Beside the sources of a game lie its rules in English, `RULES.md`, and in other languages, as
`RULES.de.md`; and `citations.toml`, which names for a refusal, by its English message, the rule it
rests on. A chapter is `## 8. Movement`; a rule begins a paragraph or a row of a table with its
number in bold, as `**8.7 Aircraft.**`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources

from engine.core import Language

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
