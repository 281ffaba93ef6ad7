"""What players settle among themselves, in a browser: a move back, a rematch, notes, blocks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from pbem.db import store
from pbem.links import YouLink
from pbem.services.match import joining, matches
from pbem.services.players import blocks
from pbem.services.records.match_rows import get_match, open_turns
from pbem.services.seats import live_links
from tests.browser.conftest import Site
from tests.kit.looks import serious_violations, sideways
from tests.services.agreements.test_takebacks import play_a_turn
from tests.services.people import ANN, NOW, id_of, wanted

pytestmark = pytest.mark.browser


@pytest.fixture(params=[(360, "dark"), (1280, "light")], ids=["phone", "desk"])
def page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    width, scheme = request.param
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    yield context.new_page()
    context.close()


def seat_address(site: Site, seat: int) -> str:
    with store.connected():
        match = get_match(site.match)
        link = live_links.to_seat(match, match.seat(seat))
    return f"{site.address}/seat/{site.links.sign('act', link)}"


def looks_right(page: Page) -> None:
    assert sideways(page) == 0
    assert serious_violations(page) == []


def test_a_move_goes_back_by_a_press_on_each_side(page: Page, site: Site) -> None:
    with store.connected():
        seat = play_a_turn(site.match)
    page.goto(f"{seat_address(site, seat)}/takeback")
    looks_right(page)
    page.locator("button[value=ask]").click()
    page.goto(f"{seat_address(site, 1 - seat)}/takeback/agree")
    looks_right(page)
    page.locator("button[value=agree]").click()
    page.wait_for_load_state()
    with store.connected():
        assert get_match(site.match).timeline == 1
        assert [turn.seat for turn in open_turns(site.match)] == [seat]


def test_a_rematch_begins_by_a_press_on_each_side(page: Page, site: Site) -> None:
    with store.connected():
        matches.resign(site.match, 1, NOW)
    for seat in (0, 1):
        page.goto(seat_address(site, seat))
        looks_right(page)
        page.locator("a[href$='/rematch']").click()
        looks_right(page)
        page.locator("button[value=ask]").click()
        expect(page.get_by_role("status")).to_be_visible()
    with store.connected():
        assert store.rows("SELECT status FROM match WHERE rematch_of = ?", site.match) == [
            ("live",)
        ]


def test_notes_and_blocks_fit_a_phone(page: Page, site: Site) -> None:
    page.goto(f"{seat_address(site, 0)}/notes")
    page.locator("textarea").fill("hold Poland " * 20)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_be_visible()
    looks_right(page)
    page.goto(f"{seat_address(site, 0)}/block")
    looks_right(page)


def test_the_own_page_with_all_that_is_on_it(page: Page, site: Site) -> None:
    with store.connected():
        ann = id_of(ANN)
        match = matches.create(wanted(addresses={"usa": ANN, "ussr": None}), NOW)
        joining.confirmed(ann, NOW, match)
        blocks.block(ann, get_match(site.match).seat(1).player or 0, NOW)
    page.goto(f"{site.address}/you/{site.links.sign('you', YouLink(ann, NOW, 0))}")
    page.get_by_text("Withdraw this match").click()
    looks_right(page)
    page.locator("button[value=withdraw]").click()
    expect(page.get_by_role("status")).to_be_visible()
    with store.connected():
        assert get_match(match).status == "cancelled"
