"""Replies as mail programs write them: which program, in which language, how the letter is quoted.

    for shape in SHAPES:
        raw = written(shape, letter, ["move a b"])

The heads and tags are those that the programs are known to write; all of it was written for these
tests. Dates are those of the letter. A reply goes from the reader of the letter to its Reply-To.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from datetime import datetime
from email.message import EmailMessage
from email.utils import parseaddr, parsedate_to_datetime
from html import escape
from typing import NamedTuple

from tests.kit.mail_programs import CLIENTS, LANGUAGES, Body, Client, Language, Page, Style


class Shape(NamedTuple):
    """One way in which a reply can look."""

    client: str
    language: Language
    style: Style
    body: Body

    @property
    def name(self) -> str:
        return "-".join(self)


SHAPES: tuple[Shape, ...] = tuple(
    Shape(name, language, style, body)
    for name, client in CLIENTS.items()
    for language in LANGUAGES
    for style, body in client.ways
)


def written(shape: Shape, letter: EmailMessage, own_words: Sequence[str]) -> bytes:
    """The bytes of a reply to the letter in this shape; each of the own words is a line."""
    client = CLIENTS[shape.client]
    told = facts(letter, shape.language)
    head = client.heads[shape.language].format_map(told)
    signature = client.signature.get(shape.language, "").format_map(told)
    reply = EmailMessage()
    for name, value in _headers(letter, shape, client):
        reply[name] = value
    text = _text(shape, client, letter, head, signature, own_words)
    has_page = shape.body in {"html", "both"}
    page = _html(shape, client, letter, head, signature, own_words) if has_page else ""
    if shape.body == "html":
        reply.set_content(page, subtype="html", cte="quoted-printable")
    elif shape.body == "flowed":
        reply.set_content(_flowed(text), cte="8bit")
        reply.set_param("format", "flowed")
    else:
        reply.set_content(text, cte="quoted-printable")
    if shape.body == "both":
        reply.add_alternative(page, subtype="html", cte="quoted-printable")
    return reply.as_bytes()


# --- what is filled in ---------------------------------------------------------------------------

_DAYS = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
}
_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
}
_SHORT_DAYS = {
    "en": "Mon Tue Wed Thu Fri Sat Sun",
    "de": "Mo. Di. Mi. Do. Fr. Sa. So.",
    "fr": "lun. mar. mer. jeu. ven. sam. dim.",
}
_SHORT_MONTHS = {
    "en": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "de": "Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.",
    "fr": "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
}


def facts(letter: EmailMessage, language: Language) -> dict[str, str]:
    """What heads name of a letter: its writer, its time in the language, its reader."""
    at = parsedate_to_datetime(str(letter["Date"]))
    name, address = parseaddr(str(letter["Reply-To"] or letter["From"]))
    writer, _ = parseaddr(str(letter["From"]))
    return {
        "name": writer or name or "pbem",
        "address": address,
        "me": parseaddr(str(letter["To"]))[1],
        "subject": str(letter["Subject"]),
        **_times(at, language),
    }


def _times(at: datetime, language: Language) -> dict[str, str]:
    return {
        "weekday": _DAYS[language].split()[at.weekday()],
        "wd": _SHORT_DAYS[language].split()[at.weekday()],
        "month": _MONTHS[language].split()[at.month - 1],
        "mon": _SHORT_MONTHS[language].split()[at.month - 1],
        "d": str(at.day),
        "hm": f"{at:%H:%M}",
        "hms": f"{at:%H:%M:%S}",
        "clock": f"{at:%I:%M %p}".lstrip("0"),
        "dmy": f"{at:%d.%m.%Y}",
        "dmy2": f"{at:%d.%m.%y}",
        "slashed": f"{at:%d/%m/%Y}",
        "slashed2": f"{at:%d/%m/%y}",
        "american": f"{at.month}/{at.day}/{at:%y}",
        "iso": f"{at:%Y-%m-%d}",
        "y": f"{at:%Y}",
        "dd": f"{at:%d}",
    }


_REPLY = {"en": "Re: ", "de": "AW: ", "fr": "RE: "}


def _headers(letter: EmailMessage, shape: Shape, client: Client) -> list[tuple[str, str]]:
    number = str(letter["Message-ID"])
    beginning = _REPLY[shape.language] if "outlook" in shape.client else "Re: "
    told = [
        ("From", str(letter["To"])),
        ("To", str(letter["Reply-To"] or letter["From"])),
        ("Subject", beginning + str(letter["Subject"])),
        ("Date", str(letter["Date"])),
        ("Message-ID", number.replace("<", f"<{shape.name}.", 1)),
        ("In-Reply-To", number),
        ("References", number),
    ]
    return [*told, ("User-Agent", client.agent)] if client.agent else told


# --- the text ------------------------------------------------------------------------------------


def text_of(letter: EmailMessage) -> str:
    part = letter.get_body(("plain",))
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n").strip()


def _text(
    shape: Shape,
    client: Client,
    letter: EmailMessage,
    head: str,
    signature: str,
    own_words: Sequence[str],
) -> str:
    words = "\n".join(_folded(line, client.folds) for line in own_words)
    old = text_of(letter).split("\n")
    if client.marks:
        old = [f"> {line}".rstrip() for line in old]
    if client.is_head_quoted:
        head = "\n".join(f"> {line}".rstrip() for line in head.split("\n"))
    head = _folded(head, client.folds)
    above, below = (signature, "") if client.is_signature_above else ("", signature)
    first, second = "\n".join(old[:3]), "\n".join(old[3:])
    blocks = {
        "alone": [words, signature],
        "top": [words, above, f"{head}\n" + "\n".join(old), below],
        "bottom": [above, f"{head}\n" + "\n".join(old), words, below],
        "inline": [f"{head}\n{first}", words, second, above, below],
    }[shape.style]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _folded(head: str, columns: int) -> str:
    if not columns:
        return head
    return "\n".join(
        folded
        for line in head.split("\n")
        for folded in textwrap.wrap(line, columns, break_on_hyphens=False) or [""]
    )


def _flowed(text: str) -> str:
    """As RFC 3676 has it: own lines are folded at blanks that stay, quoted ones left alone."""
    flowed = []
    for line in text.split("\n"):
        if line.startswith(">") or line == "-- " or len(line) < 60:
            flowed.append(line if line == "-- " or line.startswith(">") else line.rstrip())
        else:
            pieces = textwrap.wrap(line, 60, break_on_hyphens=False, break_long_words=False)
            flowed.append(" \n".join(pieces))
    return "\n".join(flowed)


# --- the HTML ------------------------------------------------------------------------------------


def page_of(letter: EmailMessage) -> str:
    """What a program takes over of the letter's HTML."""
    part = letter.get_body(("html",))
    if part is None:
        return f"<pre>{escape(text_of(letter))}</pre>"
    html = str(part.get_content())
    inside = html.partition("<body")[2].partition(">")[2].rpartition("</body>")[0]
    return inside or html


def _html(
    shape: Shape,
    client: Client,
    letter: EmailMessage,
    head: str,
    signature: str,
    own_words: Sequence[str],
) -> str:
    words = "".join(f"<div>{escape(line)}</div>" for line in own_words)
    old = text_of(letter).split("\n")
    halves = (_lines(old[:3]), _lines(old[3:]))
    page = Page(
        above=words if shape.style in {"top", "alone"} else "",
        head=escape(head).replace("\n", "<br>"),
        letter="" if shape.style == "alone" else page_of(letter),
        below=words if shape.style in {"bottom", "inline"} else "",
        signature=escape(signature.removeprefix("-- \n")).replace("\n", "<br>"),
        halves=halves if shape.style == "inline" else ("", ""),
    )
    if shape.style == "alone":
        return f"<html><body>{words}<br>-- <br>{page.signature}</body></html>"
    assert client.page is not None, shape
    return client.page(page)


def _lines(lines: Sequence[str]) -> str:
    return "<br>\n".join(map(escape, lines))
