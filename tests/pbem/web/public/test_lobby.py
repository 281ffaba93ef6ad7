"""The first page: games, open matches, starting a match, asking for an open seat."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from importlib import resources
from typing import Any
from unittest.mock import patch

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from pbem.config import Config
from pbem.db import store
from pbem.deadlines import HOUR, Clock
from pbem.links import ConfirmLink, Links
from pbem.services.match import joining, matches
from pbem.services.match.matches import DAY
from pbem.services.players import punctuality
from pbem.services.players.punctuality import Punctuality
from pbem.services.records.match_rows import FORMING, MatchRecord, get_match
from pbem.services.records.player_rows import player_at
from pbem.services.self_service import requests, revocation
from tests.kit.stores import on_sqlite
from tests.pbem.visiting import NOW, everything, forms
from tests.pbem.visiting import Clock as Wall
from tests.services.people import ANN, BOB, EVE, id_of, letters, sit_down, wanted

DECK = (resources.files("engine.iron_curtain") / "cards.toml").read_text("utf-8")
START: dict[str, Any] = {
    "game": "iron_curtain",
    "address": ANN,
    "name": "Ann",
    "language": "de",
    "seat": "ussr",
    "opponent": BOB,
    "pace": "7d",
    "option_edition": "de",
    "option_connected": "on",
    "phrase": "I like rain",
}


def the_match() -> MatchRecord:
    (match,) = matches.all_matches()
    return match


def an_open_match() -> str:
    """Ann has confirmed her address and looks for an opponent."""
    match = matches.create(wanted(addresses={"usa": ANN, "ussr": None}), NOW)
    joining.confirmed(id_of(ANN), NOW)
    return match


# --- starting ------------------------------------------------------------------------------------


def test_a_visitor_starts_a_match_and_is_asked_to_confirm(client: FlaskClient) -> None:
    page = client.post("/start", data=START)

    assert page.status_code == 200
    assert ANN in page.text and BOB in page.text
    with store.connected():
        match = the_match()
        assert match.setup == {"edition": "de", "connected": "on"}
        assert match.pace == 7 * DAY
        assert match.status == FORMING
        assert [(s.name, s.status, s.phrase) for s in match.seats] == [
            ("usa", "invited", ""),
            ("ussr", "invited", "I like rain"),
        ]
        ann = player_at(ANN)
        assert ann is not None
        assert (ann.name, ann.language, ann.confirmed_at) == ("Ann", "de", None)
        assert letters() == [("confirm", ann.id, None)], "nothing goes to Bob before that"


def test_the_form_as_it_stands_needs_only_an_address(client: FlaskClient) -> None:
    form = forms(client.get("/start").text)[0]
    page = client.post(form.action.partition("#")[0], data={**form.fields, "address": ANN})

    assert page.status_code == 200
    assert the_match().setup == {"edition": "en", "connected": "off"}
    assert [seat.status for seat in the_match().seats] == ["invited", "open"]


def test_the_page_after_starting_is_the_same_for_known_and_unknown(client: FlaskClient) -> None:
    unknown = client.post("/start", data=START)
    joining.confirmed(id_of(ANN), NOW)
    known = client.post("/start", data=START)

    assert known.data == unknown.data


def test_a_deck_file_can_be_typed_or_uploaded(client: FlaskClient) -> None:
    upload = (io.BytesIO(DECK.encode()), "cards.toml")
    for extra in ({"deck": DECK.replace("\n", "\r\n")}, {"deck_file": upload}):
        page = client.post("/start", data={**START, **extra})
        assert page.status_code == 200

    assert len(matches.all_matches()) == 2
    for match in matches.all_matches():
        assert len(match.setup["deck"]["cards"]) == 18


def test_robots_that_fill_every_field_start_nothing(client: FlaskClient) -> None:
    before = everything()
    page = client.post("/start", data={**START, "website": "https://spam.test"})

    assert page.status_code == 200
    assert everything() == before


HOSTILE = "<script>alert(1)</script>"
BAD_STARTS: list[tuple[dict[str, Any], str]] = [
    ({"game": None}, "there is no game"),
    ({"game": "chess"}, "there is no game"),
    ({"game": HOSTILE}, "there is no game"),
    ({"address": None}, "enter an email address"),
    ({"address": "  "}, "enter an email address"),
    ({"address": "ann"}, "not a usable email address"),
    ({"address": "ann@localhost"}, "not a usable email address"),
    ({"address": f"{'a' * 300}@example.org"}, "not a usable email address"),
    ({"address": "ann@example.org\r\nBcc: eve@example.org"}, "not a usable email address"),
    ({"address": f"{HOSTILE}@example.org"}, "not a usable email address"),
    ({"address": "ann@example.org, eve@example.org"}, "not a usable email address"),
    ({"opponent": "bob at home"}, "not a usable email address"),
    ({"opponent": ANN}, "one address cannot hold two seats"),
    ({"opponent": ANN.upper()}, "one address cannot hold two seats"),
    ({"opponent": [BOB, EVE]}, "other seats: 1, addresses: 2"),
    ({"name": "a" * 25}, "a name can have up to 24"),
    ({"name": HOSTILE}, "a name can have up to 24"),
    ({"name": "Ann\u202e"}, "a name can have up to 24"),
    ({"name": "a" * 50_000}, "a name can have up to 24"),
    ({"language": "xx"}, "not a language"),
    ({"language": ""}, "not a language"),
    ({"seat": "france"}, "there is no seat"),
    ({"seat": ""}, "there is no seat"),
    ({"pace": "3"}, "not a pace"),
    ({"pace": "0d"}, "not a pace"),
    ({"pace": "61d"}, "not a pace"),
    ({"pace": "-3d"}, "not a pace"),
    ({"pace": "9" * 5_000 + "d"}, "not a pace"),
    ({"clock_bank": "some"}, "not a length of time"),
    ({"clock_bank": "3d", "clock_increment": "61d"}, "each turn adds one hour to 60 days"),
    ({"clock_bank": "3d", "clock_cap": "2d"}, "a time bank holds at least what it starts with"),
    ({"clock_hour": "25"}, "not an hour of the day"),
    ({"clock_zone": HOSTILE}, "not a time zone"),
    ({"clock_zone": "x" * 50_000}, "not a time zone"),
    ({f"off_{day}": "on" for day in ("mon", "tue", "wed", "thu")}, "up to three days off"),
    ({"clock_grace": "15d"}, "the grace period lasts up to 14 days"),
    ({"clock_policy": "stand_in"}, "choose from claim, forfeit, default"),
    ({"clock_policy": HOSTILE}, "choose from claim, forfeit, default"),
    ({"clock_most_pause": "366d"}, "for up to 365 days"),
    ({"option_edition": "xx"}, "edition cannot be"),
    ({"option_edition": ""}, "edition cannot be"),
    ({"option_connected": "maybe"}, "connected cannot be"),
    ({"phrase": "a" * 201}, "a phrase for the shuffle"),
    ({"phrase": "a\0b"}, "a phrase for the shuffle"),
    ({"deck": "= nothing"}, "the deck file cannot be read"),
    ({"deck": DECK.replace('"reconstructed"', '"evil-casino.com"', 1)}, "look like a web address"),
    ({"name": "www.evil-casino.com"}, "look like a web address"),
    ({"name": "Ann\u3164"}, "invisible"),
    ({"deck": "a = " + "[" * 20_000}, "the deck file cannot be read"),
    ({"deck": "#" + "a" * 41_000}, "the deck file has"),
    ({"deck": "a = 1"}, "the deck file does not fit"),
    ({"deck": "cards = 1"}, "the deck file does not fit"),
    ({"deck": "when = 2001-01-01"}, "the deck file does not fit"),
    ({"deck": DECK.replace("command = ", "command = 9", 1)}, ""),
    ({"deck_file": (io.BytesIO(b"\xff\xfe"), "x")}, "not UTF-8"),
]


@pytest.mark.whole
@on_sqlite
def test_a_wrong_form_is_shown_again_with_the_reason(client: FlaskClient) -> None:
    before = everything()
    for change, words in BAD_STARTS:
        form = {key: value for key, value in {**START, **change}.items() if value is not None}
        page = client.post("/start", data=form)

        assert page.status_code == 400, words
        assert 'class="notice bad"' in page.text, words
        assert words in page.text, words
        assert HOSTILE not in page.text, words
        assert everything() == before, words


def test_what_was_typed_is_kept(client: FlaskClient) -> None:
    page = client.post("/start", data={**START, "name": "Ann & <Bob>"})
    form = forms(page.text)[0]

    assert form.fields == {
        **START,
        "name": "Ann & <Bob>",
        "website": "",
        "deck": "",
        "clock_bank": "",
        "clock_increment": "12h",
        "clock_cap": "",
        "clock_hour": "",
        "clock_zone": "UTC",
        "clock_grace": "24h",
        "clock_policy": "claim",
        "clock_most_pause": "720h",
        "visibility": "public",
    }


# --- the clock -----------------------------------------------------------------------------------

TIME = {
    "clock_bank": "72h",
    "clock_increment": "12h",
    "clock_cap": "120h",
    "clock_hour": "20",
    "clock_zone": "Europe/Berlin",
    "off_sat": "on",
    "off_sun": "on",
    "clock_grace": "48h",
    "clock_policy": "forfeit",
    "clock_most_pause": "336h",
}


def test_all_about_time_can_be_chosen(client: FlaskClient) -> None:
    page = client.post("/start", data={**START, **TIME})

    assert page.status_code == 200
    with store.connected():
        match = the_match()
    assert match.pace == 12 * HOUR, "what a turn brings"
    assert match.clock == Clock(
        per_move=0,
        bank=3 * DAY,
        increment=12 * HOUR,
        cap=5 * DAY,
        hour=20,
        zone="Europe/Berlin",
        days_off=(5, 6),
        grace=2 * DAY,
        policy="forfeit",
        most_pause=14 * DAY,
    )


def test_what_was_chosen_about_time_is_kept(client: FlaskClient) -> None:
    page = client.post("/start", data={**START, **TIME, "name": "<>"})
    form = forms(page.text)[0]

    assert form.fields.items() >= TIME.items()
    assert page.text.count("<details open>") == 2 + bool(START["phrase"])


def test_the_form_as_it_stands_makes_the_usual_clock(client: FlaskClient) -> None:
    form = forms(client.get("/start").text)[0]
    client.post("/start", data={**form.fields, "address": ANN})

    assert the_match().clock == Clock()
    assert the_match().pace == 3 * DAY


def test_a_form_without_anything_about_time_makes_the_usual_clock(client: FlaskClient) -> None:
    client.post("/start", data=START)

    assert the_match().clock == Clock(per_move=7 * DAY)


def test_what_the_form_offers_can_be_chosen(client: FlaskClient, clock: Wall) -> None:
    page = client.get("/start").text
    for name in ("clock_bank", "clock_increment", "clock_cap", "clock_grace", "clock_most_pause"):
        select = re.search(f'<select [^>]*name="{name}".*?</select>', page, re.DOTALL)
        assert select
        values = re.findall(r'value="([^"]*)"', select[0])
        assert len(values) > 4
        for value in values:
            bank = {"clock_bank": "24h", "clock_cap": "1440h"}
            clock.now += HOUR * 5
            answer = client.post("/start", data={**START, **bank, name: value})
            assert answer.status_code == 200, (name, value)


def test_the_list_of_open_matches_shows_the_clock_and_how_the_host_answers(
    client: FlaskClient,
) -> None:
    clock = Clock(per_move=2 * DAY, days_off=(6,), zone="Europe/Paris", policy="forfeit")
    match = matches.create(wanted(addresses={"usa": ANN, "ussr": None}, clock=clock), NOW)
    assert "2 days per turn" not in client.get("/").text, "nobody vouches for it yet"
    joining.confirmed(id_of(ANN), NOW)

    for path in ("/", f"/open/{match}"):
        page = client.get(path).text
        for words in (
            "2 days per turn",
            "No clock runs on Sunday (Europe/Paris)",
            "One day&#39;s grace if you are late; everyone sees it",
            "After the grace period: the other side wins",
            "Pauses and vacations can stop the match for 30 days at most",
            "Ann: new here",
        ):
            assert words in page


def test_how_a_host_answers_is_told_in_numbers(client: FlaskClient) -> None:
    an_open_match()
    with patch.object(punctuality, "of", lambda players, now: {id_of(ANN): Punctuality(50, 48, 9)}):
        page = client.get("/").text

    assert "Ann: usually replies within 1 hour; 96% of 50 turns on time" in page


# --- limits --------------------------------------------------------------------------------------


def test_an_address_gets_so_many_letters_a_day(client: FlaskClient, clock: Wall) -> None:
    answers = {client.post("/start", data=START).data for _ in range(9)}

    assert len(answers) == 1, "nobody is told"
    with store.connected():
        assert letters() == [("confirm", id_of(ANN), None)] * 5
    clock.now += DAY
    client.post("/start", data=START)
    with store.connected():
        assert len(letters()) == 6


def test_many_strangers_cannot_flood_one_person(client: FlaskClient, clock: Wall) -> None:
    """What is more than enough for a day comes on the days after, so that nobody is shut out."""
    for number in range(9):
        client.post("/start", data={**START, "address": f"x{number}@example.org"})
    for (player,) in store.rows("SELECT id FROM player WHERE address LIKE 'x%'"):
        joining.confirmed(player, NOW)

    found = store.rows("SELECT next_at FROM outbox WHERE kind = 'invitation' ORDER BY id")
    assert found == [(NOW,)] * 5 + [(NOW - NOW % DAY + DAY,)] * 4


def test_a_stranger_who_uses_an_address_does_not_shut_its_owner_out(client: FlaskClient) -> None:
    """Whatever somebody starts in Ann's name, or for Bob, they can still play with each other."""
    for number in range(30):
        form = {**START, "address": ANN if number % 2 else f"x{number}@example.org"}
        client.post("/start", data=form, environ_base={"REMOTE_ADDR": "192.0.2.66"})
    before = {match.id for match in matches.all_matches()}
    client.post("/start", data=START, environ_base={"REMOTE_ADDR": "192.0.2.7"})

    (new,) = [match.id for match in matches.all_matches() if match.id not in before]
    joining.confirmed(id_of(ANN), NOW, new)
    assert letters(new) == [("invitation", id_of(BOB), 0)]


def test_a_network_that_asks_too_much_is_told_when_to_come_again(client: FlaskClient) -> None:
    def start(number: int, network: str) -> TestResponse:
        form = {**START, "address": f"x{number}@x{number}.example.org", "opponent": ""}
        return client.post("/start", data=form, environ_base={"REMOTE_ADDR": network})

    answers = [start(number, f"2001:db8::{number:x}") for number in range(21)]

    assert [answer.status_code for answer in answers] == [200] * 20 + [429]
    assert 0 < int(answers[-1].headers["Retry-After"]) <= HOUR
    assert "that was too often; try again in 60 min" in answers[-1].text
    assert 'value="x20@x20.example.org"' in answers[-1].text, "what was typed is still there"
    assert start(31, "2001:db8:0:1::1").status_code == 200, "others are not shut out"


def test_a_site_that_has_written_enough_says_so(app: Flask, config: Config) -> None:
    few = replace(config, letters_a_day=3)
    app.extensions["pbem"] = replace(app.extensions["pbem"], config=few)
    client = app.test_client()
    form = {**START, "opponent": ""}
    answers = [client.post("/start", data=form) for _ in range(4)]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert "try again tomorrow" in answers[-1].text
    assert client.post("/you", data={"address": ANN}).status_code == 200


# --- open matches --------------------------------------------------------------------------------


def test_an_open_match_is_listed_when_its_host_is_confirmed(client: FlaskClient) -> None:
    form = {**START, "opponent": ""}
    client.post("/start", data=form)
    match = the_match().id
    assert match not in client.get("/").text
    assert client.get(f"/open/{match}").status_code == 409

    joining.confirmed(id_of(ANN), NOW)
    page = client.get("/").text
    assert f'href="/open/{match}"' in page
    assert "Ann is looking for an opponent." in page
    assert "Free: USA." in page
    assert "7 days per turn" in page
    assert "German: aftermath without a limit" in page
    assert ANN not in page


def test_the_open_page_shows_what_is_agreed_on(client: FlaskClient) -> None:
    match = an_open_match()
    page = client.get(f"/open/{match}")

    assert page.status_code == 200
    for words in ("Ann", "USSR", "3 days", get_match(match).commitment, "/rules/iron_curtain"):
        assert words in page.text
    assert ANN not in page.text
    assert get_match(match).secret not in page.text


def test_whoever_asks_for_the_seat_gets_a_letter(client: FlaskClient) -> None:
    with store.connected():
        match = an_open_match()
    page = client.post(f"/open/{match}", data={"address": EVE, "language": "fr"})
    client.post(f"/open/{match}", data={"address": EVE, "language": "fr"})

    assert page.status_code == 200
    with store.connected():
        assert requests.answer_all(NOW) == 2
        eve = player_at(EVE)
        assert eve is not None
        assert eve.language == "fr"
        assert letters().count(("invitation", eve.id, 1)) == 1
        assert get_match(match).seat(1).player is None, "the seat is free until it is accepted"


def test_the_answer_does_not_tell_who_sits_there(client: FlaskClient) -> None:
    match = an_open_match()
    sit_down(NOW)
    answers = {
        client.post(f"/open/{match}", data={"address": mail}).data
        for mail in (ANN, BOB, EVE, "new@example.org")
    }

    assert len(answers) == 1
    assert requests.answer_all(NOW) == 4
    assert not [letter for letter in letters() if letter == ("invitation", id_of(ANN), 1)]
    assert letters().count(("invitation", id_of(EVE), 1)) == 1


def test_whose_links_were_renewed_can_ask_for_the_same_seat_again(client: FlaskClient) -> None:
    match = an_open_match()
    for at in (NOW, NOW + 60):
        client.post(f"/open/{match}", data={"address": EVE})
        requests.answer_all(at)
        revocation.by_player(id_of(EVE), at)
    assert letters().count(("invitation", id_of(EVE), 1)) == 2


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"address": ""},
        {"address": "eve"},
        {"address": "e" * 60_000},
        {"address": f"{HOSTILE}@x.org"},
        {"address": EVE, "language": "xx"},
        {"address": EVE, "language": "e" * 1_000},
    ],
)
def test_a_wrong_wish_for_a_seat_is_refused(client: FlaskClient, form: dict[str, str]) -> None:
    match = an_open_match()
    before = everything()
    page = client.post(f"/open/{match}", data=form)

    assert page.status_code == 400
    assert HOSTILE not in page.text
    assert everything() == before


def test_a_match_without_an_open_seat_says_so(client: FlaskClient) -> None:
    match = sit_down(NOW).match
    before = everything()

    for answer in (
        client.get(f"/open/{match}"),
        client.post(f"/open/{match}", data={"address": EVE}),
    ):
        assert answer.status_code == 409
        assert "This match has no free seat any more." in answer.text
    assert client.get("/open/nothing").status_code == 404
    assert everything() == before


# --- confirming ----------------------------------------------------------------------------------


def test_confirming_sends_the_invitation(client: FlaskClient, links: Links) -> None:
    client.post("/start", data={**START, "language": "en"})
    with store.connected():
        ann, bob = id_of(ANN), id_of(BOB)
        link = ConfirmLink(ann, NOW, the_match().id)
    path = f"/confirm/{links.sign('confirm', link)}"
    (form,) = forms(client.get(path).text)
    assert form.fields == {"zone": "UTC"}
    assert len(form.buttons) == 1

    pages = [client.post(path, data={"zone": "Europe/Vienna"}) for _ in range(3)]

    assert [page.status_code for page in pages] == [200, 200, 200]
    assert "Your address is confirmed" in pages[0].text
    assert "the invitation is on its way" in pages[0].text
    with store.connected():
        found = player_at(ANN)
        assert found is not None
        assert (found.confirmed_at, found.zone) == (NOW, "Europe/Vienna")
        assert letters() == [("confirm", ann, None), ("invitation", bob, 0)]
    assert not forms(client.get(path).text), "nothing is left to press"


def test_a_confirmation_that_is_passed_on_later_makes_no_browser_known(
    client: FlaskClient, links: Links
) -> None:
    sitting = sit_down(NOW)
    path = f"/confirm/{links.sign('confirm', ConfirmLink(sitting.bob, NOW))}"
    before = store.rows("SELECT * FROM device")
    pages = [client.post(path, data={"zone": "UTC"}), client.get(path)]

    assert all(page.status_code == 200 and "/t/" not in page.text for page in pages)
    assert "Set-Cookie" not in pages[0].headers
    assert store.rows("SELECT * FROM device") == before


def test_an_unknown_zone_confirms_nothing(client: FlaskClient, links: Links) -> None:
    client.post("/start", data=START)
    path = f"/confirm/{links.sign('confirm', ConfirmLink(id_of(ANN), NOW))}"
    before = everything()

    for zone in ("Mars/Base", "", "../../etc/passwd", "x" * 60_000, HOSTILE):
        page = client.post(path, data={"zone": zone})
        assert page.status_code == 400
        assert HOSTILE not in page.text
    assert everything() == before


def test_a_renewed_confirm_link_says_so_and_does_nothing(client: FlaskClient, links: Links) -> None:
    client.post("/start", data={**START, "language": "en"})
    path = f"/confirm/{links.sign('confirm', ConfirmLink(id_of(ANN), NOW - 1))}"
    before = everything()

    for page in (client.get(path), client.post(path)):
        assert page.status_code == 410
        assert "This link has been replaced" in page.text
    assert everything() == before
