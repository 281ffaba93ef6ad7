"""Measures, words and shapes of the picture, as SVG."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from engine.text import wrap

WIDTH, MARGIN, GAP = 720, 20, 12
INNER = WIDTH - 2 * MARGIN
HALF = (INNER - GAP) / 2
SMALLEST = 8


def lines_of(text: str, width: float, size: float, bold: bool = False) -> list[str]:
    return wrap(text, int(width / (size * (0.64 if bold else 0.57))))


def fitted(text: str, size: float, width: float, bold: bool = False) -> tuple[str, float]:
    """The text and a size at which it fits; what is far too long is cut."""
    while len(text) > 1 and length_of(text, bold) * SMALLEST > width:
        text = text[:-2] + "…" if text.endswith("…") else text[:-1] + "…"
    return text, min(size, width / max(1.0, length_of(text, bold)))


def length_of(text: str, bold: bool) -> float:
    """How long a text is, in sizes of its font, in the widest of the usual fonts."""
    return sum(map(_letter_width, text)) * (1.0 if bold else 0.88)


def _letter_width(letter: str) -> float:
    if letter in "ijlI'.,:;|! \u00a0":
        return 0.4
    if letter in "mwMW…":
        return 1.06
    return 0.78 if letter.isupper() else 0.53 if letter in "frt-*" else 0.7


def paragraph(x: float, y: float, lines: Sequence[str], size: float, look: str) -> str:
    return "".join(
        words_at(x, y + 1.26 * size * i, line, size, look) for i, line in enumerate(lines)
    )


def words_at(x: float, y: float, words: str, size: float, look: str, anchor: str = "start") -> str:
    attributes = {"x": number(x), "y": number(y), "font-size": number(size)}
    if anchor != "start":
        attributes["text-anchor"] = anchor
    return element("text", escaped(words), class_=look, **attributes)


def box(x: float, y: float, width: float, height: float, look: str, round_: float = 0) -> str:
    attributes = {"x": number(x), "y": number(y)}
    attributes |= {"width": number(width), "height": number(height)}
    if round_:
        attributes["rx"] = number(round_)
    return element("rect", class_=look, **attributes)


def placed(x: float, y: float, drawing: str) -> str:
    return f'<g transform="translate({number(x)} {number(y)})">{drawing}</g>'


def element(name: str, *inside: str, **attributes: str) -> str:
    """An element around finished XML; class_ and data_cell lose or change their underscore."""
    head = "".join(
        f" {key.rstrip('_').replace('_', '-')}={quoteattr(_printable(value))}"
        for key, value in attributes.items()
    )
    return f"<{name}{head}>{''.join(inside)}</{name}>" if inside else f"<{name}{head}/>"


def escaped(text: str) -> str:
    return escape(_printable(text))


_UNPRINTABLE = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _printable(text: str) -> str:
    """Without the characters that XML knows no way to write."""
    return _UNPRINTABLE.sub("", text)


def number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
