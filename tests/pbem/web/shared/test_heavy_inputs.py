"""What strangers hand in to keep the server busy or to break it: a quick answer and a sentence."""

from __future__ import annotations

import io
import json
import socket
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from engine.chance import QuickDice, digest
from engine.core import Seat
from engine.registry import game_called
from engine.replay import Recorder, write_match
from engine.terminal.rehearsal import random_order
from pbem.config import Config
from pbem.db import store
from pbem.services.match import confinement, matches
from tests.kit.stores import on_postgres
from tests.pbem.visiting import drop, everything

DECK = (Path(__file__).parents[4] / "engine/iron_curtain/cards.toml").read_text("utf-8")
START = {"game": "iron_curtain", "address": "ann@example.org", "seat": "usa", "opponent": ""}
QUICK = 6.0
"""Seconds on a busy machine; the worst of these took 26 before."""

HEAVY_DECKS = {
    "one key of 20,000 words": ".".join("a" * 19_990) + "=1",
    "the same in quotes": ".".join(['""'] * 13_000) + "=1",
    "the same apart": " . ".join("a" * 9_000) + "=1",
    "a table of 14,000 words, with keys": "[" + ".".join("a" * 14_000) + "]" + "\nb.c=1" * 1_900,
    "keys of eight words": "x = [" + "{a.b.c.d.e.f.g.h = 1}," * 1_500 + "]",
    "5,000 digits": "a = " + "1" * 5_000,
    "5,000 digits apart": "a = " + "1_" * 5_000 + "1",
    "5,000 digits of a sixteenth": "a = 0x" + "f" * 5_000,
    "the same in a deck": DECK.replace("size = 6", "size = 0x" + "f" * 5_000, 1),
    "a power": "a = 1e" + "9" * 5_000,
    "a year": "a = " + "9" * 5_000 + "-01-01",
    "digits in a deck": DECK.replace("size = 6", "size = " + "6" * 5_000, 1),
    "20 digits in a deck": DECK.replace("bonus = 3", "bonus = " + "9" * 20, 1),
    "lists in lists": "a = " + "[" * 10_000 + "]" * 10_000,
    "tables in tables": "a = " + "{a = " * 1_900 + "1" + "}" * 1_900,
    "seven deep": "a = " + "[" * 7 + "]" * 7,
    "not a number": DECK.replace("size = 6", "size = nan", 1),
    "without end": DECK.replace("size = 6", "size = -inf", 1),
    "quotes": '"' * 39_000,
    "backslashes": '\\"' * 19_000,
    "lines": "#\n" * 19_000,
    "a nul": DECK + "\0",
    "surrogates": 'a = "\\ud800"',
}


@pytest.mark.whole
@pytest.mark.parametrize("name", HEAVY_DECKS)
def test_a_heavy_deck_file_is_refused_quickly(client: FlaskClient, name: str) -> None:
    before, begun = everything(), time.monotonic()
    file = io.BytesIO(HEAVY_DECKS[name].encode()), "deck.toml"
    page = client.post("/start", data={**START, "deck_file": file})

    assert time.monotonic() - begun < QUICK
    assert page.status_code == 400
    assert "This did not work: " in page.text
    assert everything() == before


def played(game: str, setup: dict[str, str]) -> bytes:
    """A match played at random to its end, as a file."""
    rules, choice = game_called(game), QuickDice(b"heavy")
    phrases = [":[ {"] * len(rules.seats(setup))
    table = Recorder(rules, setup, "m", digest("heavy"), phrases)
    while waiting := rules.waiting_on(table.state):
        seat = Seat(sorted(waiting)[0])
        table.play(seat, random_order(rules, table.state, seat, choice))
    return write_match(table.file())


def check(client: FlaskClient, content: bytes) -> TestResponse:
    return client.post("/verify", data={"file": (io.BytesIO(content), "match.json")})


def nested(opening: str, inner: str, closing: str, times: int = 20_000) -> str:
    return opening * times + inner + closing * times


HEAVY_VALUES = {
    "5,000 digits": "1" * 5_000,
    "digits below zero": "-" + "1" * 5_000,
    "30 digits": "1" * 30,
    "a power": "1e999999999",
    "lists in lists": nested("[", "", "]"),
    "objects in objects": nested('{"a":', "1", "}"),
    "a few lists": nested("[", "", "]", 20),
}
PLACES = {
    "the setup": '"setup": {"deck": HERE}, "entries": []',
    "the edition": '"setup": {"edition": HERE}, "entries": [{"seq": 0, "kind": "setup"}]',
    "a throw": (
        '"setup": {}, "entries": [{"seq": 0, "kind": "setup", "draws": [{"kind": "roll",'
        ' "why": "deck", "size": 6, "result": [HERE]}]}]'
    ),
}


@pytest.mark.whole
@pytest.mark.parametrize("value", HEAVY_VALUES)
@pytest.mark.parametrize("place", PLACES)
def test_a_heavy_match_file_is_refused_quickly(client: FlaskClient, place: str, value: str) -> None:
    secret = digest("heavy")
    head = {"format": "pbem-match/1", "match": "m", "game": "iron_curtain", "rules_version": 1}
    head |= {"secret": secret.hex(), "commitment": digest("pbem/commit/v1", "m", secret).hex()}
    head |= {"phrases": ["", ""]}
    text = json.dumps(head)[:-1] + ", " + PLACES[place].replace("HERE", HEAVY_VALUES[value]) + "}"
    begun = time.monotonic()
    page = check(client, text.encode())

    assert time.monotonic() - begun < QUICK
    assert page.status_code == 400
    assert "This file is not consistent: " in page.text


@pytest.mark.parametrize("value", ["5,000 digits", "lists in lists", "objects in objects"])
def test_a_file_that_is_only_heavy_is_refused(client: FlaskClient, value: str) -> None:
    assert check(client, HEAVY_VALUES[value].encode()).status_code == 400


@pytest.mark.whole
def test_a_long_match_of_the_larger_game_is_checked(client: FlaskClient) -> None:
    page = check(client, played("east_and_west", {"rounds": "3"}))

    assert page.status_code == 200, page.text
    assert "is correct from the first entry to the last" in page.text


@pytest.mark.parametrize("letters", ["a\u0300", "\u00e9\u0301"])
@pytest.mark.parametrize("path", ["/start", "/you"])
def test_an_address_without_end_is_refused_quickly(
    client: FlaskClient, path: str, letters: str
) -> None:
    """To look at every letter of it took the server many seconds."""
    form = f"game=iron_curtain&seat=usa&address={letters * 12_000}".encode()
    begun = time.process_time()
    page = client.post(path, data=form, content_type="application/x-www-form-urlencoded")

    assert time.process_time() - begun < 0.5
    assert page.status_code == 400
    assert "is not a usable email address" in page.text


# --- one at a time --------------------------------------------------------------------------------


@pytest.fixture
def another(config: Config) -> Iterator[None]:
    """A file of somebody else is being checked."""
    with confinement.alone(config.database_url):
        yield


def test_whoever_comes_with_a_second_deck_file_is_asked_to_come_again(
    client: FlaskClient, another: None
) -> None:
    begun = time.monotonic()
    page = client.post("/start", data={**START, "deck": DECK, "phrase": "typed already"})

    assert time.monotonic() - begun < 2
    assert page.status_code == 503
    assert page.headers["Retry-After"] == "10"
    assert "is busy; try again in ten seconds" in page.text
    assert "typed already" in page.text
    assert matches.all_matches() == []


def test_whoever_comes_with_a_second_match_file_is_asked_to_come_again(
    client: FlaskClient, another: None
) -> None:
    page = check(client, b"{}")

    assert page.status_code == 503
    assert page.headers["Retry-After"] == "10"
    assert "is busy; try again in ten seconds" in page.text


def test_nobody_else_waits_for_a_file_that_is_being_checked(
    client: FlaskClient, another: None
) -> None:
    assert client.get("/").status_code == 200
    assert client.post("/start", data=START).status_code == 200


def test_the_next_file_is_checked_when_the_one_before_is_done(
    client: FlaskClient, config: Config
) -> None:
    with confinement.alone(config.database_url):
        assert check(client, b"{}").status_code == 503
    assert check(client, b"{}").status_code == 400


# --- a database out of reach ----------------------------------------------------------------------


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "PATIENCE", 50)
    monkeypatch.setitem(store.PRAGMAS, "busy_timeout", 50)


@pytest.fixture
def locked(impatient: None, app: Flask, config: Config) -> Iterator[FlaskClient]:
    """Somebody else writes to the database and does not come to an end."""
    store.open_database(config.database_url, pooled=True)
    with ExitStack() as held:
        if config.database_url.startswith("sqlite"):
            path = config.database_url.removeprefix("sqlite:///")
            held.enter_context(closing(other := sqlite3.connect(path, isolation_level=None)))
            other.execute("BEGIN IMMEDIATE")
        else:
            import psycopg

            link = held.enter_context(psycopg.connect(config.database_url))
            link.execute("LOCK TABLE match, player IN ACCESS EXCLUSIVE MODE")
        yield app.test_client()
        store.database.obj.close_all()


def is_told_to_come_again(page: TestResponse) -> None:
    assert page.status_code == 503
    assert page.headers["Retry-After"] == "10"
    assert "has not changed anything; try again in ten seconds" in page.text


def test_a_locked_database_asks_to_come_again(locked: FlaskClient) -> None:
    is_told_to_come_again(locked.post("/start", data=START))


@on_postgres
def test_programs_are_told_so_too(locked: FlaskClient) -> None:
    answer = locked.get("/api/v1/match/nowhere")

    is_told_to_come_again(answer)
    assert answer.json is not None
    assert answer.json["error"]["code"] == "busy"


def test_a_database_that_is_away_asks_to_come_again(client: FlaskClient) -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    store.open_database(f"postgresql://pbem@127.0.0.1:{port}/pbem", pooled=True)
    is_told_to_come_again(client.get("/"))


def test_a_folder_that_is_gone_asks_to_come_again(client: FlaskClient, tmp_path: Path) -> None:
    store.open_database(f"sqlite:///{tmp_path}/gone/pbem.db")
    (tmp_path / "gone").rmdir()
    is_told_to_come_again(client.get("/"))


def test_a_fault_of_ours_is_not_called_busy(client: FlaskClient) -> None:
    with store.connected():
        drop("seat")
    client.application.config["PROPAGATE_EXCEPTIONS"] = False

    assert client.get("/").status_code == 500
