"""The walk of a click: link, turn, move, letters. It reads each row once.

Every SELECT of a request is asked again at the same moment, for the keys of the rows that it gives.
Counts, sums and maxima give no row; of them only the very same question counts as asked twice.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from flask.testing import FlaskClient

from pbem.db import store
from pbem.links import Links
from pbem.services.records import match_rows
from pbem.services.records.match_rows import MatchRecord, TurnRecord
from pbem.services.time import clocks
from pbem.web.player import turn_page
from pbem.web.shared.link_access import TurnVisit
from tests.kit.stores import on_sqlite
from tests.pbem.four_powers import FourPowers
from tests.pbem.orchard_table import OrchardTable, host
from tests.pbem.table import Table
from tests.pbem.visiting import forms
from tests.pbem.web.player.test_practice import begun
from tests.pbem.web.player.test_reply_page import asked
from tests.pbem.web.player.test_reply_page import orders as orders_of

pytestmark = on_sqlite  # whose cursors tell the rows; the statements are the same on both

WATCHED = ("match", "seat", "turn", "draft", "player", "snapshot", "message", "outbox")
"""Tables of which a request reads no row twice."""


class Read(NamedTuple):
    """A SELECT with its values, and the rows that it gave."""

    sql: str
    values: tuple[Any, ...]
    rows: tuple[tuple[str, int], ...]


class Tracer:
    """What connections read while it is on."""

    def __init__(self) -> None:
        self.is_on = False
        self.reads: list[Read] = []

    def note(self, connection: sqlite3.Connection, sql: str, values: Any) -> None:
        if self.is_on and sql.lstrip().upper().startswith("SELECT"):
            given = tuple(values or ())
            self.reads.append(Read(sql, given, tuple(_rows(connection, sql, given))))

    @property
    def twice(self) -> list[str]:
        """Rows that were read twice, and questions that were asked twice."""
        rows = Counter(row for read in self.reads for row in set(read.rows))
        asked = Counter((read.sql, read.values) for read in self.reads)
        return [
            *(f"{table} {key}" for (table, key), times in rows.items() if times > 1),
            *(f"{sql} {values}" for (sql, values), times in asked.items() if times > 1),
        ]


def _rows(connection: sqlite3.Connection, sql: str, values: tuple[Any, ...]) -> Iterator[Any]:
    """The table and key of each row of the watched tables that a SELECT gives."""
    columns, rest = _parted(sql)
    if re.search(r"\b(COUNT|SUM|MAX|MIN)\(", columns, re.IGNORECASE):
        return
    skipped = columns.count("?")
    outermost = re.sub(r"\([^()]*\)", "", re.sub(r"\([^()]*\)", "", rest)).split("WHERE")[0]
    tables = r"(?:FROM|JOIN)\s+\"?(\w+)\"?(?:\s+AS\s+\"?(\w+)\"?)?"
    for table, alias in re.findall(tables, outermost, re.IGNORECASE):
        if table in WATCHED:
            keys = f'SELECT "{alias or table}".rowid{rest}'
            for (key,) in sqlite3.Cursor(connection).execute(keys, values[skipped:]):
                yield table, key


def _parted(sql: str) -> tuple[str, str]:
    """A SELECT before and from its own FROM on; those in parentheses belong to others."""
    depth = 0
    for found in re.finditer(r"[()]|\sFROM\s", sql, re.IGNORECASE):
        if found[0] in "()":
            depth += 1 if found[0] == "(" else -1
        elif depth == 0:
            return sql[: found.start()], sql[found.start() :]
    return sql, ""


@pytest.fixture
def tracer(client: FlaskClient) -> Tracer:
    """Watches every connection that is opened from now on."""
    tracer = Tracer()

    class Cursor(sqlite3.Cursor):
        def execute(self, sql: str, values: Any = (), /) -> Cursor:
            tracer.note(self.connection, sql, values)
            super().execute(sql, values)
            return self

    class Connection(sqlite3.Connection):
        def cursor(self, factory: Any = Cursor) -> Any:
            return super().cursor(factory)

        def execute(self, sql: str, values: Any = (), /) -> Any:
            return self.cursor().execute(sql, values)

    store.database.close()
    store.database.obj.connect_params["factory"] = Connection
    return tracer


@contextmanager
def watched(tracer: Tracer) -> Iterator[None]:
    tracer.reads.clear()
    tracer.is_on = True
    try:
        yield
    finally:
        tracer.is_on = False


@pytest.fixture
def table(tracer: Tracer, client: FlaskClient, links: Links) -> Table:
    return Table(client, links)


def walked(table: Table | OrchardTable, tracer: Tracer, path: str, **form: str) -> None:
    """One request, watched; a page by GET, a press by POST with its form."""
    looked(table.client, tracer, path, 303 if form else 200, **form)


def looked(client: FlaskClient, tracer: Tracer, path: str, status: int, **form: str) -> None:
    with watched(tracer):
        answer = client.post(path, data=form) if form else client.get(path)
    assert answer.status_code == status
    assert len(tracer.reads) >= 3, "the tracer sees what is read"
    assert {"match", "turn", "seat"} <= {name for read in tracer.reads for name, _ in read.rows}


def test_the_page_of_a_turn_reads_each_row_once(table: Table, tracer: Tracer) -> None:
    walked(table, tracer, table.turn_path())
    assert tracer.twice == []


def test_the_page_of_a_turn_with_a_draft_reads_each_row_once(table: Table, tracer: Tracer) -> None:
    table.send("first ussr")
    assert table.press("add", order=table.offered()[0]).status_code == 303
    assert len(table.draft()) == 1
    walked(table, tracer, table.turn_path())
    assert tracer.twice == []


def test_the_page_of_a_turn_that_is_over_reads_each_row_once(table: Table, tracer: Tracer) -> None:
    path, turn = table.turn_path(), table.turn.id
    table.send("first usa")
    assert table.turn.id != turn
    walked(table, tracer, path)
    assert tracer.twice == []


def test_adding_an_order_reads_each_row_once(table: Table, tracer: Tracer) -> None:
    walked(table, tracer, table.turn_path(), do="add", order="first ussr", composed="0")
    assert tracer.twice == []
    assert table.draft() == ("first ussr",)


@pytest.mark.parametrize("do", ["undo", "clear"])
def test_taking_orders_back_reads_each_row_once(table: Table, tracer: Tracer, do: str) -> None:
    assert table.press("add", order="first ussr").status_code == 303
    walked(table, tracer, table.turn_path(), do=do)
    assert tracer.twice == []
    assert table.draft() == ()


def test_taking_one_order_out_reads_each_row_once(table: Table, tracer: Tracer) -> None:
    assert table.press("add", order="first ussr").status_code == 303
    walked(table, tracer, table.turn_path(), do="take_out", at="0", order="first ussr")
    assert tracer.twice == []
    assert table.draft() == ()


def test_sending_orders_reads_each_row_once(table: Table, tracer: Tracer) -> None:
    walked(table, tracer, table.turn_path(), do="orders", orders="first ussr", sent="0")
    assert tracer.twice == []
    assert table.match.head_seq == 1


def test_sending_the_draft_reads_each_row_once(table: Table, tracer: Tracer) -> None:
    assert table.press("add", order="first ussr").status_code == 303
    form = {"do": "submit", "draft": "first ussr", "sent": "0"}
    walked(table, tracer, table.turn_path(), **form)
    assert tracer.twice == []
    assert table.match.head_seq == 1


def test_pressing_the_link_of_an_order_reads_each_row_once(table: Table, tracer: Tracer) -> None:
    walked(table, tracer, table.order_path("first usa"), press="yes")
    assert tracer.twice == []
    assert table.match.head_seq == 1


def test_the_page_of_an_order_reads_each_row_once(table: Table, tracer: Tracer) -> None:
    walked(table, tracer, table.order_path("first ussr"))
    assert tracer.twice == []


# --- order sheets, guests, replies ---------------------------------------------------------------


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    host(monkeypatch)


@pytest.fixture
def sheet(registered: None, tracer: Tracer, client: FlaskClient, links: Links) -> OrchardTable:
    return OrchardTable(client, links)


@pytest.mark.parametrize("asks", ["", "?stage=trees&at=south", "?show=words"])
def test_an_order_sheet_reads_each_row_once(sheet: OrchardTable, tracer: Tracer, asks: str) -> None:
    sheet.fill("plant", count="2")
    walked(sheet, tracer, sheet.path + asks)
    assert tracer.twice == []


def test_filling_in_a_sheet_reads_each_row_once(sheet: OrchardTable, tracer: Tracer) -> None:
    form = sheet.form("plant")
    walked(sheet, tracer, form.action, **form.fields | {"count": "2"})
    assert tracer.twice == []
    assert sheet.draft()


def test_sending_a_sheet_reads_each_row_once(sheet: OrchardTable, tracer: Tracer) -> None:
    turn = sheet.turn.id
    walked(sheet, tracer, sheet.path, do="orders", orders="plant south 2\ndone", sent="0")
    assert tracer.twice == []
    assert sheet.turn.id != turn


def test_the_largest_sheet_reads_each_row_once(
    client: FlaskClient, tracer: Tracer, links: Links
) -> None:
    four = FourPowers(client, links)
    four.send(["done"])
    four.page()  # what was told is read on the first look at a position and remembered
    for path in (four.path, f"{four.path}?show=words"):
        looked(client, tracer, path, 200)
        assert tracer.twice == [], path


def test_a_guest_reads_each_row_once(client: FlaskClient, tracer: Tracer) -> None:
    path = begun(client)
    page = client.get(path).text
    looked(client, tracer, path, 200)
    assert tracer.twice == []
    form = next(form for form in forms(page) if form.fields.get("do") == "orders")
    name, order = form.buttons[0]
    looked(client, tracer, form.action, 303, **form.fields | {name: order})
    assert tracer.twice == []


def test_the_page_of_a_reply_reads_each_row_once(table: Table, tracer: Tracer) -> None:
    looked(table.client, tracer, asked(table, *orders_of(table)), 200)
    assert tracer.twice == []


# --- the tracer itself ---------------------------------------------------------------------------


def test_a_row_that_is_read_once_more_is_seen(
    table: Table, tracer: Tracer, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_clock = clocks.start_clock

    def planted(match: MatchRecord, turn: TurnRecord, now: int) -> None:
        match_rows.find_turn(turn.id)
        start_clock(match, turn, now)

    monkeypatch.setattr(clocks, "start_clock", planted)
    turn = table.turn.id
    walked(table, tracer, table.turn_path(), do="add", order="first ussr")
    assert tracer.twice == [f"turn {turn}"]


def test_a_question_that_is_asked_once_more_is_seen(
    table: Table, tracer: Tracer, monkeypatch: pytest.MonkeyPatch
) -> None:
    around = turn_page.around

    def planted(visit: TurnVisit) -> dict[str, Any]:
        assert visit.act_token, "which asks for the newest turn"
        return around(visit)

    monkeypatch.setattr(turn_page, "around", planted)
    walked(table, tracer, table.turn_path())
    (question,) = tracer.twice
    assert "MAX" in question


def test_rows_of_joined_tables_are_seen(table: Table, tracer: Tracer) -> None:
    turn = table.turn.id
    with store.connected(), watched(tracer):
        match_rows.find_turn_in_match(turn)
        match_rows.open_turns(table.id)
    names = Counter(name for read in tracer.reads for name, _ in read.rows)
    assert names == {"turn": 2, "match": 1, "seat": 2}
    assert tracer.twice == [f"turn {turn}"]
