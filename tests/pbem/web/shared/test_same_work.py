"""Whoever asks with an address learns nothing from how much work that makes, nor how long."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import peewee
import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from pbem.db import store
from pbem.services.match import joining, matches
from pbem.services.players import accounts, bans
from pbem.services.records.player_rows import get_player, player_at
from pbem.services.self_service import requests
from tests.pbem.moderating import BASE, Visitor
from tests.pbem.visiting import NOW
from tests.services.moderator_kit import Staff
from tests.services.people import ANN, BOB, EVE, id_of, letters, sit_down, wanted

NOBODY, LISTED, CY = "nobody@example.org", "listed@example.org", "cy@example.org"
ALL = (ANN, BOB, EVE, LISTED, NOBODY)
BEST = 0.55
"""What a classifier of times may reach, where 0.5 is tossing a coin."""
SAMPLES = 1_500


@pytest.fixture
def base_url() -> str:
    return BASE


@pytest.fixture
def known(app: Flask) -> None:
    """Ann plays, Bob is banned, Eve was only invited, one address is on the list, one unknown."""
    with store.connected():
        sit_down(NOW)
        matches.create(wanted(addresses={"usa": CY, "ussr": EVE}, creator=CY), NOW)
        with store.writing():
            bans.ban(get_player(id_of(BOB)), NOW)
            bans.put(LISTED, False, "spam", NOW)
        assert player_at(NOBODY) is None


@pytest.fixture
def open_match(known: None) -> str:
    """Ann waits there for anybody."""
    with store.connected():
        match = matches.create(wanted(addresses={"usa": ANN, "ussr": None}), NOW)
        joining.confirmed(id_of(ANN), NOW)
    return match


Ask = Callable[[str], TestResponse]


@pytest.fixture
def you(client: FlaskClient, known: None) -> Ask:
    return lambda mail: client.post("/you", data={"address": mail})


@pytest.fixture
def seat(client: FlaskClient, open_match: str) -> Ask:
    return lambda mail: client.post(f"/open/{open_match}", data={"address": mail})


@pytest.fixture
def ask(request: pytest.FixtureRequest, you: Ask, seat: Ask) -> Ask:
    """One of the forms that take an address of anybody."""
    return {"you": you, "seat": seat}[request.param]


on_each_form = pytest.mark.parametrize("ask", ["you", "seat"], indirect=True)


@contextmanager
def statements() -> Iterator[list[str]]:
    """What the database is asked meanwhile."""
    asked, ask = list[str](), store._ask
    execute: Any = peewee.Database.execute_sql

    def noted(sql: str, params: tuple[Any, ...]) -> Any:
        asked.append(re.sub(r"\s+", " ", sql))
        return ask(sql, params)

    def noted_by_peewee(database: Any, sql: str, *rest: Any, **options: Any) -> Any:
        asked.append(re.sub(r"\s+", " ", sql))
        return execute(database, sql, *rest, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "_ask", noted)
        patch.setattr(peewee.Database, "execute_sql", noted_by_peewee)
        yield asked


@on_each_form
def test_every_address_makes_the_same_work(ask: Ask) -> None:
    work, answers = {}, set()
    for mail in ALL:
        with statements() as asked:
            answer = ask(mail)
        work[mail] = asked
        answers.add((answer.status_code, answer.data))
    assert len(answers) == 1
    assert work[ANN], "something is written down"
    assert all(asked == work[NOBODY] for asked in work.values()), work


def test_the_letters_come_from_the_worker_to_those_who_may_have_them(you: Ask, seat: Ask) -> None:
    for mail in ALL:
        you(mail)
        seat(mail)
    with store.connected():
        before = len(letters())
        assert requests.answer_all(NOW) == 2 * len(ALL)
        owed = [(kind, get_player(player).address) for kind, player, _ in letters()[before:]]
        assert requests.answer_all(NOW) == 0
    assert owed == [("you", ANN), ("you", BOB), ("invitation", EVE), ("invitation", NOBODY)]


def test_an_opponent_makes_the_same_work_whoever_it_is(client: FlaskClient, known: None) -> None:
    work = {}
    for number, mail in enumerate((ANN, EVE, BOB, NOBODY)):
        form = {"game": "iron_curtain", "address": f"new{number}@example.org", "opponent": mail}
        with statements() as asked:
            assert client.post("/start", data=form).status_code == 200
        work[mail] = asked
    assert all(asked == work[NOBODY] for asked in work.values()), work


@pytest.mark.whole
def test_a_refused_login_writes_once_whoever_it_was(visitor: Visitor, mo: Staff) -> None:
    """Open or locked, moderator or not: the disk is waited for."""
    visitor.get("/admin/login")
    for number in range(7):
        for address in (mo.address, NOBODY):
            with statements() as asked:
                answer = visitor.send("/admin/login", address=address, password="x", code="000000")
            assert answer.status_code == 403
            assert "login failed" in answer.text
            assert [sql for sql in asked if sql.startswith("INSERT")], (number, address)
    with store.connected():
        requests.answer_all(NOW)
        assert store.rows("SELECT * FROM question") == []


def test_a_question_that_came_too_late_is_dropped(client: FlaskClient, open_match: str) -> None:
    client.post(f"/open/{open_match}", data={"address": EVE})
    client.post("/you", data={"address": ANN})
    matches.cancel(open_match, "moderator", NOW)
    before = len(letters())
    assert requests.answer_all(NOW) == 2
    assert [kind for kind, _, _ in letters()[before:]] == ["you"]
    assert store.rows("SELECT * FROM question") == []


def test_a_question_that_breaks_stops_no_other(you: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    you(ANN)
    you(BOB)
    asked = accounts.ask_for_own_page

    def poisoned(mail: str, now: int) -> None:
        if mail == ANN:
            raise ZeroDivisionError(mail)
        asked(mail, now)

    monkeypatch.setattr(accounts, "ask_for_own_page", poisoned)
    with store.connected():
        before = len(letters())
        assert requests.answer_all(NOW) == 2
        assert [get_player(player).address for _, player, _ in letters()[before:]] == [BOB]
        assert requests.answer_all(NOW) == 0


# --- by the clock ---------------------------------------------------------------------------------


def told_apart(one: Callable[[], object], other: Callable[[], object], samples: int) -> float:
    """How well times tell two acts apart that are done in turns: the area under the curve."""
    times: list[tuple[float, bool]] = []
    for number in range(2 * samples):
        is_one = number % 2 == 0
        begun = time.perf_counter()
        (one if is_one else other)()
        times.append((time.perf_counter() - begun, is_one))
    ranks = [rank for rank, (_, is_one) in enumerate(sorted(times), 1) if is_one]
    area = (sum(ranks) - samples * (samples + 1) / 2) / samples**2
    return max(area, 1 - area)


def test_what_tells_apart_tells_apart() -> None:
    assert told_apart(partial(sum, range(10)), partial(sum, range(20_000)), 50) > 0.95


@pytest.mark.slow
@on_each_form
def test_time_does_not_tell_who_plays_here(ask: Ask) -> None:
    """The best of three, since the machine may be busy with something else."""
    for _ in range(50):
        ask(ANN)
        ask(NOBODY)
    tries = (told_apart(partial(ask, ANN), partial(ask, NOBODY), SAMPLES) for _ in range(3))
    found = next((area for area in tries if area <= BEST), None)
    assert found is not None
