"""Pages of matches whose rules were changed: they wait in plain words, or stay readable."""

from __future__ import annotations

from io import BytesIO

import pytest
from flask.testing import FlaskClient

from engine.core import Dice, IllegalAction, Seat, Step
from engine.registry import GAMES
from pbem.db import store
from pbem.links import Links
from pbem.services.match import joining, matches, turns, uploaded_files
from pbem.services.match.joining import Joining
from pbem.services.match.uploaded_files import Faulty, MatchWork
from pbem.services.operations import adoption
from pbem.services.records.match_rows import get_match, open_turns
from pbem.services.seats import live_links
from pbem.web.watching import replay
from tests.games.stones.game import Hide, State, Stones
from tests.pbem.visiting import NOW, everything
from tests.services.people import ANN, BOB, id_of, wanted


class Fewer(Stones):
    """The second version: nobody hides three stones."""

    rules_version = 2

    def apply(self, state: State, seat: Seat, action: Hide, dice: Dice) -> Step[State]:
        if action.stones > 2:
            raise IllegalAction("hide one or two stones")
        return super().apply(state, seat, action, dice)


class Illegible(Fewer):
    """A version that cannot read what the first one has kept."""

    def load(self, text: str) -> State:
        raise ValueError("this is no state")


@pytest.fixture
def match(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(GAMES, Stones.name, Stones())
    with store.connected():
        agreed = wanted(game=Stones.name, addresses={"red": ANN, "blue": BOB})
        found = matches.create(agreed, NOW)
        joining.confirmed(id_of(ANN), NOW)
        joining.accept(found, 1, id_of(BOB), Joining("Bob", "de", "Europe/Berlin", ""), NOW)
        for number, order in enumerate(("hide 3", "hide 1")):
            turns.advance(get_match(found), number, [order], NOW)
    return found


@pytest.mark.parametrize("seat", [0, 1])
def test_a_match_that_waits_says_so_on_every_page(
    match: str, client: FlaskClient, links: Links, monkeypatch: pytest.MonkeyPatch, seat: int
) -> None:
    with store.connected():
        record = get_match(match)
        turn = next(turn for turn in open_turns(match) if turn.seat == seat)
        token = links.sign("turn", live_links.to_turn(record, turn))
        act = links.sign("act", live_links.to_seat(record, record.seat(seat)))
    monkeypatch.setitem(GAMES, Stones.name, Fewer())
    before = everything()
    words = ("This match is on hold", "Diese Partie ruht")[seat]
    for path in (f"/t/{token}", f"/seat/{act}"):
        answer = client.get(path)
        assert (answer.status_code, words in answer.text) == (409, True)
    for path in ("", "/step/1", "/replay", "/feed.atom"):
        answer = client.get(f"/match/{match}{path}")
        assert (answer.status_code, "This match is on hold" in answer.text) == (409, True)
    answer = client.get(f"/api/v1/turn/{token}")
    assert answer.status_code == 409
    assert "the rules of this game were changed" in answer.text.lower()
    answer = client.post(f"/t/{token}", data={"orders": "hide 1"}, follow_redirects=True)
    assert (answer.status_code, words in answer.text) == (409, True)
    assert everything() == before


def test_it_goes_on_and_its_history_shows_the_change(
    match: str, client: FlaskClient, links: Links, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(GAMES, Stones.name, Fewer())
    with store.connected():
        assert adoption.adopt_all("go-on", NOW) == {"changed": 1}
        (turn, _), record = open_turns(match), get_match(match)
        token = links.sign("turn", live_links.to_turn(record, turn))
    page = client.get(f"/match/{match}").text
    assert "The rules have changed; the match goes on under version 2." in page
    assert "Red has hidden some stones." in page, "what happened before is told as it was"
    assert client.get(f"/match/{match}/step/1").status_code == 200
    assert client.get(f"/match/{match}/replay").status_code == 200
    page = client.get(f"/t/{token}").text
    assert "hide 1" in page
    assert client.post(f"/t/{token}", data={"orders": "hide 2"}).status_code == 303
    assert client.get(f"/t/{token}").status_code == 200


@pytest.mark.parametrize("newer", [Fewer, Illegible])
def test_a_finished_match_can_be_read_and_downloaded(
    match: str,
    client: FlaskClient,
    links: Links,
    monkeypatch: pytest.MonkeyPatch,
    newer: type[Stones],
) -> None:
    with store.connected():
        turn, record = open_turns(match)[0], get_match(match)
        token = links.sign("turn", live_links.to_turn(record, turn))
        matches.resign(match, 1, NOW)
        file = client.get(f"/match/{match}/download").data
        act = links.sign("act", live_links.to_seat(get_match(match), record.seat(0)))
    monkeypatch.setitem(GAMES, Stones.name, newer())
    page = client.get(f"/match/{match}")
    assert page.status_code == 200
    assert "Red hid 3, Blue hid 1" in page.text
    assert ("Points: Red" in page.text) is (newer is Fewer), "the board, where it can be read"
    for path in (f"/match/{match}/step/1", f"/t/{token}", f"/seat/{act}"):
        assert client.get(path).status_code == 200
    replay.packed_frames.cache_clear()
    for eyes in ("", "red", "all"):
        replayed = client.get(f"/match/{match}/replay?eyes={eyes}")
        assert replayed.status_code == 200
        assert ('id="frames"' in replayed.text) is (newer is Fewer)
    assert client.get(f"/match/{match}/download").data == file
    found = uploaded_files._answer_to(MatchWork(file, []))
    assert isinstance(found, Faulty)
    assert found.is_other_rules
    monkeypatch.setattr(uploaded_files, "check_match", lambda *_: found)
    checked = client.post("/verify", data={"file": (BytesIO(file), "match.json")})
    assert checked.status_code == 200
    assert "This file cannot be checked to its end here" in checked.text
    assert "need version 1 of the rules of Stones; this program has version 2." in checked.text
