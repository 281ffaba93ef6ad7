"""Acts on players in a real browser: from the passkey to the letters, the log and a new address."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest
from playwright.sync_api import Browser, expect

from pbem.db import store
from pbem.links import Links
from pbem.services.letters import outbox
from pbem.services.match import joining, matches
from pbem.services.moderation.player_acts import ACTS
from pbem.services.players import devices
from pbem.services.records import audit_log
from pbem.services.records.match_rows import LIVE, get_match
from pbem.services.records.player_rows import get_player
from pbem.services.self_service import address_changes
from tests.browser.desk import Desk, Door, acts, served
from tests.browser.reading import by_one_clock, plain
from tests.mail.posting import WORKER, Bag, office_with, text_of
from tests.pbem.visiting import KEYS
from tests.services.people import BOB, EVE, NOW, Sitting, id_of, sit_down, wanted
from tests.services.waiting import hand_over, let_merge, long_told

pytestmark = pytest.mark.browser

LOOKS: list[tuple[int, Literal["light", "dark"]]] = [(360, "light"), (360, "dark"), (1280, "dark")]

WHY = "asked for by letter"
NEW = "bob@new.example"
TITLES = {name: str(act.title.message) for name, act in ACTS.items()}


class Room(NamedTuple):
    """Mo at the desk, inside and known again."""

    door: Door
    desk: Desk
    sitting: Sitting

    def go(self, path: str) -> None:
        self.desk.page.goto(f"{self.door.address}{path}")

    def act(self, name: str, fields: dict[str, str] | None = None) -> str:
        """From Bob's page through the words beforehand to the deed; those words."""
        page = self.desk.page
        self.go(f"/admin/players/{self.sitting.bob}")
        page.get_by_role("link", name=TITLES[name], exact=True).click()
        self.desk.shows(TITLES[name])
        for label, text in (fields or {}).items():
            page.get_by_label(label).fill(text)
        if fields:
            self.desk.press("Preview")
        words = page.locator("blockquote").inner_text()
        self.desk.is_fit()
        page.get_by_label("The reason").fill(WHY)
        page.get_by_role("button", name=TITLES[name], exact=True).click()
        return words


@pytest.fixture
def room(browser: Browser, tmp_path: Path) -> Iterator[Room]:
    with served(tmp_path) as door:
        sitting = _people()
        desk = Desk(browser)
        desk.set_up(door)
        desk.page.goto(f"{door.address}/admin/step-up")
        desk.press("Use your passkey")
        desk.shows("Hello Mo")
        yield Room(door, desk, sitting)
        desk.context.close()


def _people() -> Sitting:
    """Ann and Bob play, it seems in one browser; Eve waits for somebody."""
    with store.connected():
        sitting = sit_down(NOW)
        own = wanted(creator=EVE, name="Eve", addresses={"usa": EVE, "ussr": None})
        match = matches.create(own, NOW)
        joining.confirmed(id_of(EVE), NOW, match)
        for player in (sitting.ann, sitting.bob):
            devices.note(player, "d" * 43, NOW)
        hand_over(NOW)
    return sitting


def handed_over(door: Door) -> dict[str, dict[str, str]]:
    """Every letter that is owed, as a mail server gets it: text parts by address and kind."""
    bag, found = Bag(), dict[str, dict[str, str]]()
    office = office_with(bag)._replace(links=Links(KEYS, door.address))
    with store.connected():
        outbox.drain(office, WORKER, door.clock.now)
    for letter in bag.letters:
        found.setdefault(str(letter["To"]), {})[str(letter["X-PBEM-Kind"])] = text_of(letter)
    return found


def link_in(letter: str, path: str) -> str:
    (found,) = re.findall(rf"(?m)^http\S+/{path}/\S+$", letter)
    return str(found)


def entered(name: str, player: int, words: str) -> None:
    with store.connected():
        (entry,) = audit_log.newest(1)
    assert (entry.act, entry.subject, entry.reason) == (name, f"player {player}", WHY)
    assert by_one_clock(entry.words) == by_one_clock(words)


@pytest.mark.parametrize("name", ["ban", "merge"])
def test_an_act_from_the_page_to_letters_and_log(room: Room, name: str) -> None:
    before = acts()
    fields = {"Number or address of the player to be removed": EVE} if name == "merge" else None
    words = room.act(name, fields)
    expect(room.desk.page.get_by_role("heading", name="What moderators did")).to_be_visible()

    assert acts() == [*before, name]
    entered(name, room.sitting.bob, words)
    expect(room.desk.page.get_by_text(WHY).first).to_be_visible()
    told = {to: kinds for to, kinds in handed_over(room.door).items() if "account" in kinds}
    assert told.keys() == ({BOB, EVE} if name == "merge" else {BOB})
    for kinds in told.values():
        assert WHY in plain(kinds["account"])
    if name == "ban":  # Eve, who is told of a merger too, reads English; Bob does not
        room.act("allow")
        assert acts() == [*before, "ban", "allow"]
    else:
        assert by_one_clock(words) in by_one_clock(told[EVE]["account"])


def test_who_goes_stops_a_merger_and_the_next_one_is_done(room: Room, browser: Browser) -> None:
    page, desk = browser.new_context().new_page(), room.desk.page
    for stops in (True, False):
        room.act("merge", {"Number or address of the player to be removed": EVE})
        expect(
            desk.get_by_text("A merger is waiting: this player gets everything of")
        ).to_be_visible()
        room.desk.is_fit()
        letters = handed_over(room.door)
        assert "/keep/" not in letters[BOB]["account"]
        if stops:
            page.goto(link_in(letters[EVE]["account"], "keep"))
            page.get_by_role("button").click()
            expect(page.get_by_role("button")).to_have_count(0)
    with store.connected():
        eve = id_of(EVE)
        let_merge(eve, NOW)
        assert [one.creator for one in matches.matches_of(room.sitting.bob)].count(eve) == 0
    room.go(f"/admin/players/{room.sitting.bob}")
    expect(desk.get_by_text("merged", exact=True)).to_be_visible()
    assert acts()[-4:] == ["merge", "merger_objected", "merge", "merged"]
    page.goto(link_in(letters[EVE]["account"], "keep"))
    assert page.get_by_role("button").count() == 0
    page.context.close()


def test_data_is_handed_out_as_a_file(room: Room) -> None:
    before = acts()
    with room.desk.page.expect_download() as download:
        words = room.act("export")
    stored: dict[str, Any] = json.loads(Path(download.value.path()).read_text("utf-8"))

    assert stored["player"]["address"] == BOB
    assert acts() == [*before, "export"]
    entered("export", room.sitting.bob, words)


def test_a_player_is_deleted(room: Room) -> None:
    before = acts()
    with store.connected():
        matches.resign(room.sitting.match, 1, NOW)
    words = room.act("delete")
    expect(room.desk.page.get_by_text("This player was deleted.")).to_be_visible()
    room.desk.is_fit()

    assert acts() == [*before, "delete"]
    entered("delete", room.sitting.bob, words)
    assert BOB not in handed_over(room.door)


def test_an_address_changes_when_its_owner_presses(room: Room, browser: Browser) -> None:
    """Bob stops the first request; the second one he wants."""
    page = browser.new_context().new_page()
    for stops in (True, False):
        words = room.act("change_address", {"New email address": NEW})
        entered("change_address", room.sitting.bob, words)
        letters = handed_over(room.door)
        if stops:
            page.goto(link_in(letters[BOB]["account"], "keep"))
            page.get_by_role("button").click()
            page.goto(link_in(letters[NEW]["address"], "confirm"))
            assert page.get_by_role("button").count() == 0
    page.goto(link_in(letters[NEW]["address"], "confirm"))
    assert page.get_by_text(NEW).count() == 1
    page.get_by_role("button").click()
    expect(page.get_by_role("button")).to_have_count(0)
    expect(page.get_by_text(NEW)).to_be_visible()

    with store.connected():
        change = address_changes.waiting(room.sitting.bob, NOW)
        assert change is not None
        long_told(change.id, NOW)
        with store.writing():
            address_changes.come_into_force(change.id, NOW)
        assert get_player(room.sitting.bob).address == NEW
        assert get_match(room.sitting.match).status == LIVE
    after = handed_over(room.door)
    assert after[NEW].keys() == {"account", "turn", "you"}
    assert after[BOB].keys() == {"account"}
    page.goto(link_in(letters[BOB]["account"], "keep"))
    assert page.get_by_role("button").count() == 0
    page.goto(link_in(after[NEW]["turn"], "t"))
    expect(page.locator("#turn")).to_be_visible()
    room.go(f"/admin/players/{room.sitting.bob}")
    expect(room.desk.page.get_by_text("address_changed")).to_be_visible()
    page.context.close()


def test_an_address_is_put_on_the_list_and_struck_off(room: Room) -> None:
    page, before = room.desk.page, acts()
    room.go("/admin/players")
    page.get_by_role("link", name="Blocked addresses and domains").click()
    page.get_by_label("An address, or a domain after an @").fill("@example.com")
    room.desk.press("Preview")
    room.desk.is_fit()
    page.get_by_label("The reason").fill(WHY)
    room.desk.press("Add to the list")
    expect(page.get_by_role("rowheader", name="@example.com")).to_be_visible()
    room.desk.is_fit()
    page.get_by_role("row", name="@example.com").get_by_label("The reason").fill(WHY)
    room.desk.press("Remove from the list")
    expect(page.get_by_text("Nothing here yet.")).to_be_visible()

    assert acts() == [*before, "list_banned", "list_struck"]


def test_pages_are_fit_on_a_phone_and_in_the_dark(room: Room) -> None:
    page, sitting = room.desk.page, room.sitting
    for path in (
        "/admin/players",
        f"/admin/players/{sitting.bob}",
        f"/admin/players/{sitting.bob}/merge?other={EVE}",
        "/admin/lists?pattern=@example.org",
        f"/admin/matches/{sitting.match}",
    ):
        room.go(path)
        for width, scheme in LOOKS:
            page.set_viewport_size({"width": width, "height": 740})
            page.emulate_media(color_scheme=scheme)
            room.desk.is_fit()
