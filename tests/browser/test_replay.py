"""A match played again in a browser: in one page by keys and a slider, by links without script."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from pbem.db import store
from tests.browser.conftest import Site
from tests.kit.looks import serious_violations, sideways
from tests.mail import campaign
from tests.services.people import NOW, play_to_the_end

pytestmark = pytest.mark.browser


@pytest.fixture
def address(site: Site) -> str:
    """A match of Iron Curtain that is over."""
    with store.connected():
        play_to_the_end(site.match, NOW)
    return f"{site.address}/match/{site.match}"


@pytest.fixture
def campaign_address(site: Site) -> str:
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
    context = browser.new_context(viewport={"width": width, "height": 720}, color_scheme=scheme)
    yield context.new_page()
    context.close()


def step(page: Page) -> int:
    said = page.locator("#told .note").inner_text()
    return int(re.findall(r"\d+", said)[0])


def asked_for(page: Page) -> list[str]:
    """Every request from here on."""
    found = list[str]()

    def note(request: Request) -> None:
        found.append(request.url)

    page.on("request", note)
    return found


def without_icon(requests: list[str]) -> list[str]:
    """A browser asks for the icon of its tab again whenever the address changes."""
    return [url for url in requests if not url.endswith("/static/mark.svg")]


def test_keys_slider_and_buttons_go_to_and_fro_without_another_request(
    page: Page, address: str
) -> None:
    page.goto(f"{address}/replay", wait_until="networkidle")
    requests = asked_for(page)
    boards = {page.locator("#stage").inner_html()}
    for _ in range(4):
        page.keyboard.press("ArrowRight")
        boards.add(page.locator("#stage").inner_html())
    assert step(page) == 4 and len(boards) > 3
    page.keyboard.press("ArrowLeft")
    assert step(page) == 3
    page.keyboard.press("End")
    last = step(page)
    assert last > 40
    expect(page.locator("#told")).to_contain_text("wins.")
    page.keyboard.press("ArrowRight")
    assert step(page) == last
    page.keyboard.press("Home")
    assert step(page) == 0
    page.keyboard.press("PageDown")
    expect(page.locator("#told h2")).to_have_text(re.compile("Round 1, turn 1: "))
    page.keyboard.press("PageDown")
    expect(page.locator("#told h2")).to_have_text(re.compile("Round 1, turn 2: "))
    page.keyboard.press("PageUp")
    expect(page.locator("#told h2")).to_have_text(re.compile("Round 1, turn 1: "))
    page.locator("#place").fill("20")
    assert step(page) == 20
    page.locator("#place").press("ArrowRight")
    assert step(page) == 21
    page.get_by_role("button", name="Next step").click()
    assert step(page) == 22
    expect(page).to_have_url(re.compile(r"\?step=22$"))
    assert without_icon(requests) == []


def test_a_frame_looks_as_the_page_that_begins_with_it(page: Page, address: str) -> None:
    page.goto(f"{address}/replay?eyes=all")
    for _ in range(9):
        page.keyboard.press("ArrowRight")
    by_script = page.locator("#stage").inner_html(), page.locator("#told").inner_html()
    page.goto(f"{address}/replay?eyes=all&step=9")
    assert (page.locator("#stage").inner_html(), page.locator("#told").inner_html()) == by_script


def test_other_eyes_keep_the_step(page: Page, address: str) -> None:
    page.goto(f"{address}/replay?step=7")
    assert page.get_by_role("heading", name="Hand of").count() == 0
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"\?step=8$"))
    page.locator(".eyes a", has_text="All sides").click()
    expect(page.locator(".open-hand")).to_have_count(2)
    assert step(page) == 8


def test_board_and_controls_are_in_sight_and_nothing_is_wider(page: Page, address: str) -> None:
    for eyes in ("", "?eyes=all"):
        page.goto(f"{address}/replay{eyes}")
        page.keyboard.press("End")
        assert sideways(page) == 0
        page.locator("#controls").scroll_into_view_if_needed()
        board = page.locator("#stage svg").first.bounding_box()
        controls = page.locator("#controls").bounding_box()
        assert board is not None and controls is not None
        assert controls["y"] + controls["height"] <= 720
        assert board["y"] >= 0 and board["width"] > 300


def test_axe_finds_nothing_serious(page: Page, address: str) -> None:
    page.goto(f"{address}/replay?eyes=all&step=10")
    page.locator(".turns summary").click()
    assert serious_violations(page) == []


def test_a_large_map_is_replayed_too(page: Page, campaign_address: str) -> None:
    page.goto(f"{campaign_address}/replay?turn=1", wait_until="networkidle")
    requests = asked_for(page)
    before = page.locator("#stage svg").inner_html()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("End")
    assert page.locator("#stage svg").inner_html() != before
    expect(page.locator("#told h2")).to_have_text("Round 1: USSR")
    assert sideways(page) == 0
    assert without_icon(requests) == []
    assert serious_violations(page) == []


def test_a_large_map_is_replayed_step_by_step_without_another_page(
    page: Page, campaign_address: str
) -> None:
    page.goto(f"{campaign_address}/replay", wait_until="networkidle")
    requests = asked_for(page)
    boards = set[str]()
    for wanted in range(1, 30):
        page.keyboard.press("ArrowRight")
        expect(page.locator("#told .note")).to_contain_text(f"Step {wanted} of")
        boards.add(page.locator("#stage").inner_html())
    assert len(boards) > 15
    parts = without_icon(requests)
    assert len(parts) == 2 and all("/replay/part/" in url for url in parts), parts
    page.keyboard.press("PageDown")
    expect(page.locator("#told .note")).not_to_contain_text("Step 29 of")
    page.locator("#place").fill("60")
    expect(page.locator("#told .note")).to_contain_text("Step 60 of")
    expect(page).to_have_url(re.compile(r"step=60$"))
    page.reload()
    expect(page.locator("#told .note")).to_contain_text("Step 60 of")
    assert sideways(page) == 0


def test_a_step_that_cannot_be_fetched_is_said_and_asked_for_again(
    page: Page, campaign_address: str
) -> None:
    page.goto(f"{campaign_address}/replay", wait_until="networkidle")
    page.route("**/replay/part/**", lambda route: route.abort())
    page.keyboard.press("ArrowRight")
    expect(page.locator("#told")).to_contain_text("could not be fetched")
    page.unroute("**/replay/part/**")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#told .note")).to_contain_text("Step 2 of")


def test_without_script_links_lead_from_step_to_step(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 720}, java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    page.get_by_role("link", name="Replay", exact=True).click()
    expect(page.locator("#controls")).to_be_hidden()
    page.get_by_role("link", name="Next turn").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("step 2 of")
    page.get_by_role("link", name="Next step").click()
    page.locator(".eyes a", has_text="USSR").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("step 3 of")
    page.get_by_role("link", name="Previous turn").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("step 2 of")
    expect(page.locator(".eyes [aria-current]")).to_have_text("USSR")
    assert sideways(page) == 0
    context.close()
