"""Four people at a table on the web for a game with an order sheet as large as they get."""

from __future__ import annotations

from collections.abc import Iterable

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from engine.east_and_west.state import State
from pbem.db import store
from pbem.links import Links, TurnLink
from pbem.services.match import drafts, match_log, turns
from pbem.services.records.match_rows import MatchRecord, TurnRecord, get_match, open_turns
from pbem.services.seats import live_links
from tests.pbem.visiting import Form, forms
from tests.services.people import NOW
from tests.services.powers import four_people

PHRASES = ("from ann", "from we", "from uk", "from usa")


class FourPowers:
    """Their match, as its pages see it."""

    def __init__(self, client: FlaskClient, links: Links) -> None:
        self.client, self.links = client, links
        with store.connected():
            self.id = four_people(phrases=PHRASES)

    @property
    def match(self) -> MatchRecord:
        with store.connected():
            return get_match(self.id)

    @property
    def turn(self) -> TurnRecord:
        with store.connected():
            (turn,) = open_turns(self.id)
        return turn

    @property
    def state(self) -> State:
        with store.connected():
            found = match_log.current(get_match(self.id))
        assert isinstance(found, State)
        return found

    @property
    def path(self) -> str:
        turn = self.turn
        epoch = self.match.seat(turn.seat).epoch
        return f"/t/{self.links.sign('turn', TurnLink(self.id, turn.seat, turn.id, epoch))}"

    def seat_path(self, seat: int) -> str:
        match = self.match
        with store.connected():
            return f"/seat/{self.links.sign('act', live_links.to_seat(match, match.seat(seat)))}"

    def send(self, orders: Iterable[str]) -> None:
        with store.connected():
            turns.submit(self.turn.id, list(orders), NOW)

    def page(self, asks: str = "") -> str:
        answer = self.client.get(self.path + asks)
        assert answer.status_code == 200, answer.text
        return answer.text

    def sheet_forms(self, asks: str = "") -> list[Form]:
        return [form for form in forms(self.page(asks)) if "filled" in form.fields]

    def fill(self, name: str, asks: str = "", **fields: str) -> TestResponse:
        """Fill in a form of the sheet and send it."""
        found = [form for form in self.sheet_forms(asks) if form.fields["filled"] == name]
        assert found, name
        return self.client.post(found[0].action, data={**found[0].fields, **fields})

    def submit(self) -> TestResponse:
        """Send the draft by the button of the page."""
        form = next(f for f in forms(self.page()) if f.fields.get("do") == "submit")
        return self.client.post(form.action, data=form.fields)

    def draft(self) -> tuple[str, ...]:
        with store.connected():
            return drafts.draft_of(self.turn.id)
