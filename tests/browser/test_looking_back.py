"""The turns of a match in a browser: by the slider in place, and by links without script."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from pbem.db import store
from tests.browser.conftest import Site
from tests.kit.looks import serious_violations, sideways
from tests.mail import campaign
from tests.services.people import NOW

pytestmark = pytest.mark.browser


@pytest.fixture
def address(site: Site) -> str:
    """The recorded campaign, until Western Europe is asked in the second round."""
    with store.connected():
        campaign.begin(NOW)
        for seat, round, _asked in campaign.played(campaign.from_file(), lambda: NOW):
            if (seat, round) == ("we", 2):
                break
    return f"{site.address}/match/{campaign.MATCH}"


@pytest.fixture(params=[(360, "dark"), (1280, "light")], ids=["phone", "desk"])
def page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    width, scheme = request.param
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    yield context.new_page()
    context.close()


def test_the_slider_swaps_the_turn_in_place(page: Page, address: str) -> None:
    page.goto(address)
    page.evaluate("window.sameDocument = true")
    assert sideways(page) == 0
    before = page.locator(".map").inner_html()
    page.locator("#turn-shown").fill("1")
    expect(page.locator("#past h3").first).to_have_text("Round 1: USSR")
    expect(page.locator("#turn-said")).to_have_text("Round 1: USSR")
    assert page.locator(".map").inner_html() != before
    page.get_by_role("link", name="Next turn").click()
    expect(page.locator("#past h3").first).to_have_text("Round 1: Western Europe")
    expect(page.locator("#turn-shown")).to_have_value("2")
    assert page.url.endswith("?turn=2")
    assert page.evaluate("window.sameDocument")
    page.locator(".zooms a").last.click()
    expect(page).to_have_url(f"{address}?turn=2&zoom=australia")
    assert sideways(page) == 0


def test_an_arrow_key_goes_to_the_turn_before(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("#turn-shown").press("ArrowLeft")
    expect(page.locator("#past h3").first).to_have_text("Round 1: USA")


def test_axe_finds_nothing_serious(page: Page, address: str) -> None:
    page.goto(f"{address}?turn=1")
    for summary in page.locator(".battle summary, .turns summary").all():
        summary.click()
    assert page.locator(".battle").count() > 0
    assert serious_violations(page) == []


def test_plots_are_as_wide_as_the_page(page: Page, address: str) -> None:
    page.goto(address)
    for plot in page.locator(".plots svg").all():
        box = plot.bounding_box()
        assert box is not None
        assert box["width"] > 250
        assert box["x"] + box["width"] <= page.evaluate("innerWidth")


def test_without_script_links_and_the_button_do_it(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 800}, java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    page.get_by_role("link", name="Previous turn").click()
    expect(page.locator("#past h3").first).to_have_text("Round 1: USA")
    page.locator("#turn-shown").press("ArrowLeft")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("#past h3").first).to_have_text("Round 1: United Kingdom")
    page.get_by_text("All turns").click()
    page.get_by_role("link", name="The mobilisation").click()
    expect(page.locator("#past h3").first).to_have_text("The mobilisation")
    context.close()
