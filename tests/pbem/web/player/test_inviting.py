"""One of four declines: the match waits, and whoever has begun it fills the seat another way."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from pbem.db import store
from pbem.errors import Refused
from pbem.links import Links
from pbem.services.letters import outbox
from pbem.services.match import joining, matches
from pbem.services.match.joining import Joining
from pbem.services.records.match_rows import (
    CANCELLED,
    DECLINED,
    FORMING,
    INVITED,
    LIVE,
    MACHINE,
    OPEN,
    get_match,
)
from pbem.services.records.player_rows import get_player
from pbem.services.seats import live_links
from pbem.services.self_service import sign_up
from tests.mail.posting import WORKER, Bag, office_with, text_of
from tests.pbem.visiting import NOW, forms
from tests.services.people import id_of
from tests.services.powers import UK, USA, USSR, WE, address_of, invite_people

EVE = "eve@example.org"


class Host:
    """Ann, who has begun a match of four; Cy has sat down, and Bob declines by his link."""

    def __init__(self, client: FlaskClient, links: Links, **change: Any) -> None:
        self.client, self.links = client, links
        with store.connected():
            self.id = invite_people(4, **change)
            cy = Joining("Cy", "en", "UTC", "")
            joining.accept(self.id, UK, id_of(address_of("uk")), cy, NOW)
        outbox.drain(office_with(Bag()), WORKER, NOW)
        self.bob = self.invitation(WE, address_of("we"))
        self.answer = client.post(self.bob, data={"do": "decline"}).text

    def invitation(self, seat: int, mail: str) -> str:
        with store.connected():
            match = get_match(self.id)
            link = live_links.to_invitation(match, match.seat(seat), get_player(id_of(mail)))
        return f"/join/{self.links.sign('join', link)}"

    def page(self, seat: int = USSR) -> str:
        with store.connected():
            match = get_match(self.id)
            token = self.links.sign("act", live_links.to_seat(match, match.seat(seat)))
        return f"/seat/{token}"

    def fill(self, do: str, seat: str = "we", **fields: str) -> int:
        data = {"seat": seat, "do": do, **fields}
        return self.client.post(f"{self.page()}/invite", data=data).status_code

    def statuses(self) -> list[str]:
        with store.connected():
            return [seat.status for seat in get_match(self.id).seats]

    @property
    def status(self) -> str:
        with store.connected():
            return get_match(self.id).status

    def told(self) -> dict[str, str]:
        bag = Bag()
        with store.connected():
            outbox.drain(office_with(bag), WORKER, NOW + 10)
        return {
            letter["To"].addresses[0].username: " ".join(text_of(letter).split())
            for letter in bag.letters
        }


@pytest.fixture
def host(client: FlaskClient, links: Links) -> Host:
    return Host(client, links)


def test_one_who_declines_does_not_call_the_match_off(host: Host) -> None:
    assert "You have declined the invitation to play East &amp; West." in host.answer
    assert host.status == FORMING
    assert host.statuses() == ["joined", DECLINED, "joined", INVITED]
    assert "declined" in host.client.get(host.bob).text


def test_the_host_gets_a_way_to_fill_the_seat_and_the_others_are_told(host: Host) -> None:
    letters = host.told()
    assert letters.keys() == {"ussr", "uk"}
    declined = "The invitation to play Western Europe in your match of East & West was declined."
    assert declined in letters["ussr"]
    assert "Fill the seat: https://play.example/seat/" in letters["ussr"]
    assert declined in letters["uk"]
    assert "Ann can invite someone else" in letters["uk"]
    assert "/invite" not in letters["uk"]


def test_somebody_else_is_invited_and_the_match_begins(host: Host) -> None:
    host.told()
    assert host.fill("invite", address=EVE) == 303
    assert host.statuses()[WE] == INVITED
    assert host.told().keys() == {"eve"}
    assert "no longer free" in host.client.get(host.bob).text
    for seat, mail, name in ((WE, EVE, "Eve"), (USA, address_of("usa"), "Dee")):
        says = {"do": "accept", "name": name}
        assert host.client.post(host.invitation(seat, mail), data=says).status_code == 200
    assert host.status == LIVE


def test_who_declined_may_be_asked_again(host: Host) -> None:
    host.told()
    assert host.fill("invite", address=address_of("we")) == 303
    assert host.told().keys() == {"we"}


def test_the_seat_is_opened_to_anyone(host: Host) -> None:
    assert host.fill("open") == 303
    assert host.statuses()[WE] == OPEN
    assert "Free: Western Europe." in host.client.get("/").text
    assert host.fill("invite", address=EVE) == 303
    assert "Free: Western Europe." not in host.client.get("/").text


def test_the_computer_takes_the_seat(host: Host) -> None:
    assert host.fill("machine") == 303
    assert host.statuses()[WE] == MACHINE
    assert host.fill("machine", "usa") == 303, "Dee has not answered, and need not any more"
    assert host.status == LIVE


def test_the_page_offers_each_way_and_shows_no_name_of_who_has_not_come(host: Host) -> None:
    page = host.client.get(f"{host.page()}/invite").text
    offered = {(form.fields["seat"], form.fields.get("do")) for form in forms(page)}
    assert {seat for seat, _ in offered} == {"we", "usa"}
    assert "The invitation was declined." in page
    assert "Invited; no answer yet." in page
    assert "nobody yet" in host.client.get(host.page()).text
    assert f"{host.page()}/invite" in host.client.get(host.page()).text


def test_nobody_but_the_host_fills_seats(host: Host) -> None:
    for path in (f"{host.page(UK)}/invite",):
        assert host.client.get(path).status_code == 303
        before = host.statuses()
        sent = host.client.post(path, data={"seat": "we", "do": "machine"})
        assert sent.status_code == 303
        assert host.statuses() == before
    assert "/invite" not in host.client.get(host.page(UK)).text


@pytest.mark.parametrize(
    ("fields", "answer"),
    [
        ({"do": "steal"}, "“steal” is no way to fill a seat; choose from invite, open, machine"),
        ({"do": "open", "seat": "france"}, "there is no such seat"),
        ({"do": "invite", "address": ""}, "enter an email address"),
        ({"do": "invite", "address": "nobody"}, "nobody"),
        ({"do": "invite", "address": "uk@example.org"}, "cannot be invited to this match"),
        ({"do": "invite", "address": "ussr@example.org"}, "cannot be invited to this match"),
    ],
)
def test_what_cannot_be_is_answered(host: Host, fields: dict[str, str], answer: str) -> None:
    before = host.statuses()
    page = host.client.post(f"{host.page()}/invite", data={"seat": "we", **fields})
    assert page.status_code == 400
    assert answer in page.text
    assert host.statuses() == before


def test_a_seat_that_was_taken_stays_so(host: Host) -> None:
    assert host.fill("machine", "uk") == 303
    assert host.statuses()[UK] == "joined"


def test_invitations_have_a_limit(host: Host) -> None:
    with store.connected():
        for number in range(5):
            sign_up.invite_instead(host.id, WE, f"eve{number}@example.org", NOW)
        with pytest.raises(Refused):
            sign_up.invite_instead(host.id, WE, EVE, NOW)


def test_before_sides_are_drawn_nobody_has_one(client: FlaskClient, links: Links) -> None:
    host = Host(client, links, by_lot=True)
    letter = host.told()["ussr"]
    assert "An invitation to your match of East & West was declined." in letter
    assert "Western Europe" not in host.client.get(f"{host.page()}/invite").text.split("<main")[1]


def test_a_match_of_two_is_off_as_ever(client: FlaskClient, links: Links) -> None:
    with store.connected():
        match = invite_people(2)
        joining.decline(match, 1, id_of(address_of("nato")), NOW)
        assert get_match(match).status == CANCELLED
        assert matches.open_matches() == []
