"""Every kind of page on a phone: nothing to scroll sideways, nothing too small to hit, a way on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page

from pbem.db import store
from pbem.links import Links
from pbem.services.match import matches
from tests.browser.player import seat_path, turn_path
from tests.kit.looks import TOUCH, sideways, too_small
from tests.kit.serving import served
from tests.pbem.table import Table
from tests.pbem.visiting import KEYS
from tests.pbem.web.shared.test_revocation import World
from tests.services.people import NOW
from tests.services.powers import USSR, four_people

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

PUBLIC = (
    *("/", "/start", "/watch", "/you", "/verify", "/no-such-page"),
    *("/try/iron_curtain", "/try/east_and_west", "/rules/iron_curtain"),
)
OF_A_SEAT = (
    *("", "/resign", "/draw", "/pause", "/lend", "/give_up", "/revoke", "/notes", "/block"),
    *("/standing", "/takeback"),
)
NO_PAGE = {"calendar", "moderator"}
"""Links that lead to no page of players."""


class Everything(NamedTuple):
    address: str
    paths: dict[str, str]
    """What each page is called here."""


@pytest.fixture
def everything(app: Flask) -> Iterator[Everything]:
    """A site on which a page of each kind can be opened."""
    links = Links(KEYS, "")
    world = World(app.test_client(), links)
    over = Table(app.test_client(), links)
    with store.connected():
        matches.resign(over.id, 0, NOW)
        four = four_people(NOW)
    paths = {path: path for path in PUBLIC}
    paths |= {kind: path for kind, path in world.paths.items() if kind not in NO_PAGE}
    paths |= {f"seat{act}": world.paths["act"] + act for act in OF_A_SEAT}
    paths |= {
        "delete": world.paths["you"] + "/delete",
        "open": f"/open/{world.forming}",
        "forming": f"/match/{world.forming}",
        "live": f"/match/{world.match}",
        "over": f"/match/{over.id}",
        "step": f"/match/{over.id}/step/0",
        "seat of a match that is over": over.seat_path(0),
        "rematch": over.seat_path(0) + "/rematch",
        "sheet": turn_path(links, four) or "",
        "allies": seat_path(links, four, USSR) + "/allies",
        "invite": seat_path(links, world.forming, USSR) + "/invite",
    }
    with served(app) as address:
        yield Everything(address, paths)


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    page = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True).new_page()
    yield page
    page.context.close()


def test_nothing_is_too_wide_or_too_small_and_every_page_leads_on(
    phone: Page, everything: Everything
) -> None:
    faults = dict[str, object]()
    for name, path in everything.paths.items():
        phone.goto(everything.address + path)
        ways = phone.locator("main a[href]:not([href^='#']), main form button").count()
        found = (sideways(phone), too_small(phone), ways > 0)
        if found != (0, [], True):
            faults[name] = found
    assert faults == {}


def test_what_is_too_small_is_found(phone: Page) -> None:
    phone.set_content(f'<button style="padding: 0; height: {TOUCH - 2}px">Go</button>')
    assert too_small(phone) == ['<button style="padding: 0; height: 42px">Go</button>: 42']
