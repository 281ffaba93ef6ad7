"""The way back for a player whom letters do not reach; and what the others see of it."""

from __future__ import annotations

from html import unescape

import pytest
from flask.testing import FlaskClient

from pbem.db import store
from pbem.deadlines import DAY, HOUR
from pbem.links import ConfirmLink, Links
from pbem.services.letters import outbox
from pbem.services.records.player_rows import get_player, player_at
from pbem.services.seats import live_links, unreachable
from tests.mail.posting import WORKER, Bag, office_with
from tests.pbem.table import Table
from tests.pbem.visiting import NOW, Clock, everything, forms
from tests.services.inbox.bouncing import come_back, newest
from tests.services.people import BOB as BOBS_ADDRESS
from tests.services.people import id_of

ANN, BOB = 0, 1
NEW = "bob@new.example"


@pytest.fixture
def table(client: FlaskClient, links: Links) -> Table:
    """It is Bob's turn, and a mail server has his letter."""
    table = Table(client, links)
    with store.connected():
        outbox.drain(office_with(Bag()), WORKER, NOW)
    return table


def lose(failure: str = "hard", now: int = NOW) -> None:
    with store.connected():
        come_back(newest(id_of(BOBS_ADDRESS)), "hard" if failure == "hard" else "soft", now)


def lost_since() -> int | None:
    with store.connected():
        return unreachable.since(id_of(BOBS_ADDRESS))


def test_whom_letters_reach_is_led_back_to_the_seat(table: Table) -> None:
    path = table.seat_path(BOB)
    before = everything()
    assert table.client.get(f"{path}/address").status_code == 303
    for data in ({"do": "change", "address": NEW}, {"do": "works"}):
        assert table.client.post(f"{path}/address", data=data).location == path

    assert everything() == before, "no address is changed that works"
    assert "/address" not in table.client.get(path).text
    assert "/address" not in table.client.get(table.turn_path()).text


def test_the_turn_and_the_seat_lead_there(table: Table) -> None:
    lose()
    for path in (table.turn_path(), table.seat_path(BOB)):
        page = table.client.get(path).text
        assert f'href="{table.seat_path(BOB)}/address"' in page
    assert "/address" not in table.client.get(table.seat_path(ANN)).text


def test_the_whole_way_to_another_address(table: Table, links: Links, clock: Clock) -> None:
    """From the link of a turn whose letter came back to a turn letter at the new address."""
    lose()
    clock.now = NOW + HOUR
    path, old = f"{table.seat_path(BOB)}/address", table.turn_path()
    page = table.client.get(path).text
    form = next(form for form in forms(page) if "address" in form.fields)
    answer = table.client.post(path, data={**form.fields, "address": NEW, "do": "change"})
    assert (answer.status_code, answer.location) == (303, path)
    shown = unescape(table.client.get(path).text)
    assert "Wir haben an die neue Adresse geschrieben" in shown and NEW not in shown
    assert lost_since() == NOW, "only confirming takes it away"

    with store.connected():
        other = player_at(NEW)
    assert other is not None
    token = links.sign("confirm", ConfirmLink(other.id, other.epoch))
    assert table.client.post(f"/confirm/{token}").status_code == 200
    bag = Bag()
    with store.connected():
        outbox.drain(office_with(bag), WORKER, clock.now)
        assert id_of(NEW) == table.match.seat(BOB).player
        assert unreachable.since(id_of(NEW)) is None

    kinds = [str(one["X-PBEM-Kind"]) for one in bag.letters if one["To"] == NEW]
    assert "turn" in kinds
    assert table.turn.deadline_at >= clock.now + 3 * DAY, "with all of the time"
    assert table.client.get(old).status_code == 410, "old links are dead"


def test_whose_mailbox_was_full_may_still_object_to_another_address(
    table: Table, links: Links
) -> None:
    with store.connected():
        bob = id_of(BOBS_ADDRESS)
        store.execute(
            "UPDATE outbox SET state = 'returned', report = 'soft', reported_at = ?,"
            " last_error = '5.2.2 came back' WHERE player_id = ?",
            *(NOW, bob),
        )
        unreachable.note_returned(bob, "hard", NOW)
    path = f"{table.seat_path(BOB)}/address"
    table.client.post(path, data={"address": NEW, "do": "change"})
    with store.connected():
        other = player_at(NEW)
    assert other is not None
    table.client.post(f"/confirm/{links.sign('confirm', ConfirmLink(other.id, other.epoch))}")

    with store.connected():
        assert id_of(BOBS_ADDRESS) == bob, "three days are waited"


def test_the_same_address_is_tried_once_more(table: Table, clock: Clock) -> None:
    lose()
    clock.now = NOW + DAY
    path = table.seat_path(BOB)
    answer = table.client.post(f"{path}/address", data={"do": "works"})

    assert (answer.status_code, answer.location) == (303, path)
    assert lost_since() is None
    assert table.turn.deadline_at == clock.now + 3 * DAY
    bag = Bag()
    with store.connected():
        outbox.drain(office_with(bag), WORKER, clock.now)
    assert [str(one["X-PBEM-Kind"]) for one in bag.letters if one["To"] == BOBS_ADDRESS] == ["turn"]


def test_the_own_page_tries_it_once_more_too(table: Table, links: Links) -> None:
    with store.connected():
        bob = get_player(id_of(BOBS_ADDRESS))
    path = f"/you/{links.sign('you', live_links.to_own_page(bob))}"
    button = 'name="do" value="works"'
    assert table.client.get(path).status_code == 200
    assert button not in table.client.get(path).text
    lose()
    assert button in table.client.get(path).text
    table.client.post(path, data={"do": "works"})

    assert lost_since() is None
    assert button not in table.client.get(path).text


def test_what_is_no_address_is_said(table: Table) -> None:
    lose()
    answer = table.client.post(
        f"{table.seat_path(BOB)}/address", data={"do": "change", "address": "nowhere"}
    )

    assert answer.status_code == 400
    assert "nowhere" in answer.text and "ann@example.org" in answer.text
    assert lost_since() == NOW


# --- what the players of a match see --------------------------------------------------------------


def test_players_see_whether_turn_letters_arrive(table: Table) -> None:
    page = unescape(table.client.get(table.seat_path(ANN)).text)
    assert "USSR: delivered on" in page and "USA: no email at the moment" in page
    lose(now=NOW)
    page = unescape(table.client.get(table.seat_path(ANN)).text)
    assert "USSR: cannot be reached since" in page

    german = unescape(table.client.get(table.seat_path(BOB)).text)
    assert "UdSSR: nicht erreichbar seit" in german


def test_no_page_of_others_tells_an_address_or_a_reason(table: Table) -> None:
    """Canaries: what the report and the row of the player say."""
    lose()
    pages = [
        table.client.get(path).text
        for path in (table.seat_path(ANN), f"/match/{table.id}", "/", "/watch")
    ]
    for page in pages:
        for canary in (BOBS_ADDRESS, "5.1.1", "came back", "mailer-daemon", "opened"):
            assert canary not in page.replace("has not come back", ""), canary
    assert "cannot be reached since" not in pages[1], "when is for the players alone"


def test_a_match_that_is_over_shows_no_deliveries(table: Table) -> None:
    table.client.post(f"{table.seat_path(ANN)}/resign")

    assert 'id="deliveries"' not in table.client.get(table.seat_path(ANN)).text
