"""Lists of matches in a browser: on a phone and at a desk, light and dark."""

from __future__ import annotations

from typing import Literal

import pytest
from playwright.sync_api import Browser

from pbem.db import store
from tests.browser.conftest import Site
from tests.kit.looks import serious_violations, sideways
from tests.mail import campaign
from tests.pbem.web.front.test_showcase import play_until
from tests.services.people import NOW, play_to_the_end, sit_down

pytestmark = pytest.mark.browser
Scheme = Literal["light", "dark"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_lists_fit_the_window_and_every_picture_is_there(
    site: Site, browser: Browser, width: int, scheme: Scheme
) -> None:
    with store.connected():
        play_until(site.match, 6)
        campaign.begin(NOW)
        play_to_the_end(sit_down(NOW).match, NOW)
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    page.goto(f"{site.address}/watch")

    assert sideways(page) == 0
    pictures = page.locator(".watched img")
    assert pictures.count() == 3
    for picture in pictures.all():
        picture.scroll_into_view_if_needed()
        page.wait_for_function("image => image.complete", arg=picture.element_handle())
        assert picture.evaluate("image => image.naturalWidth") > 0
    assert serious_violations(page) == []
    page.get_by_role("link", name="East & West", exact=True).first.click()
    assert page.locator(".watched > li").count() == 1
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_a_players_page_fits_the_window(
    site: Site, browser: Browser, width: int, scheme: Scheme
) -> None:
    with store.connected():
        play_to_the_end(sit_down(NOW).match, NOW)
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    page.goto(f"{site.address}/match/{site.match}")
    page.get_by_role("link", name="Ann", exact=True).click()

    assert page.get_by_role("heading", level=1).inner_text() == "Ann"
    assert sideways(page) == 0
    for table in page.locator(".scroll").all():
        assert table.evaluate("one => one.scrollWidth - one.clientWidth") == 0
    assert serious_violations(page) == []
    context.close()
