"""Ann and Bob in their orchards: a table on the web for a game with an order sheet."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from engine.registry import GAMES
from pbem.db import store
from pbem.links import Links, TurnLink
from pbem.services.match import drafts, joining, match_log, matches
from pbem.services.match.joining import Joining
from pbem.services.records.match_rows import MatchRecord, TurnRecord, get_match, open_turns
from tests.games.orchard.game import Orchard, State
from tests.pbem.visiting import Form, forms
from tests.services.people import ANN, BOB, NOW, id_of, wanted

GAME = Orchard()


def host(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line in the registry; before the app is made."""
    monkeypatch.setitem(GAMES, GAME.name, GAME)


class OrchardTable:
    """Ann plays red, Bob, who reads German, blue."""

    def __init__(self, client: FlaskClient, links: Links) -> None:
        self.client, self.links = client, links
        with store.connected():
            places = {"red": ANN, "blue": BOB}
            self.id = matches.create(wanted(game=GAME.name, addresses=places), NOW)
            joining.confirmed(id_of(ANN), NOW)
            bob = Joining("Bob", "de", "Europe/Berlin", "from bob")
            joining.accept(self.id, 1, id_of(BOB), bob, NOW)

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

    def page(self, asks: str = "") -> str:
        answer = self.client.get(self.path + asks)
        assert answer.status_code == 200, answer.text
        return answer.text

    def form(self, name: str, asks: str = "") -> Form:
        """A form of the sheet, as the page has it."""
        found = [form for form in forms(self.page(asks)) if form.fields.get("filled") == name]
        assert len(found) == 1, name
        return found[0]

    def fill(self, name: str, asks: str = "", **fields: str) -> TestResponse:
        form = self.form(name, asks)
        return self.client.post(form.action, data={**form.fields, **fields})

    def press(self, do: str, **fields: str) -> TestResponse:
        return self.client.post(self.path, data={"do": do, **fields})

    def draft(self) -> tuple[str, ...]:
        with store.connected():
            return drafts.draft_of(self.turn.id)
