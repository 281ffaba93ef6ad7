"""Letters read as people and mail programs read them: text, page, links, footer."""

from __future__ import annotations

import re
from email.message import EmailMessage
from functools import cached_property
from html.parser import HTMLParser

from pbem.services.letters.kinds.registry import KINDS
from tests.mail.posting import BASE_URL, html_of, text_of

LINK = re.compile(r"https?://\S+")
WAY = re.compile(r"[^:/]+: ?https?://\S+")
"""A link of the footer: behind its words."""
RULER = "-" * 72
WIDTHS = {"turn_narrow": 40, "turn_campaign_told": 60}
"""Columns in letters to people who wish fewer than 72, by how their names begin."""
TURN_LINK = re.compile(rf"(?m)^{BASE_URL}/t/[^?\s]+$")
CAMPAIGN = "campaign_"


class Reading(HTMLParser):
    """What an HTML part holds: links, tags, words."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links, self.tags, self.words = list[str](), list[str](), list[str]()
        self.attributes: list[tuple[str, str]] = []
        self.shown = list[str]()
        """Words behind the head of the page."""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(key, value or "") for key, value in attrs]
        self.links += [value or "" for key, value in attrs if key == "href"]

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if "body" in self.tags:
            self.shown.append(data)


class Golden:
    """A golden letter by its name, each part of it read once for all tests."""

    def __init__(self, name: str, letter: EmailMessage) -> None:
        self.name, self.letter = name, letter

    @property
    def kind(self) -> str:
        return str(self.letter["X-PBEM-Kind"])

    @property
    def rule(self) -> str:
        """The line above its footer, as wide as the letter."""
        found = (width for name, width in WIDTHS.items() if self.name.startswith(name))
        return "-" * next(found, len(RULER))

    @property
    def is_of_match(self) -> bool:
        return self.letter["X-PBEM-Match"] is not None

    @cached_property
    def text(self) -> str:
        return text_of(self.letter)

    @cached_property
    def html(self) -> str:
        return html_of(self.letter)

    @cached_property
    def page(self) -> Reading:
        return Reading(self.html)

    @cached_property
    def footer(self) -> list[str]:
        """The lines below the last ruler; a head that had to be folded is one."""
        *_, footer = self.text.split(f"{self.rule}\n")
        lines = footer.strip("\n").split("\n")
        head = len(lines) - 2
        is_folded = self.rule != RULER and head > 1
        return [" ".join(lines[:head]), *lines[head:]] if is_folded else lines


def kind_of(name: str) -> str:
    """The kind of a golden letter; those of East & West are called after their campaign."""
    plain = name.removeprefix(CAMPAIGN).removeprefix("one_subject_")
    plain = plain.replace("inquiry", "turn_inquiry")
    return next(kind for kind in KINDS if plain == kind or plain.startswith(f"{kind}_"))
