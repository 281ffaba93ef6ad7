"""Moderators in a real browser that has an authenticator: setting up, logging in, stepping up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from pbem.db import store
from pbem.services.records import audit_log
from pbem.services.staff import one_time_codes
from pbem.services.staff.one_time_codes import STEP
from tests.browser.desk import Desk, Door, acts, served
from tests.services.moderator_kit import MO, PASSWORD
from tests.services.people import NOW

pytestmark = pytest.mark.browser


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    with served(tmp_path) as door:
        yield door


@pytest.fixture
def desk(browser: Browser) -> Iterator[Desk]:
    desk = Desk(browser)
    yield desk
    desk.context.close()


def test_a_passkey_from_set_up_to_step_up(desk: Desk, door: Door) -> None:
    desk.set_up(door)
    expect(desk.page.get_by_text("Passkey “phone”")).to_be_visible()
    desk.press("Log out")
    desk.shows("Log in")
    desk.page.goto(f"{door.address}/admin/audit")
    desk.press("Log in with a passkey")
    desk.shows("Audit log")
    desk.page.get_by_role("link", name="Dashboard").click()
    desk.page.get_by_role("link", name="Add or remove passkeys").click()
    desk.shows("Confirm your identity again")
    desk.press("Use your passkey")
    desk.shows("Your passkeys")

    assert acts() == ["add_moderator", "set_up", "logout", "login", "step_up"]
    assert desk.troubles == []


def test_a_link_is_used_once(desk: Desk, door: Door) -> None:
    desk.set_up(door)
    answer = desk.page.goto(door.setup)

    assert answer is not None and answer.status == 410
    desk.shows("No longer available")


def test_an_authenticator_that_does_not_know_its_user_is_refused(desk: Desk, door: Door) -> None:
    desk.set_up(door)
    desk.press("Log out")
    desk.verify_user(False)
    desk.press("Log in with a passkey")
    expect(desk.page.get_by_text("The passkey did not answer.")).to_be_visible()
    expect(desk.page.get_by_role("button", name="Log in with a passkey")).to_be_focused()
    desk.verify_user(True)
    desk.press("Log in with a passkey")
    desk.shows("Hello Mo")

    assert acts() == ["add_moderator", "set_up", "logout", "login"]


def test_a_second_passkey_is_not_made_on_the_same_device(desk: Desk, door: Door) -> None:
    desk.set_up(door)
    desk.page.goto(f"{door.address}/admin/passkeys")
    desk.press("Use your passkey")
    desk.press("Create a passkey")

    expect(desk.page.get_by_text("The passkey did not answer.")).to_be_visible()
    desk.press("Remove passkey phone")
    expect(desk.page.get_by_text("this is your only login")).to_be_visible()


def test_password_and_code_without_any_script(browser: Browser, door: Door) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(door.setup)
    secret = page.locator("input[name=secret]").get_attribute("value") or ""

    def code() -> str:
        return one_time_codes.code(secret, door.clock.now // STEP)

    expect(page.get_by_text("Passkeys need a browser with JavaScript.")).to_be_visible()
    page.get_by_label("New password").fill(PASSWORD)
    page.get_by_label("Six-digit code").fill(code())
    page.get_by_role("button", name="Set up the password").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Hello Mo")
    page.get_by_role("button", name="End all my sessions").click()
    door.clock.now += STEP
    page.get_by_label("Your email address").fill(MO)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Six-digit code").fill(code())
    page.get_by_role("button", name="Log in with a password").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Hello Mo")
    context.close()

    assert acts() == ["add_moderator", "set_up", "revoke_sessions", "login"]


def test_a_link_on_another_site_finds_who_is_inside(desk: Desk, door: Door) -> None:
    """The cookie is strict: it is held back at first, and the session must survive that."""
    desk.set_up(door)
    elsewhere = door.address.replace("localhost", "127.0.0.1")
    desk.page.goto(f"{elsewhere}/rules/iron_curtain")
    desk.page.evaluate(
        "address => { const link = document.createElement('a'); link.href = address;"
        " link.textContent = 'to the log'; document.body.prepend(link); }",
        f"{door.address}/admin/audit",
    )
    desk.page.get_by_role("link", name="to the log").click()
    desk.shows("Audit log")


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_quiet_fit_and_accessible(
    browser: Browser, door: Door, width: int, scheme: str
) -> None:
    desk = Desk(browser, viewport={"width": width, "height": 740}, color_scheme=scheme)
    desk.page.goto(door.setup)
    desk.is_fit()
    desk.set_up(door)
    with store.connected(), store.writing():
        audit_log.record(MO, "pause", "match abcdefghjk", "because " * 30, "Told. " * 30, {}, NOW)
    for path in ("", "audit", "audit?check=all", "step-up"):
        desk.page.goto(f"{door.address}/admin/{path}")
        desk.is_fit()
    desk.press("Use your passkey")
    desk.shows("Hello Mo")
    desk.page.goto(f"{door.address}/admin/passkeys")
    desk.is_fit()
    desk.press("Log out")
    desk.shows("Log in")
    desk.is_fit()
    desk.context.close()


def test_the_door_opens_by_keyboard_alone(desk: Desk, door: Door) -> None:
    desk.set_up(door)
    desk.press("Log out")
    desk.shows("Log in")
    button = desk.page.get_by_role("button", name="Log in with a passkey")
    for _ in range(10):
        desk.page.keyboard.press("Tab")
        if button.evaluate("one => one === document.activeElement"):
            break
    assert button.evaluate("one => getComputedStyle(one).outlineStyle") == "solid"
    desk.page.keyboard.press("Enter")
    desk.shows("Hello Mo")
