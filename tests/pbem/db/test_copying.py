"""Databases copied into others: every row of every table, in both directions, or nothing."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner
from peewee import (
    BigIntegerField,
    BlobField,
    BooleanField,
    CharField,
    Field,
    ForeignKeyField,
    IntegerField,
    Model,
    OperationalError,
    TextField,
)
from playhouse.migrations import Runner

from engine.audit import audit
from engine.replay import read_match, write_match
from pbem import cli
from pbem.app import create_app
from pbem.config import Config
from pbem.db import copying, models, store
from pbem.db.copying import copy
from pbem.db.models.base import JsonField
from pbem.errors import ConfigError, Refused
from pbem.links import Links
from pbem.services.letters import outbox
from pbem.services.match import match_log, messages
from pbem.services.records.match_rows import LIVE, get_match, open_turns
from pbem.services.time import clock_trust, heartbeat
from tests.kit.postgres import PostgresServer
from tests.mail.posting import BASE_URL, KEYS, WORKER, Bag, office_with, text_of
from tests.pbem.table import Table
from tests.pbem.visiting import NOW, everything
from tests.services.people import play_to_the_end, sit_down

LATER = NOW + 3_600

both_ways = pytest.mark.parametrize(
    ("source", "target"), [("sqlite", "postgres"), ("postgres", "sqlite")]
)


STORES = {"sqlite": "sqlite_store", "postgres": "idle_postgres_store"}


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def store_url(request: pytest.FixtureRequest) -> str:
    """A store that nobody else is connected to."""
    return str(request.getfixturevalue(STORES[request.param]))


@pytest.fixture
def place(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], str]]:
    """Databases without tables, by their kind."""
    monkeypatch.chdir(tmp_path)
    dropped: list[tuple[PostgresServer, str]] = []
    made = iter(range(100))

    def new(kind: str) -> str:
        if kind == "sqlite":
            return f"sqlite:///{tmp_path}/copy{next(made)}.db"
        server = request.getfixturevalue("postgres_server")
        dropped.append((server, server.create_database()))
        return dropped[-1][1]

    yield new
    if store.database.obj is not None and not store.database.is_closed():
        store.database.close()
    for server, url in dropped:
        server.drop_database(url)


@pytest.fixture
def full(request: pytest.FixtureRequest) -> Callable[[str], str]:
    """Databases by their kind with two rows in every table."""

    def filled(kind: str) -> str:
        url = str(request.getfixturevalue(STORES[kind]))
        store.open_database(url)
        with store.connected():
            store.execute("DELETE FROM audit_head")
            for model in models.TABLES:
                for number in (1, 2):
                    model.insert(**row_of(model, number)).execute()
        return url

    return filled


def row_of(model: type[Model], number: int) -> dict[str, Any]:
    """A row that fills its columns to the brim; what may be nothing is, in the first one."""
    return {
        field.name: None if field.null and number == 1 else value_of(field, number)
        for field in model._meta.sorted_fields
    }


def value_of(field: Field, number: int) -> Any:
    if isinstance(field, ForeignKeyField):
        return value_of(field.rel_field, number)
    if isinstance(field, IntegerField) and field.primary_key:
        return number * 70
    if isinstance(field, BooleanField):
        return number == 2
    if isinstance(field, BlobField):
        return bytes(range(256)) * number
    if isinstance(field, JsonField):
        return (7, 22)
    if isinstance(field, CharField):
        return f"{number}ä“☃\U0001f3b2{'x' * field.max_length}"[: field.max_length]
    if isinstance(field, TextField):
        return f"%s ? {number} 'é\"\\ \U0001f3b2\n" * 200
    return (2**63 if isinstance(field, BigIntegerField) else 2**31) - number


def written(url: str) -> dict[str, list[tuple[Any, ...]]]:
    store.open_database(url)
    return everything()


def alike(content: dict[str, list[tuple[Any, ...]]]) -> dict[str, list[tuple[Any, ...]]]:
    """As both kinds would give it: SQLite has numbers for truths."""
    return {
        table: [tuple(int(v) if isinstance(v, bool) else v for v in row) for row in rows]
        for table, rows in content.items()
    }


@pytest.mark.postgres
def test_every_row_of_every_table_goes_there_and_back(
    place: Callable[[str], str], full: Callable[[str], str]
) -> None:
    first, other, last = full("sqlite"), place("postgres"), place("sqlite")
    before = written(first)
    there, back = copy(first, other, NOW), copy(other, last, NOW)

    assert {table: len(rows) for table, rows in before.items()} == {
        table._meta.table_name: 2 for table in models.TABLES
    }
    assert there == back
    assert {copied.table: copied.rows for copied in there} == dict.fromkeys(before, 2)
    assert alike(written(other)) == before
    assert written(last) == before == written(first)


def test_no_table_of_the_database_is_forgotten(store_url: str) -> None:
    store.open_database(store_url)
    with store.connected():
        tables = set(store.database.get_tables())

    assert tables - {"schema_migration"} == {model._meta.table_name for model in models.TABLES}


@pytest.mark.postgres
@both_ways
def test_a_match_goes_on_where_it_was_copied_to(
    request: pytest.FixtureRequest, place: Callable[[str], str], source: str, target: str
) -> None:
    old, new = str(request.getfixturevalue(STORES[source])), place(target)
    table = Table(served(old), Links(KEYS, BASE_URL))
    with store.connected():
        clock_trust.ClockTrust().judge(NOW, 0.0)
        sent_before = drained()
        messages.say(table.id, 0, "queued before", NOW)
        waited, clock = open_turns(table.id), heartbeat.heartbeat()
    store.database.close()
    letter = next(text for text in sent_before if "/o/" in text)

    copy(old, new, LATER)

    table.client = served(new)
    with store.connected():
        assert (open_turns(table.id), heartbeat.heartbeat()) == (waited, clock)
    path = re.findall(r"https://play\.example(/o/\S+)", letter)[0]
    assert table.client.post(path).status_code == 303
    with store.connected():
        assert open_turns(table.id) != waited
        sent_after = drained()
        assert sum("queued before" in text for text in sent_after) == 1
        assert drained() == []
        ids = store.rows("SELECT message_id FROM outbox WHERE state = 'sent'")
        assert len(set(ids)) == len(ids) == len(sent_before) + len(sent_after)
        play_to_the_end(table.id, LATER)
        assert get_match(table.id).status != LIVE
        document = write_match(match_log.export(get_match(table.id)))
    assert audit(read_match(document))


def served(url: str) -> Any:
    config = Config(database_url=url, secret_keys=KEYS, base_url=BASE_URL)
    return create_app(config, now=lambda: LATER).test_client()


def drained() -> list[str]:
    """The texts of all letters that leave now."""
    bag = Bag()
    outbox.drain(office_with(bag), WORKER, LATER)
    return [text_of(letter) for letter in bag.letters]


@pytest.mark.postgres
def test_new_rows_get_ids_that_were_never_used(
    place: Callable[[str], str], full: Callable[[str], str]
) -> None:
    first, second, third = full("sqlite"), place("postgres"), place("postgres")
    copy(first, second, NOW)
    store.open_database(second)
    with store.connected():
        gone = models.Question.create(kind="you", address="", at=NOW).id
        store.execute("DELETE FROM question WHERE id = ?", gone)
    copy(second, third, NOW)
    store.open_database(third)

    with store.connected():
        assert gone == 141
        assert models.Question.create(kind="you", address="", at=NOW).id == 142
        assert models.Turn.select(models.Turn.id).count() == 2


# --- refused --------------------------------------------------------------------------------------


def test_only_databases_are_copied(place: Callable[[str], str], sqlite_store: str) -> None:
    nowhere = place("sqlite")
    with pytest.raises(Refused, match="there is no database to copy from at"):
        copy(nowhere, place("sqlite"), NOW)
    with pytest.raises(ConfigError, match="must begin with sqlite:/// or postgresql://"):
        copy(sqlite_store, "mysql://somewhere", NOW)
    with pytest.raises(Refused, match="the database to copy to cannot be used: unable to open"):
        copy(sqlite_store, "sqlite:///no/such/folder/pbem.db", NOW)

    assert not Path(nowhere.removeprefix("sqlite:///")).exists()


def test_a_file_that_is_no_database_is_refused(place: Callable[[str], str], tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear all, this is no database.\n" * 100)
    with pytest.raises(Refused, match="copy from cannot be used: file is not a database"):
        copy(f"sqlite:///{tmp_path}/letter.txt", place("sqlite"), NOW)


def test_nothing_is_added_to_what_is_there(place: Callable[[str], str], store_url: str) -> None:
    store.open_database(store_url)
    with store.connected():
        sit_down(NOW)
    there, new = written(store_url), place("sqlite")
    copy(store_url, new, LATER)
    with pytest.raises(Refused, match="must be empty, or hold the tables of this version"):
        copy(new, store_url, LATER)
    with pytest.raises(Refused, match="cannot be copied into itself"):
        copy(store_url, store_url, LATER)

    assert written(store_url) == there


def test_a_target_with_fresh_tables_is_filled(
    sqlite_store: str, place: Callable[[str], str]
) -> None:
    store.open_database(sqlite_store)
    with store.connected():
        sit_down(NOW)
    fresh = place("sqlite")
    store.open_database(fresh)
    with store.connected():
        store.migrate()
    copy(sqlite_store, fresh, LATER)

    assert written(fresh) == written(sqlite_store)


@pytest.mark.parametrize("older", ["source", "target"])
def test_both_have_the_tables_of_this_version(
    sqlite_store: str, place: Callable[[str], str], older: str
) -> None:
    other = place("sqlite")
    store.open_database(other)
    with store.connected():
        store.migrate()
        Runner(store.database.obj, str(store.MIGRATIONS)).down()
    source, target = (other, sqlite_store) if older == "source" else (sqlite_store, other)

    with pytest.raises(Refused, match="the tables of this version"):
        copy(source, target, NOW)


@pytest.mark.parametrize("newer", ["source", "target"])
def test_tables_of_a_later_version_are_refused(
    sqlite_store: str, place: Callable[[str], str], newer: str
) -> None:
    other = place("sqlite")
    store.open_database(other)
    with store.connected():
        store.migrate()
        store.execute(
            "INSERT INTO schema_migration (name, applied) VALUES ('9999_later', '2030-01-01')"
        )
    source, target = (other, sqlite_store) if newer == "source" else (sqlite_store, other)

    with pytest.raises(Refused, match="the tables of this version"):
        copy(source, target, NOW)


def test_a_file_that_somebody_has_open_is_not_copied(
    sqlite_store: str, place: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A web process between two requests holds no lock of a transaction, but is there."""
    monkeypatch.setitem(copying.ALONE, "busy_timeout", 0)
    with closing(sqlite3.connect(sqlite_store.removeprefix("sqlite:///"))) as idle:
        idle.execute("SELECT * FROM match").fetchall()
        with pytest.raises(Refused, match="other programs use the database to copy from"):
            copy(sqlite_store, place("sqlite"), NOW)
    copy(sqlite_store, place("sqlite"), NOW)


@pytest.mark.postgres
def test_a_database_that_somebody_is_connected_to_is_not_copied(
    idle_postgres_store: str, place: Callable[[str], str]
) -> None:
    with (
        psycopg.connect(idle_postgres_store),
        pytest.raises(Refused, match="other programs use the database to copy from"),
    ):
        copy(idle_postgres_store, place("sqlite"), NOW)


@pytest.mark.postgres
@pytest.mark.parametrize("half", ["source", "target"])
def test_what_a_restore_has_left_half_done_is_not_copied(
    idle_postgres_store: str, sqlite_store: str, place: Callable[[str], str], half: str
) -> None:
    """Its links are those of a lost time, and no server would start on it."""
    source, target = (
        (idle_postgres_store, place("sqlite"))
        if half == "source"
        else (sqlite_store, place("postgres"))
    )
    named = idle_postgres_store if half == "source" else target
    with psycopg.connect(named, autocommit=True) as link:
        link.execute(f"CREATE SCHEMA {store.RESTORING}".encode())
    try:
        with pytest.raises(ConfigError, match="run pbem restore once more"):
            copy(source, target, NOW)
    finally:
        with psycopg.connect(named, autocommit=True) as link:
            link.execute(f"DROP SCHEMA {store.RESTORING}".encode())
    copy(source, target, NOW)


def test_nobody_can_write_what_is_being_copied(
    sqlite_store: str, place: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []
    checked = copying._check_empty

    def in_between(target: Any) -> None:
        with closing(sqlite3.connect(sqlite_store.removeprefix("sqlite:///"), 0)) as late:
            try:
                late.execute("INSERT INTO signing_key VALUES ('late', 1)")
            except sqlite3.OperationalError as error:
                tried.append(str(error))
        checked(target)

    monkeypatch.setattr(copying, "_check_empty", in_between)
    copy(sqlite_store, place("sqlite"), NOW)

    assert tried == ["database is locked"]


def test_where_a_worker_has_ticked_in_the_last_minute_is_not_copied(
    store_url: str, place: Callable[[str], str]
) -> None:
    store.open_database(store_url)
    with store.connected():
        clock_trust.ClockTrust().judge(NOW, 0.0)

    with pytest.raises(Refused, match="a worker used the database to copy from less than a minute"):
        copy(store_url, place("sqlite"), NOW + copying.QUIET - 1)
    copy(store_url, place("sqlite"), NOW + copying.QUIET)


@pytest.mark.postgres
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_what_fails_in_the_middle_leaves_nothing(
    full: Callable[[str], str],
    place: Callable[[str], str],
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
) -> None:
    source, target, write = full("sqlite"), place(kind), copying.WholeTable.write

    def failing(table: copying.WholeTable, database: Any, rows: copying.Rows) -> None:
        if table.name == "outbox":
            raise OperationalError("the disk is full\nDETAIL: ann@example.org")
        write(table, database, rows)

    monkeypatch.setattr(copying.WholeTable, "write", failing)
    with pytest.raises(Refused, match="^outbox cannot be copied: the disk is full$"):
        copy(source, target, NOW)

    assert_untouched(target)
    monkeypatch.undo()
    copy(source, target, NOW)


@pytest.mark.postgres
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_what_arrives_otherwise_than_it_was_leaves_nothing(
    full: Callable[[str], str],
    place: Callable[[str], str],
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
) -> None:
    source, target, write = full("sqlite"), place(kind), copying.WholeTable.write

    def changing(table: copying.WholeTable, database: Any, rows: copying.Rows) -> None:
        if table.name == "message":
            (*start, last), *others = rows
            rows = [(*start, not last), *others]
        write(table, database, rows)

    monkeypatch.setattr(copying.WholeTable, "write", changing)
    with pytest.raises(Refused, match="^message did not arrive as it was: rows 2 and 2$"):
        copy(source, target, NOW)

    assert_untouched(target)


def assert_untouched(url: str) -> None:
    if url.startswith("sqlite"):
        assert not list(Path.cwd().glob(f"{Path(url).name}*"))
        return
    with psycopg.connect(url) as link:
        found = link.execute("SELECT * FROM pg_tables WHERE schemaname = 'public'").fetchall()
    assert found == []


@pytest.mark.postgres
def test_what_postgres_does_not_take_is_told_without_a_word_of_it(
    sqlite_store: str, place: Callable[[str], str]
) -> None:
    """SQLite keeps texts of any length."""
    store.open_database(sqlite_store)
    with store.connected():
        sit_down(NOW)
        store.execute("UPDATE player SET name = ?", "secret" * 20)
    target = place("postgres")
    with pytest.raises(Refused, match="^player cannot be copied: value too long") as told:
        copy(sqlite_store, target, LATER)

    assert "secret" not in str(told.value)
    assert_untouched(target)


def test_the_command_shows_what_it_has_copied(
    sqlite_store: str, place: Callable[[str], str]
) -> None:
    store.open_database(sqlite_store)
    with store.connected():
        sit_down(NOW)
    target = place("sqlite")
    done = CliRunner().invoke(cli.pbem, ["copy-database", sqlite_store, target])

    assert done.exit_code == 0, done.exception
    assert re.search(r"^seat +2  [0-9a-f]{64}$", done.output, re.MULTILINE)
    rows = sum(len(table) for table in written(sqlite_store).values())
    assert done.output.endswith(
        f"{len(models.TABLES)} tables, {rows} rows: the same on both sides\n"
    )
