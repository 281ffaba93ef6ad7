"""Rows that one seat can add without end: there are few of them, and public pages do not notice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from flask import Flask
from flask.testing import FlaskClient

from engine.registry import GAMES
from pbem.db import store
from pbem.deadlines import DAY
from pbem.errors import Refused, TooOften
from pbem.links import ConfirmLink, Links
from pbem.services.match import link_orders, match_log, matches, turns
from pbem.services.players import devices
from pbem.services.players.limits import ACTS, Limit
from pbem.services.records.match_rows import get_match
from pbem.services.records.player_rows import get_player
from pbem.web.shared.public_log import PublicLogs
from tests.pbem.table import Table
from tests.pbem.visiting import NOW
from tests.services.people import ANN, compose, id_of, wanted

GAME = type(GAMES["iron_curtain"])


@pytest.fixture
def table(client: FlaskClient, links: Links) -> Table:
    return Table(client, links)


@contextmanager
def counted_steps() -> Iterator[list[str]]:
    """Every order that the engine is asked to carry out meanwhile."""
    asked, apply = list[str](), GAME.apply

    def counting(game: Any, state: Any, seat: Any, action: Any, dice: Any) -> Any:
        asked.append(str(action))
        return apply(game, state, seat, action, dice)

    with patch.object(GAME, "apply", counting):
        yield asked


def say_in_advance(table: Table, times: int, now: int = NOW) -> None:
    """So many orders, each of which changes something."""
    with store.connected():
        for number in range(get_match(table.id).head_seq, get_match(table.id).head_seq + times):
            order = f"standing all {('use', 'never')[number % 2]}"
            link_orders.say_in_advance(table.id, 0, order, now)


def test_standing_orders_have_a_limit(table: Table) -> None:
    say_in_advance(table, 60)
    with pytest.raises(TooOften):
        say_in_advance(table, 1)
    answer = table.client.post(f"{table.seat_path(0)}/standing", data={"order": "standing all use"})
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) > 0
    assert "too often" in answer.text
    assert table.match.head_seq == 60


def test_there_are_few_standing_orders_in_a_turn(table: Table) -> None:
    for hour in range(4):
        say_in_advance(table, 25, NOW + hour * 3_600)
    with pytest.raises(Refused, match="the limit is 100 orders per turn"):
        say_in_advance(table, 1, NOW + DAY)
    table.send("first usa")
    say_in_advance(table, 1, NOW + DAY)


def test_orders_that_end_no_turn_have_a_limit_too(table: Table) -> None:
    """A program can send as orders of its turn what may be said at any time."""
    with store.connected(), patch.dict(ACTS, order=(Limit("seat", 10, DAY),)):
        for number in range(10):
            order = f"standing all {('use', 'never')[number % 2]}"
            turns.submit(table.turn.id, [order], NOW)
        with pytest.raises(TooOften):
            turns.submit(table.turn.id, ["standing all use"], NOW)
        turns.submit(table.turn.id, [table.offered()[0]], NOW)
    path = f"/api/v1/turn/{table.turn_token()}"
    assert table.client.get(path).status_code == 200


def test_public_pages_do_not_notice_how_much_is_said_in_secret(table: Table) -> None:
    path = f"/match/{table.id}"
    table.send("first usa")
    before = table.client.get(path).text
    say_in_advance(table, 50)
    assert table.client.get(path).text == before
    with counted_steps() as steps:
        assert table.client.get(path).text == before
        assert table.client.get(f"{path}/step/1").status_code == 200
        assert table.client.get(f"{path}/replay").status_code == 200
        assert table.client.get(f"{path}/feed.atom").status_code == 200
    assert steps == []


def test_what_is_kept_is_what_a_replay_shows(table: Table, app: Flask) -> None:
    """Page by page as it is played, rewound and ended, beside a server that has just come up."""

    def same() -> bool:
        fresh, kept = PublicLogs(), app.extensions["pbem"].public_logs
        with store.connected():
            match = get_match(table.id)
            return bool(kept.of(match) == fresh.of(match))

    for number in range(12):
        offered = table.offered()
        table.send(offered[number % len(offered)])
        if number % 4 == 0:
            say_in_advance(table, 2)
        assert same()
    with store.connected():
        turns.rewind(table.id, 3, "moderator", NOW)
    assert same()
    table.send(table.offered()[0])
    assert same()
    with store.connected():
        matches.resign(table.id, 0, NOW)
    assert same()


def test_the_state_is_not_far_from_a_snapshot(table: Table) -> None:
    say_in_advance(table, 60)
    with store.connected(), counted_steps() as steps:
        match_log.current(get_match(table.id))
    assert len(steps) <= match_log.SNAPSHOTS_EVERY


def test_a_draft_is_no_longer_than_what_can_be_sent(table: Table) -> None:
    with store.connected():
        orders = [f"standing all {('use', 'never')[number % 2]}" for number in range(120)]
        compose(table.turn.id, orders, NOW)
        with pytest.raises(Refused, match="240 orders are too many; you can send 200"):
            compose(table.turn.id, orders, NOW)
    assert len(table.draft()) == 120


def test_a_browser_without_cookies_does_not_fill_the_tables(app: Flask, links: Links) -> None:
    with store.connected():
        match = matches.create(wanted(), NOW)
        ann = get_player(id_of(ANN))
    path = f"/confirm/{links.sign('confirm', ConfirmLink(ann.id, ann.epoch, match))}"
    for _ in range(devices.MOST + 10):
        app.test_client().post(path, data={"zone": "UTC"})

    with store.connected():
        assert len(devices.times_of(ann.id)) == 1, "only the press that took effect"
        for number in range(devices.MOST + 10):
            devices.note(ann.id, f"browser {number}", NOW + number)
        assert len(devices.times_of(ann.id)) == devices.MOST


def test_a_turn_page_plays_nothing_again_but_what_lies_behind_the_nearest_state(
    table: Table,
) -> None:
    for number in range(30):
        offered = table.offered()
        table.send(offered[number % len(offered)])
    say_in_advance(table, 50)
    table.send(table.offered()[0])
    with counted_steps() as steps:
        assert table.client.get(table.turn_path()).status_code == 200
    assert len(steps) < match_log.SNAPSHOTS_EVERY < table.match.head_seq
