"""Somebody who plays by clicking, and a look at every page on the way."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, Request

from engine.chance import QuickDice
from pbem.db import store
from pbem.links import Links, TurnLink
from pbem.services.records.match_rows import LIVE, get_match, open_turns
from pbem.services.seats import live_links
from tests.kit.looks import serious_violations, sideways


def turn_path(links: Links, match: str) -> str | None:
    """The page of whoever is asked, or None when the match is over."""
    with store.connected():
        record, turns = get_match(match), open_turns(match)
    if record.status != LIVE:
        return None
    (turn,) = turns
    epoch = record.seat(turn.seat).epoch
    return "/t/" + links.sign("turn", TurnLink(match, turn.seat, turn.id, epoch))


def seat_path(links: Links, match: str, seat: int) -> str:
    with store.connected():
        record = get_match(match)
        return "/seat/" + links.sign("act", live_links.to_seat(record, record.seat(seat)))


class Player:
    """Clicks at random, but only what the page offers."""

    def __init__(self, page: Page, seed: bytes, has_script: bool) -> None:
        self.page, self.below, self.has_script = page, QuickDice(seed).below, has_script
        self.troubles: list[str] = []
        self.looked: set[str] = set()
        page.on("console", lambda message: self.troubles.append(message.text))
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("requestfailed", self._failed)

    def _failed(self, request: Request) -> None:
        """What is not waited for when the page is left has not failed."""
        if request.failure != "net::ERR_ABORTED":
            self.troubles.append(request.url)

    def take_turn(self, address: str) -> None:
        """Decide whatever is asked until the page asks no more."""
        self.page.goto(address)
        while self.page.locator("#turn").count():
            self.look()
            if self.page.locator("#send").count():
                self.look("ready to send")
                self._leave(self.page.locator("#send"))
            else:
                self._choose()
        self.look("sent")

    def _choose(self) -> None:
        drawn = self.page.locator(".board [data-choice]")
        if self.has_script and drawn.count() and self.below(2):
            self._swap(drawn.nth(self.below(drawn.count())))
            return
        offered = self.page.locator("#options [data-word]")
        self._swap(offered.nth(self.below(offered.count())))

    def _swap(self, what: Locator) -> None:
        if not self.has_script:
            self._leave(what)
            return
        self.page.evaluate("document.getElementById('turn').dataset.old = 'yes'")
        what.click()
        self.page.wait_for_selector("#turn:not([data-old])")

    def _leave(self, what: Locator) -> None:
        with self.page.expect_navigation():
            what.click()

    def look(self, kind: str = "") -> None:
        """Nothing may stick out sideways; each kind of page is looked at closely once.

        Without script only the first: what looks closely is itself a script.
        """
        assert sideways(self.page) == 0
        kind = kind or self._asked()
        if self.has_script and kind not in self.looked:
            self.looked.add(kind)
            assert serious_violations(self.page) == [], kind

    def _asked(self) -> str:
        orders = self.page.locator("#options button[name=order]")
        return (orders.first.get_attribute("value") or "").split()[0] if orders.count() else "more"
