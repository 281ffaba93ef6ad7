"""What letters say: one function per letter, plain values in, subject and both parts out.

A letter is a folder under `templates/emails/` with `subject.txt`, `body.txt` and `body.html`. What
goes in was gathered by `pbem.services.letters.match_letters` for one reader; nothing here knows the
tables.
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
from pbem import i18n
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
    "reminder",
    "late",
    "claim",
    "away",
    "stand_in",
    "briefing",
    "leave",
    "moderated",
    "rules",
    "answer",
    "account",
    "address",
    "moderator",
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
    """The own page; empty where the letter has no turn that such a link could die with."""
    mute_url: str
    report_url: str = ""
    """Where to report the letter or what it is about; empty in letters to moderators."""
    word: str = ""
    """What is typed beside a button, for who demands it."""
    offers_word: bool = False
    ask_url: str = ""
    """Where to ask for the own page."""


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
    head: str = ""
    """The short hash of all that was played so far; empty before the match has begun."""


class Board(Struct, frozen=True):
    text: str
    html: Markup


class Told(Struct, frozen=True):
    """A line of news, and how often it happened in a row."""

    line: str
    count: int


class Happening(Struct, frozen=True):
    """Something in the log with what it led to.

    Its kind is action, timeout, rewind, resign, draw or forfeit.
    """

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


class Length(Struct, frozen=True):
    """How long something takes."""

    days: int
    hours: int
    minutes: int


class Deadline(Length, frozen=True):
    """A moment as its reader tells time, and how far away it is, before or behind."""

    local: str
    utc: str
    is_past: bool


class Waiting(Struct, frozen=True):
    """A match that waits for the reader."""

    table: Table
    ends: Deadline
    grace: Deadline | None
    """Until when who is late may still play; None for who is not."""
    url: str
    word: str = ""


class Elsewhere(Struct, frozen=True):
    """A match that waits for others, or for nobody."""

    table: Table
    waiting: str
    until: str
    """When their turn ends; empty while the clock stands still."""


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
    clock: Sequence[str],
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
        clock=clock,
        fairness=fairness,
        url=url,
        about=about,
    )


def started(
    reader: Reader,
    table: Table,
    board: Board,
    fairness: Fairness,
    waiting: str,
    clock: Sequence[str],
) -> Letter:
    return _letter(
        "started",
        reader,
        table=table,
        board=board,
        fairness=fairness,
        waiting=waiting,
        clock=clock,
    )


def turn(
    reader: Reader,
    table: Table,
    happened: Sequence[Happening],
    board: Board,
    choices: Sequence[ChoiceGroup],
    example: str,
    url: str,
    deadline: Deadline | None,
    clock: Sequence[str],
    said: Sequence[Said],
    draw_offered: bool,
    is_first: bool,
) -> Letter:
    """`deadline` is missing while the match is paused; `clock` says what bears on it."""
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
        clock=clock,
        said=said,
        draw_offered=draw_offered,
        is_first=is_first,
    )


def receipt(
    reader: Reader,
    table: Table,
    orders: Sequence[str],
    by_clock: bool,
    happened: Sequence[Happening],
    board: Board,
    waiting: str,
    deadline: Deadline | None,
) -> Letter:
    """`by_clock`: the reader's time ran out, and these orders were given in his place."""
    return _letter(
        "receipt",
        reader,
        table=table,
        orders=orders,
        by_clock=by_clock,
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


def message(reader: Reader, table: Table, said: Sequence[Said], more: int) -> Letter:
    """What others have written to this seat since the last such letter, and how much is left."""
    return _letter("message", reader, table=table, said=said, more=more, draw_by="")


def draw_offer(reader: Reader, table: Table, by: str) -> Letter:
    """Another side offers a draw."""
    return _letter("message", reader, table=table, said=(), more=0, draw_by=by)


def reminder(
    reader: Reader,
    site: str,
    waiting: Sequence[Waiting],
    board: Board | None,
    elsewhere: Sequence[Elsewhere],
    daily: bool,
) -> Letter:
    """What waits for the reader, most urgent first; `elsewhere` is for the daily letter."""
    return _letter(
        "reminder",
        reader,
        site=site,
        waiting=waiting,
        board=board,
        elsewhere=elsewhere,
        daily=daily,
    )


def late(
    reader: Reader,
    table: Table,
    who: str,
    since: Deadline,
    grace: Deadline | None,
    then: str,
    url: str,
) -> Letter:
    """Somebody is late; `url` leads to the turn and is empty when that is not the reader's.

    `then` is what comes after the grace: claim, forfeit, default, stand_in or ally.
    """
    return _letter(
        "late", reader, table=table, who=who, since=since, grace=grace, then=then, url=url
    )


def claim(reader: Reader, table: Table, who: str, since: Deadline, ends: Deadline | None) -> Letter:
    """The reader may claim the win or wait; unanswered, the match `ends` by itself.

    It does not where the late player cannot be reached; then somebody else can be sought, too.
    """
    return _letter("claim", reader, table=table, who=who, since=since, ends=ends)


def away(
    reader: Reader,
    table: Table,
    what: str,
    who: str,
    side: str,
    start: str,
    end: str,
    longest: Length | None,
    waiting: str,
    deadline: Deadline | None,
    url: str,
) -> Letter:
    """A match stands still, goes on, or has another player.

    `who` did it and is empty for the server or a moderator; `side` is that player's. `longest` is
    how long a pause may still be. `url` is the turn page when the reader is asked, and empty
    otherwise; then `waiting` is asked.
    """
    return _letter(
        "away",
        reader,
        table=table,
        what=what,
        who=who,
        side=side,
        start=start,
        end=end,
        longest=longest,
        waiting=waiting,
        deadline=deadline,
        url=url,
    )


def stand_in(
    reader: Reader,
    table: Table,
    what: str,
    who: str,
    start: str,
    end: str,
    deadline: Deadline | None,
    clock: Sequence[str],
    board: Board | None,
    url: str,
    about: Sequence[str],
    is_volunteer: bool,
) -> Letter:
    """About a seat that is lent or given away; `end` is empty when it is for good.

    `what` is asked, agreed, taken, declined, nobody, withdrawn or over. `who` is the owner when the
    reader is asked, and otherwise the other of the two.
    """
    return _letter(
        "stand_in",
        reader,
        table=table,
        what=what,
        who=who,
        start=start,
        end=end,
        deadline=deadline,
        clock=clock,
        board=board,
        url=url,
        about=about,
        is_volunteer=is_volunteer,
    )


def briefing(
    reader: Reader,
    table: Table,
    who: str,
    is_back: bool,
    start: str,
    end: str,
    happened: Sequence[Happening],
    board: Board,
    said: Sequence[Said],
    waiting: str,
    deadline: Deadline | None,
    url: str,
) -> Letter:
    """All that a seat has seen, for who sits there now; `who` sat there before.

    `start` and `end` are those of the loan; it has no end when it is for good.
    """
    return _letter(
        "briefing",
        reader,
        table=table,
        who=who,
        is_back=is_back,
        start=start,
        end=end,
        happened=happened,
        board=board,
        said=said,
        waiting=waiting,
        deadline=deadline,
        url=url,
    )


def leave(
    reader: Reader, table: Table, who: str, start: str, end: str, url: str, until: str
) -> Letter:
    """Whether the reader really lends the seat, or gives it up when it has no `end`.

    `who` is the address that was typed; empty when volunteers shall be asked.
    """
    return _letter(
        "leave", reader, table=table, who=who, start=start, end=end, url=url, until=until
    )


def moderated(reader: Reader, table: Table, words: str, reason: str) -> Letter:
    """A moderator did something to the match; who has no seat any more finds no link to one."""
    return _letter("moderated", reader, table=table, words=words, reason=reason)


def rules(reader: Reader, table: Table, versions: tuple[int, int], waits: bool) -> Letter:
    """The rules were changed from one version to another: the match goes on, or waits."""
    before, after = versions
    return _letter("rules", reader, table=table, before=before, after=after, waits=waits)


def answer(
    reader: Reader, site: str, asked_at: str, said: Sequence[str], is_closed: bool, url: str
) -> Letter:
    """A moderator answers the report of that time; `said` is the answer, line by line."""
    return _letter(
        "answer", reader, site=site, asked_at=asked_at, said=said, is_closed=is_closed, url=url
    )


def account(
    reader: Reader, site: str, words: str, reason: str, is_known: bool, stop: str
) -> Letter:
    """A moderator did something about the reader, whose own page is only for who is a player.

    `stop` leads to where a change of the address is stopped, and is empty in all other cases.
    """
    values = {"words": words, "reason": reason, "is_known": is_known, "stop": stop}
    return _letter("account", reader, site=site, **values)


def address(reader: Reader, site: str, url: str) -> Letter:
    """The way to confirm an address to which a player's letters shall go."""
    return _letter("address", reader, site=site, url=url)


def _letter(kind: str, reader: Reader, **values: Any) -> Letter:
    return Letter(kind, reader.language, {"reader": reader, **values})


# --- times ----------------------------------------------------------------------------------------


def deadline(at: int, now: int, reader: Reader) -> Deadline:
    return Deadline(
        *span(abs(at - now)),
        local=moment(at, reader),
        utc=f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M} UTC",
        is_past=at < now,
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
    values = {**letter.values, "sealed": sealed(letter)}
    with i18n.speaking(letter.language):
        subject = texts.get_template(f"{folder}/subject.txt").render(values).strip()
        text = texts.get_template(f"{folder}/body.txt").render(values)
        html = pages.get_template(f"{folder}/body.html").render(values, subject=subject)
    return Written(
        subject,
        _BLANKS.sub("\n\n", text).strip("\n") + "\n",
        html if html.isascii() else html.encode("ascii", "xmlcharrefreplace").decode("ascii"),
    )


def sealed(letter: Letter) -> list[Table]:
    """The matches that a letter is about and that have begun: it keeps the head of each."""
    values = letter.values
    if letter.kind == "reminder":
        tables = [match.table for match in (*values["waiting"], *values["elsewhere"])]
    else:
        tables = [values["table"]] if "table" in values else []
    return [table for table in tables if table.head]


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
    i18n.teach(environment)
    environment.filters["fold"] = fold
    environment.globals["language"] = i18n.spoken
    return environment


def fold(text: str, indent: str = "", hanging: str | None = None) -> str:
    """A paragraph in lines of at most 72 columns; a word that is longer stays whole.

    What a no-break space holds together is one word: no French line begins with a colon. `textwrap`
    would add 3 % to the letter of `make bench` from the log, and 12 % to writing it.
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
