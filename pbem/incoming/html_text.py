"""The text of a mail that has only HTML: its lines, with `>` before those that are quoted.

Mail programs say in tags which part is quoted, or a signature. Only the outermost such element is
followed, by counting tags of its name; what is never closed goes on to the end.

The parser of the standard library takes time in proportion to the square of a text full of tags
that do not end. So it gets only such as do, and no comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Literal, NamedTuple

LONGEST_TAG = 1_000
_TAG = re.compile(r"<[^<>]*>|<")

Kind = Literal["quoted", "left out"]
Attributes = list[tuple[str, str | None]]

BREAKING = frozenset({
    "address", "article", "blockquote", "center", "dd", "div", "dl", "dt", "fieldset", "figure",
    "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol",
    "p", "pre", "section", "table", "td", "th", "tr", "ul",
})  # fmt: skip
VOID = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
})  # fmt: skip
UNSEEN_TAGS = frozenset({"head", "title", "style", "script", "template", "noscript", "object"})
QUOTED_NAMES = frozenset({
    "gmail_attr", "moz-cite-prefix", "moz-forward-container", "yahoo_quoted", "protonmail_quote",
    "outlookmessageheader",
})  # fmt: skip
SIGNATURE_NAMES = frozenset({
    "gmail_signature", "gmail_signature_prefix", "moz-signature", "k9mail-signature",
    "protonmail_signature_block", "applemailsignature", "ms-outlook-mobile-signature",
    "composer_signature",
})  # fmt: skip
OLD_FROM_HERE = frozenset({"divrplyfwdmsg", "appendonsend", "zwchr"})
"""Ids that stand between the reply and an old letter, which is not inside them."""


class Region(NamedTuple):
    """An element that says what its text is, and how many of its name are open in it."""

    tag: str
    kind: Kind
    depth: int = 1


def text_of(html: str) -> str:
    """What somebody reads, line by line."""
    reader = _Reader()
    reader.feed(_TAG.sub(_tamed, "".join(_without_comments(html))))
    reader.close()
    return reader.text()


def _without_comments(html: str) -> Iterator[str]:
    """What stands between comments; one that does not end goes on to the end."""
    end = 0
    while (start := html.find("<!--", end)) >= 0:
        yield html[end:start]
        end = html.find("-->", start + 4) + 3
        if end < 3:
            return
    yield html[end:]


def _tamed(tag: re.Match[str]) -> str:
    """A tag that means something to us; a lone angle is a letter."""
    if tag[0] == "<":
        return "&lt;"
    return "" if tag[0][1] in "!?" or len(tag[0]) > LONGEST_TAG else tag[0]


def kind_of(tag: str, attributes: Attributes) -> Kind | None:
    """What an element says its text is."""
    said = {name: (value or "").casefold() for name, value in attributes}
    names = {said.get("id", ""), *said.get("class", "").split()}
    if tag in UNSEEN_TAGS or names & SIGNATURE_NAMES or _is_hidden(said.get("style", "")):
        return "left out"
    if tag == "blockquote" or said.get("name") == "quote" or names & QUOTED_NAMES:
        return "quoted"
    return None


def _is_hidden(style: str) -> bool:
    return "display:none" in style.replace(" ", "")


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self.line: list[str] = []
        self.region: Region | None = None
        self.is_old = False
        self.pre = 0

    def text(self) -> str:
        self._end_line()
        return "\n".join(self.lines)

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        if tag in BREAKING:
            self._end_line()
        if tag == "br":
            self._end_line(even_empty=True)
        if tag in VOID:
            self._look_for_old(attrs)
            return
        self.pre += tag == "pre"
        if self.region is None:
            self._look_for_old(attrs)
            kind = kind_of(tag, attrs)
            self.region = None if kind is None else Region(tag, kind)
        elif self.region.tag == tag:
            self.region = self.region._replace(depth=self.region.depth + 1)

    def handle_startendtag(self, tag: str, attrs: Attributes) -> None:
        """As browsers do: the slash says nothing."""
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in BREAKING:
            self._end_line()
        self.pre = max(0, self.pre - (tag == "pre"))
        if self.region is not None and self.region.tag == tag:
            left = self.region.depth - 1
            self.region = self.region._replace(depth=left) if left else None

    def handle_data(self, data: str) -> None:
        if self.region is not None and self.region.kind == "left out":
            return
        if not self.pre:
            self.line.append(" ".join(f".{data}.".split())[1:-1])
            return
        first, *others = data.split("\n")
        self.line.append(first)
        for other in others:
            self._end_line(even_empty=True)
            self.line.append(other)

    def _look_for_old(self, attrs: Attributes) -> None:
        names = {(value or "").casefold() for name, value in attrs if name == "id"}
        if names & OLD_FROM_HERE:
            self._end_line()
            self.is_old = True

    def _end_line(self, *, even_empty: bool = False) -> None:
        line = "".join(self.line)
        self.line.clear()
        is_quoted = self.is_old or (self.region is not None and self.region.kind == "quoted")
        if line.strip() or even_empty:
            self.lines.append(f"> {line}" if is_quoted else line)
