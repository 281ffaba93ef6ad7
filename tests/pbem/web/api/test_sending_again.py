"""A program that got no answer sends its orders again: they are played once and answered alike."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from engine.chance import QuickDice
from pbem.db import store
from pbem.links import Links
from pbem.services.match import drafts, match_log, messages
from tests.pbem.table import Table
from tests.pbem.visiting import everything


@pytest.fixture
def table(client: FlaskClient, links: Links) -> Table:
    return Table(client, links)


def post(table: Table, token: str, orders: list[str], key: str = "", **more: Any) -> TestResponse:
    headers = {"Idempotency-Key": key} if key else {}
    body = {"orders": orders, **more}
    return table.client.post(f"/api/v1/turn/{token}", json=body, headers=headers)


def sent(table: Table) -> int:
    found = table.client.get(f"/api/v1/turn/{table.turn_token()}").get_json()["sent"]
    assert isinstance(found, int)
    return found


def to_repeatable(table: Table) -> str:
    """Play until an order can be given twice in one turn; that order."""
    choice = QuickDice(b"again")
    while table.is_live:
        for order in table.offered():
            if table.can_follow(order, order) and stays_asked(table, order):
                return order
        offered = table.offered()
        table.send(offered[choice.below(len(offered))])
    raise AssertionError("no order can be given twice")


def stays_asked(table: Table, order: str) -> bool:
    match, turn = table.match, table.turn
    with store.connected():
        tried = drafts.preview(match, match_log.current(match), match.seat(turn.seat).name, [order])
    return tried.is_asked and not tried.is_final


def test_a_turn_tells_how_many_orders_were_sent_in_it(table: Table) -> None:
    order = to_repeatable(table)
    before = sent(table)
    table.send(order)

    assert sent(table) == before + 1


def test_orders_sent_again_with_their_number_are_played_once(table: Table) -> None:
    order = to_repeatable(table)
    token, number = table.turn_token(), sent(table)
    first = post(table, token, [order], sent=number)
    kept = everything()
    again = post(table, token, [f"  {order.upper()} "], sent=number)

    assert first.status_code == again.status_code == 200
    assert again.get_json() == first.get_json()
    assert everything() == kept
    assert post(table, token, [order], sent=number + 1).status_code == 200
    assert sent(table) == number + 2, "with the next number it is another sending"


def test_orders_sent_again_with_their_key_are_played_once(table: Table) -> None:
    order = to_repeatable(table)
    token, number = table.turn_token(), sent(table)
    first = post(table, token, [order], key="one")
    kept = everything()
    again = post(table, token, [order], key="one")

    assert first.status_code == again.status_code == 200
    assert again.get_json() == first.get_json()
    assert everything() == kept
    assert post(table, token, [order], key="two").status_code == 200
    assert sent(table) == number + 2, "under another key it is another sending"


@pytest.mark.parametrize("by", ["key", "sent"])
def test_the_last_orders_of_a_turn_are_answered_alike_when_it_is_over(
    table: Table, by: str
) -> None:
    token, how = table.turn_token(), {"key": "k"} if by == "key" else {"sent": 0}
    first = post(table, token, ["first usa"], **how)
    kept = everything()

    assert post(table, token, ["first usa"], **how).get_json() == first.get_json()
    assert first.get_json()["waiting_on"] == ["usa"]
    assert everything() == kept
    other = post(table, token, ["first ussr"], **how)
    assert other.status_code == (422 if by == "key" else 409)
    assert everything() == kept


def test_a_key_stands_for_one_sending(table: Table) -> None:
    order = to_repeatable(table)
    token = table.turn_token()
    post(table, token, [order], key="one")
    kept = everything()
    for orders, more in (([order, order], {}), ([order], {"sent": 0})):
        answer = post(table, token, orders, key="one", **more)
        assert answer.status_code == 422
        assert answer.get_json()["error"] == {
            "code": "key_used",
            "message": "this key was used for other orders in this turn; take a new one",
        }
    assert everything() == kept


def test_a_refused_sending_keeps_its_key_free(table: Table) -> None:
    token = table.turn_token()

    assert post(table, token, ["first eve"], key="one").status_code == 422
    assert post(table, token, ["first usa"], key="one").status_code == 200


def test_a_wrong_number_plays_nothing_and_tells_the_right_one(table: Table) -> None:
    order = to_repeatable(table)
    token, number = table.turn_token(), sent(table)
    table.send(order)
    kept = everything()
    for wrong in (number, number + 2, 999_999):
        answer = post(table, token, [order, order], sent=wrong)
        assert answer.status_code == 409
        assert f"in this turn so far: {number + 1}" in answer.get_json()["error"]["message"]
    assert everything() == kept


def test_without_either_a_turn_that_is_over_says_so_and_plays_nothing(table: Table) -> None:
    token = table.turn_token()
    post(table, token, ["first usa"])
    kept = everything()
    answer = post(table, token, ["first usa"])

    assert answer.status_code == 409
    assert answer.get_json()["error"]["message"].endswith("played in it: first usa")
    assert everything() == kept


@pytest.mark.parametrize("key", ["\t", "é", "x" * 256, "a\x01b"])
def test_what_is_no_key_is_refused(table: Table, key: str) -> None:
    kept = everything()
    answer = post(table, table.turn_token(), ["first usa"], key=key)

    assert answer.status_code == 400
    assert answer.get_json()["error"]["code"] == "bad_key"
    assert everything() == kept


@pytest.mark.parametrize("number", [-1, 1.5, "0", 10**30, True, [0]])
def test_what_is_no_number_is_refused(table: Table, number: Any) -> None:
    kept = everything()

    assert post(table, table.turn_token(), ["first usa"], sent=number).status_code == 400
    assert everything() == kept


def test_an_old_link_tells_nothing_hidden_again(table: Table) -> None:
    """Whoever finds an old letter must not learn what was said in advance, not even by guessing."""
    token, orders = table.turn_token(), ["standing all never", "first usa"]
    first = post(table, token, orders, key="k", sent=0).get_json()
    assert len(first["events"]) == 2
    assert post(table, token, orders, key="k", sent=0).get_json() == first
    while table.turn.seat == 0:
        table.send(table.offered()[0])

    again = post(table, token, orders, key="k", sent=0).get_json()
    assert again == {**first, "events": first["events"][1:]}
    for guess in (orders, ["standing all never"], ["standing all use"]):
        assert post(table, token, guess, sent=0).status_code == 409


@pytest.mark.parametrize("by", ["key", "sent"])
def test_several_at_once_are_played_once_and_answered_alike(
    client: FlaskClient, links: Links, by: str
) -> None:
    table = Table(client, links)
    order = to_repeatable(table)
    token, number = table.turn_token(), sent(table)
    how = {"key": "k"} if by == "key" else {"sent": number}

    def send(_: int) -> tuple[int, Any]:
        other = Table.__new__(Table)
        other.client = client.application.test_client()
        answer = post(other, token, [order], **how)
        return answer.status_code, answer.get_json()

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(send, range(6)))

    assert answers == [answers[0]] * 6
    assert answers[0][0] == 200
    assert sent(table) == number + 1


@pytest.mark.parametrize("key", ["", "a name"])
def test_a_note_goes_with_orders_and_is_said_once(table: Table, key: str) -> None:
    token = table.turn_token()
    for _ in range(2):
        answer = post(table, token, ["first usa"], key, sent=0, note="You begin!")
        assert answer.status_code == 200
    with store.connected():
        assert [said.text for said in messages.of_match(table.id, 0)] == ["You begin!"]


def test_a_key_stands_for_its_note_too(table: Table) -> None:
    token = table.turn_token()
    assert post(table, token, ["first usa"], "a name", note="You begin!").status_code == 200
    other = post(table, token, ["first usa"], "a name", note="I begin!")
    assert (other.status_code, other.get_json()["error"]["code"]) == (422, "key_used")


def test_a_note_that_cannot_be_sent_holds_the_orders_back(table: Table) -> None:
    token, before = table.turn_token(), everything()
    answer = post(table, token, ["first usa"], sent=0, note="x" * 1_001)
    assert answer.status_code == 422
    assert "1000" in answer.get_json()["error"]["message"]
    assert everything() == before
