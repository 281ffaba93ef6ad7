"""A whole match in a real browser, by clicking: with script at a desk, without it on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from pbem.db import store
from pbem.links import TurnLink, order_code
from pbem.services.match import link_orders, match_log, turns
from pbem.services.records.match_rows import OVER, get_match, open_turns
from tests.browser.conftest import Site
from tests.browser.player import Player, seat_path, turn_path
from tests.kit.looks import serious_violations, sideways
from tests.services.people import compose, play_to_the_end

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 740}}


def a_page(browser: Browser, **options: Any) -> Page:
    return browser.new_context(**options).new_page()


@pytest.mark.parametrize(
    ("has_script", "place"), [(True, DESK), (False, PHONE)], ids=["desk", "phone without script"]
)
def test_a_whole_match_by_clicking(
    browser: Browser, site: Site, has_script: bool, place: dict[str, Any]
) -> None:
    # axe needs script of its own, so that pages without script are looked at by the test below
    page = a_page(browser, java_script_enabled=has_script, **place)
    player = Player(page, b"clicking", has_script)
    while path := turn_path(site.links, site.match):
        player.take_turn(site.address + path)
    page.goto(f"{site.address}/match/{site.match}")
    with page.expect_download() as download:
        page.locator("a[download]").click()

    assert download.value.suggested_filename == f"pbem-{site.match}.json"
    with store.connected():
        assert get_match(site.match).status == OVER
    assert player.troubles == []
    page.context.close()


SCHEMES = [(360, "light"), (360, "dark"), (1280, "light"), (1280, "dark")]


@pytest.fixture(params=SCHEMES, ids=[f"{width} {scheme}" for width, scheme in SCHEMES])
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    width, scheme = request.param
    page = a_page(browser, viewport={"width": width, "height": 740}, color_scheme=scheme)
    yield page
    page.context.close()


def test_every_kind_of_page_is_quiet_fits_and_is_accessible(page: Page, site: Site) -> None:
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    for path in chain(live_pages(site), pages_at_the_end(site)):
        answer = page.goto(site.address + path)
        assert answer is not None
        if answer.status >= 400:  # chromium notes the status of the page itself
            troubles = [text for text in troubles if str(answer.status) not in text]
        assert sideways(page) == 0, path
        assert serious_violations(page) == [], path
    assert troubles == []


def live_pages(site: Site) -> Iterator[str]:
    """Pages while Bob is asked who begins, in the order in which they can be seen."""
    turn, order = turn_path(site.links, site.match), an_order_link(site)
    assert turn is not None
    seat = seat_path(site.links, site.match, 1)
    yield from (turn, order, seat, f"{seat}/resign", f"{seat}/draw", f"{seat}/revoke")
    yield from (f"{seat}/standing", f"{seat}/standing?prefix=standing+all")
    with store.connected():
        (record,) = open_turns(site.match)
        compose(record.id, ["first ussr"], 0)
        yield turn
        turns.submit(record.id, ["first ussr"], 0)
    yield turn  # the same player goes on
    yield f"{turn}?prefix=play"
    yield order  # played otherwise
    yield f"/match/{site.match}"
    yield f"/match/{site.match}/step/1"
    yield f"/match/{site.match}/replay"
    yield f"/match/{site.match}/download"  # not yet
    yield f"/t/{site.links.sign('turn', TurnLink(site.match, 1, record.id, 1))}"  # replaced
    yield "/t/nonsense"


def an_order_link(site: Site) -> str:
    with store.connected():
        match, (turn,) = get_match(site.match), open_turns(site.match)
        state = match_log.current(match)
        choice = link_orders.choices(match, state, match.seat(turn.seat).name)[0]
        code = order_code(match.secret, turn.id, choice.notation)
        link = TurnLink(match.id, turn.seat, turn.id, match.seat(turn.seat).epoch, code)
        return f"/o/{site.links.sign('order', link)}"


def pages_at_the_end(site: Site) -> Iterator[str]:
    with store.connected():
        play_to_the_end(site.match, 0)
    yield f"/match/{site.match}"
    yield f"/match/{site.match}/step/9?eyes=all"
    yield f"/match/{site.match}/replay?eyes=all"
    yield seat_path(site.links, site.match, 0)


def test_script_never_sends_orders_by_itself(browser: Browser, site: Site) -> None:
    page = a_page(browser, **DESK)
    path = turn_path(site.links, site.match)
    page.goto(f"{site.address}{path}")
    page.locator("#options button[name=order]").first.click()
    page.wait_for_selector("#send")
    page.wait_for_timeout(500)

    with store.connected():
        assert get_match(site.match).head_seq == 0
    page.context.close()


def test_pointing_at_a_choice_says_what_it_would_do(browser: Browser, site: Site) -> None:
    page = a_page(browser, **DESK)
    page.goto(f"{site.address}{turn_path(site.links, site.match)}")
    page.locator("#options button[name=order]").first.hover()
    page.wait_for_selector("#what-if:not([hidden]) li")

    assert "UdSSR bestimmt: USA beginnt Runde 1." in page.locator("#what-if").inner_text()
    page.context.close()


def test_a_turn_with_the_keyboard_alone(browser: Browser, site: Site) -> None:
    page = a_page(browser, **PHONE)
    page.goto(f"{site.address}{turn_path(site.links, site.match)}")
    tab_to(page, "button[name=order]")
    page.keyboard.press("Enter")
    page.wait_for_selector("#send")
    tab_to(page, "#send")
    with page.expect_navigation():
        page.keyboard.press("Enter")

    with store.connected():
        assert get_match(site.match).head_seq == 1
    page.context.close()


def tab_to(page: Page, selector: str) -> None:
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
            return
    raise AssertionError(f"the keyboard never reaches {selector}")
