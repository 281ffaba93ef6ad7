"""Matches on other sites, in a browser: the frame, the code to copy, and what may not be framed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
from flask import Flask, request
from playwright.sync_api import Browser, BrowserContext, Frame

from pbem.db import store
from pbem.services.match import matches
from tests.browser.conftest import Site
from tests.kit.looks import serious_violations, sideways
from tests.kit.serving import served
from tests.services.people import NOW, play_to_the_end

pytestmark = pytest.mark.browser
Scheme = Literal["light", "dark"]
REFUSED = "chrome-error://chromewebdata/"


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """Another site, with a page that frames whatever it is asked to."""
    app = Flask("elsewhere")

    @app.get("/")
    def framing() -> str:
        width, address = request.args["width"], request.args["of"]
        return f'<title>Elsewhere</title><iframe src="{address}" width="{width}" height="640">'

    with served(app) as address:
        yield address


def framed(context: BrowserContext, elsewhere: str, address: str, width: int = 640) -> Frame:
    page = context.new_page()
    page.goto(f"{elsewhere}/?of={address}&width={width}")
    frame = page.frames[1]
    frame.wait_for_load_state()
    return frame


@pytest.mark.parametrize(("width", "scheme"), [(320, "light"), (640, "dark")])
def test_a_finished_match_is_shown_in_a_frame_of_another_site(
    site: Site, elsewhere: str, browser: Browser, width: int, scheme: Scheme
) -> None:
    with store.connected():
        play_to_the_end(site.match, NOW)
    context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme=scheme)
    frame = framed(context, elsewhere, f"{site.address}/match/{site.match}/embed", width)

    board = frame.locator("img")
    assert board.evaluate("image => image.naturalWidth") > 0
    box = board.bounding_box()
    assert box is not None and box["height"] > 200
    root = "document.documentElement"
    assert frame.evaluate(f"{root}.scrollWidth - {root}.clientWidth") == 0
    assert frame.get_by_role("heading", level=1).inner_text() == "Iron Curtain"
    assert context.cookies() == []
    with context.expect_page() as opened:
        frame.get_by_role("link", name="Look at the match step by step").click()
    assert opened.value.url == f"{site.address}/match/{site.match}/replay"
    context.close()


def test_no_other_page_is_shown_in_a_frame(site: Site, elsewhere: str, browser: Browser) -> None:
    with store.connected():
        matches.resign(site.match, 0, NOW)
    context = browser.new_context()
    for path in (f"/match/{site.match}", "/watch", "/"):
        assert framed(context, elsewhere, f"{site.address}{path}").url == REFUSED, path
    context.close()


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1280, "light")])
def test_the_code_to_copy_fits_the_page(
    site: Site, browser: Browser, width: int, scheme: Scheme
) -> None:
    with store.connected():
        matches.resign(site.match, 0, NOW)
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    page.goto(f"{site.address}/match/{site.match}")
    page.get_by_text("Show this match on your own site").click()
    code = page.get_by_label("Copy this into a page")

    assert code.input_value().startswith("<iframe ")
    assert not code.is_editable()
    assert sideways(page) == 0
    assert serious_violations(page) == []
    page.get_by_role("link", name="What it looks like").click()
    assert serious_violations(page) == []
    context.close()
