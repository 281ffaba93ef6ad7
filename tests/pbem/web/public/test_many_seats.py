"""Matches of many: who plays, sides drawn by lot, several open seats, an ally who resigns."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask.testing import FlaskClient

from engine.log import Entry, decided
from engine.registry import GAMES
from pbem.errors import Refused
from pbem.links import JoinLink, Links
from pbem.services.match import joining, match_log, matches
from pbem.services.match.joining import Joining
from pbem.services.match.matches import Wanted
from pbem.services.records import alliances
from pbem.services.records.match_rows import JOINED, LIVE, OPEN, OVER, MatchRecord, get_match
from pbem.services.records.player_rows import PlayerRecord, get_player
from pbem.services.seats import live_links
from tests.pbem.visiting import NOW, forms
from tests.services.people import ANN, BOB, DAY, id_of

CY, DEE = "cy@example.org", "dee@example.org"
GAME = GAMES["east_and_west"]
FOUR: dict[str, Any] = {"ussr": ANN, "we": BOB, "uk": CY, "usa": DEE}
START: dict[str, Any] = {
    "game": "east_and_west",
    "address": ANN,
    "name": "Ann",
    "seat": "ussr",
    "seat_we": BOB,
    "seat_uk": CY,
    "seat_usa": DEE,
}


def the_match() -> MatchRecord:
    (match,) = matches.all_matches()
    return match


def seated(**change: Any) -> str:
    """All people have sat down, four if nothing else is said."""
    usual = Wanted("east_and_west", {}, 3 * DAY, FOUR, creator=ANN, name="Ann", phrase="of Ann")
    match = matches.create(usual._replace(**change), NOW)
    joining.confirmed(id_of(ANN), NOW)
    invited = {mail for mail in change.get("addresses", FOUR).values() if mail}
    for name, mail in (("Bob", BOB), ("Cy", CY), ("Dee", DEE)):
        if mail not in invited:
            continue
        (number,) = (s.number for s in get_match(match).seats if s.player == id_of(mail))
        joining.accept(match, number, id_of(mail), Joining(name, "en", "UTC", name), NOW)
    return match


# --- the form -------------------------------------------------------------------------------------


def the_form(client: FlaskClient, query: str = "") -> Any:
    page = client.get(f"/start{query}").text
    return next(form for form in forms(page) if form.fields.get("game") == GAME.name)


def test_the_form_has_an_address_for_each_seat(client: FlaskClient) -> None:
    fields = the_form(client).fields
    assert {name for name in fields if name.startswith("seat_")} == {
        "seat_ussr",
        "seat_we",
        "seat_uk",
        "seat_usa",
    }


def test_who_plays_is_chosen_by_a_link_and_decides_the_seats(client: FlaskClient) -> None:
    page = client.get("/start").text
    (query,) = set(re.findall(r'href="/start(\?[^"]*we%2Buk%2Cusa[^"]*)"', page))
    fields = the_form(client, query.replace("&amp;", "&")).fields
    assert {name for name in fields if name.startswith("seat_")} == {
        "seat_ussr",
        "seat_we-uk",
        "seat_usa",
    }
    assert fields["option_nato"] == "we+uk,usa"


def test_a_link_with_a_seating_that_does_not_exist_shows_the_usual_one(client: FlaskClient) -> None:
    fields = the_form(client, "?game=east_and_west&option_nato=%3Cb%3E").fields
    assert "option_nato" not in fields
    assert "seat_we" in fields


def test_four_people_are_asked_by_seat(client: FlaskClient) -> None:
    assert client.post("/start", data=START).status_code == 200
    addresses = {seat.name: seat.player for seat in the_match().seats}
    assert addresses == {seat: id_of(mail) for seat, mail in FOUR.items()}


def test_a_fast_game_is_one_click_and_house_rules_go_before_it(client: FlaskClient) -> None:
    client.post("/start", data={**START, "preset": "fast", "option_rounds": "10"})
    assert the_match().setup == {"fast_game": "on", "rounds": "10"}


def test_a_setting_left_as_usual_does_not_undo_the_fast_game(client: FlaskClient) -> None:
    typed = {**START, "preset": "fast", "option_rounds": "30", "option_fast_game": "off"}
    client.post("/start", data=typed)
    assert the_match().setup == {"fast_game": "on", "rounds": "15"}


@pytest.mark.parametrize(
    ("field", "value", "answer"),
    [
        ("preset", "slow", "preset cannot be “slow”; it can be fast"),
        ("option_nato", "all", "nato cannot be “all”; it can be we,uk,usa, we+uk,usa"),
        ("seat", "france", "there is no seat “france”; choose from ussr, we, uk, usa, lot"),
        ("seat_ussr", CY, "you play this side yourself; leave its address empty"),
        ("seat_we", CY, "one address cannot hold two seats in this game"),
        ("seat_we", "nobody", "nobody"),
        ("machine_we", "on", "the computer and an address cannot both have the seat “we”"),
    ],
)
def test_what_does_not_fit_is_answered_with_what_would(
    client: FlaskClient, field: str, value: str, answer: str
) -> None:
    page = client.post("/start", data={**START, field: value})
    assert page.status_code == 400
    assert answer in page.text
    assert f'value="{DEE}"' in page.text, "what was typed is kept"
    assert not matches.all_matches()


def test_the_computer_may_play_a_side(client: FlaskClient) -> None:
    client.post("/start", data={**START, "seat_usa": "", "machine_usa": "on"})
    assert [seat.status for seat in the_match().seats][-1] == "machine"


# --- sides drawn by lot ---------------------------------------------------------------------------


def test_nobody_has_a_side_before_it_is_drawn(client: FlaskClient, links: Links) -> None:
    client.post("/start", data={**START, "seat": "lot", "seat_ussr": ""})
    match = the_match()
    assert match.by_lot
    joining.confirmed(id_of(ANN), NOW)
    token = links.sign("join", live_links.to_invitation(match, match.seat(1), _player(BOB)))
    page = client.get(f"/join/{token}").text
    assert "The sides are drawn by lot when the match begins." in page
    assert "You play Western Europe" not in page


def _player(mail: str) -> PlayerRecord:
    return get_player(id_of(mail))


def test_sides_are_drawn_when_all_sit_down_and_phrases_go_with_their_people(
    client: FlaskClient, links: Links, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("random.SystemRandom.shuffle", lambda self, people: people.reverse())
    match = get_match(seated(by_lot=True))
    found = {seat.name: (seat.player, seat.phrase) for seat in match.seats}
    assert match.status == LIVE
    assert found == {
        "ussr": (id_of(DEE), "Dee"),
        "we": (id_of(CY), "Cy"),
        "uk": (id_of(BOB), "Bob"),
        "usa": (id_of(ANN), "of Ann"),
    }
    token = links.sign("join", JoinLink(match.id, 1, id_of(BOB), match.seat(1).epoch))
    assert "you play United Kingdom" in client.get(f"/join/{token}").text


def test_whoever_draws_lots_leaves_a_side_for_himself(client: FlaskClient) -> None:
    page = client.post("/start", data={**START, "seat": "lot", "seat_ussr": "eve@example.org"})
    assert "leave one side without an address: one of the players is you" in page.text


# --- several open seats ---------------------------------------------------------------------------


def an_open_match() -> str:
    match = matches.create(
        Wanted("east_and_west", {}, DAY, {**dict.fromkeys(FOUR), "ussr": ANN}, creator=ANN), NOW
    )
    joining.confirmed(id_of(ANN), NOW)
    return match


def test_open_seats_are_listed_and_chosen_when_one_accepts(
    client: FlaskClient, links: Links
) -> None:
    match = an_open_match()
    page = client.get("/").text
    assert "Someone is looking for players." in page
    assert "Free: Western Europe, United Kingdom, USA." in page
    joining.ask_to_join(match, BOB, "en", NOW)
    record = get_match(match)
    token = links.sign("join", live_links.to_invitation(record, record.seat(1), _player(BOB)))
    form = forms(client.get(f"/join/{token}").text)[0]
    assert form.fields["seat"] == "we"
    wrong = client.post(f"/join/{token}", data={"do": "accept", "seat": "ussr"})
    assert "“ussr” is not free; choose from we, uk, usa" in wrong.text
    client.post(f"/join/{token}", data={"do": "accept", "seat": "usa", "name": "Bob"})
    statuses = [(seat.name, seat.status) for seat in get_match(match).seats]
    assert statuses == [("ussr", JOINED), ("we", OPEN), ("uk", OPEN), ("usa", JOINED)]


def test_a_seat_taken_meanwhile_leaves_the_others_on_offer(
    client: FlaskClient, links: Links
) -> None:
    match = an_open_match()
    for mail in (BOB, CY):
        joining.ask_to_join(match, mail, "en", NOW)
    record = get_match(match)
    joining.accept(match, 1, id_of(BOB), Joining("Bob", "en", "UTC", ""), NOW)
    token = links.sign("join", live_links.to_invitation(record, record.seat(1), _player(CY)))
    assert forms(client.get(f"/join/{token}").text)[0].fields["seat"] == "uk"


def test_nobody_takes_two_seats(client: FlaskClient, links: Links) -> None:
    match = an_open_match()
    joining.ask_to_join(match, BOB, "en", NOW)
    says = Joining("Bob", "en", "UTC", "")
    joining.accept(match, 1, id_of(BOB), says, NOW)
    with pytest.raises(Refused, match="already has a seat in this match"):
        joining.accept(match, 2, id_of(BOB), says, NOW)


# --- allies ---------------------------------------------------------------------------------------


@pytest.mark.usefixtures("app")
def test_allies_are_not_opponents() -> None:
    match = get_match(seated())
    west = match.seat(1).name
    assert [seat.name for seat in alliances.opponents(match, west)] == ["ussr"]
    assert [seat.name for seat in alliances.allies(match, west)] == ["uk", "usa"]


def test_an_ally_plays_on_for_who_resigns(client: FlaskClient, links: Links) -> None:
    match = seated()
    record = get_match(match)
    token = links.sign("act", live_links.to_seat(record, record.seat(1)))
    asked = client.get(f"/seat/{token}/resign").text
    assert "Your seat goes to the player of United Kingdom, your ally" in asked
    client.post(f"/seat/{token}/resign")
    after = get_match(match)
    assert after.status == LIVE
    assert after.seat(1).player == after.seat(2).player == id_of(CY)


@pytest.mark.usefixtures("app")
def test_a_side_is_beaten_when_its_last_player_resigns() -> None:
    """Cy has Western Europe from Bob; then he gives up both, and Dee is alone."""
    match = seated()
    for number in (1, 2, 1):
        matches.resign(match, number, NOW)
        assert get_match(match).status == LIVE
    assert {seat.player for seat in get_match(match).seats[1:]} == {id_of(DEE)}
    matches.resign(match, 3, NOW)
    record = get_match(match)
    assert (record.status, record.result) == (OVER, "ussr")
    *_, last = match_log.entries(match)
    assert (last.kind, last.actor, last.text) == ("resign", "usa", "resign uk we")


@pytest.mark.usefixtures("app")
def test_all_of_nato_wins_when_the_ussr_resigns() -> None:
    match = seated()
    matches.resign(match, 0, NOW)
    assert get_match(match).result == "we uk usa"


def test_who_loses_with_the_actor_stands_in_the_entry() -> None:
    seats = GAME.seats({})
    assert decided(Entry(7, "resign", "we", "resign uk usa"), seats) == "ussr"
    assert decided(Entry(7, "resign", "we", "resign"), seats) == "ussr uk usa"
