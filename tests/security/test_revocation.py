"""What old letters still open after their links were switched off."""

from __future__ import annotations

import re
from email.message import EmailMessage
from urllib.parse import urlsplit

import pytest

from tests.security.production import (
    BASE,
    Production,
    Seats,
    Visitor,
    link_of,
    links_of,
    sit_down,
    whose_turn,
)

pytestmark = pytest.mark.whole

PRIVATE = ("t", "o", "join", "confirm", "you", "seat", "stand", "calendar", "thread")
"""The first words of addresses that show or do something for one person."""
_TOKEN_LINK = re.compile(rf"(?:{re.escape(BASE)})?/(?:{'|'.join(PRIVATE)})/[\w.=-]+[\w./?=&%-]*")


def private_links(texts: list[str]) -> list[str]:
    """Every link in these texts that belongs to one person, once each."""
    found = {link for text in texts for link in _TOKEN_LINK.findall(text)}
    return sorted(link if link.startswith("https") else BASE + link for link in found)


def carried(letters: list[EmailMessage]) -> list[str]:
    return private_links([url for letter in letters for url in links_of(letter)])


def opens(visitor: Visitor, url: str) -> list[str]:
    """Everything a link leads to that still lives: itself, or links on the page it shows."""
    answer = visitor.get(url)
    assert answer.status < 500
    if answer.status == 200:
        return [url]
    return [link for link in private_links([answer.text]) if visitor.get(link).status == 200]


@pytest.fixture(scope="module")
def seats(server: Production) -> Seats:
    return sit_down(server, "revoked")


def test_an_old_letter_opens_nothing_after_its_links_were_switched_off(
    server: Production, seats: Seats
) -> None:
    """And the fresh links go to the mailbox, not to whoever has the old letters."""
    who, asked = whose_turn(server, seats)
    old, asked_before = server.letters(who), len(server.letters(who, "turn"))
    visitor = server.visitor()
    before = carried(old)
    assert {urlsplit(url).path.split("/")[1] for url in before} >= {"t", "o", "seat"}

    seat = next(url for url in before if urlsplit(url).path.startswith("/seat/"))
    visitor.press_only(f"{seat}/revoke")

    alive = {url: found for url in before if (found := opens(visitor, url))}
    assert alive == {}
    fresh = server.letter(who, "turn", number=asked_before + 1)
    assert visitor.get(link_of(fresh, "/t/")).status == 200


def test_the_own_page_renewed_leaves_no_way_in(server: Production, seats: Seats) -> None:
    mail, visitor = seats.ann, server.visitor()
    visitor.post(f"{BASE}/you", {"address": mail})
    own = link_of(server.letter(mail, "you"), "/you/")
    shown = private_links([visitor.get(own).text])
    before = sorted({*carried(server.letters(mail, "you")), *shown})

    visitor.post(own, {"do": "renew"})

    own_links = [url for url in before if urlsplit(url).path.startswith(("/you/", "/calendar/"))]
    assert own in own_links
    assert {url: found for url in own_links if (found := opens(visitor, url))} == {}
    fresh = server.letter(mail, "you", number=2)
    assert visitor.get(link_of(fresh, "/you/")).status == 200
