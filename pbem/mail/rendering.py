"""Templates of letters: subject, text and HTML in the reader's language.

A letter is a folder under `templates/emails/` with `subject.txt`, `body.txt` and `body.html`.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from engine.text import words_of
from pbem import board_shapes as shapes
from pbem import i18n
from pbem.config import templates_folder
from pbem.mail.parts import Attachment, Board, Picture, Reader, Table

WIDTH = shapes.USUAL.width
MOST_FOLDED = 4_096
"""Paragraphs that are remembered in lines: less than 2 MB of them, as letters have them."""
PREVIEWED = 160
"""Characters of a letter that inboxes show at most."""


class ComposedLetter(NamedTuple):
    """What a letter says, in its reader's language."""

    subject: str
    text: str
    html: str
    """Plain ASCII, whatever it says; empty for who reads text alone."""
    headers: tuple[tuple[str, str], ...] = ()
    """Those that come of what it says."""
    pictures: tuple[Picture, ...] = ()
    """Those that the HTML shows."""
    attachments: tuple[Attachment, ...] = ()

    @property
    def text_body(self) -> str:
        """What the text says above its footer."""
        return _RULE.split(self.text, maxsplit=1)[0].strip("\n")

    @property
    def html_body(self) -> str:
        """The same of the HTML, without its title."""
        return self.html.partition("</h1>")[2].partition("</main>")[0].strip("\n")


def compose(kind: str, reader: Reader, **values: Any) -> ComposedLetter:
    """The letter of that folder, written for its reader."""
    texts, pages = _environments(reader.shape.width)
    begun = _begun(kind, values)
    shown = {"reader": reader, **values}
    with i18n.speaking(reader.language):
        subject = texts.get_template(f"{kind}/subject.txt").render(shown).strip()
        text = texts.get_template(f"{kind}/body.txt").render(shown)
        shown["preview"] = preview(text)
        html = ""
        if reader.shape.form != shapes.PLAIN:
            html = pages.get_template(f"{kind}/body.html").render(shown, subject=subject)
    return ComposedLetter(
        subject,
        _tidy(text),
        html if html.isascii() else html.encode("ascii", "xmlcharrefreplace").decode("ascii"),
        ((("X-PBEM-Head", begun[0].head),) if len(begun) == 1 else ()),
        _pictures(values.get("board")),
    )


def preview(text: str) -> str:
    """How a letter begins, as inboxes show it behind the subject; no link is in it."""
    beginning = text[:PREVIEWED].partition("://")[0]
    words = words_of(beginning)
    return " ".join(words if len(text) == len(beginning) else words[:-1])


def attach(name: str, template: str, reader: Reader, **values: Any) -> Attachment:
    """A file of that name, written for the same reader."""
    texts, _ = _environments(WIDTH)
    with i18n.speaking(reader.language):
        return Attachment(name, _tidy(texts.get_template(template).render(values)))


def _tidy(text: str) -> str:
    return _BLANKS.sub("\n\n", text).strip("\n") + "\n"


def _pictures(board: Board | None) -> tuple[Picture, ...]:
    return () if board is None or board.picture is None else (board.picture,)


def _begun(kind: str, values: dict[str, Any]) -> list[Table]:
    """The matches that a letter is about and that have begun: it keeps the head of each.

    A single one is a header, too; a letter that gathers several has them in its text.
    """
    if kind == "reminder":
        tables = [match.table for match in (*values["waiting"], *values["elsewhere"])]
    else:
        tables = [values["table"]] if "table" in values else []
    return [table for table in tables if table.head]


_BLANKS = re.compile(r"\n{3,}")
_RULE = re.compile(rf"\n-{{{min(shapes.WIDTHS)},}}\n")


@cache
def _environments(width: int) -> tuple[Environment, Environment]:
    """One for plain text, which escapes nothing, and one for HTML, which escapes everything."""
    return _environment(width, escapes=False), _environment(width, escapes=True)


def _environment(width: int, escapes: bool) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(templates_folder() / "emails"),
        autoescape=escapes,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    i18n.teach(environment)
    environment.filters["fold"] = fold if width == WIDTH else partial(fold, width=width)
    environment.globals["rule"] = "-" * width
    environment.globals["language"] = i18n.spoken
    for name, file in _PIECES.items():
        piece = environment.get_template(f"_base/{file.format(form='html' if escapes else 'txt')}")
        environment.globals[name] = piece.module
    return environment


_PIECES = {
    "parts": "parts.{form}",
    "subjects": "subjects.txt",
    "first_lines": "first_lines.html",
    "replying": "replying.html",
}
"""What all letters may use, read once: see `i18n.teach` for what an `import` in each would cost."""


@lru_cache(maxsize=MOST_FOLDED, typed=True)
def fold(text: str, indent: str = "", hanging: str | None = None, width: int = WIDTH) -> str:
    """A paragraph in lines of at most so many columns; a word that is longer stays whole.

    What a no-break space holds together is one word: no French line begins with a colon. `textwrap`
    would add 3 % to the letter of `make bench` from the log, and 12 % to writing it. Two letters
    say most of what they say in the same paragraphs: each is folded once.
    """
    lines, line, rest = [], indent, indent if hanging is None else hanging
    empty = True
    for word in words_of(text):
        if not empty and len(line) + 1 + len(word) > width:
            lines.append(line)
            line, empty = rest, True
        line += word if empty else f" {word}"
        empty = False
    return "\n".join([*lines, line])
