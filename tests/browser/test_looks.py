"""The switch between light and dark, with and without script; drawings and print follow."""

from __future__ import annotations

from typing import Literal

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import Site
from tests.kit.looks import serious_violations, sideways

pytestmark = pytest.mark.browser

LIGHT, DARK = "rgb(253, 252, 248)", "rgb(22, 24, 28)"
LIGHT_BOARD, DARK_BOARD = "rgb(246, 245, 241)", "rgb(20, 23, 26)"


def paper(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def board(page: Page) -> str:
    script = "getComputedStyle(document.querySelector('.board svg .page')).fill"
    return str(page.evaluate(script))


@pytest.mark.parametrize("has_script", [True, False])
@pytest.mark.parametrize("device", ["light", "dark"])
def test_page_and_board_are_as_chosen_whatever_the_device_is(
    browser: Browser, site: Site, device: Literal["light", "dark"], has_script: bool
) -> None:
    with browser.new_context(
        color_scheme=device,
        java_script_enabled=has_script,
        viewport={"width": 360, "height": 740},
    ) as context:
        page = context.new_page()
        path = f"{site.address}/match/{site.match}"
        page.goto(path)
        usual = (LIGHT, LIGHT_BOARD) if device == "light" else (DARK, DARK_BOARD)
        assert (paper(page), board(page)) == usual
        for name, looks in (
            ("Dark", (DARK, DARK_BOARD)),
            ("Light", (LIGHT, LIGHT_BOARD)),
            ("As the device", usual),
        ):
            page.get_by_label("Light or dark").click()
            assert sideways(page) == 0
            with page.expect_response(lambda answer: answer.url.endswith("?look")):
                page.get_by_role("button", name=name, exact=True).click()
            page.get_by_role("button", name=name, exact=True).wait_for(state="hidden")
            page.wait_for_load_state()
            assert page.url == path
            assert (paper(page), board(page)) == looks
            page.goto(path)
            assert (paper(page), board(page)) == looks, "it is kept"


def test_the_switch_works_by_keyboard_and_keeps_what_was_typed(
    browser: Browser, site: Site
) -> None:
    with browser.new_context(color_scheme="light") as context:
        page = context.new_page()
        page.goto(f"{site.address}/you")
        page.get_by_label("Your email address").fill("ann@example.org")
        page.get_by_label("Light or dark").focus()
        page.keyboard.press("Enter")
        assert serious_violations(page) == []
        page.keyboard.press("Escape")
        assert not page.get_by_role("button", name="Dark").is_visible()
        page.keyboard.press("Enter")
        for _ in range(3):
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Dark").wait_for(state="hidden")

        assert paper(page) == DARK
        assert page.get_by_label("Your email address").input_value() == "ann@example.org"


def test_paper_is_white_whatever_was_chosen(browser: Browser, site: Site) -> None:
    with browser.new_context(color_scheme="dark") as context:
        page = context.new_page()
        page.goto(f"{site.address}/match/{site.match}")
        page.emulate_media(media="print")

        assert (paper(page), board(page)) == ("rgb(255, 255, 255)", LIGHT_BOARD)
        assert not page.locator(".places").is_visible()
