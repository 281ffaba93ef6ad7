"""A whole turn on an order sheet in a real browser: at a desk and on a phone, with and without
script, light and dark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import Browser, Locator, Page

from pbem.db import store
from pbem.services.match import drafts, match_log, turns
from pbem.services.records.match_rows import get_match, open_turns
from tests.browser.conftest import Site
from tests.browser.player import turn_path
from tests.kit.looks import serious_violations, sideways
from tests.services.people import NOW
from tests.services.powers import four_people

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

MOBILISED = ("buy 6 infantry", "place poland 3 infantry", "place east-germany 3 infantry", "done")
SEATS = [
    (1280, True, "light"),
    (360, True, "dark"),
    (1280, False, "dark"),
    (360, False, "light"),
]


class Presser:
    """Somebody who presses what the page shows, and counts how often."""

    def __init__(self, page: Page, has_script: bool) -> None:
        self.page, self.has_script, self.presses = page, has_script, 0
        self.troubles: list[str] = []
        page.on("console", lambda message: self.troubles.append(message.text))
        page.on("pageerror", lambda error: self.troubles.append(str(error)))

    @property
    def shown_with_script(self) -> Literal["visible", "hidden"]:
        return "visible" if self.has_script else "hidden"

    def press(self, selector: str, leaves: bool = False) -> None:
        """Whatever is pressed leads to a page or, with script, to a part of one."""
        what = self.page.locator(selector).first
        self.presses += 1
        if leaves or not self.has_script:
            with self.page.expect_navigation():
                self._click(what)
        else:
            self.page.evaluate("document.getElementById('turn').dataset.old = 'yes'")
            self._click(what)
            self.page.wait_for_selector("#turn:not([data-old])")
        assert sideways(self.page) == 0, selector

    def _click(self, what: Locator) -> None:
        """Spaces of the map may lie behind each other: they are pressed by the keyboard."""
        if what.evaluate(
            "one => one.ownerSVGElement !== null && one.ownerSVGElement !== undefined"
        ):
            what.focus()
            what.press("Enter")
        else:
            what.click()

    def unfold(self, form: str) -> None:
        """What is seldom needed is shown on demand, with and without script."""
        self.presses += 1
        self.page.locator(f"#fold-form-{form} summary").click()

    def fill(self, field: str, value: str) -> None:
        self.presses += 1
        self.page.locator(f"#in-{field}").fill(value)

    def choose(self, field: str, value: str) -> None:
        self.presses += 1
        self.page.locator(f"#in-{field}").select_option(value)

    def look(self) -> None:
        """axe is itself a script."""
        if self.has_script:
            assert serious_violations(self.page) == []


@pytest.fixture
def four(site: Site) -> str:
    """A match of four in which the USSR is about to buy and attack."""
    with store.connected():
        match = four_people()
        for orders in (MOBILISED, ("done",)):
            (turn,) = open_turns(match)
            turns.submit(turn.id, orders, NOW)
    return match


@pytest.fixture(params=SEATS, ids=[f"{w} {'script' if s else 'plain'} {c}" for w, s, c in SEATS])
def player(
    browser: Browser, site: Site, four: str, request: pytest.FixtureRequest
) -> Iterator[Presser]:
    width, has_script, scheme = request.param
    context = browser.new_context(
        viewport={"width": width, "height": 780},
        java_script_enabled=has_script,
        color_scheme=scheme,
    )
    presser = Presser(context.new_page(), has_script)
    presser.page.goto(f"{site.address}{turn_path(site.links, four)}")
    yield presser
    context.close()


def drafted(match: str) -> tuple[str, ...]:
    with store.connected():
        (turn,) = open_turns(match)
        return drafts.draft_of(turn.id)


def stop_of(match: str) -> tuple[str, str]:
    with store.connected():
        turn = match_log.current(get_match(match)).board.turn
    return turn.power, turn.stop


def test_a_whole_turn_by_clicks(player: Presser, four: str) -> None:
    player.press("#stage-purchases")
    player.page.locator("[data-for]").first.wait_for(state=player.shown_with_script)
    size = player.page.viewport_size
    assert size is not None
    if size["width"] > 1000:  # phones have no wheel to be told of
        player.page.locator(".scripted").first.wait_for(state=player.shown_with_script)
    player.fill("buy-infantry", "3")
    player.press("#do-buy")
    player.look()
    attacked_from = player.presses
    player.press("#stage-attack")
    player.press(".map #east-germany")
    player.press(".map #west-germany")
    player.press("#do-move")
    assert player.presses - attacked_from <= 5, "an attack takes at most five presses"
    player.press("#stage-attack")
    player.press("a[href*='at=karelia']")
    player.fill("voyage-infantry", "2")
    player.choose("voyage-way", "barents-sea barents-sea norway")
    player.press("#do-voyage")
    player.look()
    struck_from = player.presses
    player.press("#stage-attack")
    player.press("a[href*='at=russia']")
    player.unfold("raid")
    player.choose("raid-to", "france")
    player.look()
    player.press("#do-raid")
    assert player.presses - struck_from <= 5, "so does an air strike on a factory"
    player.press("#stage-attack")
    player.press("a[href*='at=poland']")
    player.press(".map #north-sea")
    player.press("#do-move")
    orders = ["buy", "move", "load", "land", "raid", "move"]
    assert [order.split()[0] for order in drafted(four)] == orders
    assert drafted(four)[4:] == ("raid russia france 1", "move poland north-sea 1 fighter")
    strikes = player.presses - struck_from
    player.press("#stage-battles")
    assert "raid on the factory in France" in player.page.locator("#panel-raids").inner_text()
    player.look()

    player.press("#do-finish")
    assert player.page.locator("#last-look").is_visible()
    player.look()
    player.press("#send", leaves=True)
    assert stop_of(four) == ("ussr", "logistics")
    battles = player.page.locator("#results .battle")
    summaries = player.page.locator("#results .battle summary").all_inner_texts()
    assert [re.split(" \\(| taken|;", told)[0] for told in summaries] == [
        "USSR bombs the factory in France",
        "North Sea",
        "Norway",
        "West Germany",
    ]
    assert [one.get_attribute("open") is not None for one in battles.all()] == [
        *[False] * 3,
        True,
    ]
    assert "West Germany, round 1" in battles.last.inner_text()
    battles.nth(1).locator("summary").click()
    assert "USSR, 1 fighter at " in battles.nth(1).inner_text()
    player.look()

    player.press("#stage-moves")
    player.press("a[href*='at=ukraine']")
    player.fill("move-infantry", "1")
    player.choose("move-to", "romania")
    player.press("#do-move")
    player.press("#stage-placement")
    player.press("a[href*='at=russia']")
    player.fill("place-infantry", "3")
    player.press("#do-place")
    player.press("#do-finish")
    player.press("#send", leaves=True)
    assert stop_of(four) == ("we", "intelligence")
    assert player.presses - strikes < 30, "without the air strikes fewer than thirty"
    assert player.troubles == []


def test_taking_back_and_a_refusal(player: Presser, four: str) -> None:
    player.press("#stage-purchases")
    player.fill("buy-infantry", "3")
    player.press("#do-buy")
    player.press(".draft button")
    assert drafted(four) == ()
    player.page.locator("#written-orders summary").click()
    player.page.locator("#written").fill("buy 2 infantry\nbuy 900 infantry")
    player.press("#compose")
    player.troubles.clear()  # chromium notes the status 400 of what was refused
    assert player.page.locator(".answers .bad").count() == 1
    assert player.page.locator("#written").input_value() == "buy 2 infantry\nbuy 900 infantry"
    player.look()
    player.page.locator("#written").fill("buy 2 infantry")
    player.press("#compose")
    assert drafted(four) == ("buy 2 infantry",)
    assert player.troubles == []


def test_odds_come_while_numbers_are_typed_and_back_goes_back(
    browser: Browser, site: Site, four: str
) -> None:
    page = browser.new_context(viewport={"width": 1280, "height": 780}).new_page()
    page.goto(f"{site.address}{turn_path(site.links, four)}")
    player = Presser(page, True)
    player.press("#stage-attack")
    player.press(".map #east-germany")
    player.press(".map #west-germany")
    before = page.locator("#outlook-move").inner_text()
    page.locator("[data-for='in-move-infantry'][data-step='-1']").click()
    page.wait_for_function(
        "before => document.getElementById('outlook-move').innerText !== before", arg=before
    )
    assert page.locator("#in-move-infantry").input_value() == "12"
    assert drafted(four) == ()
    page.evaluate("document.getElementById('turn').dataset.old = 'yes'")
    page.go_back()
    page.wait_for_selector("#turn:not([data-old])")
    assert "to=" not in page.url and "at=east-germany" in page.url
    assert page.locator("#title-from").inner_text() == "East Germany"
    assert player.troubles == []
    page.context.close()


def test_each_press_on_a_phone_shows_what_comes_next(
    browser: Browser, site: Site, four: str
) -> None:
    """Below the map, above the button at the bottom, and with the focus where it helps."""
    page = browser.new_context(viewport={"width": 360, "height": 740}).new_page()
    page.goto(f"{site.address}{turn_path(site.links, four)}")
    player = Presser(page, True)
    player.press("#stage-attack")
    is_next_in_view(page, "#title-origins")
    player.press("#way-origins-1")
    is_next_in_view(page, "#title-from")
    player.press("#stage-attack")
    player.press("a.button:has-text('East Germany')")
    is_next_in_view(page, "#title-from")
    assert page.evaluate("document.activeElement.id") == "title-from"
    page.evaluate("scrollTo(0, 0)")
    player.press(".map #poland")
    is_next_in_view(page, "#title-from")
    assert page.evaluate("document.activeElement.id") == "poland"
    player.press("a.button:has-text('to West Germany')")
    is_next_in_view(page, "#form-move h4")
    player.press("#do-move")
    assert page.evaluate("document.activeElement.id") == "title-origins"
    assert player.troubles == []
    page.context.close()


def test_send_is_in_view_however_much_there_is_to_think_of(
    browser: Browser, site: Site, four: str
) -> None:
    attacks = ("east-germany west-germany", "georgia turkey", "yugoslavia greece")
    with store.connected():
        (turn,) = open_turns(four)
        orders = [f"move {attack} 1 infantry" for attack in attacks]
        with store.writing():
            drafts.compose(get_match(four), turn, [*orders, "done"], None, NOW)
    page = browser.new_context(viewport={"width": 360, "height": 640}).new_page()
    page.goto(f"{site.address}{turn_path(site.links, four)}")
    assert page.locator(".send .reminders li").count() == len(attacks) + 1
    box = page.locator("#send").bounding_box()
    assert box and 0 < box["y"] < box["y"] + box["height"] <= 640
    page.context.close()


def is_next_in_view(page: Page, heading: str) -> None:
    """With room for a form below it."""
    above = page.locator(".map").bounding_box()
    below = page.locator("#form-finish").bounding_box()
    found = page.locator(heading).bounding_box()
    assert above and below and found
    assert above["y"] + above["height"] <= found["y"] <= below["y"] - 150
