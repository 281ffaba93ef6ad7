"""Links of single orders: one button, pressed as often as people press."""

from __future__ import annotations

import threading
from collections import Counter

import pytest
from flask import Flask
from flask.testing import FlaskClient

from engine.iron_curtain.deck import standard_deck
from pbem.db import store
from pbem.links import Links
from pbem.services.match import drafts, messages
from tests.pbem.table import Table
from tests.pbem.visiting import NOW, everything, forms
from tests.services.people import letters


@pytest.fixture
def table(client: FlaskClient, links: Links) -> Table:
    return Table(client, links)


def test_the_page_says_the_order_in_words_and_has_one_button(table: Table) -> None:
    path = table.order_path("first usa")
    page = table.client.get(path)

    assert page.status_code == 200
    assert "<code>first usa</code>" in page.text
    assert "Bestimmen, wer beginnt: USA beginnt" in page.text
    assert "UdSSR bestimmt: USA beginnt Runde 1." in page.text
    assert "<svg" in page.text
    (form,) = forms(page.text)
    assert (form.action, form.method, form.fields) == (path, "post", {"note": ""})
    assert "first" not in path


def test_the_page_shows_the_board_but_not_the_hand(table: Table) -> None:
    page = table.client.get(table.order_path("first usa")).text

    assert "Deine Handkarten" not in page
    assert "Auf deiner Hand" not in page


def test_the_button_plays_the_order_once(table: Table) -> None:
    path = table.order_path("first usa")
    answers = [table.client.post(path) for _ in range(5)]

    assert {answer.status_code for answer in answers} == {303}
    assert {answer.headers["Location"] for answer in answers} == {path}
    assert table.match.head_seq == 1
    receipt = table.client.get(path)
    assert receipt.status_code == 200
    assert "<code>first usa</code>" in receipt.text
    assert "Jetzt ist USA am Zug (Ann)." in receipt.text


def test_another_order_of_the_same_turn_is_told_what_was_played(table: Table) -> None:
    other = table.order_path("first ussr")
    table.client.post(table.order_path("first usa"))
    before = everything()
    for answer in (table.client.get(other), table.client.post(other)):
        assert answer.status_code == 409
        assert "„first ussr“ wurde nicht gespielt" in answer.text
        assert "<code>first usa</code>" in answer.text

    assert everything() == before


def test_an_order_that_was_overtaken_within_the_turn_says_so(table: Table) -> None:
    usa, ussr = table.order_path("first usa"), table.order_path("first ussr")
    table.send("first ussr")  # Bob goes on himself, so that his turn stays open
    before = everything()
    for answer in (table.client.get(usa), table.client.post(usa)):
        assert answer.status_code == 409
        assert "„first usa“" in answer.text
        assert "<code>first ussr</code>" in answer.text
        assert "/t/" not in answer.text, "the letter has the link of the turn beside it"

    assert everything() == before
    again = table.client.get(ussr)
    assert again.status_code == 200
    assert "Dein Zug geht weiter" in again.text


def test_several_orders_of_one_letter_can_be_pressed_one_after_the_other(table: Table) -> None:
    table.send("first ussr")
    card = next(order for order in table.offered() if table.can_follow(order, "command"))
    play, command = table.order_path(card), table.order_path("command")
    assert table.client.get(command).status_code == 409, "not before the card"
    assert table.client.post(play).status_code == 303
    assert table.client.get(command).status_code == 200
    assert table.client.post(command).status_code == 303

    assert table.match.head_seq == 1, "nothing is sent before the turn is complete"
    with store.connected():
        assert drafts.draft_of(1) == (card, "command")


def test_an_order_that_only_begins_a_turn_says_so_and_opens_the_draft(table: Table) -> None:
    path = table.order_path("first ussr")
    page = table.client.get(path).text
    assert "Das ist nur ein Teil deines Zugs." in page
    assert "als UdSSR spielen" not in page
    answers = [table.client.post(path) for _ in range(3)]

    assert {answer.status_code for answer in answers} == {303}
    ways = [answer.headers["Location"] for answer in answers]
    assert ways == [table.turn_path(), path, path], "pressed again it is no way into the turn"
    assert "schon in deinem Entwurf" in table.client.get(path).text
    assert table.match.head_seq == 0
    with store.connected():
        assert drafts.draft_of(1) == ("first ussr",)


def test_a_cube_of_a_link_pressed_twice_is_drafted_once(table: Table) -> None:
    table.send("first ussr")
    card = next(
        order
        for order in table.offered()
        if table.can_follow(order, "command") and strength(order) > 1
    )
    table.send(card)
    table.send("command")
    cube = table.order_path(next(order for order in table.offered() if order.startswith("cube")))
    for _ in range(3):
        table.client.post(cube)

    with store.connected():
        assert len(drafts.draft_of(1)) == 1


def strength(order: str) -> int:
    """The points of the card that is played."""
    return standard_deck().cards[order.split()[1]].command


def test_what_cannot_be_undone_is_said_before_the_button(table: Table) -> None:
    page = table.client.get(table.order_path("first usa")).text
    said = page.index("kannst du diese Anweisung nicht zurücknehmen")
    assert said < page.index("als UdSSR spielen")


def test_a_note_goes_with_the_order(table: Table) -> None:
    path = table.order_path("first usa")
    refused = table.client.post(path, data={"note": "x" * 1_001})
    assert refused.status_code == 400
    assert "1000" in refused.text
    assert "x" * 1_001 in refused.text, "what was typed is kept"
    assert table.match.head_seq == 0
    for _ in range(2):
        assert table.client.post(path, data={"note": "Dein Zug!"}).status_code == 303

    with store.connected():
        assert [said.text for said in messages.of_match(table.match.id, 0)] == ["Dein Zug!"]


def test_the_page_warns_of_a_draft_that_would_be_dropped(table: Table) -> None:
    table.press("add", order="first ussr")
    path = table.order_path("first usa")
    assert "Anweisungen, die du nicht abgeschickt hast" in table.client.get(path).text
    table.client.post(path)

    with store.connected():
        assert drafts.draft_of(1) == ()


def test_a_code_that_stands_for_nothing_says_so(table: Table) -> None:
    path = table.order_path("first atlantis")
    before = everything()
    for answer in (table.client.get(path), table.client.post(path)):
        assert answer.status_code == 409
        assert "einer Stellung, die es nicht mehr gibt" in answer.text

    assert everything() == before


def test_a_match_that_ended_is_told(table: Table) -> None:
    path = table.order_path("first usa")
    table.client.post(f"{table.seat_path(0)}/resign")
    for answer in (table.client.get(path), table.client.post(path)):
        assert answer.status_code == 409
        assert "Die Partie ist beendet: Sieg für UdSSR." in answer.text


def test_two_hundred_presses_at_once_play_once(
    app: Flask, client: FlaskClient, links: Links
) -> None:
    table = Table(client, links)
    path, before = table.order_path("first usa"), Counter(letters_owed())
    answers: list[int] = []
    start = threading.Barrier(20)

    def press() -> None:
        visitor = app.test_client()
        start.wait()
        for _ in range(10):
            answers.append(visitor.post(path).status_code)

    threads = [threading.Thread(target=press) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert Counter(answers) == {303: 200}
    assert table.match.head_seq == 1
    assert Counter(letters_owed()) - before == Counter([("turn", 0), ("receipt", 1)]), (
        "one letter to Ann, one receipt to Bob"
    )


@pytest.mark.parametrize(("after", "is_shown"), [(3_600, True), (5, False)])
@pytest.mark.parametrize("way", ["link", "page"])
def test_a_page_is_the_receipt_unless_a_machine_may_have_pressed(
    table: Table, way: str, after: int, is_shown: bool
) -> None:
    """Nobody looks at the page behind a button that a mail scanner presses."""
    path = table.order_path("first usa")
    with store.connected():
        store.execute("UPDATE turn SET started_at = ?", NOW - after)
    if way == "link":
        table.client.post(path)
    else:
        table.press("orders", orders="first usa")
    with store.connected():
        ((about,),) = store.rows("SELECT about FROM outbox WHERE kind = 'receipt'")

    assert ('"shown":true' in about) == is_shown


def letters_owed() -> list[tuple[str, int | None]]:
    with store.connected():
        return [(kind, seat) for kind, _, seat in letters()]


def test_time_does_not_make_a_link_invalid(
    client: FlaskClient, links: Links, table: Table, clock: object
) -> None:
    """Clocks step; only the turn decides."""
    path = table.order_path("first usa")
    for now in (NOW - 3_600, NOW + 90 * 86_400):
        clock.now = now  # type: ignore[attr-defined]
        assert client.get(path).status_code == 200
