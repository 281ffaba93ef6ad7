"""Whether a reply was the player's own: asked on a page, done by its one button, once."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from pbem.db import store
from pbem.db.models import Incoming
from pbem.db.reading import value
from pbem.links import Links, ReplyLink
from pbem.services.match import drafts, matches
from pbem.services.records.match_rows import get_match
from tests.pbem.table import Table
from tests.pbem.visiting import Clock, everything, forms
from tests.services.inbox.replying import reply, turn_now
from tests.services.inbox.test_replies import whole_turn
from tests.services.people import EVE, NOW

DAY = 86_400


@pytest.fixture
def table(client: FlaskClient, links: Links) -> Table:
    return Table(client, links)


def asked(table: Table, *words: str) -> str:
    """The page about a reply of somebody else."""
    with store.connected():
        turn = turn_now(table.id)
        ending = reply(table.id, *words, sender=EVE)
        assert ending.state == "asked"
        epoch = get_match(table.id).seat(turn.seat).epoch
        mail = value(Incoming.select(Incoming.id).order_by(Incoming.id.desc()).limit(1))
    return f"/reply/{table.links.sign('reply', ReplyLink(mail, table.id, turn.seat, epoch))}"


def orders(table: Table) -> list[str]:
    with store.connected():
        return whole_turn(table.id)


def test_looking_changes_nothing(table: Table) -> None:
    lines = orders(table)
    path = asked(table, *lines)
    before = everything()
    page = table.client.get(path)
    assert page.status_code == 200
    assert all(line in page.text for line in lines)
    assert len(forms(page.text)) == 1
    assert everything() == before


def test_the_button_does_it_once(table: Table) -> None:
    lines = orders(table)
    path, before = asked(table, *lines), table.match.head_seq
    for _ in range(2):
        page = table.client.post(path)
        assert page.status_code == 200
        assert table.match.head_seq == before + len(lines)
    assert not forms(table.client.get(path).text)


@pytest.mark.parametrize("words", ["BOARD", "HELP", "RESIGN", "SAY hello"])
def test_what_was_done_is_answered_by_email_too(table: Table, words: str) -> None:
    path = asked(table, words)
    page = table.client.post(path)
    assert page.status_code == 200
    assert ("Die Antwort kommt per E-Mail" in page.text) == (words != "SAY hello")
    assert table.client.post(path).status_code == 200
    with store.connected():
        told = store.rows("SELECT about FROM outbox WHERE kind = 'reply' ORDER BY id")
    assert len(told) == 2, "the question and one answer"


def test_words_for_others_outlive_their_turn(table: Table) -> None:
    path, late = asked(table, "SAY hello"), asked(table, "first usa")
    table.send(*orders(table))
    assert "Dieser Zug ist vorbei" in table.client.get(late).text
    assert not forms(table.client.get(late).text)
    assert len(forms(table.client.get(path).text)) == 1
    assert table.client.post(path).status_code == 200
    with store.connected():
        assert store.rows("SELECT text FROM message") == [("hello",)]


def test_half_a_turn_waits_in_the_draft(table: Table) -> None:
    path, turn = asked(table, orders(table)[0]), table.turn
    assert table.client.post(path).status_code == 200
    with store.connected():
        assert len(drafts.draft_of(turn.id)) == 1


def test_what_cannot_be_is_refused_with_its_reason(table: Table) -> None:
    path, before = asked(table, "play nowhere z9"), table.match.head_seq
    page = table.client.post(path)
    assert page.status_code == 409
    assert "nowhere" in page.text
    assert table.match.head_seq == before


def test_the_link_dies_with_those_of_its_seat_and_with_time(
    table: Table, clock: Clock, client: FlaskClient
) -> None:
    path, turn, before = asked(table, *orders(table)), table.turn, table.match.head_seq
    clock.now = NOW + 8 * DAY
    assert client.post(path).status_code == 410
    clock.now = NOW
    with store.connected():
        matches.revoke_links(table.id, turn.seat, NOW + 90)
    assert client.post(path).status_code == 410
    assert table.match.head_seq == before


def test_nobody_can_write_such_a_link(table: Table) -> None:
    path = asked(table, *orders(table))
    assert table.client.get(path[:-1] + ("A" if path[-1] != "A" else "E")).status_code == 404
    turn = table.turn
    strange = ReplyLink(999, table.id, turn.seat, table.match.seat(turn.seat).epoch)
    assert table.client.get(f"/reply/{table.links.sign('reply', strange)}").status_code == 404
