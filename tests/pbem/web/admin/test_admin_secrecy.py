"""No hidden card on any page of moderators, with a hundred live matches of canaries."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask

from engine.chance import QuickDice
from engine.core import Seat
from engine.iron_curtain.game import IronCurtain
from pbem.db import store
from pbem.links import Links
from pbem.services.match import turns
from pbem.services.moderation.match_acts import ACTS
from pbem.services.staff.moderators import OPERATOR
from pbem.web.admin import matches as admin_matches
from pbem.web.shared import board_view
from tests.pbem.moderating import Visitor
from tests.pbem.table import Table, canary_deck
from tests.pbem.visiting import NOW
from tests.services.moderator_kit import Staff, with_password
from tests.services.people import an_order

MATCHES = 100
CANARY = re.compile(r"(?i)\bzq\w*canary\b")


@pytest.fixture
def mo(app: Flask) -> Staff:
    """An operator, to whom every page is open."""
    with store.connected():
        return with_password(role=OPERATOR)


def admin_pages(visitor: Visitor, start: str = "/admin/") -> dict[str, str]:
    """Every page that can be reached by links, and every act with its confirmation."""
    found: dict[str, str] = {}
    waiting = [start]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found[path] = visitor.get(path).text
        links = re.findall(r'href="(/admin/[^"#]*)"', found[path])
        waiting += [link.replace("&amp;", "&") for link in links]
    return found


def canaries(text: str) -> set[str]:
    return {word.lower() for word in CANARY.findall(text)}


def hidden(table: Table) -> set[str]:
    """Cards that no spectator has ever seen on the public page."""
    every: set[str] = set(IronCurtain().deck(table.state))
    return every - canaries(table.client.get(f"/match/{table.id}").text)


def begun(app: Flask, links: Links, number: int, choice: QuickDice) -> Table:
    """A match with cards of its own, some turns old."""
    table = Table(app.test_client(), links, {"deck": canary_deck(str(number))})
    with store.connected():
        for _ in range(number % 20):
            turn, order = an_order(table.id, choice)
            turns.submit(turn.id, [order], NOW)
    return table


@pytest.mark.whole
def test_no_page_of_moderators_names_a_hidden_card(
    stepped_up: Visitor, app: Flask, links: Links
) -> None:
    choice = QuickDice(b"canaries")
    tables = [begun(app, links, number, choice) for number in range(MATCHES)]
    secret = set[str]().union(*(hidden(table) for table in tables))
    assert all(table.is_live for table in tables)
    assert len(secret) > 5 * MATCHES

    pages = admin_pages(stepped_up)
    for table in tables:
        for entry in range(0, table.match.head_seq, 5):
            path = f"/admin/matches/{table.id}/rewind?entry={entry}"
            pages[path] = stepped_up.get(path).text

    assert len(pages) > MATCHES * len(ACTS)
    assert {f"/admin/{room}" for room in ("players", "reports", "operations")} <= pages.keys()
    assert {path: found for path, text in pages.items() if (found := canaries(text) & secret)} == {}


def test_the_search_would_notice_a_leak(
    inside: Visitor, app: Flask, links: Links, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same look at a page that shows a moderator the hand of the USA."""
    table = begun(app, links, 0, QuickDice(b"one"))

    def board_of(game: Any, state: Any, seat: None, is_over: bool) -> board_view.Board:
        return board_view.board_of(game, state, Seat("usa"), is_over)

    monkeypatch.setattr(admin_matches, "board_view", SimpleNamespace(board_of=board_of))
    assert canaries(inside.get(f"/admin/matches/{table.id}").text) & hidden(table)
