"""A map on a page: by plain links without script; by wheel, drag, pinch and keys with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask, render_template_string, request
from playwright.sync_api import Browser, Page

from engine.abilities import Arrow, BattleMark, Maps, Picture
from engine.chance import SealedDice
from engine.game import Game
from engine.registry import GAMES
from pbem.web.shared.map_view import map_shown
from tests.browser.conftest import Site
from tests.kit.looks import serious_violations, sideways

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

PAGE = """
{% extends "web/play/_layout.html" %}
{% import "web/_map.html" as maps with context %}
{% block title %}A map{% endblock %}
{% block main %}<h1>A map</h1>{{ maps.map(shown) }}<p>{{ at }}</p>{% endblock %}
"""
NARROWER = """
width => document.querySelector("svg[data-zoomable]").getAttribute("viewBox").split(" ")[2] < width
"""
SCHEMES = [(360, "light"), (360, "dark"), (1280, "light"), (1280, "dark")]


def with_map() -> Game[Any, Any, Any]:
    return next(game for game in GAMES.values() if isinstance(game, Maps))


@pytest.fixture
def app(app: Flask) -> Flask:
    game = with_map()
    view = game.view(game.new_game({}, SealedDice()).state, None)

    @app.get("/a-map")
    def a_map() -> str:
        zoom, at = request.args.get("zoom", ""), request.args.get("at", "")
        picture = Picture(
            zoom=zoom,
            link=f"?zoom={zoom}&at={{space}}",
            selected=at,
            arrows=(Arrow("ukraine", "turkey", 1, True),),
            battles=(BattleMark("turkey", 62),),
        )
        shown = map_shown(game, view, picture, lambda key: f"?zoom={key}")
        return render_template_string(PAGE, shown=shown, at=at)

    return app


@pytest.fixture
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    options = getattr(request, "param", {"viewport": {"width": 1280, "height": 900}})
    context = browser.new_context(**options)
    yield context.new_page()
    context.close()


def watched(page: Page) -> list[str]:
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    return troubles


def box(page: Page) -> list[float]:
    found = page.locator("svg[data-zoomable]").get_attribute("viewBox")
    assert found is not None
    return [float(number) for number in found.split()]


def middle(page: Page, space: str) -> tuple[float, float]:
    found = page.locator(f"#at-{space}").bounding_box()
    assert found is not None
    return found["x"] + found["width"] / 2, found["y"] + found["height"] / 2


LOOKS = [
    pytest.param(
        {"viewport": {"width": width, "height": 740}, "color_scheme": scheme},
        id=f"{width} {scheme}",
    )
    for width, scheme in SCHEMES
]


@pytest.mark.parametrize("page", LOOKS, indirect=True)
def test_a_map_fits_is_quiet_and_accessible(page: Page, site: Site) -> None:
    troubles = watched(page)
    for zoom in with_map().zooms():  # type: ignore[attr-defined]
        page.goto(f"{site.address}/a-map?zoom={zoom.key}")
        assert sideways(page) == 0
    assert serious_violations(page) == []
    assert troubles == []


@pytest.mark.parametrize(
    "page",
    [{"java_script_enabled": False, "viewport": {"width": 360, "height": 740}}],
    indirect=True,
)
def test_without_script_parts_and_spaces_are_plain_links(page: Page, site: Site) -> None:
    page.goto(f"{site.address}/a-map")
    page.get_by_role("link", name="Near East").click()
    assert box(page)[:2] == [1150, 830]
    page.mouse.click(*middle(page, "egypt"))
    page.wait_for_url("**/a-map?zoom=near-east&at=egypt")
    assert page.locator(".zooms [aria-current]").inner_text() == "Near East"


def test_the_wheel_zooms_where_the_pointer_is_and_out_again(page: Page, site: Site) -> None:
    page.goto(f"{site.address}/a-map?zoom=europe")
    whole = box(page)
    x, y = middle(page, "poland")
    page.mouse.move(x, y)
    page.mouse.wheel(0, -100)
    page.wait_for_function(NARROWER, arg=whole[2] - 1)
    assert box(page)[2] == pytest.approx(whole[2] / 1.3, abs=1)
    at = middle(page, "poland")
    assert abs(at[0] - x) < 3 and abs(at[1] - y) < 3, "it stays under the pointer"
    page.mouse.wheel(0, 100)
    page.wait_for_function(f"n => !({NARROWER})(n)", arg=whole[2] - 1)
    assert box(page) == pytest.approx(whole, abs=1)


def test_dragging_moves_the_map_and_presses_nothing(page: Page, site: Site) -> None:
    page.goto(f"{site.address}/a-map?zoom=europe")
    x, y = middle(page, "poland")
    page.mouse.move(x, y)
    page.mouse.wheel(0, -100)
    page.mouse.wheel(0, -100)
    page.wait_for_function(NARROWER, arg=900)
    before = box(page)
    page.mouse.down()
    page.mouse.move(x - 80, y - 40, steps=5)
    page.mouse.up()
    after = box(page)
    assert after[0] > before[0] and after[1] > before[1]
    assert page.url.endswith("?zoom=europe")
    page.mouse.click(*middle(page, "poland"))
    page.wait_for_url("**&at=poland")


def test_keys_zoom_at_what_has_the_focus_and_bring_it_into_sight(page: Page, site: Site) -> None:
    page.goto(f"{site.address}/a-map")
    whole = box(page)
    page.locator("#poland").focus()
    for _ in range(4):
        page.keyboard.press("+")
    near = box(page)
    assert near[2] < whole[2] / 2
    page.locator("#hawaii").focus()
    left, top, width, height = box(page)
    assert left <= 3367 <= left + width and top <= 1249 <= top + height
    page.keyboard.press("-")
    assert box(page)[2] > width
    page.keyboard.press("0")
    assert box(page) == pytest.approx(whole, abs=1)
    page.keyboard.press("Enter")
    page.wait_for_url("**&at=hawaii")


PINCH = """
() => {
  const picture = document.querySelector("svg[data-zoomable]");
  const {left, top, width, height} = picture.getBoundingClientRect();
  const touch = (kind, id, x, y) => picture.dispatchEvent(new PointerEvent(kind, {
    pointerId: id, pointerType: "touch", bubbles: true,
    clientX: left + width * x, clientY: top + height * y,
  }));
  touch("pointerdown", 1, 0.45, 0.5);
  touch("pointerdown", 2, 0.55, 0.5);
  for (const share of [0.6, 0.65, 0.7]) touch("pointermove", 2, share, 0.5);
  touch("pointerup", 1, 0.45, 0.5);
  touch("pointerup", 2, 0.7, 0.5);
}
"""


def test_two_fingers_zoom(page: Page, site: Site) -> None:
    page.goto(f"{site.address}/a-map?zoom=africa")
    whole = box(page)
    page.evaluate(PINCH)
    assert box(page)[2] < whole[2] / 2


def test_a_map_that_replaces_another_is_looked_at_in_the_same_way(page: Page, site: Site) -> None:
    page.goto(f"{site.address}/a-map?zoom=europe")
    page.locator("#poland").focus()
    page.keyboard.press("+")
    near = box(page)
    page.evaluate(
        """async () => {
          const page = await (await fetch(location.href)).text();
          const fresh = new DOMParser().parseFromString(page, "text/html").querySelector(".map");
          document.querySelector(".map").replaceWith(document.adoptNode(fresh));
          await new Promise((done) => setTimeout(done));
        }"""
    )
    assert box(page) == pytest.approx(near, abs=1)
