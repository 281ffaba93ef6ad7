"""Checking a finished match on the web: what is right, and the first thing that is wrong."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from engine.chance import QuickDice
from engine.replay import write_match
from pbem.services.match import match_log, turns
from pbem.services.records.match_rows import get_match
from tests.pbem.visiting import NOW, everything, forms
from tests.services.people import an_order, play_to_the_end, sit_down

Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def document(client: FlaskClient) -> dict[str, Any]:
    """A finished match as its players download it, rewound once on the way."""
    match, choice = sit_down(NOW).match, QuickDice(b"on the way")
    for _ in range(9):
        turn, order = an_order(match, choice)
        turns.submit(turn.id, [order], NOW)
    turns.rewind(match, 6, "moderator", NOW)
    play_to_the_end(match, NOW, b"otherwise")
    found: dict[str, Any] = json.loads(write_match(match_log.export(get_match(match))))
    return found


def check(client: FlaskClient, content: bytes, heads: str = "") -> TestResponse:
    data = {"file": (io.BytesIO(content), "match.json"), "heads": heads}
    return client.post("/verify", data=data)


def test_the_page_offers_a_form_and_the_verifier(client: FlaskClient) -> None:
    page = client.get("/verify")
    (form,) = forms(page.text)

    assert (form.method, form.action) == ("post", "/verify")
    assert 'href="/static/verify_match.py"' in page.text
    assert "pbem/commit/v1" in page.text
    with client.get("/static/verify_match.py") as script:
        assert b"def match_key" in script.data


def test_a_right_file_shows_every_shuffle_and_entry(
    client: FlaskClient, document: dict[str, Any]
) -> None:
    before = everything()
    page = check(client, json.dumps(document).encode())

    assert page.status_code == 200
    assert f"Match {document['match']} of Iron Curtain is correct" in page.text
    for words in (document["commitment"], document["secret"], document["decks"][0]["root"]):
        assert words in page.text
    assert "from ann" in page.text
    assert ", ".join(document["decks"][0]["cards"]) in page.text
    assert "back to entry 6" in page.text
    assert page.text.count("<tr>") == len(document["entries"]) + 1
    assert everything() == before, "nothing is kept"


@pytest.mark.whole
def test_the_heads_of_letters_are_compared(client: FlaskClient, document: dict[str, Any]) -> None:
    data = json.dumps(document).encode()
    heads = [entry["hash"][:16] for entry in document["entries"]]
    page = check(client, data)
    assert all(f"<code>{head}</code>" in page.text for head in heads)
    assert f"entry {len(heads) - 1} has {heads[-1]}" in page.text, "it asks for one"

    page = check(client, data, f"{heads[3]}\n {heads[-1].upper()}@{len(heads) - 1}")
    assert page.status_code == 200
    assert "It contains 2 heads from emails." in page.text
    assert "To rule out" not in page.text
    page = check(client, data, f"{heads[3]}\n{heads[1]}")
    assert "Your emails prove it up to entry 3. To rule out" in page.text
    for wrong, words in (("0" * 16, "this is not what was played"), ("x", "is no head")):
        page = check(client, data, wrong)
        assert page.status_code == 400
        assert words in page.text


def test_a_file_from_before_the_chain_is_told_so(
    client: FlaskClient, document: dict[str, Any]
) -> None:
    for name in ("seats", "head", "reason"):
        del document[name]
    for entry in document["entries"]:
        entry.pop("result", None)
        del entry["hash"]
    document["format"] = "pbem-match/1"
    page = check(client, json.dumps(document).encode())

    assert page.status_code == 200
    assert "from before entries were chained" in page.text


WRONG: list[tuple[Change, str]] = [
    (lambda d: d["entries"].pop(), "not over with the last entry"),
    (lambda d: d.update(result="draw"), "the match ends with"),
    (lambda d: d["entries"][3].update(at="1"), "entry 3: its hash does not fit"),
    (lambda d: d.pop("decks"), "must show the root of deck 1"),
    (lambda d: d.update(secret="00" * 32), "does not fit the commitment"),
    (lambda d: d.update(secret="XY"), "not written in lower-case hexadecimal digits"),
    (lambda d: d["phrases"].__setitem__(0, "other"), "entry 0: its draws are not what the secret"),
    (lambda d: d["entries"][3].update(text="<script>x</script>"), "entry 3"),
    (lambda d: d["entries"].pop(2), "entry 3 stands at place 2"),
    (lambda d: d["decks"][0].update(root="0" * 64), "does not fit the root"),
    (lambda d: d.update(game="chess"), "there is no game"),
    (lambda d: d.update(format="pbem-match/9"), "the format is"),
    (lambda d: d.update(rules_version=99), "entry 0: its hash does not fit"),
    (lambda d: d.update(entries=[]), "no entry"),
    (lambda d: d.update(entries=7), "this is no match file"),
    (lambda d: d.update(extra=1), "this is no match file"),
    (lambda d: d.update(setup={"edition": "xx"}), "no edition"),
]


@pytest.mark.whole
@pytest.mark.parametrize(("change", "words"), WRONG)
def test_the_first_wrong_thing_is_named(
    client: FlaskClient, document: dict[str, Any], change: Change, words: str
) -> None:
    change(document)
    page = check(client, json.dumps(document).encode())

    assert page.status_code == 400
    assert "This file is not consistent" in page.text
    assert words in page.text
    assert "<script>x" not in page.text


def test_the_first_wrong_thing_is_named_in_the_language_of_the_reader(
    client: FlaskClient, document: dict[str, Any]
) -> None:
    document["entries"][2]["text"] = "play europe s19"
    file = {"file": (io.BytesIO(json.dumps(document).encode()), "match.json")}
    page = client.post("/verify", data=file, headers={"Accept-Language": "de"}).text

    assert (
        "Diese Datei ist nicht stimmig: Eintrag 2 (play europe s19): europe hast du nicht" in page
    )


@pytest.mark.whole
@pytest.mark.parametrize(
    "content",
    [b"", b"hello", b"[]", b"{}", b"null", b"\xff\xfe", b"[" * 50_000, b"{" * 50_000, b"\0" * 99],
)
def test_what_is_no_match_file_is_refused(client: FlaskClient, content: bytes) -> None:
    assert check(client, content).status_code == 400


def test_a_form_without_a_file_is_refused(client: FlaskClient) -> None:
    for form in ({}, {"file": "text"}, {"other": "x"}):
        page = client.post("/verify", data=form)
        assert page.status_code == 400
        assert "choose the file you downloaded" in page.text


@pytest.mark.whole
def test_a_file_above_the_usual_limit_is_taken_but_not_a_huge_one(
    client: FlaskClient, document: dict[str, Any]
) -> None:
    def post(padding: int) -> int:
        head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="m"\r\n\r\n'
        body = head + json.dumps(document).encode() + b" " * padding + b"\r\n--x--\r\n"
        kind = "multipart/form-data; boundary=x"
        return client.post("/verify", data=body, content_type=kind).status_code

    assert [post(200_000), post(900_000), post(1_100_000)] == [200, 200, 413]


def test_numbers_that_would_take_forever_are_refused_quickly(
    client: FlaskClient, document: dict[str, Any]
) -> None:
    for entry in document["entries"]:
        entry["draws"] = [{"kind": "shuffle", "why": "x", "size": 65_536, "result": []}] * 20

    assert check(client, json.dumps(document).encode()).status_code == 400
