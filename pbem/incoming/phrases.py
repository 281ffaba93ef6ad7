"""The tables of `phrases.toml`: what mail programs and mail servers say of their own accord."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from importlib import resources

_TABLES: dict[str, dict[str, list[str]]] = tomllib.loads(
    resources.files("pbem.incoming").joinpath("phrases.toml").read_text("utf-8").casefold()
)
SOME = ".+"
FEW_WORDS = r"(?: \S+){0,4}"


def table(name: str) -> dict[str, list[str]]:
    return _TABLES[name]


def all_of(name: str) -> list[str]:
    """Those of all languages."""
    return [phrase for phrases in _TABLES[name].values() for phrase in phrases]


def pattern(phrases: Iterable[str], gap: str) -> re.Pattern[str]:
    """One of these phrases, with something in its gaps."""
    each = (gap.join(map(re.escape, phrase.split("{}"))) for phrase in phrases)
    return re.compile("|".join(each))
