"""The first page: what it shows in one look, how much it weighs, and a friend who is invited."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from engine.registry import GAMES
from pbem.db import store
from pbem.services.match import matches
from pbem.services.match.matches import DAY
from pbem.services.records.match_rows import MatchRecord
from pbem.services.records.player_rows import player_at
from pbem.web.front.home import two_seats
from tests.pbem.visiting import everything, forms
from tests.services.people import ANN, BOB, id_of, letters

INVITATION: dict[str, Any] = {"game": "iron_curtain", "address": ANN, "friend": BOB}
MOST = 100_000
"""Bytes of the first page with all that it is painted from."""


def the_match() -> MatchRecord:
    (match,) = matches.all_matches()
    return match


# --- what it shows -------------------------------------------------------------------------------


def test_each_game_has_a_picture_its_length_its_players_and_two_sentences(
    client: FlaskClient,
) -> None:
    page = unescape(client.get("/").text)

    for name, game in GAMES.items():
        leaflet = game.leaflet("en")
        assert leaflet is not None
        for words in (leaflet.length, *leaflet.sentences, f'href="/rules/{name}"'):
            assert words in page
        picture = client.get(f"/front/{name}.svg?lang=en")
        assert picture.mimetype == "image/svg+xml"
        assert picture.text == leaflet.svg
        assert f'src="/front/{name}.svg?lang=en"' in page
    assert "2 players · " in page and "2 to 4 players · " in page


def test_what_is_not_there_is_not_offered(app: Flask) -> None:
    """The ways to the machine and to the lists of matches appear with their pages."""
    page = app.test_client().get("/").text

    assert ("against the machine" in page) == ("try_machine.start" in app.view_functions)
    assert ('href="#open"' in page) == ("watching.lists" not in app.view_functions)


def test_the_machine_and_the_lists_are_offered_where_they_are(app: Flask) -> None:
    def elsewhere(game: str = "") -> str:
        return game

    if "try_machine.start" not in app.view_functions:
        app.add_url_rule("/try/<game>", "try_machine.start", elsewhere, methods=["POST"])
    if "watching.lists" not in app.view_functions:
        app.add_url_rule("/watch", "watching.lists", elsewhere)
    page = app.test_client().get("/").text

    assert "Try it now against the machine" in page
    assert {form.action for form in forms(page)} >= {f"/try/{name}" for name in GAMES}
    assert page.count('href="/watch"') == 2


def test_the_first_page_is_painted_from_less_than_100_kilobytes(client: FlaskClient) -> None:
    """As it is sent: the picture packed, since nothing secret is in it, all else as it is.

    The pictures of the games are loaded when somebody scrolls to them.
    """
    page = client.get("/").text
    parts = re.findall(r'<link rel="(?:stylesheet|icon)"[^>]*href="([^"]+)"', page)
    parts += re.findall(r'<script src="([^"]+)"', page)
    parts += re.findall(r'<img src="([^"]+)"(?![^>]*loading="lazy")', page)
    sizes = {"/": len(page.encode())}
    for path in dict.fromkeys(map(unescape, parts)):
        with client.get(path, headers={"Accept-Encoding": "gzip"}) as answer:
            sizes[path] = len(answer.data)

    assert {"/static/look.css", "/static/pbem.css", "/static/front.css"} <= sizes.keys()
    assert sizes["/front/board.svg?lang=en"] > 20_000, "a whole map is there"
    assert sum(sizes.values()) < MOST, sizes


# --- inviting a friend ---------------------------------------------------------------------------


def test_two_addresses_are_enough(client: FlaskClient) -> None:
    form = next(f for f in forms(client.get("/").text) if "friend" in f.fields)
    assert {name: value for name, value in form.fields.items() if not value} == {
        "website": "",
        "zone": "",
        "address": "",
        "friend": "",
        "name": "",
    }
    page = client.post("/invite", data={**form.fields, "address": ANN, "friend": BOB})

    assert page.status_code == 200
    assert ANN in page.text and BOB in page.text
    with store.connected():
        match = the_match()
        assert (match.game_name, match.pace, match.by_lot) == ("iron_curtain", 3 * DAY, False)
        assert match.seat(1).player == id_of(BOB), "the USSR is asked first: the friend begins"
        assert letters() == [("confirm", id_of(ANN), None)], "nothing goes to Bob before that"


@pytest.mark.parametrize("name", GAMES)
def test_every_game_that_two_can_play_is_offered(client: FlaskClient, name: str) -> None:
    two = two_seats(name)
    assert two is not None
    page = client.get(f"/?game={name}").text
    assert f"Invite a friend to {GAMES[name].title.in_('en')}" in unescape(page)
    client.post("/invite", data={**INVITATION, "game": name})

    with store.connected():
        match = the_match()
        begun = {seat.name: seat.player for seat in match.seats}
        assert begun == {two.seats[0]: id_of(BOB), two.seats[1]: id_of(ANN)}


@pytest.mark.parametrize(("begins", "first"), [("friend", BOB), ("me", ANN), ("lot", BOB)])
def test_who_begins_can_be_chosen(client: FlaskClient, begins: str, first: str) -> None:
    client.post("/invite", data={**INVITATION, "begins": begins})

    with store.connected():
        match = the_match()
        assert match.by_lot == (begins == "lot")
        assert match.seat(1).player == id_of(first)


@pytest.mark.parametrize(
    ("guessed", "kept"),
    [("Europe/Berlin", "Europe/Berlin"), ("Mars/Base", "UTC"), ("", "UTC"), ("<b>", "UTC")],
)
def test_the_time_zone_is_the_browsers_if_it_is_one(
    client: FlaskClient, guessed: str, kept: str
) -> None:
    client.post("/invite", data={**INVITATION, "zone": guessed})

    with store.connected():
        ann = player_at(ANN)
        assert ann is not None and ann.zone == kept


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"address": ""}, "enter an email address"),
        ({"friend": ""}, "enter an email address"),
        ({"friend": "bob at home"}, "not a usable email address"),
        ({"friend": ANN.upper()}, "one address cannot hold two seats"),
        ({"game": "chess"}, "there is no game"),
        ({"begins": "<b>eve"}, "cannot begin; choose from friend, me, lot"),
        ({"pace": "0d"}, "not a pace"),
        ({"language": "xx"}, "not a language"),
        ({"name": "a" * 25}, "a name can have up to 24"),
    ],
)
def test_a_wrong_invitation_is_shown_again_with_the_reason(
    client: FlaskClient, change: dict[str, str], words: str
) -> None:
    before = everything()
    page = client.post("/invite", data={**INVITATION, "name": "Ann", "pace": "7d", **change})

    assert page.status_code == 400
    assert words in page.text
    assert "<b>eve" not in page.text
    kept = next(f for f in forms(page.text) if "friend" in f.fields).fields
    assert (kept["address"], kept["friend"]) == (
        change.get("address", ANN),
        change.get("friend", BOB),
    )
    assert everything() == before


def test_robots_that_fill_every_field_invite_nobody(client: FlaskClient) -> None:
    before = everything()
    page = client.post("/invite", data={**INVITATION, "website": "https://spam.test"})

    assert page.status_code == 200
    assert everything() == before


def test_too_many_invitations_are_refused_as_too_many_matches_are(client: FlaskClient) -> None:
    answers = [
        client.post("/invite", data={**INVITATION, "address": f"x{n}@x{n}.example.org"})
        for n in range(21)
    ]

    assert answers[-1].status_code == 429
    assert "that was too often" in answers[-1].text
