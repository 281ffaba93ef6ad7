"""A seat's page: messages, standing orders, draw, resignation, leaked links."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urlsplit

import pytest
from flask.testing import FlaskClient

from pbem.db import store
from pbem.links import Links
from pbem.services.match import messages
from pbem.services.records.match_rows import OVER
from tests.pbem.table import HOSTILE, Table
from tests.pbem.visiting import NOW, everything, forms
from tests.services.people import DAY, letters
from tests.services.time.test_alarms import without_vacation
from tests.services.waiting import Days, hand_over

ANN, BOB = 0, 1


@pytest.fixture
def table(client: FlaskClient, links: Links) -> Table:
    return Table(client, links)


def written(table: Table) -> list[tuple[int, str]]:
    with store.connected():
        return [(said.seat, said.text) for said in messages.of_match(table.id, 0)]


def kinds(table: Table) -> list[str]:
    with store.connected():
        return [kind for kind, _, _ in letters(table.id)]


# --- messages ------------------------------------------------------------------------------------


def test_a_message_reaches_the_other_side(table: Table) -> None:
    page = table.client.get(table.seat_path(ANN)).text
    form = next(form for form in forms(page) if "text" in form.fields)
    answer = table.client.post(form.action, data={**form.fields, "text": "  Hello\r\nBob  "})

    assert answer.status_code == 303
    assert written(table) == [(ANN, "Hello\nBob")]
    assert kinds(table)[-1] == "message"
    assert "Hello\nBob" in table.client.get(table.seat_path(BOB)).text
    assert "Hello" not in table.client.get(f"/match/{table.id}").text, "nobody else reads it"


def test_a_form_sent_twice_writes_once(table: Table) -> None:
    page = table.client.get(table.seat_path(ANN)).text
    form = next(form for form in forms(page) if "text" in form.fields)
    for _ in range(3):
        table.client.post(form.action, data={**form.fields, "text": "Hello"})

    assert written(table) == [(ANN, "Hello")]


def test_words_of_others_are_text(table: Table) -> None:
    table.client.post(
        table.seat_path(ANN), data={"text": "<script>alert(1)</script> https://x.test"}
    )
    page = table.client.get(table.seat_path(BOB)).text

    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "alert(1)</script>" not in page
    assert 'href="https://x.test' not in page, "nothing of it can be clicked"


@pytest.mark.parametrize(
    "text",
    ["", "  \n ", "x" * 1_001, "bell\x07", "\u202eright to left", "nul\x00"],
    ids=["empty", "blank", "long", "bell", "direction", "nul"],
)
def test_a_message_that_cannot_be_is_given_back(table: Table, text: str) -> None:
    before = everything()
    answer = table.client.post(table.seat_path(ANN), data={"text": text})

    assert answer.status_code == 400
    assert 'class="fault"' in answer.text
    assert text.strip("\x07\x00 \n") in unescape(answer.text), "what was typed is kept"
    assert everything() == before


def test_a_huge_message_is_refused(table: Table) -> None:
    before = everything()

    assert table.client.post(table.seat_path(ANN), data={"text": "x" * 99_999}).status_code == 413
    assert everything() == before


# --- rare acts -----------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["resign", "draw", "revoke"])
def test_each_rare_act_asks_first(table: Table, what: str) -> None:
    path = table.seat_path(ANN)
    before = everything()
    assert f"{path}/{what}" in table.client.get(path).text
    page = table.client.get(f"{path}/{what}")

    assert page.status_code == 200
    (form,) = forms(page.text)
    assert (form.action, form.method) == (f"{path}/{what}", "post")
    assert everything() == before


def test_resigning_ends_the_match_once(table: Table) -> None:
    path = table.seat_path(ANN)
    for _ in range(3):
        assert table.client.post(f"{path}/resign").status_code == 303
    page = table.client.get(path).text

    assert (table.match.status, table.match.result) == (OVER, "ussr")
    assert kinds(table).count("finished") == 2
    assert "The match is over: USSR won." in page
    assert "USA has resigned." in page
    assert "/resign" not in page


def test_a_draw_is_offered_once_and_accepted(table: Table) -> None:
    ann, bob = table.seat_path(ANN), table.seat_path(BOB)
    for _ in range(3):
        assert table.client.post(f"{ann}/draw").status_code == 303
    assert kinds(table).count("message") == 1
    assert "You have offered a draw." in table.client.get(ann).text
    assert "USA bietet Remis an." in table.client.get(bob).text
    assert "Das Remis annehmen?" in table.client.get(f"{bob}/draw").text
    for _ in range(3):
        assert table.client.post(f"{bob}/draw").status_code == 303

    assert (table.match.status, table.match.result) == (OVER, "draw")
    assert "a draw" in table.client.get(ann).text


def test_a_letter_lets_accept_or_decline_a_draw_by_a_link_each(table: Table) -> None:
    ann, bob = table.seat_path(ANN), table.seat_path(BOB)
    assert "Das Remis annehmen?" not in table.client.get(f"{bob}/accept-draw").text
    table.client.post(f"{bob}/accept-draw")
    assert not any(seat.draw_offered for seat in table.match.seats), "nothing was offered"
    table.client.post(f"{ann}/draw")
    before = everything()
    assert "Das Remis annehmen?" in table.client.get(f"{bob}/accept-draw").text
    assert "Das Remis ablehnen?" in table.client.get(f"{bob}/decline-draw").text
    assert everything() == before
    for _ in range(3):
        assert table.client.post(f"{bob}/decline-draw").status_code == 303
    assert kinds(table).count("message") == 2, "the offer, and once that it was declined"
    table.client.post(f"{ann}/draw")
    assert table.client.post(f"{bob}/accept-draw").status_code == 303

    assert (table.match.status, table.match.result) == (OVER, "draw")


def test_what_letters_have_no_room_for_is_linked_from_the_seat(table: Table) -> None:
    page = table.client.get(table.seat_path(BOB)).text
    section = page.partition('id="more"')[2].partition("</section>")[0]
    ways = re.findall(r'href="([^"]+)"', section)

    assert any(f"/match/{table.id}" in way for way in ways)
    for path in ("/report/", "/rules/"):
        (way,) = [urlsplit(way).path for way in ways if path in way]
        assert table.client.get(way).status_code == 200
    assert "/you" in ways, "the own page comes by email: a seat is worth less than a person"


def test_leaked_links_are_switched_off(table: Table) -> None:
    seat, turn, other = table.seat_path(BOB), table.turn_path(), table.seat_path(ANN)
    answer = table.client.post(f"{seat}/revoke", follow_redirects=True)

    assert answer.status_code == 410
    assert "This link has been replaced" in answer.text
    assert table.client.get(turn).status_code == 410
    assert table.client.get(other).status_code == 200, "only this seat's"
    assert table.client.get(table.turn_path()).status_code == 200
    assert kinds(table).count("turn") == 2, "a new letter is on its way"
    again = table.client.post(f"{seat}/revoke")
    assert again.status_code == 410


def test_after_the_end_there_is_nothing_left_to_ask(table: Table) -> None:
    path = table.seat_path(ANN)
    table.client.post(f"{path}/resign")
    before = everything()
    for what in ("resign", "draw", "standing"):
        assert table.client.get(f"{path}/{what}").status_code in (200, 303)
        data = {"order": "standing all use"}
        assert table.client.post(f"{path}/{what}", data=data).status_code == 303

    assert everything() == before


# --- standing orders -----------------------------------------------------------------------------


def test_standing_orders_are_given_level_by_level(table: Table) -> None:
    path = f"{table.seat_path(BOB)}/standing"
    first = table.client.get(path).text
    assert "?prefix=standing%20all" in first
    second = table.client.get(f"{path}?prefix=standing+all").text
    form, _typing = forms(second)
    assert form.buttons == [
        ("order", "standing all use"),
        ("order", "standing all ask"),
        ("order", "standing all never"),
    ]
    answer = table.client.post(form.action, data={"order": "standing all never"})

    assert answer.status_code == 303
    assert table.state.standing[1].general == "never"
    assert "Standard: ablehnen" in table.client.get(path).text
    assert "ablehnen" not in table.client.get(f"/match/{table.id}").text


def test_the_same_standing_order_again_writes_nothing(table: Table) -> None:
    path = f"{table.seat_path(BOB)}/standing"
    for _ in range(4):
        table.client.post(path, data={"order": "standing all never"})

    assert table.match.head_seq == 1


def test_the_other_side_cannot_tell_that_one_was_given(client: FlaskClient, links: Links) -> None:
    """Every page of Ann and of Eve is the same, byte for byte, before and after Bob's order."""
    table = Table(client, links)
    paths = [table.seat_path(ANN), f"/match/{table.id}", f"/api/v1/match/{table.id}"]
    before = [client.get(path).text for path in paths]
    client.post(f"{table.seat_path(BOB)}/standing", data={"order": "standing all never"})

    assert table.match.head_seq == 1
    assert [client.get(path).text for path in paths] == before
    assert client.get(f"/match/{table.id}/step/1").status_code == 404


@pytest.mark.parametrize("order", [*HOSTILE.values(), "first usa", "done", "standing all maybe"])
def test_no_other_order_can_be_given_at_any_time(table: Table, order: str) -> None:
    before = everything()
    data = {"order": order.encode("utf-8", "surrogatepass")}
    answer = table.client.post(f"{table.seat_path(BOB)}/standing", data=data)

    assert answer.status_code == 400
    assert everything() == before


def test_a_standing_order_leaves_the_own_turn_alone(table: Table) -> None:
    link = table.order_path("first usa")
    table.press("add", order="first usa")
    table.client.post(f"{table.seat_path(BOB)}/standing", data={"order": "standing all use"})

    assert table.draft() == ("first usa",)
    assert table.client.get(link).status_code == 200
    assert table.client.post(link).status_code == 303
    table.press("submit")
    assert table.match.head_seq == 2


def test_every_act_on_each_store(client: FlaskClient, links: Links) -> None:
    table = Table(client, links)
    ann, bob = table.seat_path(ANN), table.seat_path(BOB)
    client.post(ann, data={"text": "Hello Bob"})
    client.post(f"{bob}/standing", data={"order": "standing all use"})
    client.post(f"{ann}/draw")
    client.post(f"{bob}/draw")

    assert (table.match.status, table.match.result) == (OVER, "draw")
    assert client.get(ann).status_code == 200
    assert table.client.post(ann, data={"text": f"Thanks {NOW}"}).status_code == 303


# --- when the other side lets its time run out ---------------------------------------------------


@pytest.fixture
def late(table: Table) -> Table:
    """Bob has let his time and the grace run out; Ann was told that she may claim the win."""
    with store.connected():
        hand_over(NOW)
        without_vacation()
        days = Days(NOW)
        days.tick()
        days.passes(4 * DAY + 1200, step=590)
    assert kinds(table)[-1] == "claim"
    return table


def test_the_patient_player_claims_the_win_with_one_button(late: Table) -> None:
    path = f"{late.seat_path(ANN)}/claim"
    assert path in late.client.get(late.seat_path(ANN)).text
    before = everything()
    assert "Claim the win?" in late.client.get(path).text
    assert everything() == before, "looking changes nothing"

    for _ in range(2):
        assert late.client.post(path).status_code == 303

    assert (late.match.status, late.match.result) == (OVER, "usa")
    assert kinds(late).count("finished") == 2


def test_the_patient_player_may_give_more_time(late: Table) -> None:
    path = f"{late.seat_path(ANN)}/wait"
    assert "more time?" in late.client.get(path).text

    for _ in range(2):
        assert late.client.post(path).status_code == 303

    assert late.match.status == "live"
    assert kinds(late).count("away") == 1
    assert path not in late.client.get(late.seat_path(ANN)).text


def test_a_stand_in_is_sought_for_who_cannot_be_reached(late: Table) -> None:
    path = f"{late.seat_path(ANN)}/find"
    assert path not in late.client.get(late.seat_path(ANN)).text
    assert "Look for a stand-in" not in late.client.get(path).text
    assert late.client.post(path).status_code == 303
    assert late.match.seat(1).status == "joined", "he was only late"
    with store.connected():
        player = late.match.seat(BOB).player
        store.execute("UPDATE player SET unreachable_since = ? WHERE id = ?", NOW, player)
    assert path in late.client.get(late.seat_path(ANN)).text
    before = everything()
    assert "Look for a stand-in for USSR?" in late.client.get(path).text
    assert everything() == before, "looking changes nothing"

    for _ in range(2):
        assert late.client.post(path).status_code == 303

    assert late.match.seat(1).status == "vacant"
    assert kinds(late).count("stand_in") == 1


def test_there_is_nothing_to_claim_before_or_for_the_late_one(table: Table) -> None:
    before = everything()
    for number in (ANN, BOB):
        for act in ("claim", "wait", "find"):
            path = f"{table.seat_path(number)}/{act}"
            assert "Claim the win" not in table.client.get(path).text
            assert table.client.post(path).status_code == 303
    assert everything() == before
