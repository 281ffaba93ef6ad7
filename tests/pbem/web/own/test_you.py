"""A player's own page: asked for by letter; matches, settings, links, data, deletion, news."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import NamedTuple

import pytest
from flask import Flask
from flask.testing import FlaskClient

from pbem.db import store
from pbem.links import Links, TurnLink, YouLink
from pbem.services.match import joining, matches, messages, turns
from pbem.services.records.match_rows import get_match
from pbem.services.records.player_rows import get_player, player_at
from pbem.services.self_service import requests
from tests.pbem.visiting import NOW, Clock, everything, forms
from tests.services.people import (
    ANN,
    BOB,
    EVE,
    Sitting,
    compose,
    id_of,
    letters,
    play_to_the_end,
    sit_down,
    turn_of,
    wanted,
)


class Home(NamedTuple):
    sitting: Sitting
    ann: str
    bob: str


@pytest.fixture
def home(app: Flask, links: Links) -> Home:
    """Ann and Bob play; the paths of their own pages."""
    with store.connected():
        sitting = sit_down(NOW)
    paths = [f"/you/{links.sign('you', YouLink(p, NOW, 0))}" for p in (sitting.ann, sitting.bob)]
    return Home(sitting, *paths)


def test_the_own_page_leads_to_the_public_one_unless_there_is_none(
    client: FlaskClient, home: Home
) -> None:
    with store.connected():
        link = f'href="/players/{get_player(home.sitting.ann).public_id}"'
    assert link in client.get(home.ann).text

    client.post(home.ann, data={"do": "settings", "language": "en", "hides_page": "on"})
    assert link not in client.get(home.ann).text
    client.post(home.ann, data={"do": "settings", "language": "en"})
    assert link in client.get(home.ann).text
    with store.connected():
        store.execute("UPDATE match SET visibility = 'anonymous'")
    assert link not in client.get(home.ann).text


def test_who_plays_against_one_is_linked_where_everybody_may_know(
    client: FlaskClient, home: Home
) -> None:
    with store.connected():
        link = f'Against <a href="/players/{get_player(home.sitting.bob).public_id}">Bob</a>.'
    assert link in client.get(home.ann).text
    with store.connected():
        store.execute("UPDATE match SET visibility = 'private'")
    assert "Against Bob." in client.get(home.ann).text


# --- asking for it -------------------------------------------------------------------------------


def test_everybody_gets_the_same_answer(client: FlaskClient, home: Home) -> None:
    known = client.post("/you", data={"address": ANN})
    unknown = client.post("/you", data={"address": "nobody@example.org"})

    assert known.data == unknown.data
    assert list(known.headers) == list(unknown.headers)
    assert known.status_code == unknown.status_code == 200
    with store.connected():
        assert requests.answer_all(NOW) == 2
        assert [letter for letter in letters() if letter[0] == "you"] == [
            ("you", home.sitting.ann, None)
        ]
        assert player_at("nobody@example.org") is None


def test_who_has_not_confirmed_gets_no_letter(client: FlaskClient) -> None:
    matches.create(wanted(), NOW)
    before = everything()
    client.post("/you", data={"address": ANN})
    requests.answer_all(NOW)

    assert {**everything(), "tally": []} == before


def test_three_letters_in_an_hour_are_enough(client: FlaskClient, home: Home, clock: Clock) -> None:
    answers = {client.post("/you", data={"address": ANN}).data for _ in range(10)}
    requests.answer_all(clock.now)
    clock.now += 3_601
    client.post("/you", data={"address": ANN})
    requests.answer_all(clock.now)

    assert len(answers) == 1
    assert [kind for kind, _, _ in letters()].count("you") == 4


def test_whoever_asks_too_much_for_somebody_shuts_nobody_out(
    client: FlaskClient, home: Home, clock: Clock
) -> None:
    """A stranger uses up what comes to Ann's address; she plays on, and renews her links."""
    for number in range(40):
        stranger = {"REMOTE_ADDR": f"192.0.2.{number}"}
        client.post("/you", data={"address": f"Ann+{number}@example.org"}, environ_base=stranger)
        client.post("/you", data={"address": ANN}, environ_base=stranger)
    requests.answer_all(clock.now)
    before = letters()
    assert [kind for kind, _, _ in before].count("you") == 3

    turns.submit(turn_of(home.sitting.match).id, ["first usa"], clock.now)
    assert ("turn", home.sitting.ann) in [letter[:2] for letter in letters()[len(before) :]]
    assert client.post(home.ann, data={"do": "renew"}).status_code == 200
    assert letters()[-1] == ("you", home.sitting.ann, None)


@pytest.mark.parametrize(
    "form", [{}, {"address": ""}, {"address": "ann"}, {"address": "a@b" * 9_999}, {"mail": ANN}]
)
def test_what_is_no_address_is_refused(
    client: FlaskClient, home: Home, form: dict[str, str]
) -> None:
    before = everything()

    assert client.post("/you", data=form).status_code == 400
    assert everything() == before


# --- the page ------------------------------------------------------------------------------------


def test_the_page_leads_to_the_turn_and_to_the_seat(
    client: FlaskClient, home: Home, links: Links
) -> None:
    page = client.get(home.bob)
    found = [unescape(link) for link in re.findall(r'href="([^"]+)"', page.text)]
    turn_page = next(link for link in found if "/t/" in link)
    seat_page = next(link for link in found if "/seat/" in link)
    turn = links.read("turn", turn_page.rpartition("/")[2])

    assert page.status_code == 200
    with store.connected():
        open_turn = turn_of(home.sitting.match)
    assert turn == TurnLink(home.sitting.match, 1, open_turn.id, NOW)
    for link in (turn_page, seat_page, f"/match/{home.sitting.match}"):
        assert client.get(link.removeprefix(links.base_url)).status_code == 200
    assert "Du bist am Zug." in page.text, "Bob reads German"
    assert "UTC+01:00" in page.text, "the deadline is told in Bob's zone"


def test_the_page_of_who_is_not_asked_has_no_turn_link(client: FlaskClient, home: Home) -> None:
    page = client.get(home.ann).text

    assert "/t/" not in page
    assert "It is another player's turn." in page


def test_nothing_of_the_other_side_is_on_the_page(client: FlaskClient, home: Home) -> None:
    for path, own, other in ((home.ann, ANN, BOB), (home.bob, BOB, ANN)):
        page = client.get(path).text
        assert own in page
        assert other not in page
        assert get_match(home.sitting.match).secret not in page


def test_what_a_stranger_has_typed_is_no_invitation(client: FlaskClient, home: Home) -> None:
    """Until the creator has confirmed, nobody is asked: not by letter, and not here."""
    with store.connected():
        match = matches.create(wanted(addresses={"usa": EVE, "ussr": BOB}, creator=EVE), NOW)
    page = client.get(home.bob).text
    assert match not in page
    assert "/join/" not in page
    with store.connected():
        joining.confirmed(id_of(EVE), NOW)
    assert "/join/" in client.get(home.bob).text


def test_every_state_of_a_match_has_its_words(client: FlaskClient, home: Home) -> None:
    matches.create(wanted(addresses={"usa": ANN, "ussr": None}), NOW)
    called_off = matches.create(wanted(addresses={"usa": ANN, "ussr": EVE}), NOW)
    matches.cancel(called_off, "usa", NOW)
    matches.create(wanted(addresses={"usa": EVE, "ussr": ANN}, creator=EVE), NOW)
    joining.confirmed(id_of(EVE), NOW)
    agreed = sit_down(NOW).match
    matches.offer_draw(agreed, 0, NOW)
    matches.offer_draw(agreed, 1, NOW)
    given_up = sit_down(NOW).match
    matches.resign(given_up, 1, NOW)
    page = client.get(home.ann).text

    for words in (
        "Waiting for the other seats to be taken.",
        "Called off.",
        "You are invited.",
        "Over: a draw.",
        "Over: you won.",
    ):
        assert words in page
    assert "Beendet: Du hast verloren." in client.get(home.bob).text, "Bob reads German"
    (invitation,) = re.findall(r'href="[^"]*(/join/[^"]+)"', page)
    assert client.get(unescape(invitation)).status_code == 200


# --- settings ------------------------------------------------------------------------------------


def test_settings_are_saved(client: FlaskClient, home: Home) -> None:
    form = forms(client.get(home.ann).text)[0]
    shown = {"name": "Ann", "language": "en", "zone": "UTC", "news": "on"}
    assert form.fields.items() >= shown.items()

    changed = {"name": "Ann A.", "language": "fr", "zone": "Asia/Tokyo", "do": "settings"}
    page = client.post(home.ann, data=changed)

    assert page.status_code == 200
    assert '<html lang="fr">' in page.text
    with store.connected():
        ann = get_player(home.sitting.ann)
    assert (ann.name, ann.language, ann.zone, ann.news) == ("Ann A.", "fr", "Asia/Tokyo", False)


@pytest.mark.parametrize(
    "change",
    [
        {"name": "<b>Ann</b>"},
        {"name": "a" * 60_000},
        {"language": "tlh"},
        {"zone": "Moon"},
        {"zone": "Europe/Berlin\0"},
        {"do": "promote"},
        {"do": "delete" * 5_000},
    ],
)
def test_wrong_settings_change_nothing(
    client: FlaskClient, home: Home, change: dict[str, str]
) -> None:
    before = everything()
    page = client.post(home.ann, data={"name": "New", "do": "settings", **change})

    assert page.status_code == 400
    assert "<b>Ann</b>" not in page.text
    assert everything() == before


# --- links ---------------------------------------------------------------------------------------


def test_renewing_kills_old_links_and_mails_the_new_one(
    client: FlaskClient, home: Home, clock: Clock, links: Links
) -> None:
    clock.now += 10
    page = client.post(home.ann, data={"do": "renew"})

    assert page.status_code == 200
    assert "/you/" not in page.text, "only the mailbox gets the new link"
    for path in (home.ann, f"{home.ann}/data", f"{home.ann}/delete"):
        assert client.get(path).status_code == 410
    for path in (home.ann, f"{home.ann}/delete"):
        assert client.post(path, data={"do": "renew"}).status_code == 410
    with store.connected():
        ann = get_player(home.sitting.ann)
        assert letters()[-1] == ("you", ann.id, None)
    new = f"/you/{links.sign('you', YouLink(ann.id, ann.epoch, 0))}"
    assert client.get(new).status_code == 200


def test_a_link_of_another_purpose_opens_nothing(
    client: FlaskClient, home: Home, links: Links
) -> None:
    mute = links.sign("mute", YouLink(home.sitting.ann, NOW))

    assert client.get(f"/you/{mute}").status_code == 404


# --- data ----------------------------------------------------------------------------------------


def test_the_export_holds_ones_own_rows_and_no_secret(client: FlaskClient, home: Home) -> None:
    match = home.sitting.match
    with store.connected():
        messages.say(match, 0, "hello from Ann", NOW)
        messages.say(match, 1, "hello from Bob", NOW)
        turn = turn_of(match)
        compose(turn.id, ["first usa"], NOW)
        secret = get_match(match).secret
    answer = client.get(f"{home.bob}/data")
    document = json.loads(answer.text)

    assert "attachment" in answer.headers["Content-Disposition"]
    assert document["player"]["address"] == BOB
    (seat,) = document["seats"]
    assert (seat["match"], seat["seat"], seat["phrase"]) == (match, "ussr", "from bob")
    assert [said["text"] for said in seat["messages"]] == ["hello from Bob"]
    assert "first usa" in seat["drafts"][0]["orders"]
    assert {letter["kind"] for letter in document["letters"]} >= {"invitation", "turn"}
    for hidden in (secret, ANN, "from ann", "hello from Ann", "draws"):
        assert hidden not in answer.text


def test_who_plays_cannot_be_deleted(client: FlaskClient, home: Home) -> None:
    page = client.get(f"{home.ann}/delete")
    assert "You are still playing 1 match." in page.text
    assert not forms(page.text)
    before = everything()

    assert client.post(f"{home.ann}/delete").status_code == 409
    assert everything() == before


def test_deleting_takes_address_name_messages_and_letters(
    client: FlaskClient, home: Home, clock: Clock
) -> None:
    match = home.sitting.match
    with store.connected():
        messages.say(match, 0, "hello from Ann", NOW)
        messages.say(match, 1, "hello from Bob", NOW)
        play_to_the_end(match, NOW)
        open_one = matches.create(wanted(addresses={"usa": ANN, "ussr": None}), NOW)
        hers = wanted(addresses={"usa": EVE, "ussr": ANN}, creator=EVE, name="Eve")
        other = matches.create(hers, NOW)
        joining.confirmed(id_of(EVE), NOW)
        entries = len(get_match(match).seats), get_match(match).head_seq
    (form,) = forms(client.get(f"{home.ann}/delete").text)
    assert form.fields == {}

    page = client.post(f"{home.ann}/delete")

    assert page.status_code == 200
    whole = repr(everything())
    for gone in (ANN, "'Ann'", "hello from Ann"):
        assert gone not in whole
    assert "hello from Bob" in whole
    with store.connected():
        assert player_at(ANN) is None
        assert (len(get_match(match).seats), get_match(match).head_seq) == entries
        assert get_match(open_one).status == "cancelled"
        assert get_match(other).status == "cancelled"
        assert letters()[-1] == ("declined", id_of(EVE), 0)
    assert client.get(home.ann).status_code == 410
    assert client.post(f"{home.ann}/delete").status_code == 410


# --- fewer letters -------------------------------------------------------------------------------


def test_one_click_stops_news(client: FlaskClient, home: Home, links: Links) -> None:
    path = f"/mute/{links.sign('mute', YouLink(home.sitting.ann, NOW))}"
    assert len(forms(client.get(path).text)) == 1

    foreign = {"Sec-Fetch-Site": "cross-site", "Origin": "https://mail.test"}
    one_click = {"List-Unsubscribe": "One-Click"}
    answers = [client.post(path, data=one_click, headers=foreign) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert "Location" not in answers[0].headers
    with store.connected():
        assert get_player(home.sitting.ann).news is False
    page = client.get(path).text
    assert not forms(page)
    assert "You still get an email whenever it is your turn" in page


def test_an_old_link_still_stops_news_and_opens_nothing_else(
    client: FlaskClient, home: Home, links: Links
) -> None:
    path = f"/mute/{links.sign('mute', YouLink(home.sitting.ann, NOW - 99))}"
    page = client.post(path)

    assert page.status_code == 200
    assert get_player(home.sitting.ann).news is False
    assert "/you/" not in page.text


@pytest.mark.parametrize("body", [b"", b"x" * 60_000, b"List-Unsubscribe=Maybe", b"\xff\xfe\x00"])
def test_any_body_will_do_for_one_click(
    client: FlaskClient, home: Home, links: Links, body: bytes
) -> None:
    path = f"/mute/{links.sign('mute', YouLink(home.sitting.ann, NOW))}"

    assert client.post(path, data=body).status_code == 200
    assert client.post("/mute/nothing", data=body).status_code == 404
