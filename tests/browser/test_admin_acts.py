"""Every act of a moderator in a real browser: from the passkey to players' letters and the log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, expect

from pbem.db import store
from pbem.services.letters import outbox
from pbem.services.match import turns
from pbem.services.moderation.match_acts import ACTS
from pbem.services.records import audit_log
from pbem.services.records.match_rows import open_turns
from tests.browser.desk import Desk, Door, acts, served
from tests.browser.reading import by_one_clock, plain
from tests.mail.posting import WORKER, Bag, office_with, text_of
from tests.services.people import ANN, BOB, NOW, sit_down
from tests.services.waiting import hand_over

pytestmark = pytest.mark.browser

WHY = "Bob asked for it"
TITLES = {name: str(act.title.message) for name, act in ACTS.items()}
SEATS = "USSR (Bob)"


class Room(NamedTuple):
    """Mo at the desk, inside and known again."""

    door: Door
    desk: Desk


@pytest.fixture(scope="module")
def room(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    with served(tmp_path_factory.mktemp("acts")) as door:
        desk = Desk(browser)
        desk.set_up(door)
        desk.page.goto(f"{door.address}/admin/step-up")
        desk.press("Use your passkey")
        desk.shows("Hello Mo")
        yield Room(door, desk)
        desk.context.close()


def begun(name: str) -> str:
    """Ann and Bob have begun, and Bob's clock runs; as the act needs it."""
    with store.connected():
        match = sit_down(NOW).match
        if name == "rewind":
            turns.submit(open_turns(match)[0].id, ["first usa"], NOW)
        if name == "new_rules":
            store.execute("UPDATE match SET rules_version = 0")
        hand_over(NOW)
        return match


def fill_in(desk: Desk, name: str) -> None:
    """What the act asks for, as a person chooses it."""
    takes, page = ACTS[name].takes, desk.page
    if "seat" in takes:
        page.get_by_label("Seat").select_option(label=SEATS)
    if "hours" in takes:
        page.get_by_label("Extra hours").fill("48")
    if "deadline" in takes:
        page.get_by_label("New deadline (UTC)").fill("2027-01-25T08:00")
    if "address" in takes:
        page.get_by_label("Stand-in's email address").fill("dan@example.org")
    if "result" in takes:
        page.get_by_label("Result").select_option(label="a draw")
    if "entry" in takes:
        page.get_by_label("Go back to the position after this entry").select_option("0")
    if takes:
        desk.press("Preview")


def handed_over() -> dict[str, list[str]]:
    """Every letter that is owed, as a mail server gets it: text parts by address."""
    bag, found = Bag(), dict[str, list[str]]()
    with store.connected():
        outbox.drain(office_with(bag), WORKER, NOW)
    for letter in bag.letters:
        if letter["X-PBEM-Kind"] == "moderated":
            found.setdefault(str(letter["To"]), []).append(text_of(letter))
    return found


def press(room: Room, match: str, name: str) -> str:
    """From the page of the match through the words beforehand to the deed; those words."""
    page = room.desk.page
    page.goto(f"{room.door.address}/admin/matches/{match}")
    page.get_by_role("link", name=TITLES[name], exact=True).click()
    room.desk.shows(TITLES[name])
    fill_in(room.desk, name)
    words = page.locator("blockquote").inner_text()
    room.desk.is_fit()
    page.get_by_label("The reason (all players of the match read it)").fill(WHY)
    page.get_by_role("button", name=TITLES[name], exact=True).click()
    expect(page.get_by_role("heading", name="What moderators did")).to_be_visible()
    return words


def check(room: Room, match: str, name: str, words: str, before: list[str]) -> None:
    """One entry, the same words on the page, in the log and in a letter to each player."""
    assert acts() == [*before, name]
    with store.connected():
        (entry,) = audit_log.newest(1)
    assert (entry.act, entry.subject, entry.reason) == (name, f"match {match}", WHY)
    assert by_one_clock(entry.words) == by_one_clock(words)
    expect(room.desk.page.get_by_text(WHY).first).to_be_visible()
    letters = handed_over()
    assert letters.keys() == {ANN, BOB}
    for (text,) in letters.values():
        assert WHY in plain(text)
    assert by_one_clock(words) in by_one_clock(letters[ANN][0])


@pytest.mark.parametrize("name", sorted(ACTS.keys() - {"resume"}))
def test_an_act_from_the_page_to_letters_and_log(room: Room, name: str) -> None:
    match, before = begun(name), acts()
    words = press(room, match, name)
    check(room, match, name, words, before)


def test_a_pause_ends_by_the_same_way(room: Room) -> None:
    match = begun("pause")
    press(room, match, "pause")
    handed_over()
    before = acts()
    words = press(room, match, "resume")
    check(room, match, "resume", words, before)
