"""After a move the page leads on: to the own turn, to the next match, or it says that none waits.

A link alone, which may have been passed on, tells nothing of other matches: that takes a browser in
which the same player has taken a seat.
"""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from pbem.db import store
from pbem.links import ConfirmLink, Links
from pbem.services.letters import outbox
from pbem.services.match import messages
from pbem.services.players import devices
from pbem.services.records.match_rows import get_match
from pbem.services.records.player_rows import get_player
from pbem.services.seats import live_links
from tests.mail.posting import WORKER, Bag, office_with, text_of
from tests.pbem.table import Table
from tests.pbem.visiting import NOW, everything
from tests.services.people import ANN, BOB, id_of, letters

COOKIE = "pbem-device"
TURN_LINK = re.compile(r"/t/[\w.-]+")
ASKED = '<a href="/you">Alle deine Plätze'
NOTHING_WAITS = "Sonst wartet nichts auf dich."


@pytest.fixture
def table(client: FlaskClient, links: Links) -> Table:
    return Table(client, links)


def browser_of(client: FlaskClient, address: str, token: str = "d" * 43) -> None:
    """From now on the browser is one in which somebody has taken a seat."""
    with store.connected():
        devices.note(id_of(address), token, NOW)
    client.set_cookie(COOKIE, token)


def after_the_move(table: Table) -> str:
    """What Bob sees who lets Ann begin, but for his own link, which he has."""
    path = table.turn_path()
    table.press("add", order="first usa")
    sent = table.press("submit", draft="first usa", sent="0")
    assert sent.headers["Location"] == path
    return table.client.get(path).text.replace(path, "")


def test_a_link_alone_tells_of_no_other_match(table: Table, links: Links) -> None:
    Table(table.client, links)  # Bob is asked there, too
    page = after_the_move(table)
    assert "Jetzt ist USA am Zug (Ann)." in page
    assert TURN_LINK.findall(page) == []
    assert NOTHING_WAITS not in page, "nor that there is none"
    assert ASKED in page


def test_pages_with_and_without_another_match_are_the_same(table: Table, links: Links) -> None:
    path = table.turn_path()
    after_the_move(table)
    before = table.client.get(path).data
    Table(table.client, links)
    assert table.client.get(path).data == before


def test_a_known_browser_is_led_to_the_next_match(table: Table, links: Links) -> None:
    browser_of(table.client, BOB)
    other = Table(table.client, links)
    page = after_the_move(table)
    assert f'href="{other.turn_path()}"' in page
    assert ASKED not in page
    assert table.client.get(other.turn_path()).status_code == 200


def test_the_turn_that_ends_first_comes_first(table: Table, links: Links) -> None:
    browser_of(table.client, BOB)
    first, second = Table(table.client, links), Table(table.client, links)
    for waiting, deadline in ((first, NOW + 500), (second, NOW + 400)):
        with store.connected(), store.writing():
            store.execute("UPDATE turn SET deadline_at = ? WHERE id = ?", deadline, waiting.turn.id)
    assert f'href="{second.turn_path()}"' in after_the_move(table)


def test_who_is_waited_for_nowhere_is_told_so(table: Table) -> None:
    browser_of(table.client, BOB)
    page = after_the_move(table)
    assert NOTHING_WAITS in page


def test_the_browser_of_somebody_else_is_not_known(table: Table, links: Links) -> None:
    browser_of(table.client, ANN)
    Table(table.client, links)
    page = after_the_move(table)
    assert TURN_LINK.findall(page) == []
    assert NOTHING_WAITS not in page


@pytest.mark.parametrize("token", ["", "x", "e" * 43, "d" * 42 + "'"])
def test_a_cookie_that_was_never_given_is_nobody(table: Table, links: Links, token: str) -> None:
    with store.connected():
        devices.note(id_of(BOB), "d" * 43, NOW)
    table.client.set_cookie(COOKIE, token)
    Table(table.client, links)
    assert NOTHING_WAITS not in (page := after_the_move(table))
    assert TURN_LINK.findall(page) == []


def test_a_turn_that_goes_on_is_shown_at_once(table: Table) -> None:
    path = table.turn_path()
    table.press("add", order="first ussr")
    assert table.press("submit", draft="first ussr", sent="0").headers["Location"] == path
    assert "Karte spielen" in table.client.get(path).text


def test_confirming_leads_on_in_a_browser_that_was_known_before(table: Table, links: Links) -> None:
    with store.connected():
        bob = get_player(id_of(BOB))
    path = "/confirm/" + links.sign("confirm", ConfirmLink(bob.id, bob.epoch, ""))
    for _ in range(2):
        page = table.client.post(path).text
        assert TURN_LINK.findall(page) == [], "whoever has the letter may have got it from Bob"
    browser_of(table.client, BOB)
    assert f'href="{table.turn_path()}"' in table.client.post(path).text


def test_a_taken_seat_leads_on_in_a_browser_that_was_known_before(
    table: Table, links: Links
) -> None:
    with store.connected():
        match, bob = get_match(table.id), get_player(id_of(BOB))
        link = live_links.to_invitation(match, match.seat(1), bob)
    path = "/join/" + links.sign("join", link)
    assert TURN_LINK.findall(table.client.get(path).text) == []
    browser_of(table.client, BOB)
    assert f'href="{table.turn_path()}"' in table.client.get(path).text


# --- a note with the orders -----------------------------------------------------------------------


def test_a_note_is_read_in_the_letter_of_the_turn_and_comes_once(table: Table) -> None:
    path = table.turn_path()
    table.press("add", order="first usa")
    note = "  You begin!\n\nBob "
    form = {"do": "submit", "draft": "first usa", "sent": "0", "note": note}
    for _ in range(2):
        assert table.client.post(path, data=form).status_code == 303
    with store.connected():
        (said,) = messages.of_match(table.id, 0)
        assert said.text == "You begin!\n\nBob"
        assert "message" not in [kind for kind, _, _ in letters(table.id)]
        bag = Bag()
        outbox.drain(office_with(bag), WORKER, NOW + 60)
    told = [
        text_of(one) for one in bag.letters if one["To"] == ANN and "You begin!" in text_of(one)
    ]
    assert len(told) == 1


def test_a_note_goes_with_typed_lines_too(table: Table) -> None:
    form = {"do": "orders", "orders": "first usa", "sent": "0", "note": "You begin!"}
    path = table.turn_path()
    assert 'id="note-of-lines"' in table.client.get(path).text
    for _ in range(2):
        assert table.client.post(path, data=form).status_code == 303
    with store.connected():
        assert [said.text for said in messages.of_match(table.id, 0)] == ["You begin!"]


def test_a_note_to_typed_lines_that_cannot_be_stays_with_them(table: Table) -> None:
    answer = table.press("orders", orders="first nobody", sent="0", note="You begin!")
    assert answer.status_code == 400
    assert re.search(r'<textarea id="note-of-lines"[^>]*>You begin!<', answer.text)


def test_a_note_that_cannot_be_sent_holds_the_orders_back_and_stays(table: Table) -> None:
    table.press("add", order="first usa")
    before = everything()
    answer = table.press("submit", draft="first usa", sent="0", note="<b>" + "x" * 1_000)
    assert answer.status_code == 400
    assert "&lt;b&gt;" + "x" * 1_000 in answer.text
    assert "1000" in answer.text
    assert everything() == before
