"""From the first page to the first move of two friends, every click and letter counted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.message import EmailMessage

import pytest
from flask import Flask
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from engine.registry import GAMES
from pbem.db import store
from pbem.links import Links
from pbem.services.letters import delivery
from pbem.services.match import matches
from pbem.services.records.match_rows import LIVE
from pbem.services.records.player_rows import player_at
from pbem.services.self_service import requests
from tests.browser.conftest import Site
from tests.browser.player import Player
from tests.kit.looks import sideways
from tests.kit.serving import served
from tests.mail.posting import WORKER, Bag, office_with, text_of
from tests.pbem.visiting import KEYS
from tests.services.people import ANN, BOB, NOW

pytestmark = pytest.mark.browser

MOST_CLICKS, MOST_LETTERS = 5, 2


@pytest.fixture
def site(app: Flask) -> Iterator[Site]:
    """Nobody plays here yet."""
    with served(app) as address:
        yield Site(address, Links(KEYS, address), "")


class Walk:
    """Two people who click and read letters; typing and looking cost nothing."""

    def __init__(self, site: Site) -> None:
        self.site, self.bag, self.clicks = site, Bag(), 0

    def click(self, what: Locator) -> None:
        self.clicks += 1
        what.click()

    def click_at_once(self, what: Locator) -> None:
        """Nobody has to look for it: it is in the first screen."""
        expect(what).to_be_in_viewport(ratio=1)
        self.click(what)

    def follow(self, page: Page, letter: EmailMessage, start: str) -> None:
        """A link in a letter is clicked, too."""
        self.clicks += 1
        (link,) = set(re.findall(rf"https?://\S+{start}\S+", text_of(letter)))
        page.goto(link)
        assert sideways(page) == 0

    def letter_to(self, address: str) -> EmailMessage:
        """What comes by mail, and to nobody else at the same time."""
        before = len(self.bag.letters)
        with store.connected():
            requests.answer_all(NOW)
            office = office_with(self.bag)._replace(links=self.site.links)
            delivery.drain(office, WORKER, NOW)
        (letter,) = self.bag.letters[before:]
        assert letter["To"] == address
        return letter


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("has_script", [True, False])
def test_two_friends_come_to_their_first_move_by_five_clicks_and_two_letters(
    browser: Browser, site: Site, game: str, has_script: bool
) -> None:
    walk = Walk(site)
    width: ViewportSize = {"width": 360, "height": 740}
    with (
        browser.new_context(
            viewport=width, java_script_enabled=has_script, timezone_id="America/Lima"
        ) as hers,
        browser.new_context(
            viewport=width, java_script_enabled=has_script, timezone_id="Asia/Tokyo"
        ) as his,
    ):
        ann, bob = hers.new_page(), his.new_page()
        ann.goto(f"{site.address}/?game={game}")
        ann.get_by_label("Your email", exact=True).fill(ANN)
        ann.get_by_label("Your friend's email").fill(BOB)
        walk.click(ann.get_by_role("button", name="Invite a friend", exact=True))
        ann.get_by_role("heading", name="Check your email").wait_for()
        walk.follow(ann, walk.letter_to(ANN), "/confirm/")
        walk.click_at_once(ann.get_by_role("button", name="Yes, this is my address"))
        ann.get_by_role("heading", name="Your address is confirmed").wait_for()
        walk.follow(bob, walk.letter_to(BOB), "/join/")
        walk.click_at_once(bob.get_by_role("button", name="Accept and play"))
        bob.wait_for_url("**/t/*")

        assert bob.locator("#turn").is_visible(), "he is asked for his first move"
        assert walk.clicks <= MOST_CLICKS
        assert len(walk.bag.letters) <= MOST_LETTERS
        assert sideways(bob) == 0
        with store.connected():
            (match,) = matches.all_matches()
            assert (match.game_name, match.status, match.head_seq) == (game, LIVE, 0)
            zones = [found.zone for mail in (ANN, BOB) if (found := player_at(mail))]
        assert zones == (["America/Lima", "Asia/Tokyo"] if has_script else ["UTC", "UTC"])
        if game == "iron_curtain":
            Player(bob, b"first", has_script).take_turn(bob.url)
            with store.connected():
                (match,) = matches.all_matches()
            assert match.head_seq > 0, "the move was made"
