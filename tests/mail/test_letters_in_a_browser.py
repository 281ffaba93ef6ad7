"""HTML letters in a real browser: light, dark, on a phone; and what axe thinks of them."""

from __future__ import annotations

from collections.abc import Iterator
from email.message import EmailMessage
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from engine.core import LANGUAGES
from engine.iron_curtain.deck import USA
from tests.kit.chromium import open_browser
from tests.kit.wide_boards import GAME, Along, grown, span
from tests.mail.posting import html_of

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


def violations(page: Page) -> list[str]:
    found: list[dict[str, Any]] = Axe().run(page).response["violations"]
    return [f"{v['id']}: {v['nodes'][0]['html'][:100]}" for v in found]


def sideways(page: Page) -> int:
    """By how many pixels the letter is wider than the window."""
    wide: int = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return wide


@pytest.mark.parametrize(
    "name",
    [
        "confirm",
        "invitation",
        "started",
        "turn_some",
        "turn_many",
        "receipt",
        "finished",
        "message",
        "reminder_several",
        "reminder_daily",
        "late",
        "claim",
        "away_booked",
        "stand_in",
        "briefing",
        "receipt_by_clock",
    ],
)
def test_a_letter_fits_is_quiet_and_can_be_read_by_all(
    name: str, named: dict[str, EmailMessage], browser: Browser
) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 740})
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(message.text))
    page.on("request", lambda request: troubles.append(request.url))
    page.set_content(html_of(named[name]))
    assert sideways(page) == 0
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page) == []
    page.set_viewport_size({"width": 1280, "height": 740})
    assert sideways(page) == 0
    assert troubles == []
    page.close()


# --- boards ---------------------------------------------------------------------------------------

STICKING_OUT = """() => [...document.querySelectorAll('body *')].filter((one) => {
  const box = one.getBoundingClientRect();
  return box.right > innerWidth + 0.5 || box.left < -0.5 || one.scrollWidth > one.clientWidth + 1
    && getComputedStyle(one).overflowX !== 'visible';
}).map((one) => one.outerHTML.slice(0, 120))"""
"""What is cut off at the side, or can only be seen by moving something sideways."""


def test_every_letter_shows_the_whole_of_itself_on_a_phone(
    named: dict[str, EmailMessage], browser: Browser
) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 740})
    with_board = 0
    for name, letter in named.items():
        html = html_of(letter)
        with_board += 'role="group"' in html or "cid:" in html
        page.set_content(html)
        sticking_out = page.evaluate(STICKING_OUT)
        if name.startswith("checkup"):  # its reader is to see that sixty columns are too many
            assert [found[:4] for found in sticking_out] == ["<pre", "<pre"], name
        else:
            assert sticking_out == [], name
    page.close()
    assert with_board > 10


@pytest.mark.parametrize("along", ["columns", "rows", "chance"])
def test_a_board_of_any_width_is_whole_on_a_phone(
    along: Along, named: dict[str, EmailMessage], browser: Browser
) -> None:
    letter = html_of(named["turn_many"])
    assert "<main>" in letter
    page = browser.new_page(viewport={"width": 360, "height": 740})
    for seed, language in zip((b"1", b"2", b"3"), LANGUAGES, strict=True):
        position = grown(seed, 45, along)
        assert along == "chance" or span(position, along) >= 8
        board = GAME.markup(GAME.view(position, USA), language)
        page.set_content(letter.replace("<main>", f"<main>{board}"))
        assert page.evaluate(STICKING_OUT) == []
        seen = page.locator("td[title]:visible").count()
        assert seen >= len(position.table), "every card can be seen"
    page.close()


def test_a_letter_follows_the_scheme_of_the_machine(
    named: dict[str, EmailMessage], browser: Browser
) -> None:
    papers = []
    for scheme in ("light", "dark"):
        page = browser.new_page(color_scheme="dark" if scheme == "dark" else "light")
        page.set_content(html_of(named["turn_many"]))
        papers.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        page.close()

    assert papers == ["rgb(246, 245, 241)", "rgb(20, 23, 26)"]
