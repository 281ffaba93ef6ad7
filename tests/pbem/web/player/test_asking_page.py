"""What seats ask each other on pages: a rematch, a move back."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from pbem.db import store
from pbem.links import Links
from pbem.services.agreements import rematches
from pbem.services.match import matches
from pbem.services.records.match_rows import MatchRecord, get_match
from pbem.services.records.player_rows import get_player
from pbem.services.seats import live_links
from pbem.services.self_service import revocation
from tests.pbem.four_powers import FourPowers
from tests.pbem.table import HOSTILE, Table
from tests.pbem.visiting import everything, forms
from tests.services.agreements.test_takebacks import play_a_turn
from tests.services.people import NOW
from tests.services.powers import UK, USA, USSR, WE

ANN, BOB = 0, 1


@pytest.fixture
def table(client: FlaskClient, links: Links) -> Table:
    return Table(client, links)


@pytest.fixture
def over(table: Table) -> Table:
    """Bob has resigned."""
    with store.connected():
        matches.resign(table.id, BOB, NOW)
    return table


def rematch_of(table: Table) -> MatchRecord | None:
    with store.connected():
        return rematches.find(table.id)


def test_the_page_of_a_seat_leads_to_a_rematch_when_all_is_over(table: Table) -> None:
    path = f"{table.seat_path(ANN)}/rematch"
    assert path not in table.client.get(table.seat_path(ANN)).text
    assert "when the match is over" in table.client.get(path).text
    with store.connected():
        matches.resign(table.id, BOB, NOW)
    page = table.client.get(table.seat_path(ANN)).text
    assert f"{table.seat_path(ANN)}/rematch" in page
    assert "/start?game=iron_curtain#start-iron_curtain" in page


def test_looking_asks_for_nothing(over: Table) -> None:
    before = everything()
    page = over.client.get(f"{over.seat_path(ANN)}/rematch")
    assert "you play USSR" in page.text
    assert everything() == before


def test_two_presses_begin_a_rematch(over: Table) -> None:
    for seat, status in ((ANN, "forming"), (BOB, "live")):
        path = f"{over.seat_path(seat)}/rematch"
        for _ in range(2):
            answer = over.client.post(path, data={"do": "ask"}, follow_redirects=True)
            new = rematch_of(over)
            assert new is not None and new.status == status
            assert f"/match/{new.id}" in answer.text
    with store.connected():
        assert store.rows("SELECT COUNT(*) FROM match") == [(2,)]


def test_the_form_of_who_is_asked_accepts_and_declines(over: Table) -> None:
    over.client.post(f"{over.seat_path(ANN)}/rematch", data={"do": "ask"})
    page = over.client.get(f"{over.seat_path(BOB)}/rematch").text
    (form,) = [form for form in forms(page) if form.method == "post"]
    assert [value for _, value in form.buttons] == ["ask", "decline"]
    over.client.post(f"{over.seat_path(BOB)}/rematch", data={"do": "decline"})
    new = rematch_of(over)
    assert new is not None and new.status == "cancelled"
    again = over.client.post(f"{over.seat_path(ANN)}/rematch", data={"do": "ask"})
    assert again.status_code == 400
    assert "declined" in again.text


def test_a_link_that_was_revoked_asks_for_nothing(over: Table) -> None:
    path = f"{over.seat_path(ANN)}/rematch"
    with store.connected():
        revocation.by_player(get_match(over.id).seat(ANN).player or 0, NOW)
    assert over.client.post(path, data={"do": "ask"}).status_code == 410
    assert over.client.get(path).status_code == 410
    assert rematch_of(over) is None


def test_who_has_two_seats_is_told_of_both_and_sits_down_by_one_press(
    client: FlaskClient, links: Links
) -> None:
    four = FourPowers(client, links)
    with store.connected():
        matches.resign(four.id, WE, NOW)  # the United Kingdom plays on with it
        matches.resign(four.id, USSR, NOW)
    assert "you play United Kingdom and USA" in client.get(f"{four.seat_path(UK)}/rematch").text
    client.post(f"{four.seat_path(USSR)}/rematch", data={"do": "ask"})
    with store.connected():
        new = rematches.find(four.id)
        assert new is not None
        player = get_player(new.seat(USA).player)
        link = links.sign("join", live_links.to_invitation(new, new.seat(USA), player))
    assert "You play United Kingdom and USA." in client.get(f"/join/{link}").text
    form = {"do": "accept", "name": player.name, "language": "en", "zone": "UTC"}
    assert "you play United Kingdom and USA" in client.post(f"/join/{link}", data=form).text
    with store.connected():
        assert [seat.status for seat in get_match(new.id).seats][UK:] == ["joined", "joined"]


@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE)
def test_bad_input_is_refused_or_harmless(over: Table, words: str) -> None:
    path, sent = f"{over.seat_path(ANN)}/rematch", words.encode("utf-8", "surrogatepass")
    assert over.client.post(path, data={"do": sent or b"?"}).status_code == 400
    answer = over.client.post(path, data={"do": "ask", "phrase": sent})
    assert answer.status_code in (303, 400)
    assert "<script>alert" not in answer.text


# --- a move back ----------------------------------------------------------------------------------


@pytest.fixture
def moved(table: Table) -> Table:
    """Whoever was asked first has moved."""
    with store.connected():
        play_a_turn(table.id)
    return table


def ask(table: Table) -> tuple[int, int]:
    """Who has moved asks to take it back; that seat, and the one who decides."""
    decider = table.turn.seat
    answer = table.client.post(f"{table.seat_path(1 - decider)}/takeback", data={"do": "ask"})
    assert answer.status_code == 303
    return 1 - decider, decider


def test_the_links_of_the_letter_show_one_button_each_and_change_nothing(moved: Table) -> None:
    _, decider = ask(moved)
    before = everything()
    for answer in ("agree", "decline"):
        page = moved.client.get(f"{moved.seat_path(decider)}/takeback/{answer}").text
        (form,) = [form for form in forms(page) if "seen" in form.fields]
        assert [value for _, value in form.buttons if value] == [answer]
    assert everything() == before


@pytest.mark.parametrize(("answer", "timeline"), [("agree", 1), ("decline", 0)])
def test_a_press_decides_once(moved: Table, answer: str, timeline: int) -> None:
    asker, decider = ask(moved)
    path = f"{moved.seat_path(decider)}/takeback"
    (form,) = [form for form in forms(moved.client.get(path).text) if "seen" in form.fields]
    said = {**form.fields, "do": answer}
    assert moved.client.post(path, data=said).status_code == 303
    assert moved.match.timeline == timeline
    again = moved.client.post(path, data=said)
    assert again.status_code in (400, 410)
    assert moved.match.timeline == timeline
    assert moved.turn.seat == (asker if timeline else decider)


def test_the_seats_lead_to_it(moved: Table) -> None:
    asker, decider = 1 - moved.turn.seat, moved.turn.seat
    assert f"{moved.seat_path(asker)}/takeback" in moved.client.get(moved.seat_path(asker)).text
    ask(moved)
    page = moved.client.get(moved.seat_path(decider)).text
    assert f"{moved.seat_path(decider)}/takeback" in page


def test_the_public_page_says_who_took_a_move_back(moved: Table) -> None:
    asker, decider = ask(moved)
    path = f"{moved.seat_path(decider)}/takeback"
    (form,) = [form for form in forms(moved.client.get(path).text) if "seen" in form.fields]
    assert "as all agreed" not in moved.client.get(f"/match/{moved.id}").text
    moved.client.post(path, data={**form.fields, "do": "agree"})
    side = ("USA", "USSR")[asker]
    page = moved.client.get(f"/match/{moved.id}").text
    assert f"{side} takes the last move back, as all agreed." in page


def test_a_page_that_shows_too_little_does_not_decide(moved: Table) -> None:
    _, decider = ask(moved)
    path = f"{moved.seat_path(decider)}/takeback"
    answer = moved.client.post(path, data={"do": "agree", "seen": "<b>"})
    assert answer.status_code == 400
    assert moved.match.timeline == 0


def test_a_revoked_link_answers_nothing(moved: Table) -> None:
    _, decider = ask(moved)
    path = f"{moved.seat_path(decider)}/takeback"
    with store.connected():
        revocation.by_player(get_match(moved.id).seat(decider).player or 0, NOW)
    for do in ("agree", "decline", "ask"):
        assert moved.client.post(path, data={"do": do}).status_code == 410
    assert moved.match.timeline == 0


def test_a_button_that_is_not_there(moved: Table) -> None:
    path = f"{moved.seat_path(0)}/takeback"
    assert moved.client.post(path, data={"do": "everything"}).status_code == 400
    assert moved.client.post(path, data={"do": "withdraw"}).status_code == 400
