"""As a newcomer: from the first page to a move against the computer, counted and timed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from pbem import worker
from pbem.app import create_app
from pbem.config import Config
from pbem.db import store
from pbem.services.match import match_log
from tests.browser.conftest import Site
from tests.browser.test_phone import box
from tests.kit.looks import serious_violations, sideways
from tests.kit.serving import served
from tests.pbem.visiting import KEYS

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

LONGEST = 10.0
"""Seconds from the first look to the next turn, with the answer of the computer between."""
WIDTHS = [360, 1280]


@pytest.fixture
def address(sqlite_store: str, tmp_path: Path) -> Iterator[str]:
    """A site with its worker, both by the clock of this machine."""
    config = Config(database_url=sqlite_store, secret_keys=KEYS, mailbox=tmp_path / "mailbox")
    with served(create_app(config)) as address, worker.in_background(config):
        yield address
    if not store.database.is_closed():
        store.database.close()


def opened(browser: Browser, **options: Any) -> Page:
    return browser.new_context(**options).new_page()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("has_script", [True, False], ids=["script", "no script"])
@pytest.mark.parametrize("game", ["iron_curtain", "east_and_west"])
def test_two_clicks_and_ten_seconds(
    browser: Browser, address: str, game: str, has_script: bool, width: int
) -> None:
    page = opened(browser, viewport={"width": width, "height": 740}, java_script_enabled=has_script)
    begun, clicks = time.monotonic(), 0
    page.goto(f"{address}/")
    page.locator(f'form[action="/try/{game}"] button').first.click()
    clicks += 1
    first = page.url
    page.locator(".practice .quick button").first.click()
    clicks += 1
    if game == "iron_curtain":  # in the other game the turn has three more stops
        page.wait_for_url(lambda url: "/t/" in url and url != first, timeout=1000 * LONGEST)
    page.wait_for_selector("#turn")
    took = time.monotonic() - begun

    assert clicks == 2
    assert took < LONGEST
    assert _moves() >= 1, "the order of the second click is in the log"
    page.context.close()


def _moves() -> int:
    with store.connected():
        ((match,),) = store.rows("SELECT id FROM match")
        entries = match_log.entries(match)
        return sum(entry.kind == "action" and entry.actor == "ussr" for entry in entries)


@pytest.mark.parametrize(
    ("game", "drawing", "bar"),
    [
        ("iron_curtain", ".board svg", ".choose"),
        ("east_and_west", ".map svg", ".finish > .sheet-form"),
    ],
)
def test_on_a_phone_the_board_and_below_it_the_remark_are_in_sight(
    browser: Browser, address: str, game: str, drawing: str, bar: str
) -> None:
    page = opened(browser, viewport={"width": 360, "height": 740})
    page.goto(f"{address}/try/{game}")
    page.locator("#play").click()
    page.wait_for_selector(".practice .remark")
    board, remark, top = box(page, drawing), box(page, ".practice .remark"), box(page, bar).top
    assert 0 <= board.top < board.bottom <= remark.top < top
    page.context.close()


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1280, "dark")])
def test_the_pages_fit_and_can_be_used_by_everybody(
    browser: Browser, address: str, width: int, scheme: Any
) -> None:
    page = opened(browser, viewport={"width": width, "height": 740}, color_scheme=scheme)
    seen = list[str]()

    def look(name: str) -> None:
        assert serious_violations(page) == [], name
        assert not sideways(page), name
        seen.append(name)

    for game in ("iron_curtain", "east_and_west"):
        page.goto(f"{address}/try/{game}")
        page.locator("form.card summary").click()
        look(f"try {game}")
        page.locator("#play").click()
        page.locator(".keep summary").click()
        look(f"turn {game}")
    page.goto(f"{address}/try/iron_curtain")
    page.locator("form.card summary").click()
    page.select_option("#seat", "usa")
    page.locator("#play").click()
    page.wait_for_selector(".practice")
    page.locator(".keep summary").click()
    page.locator("#keep-address").fill("ann@example.org")
    page.locator(".keep button").click()
    look("address left")
    assert len(seen) == 5
    page.context.close()


def test_after_a_move_the_first_screen_of_a_phone_says_that_the_computer_thinks(
    browser: Browser, site: Site
) -> None:
    """Nobody works here, so it thinks for ever."""
    page = opened(browser, viewport={"width": 360, "height": 740})
    page.goto(f"{site.address}/try/iron_curtain")
    page.locator("#play").click()
    page.locator(".practice .quick button").first.click()
    thinking, story = box(page, "#thinking"), box(page, "h2")

    assert thinking.bottom < story.top < 740
    assert not page.locator(".draft").is_visible(), "words come first, orders are folded"
    page.context.close()
