"""The public page of a match: what everybody may see, step by step, and the file at the end."""

from __future__ import annotations

import re
from html import unescape
from unittest.mock import patch

import pytest
from flask.testing import FlaskClient

from engine.audit import audit
from engine.chance import QuickDice
from engine.replay import read_match
from pbem.db import store
from pbem.deadline_text import clock_in_words
from pbem.deadlines import HOUR
from pbem.links import Links
from pbem.services.match import match_log, matches, turns
from pbem.services.players import punctuality
from pbem.services.players.punctuality import Punctuality
from pbem.services.records.match_rows import get_match
from tests.pbem.table import Table, canary_deck
from tests.pbem.visiting import NOW, everything
from tests.services.people import ANN, BOB, play_to_the_end, wanted


@pytest.fixture
def table(client: FlaskClient, links: Links) -> Table:
    return Table(client, links)


def forming(**change: object) -> str:
    with store.connected():
        return matches.create(wanted(**change), NOW)


def test_everybody_sees_the_board_the_players_and_who_is_asked(table: Table) -> None:
    page = table.client.get(f"/match/{table.id}")

    assert page.status_code == 200
    assert "<svg" in page.text
    assert "Ann" in page.text
    assert "Bob" in page.text
    assert "USSR to play." in page.text
    assert "3 days" in page.text
    assert table.match.commitment in page.text
    assert ANN not in page.text
    assert BOB not in page.text
    assert table.match.secret not in page.text


def test_everybody_sees_that_a_player_cannot_be_reached(table: Table) -> None:
    words = "The player of USSR cannot be reached at the moment."
    assert words not in table.client.get(f"/match/{table.id}").text
    with store.connected():
        store.execute("UPDATE player SET unreachable_since = ? WHERE address = ?", NOW, BOB)

    page = table.client.get(f"/match/{table.id}").text
    assert words in page
    assert BOB not in page


def test_everybody_sees_the_clock_and_how_the_players_answer(table: Table) -> None:
    bob = table.match.seat(1).player
    assert bob is not None
    with patch.object(punctuality, "of", lambda players, now: {bob: Punctuality(4, 4, HOUR)}):
        page = table.client.get(f"/match/{table.id}").text

    for line in clock_in_words(table.match.clock):
        assert line in unescape(page)
    assert "Bob: usually replies within 1 hour; 100% of 4 turns on time" in page
    assert "Ann: new here" in page


@pytest.mark.parametrize("language", ["de", "fr"])
def test_the_page_speaks_the_language_of_the_visitor(table: Table, language: str) -> None:
    page = table.client.get(f"/match/{table.id}", headers={"Accept-Language": language}).text

    assert f'<html lang="{language}">' in page
    assert {"de": "Jede Seite erhält", "fr": "Chaque camp reçoit"}[language] in page


def test_each_step_has_its_board_and_leads_to_the_next(table: Table) -> None:
    table.send("first ussr")
    table.send(table.offered()[0])
    first = table.client.get(f"/match/{table.id}/step/0").text
    second = table.client.get(f"/match/{table.id}/step/1").text

    assert "Each side is dealt five cards." in first
    assert 'rel="prev"' not in first
    assert f'rel="next" href="/match/{table.id}/step/1"' in first
    assert "USSR decides: USSR goes first in round 1." in second
    assert f'rel="prev" href="/match/{table.id}/step/0"' in second
    assert "You are dealt" not in first


@pytest.mark.parametrize("number", ["7", "-1", "x", "99999999999999999999999"])
def test_a_step_that_is_not_there_is_not_found(table: Table, number: str) -> None:
    assert table.client.get(f"/match/{table.id}/step/{number}").status_code == 404


@pytest.mark.parametrize(
    "match", ["nowhere", "%00", "a" * 5_000, "é", "' OR 1=1 --", "..%2f..%2fetc"]
)
def test_a_match_that_is_not_there_is_not_found(client: FlaskClient, match: str) -> None:
    for path in (f"/match/{match}", f"/match/{match}/step/0", f"/match/{match}/download"):
        assert client.get(path).status_code == 404


def test_a_match_in_the_making_says_who_is_awaited(client: FlaskClient) -> None:
    invited, free = forming(), forming(addresses={"usa": ANN, "ussr": None})
    one = client.get(f"/match/{invited}").text
    other = client.get(f"/match/{free}").text

    assert "The player of USSR has been invited but has not answered yet." in one
    assert "The USSR seat is free." in other
    assert f'href="/open/{free}"' in other
    assert "<svg" not in one
    assert BOB not in one
    assert client.get(f"/match/{invited}/step/0").status_code == 404
    assert client.get(f"/match/{invited}/download").status_code == 409


def test_a_match_that_was_called_off_says_so(table: Table) -> None:
    with store.connected():
        matches.cancel(table.id, "moderator", NOW)
    page = table.client.get(f"/match/{table.id}").text

    assert "The match was called off." in page
    assert "Each side is dealt five cards." in page


def test_a_match_that_was_taken_back_says_so(table: Table) -> None:
    table.send("first ussr")
    with store.connected():
        turns.rewind(table.id, 0, "moderator", NOW)
    page = table.client.get(f"/match/{table.id}").text

    assert "The match is taken back to an earlier step." in page
    assert table.client.get(f"/match/{table.id}/step/2").status_code == 200


def test_the_file_comes_when_the_match_is_over(table: Table) -> None:
    early = table.client.get(f"/match/{table.id}/download")
    assert early.status_code == 409
    assert table.match.secret not in early.text
    with store.connected():
        play_to_the_end(table.id, NOW)
    page = table.client.get(f"/match/{table.id}").text
    file = table.client.get(f"/match/{table.id}/download")

    assert "The match is over" in page
    assert f'href="/match/{table.id}/download"' in page
    assert 'href="/verify"' in page
    assert file.mimetype == "application/json"
    assert file.headers["Content-Disposition"] == f'attachment; filename="pbem-{table.id}.json"'
    assert len(audit(read_match(file.data))) > 20


def test_a_resignation_is_told(table: Table) -> None:
    with store.connected():
        matches.resign(table.id, 0, NOW)
    page = table.client.get(f"/match/{table.id}").text

    assert "The match is over: USSR won." in page
    assert "USA resigns." in page
    assert "to move:" not in page, "the board asks nobody any more"
    assert "turn 1 of 8" in page


def test_a_draw_is_told(table: Table) -> None:
    with store.connected():
        matches.offer_draw(table.id, 0, NOW)
        matches.offer_draw(table.id, 1, NOW)
    page = table.client.get(f"/match/{table.id}").text

    assert "The match is over: a draw." in page
    assert "The players agree to a draw." in page


@pytest.mark.whole
def test_every_step_of_a_whole_match_shows_no_hidden_card(
    client: FlaskClient, links: Links
) -> None:
    """Eve reads on, step by step, while every hidden card has a name that stands nowhere else."""
    table = Table(client, links, {"deck": canary_deck()})
    below = QuickDice(b"eve").below
    while table.is_live:
        offered = table.offered()
        table.send(offered[below(len(offered))])
        if below(6) == 0 and table.is_live:
            state = table.state
            hidden = {*state.hands[0], *state.hands[1], *state.reserve, *state.aftermath}
            page = client.get(f"/match/{table.id}").text
            last = max(map(int, re.findall(r"/step/(\d+)", page)))
            page += client.get(f"/match/{table.id}/step/{last}").text
            assert not [card for card in hidden if card in page.lower()]


def test_looking_changes_nothing(table: Table) -> None:
    before = everything()
    for path in ("", "/step/0", "/download"):
        table.client.get(f"/match/{table.id}{path}")
        table.client.head(f"/match/{table.id}{path}")
        assert table.client.post(f"/match/{table.id}{path}").status_code == 405

    assert everything() == before


def test_every_page_of_a_match_shows_its_head(table: Table) -> None:
    table.send("first usa")
    with store.connected():
        head = match_log.public_head(get_match(table.id))
        first = match_log.public_head(get_match(table.id), 0)
    turn, seat = table.turn_path(), table.seat_path(0)
    for path in (f"/match/{table.id}", turn, f"{turn}?prefix=play", seat, f"{seat}/standing"):
        assert f"Head of match {table.id}: {head}" in table.client.get(path).text, path
    assert head != first
    assert f"{table.id}: {first}" in table.client.get(f"/match/{table.id}/step/0").text


def test_a_match_in_the_making_has_no_head(client: FlaskClient) -> None:
    with store.connected():
        match = matches.create(wanted(), NOW)

    assert "Head of match" not in client.get(f"/match/{match}").text
    assert client.get(f"/api/v1/match/{match}").get_json()["head"] is None
