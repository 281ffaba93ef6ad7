"""What a player does on the own page: withdraw, listen for free seats, unblock, another address."""

from __future__ import annotations

import pytest
from flask import Flask
from flask.testing import FlaskClient

from pbem.db import store
from pbem.links import Links, YouLink
from pbem.services.match import joining, matches
from pbem.services.players import accounts, blocks, seat_alerts
from pbem.services.records.match_rows import get_match
from pbem.services.self_service import address_changes
from tests.pbem.visiting import NOW, everything, forms
from tests.services.people import ANN, BOB, Sitting, id_of, sit_down, turn_of, wanted

LASTING = ("withdraw", "unblock", "alerts", "change_address")


@pytest.fixture
def sitting(app: Flask) -> Sitting:
    with store.connected():
        return sit_down(NOW)


@pytest.fixture
def ann(sitting: Sitting, links: Links) -> str:
    """The path of Ann's own page."""
    return f"/you/{links.sign('you', YouLink(sitting.ann, NOW, 0))}"


@pytest.fixture
def waiting(sitting: Sitting) -> str:
    """A match of Ann's with a free seat."""
    with store.connected():
        match = matches.create(wanted(addresses={"usa": ANN, "ussr": None}), NOW)
        joining.confirmed(sitting.ann, NOW, match)
    return match


def test_the_host_withdraws_a_match(client: FlaskClient, ann: str, waiting: str) -> None:
    page = client.get(ann).text
    assert "the match lapses on" in page
    (form,) = [form for form in forms(page) if ("do", "withdraw") in form.buttons]
    assert form.fields["match"] == waiting
    for status in (200, 400):
        answer = client.post(ann, data={**form.fields, "do": "withdraw"})
        assert answer.status_code == status
    with store.connected():
        assert get_match(waiting).status == "cancelled"


def test_others_cannot_withdraw_it(
    client: FlaskClient, sitting: Sitting, links: Links, waiting: str
) -> None:
    bob = f"/you/{links.sign('you', YouLink(sitting.bob, NOW, 0))}"
    for match in (waiting, sitting.match, "nothing", ""):
        answer = client.post(bob, data={"do": "withdraw", "match": match})
        assert answer.status_code in (400, 404)
    with store.connected():
        assert get_match(waiting).status == "forming"


def test_what_waits_comes_first_and_results_are_shown(
    client: FlaskClient, sitting: Sitting, links: Links, waiting: str
) -> None:
    with store.connected():
        asked = get_match(sitting.match).seat(turn_of(sitting.match).seat).player or 0
        done = sit_down(NOW + 5).match
        matches.resign(done, 0, NOW + 6)
    path = f"/you/{links.sign('you', YouLink(asked, NOW, 0))}"
    page = client.get(path).text
    places = [page.index(f'id="matches-{name}"') for name in ("yours", "over")]
    assert places == sorted(places)
    assert page.index("/t/") < page.index('id="matches-over"'), "with the link to the turn"
    result = "1 gewonnen, 0 verloren" if asked == sitting.bob else "0 won, 1 lost"
    assert result in page


def test_a_turn_link_is_not_enough_for_what_lasts(
    client: FlaskClient, sitting: Sitting, links: Links
) -> None:
    with store.connected():
        turn, match = turn_of(sitting.match), get_match(sitting.match)
        seat = match.seat(turn.seat)
    narrow = YouLink(seat.player or 0, NOW, turn.id, seat.epoch)
    path = f"/you/{links.sign('you', narrow)}"
    page = client.get(path).text
    before = everything()
    for act in LASTING:
        assert f'value="{act}"' not in page
        data = {"do": act, "address": "new@example.org", "alert_iron_curtain": "on"}
        assert client.post(path, data=data).status_code == 403
    assert everything() == before


def test_alerts_are_chosen_by_game_and_stopped_by_one_press(
    client: FlaskClient, sitting: Sitting, ann: str, links: Links
) -> None:
    client.post(ann, data={"do": "alerts", "alert_iron_curtain": "on", "alert_chess": "on"})
    with store.connected():
        assert seat_alerts.games_of(sitting.ann) == {"iron_curtain"}
    (form,) = [form for form in forms(client.get(ann).text) if ("do", "alerts") in form.buttons]
    assert form.fields == {"alert_iron_curtain": "on"}
    hush = f"/hush/{links.sign('hush', YouLink(sitting.ann, 1))}"
    assert "Stop these emails" in client.get(hush).text
    with store.connected():
        assert seat_alerts.games_of(sitting.ann) == {"iron_curtain"}, "looking stops nothing"
    answer = client.post(hush, data={"List-Unsubscribe": "One-Click"})
    assert answer.status_code == 200
    with store.connected():
        assert seat_alerts.games_of(sitting.ann) == set()
    assert client.get(f"{hush}x").status_code == 404


def test_who_is_blocked_stands_on_the_page_until_unblocked(
    client: FlaskClient, sitting: Sitting, ann: str
) -> None:
    with store.connected():
        blocks.block(sitting.ann, sitting.bob, NOW)
    (form,) = [form for form in forms(client.get(ann).text) if ("do", "unblock") in form.buttons]
    for wrong in ("", "-1", "x" * 50, "9" * 30):
        assert client.post(ann, data={"do": "unblock", "player": wrong}).status_code == 400
    client.post(ann, data={**form.fields, "do": "unblock"})
    assert 'value="unblock"' not in client.get(ann).text


def test_an_invitation_of_the_blocked_is_not_on_the_page(
    client: FlaskClient, sitting: Sitting, ann: str
) -> None:
    with store.connected():
        plan = wanted(addresses={"usa": BOB, "ussr": ANN}, creator=BOB, name="Bob")
        match = matches.create(plan, NOW + 1)
        joining.confirmed(sitting.bob, NOW + 1, match)
    assert f"/match/{match}" in client.get(ann).text
    with store.connected():
        blocks.block(sitting.ann, sitting.bob, NOW)
    assert f"/match/{match}" not in client.get(ann).text


def test_another_address_is_asked_for_on_the_page(
    client: FlaskClient, sitting: Sitting, ann: str
) -> None:
    """Whether somebody plays with it, the page looks the same."""
    pages = []
    for mail in ("new@example.org", BOB):
        answer = client.post(ann, data={"do": "change_address", "address": mail})
        assert answer.status_code == 200
        pages.append(answer.data)
        with store.connected():
            assert address_changes.waiting(sitting.ann, NOW) is not None
    assert pages[0] == pages[1]
    wrong = client.post(ann, data={"do": "change_address", "address": "nonsense"})
    assert wrong.status_code == 400
    assert "not a usable email address" in wrong.text


def test_an_address_confirmed_by_its_letter(
    client: FlaskClient, sitting: Sitting, ann: str
) -> None:
    client.post(ann, data={"do": "change_address", "address": "new@example.org"})
    with store.connected():
        new = id_of("new@example.org")
        assert accounts.known_or_new("new@example.org", NOW).id == new
        assert store.rows("SELECT kind FROM outbox WHERE player_id = ?", new) == [("address",)]
