"""What a player sees whom letters do not reach, and what the others see of it."""

from __future__ import annotations

from typing import Literal

import pytest
from playwright.sync_api import Browser, expect

from pbem.db import store
from pbem.services.letters import outbox
from pbem.services.seats import unreachable
from tests.browser.conftest import Site
from tests.browser.player import seat_path, turn_path
from tests.kit.looks import serious_violations, sideways, too_small
from tests.mail.posting import WORKER, Bag, office_with
from tests.services.inbox.bouncing import come_back, newest
from tests.services.people import BOB, NOW, id_of

pytestmark = pytest.mark.browser

ANNS, BOBS = 0, 1


@pytest.fixture
def lost(site: Site) -> Site:
    """Bob's letter has come back."""
    with store.connected():
        outbox.drain(office_with(Bag()), WORKER, NOW)
        come_back(newest(id_of(BOB)), "hard", NOW)
    return site


@pytest.mark.parametrize(("scheme", "width"), [("light", 360), ("dark", 1280)])
def test_the_way_back_fits_a_phone_and_a_desk(
    browser: Browser, lost: Site, scheme: Literal["light", "dark"], width: int
) -> None:
    bobs, anns = (seat_path(lost.links, lost.match, seat) for seat in (BOBS, ANNS))
    turn = turn_path(lost.links, lost.match)
    with browser.new_context(
        color_scheme=scheme, viewport={"width": width, "height": 800}, java_script_enabled=False
    ) as context:
        page = context.new_page()
        for path in (f"{bobs}/address", bobs, anns, turn):
            page.goto(f"{lost.address}{path}")
            assert sideways(page) == 0, path
            assert width > 360 or too_small(page) == [], path


def test_by_keyboard_from_the_turn_to_the_old_address_again(browser: Browser, lost: Site) -> None:
    with browser.new_context(viewport={"width": 360, "height": 740}) as context:
        page = context.new_page()
        page.goto(f"{lost.address}{turn_path(lost.links, lost.match)}")
        page.get_by_role("link", name="Eine andere Adresse verwenden").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text(
            "Unsere E-Mails erreichen dich nicht"
        )
        assert serious_violations(page) == []
        page.get_by_role("button", name="Meine Adresse funktioniert wieder").focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/seat/*")
        expect(page.get_by_text("erreichen dich nicht")).to_have_count(0)

    with store.connected():
        assert unreachable.since(id_of(BOB)) is None
