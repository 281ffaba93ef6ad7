"""The feed of a match: what a spectator may know, step by step, for feed readers."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import feedparser
import pytest
from flask.testing import FlaskClient

from engine.chance import QuickDice
from pbem.db import store
from pbem.deadlines import HOUR
from pbem.links import Links
from pbem.services.match import matches, turns
from pbem.web.public import feeds
from tests.pbem.table import Table, canary_deck
from tests.pbem.visiting import NOW, everything
from tests.services.people import ANN, BOB, play_to_the_end, wanted

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def table(client: FlaskClient, links: Links) -> Table:
    return Table(client, links)


def path(match: str) -> str:
    return f"/match/{match}/feed.atom"


def read(client: FlaskClient, match: str) -> Any:
    """The feed as a reader understands it; nothing about it may be odd."""
    answer = client.get(path(match))
    assert answer.status_code == 200
    assert answer.content_type == "application/atom+xml; charset=utf-8"
    root = ElementTree.fromstring(answer.data)
    for part in (root, *root.iter(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            assert len(part.findall(f"{ATOM}{name}")) == 1, name
    found = feedparser.parse(answer.data)
    assert not found.bozo, found.get("bozo_exception")
    assert found.version == "atom10"
    return found


def send(table: Table, order: str, at: int) -> None:
    with store.connected():
        turns.submit(table.turn.id, [order], at)


# --- what is in it -------------------------------------------------------------------------------


def test_every_public_step_is_an_entry(table: Table) -> None:
    send(table, "first ussr", NOW + HOUR)
    found = read(table.client, table.id)

    site = "http://127.0.0.1:8000"
    assert found.feed.title == "Iron Curtain, match table0"
    assert found.feed.id == "tag:127.0.0.1,2027-01-15:table0"
    assert found.feed.link == f"{site}/match/table0"
    assert found.feed.updated == "2027-01-15T09:00:00+00:00"
    assert [link.href for link in found.feed.links if link.rel == "self"] == [
        f"{site}{path('table0')}"
    ]
    newest, oldest = found.entries
    assert newest.id == "tag:127.0.0.1,2027-01-15:table0/1"
    assert newest.title.startswith("Step 1: USSR decides: USSR goes first")
    assert newest.link == f"{site}/match/table0/step/1"
    assert newest.updated == "2027-01-15T09:00:00+00:00"
    assert newest.content[0].type == "text/plain"
    assert newest.content[0].value == "USSR decides: USSR goes first in round 1."
    assert oldest.title == "Step 0: Each side is dealt five cards."
    assert oldest.updated == "2027-01-15T08:00:00+00:00"
    for entry in found.entries:
        assert table.client.get(entry.link.removeprefix(site)).status_code == 200


def test_it_is_english_whatever_the_reader_speaks(table: Table) -> None:
    answers = {
        table.client.get(path(table.id), headers={"Accept-Language": language}).data
        for language in ("en", "de", "fr")
    }
    assert len(answers) == 1


def test_entries_stay_what_they_were(table: Table) -> None:
    """What a reader has seen never comes again under another name."""
    send(table, "first ussr", NOW + HOUR)
    before = {entry.id: entry for entry in read(table.client, table.id).entries}
    send(table, table.offered()[0], NOW + 2 * HOUR)
    with store.connected():
        turns.rewind(table.id, 0, "moderator", NOW + 3 * HOUR)
    after = {entry.id: entry for entry in read(table.client, table.id).entries}

    assert len(after) > len(before)
    for name, entry in before.items():
        assert (after[name].title, after[name].updated) == (entry.title, entry.updated)
    assert "The match is taken back to an earlier step." in str(after)


def test_the_end_is_told(table: Table) -> None:
    with store.connected():
        matches.resign(table.id, 0, NOW + HOUR)

    assert read(table.client, table.id).entries[0].title == "Step 1: USA resigns."


def test_a_match_in_the_making_has_an_empty_feed(client: FlaskClient) -> None:
    with store.connected():
        match = matches.create(wanted(), NOW)
    found = read(client, match)

    assert found.entries == []
    assert found.feed.updated == "2027-01-15T08:00:00+00:00"


def test_of_a_long_match_the_newest_steps_are_told(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeds, "MOST_ENTRIES", 10)
    with store.connected():
        play_to_the_end(table.id, NOW)
    numbers = [int(entry.id.rpartition("/")[2]) for entry in read(table.client, table.id).entries]

    page = table.client.get(f"/match/{table.id}").text
    last = max(map(int, re.findall(r"/step/(\d+)", page)))
    assert numbers == list(range(last, last - 10, -1))


# --- what is not in it ---------------------------------------------------------------------------


@pytest.mark.whole
def test_no_hidden_card_is_in_it(client: FlaskClient, links: Links) -> None:
    table = Table(client, links, {"deck": canary_deck()})
    below, looked = QuickDice(b"feed").below, 0
    while table.is_live:
        offered = table.offered()
        table.send(offered[below(len(offered))])
        if below(6) == 0 and table.is_live:
            state = table.state
            hidden = {*state.hands[0], *state.hands[1], *state.reserve, *state.aftermath}
            feed = client.get(path(table.id)).text.lower()
            assert not [card for card in hidden if card in feed]
            looked += 1
    assert looked > 3
    assert "canary" in client.get(path(table.id)).text.lower(), "cards that were played are told"


def test_no_address_and_no_secret_is_in_it(table: Table) -> None:
    feed = table.client.get(path(table.id)).text

    for hidden in (ANN, BOB, table.match.secret, "/t/", "/seat/"):
        assert hidden not in feed


def test_an_order_given_in_secret_leaves_no_trace(table: Table) -> None:
    """Neither a gap in the numbers nor a new mark of the version tells that there was one."""
    send(table, "first ussr", NOW + HOUR)
    before = table.client.get(path(table.id))
    head = table.match.head_seq
    with store.connected():
        turns.give_any_time(table.id, 0, "standing all use", NOW + 2 * HOUR)
    after = table.client.get(path(table.id))

    assert table.match.head_seq == head + 1
    assert after.data == before.data
    for header in ("ETag", "Last-Modified", "Content-Length"):
        assert after.headers[header] == before.headers[header]

    send(table, table.offered()[0], NOW + 3 * HOUR)
    numbers = [entry.id.rpartition("/")[2] for entry in read(table.client, table.id).entries]
    assert numbers == ["2", "1", "0"]


# --- asking again --------------------------------------------------------------------------------


def test_who_has_the_newest_is_told_so(table: Table) -> None:
    first = table.client.get(path(table.id))
    marks = {
        "If-None-Match": first.headers["ETag"],
        "If-Modified-Since": first.headers["Last-Modified"],
    }
    assert first.headers["Last-Modified"] == "Fri, 15 Jan 2027 08:00:00 GMT"
    assert first.headers["Cache-Control"] == "no-cache", "kept, and asked about"
    for name, value in marks.items():
        answer = table.client.get(path(table.id), headers={name: value})
        assert (answer.status_code, answer.data) == (304, b"")
        assert answer.headers["ETag"] == first.headers["ETag"]
        assert answer.headers["Cache-Control"] == "no-cache"

    send(table, "first ussr", NOW + HOUR)
    for name, value in marks.items():
        assert table.client.get(path(table.id), headers={name: value}).status_code == 200


# --- where it is ---------------------------------------------------------------------------------


def test_the_page_of_the_match_leads_to_it(table: Table) -> None:
    page = table.client.get(f"/match/{table.id}").text
    link = re.search('<link rel="alternate"[^>]+>', page)

    assert link and 'type="application/atom+xml"' in link[0]
    assert f'href="{path(table.id)}"' in link[0]
    assert 'href="/static/play.css"' in page


def test_it_is_public(table: Table) -> None:
    assert "X-Robots-Tag" not in table.client.get(path(table.id)).headers


@pytest.mark.parametrize("match", ["nowhere", "%00", "a" * 5_000, "é", "..%2f..%2fetc"])
def test_a_match_that_is_not_there_has_no_feed(client: FlaskClient, match: str) -> None:
    assert client.get(path(match)).status_code == 404


def test_looking_changes_nothing(table: Table) -> None:
    before = everything()
    table.client.get(path(table.id))
    table.client.head(path(table.id))
    assert table.client.post(path(table.id)).status_code == 405

    assert everything() == before
