"""An invitation: what is agreed on, accepting, declining, coming too late."""

from __future__ import annotations

from html import unescape
from typing import NamedTuple
from unittest.mock import patch

import pytest
from flask import Flask
from flask.testing import FlaskClient

from pbem.db import store
from pbem.deadline_text import clock_in_words
from pbem.deadlines import DAY, Clock
from pbem.links import JoinLink, Links
from pbem.services.match import joining, matches
from pbem.services.players import punctuality
from pbem.services.players.punctuality import Punctuality
from pbem.services.records.match_rows import get_match
from pbem.services.records.player_rows import get_player
from tests.pbem.visiting import NOW, everything, forms
from tests.services.people import ANN, BOB, EVE, id_of, letters, wanted


class Invitation(NamedTuple):
    match: str
    player: int
    path: str


@pytest.fixture
def invited(app: Flask, links: Links) -> Invitation:
    """Ann has invited Bob."""
    with store.connected():
        match = matches.create(wanted(setup={"edition": "fr"}), NOW)
        joining.confirmed(id_of(ANN), NOW)
        bob = id_of(BOB)
    return Invitation(match, bob, f"/join/{links.sign('join', JoinLink(match, 1, bob, NOW))}")


def invitation_to(address: str, match: str, links: Links) -> Invitation:
    """An open seat that somebody has asked for."""
    joining.ask_to_join(match, address, "en", NOW)
    player = id_of(address)
    return Invitation(match, player, f"/join/{links.sign('join', JoinLink(match, 1, player, NOW))}")


def test_the_page_shows_what_is_agreed_on(client: FlaskClient, invited: Invitation) -> None:
    page = client.get(invited.path)
    match = get_match(invited.match)

    assert page.status_code == 200
    for words in ("Ann invites you", "You play USSR", "3 days per turn", match.commitment):
        assert words in page.text
    assert "French: as English, Central before South America at the end" in page.text
    assert 'href="/rules/iron_curtain"' in page.text
    assert ANN not in page.text
    assert match.secret not in page.text
    assert "from ann" not in page.text, "the phrase of the host stays private"


def test_the_clock_and_how_the_host_answers_are_shown_before_joining(
    client: FlaskClient, links: Links
) -> None:
    clock = Clock(per_move=0, bank=3 * DAY, increment=DAY, cap=5 * DAY, hour=20, zone="Asia/Tokyo")
    match = matches.create(wanted(clock=clock), NOW)
    joining.confirmed(id_of(ANN), NOW)
    path = f"/join/{links.sign('join', JoinLink(match, 1, id_of(BOB), NOW))}"
    newcomer = client.get(path).text
    with patch.object(punctuality, "of", lambda players, now: {id_of(ANN): Punctuality(9, 3, DAY)}):
        known = client.get(path).text

    for line in clock_in_words(clock):
        assert line in unescape(newcomer)
    assert "Turns end at 20:00 (Asia/Tokyo)" in newcomer
    assert "Ann: new here" in newcomer
    assert "Ann: usually replies within 1 day; 33% of 9 turns on time" in known


def test_a_deck_file_is_shown_before_anybody_agrees(client: FlaskClient, links: Links) -> None:
    import tomllib

    from tests.pbem.web.public.test_lobby import DECK

    match = matches.create(wanted(setup={"deck": tomllib.loads(DECK)}), NOW)
    joining.confirmed(id_of(ANN), NOW)
    path = f"/join/{links.sign('join', JoinLink(match, 1, id_of(BOB), NOW))}"

    assert "values from the host's file" in client.get(path).text
    assert "&#34;cards&#34;" in client.get(path).text


def test_the_form_as_it_stands_accepts(client: FlaskClient, invited: Invitation) -> None:
    (form,) = forms(client.get(invited.path).text)
    assert form.fields == {"name": "", "language": "en", "zone": "UTC", "phrase": ""}
    assert form.buttons == [("do", "accept"), ("do", "decline")]

    page = client.post(invited.path, data={**form.fields, "do": "accept"})

    assert page.status_code == 303
    assert "your turn as USSR" in client.get(page.location).text, "who begins goes on at once"
    assert "You have taken your seat" in client.get(invited.path).text
    with store.connected():
        match = get_match(invited.match)
        assert match.status == "live"
        assert match.seat(1).player == invited.player
        assert [kind for kind, _, _ in letters()][-3:] == ["turn", "started", "started"]


def test_name_language_zone_and_phrase_are_taken(client: FlaskClient, invited: Invitation) -> None:
    form = {"name": "Bob B.", "language": "fr", "zone": "Europe/Paris", "phrase": "de la pluie"}
    page = client.post(invited.path, data=form)

    assert '<html lang="fr">' in client.get(page.location).text
    with store.connected():
        bob = get_player(invited.player)
        assert (bob.name, bob.language, bob.zone) == ("Bob B.", "fr", "Europe/Paris")
        assert bob.confirmed_at == NOW
        assert get_match(invited.match).seat(1).phrase == "de la pluie"


def test_pressing_again_changes_nothing(client: FlaskClient, invited: Invitation) -> None:
    first = client.post(invited.path, data={"name": "Bob", "zone": "UTC"})
    before = everything()
    again = client.post(invited.path, data={"name": "Other", "zone": "UTC"})
    decline = client.post(invited.path, data={"do": "decline"})

    assert first.status_code == 303
    assert again.data == decline.data
    for line in client.get(invited.path).text.splitlines():  # a press is offered the check-up, too
        assert line in again.text
    assert everything() == before


def test_an_invitation_that_is_passed_on_later_is_not_the_key_to_a_seat(
    client: FlaskClient, invited: Invitation
) -> None:
    turn = client.post(invited.path, data={"name": "Bob"}).location
    before, stranger = everything(), client.application.test_client()
    pages = [stranger.post(invited.path, data={"do": "accept"}), stranger.get(invited.path)]

    assert all(page.status_code == 200 and "/t/" not in page.text for page in pages), turn
    assert "Set-Cookie" not in pages[0].headers
    assert everything() == before, "no browser is noted"


def test_who_does_not_begin_is_told_that_a_letter_will_come(
    client: FlaskClient, links: Links
) -> None:
    match = matches.create(wanted(addresses={"usa": BOB, "ussr": ANN}), NOW)
    joining.confirmed(id_of(ANN), NOW)
    path = f"/join/{links.sign('join', JoinLink(match, 0, id_of(BOB), NOW))}"
    page = client.post(path, data={"do": "accept"})

    assert page.status_code == 200
    assert "You have taken your seat" in page.text


def test_declining_calls_the_match_off_and_tells_the_host(
    client: FlaskClient, invited: Invitation
) -> None:
    pages = [client.post(invited.path, data={"do": "decline"}) for _ in range(2)]
    late = client.post(invited.path, data={"do": "accept"})

    assert "You have declined" in pages[0].text
    assert pages[0].data == pages[1].data == late.data
    with store.connected():
        assert get_match(invited.match).status == "cancelled"
        assert letters()[-1] == ("declined", id_of(ANN), 0)
        assert [kind for kind, _, _ in letters()].count("declined") == 1


def test_declining_an_open_seat_leaves_it_open(client: FlaskClient, links: Links) -> None:
    match = matches.create(wanted(addresses={"usa": ANN, "ussr": None}), NOW)
    joining.confirmed(id_of(ANN), NOW)
    invitation = invitation_to(EVE, match, links)
    page = client.post(invitation.path, data={"do": "decline"})

    assert page.status_code == 200
    assert "You have declined" in page.text
    assert get_match(match).seat(1).status == "open"


def test_who_comes_second_to_an_open_seat_is_told(client: FlaskClient, links: Links) -> None:
    match = matches.create(wanted(addresses={"usa": ANN, "ussr": None}), NOW)
    joining.confirmed(id_of(ANN), NOW)
    bob, eve = invitation_to(BOB, match, links), invitation_to(EVE, match, links)
    client.post(bob.path, data={"name": "Bob"})
    before = everything()

    for page in (client.get(eve.path), client.post(eve.path, data={"name": "Eve"})):
        assert page.status_code == 410
        assert "This seat is no longer free" in page.text
    assert everything() == before
    assert client.get(bob.path).status_code == 200


def test_a_match_called_off_explains_itself(client: FlaskClient, invited: Invitation) -> None:
    matches.cancel(invited.match, "usa", NOW)
    page = client.get(invited.path)

    assert page.status_code == 410
    assert "The match was called off before it began." in page.text


def test_an_invitation_of_an_older_epoch_does_nothing(
    client: FlaskClient, invited: Invitation, links: Links
) -> None:
    old = f"/join/{links.sign('join', JoinLink(invited.match, 1, invited.player, NOW - 1))}"
    before = everything()

    assert client.get(old).status_code == 410
    assert client.post(old, data={"do": "accept"}).status_code == 410
    assert everything() == before


def test_an_invitation_to_nowhere_is_not_found(
    client: FlaskClient, invited: Invitation, links: Links
) -> None:
    for link in (
        JoinLink("nothing", 1, invited.player, NOW),
        JoinLink(invited.match, 7, invited.player, NOW),
        JoinLink(invited.match, 1, 999, NOW),
    ):
        path = f"/join/{links.sign('join', link)}"
        assert client.get(path).status_code == 404
        assert client.post(path).status_code == 404


HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.mark.parametrize(
    "change",
    [
        {"do": "win"},
        {"do": ""},
        {"do": "accept" * 9_000},
        {"name": "a" * 25},
        {"name": "a" * 60_000},
        {"name": HOSTILE},
        {"name": "Bob\r\nBcc: x"} | {"name": "Bob;"},
        {"name": "\u0000"},
        {"language": "xx"},
        {"language": ""},
        {"zone": "Mars/Base"},
        {"zone": ""},
        {"zone": "/etc/passwd"},
        {"phrase": "a" * 201},
        {"phrase": "\u202e"},
    ],
)
def test_a_wrong_answer_is_refused_and_kept(
    client: FlaskClient, invited: Invitation, change: dict[str, str]
) -> None:
    before = everything()
    page = client.post(invited.path, data={"name": "Bob", "do": "accept", **change})

    assert page.status_code == 400
    assert 'class="notice bad"' in page.text
    assert HOSTILE not in page.text
    assert len(forms(page.text)) == 1
    assert everything() == before
