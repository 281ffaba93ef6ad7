"""Reports in a real browser: from the link of a letter to the answer; and breaking the glass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from pbem.db import store
from pbem.links import Links, ReportLink
from pbem.services.letters import outbox
from pbem.services.match import messages
from tests.browser.desk import Desk, Door, acts, served
from tests.mail.posting import WORKER, Bag, office_with, text_of
from tests.pbem.visiting import KEYS
from tests.services.people import ANN, BOB, NOW, Sitting, sit_down

pytestmark = pytest.mark.browser

LOOKS = [(360, "dark"), (1280, "light")]


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    with served(tmp_path) as door:
        yield door


def sat_down() -> Sitting:
    with store.connected():
        sitting = sit_down(NOW)
        messages.say(sitting.match, 1, "You play like a <shoe>!\nReally, " + "and " * 60, NOW)
        messages.say(sitting.match, 1, "W" * 200, NOW)
    return sitting


def handed_over(door: Door) -> dict[tuple[str, str], str]:
    """Text parts of the letters that were owed, by kind and address."""
    bag, office = Bag(), office_with(Bag())
    with store.connected():
        office = office._replace(transport=bag, links=Links(KEYS, door.address))
        outbox.drain(office, WORKER, NOW)
    return {(str(one["X-PBEM-Kind"]), str(one["To"])): text_of(one) for one in bag.letters}


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_a_report_and_its_answer(browser: Browser, door: Door, width: int, scheme: str) -> None:
    look = {"viewport": {"width": width, "height": 740}, "color_scheme": scheme}
    sitting, desk = sat_down(), Desk(browser, **look)
    desk.set_up(door)
    link = ReportLink(sitting.ann, "turn", NOW, sitting.match, 0, NOW)
    player = Desk(browser, **look, java_script_enabled=False)

    player.page.goto(Links(KEYS, door.address).url("report", link))
    player.shows("Report something to the moderators")
    player.page.get_by_label("You play like a").check()
    player.page.get_by_label("What happened, in your own words").fill("I do not like this.")
    player.press("Send the report")
    expect(player.page.get_by_text("The moderators have your report.")).to_be_visible()

    desk.page.goto(player.page.url)
    desk.is_fit()
    desk.page.goto(Links(KEYS, door.address).url("report", link))
    desk.is_fit()
    desk.page.goto(f"{door.address}/admin/")
    desk.page.get_by_role("link", name="Reports", exact=True).click()
    desk.shows("Reports")
    desk.is_fit()
    desk.page.get_by_role("link", name="1", exact=True).click()
    desk.shows("Report 1")
    expect(desk.page.get_by_text("You play like a <shoe>!")).to_be_visible()
    desk.is_fit()
    desk.page.get_by_label("Open the player's page").fill("We have written to Bob.")
    desk.press("Reply and close")
    expect(desk.page.get_by_text("We have written to Bob.")).to_be_visible()
    assert acts()[-1] == "close_report"

    text = handed_over(door)["answer", ANN]
    assert "| We have written to Bob." in text
    (way,) = re.findall(r"(?m)^(http://localhost:\d+/thread/\S+)$", text)
    player.page.goto(way)
    expect(player.page.get_by_text("This report is closed.")).to_be_visible()
    player.page.get_by_label("Write again").fill("Thank you!")
    player.press("Send")
    expect(player.page.get_by_text("The moderators have your report.")).to_be_visible()
    for one in (player, desk):
        one.context.close()


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_a_look_behind_the_glass(browser: Browser, door: Door, width: int, scheme: str) -> None:
    match = sat_down().match
    desk = Desk(browser, viewport={"width": width, "height": 740}, color_scheme=scheme)
    desk.set_up(door)
    desk.page.goto(f"{door.address}/admin/matches/{match}")
    desk.page.get_by_role("link", name="Look at hidden information (all players are told)").click()
    desk.press("Use your passkey")
    desk.shows("Look at hidden information")
    desk.is_fit()
    before = acts()
    desk.page.get_by_label("The reason (all players of the match read it)").fill("Ann asked for it")
    desk.press("Look, and tell everyone")
    desk.shows(f"Hidden information in match {match}")
    expect(desk.page.get_by_role("heading", name="As USSR sees it")).to_be_visible()
    desk.is_fit()

    assert acts() == [*before, "break_glass"]
    letters = handed_over(door)
    for address in (ANN, BOB):
        assert "Ann asked for it" in letters["moderated", address]
    desk.context.close()
