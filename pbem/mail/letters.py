"""What letters say: one function per letter, plain values in, subject and both parts out.

A letter is a folder under `templates/emails/` with `subject.txt`, `body.txt` and `body.html`. What
goes in was gathered by `pbem.services.letters_for` for one reader; nothing here knows the tables.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_time
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from msgspec import Struct

from engine.core import Language
from engine.text import words_of
from pbem import words
from pbem.config import templates_folder

KINDS = (
    "confirm",
    "invitation",
    "started",
    "turn",
    "receipt",
    "moved",
    "finished",
    "declined",
    "cancelled",
    "message",
    "you",
)
WIDTH = 72
MINUTE, HOUR, DAY = 60, 3_600, 86_400
LOCALES: dict[Language, str] = {"en": "en_GB", "de": "de", "fr": "fr"}


# --- what letters are made of ---------------------------------------------------------------------


class Reader(Struct, frozen=True):
    """The one person a letter is for."""

    name: str
    language: Language
    zone: str
    you_url: str
    mute_url: str


class Table(Struct, frozen=True):
    """A match as its letters speak of it."""

    id: str
    game: str
    """What the game is called in the reader's language."""
    seat: str
    """The reader's side, in words."""
    players: tuple[tuple[str, str], ...]
    """Each side with the name of who plays it."""
    others: str
    """Whom the reader plays against."""
    site: str
    """The name of this server, as in a host name."""
    site_url: str
    url: str
    rules_url: str
    seat_url: str


class Board(Struct, frozen=True):
    text: str
    html: Markup


class Told(Struct, frozen=True):
    """A line of news, and how often it happened in a row."""

    line: str
    count: int


class Happening(Struct, frozen=True):
    """Something in the log with what it led to: action, timeout, rewind, resign, draw."""

    kind: str
    actor: str
    told: tuple[Told, ...] = ()


class Choice(Struct, frozen=True):
    """One way on: in words, as an order where it is a whole one, and its link."""

    label: str
    notation: str
    url: str
    count: int = 1
    """How many orders lie behind the link; a single one has a notation."""


class ChoiceGroup(Struct, frozen=True):
    title: str
    choices: tuple[Choice, ...]


class Said(Struct, frozen=True):
    by: str
    at: str
    lines: tuple[str, ...]


class Deadline(Struct, frozen=True):
    """A moment as its reader tells time, and how far away it is."""

    local: str
    utc: str
    days: int
    hours: int
    minutes: int


class Opening(Struct, frozen=True):
    """The proof of one card in the reader's hand."""

    position: int
    card: str
    salt: str
    path: tuple[str, ...]


class Fairness(Struct, frozen=True):
    """What was published about chance before the first card was dealt."""

    commitment: str
    phrases: tuple[tuple[str, str], ...] = ()
    """Each side that has added a phrase to the shuffle, with it."""
    decks: tuple[tuple[str, int], ...] = ()
    """The root of each shuffled deck, and how many cards it has."""
    openings: tuple[Opening, ...] = ()


class Letter(NamedTuple):
    kind: str
    language: Language
    values: dict[str, Any]


class Written(NamedTuple):
    subject: str
    text: str
    html: str


# --- the letters ----------------------------------------------------------------------------------


def confirm(reader: Reader, game: str, site: str, url: str) -> Letter:
    return _letter("confirm", reader, game=game, site=site, url=url)


def you(reader: Reader, site: str) -> Letter:
    return _letter("you", reader, site=site)


def invitation(
    reader: Reader,
    table: Table,
    inviter: str,
    options: Sequence[str],
    pace: int,
    fairness: Fairness,
    url: str,
    about: Sequence[str],
) -> Letter:
    """`about` explains the game to a newcomer; `inviter` is empty for an operator."""
    return _letter(
        "invitation",
        reader,
        table=table,
        inviter=inviter,
        options=options,
        pace=Deadline("", "", *span(pace)),
        fairness=fairness,
        url=url,
        about=about,
    )


def started(
    reader: Reader, table: Table, board: Board, fairness: Fairness, waiting: str, pace: int
) -> Letter:
    pace_ = Deadline("", "", *span(pace))
    return _letter(
        "started",
        reader,
        table=table,
        board=board,
        fairness=fairness,
        waiting=waiting,
        pace=pace_,
    )


def turn(
    reader: Reader,
    table: Table,
    happened: Sequence[Happening],
    board: Board,
    choices: Sequence[ChoiceGroup],
    example: str,
    url: str,
    deadline: Deadline,
    said: Sequence[Said],
    draw_offered: bool,
    is_first: bool,
) -> Letter:
    return _letter(
        "turn",
        reader,
        table=table,
        happened=happened,
        board=board,
        choices=choices,
        example=example,
        url=url,
        deadline=deadline,
        said=said,
        draw_offered=draw_offered,
        is_first=is_first,
    )


def receipt(
    reader: Reader,
    table: Table,
    orders: Sequence[str],
    happened: Sequence[Happening],
    board: Board,
    waiting: str,
    deadline: Deadline | None,
) -> Letter:
    return _letter(
        "receipt",
        reader,
        table=table,
        orders=orders,
        happened=happened,
        board=board,
        waiting=waiting,
        deadline=deadline,
    )


def moved(
    reader: Reader,
    table: Table,
    happened: Sequence[Happening],
    board: Board,
    waiting: str,
    deadline: Deadline | None,
) -> Letter:
    return _letter(
        "moved",
        reader,
        table=table,
        happened=happened,
        board=board,
        waiting=waiting,
        deadline=deadline,
    )


def finished(
    reader: Reader,
    table: Table,
    happened: Sequence[Happening],
    board: Board,
    winners: str,
    has_won: bool,
    reason: str,
    secret: str,
    fairness: Fairness,
) -> Letter:
    """`winners` is empty after a draw; `reason` is empty when `happened` ends with it."""
    return _letter(
        "finished",
        reader,
        table=table,
        happened=happened,
        board=board,
        winners=winners,
        has_won=has_won,
        reason=reason,
        secret=secret,
        fairness=fairness,
    )


def declined(reader: Reader, table: Table, by: str) -> Letter:
    return _letter("declined", reader, table=table, by=by)


def cancelled(reader: Reader, table: Table) -> Letter:
    return _letter("cancelled", reader, table=table)


def message(reader: Reader, table: Table, said: Said, draw: bool) -> Letter:
    """What another seat says; with `draw` it offers one."""
    return _letter("message", reader, table=table, said=said, draw=draw)


def _letter(kind: str, reader: Reader, **values: Any) -> Letter:
    return Letter(kind, reader.language, {"reader": reader, **values})


# --- times ----------------------------------------------------------------------------------------


def deadline(at: int, now: int, reader: Reader) -> Deadline:
    return Deadline(
        moment(at, reader),
        f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M} UTC",
        *span(at - now),
    )


def moment(at: int, reader: Reader) -> str:
    """A time in the reader's language and zone, with the distance from UTC."""
    locale, local = LOCALES[reader.language], datetime.fromtimestamp(at, ZoneInfo(reader.zone))
    day = format_date(local.date(), "full", locale=locale)
    clock = format_time(local, "short", tzinfo=local.tzinfo, locale=locale)
    if reader.zone == "UTC":
        return f"{day}, {clock} UTC"
    offset = f"{local:%z}"
    return f"{day}, {clock} (UTC{offset[:3]}:{offset[3:]}, {reader.zone})"


def span(seconds: int) -> tuple[int, int, int]:
    """Days, hours and minutes; nothing below zero."""
    left = max(0, seconds)
    return left // DAY, left % DAY // HOUR, left % HOUR // MINUTE


# --- writing --------------------------------------------------------------------------------------


def write(letter: Letter) -> Written:
    """The letter in its reader's language; the HTML is plain ASCII, whatever it says."""
    texts, pages = _environments()
    folder = letter.kind
    with words.speaking(letter.language):
        subject = texts.get_template(f"{folder}/subject.txt").render(letter.values).strip()
        text = texts.get_template(f"{folder}/body.txt").render(letter.values)
        html = pages.get_template(f"{folder}/body.html").render(letter.values, subject=subject)
    return Written(
        subject,
        _BLANKS.sub("\n\n", text).strip("\n") + "\n",
        html if html.isascii() else html.encode("ascii", "xmlcharrefreplace").decode("ascii"),
    )


def about_game(game: str, language: Language) -> list[str]:
    """A game for somebody who has never heard of it, line by line; empty where nobody wrote it."""
    texts, _ = _environments()
    with words.speaking(language):
        told = texts.select_template(
            [f"_base/about/{game}.txt", "_base/about/nothing.txt"]
        ).render()
    return [line.strip() for line in told.splitlines() if line.strip()]


_BLANKS = re.compile(r"\n{3,}")


@cache
def _environments() -> tuple[Environment, Environment]:
    """One for plain text, which escapes nothing, and one for HTML, which escapes everything."""
    return _environment(escapes=False), _environment(escapes=True)


def _environment(escapes: bool) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(templates_folder() / "emails"),
        autoescape=escapes,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    words.teach(environment)
    environment.filters["fold"] = fold
    environment.globals["language"] = words.spoken
    return environment


def fold(text: str, indent: str = "", hanging: str | None = None) -> str:
    """A paragraph in lines of at most 72 columns; a word that is longer stays whole.

    What a no-break space holds together is one word: no French line begins with a colon.
    """
    lines, line, rest = [], indent, indent if hanging is None else hanging
    empty = True
    for word in words_of(text):
        if not empty and len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line, empty = rest, True
        line += word if empty else f" {word}"
        empty = False
    return "\n".join([*lines, line])
