"""Ann and Bob at a table on the web: their links, their presses, and cards that nobody mistakes."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib import resources
from typing import Any
from unittest.mock import patch

import msgspec
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from engine.core import GameError, Json
from pbem.db import store
from pbem.errors import Refused
from pbem.links import Links, TurnLink, order_code
from pbem.services.match import drafts, link_orders, match_log, matches, turns
from pbem.services.records.match_rows import LIVE, MatchRecord, TurnRecord, get_match, open_turns
from pbem.services.seats import leaving, live_links
from tests.services.people import NOW, sit_down


class Table:
    """A match of Ann (USA) and Bob (USSR, who reads German), as its pages see it.

    The cards are always dealt in the same way.
    """

    def __init__(
        self, client: FlaskClient, links: Links, setup: dict[str, Json] | None = None
    ) -> None:
        self.client, self.links = client, links
        with store.connected():
            ((known,),) = store.rows("SELECT COUNT(*) FROM match")
            with (
                patch.object(matches, "new_id", lambda: f"table{known}"),
                patch("secrets.token_bytes", lambda size: bytes(size)),
            ):
                self.id = sit_down(NOW, setup).match

    @property
    def match(self) -> MatchRecord:
        with store.connected():
            return get_match(self.id)

    @property
    def is_live(self) -> bool:
        return self.match.status == LIVE

    @property
    def turn(self) -> TurnRecord:
        with store.connected():
            (turn,) = open_turns(self.id)
        return turn

    @property
    def state(self) -> Any:
        with store.connected():
            return match_log.current(get_match(self.id))

    def turn_token(self, turn: TurnRecord | None = None) -> str:
        turn = turn or self.turn
        epoch = self.match.seat(turn.seat).epoch
        return self.links.sign("turn", TurnLink(self.id, turn.seat, turn.id, epoch))

    def turn_path(self, turn: TurnRecord | None = None) -> str:
        return f"/t/{self.turn_token(turn)}"

    def order_path(self, order: str, turn: TurnRecord | None = None) -> str:
        turn, match = turn or self.turn, self.match
        code = order_code(match.secret, turn.id, order)
        link = TurnLink(self.id, turn.seat, turn.id, match.seat(turn.seat).epoch, code)
        return f"/o/{self.links.sign('order', link)}"

    def seat_path(self, seat: int) -> str:
        match = self.match
        with store.connected():
            return f"/seat/{self.links.sign('act', live_links.to_seat(match, match.seat(seat)))}"

    def leave(self, seat: int, what: str, **data: str) -> TestResponse:
        """Lend a seat or give it up: asked on its page, said again by the link of the letter."""
        assert self.client.post(f"{self.seat_path(seat)}/{what}", data=data).status_code == 200
        return self.client.post(self.word_path(seat))

    def word_path(self, seat: int) -> str:
        """The link of the newest letter that asks whether a seat shall really be left."""
        with store.connected():
            ((about,),) = store.rows(
                "SELECT about FROM outbox WHERE kind = ? AND match_id = ? AND seat = ?"
                " ORDER BY id DESC LIMIT 1",
                leaving.LETTER,
                self.id,
                seat,
            )
        link = leaving.link_of(self.match, self.match.seat(seat), msgspec.json.decode(about))
        return f"/leave/{self.links.sign('leave', link)}"

    def press(self, do: str, **fields: str) -> TestResponse:
        return self.client.post(self.turn_path(), data={"do": do, **fields})

    def send(self, *orders: str) -> None:
        with store.connected():
            turns.submit(self.turn.id, orders, NOW)

    def draft(self) -> tuple[str, ...]:
        with store.connected():
            return drafts.draft_of(self.turn.id)

    def can_follow(self, *orders: str) -> bool:
        """Whether these orders can be given now, one after the other."""
        match, turn = self.match, self.turn
        try:
            with store.connected():
                drafts.preview(match, self.state, match.seat(turn.seat).name, orders)
        except (GameError, Refused):
            return False
        return True

    def offered(self) -> list[str]:
        """Every order that can be given now."""
        match, turn = self.match, self.turn
        with store.connected():
            found = link_orders.choices(match, self.state, match.seat(turn.seat).name)
        return [choice.notation for choice in found]


def canary_deck(mark: str = "") -> dict[str, Json]:
    """The usual deck under names that stand nowhere else, so that a hit is a leak.

    `mark`, a word of small letters and digits, tells the cards of one match from another's.
    """
    text = resources.files("engine.iron_curtain").joinpath("cards.toml").read_text("utf-8")
    deck = tomllib.loads(text)
    start = f"zq{mark}z" if mark else "zq"
    names = {card["id"]: f"{start}{number}canary" for number, card in enumerate(deck["cards"])}
    for card in deck["cards"]:
        card["id"] = names[card["id"]]
        word = card["id"].capitalize()
        card["name"] = {"en": word, "de": word, "fr": word}
        card["text"] = dict.fromkeys(("en", "de", "fr"), f"Text of {word}.")
        for effect in card["event"]:
            if "where" in effect:
                effect["where"] = [names.get(place, place) for place in effect["where"]]
    return deck


TAMPERED_CHARACTERS = "Aa0-_.=é\u202e%"


def tampered(token: str, below: Callable[[int], int]) -> str:
    """The token with one small change that leaves another text."""
    while True:
        at = below(len(token))
        odd = TAMPERED_CHARACTERS[below(len(TAMPERED_CHARACTERS))]
        changed = [
            token[:at] + odd + token[at + 1 :],
            token[:at] + odd + token[at:],
            token[:at] + token[at + 1 :],
            token[:at] + token[at].swapcase() + token[at + 1 :],
            token[:at],
            token + odd,
        ][below(6)]
        if changed and changed != token:
            return changed


HOSTILE = {
    "nothing": "",
    "blanks": " \n\t ",
    "markup": "<script>alert(1)</script>",
    "a quote": "\"'; DROP TABLE turn; --",
    "another language": "Österreich spielt Zürich 日本 الشرق",
    "controls": "cube\x00\x1b[31m\x07poland",
    "directions": "\u202ecube\u2066 poland\u200b",
    "half a pair": "cube \ud800 poland",
    "a number": "12345678901234567890",
    "long": "cube " * 2_000,
    "many lines": "done\n" * 500,
    "braces": "{0} %s %(name)s ${x} {{7*7}}",
}
"""What a form field may be sent by somebody who means no good."""
