"""Upgrade and rollback, rehearsed with a database of the previous release on both stores."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import peewee
import psycopg
import pytest
from flask.testing import FlaskClient
from playhouse.migrations import Runner
from playhouse.pool import PooledDatabase

from pbem.app import create_app
from pbem.config import Config
from pbem.db import store
from pbem.errors import ConfigError
from pbem.services.operations import backups, health, replay_check
from pbem.services.operations.restoring import restoring
from pbem.services.players import process_settings
from pbem.services.records.match_rows import get_match
from tests.kit.postgres import PostgresServer

HERE = Path(__file__).parent
LAST = "0022_between_players"
"""The newest migration of the previous release."""
KEY = "a key of the release before this one"
SITE = "https://play.example.org"


class Previous(NamedTuple):
    """A database as the previous release has left it."""

    url: str
    now: int
    played: str
    """A match in which Ann is asked; the links turn, seat and mute are hers."""
    begun: str
    """A match in which Bob was mailed the link `order`, which plays at once."""
    turn: str
    seat: str
    mute: str
    order: str

    @property
    def config(self) -> Config:
        return Config(
            env="production",
            base_url=SITE,
            database_url=self.url,
            secret_keys=(KEY,),
            smtp_url="smtp://127.0.0.1:9",
        )


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def previous(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Previous]:
    letters = json.loads((HERE / "letters.json").read_text())[request.param]
    text = (HERE / f"previous.{request.param}.sql").read_text()
    if request.param == "sqlite":
        with closing(sqlite3.connect(tmp_path / "pbem.db")) as tables:
            tables.executescript("PRAGMA journal_mode = wal;" + text)
        url = f"sqlite:///{tmp_path}/pbem.db"
        yield opened(Previous(url, **letters))
    else:
        server: PostgresServer = request.getfixturevalue("postgres_server")
        url = server.create_database()
        with psycopg.connect(url, autocommit=True) as tables:
            tables.execute(text)
        yield opened(Previous(url, **letters))
        shut()
        server.drop_database(url)
    shut()


def opened(previous: Previous) -> Previous:
    store.open_database(previous.url)
    return previous


def shut() -> None:
    """No connection is left open, not even in the pool of the pages."""
    if not store.database.is_closed():
        store.database.close()
    if isinstance(store.database.obj, PooledDatabase):
        store.database.close_all()


def upgrade(previous: Previous) -> FlaskClient:
    """As `pbem migrate` and a restart of the pages do it."""
    with store.connected():
        health.migrate(previous.now)
    return create_app(previous.config, now=lambda: previous.now).test_client()


def entries(match: str) -> int:
    with store.connected():
        return get_match(match).head_seq


def test_the_new_release_does_not_start_before_the_tables_are_up_to_date(
    previous: Previous,
) -> None:
    with store.connected():
        pending = health.pending_migrations()
    assert pending
    assert min(pending) > LAST
    with pytest.raises(ConfigError, match="run: pbem migrate"):
        create_app(previous.config)


def test_links_of_the_previous_release_play_on(previous: Previous) -> None:
    client = upgrade(previous)
    before = entries(previous.begun)
    for url in (previous.turn, previous.seat, previous.order):
        page = client.get(urlsplit(url).path, base_url=SITE)
        assert page.status_code == 200, url
    pressed = client.post(urlsplit(previous.order).path, base_url=SITE)
    again = client.post(urlsplit(previous.order).path, base_url=SITE)

    assert pressed.status_code in (200, 303)
    assert entries(previous.begun) == before + 1
    assert again.status_code < 500
    assert entries(previous.begun) == before + 1
    assert client.post(urlsplit(previous.mute).path, base_url=SITE).status_code == 200
    with store.connected():
        done = replay_check.go_on(replay_check.begin("test", previous.now), lambda: previous.now)
        assert (done.matches, done.faults) == (2, 0)
        assert health.trouble(previous.now) is None
        assert store.rows("SELECT COUNT(*) FROM outbox WHERE state = 'queued'") != [(0,)]


# --- back to the previous release -----------------------------------------------------------------


def columns() -> dict[str, list[str]]:
    return {
        table: [column.name for column in store.database.get_columns(table)]
        for table in store.database.get_tables()
    }


def test_the_previous_release_can_go_on_with_the_new_tables(previous: Previous) -> None:
    """Whatever it reads is there, and whatever it writes is accepted: nothing has to be undone."""
    with store.connected():
        before = columns()
        kept = {table: rows_of(table, names) for table, names in before.items()}
    upgrade(previous)
    with store.connected():
        after = columns()
        for table, names in before.items():
            assert set(names) <= set(after[table]), f"{table} has lost a column"
            if table not in ("schema_migration", "audit", "audit_head"):
                assert rows_of(table, names) == kept[table], f"{table} was changed"
            accepts_old_rows(table, names)


def rows_of(table: str, names: list[str]) -> list[tuple[Any, ...]]:
    listed = ", ".join(f'"{name}"' for name in names)
    return sorted(store.rows(f'SELECT {listed} FROM "{table}"'), key=repr)


def accepts_old_rows(table: str, names: list[str]) -> None:
    """Each row, removed and inserted with the columns of the previous release; then undone."""
    listed = ", ".join(f'"{name}"' for name in names)
    with store.database.atomic() as trial:
        if isinstance(store.database.obj, peewee.PostgresqlDatabase):
            store.execute("SET LOCAL session_replication_role = replica")  # no foreign keys
        store.execute(f'CREATE TEMPORARY TABLE kept AS SELECT {listed} FROM "{table}"')
        if isinstance(store.database.obj, peewee.SqliteDatabase):
            store.execute("PRAGMA defer_foreign_keys = 1")
        store.execute(f'DELETE FROM "{table}"')
        store.execute(f'INSERT INTO "{table}" ({listed}) SELECT {listed} FROM kept')
        trial.rollback()


def orders_of(match: str) -> int:
    with store.connected():
        counted = "SELECT COUNT(*) FROM entry WHERE match_id = ? AND kind = 'action'"
        return int(store.rows(counted, match)[0][0])


def test_the_backup_from_before_the_upgrade_is_put_back_by_the_new_release(
    previous: Previous, tmp_path: Path
) -> None:
    process_settings.make_known(previous.config)
    with store.connected():
        before = orders_of(previous.begun)
        backups.make(previous.url, tmp_path / "copy", previous.now)
    client = upgrade(previous)
    client.post(urlsplit(previous.order).path, base_url=SITE)
    assert orders_of(previous.begun) == before + 1
    shut()
    restoring.put_back(tmp_path / "copy", True, previous.url, previous.now + 60, lambda *_: None)
    client = create_app(previous.config, now=lambda: previous.now + 90).test_client()

    assert orders_of(previous.begun) == before
    with store.connected():
        assert health.pending_migrations() == []
    assert client.post(urlsplit(previous.order).path, base_url=SITE).status_code >= 400
    assert orders_of(previous.begun) == before


# --- killed in the middle -------------------------------------------------------------------------


def schema() -> tuple[object, ...]:
    """Tables, columns and indexes, and which migrations are entered."""
    tables = sorted(store.database.get_tables())
    shape = [
        (table, sorted(column.name for column in store.database.get_columns(table)))
        for table in tables
    ]
    indexes = [
        (table, sorted(index.name for index in store.database.get_indexes(table)))
        for table in tables
    ]
    entered = sorted(store.rows("SELECT name FROM schema_migration"))
    return shape, indexes, entered


def steps(url: str) -> list[tuple[object, ...]]:
    """How the tables look before, between and after the migrations."""
    store.open_database(url)
    with store.connected():
        found = [schema()]
        runner = Runner(store.database.obj, str(store.MIGRATIONS))
        for name in health.pending_migrations():
            runner.up(name)
            found.append(schema())
    return found


def migrate_until(url: str, statements: int) -> None:
    """Migrate, and end as by kill -9 before so many statements have been said."""
    store.open_database(url)
    opened: Any = store.database.obj
    say, said = opened.execute_sql, 0

    def counting(*words: Any, **more: Any) -> Any:
        nonlocal said
        said += 1
        if said == statements:
            os.kill(os.getpid(), signal.SIGKILL)
        return say(*words, **more)

    opened.execute_sql = counting
    store.migrate()


@contextmanager
def copied(previous: Previous, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a copy, for one try."""
    if previous.url.startswith("sqlite"):
        with closing(sqlite3.connect(previous.url.removeprefix("sqlite:///"))) as tables:
            tables.execute("VACUUM INTO ?", [str(tmp_path / "copy.db")])
        yield f"sqlite:///{tmp_path}/copy.db"
        for file in tmp_path.glob("copy.db*"):
            file.unlink()
    else:
        server: PostgresServer = request.getfixturevalue("postgres_server")
        url = server.create_database(like=previous.url)
        yield url
        server.drop_database(url)


def killed_at(statement: int, url: str, whole: list[tuple[object, ...]]) -> int | None:
    """How many migrations have happened when one process is killed there; None if it came through.

    The next process brings the tables up to date in any case.
    """
    process = multiprocessing.get_context("fork").Process(
        target=migrate_until, args=(url, statement)
    )
    process.start()
    process.join(60)
    store.open_database(url)
    with store.connected():
        happened = whole.index(schema())
        store.migrate()
        assert schema() == whole[-1]
    if process.exitcode == 0:
        return None
    assert process.exitcode == -signal.SIGKILL
    return happened


@pytest.mark.parametrize(
    "apart", [pytest.param(9, marks=pytest.mark.whole), pytest.param(1, marks=pytest.mark.slow)]
)
def test_a_migration_that_is_killed_anywhere_has_happened_or_not(
    previous: Previous, request: pytest.FixtureRequest, tmp_path: Path, apart: int
) -> None:
    with copied(previous, request, tmp_path) as url:
        whole = steps(url)
    seen = list[int]()
    for statement in range(1, 1_000, apart):
        with copied(previous, request, tmp_path) as url:
            happened = killed_at(statement, url, whole)
        if happened is None:
            break
        seen.append(happened)

    assert seen == sorted(seen)
    assert len(seen) > 27 / apart
    assert apart > 1 or set(seen) == set(range(len(whole)))
