"""What allies see of each other's plans, and what nobody else sees, to the byte."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from pbem.db import store
from pbem.links import Links
from pbem.services.match import drafts, link_orders, messages, turns
from pbem.services.match.turns import held
from pbem.services.records.match_rows import get_match, open_turns
from pbem.services.seats import live_links
from pbem.web.watching import replay
from tests.pbem.visiting import NOW
from tests.services.powers import UK, USSR, WE, four_people


@pytest.fixture
def four(client: FlaskClient) -> str:
    """Four people; the turn is with Western Europe."""
    with store.connected():
        match = four_people()
        while (turn := open_turns(match)[0]).seat == USSR:
            turns.submit(turn.id, ["done"], NOW)
        return match


@pytest.fixture
def seats(links: Links, four: str) -> dict[int, str]:
    """The page of each seat."""
    with store.connected():
        match = get_match(four)
        return {
            seat.number: f"/seat/{links.sign('act', live_links.to_seat(match, seat))}"
            for seat in match.seats
        }


def plan(match: str) -> None:
    """Western Europe plans something, and says something in advance."""
    with store.connected():
        (turn,) = open_turns(match)
        with store.writing():
            record, row = held(turn.id)
            drafts.compose(record, row, ["research aircraft"], None, NOW)
        link_orders.say_in_advance(match, WE, "standing ask france on", NOW)


def page(client: FlaskClient, path: str) -> str:
    return client.get(path).get_data(as_text=True)


def test_an_ally_sees_what_was_opened(
    client: FlaskClient, four: str, seats: dict[int, str]
) -> None:
    plan(four)
    assert "research aircraft" not in page(client, f"{seats[UK]}/allies")
    assert client.post(f"{seats[WE]}/allies", data={"do": "open"}).status_code == 303
    seen = page(client, f"{seats[UK]}/allies")
    assert "research aircraft" in seen
    assert "standing ask france on" in seen
    client.post(f"{seats[WE]}/allies", data={"do": "close"})
    assert "research aircraft" not in page(client, f"{seats[UK]}/allies")


def test_a_button_that_is_none_is_refused(client: FlaskClient, seats: dict[int, str]) -> None:
    for wrong in ("", "both", "x" * 1_000):
        answer = client.post(f"{seats[WE]}/allies", data={"do": wrong})
        assert answer.status_code == 400
        assert "pen your plans to your allies" in answer.get_data(as_text=True)


def test_who_stands_alone_has_no_such_page(client: FlaskClient, seats: dict[int, str]) -> None:
    answer = client.get(f"{seats[USSR]}/allies")
    assert answer.status_code == 303
    assert "/allies" not in page(client, seats[USSR])


def test_a_message_goes_to_whom_the_form_says(
    client: FlaskClient, four: str, seats: dict[int, str]
) -> None:
    assert '<option value="allies">' in page(client, seats[WE])
    assert '<option value="allies">' not in page(client, seats[USSR])
    client.post(seats[WE], data={"text": "Hold the line", "to": "allies", "last": "0"})
    assert "Hold the line" in page(client, seats[UK])
    assert "Hold the line" not in page(client, seats[USSR])
    wrong = client.post(seats[WE], data={"text": "Anybody?", "to": "moon", "last": "0"})
    assert wrong.status_code == 400
    assert "Anybody?" in wrong.get_data(as_text=True), "what was typed is kept"


def test_the_other_side_cannot_tell_a_world_with_plans_and_talk_from_one_without(
    client: FlaskClient, four: str, seats: dict[int, str]
) -> None:
    public = f"/match/{four}"
    pages = [seats[USSR], public, f"{public}/feed.atom", f"{public}/step/1", f"/api/v1{public}"]
    pages += [f"{public}/replay", f"{public}/replay/part/0"]
    before = [client.get(path) for path in pages]
    assert [answer.status_code for answer in before] == [200] * len(pages)
    plan(four)
    client.post(f"{seats[WE]}/allies", data={"do": "open"})
    with store.connected():
        messages.say(four, WE, "Hold the line", NOW, "allies")
        messages.say(four, UK, "We will", NOW, "we")
    replay.packed_frames.cache_clear()
    for path, was in zip(pages, before, strict=True):
        now = client.get(path)
        assert _plain(now.data) == _plain(was.data), path


def _plain(data: bytes) -> bytes:
    """Without what is new in every answer."""
    return re.sub(rb'nonce="[^"]*"', b"", data)
