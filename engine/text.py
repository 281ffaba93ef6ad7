"""Words and columns: saying a message in a language, plain ASCII, wrapping, tables."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from engine.core import Language, Name, Param, Text

Catalogue = Mapping[str, Mapping[str, str]]

_PLAIN = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss", "œ": "oe"}
    | {"’": "'", "‘": "'", "„": '"', "“": '"', "”": '"', "«": '"', "»": '"', "–": "-", "—": "-"}
    | {"…": "...", "·": "-", "−": "-", "\u00a0": " ", "\u202f": " "}
)


def say(text: Text, language: Language, catalogue: Catalogue) -> str:
    """A message in a language; where the catalogue is silent, in English."""
    pattern = catalogue.get(language, {}).get(text.msgid, text.msgid)
    spoken = {key: _spoken(value, language, catalogue) for key, value in text.params.items()}
    return pattern.format_map(spoken)


def _spoken(value: Param, language: Language, catalogue: Catalogue) -> str:
    if isinstance(value, Text):
        return say(value, language, catalogue)
    if isinstance(value, tuple):
        return ", ".join(name.in_(language) for name in value)
    return value.in_(language) if isinstance(value, Name) else str(value)


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


def wrap(text: str, width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=" " * len(indent))


def repeated(lines: Iterable[str]) -> list[tuple[str, int]]:
    """Neighbouring equal lines gathered, with how often each stood there."""
    gathered: list[tuple[str, int]] = []
    for line in lines:
        if gathered and gathered[-1][0] == line:
            gathered[-1] = (line, gathered[-1][1] + 1)
        else:
            gathered.append((line, 1))
    return gathered


def columns(rows: Sequence[Sequence[str]], gap: int = 2) -> list[str]:
    """Rows of cells as lines, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        (" " * gap)
        .join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        .rstrip()
        for row in rows
    ]
