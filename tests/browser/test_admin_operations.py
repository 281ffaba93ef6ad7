"""Dashboard and operations in a real browser: fit on every screen, each act from its page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from pbem.db import store
from pbem.deadlines import DAY, HOUR
from pbem.services.letters import outbox
from pbem.services.operations import replay_check, statistics
from tests.browser.desk import Desk, Door, acts, served
from tests.mail.posting import Bag, office_with
from tests.services.people import NOW, sit_down

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


def a_busy_server() -> int:
    """Something of everything that the pages can show; the number of a dead letter."""
    with store.connected(), store.writing():
        sitting = sit_down(NOW)
        outbox.drain(office_with(Bag()), "w", NOW)
        for day in range(28):
            for turn in range(day % 9 + 1):
                at = NOW - NOW % DAY - day * DAY - HOUR
                store.execute(
                    "INSERT INTO turn (match_id, seat, opened_seq, closed_seq, opened_at,"
                    " closed_at, deadline_at) VALUES (?, 0, 0, 1, ?, ?, ?)",
                    sitting.match,
                    at - (turn + day) * HOUR,
                    at,
                    at,
                )
        statistics.gather(NOW)
        store.execute("UPDATE turn SET deadline_at = ? WHERE closed_seq IS NULL", NOW - 60)
        store.execute(
            "UPDATE outbox SET state = 'dead', last_error = '550 5.1.1 (address) unknown here'"
            " WHERE kind IN ('turn', 'started')"
        )
        store.execute(
            "INSERT INTO heartbeat (id, ticked_at, why, held_since) VALUES (1, ?, '', ?)"
            " ON CONFLICT (id) DO UPDATE SET held_since = excluded.held_since",
            NOW,
            NOW - 600,
        )
        store.execute(
            "INSERT INTO backup (at, name, size, sha256) VALUES (?, 'pbem-1.db', 123456, ?)",
            NOW - 3 * HOUR,
            "0123456789abcdef" * 4,
        )
        store.execute("UPDATE match SET rules_version = 99")
        replay_check.go_on(replay_check.begin("command line", NOW), lambda: NOW)
        store.execute("UPDATE match SET rules_version = 1")
        found = store.row("SELECT id FROM outbox WHERE kind = 'turn'")
    assert found is not None
    return int(found[0])


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1280, "light")])
def test_pages_are_quiet_fit_and_accessible(
    browser: Browser, door: Door, width: int, scheme: str
) -> None:
    desk = Desk(browser, viewport={"width": width, "height": 740}, color_scheme=scheme)
    desk.set_up(door)
    letter = a_busy_server()
    paths = ["", "operations", "operations/letters?state=dead", f"operations/letters/{letter}"]
    for path in paths:
        desk.page.goto(f"{door.address}/admin/{path}")
        desk.is_fit()
    desk.page.goto(f"{door.address}/admin/operations/maintenance")
    desk.press("Use your passkey")
    desk.shows("Maintenance")
    for path in ("maintenance", "keys", "clock", f"letters/{letter}/abort"):
        desk.page.goto(f"{door.address}/admin/operations/{path}")
        desk.is_fit()
    desk.page.goto(f"{door.address}/admin/")
    desk.page.get_by_text("The same as a table").first.click()
    expect(desk.page.get_by_role("cell", name="Jan 14, 2027")).to_be_visible()
    desk.is_fit()
    desk.context.close()


def test_from_the_dashboard_to_every_act(desk: Desk, door: Door) -> None:
    desk.set_up(door)
    a_busy_server()
    page = desk.page
    page.get_by_role("link", name="Dashboard").click()
    page.get_by_role("link", name="Time-outs are on hold: too many came at once.").click()
    desk.press("Use your passkey")
    desk.shows("Time")
    desk.press("Confirm that the clock is right")
    desk.shows("Operations")
    page.get_by_role("link", name="Stop all clocks").click()
    page.get_by_label("The reason (everyone reads it on every page)").fill("a new disk")
    desk.press("Stop all clocks")
    expect(page.get_by_role("status")).to_contain_text("a new disk")
    page.goto(f"{door.address}/")
    expect(page.get_by_role("status")).to_contain_text("All clocks are stopped")
    page.goto(f"{door.address}/admin/")
    page.get_by_role("link", name="Maintenance: all clocks are stopped.").click()
    desk.press("End the maintenance")
    expect(page.get_by_text("All clocks are running.")).to_be_visible()
    desk.press("Replay all matches")
    expect(page.get_by_text("matches replayed: 0 of 1.")).to_be_visible()
    page.get_by_role("link", name="Dashboard").click()
    page.get_by_role("link", name="emails failed").click()
    page.get_by_role("row").filter(has_text="turn").get_by_role("link").first.click()
    desk.press("Try again now")
    expect(page.get_by_text("Next attempt")).to_be_visible()
    page.get_by_role("link", name="Stop sending it").click()
    page.get_by_label("The reason").fill("the address is wrong")
    desk.press("Stop sending it")
    expect(page.get_by_text("given up by an operator: the address is wrong")).to_be_visible()

    assert acts()[2:] == [
        "step_up",
        "confirm_clock",
        "maintenance_on",
        "maintenance_off",
        "rehearse",
        "retry_letter",
        "abort_letter",
    ]
    assert desk.troubles == []
