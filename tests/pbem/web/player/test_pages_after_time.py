"""What pages tell when time ran out: who lost by it, what the clock played."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask.testing import FlaskClient

from pbem.db import store
from pbem.deadlines import DAY
from pbem.links import Links
from pbem.services.match import timeouts
from tests.pbem.table import Table
from tests.pbem.visiting import NOW
from tests.services.waiting import agree, hand_over

ANN, BOB = 0, 1
LATE = NOW + 3 * DAY


@pytest.fixture
def table(client: FlaskClient, links: Links) -> Iterator[Table]:
    table = Table(client, links)
    with store.connected():
        store.execute("UPDATE player SET language = 'en'")
        yield table


def let_time_run_out(table: Table, policy: str) -> None:
    """Bob is asked, late, and out of grace; no vacation helps him."""
    agree(table.id, policy=policy, most_pause=0)
    hand_over(NOW)
    with store.writing():
        timeouts.mark_late(table.turn, LATE)
    hand_over(LATE)
    with store.writing():
        assert timeouts.apply_timeout(table.turn, LATE + DAY)


def test_a_match_lost_by_the_clock_says_so_everywhere(table: Table) -> None:
    turn = table.turn
    let_time_run_out(table, "forfeit")
    pages = [
        table.client.get(path).text
        for path in (f"/match/{table.id}", table.seat_path(ANN), table.turn_path(turn))
    ]

    for page in pages:
        assert "The match is over: USA won." in page
        assert "USSR has run out of time." in page
    assert "USSR has run out of time and loses the match." in pages[0]
    assert "You gave no orders this turn; it is over." in pages[2]


def test_what_the_clock_played_is_not_called_an_order_of_yours(table: Table) -> None:
    turn = table.turn
    let_time_run_out(table, "default")
    page = table.client.get(table.turn_path(turn)).text

    assert "Your time ran out: what was played this turn" in page
    assert "Your orders this turn" not in page
    assert "USSR has run out of time; the default move is played." in page
    assert (
        "USSR has run out of time; the default move is played."
        in table.client.get(f"/match/{table.id}").text
    )


def test_the_next_turn_tells_what_the_clock_played_in_the_last(table: Table) -> None:
    let_time_run_out(table, "default")
    while table.turn.seat == ANN:
        table.send(table.offered()[0])
    page = table.client.get(table.turn_path()).text

    assert "USSR has run out of time; the default move is played." in page
