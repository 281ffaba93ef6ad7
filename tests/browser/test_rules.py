"""The rules on a phone and at a desk, in the light and in the dark: contents, search, pictures."""

from __future__ import annotations

from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from engine.core import LANGUAGES
from engine.registry import GAMES
from tests.browser.conftest import Site
from tests.kit.looks import serious_violations, sideways

pytestmark = pytest.mark.browser

PHONE = ViewportSize(width=360, height=740)
DESK = ViewportSize(width=1280, height=800)
LOADED = """async () => {
    const pictures = [...document.querySelectorAll('.scene img')];
    pictures.forEach(picture => { picture.loading = 'eager'; });
    await Promise.all(pictures.map(picture => picture.decode()));
    return pictures.length;
}"""
"""How many pictures there are; it fails if one cannot be shown."""


@pytest.mark.parametrize(
    ("name", "scheme", "viewport"),
    [
        ("iron_curtain", "light", PHONE),
        ("iron_curtain", "dark", DESK),
        ("east_and_west", "dark", PHONE),
        ("east_and_west", "light", DESK),
    ],
)
def test_the_rules_can_be_read(
    browser: Browser,
    site: Site,
    name: str,
    scheme: Literal["light", "dark"],
    viewport: ViewportSize,
) -> None:
    with browser.new_context(viewport=viewport, color_scheme=scheme) as context:
        page = context.new_page()
        page.goto(f"{site.address}/rules/{name}?lang=en&q=round")
        assert page.evaluate(LOADED) == len(GAMES[name].illustrations()) > 0
        expect(page.locator("#found")).to_be_visible()
        assert sideways(page) == 0
        assert serious_violations(page) == []


@pytest.mark.parametrize("name", GAMES)
def test_no_language_is_too_wide_for_a_phone(browser: Browser, site: Site, name: str) -> None:
    with browser.new_context(viewport=PHONE) as context:
        page = context.new_page()
        for language in LANGUAGES:
            page.goto(f"{site.address}/rules/{name}?lang={language}")
            assert sideways(page) == 0


def test_rows_of_wide_tables_stay_low_on_a_phone(browser: Browser, site: Site) -> None:
    with browser.new_context(viewport=PHONE) as context:
        page = context.new_page()
        page.goto(f"{site.address}/rules/iron_curtain?lang=en")
        rows = page.locator(".rules table").first.locator("tr").all()
        heights = [box["height"] for row in rows if (box := row.bounding_box())]
        assert len(heights) > 20
        assert max(heights) < 120, "some four lines"


@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
def test_the_glossary_is_one_press_into_the_contents(
    browser: Browser, site: Site, viewport: ViewportSize
) -> None:
    with browser.new_context(viewport=viewport) as context:
        page = context.new_page()
        page.goto(f"{site.address}/rules/iron_curtain?lang=en")
        if viewport == PHONE:
            page.locator(".folded summary").click()
        page.get_by_role("link", name="Glossary").click()
        assert is_in_sight(page, "Glossary")


def is_in_sight(page: Page, heading: str) -> bool:
    box = page.get_by_role("heading", name=heading).bounding_box()
    size = page.viewport_size
    assert box is not None and size is not None
    return 0 <= box["y"] < size["height"]
