"""The JSON interface: what it promises in its own document, and that it keeps to it."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from unittest.mock import patch

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from engine.chance import QuickDice
from pbem.db import store
from pbem.deadlines import DAY, Clock
from pbem.links import Links
from pbem.services.match import matches
from pbem.services.operations.disk_space import Room
from pbem.services.players.limits import ACTS, Limit
from pbem.services.records.match_rows import OVER
from pbem.web.api.openapi import DOCUMENT
from tests.pbem.table import HOSTILE, Table, canary_deck
from tests.pbem.visiting import NOW, everything
from tests.services.people import wanted

Schema = dict[str, Any]
KINDS: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "boolean": bool,
    "null": type(None),
}


@pytest.fixture
def table(client: FlaskClient, links: Links) -> Table:
    return Table(client, links)


# --- a client made from the document -------------------------------------------------------------


class Client:
    """Calls operations by their names and holds every answer to the document."""

    def __init__(self, client: FlaskClient) -> None:
        self.client = client
        self.document = client.get("/api/v1/openapi.json").get_json()
        self.seen: set[tuple[str, str]] = set()
        self.operations = {
            operation["operationId"]: (path, method, operation)
            for path, methods in self.document["paths"].items()
            for method, operation in methods.items()
        }

    def call(self, name: str, body: Any = None, **parameters: str) -> TestResponse:
        path, method, operation = self.operations[name]
        query = {}
        for parameter in operation["parameters"]:
            if parameter["in"] == "path":
                path = path.replace(f"{{{parameter['name']}}}", parameters[parameter["name"]])
            elif parameter["name"] in parameters:
                query[parameter["name"]] = parameters[parameter["name"]]
        answer = self.client.open(path, method=method.upper(), query_string=query, json=body)
        self.check(name, answer)
        return answer

    def check(self, name: str, answer: TestResponse) -> None:
        promised = self.operations[name][2]["responses"]
        status = str(answer.status_code)
        assert status in promised, f"{name} answers {status}, which the document does not know"
        assert answer.mimetype == "application/json"
        schema = promised[status]["content"]["application/json"]["schema"]
        faults = list(unlike(answer.get_json(), schema, self.document))
        assert faults == [], faults
        self.seen.add((name, status))


def unlike(value: Any, schema: Schema, document: Schema, at: str = "") -> list[str]:
    """Where a value differs from its schema, in the part of JSON Schema that the document uses."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(type(value) is KINDS[kind] for kind in kinds):
        return [f"{at} is {type(value).__name__}, not {kinds}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{at} is {value!r}, not one of {schema['enum']}"]
    faults = []
    if isinstance(value, dict) and "properties" in schema:
        faults += [f"{at}.{name} is missing" for name in schema["required"] if name not in value]
        faults += [f"{at}.{name} is not described" for name in value.keys() - schema["properties"]]
        for name in value.keys() & schema["properties"].keys():
            faults += unlike(value[name], schema["properties"][name], document, f"{at}.{name}")
    if isinstance(value, list):
        for number, item in enumerate(value):
            faults += unlike(item, schema["items"], document, f"{at}[{number}]")
    if schema.get("format") == "date-time":
        datetime.fromisoformat(value)
    return faults


def test_the_checker_sees_what_is_wrong() -> None:
    good = {"accepted": True, "events": ["x"], "waiting_on": []}
    schema = {"$ref": "#/components/schemas/Receipt"}
    assert unlike(good, schema, DOCUMENT) == []
    bad: list[Any] = [{**good, "events": "x"}, {**good, "events": [1]}, {**good, "more": 1}]
    bad += [{**good, "accepted": False}, {"accepted": True, "events": []}, []]
    for value in bad:
        assert unlike(value, schema, DOCUMENT)


def test_the_document_is_whole(client: FlaskClient) -> None:
    document = client.get("/api/v1/openapi.json").get_json()

    assert document == DOCUMENT
    assert document["openapi"].startswith("3.1")
    rules = {str(rule) for rule in client.application.url_map.iter_rules()}
    served = {rule for rule in rules if rule.startswith("/api/v1/")} - {"/api/v1/openapi.json"}
    assert {
        path.translate(str.maketrans("{}", "<>")).replace("<id>", "<match_id>")
        for path in document["paths"]
    } == served


def test_every_answer_that_the_document_promises_can_be_had(table: Table) -> None:
    api, token = Client(table.client), table.turn_token()
    api.call("getTurn", token=token)
    api.call("getTurn", token=token, prefix="play atlantis")
    api.call("sendOrders", {"orders": [1]}, token=token)
    api.call("sendOrders", {"orders": ["x" * 99_999]}, token=token)
    api.call("sendOrders", {"orders": ["first eve"]}, token=token)
    with store.connected():
        store.execute("UPDATE player SET turn_word = ?", True)
    for _ in range(6):
        api.call("sendOrders", {"orders": ["first usa"], "word": "wrong"}, token=token)
    with store.connected():
        store.execute("UPDATE player SET turn_word = ?", False)
    with patch.dict(ACTS, order=(Limit("seat", 0, DAY),)):
        api.call("sendOrders", {"orders": ["standing all use"]}, token=token)
    with patch.object(Room, "is_short", lambda room: True):
        api.call("sendOrders", {"orders": ["first usa"]}, token=token)
    api.call("sendOrders", {"orders": ["first usa"]}, token=token)
    api.call("sendOrders", {"orders": ["first usa"]}, token=token)
    api.call("getTurn", token=token)
    with store.connected():
        matches.revoke_links(table.id, 1, NOW + 1)
    for name, body in (("getTurn", None), ("sendOrders", {"orders": ["first usa"]})):
        api.call(name, body, token=token)
        api.call(name, body, token="nonsense")
    api.call("getMatch", id=table.id)
    api.call("getMatch", id="nonsense")

    promised = {
        (name, status)
        for name, (_, _, operation) in api.operations.items()
        for status in operation["responses"]
    }
    assert api.seen == promised


@pytest.mark.whole
@pytest.mark.timeout(400)
def test_a_whole_match_by_a_program(client: FlaskClient, links: Links) -> None:
    table, below = Table(client, links), QuickDice(b"program").below
    api = Client(client)
    while table.is_live:
        token, words = table.turn_token(), ""
        while True:
            options = api.call("getTurn", token=token, prefix=words).get_json()["options"]
            option = options[below(len(options))]
            words = f"{words} {option['word']}".strip()
            if option["leaf"]:
                break
        receipt = api.call("sendOrders", {"orders": [words]}, token=token).get_json()
        assert receipt["accepted"] is True
    seen = api.call("getMatch", id=table.id).get_json()

    assert seen["status"] == OVER
    assert seen["result"] in ("usa", "ussr")
    assert receipt["waiting_on"] == []


# --- turns ---------------------------------------------------------------------------------------


def test_a_turn_as_its_seat_sees_it(table: Table) -> None:
    turn = table.client.get(f"/api/v1/turn/{table.turn_token()}").get_json()

    assert (turn["match"], turn["game"], turn["seat"]) == (table.id, "iron_curtain", "ussr")
    assert turn["turn"] == table.turn.id
    assert turn["deadline"] == "2027-01-18T08:00:00+00:00"
    assert turn["board"].isascii()
    assert turn["view"]["hand"] == list(table.state.hands[1])
    assert turn["view"]["variant"]["deck"] == "reconstructed"
    assert turn["options"] == [{"word": "first", "label": "Bestimmen, wer beginnt", "leaf": False}]
    deeper = table.client.get(f"/api/v1/turn/{table.turn_token()}?prefix=first").get_json()
    assert [option["word"] for option in deeper["options"]] == ["usa", "ussr"]


def test_orders_are_accepted_all_or_none(table: Table) -> None:
    path, before = f"/api/v1/turn/{table.turn_token()}", everything()
    refused = table.client.post(path, json={"orders": ["first ussr", "fly moon"]})
    assert refused.status_code == 422
    assert refused.get_json()["error"]["code"] == "illegal_order"
    assert "fly moon" in refused.get_json()["error"]["message"]
    assert refused.get_json()["error"]["rule"] == "11.4"
    assert refused.get_json()["error"]["rule_url"].endswith("/rules/iron_curtain?lang=de#rule-11-4")
    assert unlike(refused.get_json(), {"$ref": "#/components/schemas/Error"}, DOCUMENT) == []
    assert everything() == before
    accepted = table.client.post(path, json={"orders": ["first usa"]})

    assert accepted.get_json() == {
        "accepted": True,
        "events": ["UdSSR bestimmt: USA beginnt Runde 1."],
        "waiting_on": ["usa"],
    }


def test_a_turn_that_is_over_says_what_was_played(table: Table) -> None:
    path = f"/api/v1/turn/{table.turn_token()}"
    table.send("first usa")
    for answer in (
        table.client.get(path),
        table.client.post(path, json={"orders": ["first usa"]}),
    ):
        assert answer.status_code == 409
        assert answer.get_json()["error"] == {
            "code": "turn_over",
            "message": "this turn is over; played in it: first usa",
        }


BODIES = {
    "nothing": b"",
    "no JSON": b"{orders",
    "a list": b"[]",
    "a number": b"7",
    "null": b"null",
    "no orders": b"{}",
    "orders are null": b'{"orders": null}',
    "orders are a text": b'{"orders": "first usa"}',
    "orders are numbers": b'{"orders": [1]}',
    "nested": b'{"orders": [["first usa"]]}',
    "deep": b"[" * 5_000,
    "not UTF-8": b'{"orders": ["\xff\xfe"]}',
    "half a pair": b'{"orders": ["\\ud800"]}',
    "no order": b'{"orders": []}',
    "an empty order": b'{"orders": [""]}',
    "many": b'{"orders": [' + b'"done",' * 99 + b'"done"]}',
    "NUL": b'{"orders": ["first \\u0000 usa"]}',
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_bad_body_changes_nothing(table: Table, body: bytes) -> None:
    before = everything()
    answer = table.client.post(f"/api/v1/turn/{table.turn_token()}", data=body)

    assert answer.status_code in (400, 422)
    assert set(answer.get_json()["error"]) - {"rule", "rule_url"} == {"code", "message"}
    assert everything() == before


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_words_are_refused(table: Table, text: str) -> None:
    before, path = everything(), f"/api/v1/turn/{table.turn_token()}"
    sent = table.client.post(path, json={"orders": [text]})
    asked = table.client.get(path, query_string={"prefix": text.encode("utf-8", "surrogatepass")})

    assert sent.status_code in (400, 422)
    assert asked.status_code in (200, 400)
    assert (asked.status_code == 200) == (not text.strip())
    assert everything() == before


def test_the_largest_body_is_limited(table: Table) -> None:
    body = b'{"orders": ["' + b"x" * 70_000 + b'"]}'
    answer = table.client.post(f"/api/v1/turn/{table.turn_token()}", data=body)

    assert answer.status_code == 413
    assert set(answer.get_json()["error"]) - {"rule", "rule_url"} == {"code", "message"}


@pytest.mark.parametrize("path", ["", "turn", "turn/", "turn/x/y", "match", "openapi", "x" * 900])
def test_an_unknown_address_is_answered_in_json(client: FlaskClient, path: str) -> None:
    for answer in (client.get(f"/api/v1/{path}"), client.post(f"/api/v1/{path}", json={})):
        assert answer.status_code == 404
        assert answer.get_json()["error"]["code"] == "not_found"


@pytest.mark.whole
def test_an_unknown_method_is_answered_in_json(table: Table) -> None:
    answer = table.client.delete(f"/api/v1/turn/{table.turn_token()}")

    assert answer.status_code == 405
    assert answer.get_json()["error"]["code"] == "method_not_allowed"


# --- matches -------------------------------------------------------------------------------------


def test_a_match_as_everybody_sees_it(table: Table) -> None:
    seen = table.client.get(f"/api/v1/match/{table.id}").get_json()

    assert seen["status"] == "live"
    assert seen["waiting_on"] == ["ussr"]
    assert seen["seats"] == [
        {"seat": "usa", "name": "Ann", "status": "joined"},
        {"seat": "ussr", "name": "Bob", "status": "joined"},
    ]
    assert seen["result"] is None
    assert seen["view"]["hand"] == []
    assert "example.org" not in str(seen)
    assert table.match.secret not in str(seen)


def test_the_clock_of_a_match_is_told_whole(client: FlaskClient) -> None:
    clock = Clock(per_move=0, bank=300_000, increment=43_200, cap=432_000, hour=20, days_off=(5, 6))
    with store.connected():
        match = matches.create(wanted(clock=clock), NOW)
        usual = matches.create(wanted(), NOW)
    api = Client(client)

    seen = api.call("getMatch", id=match).get_json()
    assert seen["pace"] == 43_200
    assert seen["clock"] == {
        "per_move": 0,
        "bank": 300_000,
        "increment": 43_200,
        "cap": 432_000,
        "hour": 20,
        "zone": "UTC",
        "days_off": [5, 6],
        "grace": 86_400,
        "answer": 172_800,
        "policy": "claim",
        "most_pause": 2_592_000,
    }
    assert api.call("getMatch", id=usual).get_json()["clock"]["per_move"] == 259_200


def test_a_match_in_the_making_has_no_board(client: FlaskClient) -> None:
    with store.connected():
        match = matches.create(wanted(), NOW)
    seen = Client(client).call("getMatch", id=match).get_json()

    assert (seen["status"], seen["board"], seen["view"]) == ("forming", "", None)


@pytest.mark.whole
def test_no_answer_names_a_hidden_card(client: FlaskClient, links: Links) -> None:
    table, below = Table(client, links, {"deck": canary_deck()}), QuickDice(b"json").below
    while table.is_live:
        state, turn = table.state, table.turn
        own, other = state.hands[turn.seat], state.hands[1 - turn.seat]
        mine = client.get(f"/api/v1/turn/{table.turn_token()}").text.lower()
        everybody = client.get(f"/api/v1/match/{table.id}").text.lower()
        assert not [card for card in (*other, *state.reserve) if card in mine]
        assert not [card for card in (*own, *other, *state.reserve) if card in everybody]
        offered = table.offered()
        table.send(offered[below(len(offered))])
