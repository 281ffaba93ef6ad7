"""The pages in a real browser: a phone and a desk, light and dark."""

from collections.abc import Iterator

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page

from engine.registry import GAMES
from pbem.db import store
from pbem.links import BoardLink, ConfirmLink, JoinLink, LeaveLink, Links, YouLink
from pbem.services.match import joining, matches
from pbem.services.records.match_rows import get_match, open_turns
from pbem.services.records.player_rows import get_player
from pbem.services.seats import live_links
from tests.kit.chromium import open_browser
from tests.kit.looks import serious_violations, sideways
from tests.kit.serving import served
from tests.kit.stores import on_sqlite
from tests.pbem.visiting import NOW
from tests.services.people import ANN, id_of, sit_down, wanted

pytestmark = [pytest.mark.browser, on_sqlite]  # how pages look is no matter of the store

PATHS = ["/", "/start", "/rules/chess", "/verify", "/dev/mailbox"] + [
    f"/rules/{name}" for name in GAMES
]


@pytest.fixture
def address(app: Flask) -> Iterator[str]:
    """Where the application is served on loopback."""
    with served(app) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture(params=[(360, "light"), (360, "dark"), (1280, "light"), (1280, "dark")])
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    width, scheme = request.param
    page = browser.new_page(viewport={"width": width, "height": 740}, color_scheme=scheme)
    yield page
    page.close()


@pytest.mark.parametrize("path", PATHS)
def test_a_page_is_quiet_fits_and_is_accessible(page: Page, address: str, path: str) -> None:
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("requestfailed", lambda request: troubles.append(request.url))
    answer = page.goto(address + path)

    assert answer is not None
    if answer.status == 404:  # chromium notes the status of the page itself
        troubles = [text for text in troubles if "404" not in text]
    assert troubles == []
    assert sideways(page) == 0
    assert serious_violations(page) == []


def test_the_way_in_is_quiet_fits_and_is_accessible(
    page: Page, address: str, app: Flask, links: Links
) -> None:
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(message.text))
    for path in ways_in(links):
        answer = page.goto(address + path)
        assert answer is not None and answer.status == 200
        assert troubles == [], path
        assert sideways(page) == 0, path
        assert serious_violations(page) == [], path


def ways_in(links: Links) -> list[str]:
    """Pages behind letters: confirming, an invitation, an open seat, one's own page, leaving."""
    with store.connected():
        sitting = sit_down(NOW)
        cy = "cy@example.org"
        invited = matches.create(wanted(addresses={"usa": ANN, "ussr": cy}), NOW)
        open_one = matches.create(wanted(addresses={"usa": ANN, "ussr": None}), NOW)
        joining.confirmed(sitting.ann, NOW)
        player = id_of(cy)
        (turn,) = open_turns(sitting.match)
        of_a_turn = live_links.from_turn(get_player(sitting.bob), get_match(sitting.match), turn)
    you = YouLink(sitting.bob, NOW, 0)
    word = LeaveLink(sitting.match, 1, NOW, NOW, NOW, NOW + 86_400, player)
    return [
        "/",
        f"/confirm/{links.sign('confirm', ConfirmLink(player, NOW))}",
        f"/join/{links.sign('join', JoinLink(invited, 1, player, NOW))}",
        f"/open/{open_one}",
        "/you",
        f"/you/{links.sign('you', of_a_turn)}",
        f"/you/{links.sign('you', you)}",
        f"/you/{links.sign('you', you)}/delete",
        f"/leave/{links.sign('leave', word)}",
        f"/mute/{links.sign('mute', you)}",
        f"/boards/{links.sign('boards', BoardLink(sitting.bob, NOW))}",
        f"/boards/{links.sign('boards', BoardLink(sitting.bob, NOW, 'typed', 60))}",
    ]


def test_a_match_is_started_by_clicking(browser: Browser, address: str, app: Flask) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 740}, java_script_enabled=False)
    page.goto(f"{address}/start")
    form = page.get_by_role("form", name="Start a match of Iron Curtain")
    form.get_by_label("Your email address").fill(ANN)
    form.get_by_label("Your name").fill("Ann")
    form.get_by_role("button", name="Start the match").click()

    assert page.get_by_role("heading", level=1).inner_text() == "Check your email"
    with store.connected():
        assert [m.status for m in matches.all_matches()] == ["forming"]
    page.close()


def test_the_scheme_of_the_machine_is_followed(browser: Browser, address: str) -> None:
    papers = set()
    for scheme in ("light", "dark"):
        page = browser.new_page(color_scheme=scheme)
        page.goto(address)
        papers.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        page.close()

    assert papers == {"rgb(253, 252, 248)", "rgb(22, 24, 28)"}


def test_a_wide_table_scrolls_in_its_own_box_by_keyboard(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 740})
    page.goto(f"{address}/rules/iron_curtain")
    box = page.locator(".reference .scroll").first
    page.evaluate("document.querySelector('.reference td').textContent = 'm'.repeat(200)")
    box.focus()
    page.keyboard.press("ArrowRight")
    for _ in range(100):  # not wait_for_function: it polls by eval, which our policy forbids
        if box.evaluate("box => box.scrollLeft") > 0:
            break
        page.wait_for_timeout(50)

    assert box.evaluate("box => box.scrollLeft") > 0
    assert sideways(page) == 0
    page.close()


def test_overflow_and_bad_contrast_would_be_seen(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 740})
    page.goto(address)
    page.evaluate(
        "document.querySelector('h1').textContent = 'm\\u00a0'.repeat(9) + 'm'.repeat(99)"
    )
    page.evaluate("document.querySelector('h1').setAttribute('class', 'reconstructed')")
    page.evaluate("document.querySelector('h1').style.whiteSpace = 'nowrap'")
    page.evaluate("document.querySelector('h1').style.color = '#eeeeee'")

    assert sideways(page) > 0
    assert any(rule.startswith("color-contrast") for rule in serious_violations(page))
    page.close()
