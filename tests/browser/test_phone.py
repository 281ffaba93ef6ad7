"""The page of a turn on a phone and at a desk, with boards of any width: what is asked can be
answered without scrolling, and the board is in sight meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from engine.chance import QuickDice
from pbem.db import store
from pbem.services.match import match_log, turns
from pbem.services.records.match_rows import LIVE, get_match, open_turns
from tests.browser.conftest import Site
from tests.browser.player import turn_path
from tests.kit.looks import serious_violations, sideways
from tests.kit.wide_boards import Along, an_order, span
from tests.services.people import NOW, sit_down
from tests.services.powers import four_people

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

PHONE: ViewportSize = {"width": 360, "height": 740}
DESK: ViewportSize = {"width": 1280, "height": 800}
STOPS = (20, 44)
"""After how many orders the pages of a match are looked at."""


class Grown(NamedTuple):
    match: str
    longest: int
    """How long its board is."""


def grow(match: str, orders: int, along: Along, dice: QuickDice) -> Grown:
    """Play on until so many orders were given; a match that ends before makes room for another."""
    with store.connected():
        while (record := get_match(match)).head_seq < orders:
            if record.status != LIVE:
                match = sit_down(NOW).match
                continue
            (turn,) = open_turns(match)
            state = match_log.current(record)
            order = an_order(state, record.seat(turn.seat).name, dice, along)
            turns.submit(turn.id, [order], NOW + record.head_seq)
        if record.status != LIVE:  # its last order was the one that was wanted
            return grow(sit_down(NOW).match, orders, along, dice)
        state = match_log.current(record)
    return Grown(match, max(span(state, "columns"), span(state, "rows")))


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float


def box(page: Page, selector: str) -> Box:
    page.wait_for_load_state()  # what is there before its style sheet lies elsewhere
    found = page.locator(selector).first.bounding_box()
    assert found is not None, selector
    x, y, width, height = (found[name] for name in ("x", "y", "width", "height"))
    return Box(x, y, x + width, y + height)


BOXES = """(selectors) => selectors.map((one) => {
  const found = document.querySelector(one).getBoundingClientRect()
  return [found.left, found.top, found.right, found.bottom]
})"""


def boxes(page: Page, *selectors: str) -> list[Box]:
    """All at one moment: what a preview brings moves them together."""
    page.wait_for_load_state()
    return [Box(*found) for found in page.evaluate(BOXES, selectors)]


def is_inside(inner: Box, outer: Box) -> bool:
    """Half a pixel is nobody's loss."""
    return (
        inner.left >= outer.left - 0.5
        and inner.top >= outer.top - 0.5
        and inner.right <= outer.right + 0.5
        and inner.bottom <= outer.bottom + 0.5
    )


FIXED = """() => [...document.querySelectorAll('main *')].filter(
  (one) => getComputedStyle(one).position === 'fixed').length"""
"""What stays where it is when the page is scrolled."""
WANTED = "#options [data-word], #send"
"""The first choice, or the way to send what was chosen."""


def look(page: Page) -> None:
    """Nobody has scrolled, and all that is needed can be seen."""
    assert sideways(page) == 0
    assert page.evaluate("scrollY") == 0
    size = page.viewport_size
    assert size is not None
    bar, board, first, asked = boxes(page, ".choose", ".board svg", WANTED, "#asked")
    window = Box(0, 0, size["width"], size["height"])
    assert is_inside(first, window), "the first choice"
    assert is_inside(first, bar)
    assert is_inside(asked, window), "what is asked"
    if size["width"] == PHONE["width"]:
        assert is_inside(board, window._replace(bottom=bar.top)), "the board above the bar"
        assert bar.bottom == size["height"]
    else:
        assert is_inside(board, window), "the whole board"
        assert bar.left > board.right, "beside the board"
        assert bar.top < 200, "at the top"


def choose(page: Page, dice: QuickDice, has_script: bool) -> None:
    """One of those in sight: whoever goes further down has scrolled."""
    offered, size = page.locator("#options [data-word]"), page.viewport_size
    assert size is not None
    last = offered.evaluate_all(
        "(all, height) => all.filter((one) => one.getBoundingClientRect().bottom < height).length",
        size["height"],
    )
    chosen = offered.nth(dice.below(max(1, last)))
    if has_script:
        page.evaluate("document.getElementById('turn').dataset.old = 'yes'")
        chosen.click()
        page.wait_for_selector("#turn:not([data-old])")
    else:
        with page.expect_navigation():
            chosen.click()


@pytest.mark.parametrize(
    ("size", "has_script"),
    [(PHONE, True), (PHONE, False), (DESK, True)],
    ids=["phone", "phone without script", "desk"],
)
@pytest.mark.parametrize("along", ["columns", "rows", "chance"])
def test_the_board_and_what_is_asked_are_in_sight_while_choosing(
    browser: Browser, site: Site, along: Along, size: Any, has_script: bool
) -> None:
    page = browser.new_context(viewport=size, java_script_enabled=has_script).new_page()
    dice, grown = QuickDice(b"wide boards"), Grown(site.match, 0)
    for orders in STOPS:
        grown = grow(grown.match, orders, along, dice)
        page.goto(f"{site.address}{turn_path(site.links, grown.match)}")
        look(page)
        for _ in range(4):
            if page.locator("#send").count():
                break
            choose(page, dice, has_script)
            look(page)
    wanted = 4 if along == "chance" else 7
    for _ in range(20):  # as the cards are dealt: others lie in a longer row
        if grown.longest >= wanted:
            break
        with store.connected():
            fresh = sit_down(NOW).match
        grown = grow(fresh, STOPS[-1], along, dice)
        page.goto(f"{site.address}{turn_path(site.links, grown.match)}")
        look(page)
    page.context.close()
    assert grown.longest >= wanted


@pytest.fixture
def phone(browser: Browser, site: Site) -> Iterator[Page]:
    match = grow(site.match, 9, "chance", QuickDice(b"phone")).match
    page = browser.new_context(viewport=PHONE, has_touch=True).new_page()
    page.goto(f"{site.address}{turn_path(site.links, match)}")
    yield page
    page.context.close()


def test_a_tap_enlarges_the_board_and_another_shows_the_whole(phone: Page) -> None:
    whole = box(phone, ".board svg")
    phone.touchscreen.tap(whole.left + 4, whole.bottom - 4)
    large = box(phone, ".board svg")
    assert large.right - large.left > 2 * (whole.right - whole.left)
    assert sideways(phone) == 0
    assert is_inside(box(phone, ".board"), Box(0, 0, 360, box(phone, ".choose").top))
    phone.touchscreen.tap(box(phone, ".board").left + 4, box(phone, ".board").bottom - 4)
    assert box(phone, ".board svg") == whole


COVERED = """() => {
  const button = document.getElementById('enlarge').getBoundingClientRect();
  return [...document.querySelectorAll('.board svg text')].filter((words) => {
    const box = words.getBoundingClientRect();
    return box.right > button.left && box.left < button.right && box.bottom > button.top;
  }).map((words) => words.textContent);
}"""
"""Words of the board that lie under the button."""


def test_the_button_that_enlarges_covers_no_words(browser: Browser, site: Site) -> None:
    page = browser.new_context(viewport=PHONE).new_page()
    dice = QuickDice(b"phone")
    for orders in (0, 4, 8, 12):
        grow(site.match, orders, "chance", dice)
        page.goto(f"{site.address}{turn_path(site.links, site.match)}")
        assert page.evaluate(COVERED) == [], orders
    page.context.close()


def test_without_script_a_link_leads_to_the_large_board(browser: Browser, site: Site) -> None:
    page = browser.new_context(viewport=PHONE, java_script_enabled=False).new_page()
    page.goto(f"{site.address}{turn_path(site.links, site.match)}")
    whole = box(page, ".board svg")
    for wider in (True, False):
        with page.expect_navigation():
            page.locator("#enlarge").click()
        now = box(page, ".board svg")
        assert (now.right - now.left > 2 * (whole.right - whole.left)) is wider
        assert sideways(page) == 0
    page.context.close()


def test_a_card_of_the_hand_opens_its_text_above_the_bar(phone: Page) -> None:
    bar = box(phone, ".choose")
    cards = phone.locator(".hand .held")
    assert cards.count() >= 2
    for number in range(cards.count()):
        phone.locator(".held summary").nth(number).click()
        expect(phone.locator(".held[open]")).to_have_count(1)
        text = box(phone, ".held[open] p")
        assert is_inside(text, Box(0, 0, 360, bar.top))
    assert serious_violations(phone) == []


def test_at_a_desk_the_texts_of_the_hand_can_be_read_at_once(browser: Browser, site: Site) -> None:
    page = browser.new_context(viewport=DESK).new_page()
    page.goto(f"{site.address}{turn_path(site.links, site.match)}")
    texts = page.locator(".hand .held p")
    assert texts.count() == page.locator(".hand .held").count() > 0
    for text in texts.all():
        expect(text).to_be_visible()
    page.context.close()


def test_only_an_opened_card_says_what_is_known_of_it(browser: Browser, site: Site) -> None:
    """Notes on single cards, which have stars, stand in their details and not all over the play."""
    for viewport in (PHONE, DESK):
        page = browser.new_context(viewport=viewport).new_page()
        page.goto(f"{site.address}{turn_path(site.links, site.match)}")
        noted = page.locator(".hand .held", has=page.locator("small")).first
        assert "*" not in page.locator("main").inner_text()
        noted.locator("summary").click()
        expect(noted.locator("small")).to_be_visible()
        assert "*" in noted.locator("small").inner_text()
        page.context.close()


def test_a_note_goes_along_by_the_field_beside_send(phone: Page) -> None:
    dice = QuickDice(b"a note")
    while not phone.locator("#send").count():
        choose(phone, dice, has_script=True)
    phone.locator(".choose .enclosed summary").click()
    phone.locator("#note").fill("Good luck with that.")
    look(phone)
    with phone.expect_navigation():
        phone.locator("#send").click()
    assert phone.locator(".onward").is_visible(), "the page leads on"
    assert box(phone, ".onward").bottom < 740
    assert phone.evaluate(FIXED) == 0, "no bar where nothing is asked"
    with store.connected():
        ((text,),) = store.rows("SELECT text FROM message")
    assert text == "Good luck with that."


def test_the_map_and_the_end_of_a_step_stay_in_sight_on_an_order_sheet(
    browser: Browser, site: Site
) -> None:
    with store.connected():
        match = four_people(NOW)
    page = browser.new_context(viewport=PHONE, java_script_enabled=False).new_page()
    page.goto(f"{site.address}{turn_path(site.links, match)}")
    for down in (0, 700, 1400):
        page.evaluate("down => scrollTo(0, down)", down)
        bar = box(page, ".finish > .sheet-form")
        assert is_inside(box(page, ".map svg"), Box(0, 0, 360, bar.top))
        assert is_inside(box(page, ".finish button.main"), Box(0, 0, 360, 740))
        assert sideways(page) == 0
    page.context.close()


@pytest.mark.parametrize("has_script", [True, False])
def test_the_first_choice_of_an_order_sheet_is_in_sight(
    browser: Browser, site: Site, has_script: bool
) -> None:
    with store.connected():
        match = four_people(NOW)
    page = browser.new_context(viewport=PHONE, java_script_enabled=has_script).new_page()
    page.goto(f"{site.address}{turn_path(site.links, match)}")
    seen = Box(0, box(page, ".map svg").bottom, 360, box(page, ".finish > .sheet-form").top)
    assert is_inside(box(page, ".stages [aria-current]"), seen), "the step"
    assert is_inside(box(page, ".panel .stepper"), seen), "the first number to fill in"
    page.context.close()


def test_the_board_of_a_match_begins_in_the_first_screen(browser: Browser, site: Site) -> None:
    grow(site.match, 2, "chance", QuickDice(b"a match"))
    with store.connected():
        four = four_people(NOW)
        turns.submit(open_turns(four)[0].id, ["done"], NOW)
    page = browser.new_context(viewport=PHONE).new_page()
    for match, shown in ((site.match, ".board"), (four, ".map")):
        page.goto(f"{site.address}/match/{match}")
        assert box(page, f"{shown} svg").top < PHONE["height"] * 2 / 3, shown
        assert sideways(page) == 0
    page.context.close()
