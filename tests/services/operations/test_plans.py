"""What is asked again and again finds its rows by an index that fits, in files nobody has analysed.

How SQLite goes about a statement does not depend on how much there is, unless ANALYZE is run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import pytest

from pbem.db import store
from pbem.services.moderation import match_lists, player_lists
from pbem.services.moderation.match_lists import MatchFilter
from pbem.services.moderation.player_lists import PlayerFilter
from pbem.services.operations import ticking
from pbem.services.records import addresses
from pbem.services.time import alarms
from tests.services.people import NOW, sit_down

Look = Callable[[], object]
WALKS = (
    "turn_closed_seq_deadline_at (closed_seq=?)",
    "sqlite_autoindex_due_1",
    "match_status_created_at_id",
    "SCAN t4",
)
"""All open turns, all alarms, all matches that are played, all letters."""


@pytest.fixture
def file(tmp_path: Any) -> Iterator[None]:
    store.open_database(f"sqlite:///{tmp_path}/pbem.db")
    with store.connected():
        store.migrate()
        sit_down(NOW)
        yield
    store.database.close()


def plans(look: Look) -> list[str]:
    """How SQLite goes about each SELECT of a look."""
    asked, opened = list[tuple[str, Any]](), store.database.obj
    by_hand, by_peewee = store._ask, opened.execute_sql

    def hand(sql: str, params: Any) -> Any:
        asked.append((sql, params))
        return by_hand(sql, params)

    def peewee(sql: str, params: Any = None, *more: Any) -> Any:
        asked.append((sql, params or ()))
        return by_peewee(sql, params, *more)

    with patch.object(store, "_ask", hand), patch.object(opened, "execute_sql", peewee):
        look()
    selects = [(sql, params) for sql, params in asked if sql.startswith("SELECT")]
    return [
        "; ".join(str(step[-1]) for step in store.rows(f"EXPLAIN QUERY PLAN {sql}", *params))
        for sql, params in selects
    ]


@pytest.mark.parametrize(
    ("look", "wanted"),
    [
        (lambda: alarms.find_due(NOW, list(ticking.HANDLERS)), "due_at_kind_subject (at<?)"),
        (lambda: match_lists.page(MatchFilter(), None, NOW), "turn_match_id_closed_seq"),
        (
            lambda: match_lists.page(MatchFilter(late=True), None, NOW),
            "turn_closed_seq_deadline_at (closed_seq=? AND deadline_at<?)",
        ),
        (lambda: player_lists.page(PlayerFilter(), None), "seat_player_id"),
        (lambda: addresses.refusing(100), "outbox_state_next_at (state=?)"),
    ],
)
def test_rows_are_found_by_the_index_that_fits(file: None, look: Look, wanted: str) -> None:
    found = plans(look)

    assert any(wanted in plan for plan in found), found
    for walk in WALKS:
        assert not any(walk in plan for plan in found), found
