"""All rows of a database copied into another one, of the same kind or the other, and compared.

The source is kept to ourselves meanwhile, the target is written in one transaction: it holds all of
the source afterwards, read back and found the same, or nothing.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from peewee import (
    AutoField,
    BlobField,
    BooleanField,
    CharField,
    Field,
    ForeignKeyField,
    Model,
    OperationalError,
    PeeweeException,
    SqliteDatabase,
    TextField,
)
from playhouse.migrations import Runner

from pbem.db import models, store
from pbem.errors import Refused

BATCH = 200
"""Rows in memory at once; the largest are mails of a quarter of a megabyte."""
QUIET = 60
"""Seconds without a tick after which no worker runs."""
ALONE = {"locking_mode": "exclusive", "busy_timeout": 2_000}
"""How an SQLite file is read that nobody else may have open, not even idly."""

Rows = list[tuple[Any, ...]]
Side = Any
"""A database of peewee, whose methods have no types."""


class Copied(NamedTuple):
    """What was copied of a table; the digest is the same on both sides."""

    table: str
    rows: int
    sha256: str


def copy(source_url: str, target_url: str, now: int) -> list[Copied]:
    """Copy every table; refuse before anything is written, or leave nothing behind."""
    if source_url == target_url:
        raise Refused("a database cannot be copied into itself")
    with _source(source_url, now) as source, _target(target_url) as target:
        return [_copy_table(source, target, WholeTable(model)) for model in models.TABLES]


def _copy_table(source: Side, target: Side, table: WholeTable) -> Copied:
    with _told(
        lambda why: Refused("%(table)s cannot be copied: %(why)s", table=table.name, why=why)
    ):
        sent = table.count(source, lambda rows: table.write(target, rows))
        _count_on(source, target, table)
        arrived = table.count(target)
    if sent != arrived:
        raise Refused(
            "%(table)s did not arrive as it was: rows %(sent)s and %(arrived)s",
            table=table.name,
            sent=sent.rows,
            arrived=arrived.rows,
        )
    return arrived


class WholeTable:
    """All columns of a table, as both kinds of database read and write them."""

    def __init__(self, model: type[Model]) -> None:
        meta: Any = model._meta
        self.name: str = meta.table_name
        self.has_counter = isinstance(meta.primary_key, AutoField)
        self._fields: list[Field] = meta.sorted_fields
        self._names = ", ".join(f'"{field.column_name}"' for field in self._fields)
        self._kinds = [_kind(field) for field in self._fields]
        self._key: list[Field] = list(meta.get_primary_keys())

    def count(self, database: Side, take: Callable[[Rows], object] | None = None) -> Copied:
        """Read all rows in the order of their keys; `take` gets them batch by batch."""
        seen, rows = hashlib.sha256(), 0
        for batch in _batches(database, self._select(database)):
            plain = [
                tuple(
                    None if value is None else kind(value)
                    for kind, value in zip(self._kinds, row, strict=True)
                )
                for row in batch
            ]
            rows += len(plain)
            for row in plain:
                seen.update(msgspec.json.encode(row) + b"\n")
            if take is not None:
                take(plain)
        return Copied(self.name, rows, seen.hexdigest())

    def _select(self, database: Side) -> str:
        """Texts in the order of their bytes, which is SQLite's own, whatever the locale."""
        is_file = _is_file(database)
        order = [
            f'"{field.column_name}"{"" if is_file else _by_bytes(field)}' for field in self._key
        ]
        return f'SELECT {self._names} FROM "{self.name}" ORDER BY {", ".join(order)}'

    def write(self, database: Side, rows: Rows) -> None:
        one = f"({', '.join([database.param] * len(self._fields))})"
        database.execute_sql(
            f'INSERT INTO "{self.name}" ({self._names}) VALUES {", ".join([one] * len(rows))}',
            [value for row in rows for value in row],
        )


def _is_file(side: Side) -> bool:
    """Whether it is SQLite's; the other kind is PostgreSQL's."""
    return isinstance(side, SqliteDatabase)


def _kind(field: Field) -> type:
    """What a column holds, as Python says it; SQLite gives numbers for truths."""
    known = {BooleanField: bool, BlobField: bytes, CharField: str, TextField: str}
    field = _resolved(field)
    return next((kind for of, kind in known.items() if isinstance(field, of)), int)


def _by_bytes(field: Field) -> str:
    return ' COLLATE "C"' if _kind(field) is str else ""


def _resolved(field: Field) -> Field:
    while isinstance(field, ForeignKeyField):
        field = field.rel_field
    return field


def _batches(database: Side, select: str) -> Iterator[Rows]:
    """What a statement gives, never more than a batch at once."""
    if _is_file(database):
        cursor = database.execute_sql(select)
        while batch := cursor.fetchmany(BATCH):
            yield batch
        return
    database.execute_sql(f"DECLARE copied NO SCROLL CURSOR FOR {select}")
    while batch := database.execute_sql(f"FETCH {BATCH} FROM copied").fetchall():
        yield batch
    database.execute_sql("CLOSE copied")


def _wait_for_the_other(side: Side) -> None:
    """While one side works the other has nothing to do, for as long as that takes."""
    if not _is_file(side):
        side.execute_sql("SET LOCAL idle_in_transaction_session_timeout = 0")


def _count_on(source: Side, target: Side, table: WholeTable) -> None:
    """Let new rows have ids that no row of the source ever had; SQLite goes on by itself."""
    if not table.has_counter or _is_file(target):
        return
    counter = f"pg_get_serial_sequence('\"{table.name}\"', 'id')"
    used = [f'(SELECT MAX(id) FROM "{table.name}")']
    if not _is_file(source):
        used.append(f"pg_sequence_last_value({counter}::regclass)")
    highest = max((source.execute_sql(f"SELECT {one}").fetchone()[0] or 0) for one in used)
    if highest:
        target.execute_sql(f"SELECT setval({counter}, %s)", [highest])


# --- the source: ours alone -----------------------------------------------------------------------


@contextmanager
def _source(url: str, now: int) -> Iterator[Side]:
    source = store.of_url(url, pragmas=ALONE)
    if _is_file(source) and not Path(source.database).is_file():
        raise Refused("there is no database to copy from at %(path)s", path=source.database)
    with (
        _told(lambda why: Refused("the database to copy from cannot be used: %(why)s", why=why)),
        _alone(source),
    ):
        store.check_whole(source)
        _check_tables(source)
        _check_nobody_works(source, now)
        yield source


@contextmanager
def _alone(source: Side) -> Iterator[None]:
    """A transaction that is undone, though it only reads; of SQLite it has the whole file."""
    with source.connection_context():
        try:
            source.begin()
        except OperationalError as error:
            raise _in_use() if "locked" in str(error) else error from None
        try:
            _wait_for_the_other(source)
            yield
        finally:
            source.rollback()


def _check_tables(source: Side) -> None:
    if not _has_all_tables(source):
        raise Refused(
            "the database to copy from does not have the tables of this version; run: pbem migrate"
        )


def _has_all_tables(database: Side) -> bool:
    """Whether all steps of this version were done, and none of a later one."""
    steps = Runner(database, str(store.MIGRATIONS)).status()
    return all(step.applied and step.path for step in steps)


def _check_nobody_works(source: Side, now: int) -> None:
    """Nobody writes any more: a connection that others keep open is found, and so is a tick."""
    if not _is_file(source):
        names = ", ".join(f'"{model._meta.table_name}"' for model in models.TABLES)
        source.execute_sql(f"LOCK TABLE {names} IN EXCLUSIVE MODE NOWAIT")
        ((others,),) = source.execute_sql(
            "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        if others:
            raise _in_use()
    ((ticked,),) = source.execute_sql("SELECT COALESCE(MAX(ticked_at), 0) FROM heartbeat")
    if abs(now - ticked) < QUIET:
        raise Refused(
            "a worker used the database to copy from less than a minute ago; stop the web and"
            " worker processes, and try again in a minute"
        )


def _in_use() -> Refused:
    return Refused(
        "other programs use the database to copy from; stop the web and worker processes first"
    )


# --- the target: all or nothing -------------------------------------------------------------------


@contextmanager
def _target(url: str) -> Iterator[Side]:
    """A transaction in a database with all tables and no rows; without tables, it gets them."""
    target: Side = store.of_url(url)
    is_new_file = _is_file(target) and not Path(target.database).exists()
    try:
        with (
            _told(lambda why: Refused("the database to copy to cannot be used: %(why)s", why=why)),
            target,
        ):
            _wait_for_the_other(target)
            store.check_whole(target)
            if not target.get_tables():
                Runner(target, str(store.MIGRATIONS)).up()
            _check_empty(target)
            target.execute_sql("DELETE FROM audit_head")  # what the tables begin with
            yield target
    except BaseException:
        if is_new_file:
            for end in ("", "-wal", "-shm"):
                Path(f"{target.database}{end}").unlink(missing_ok=True)
        raise


def _check_empty(target: Side) -> None:
    tables = [model._meta.table_name for model in models.TABLES]
    own = [name for name in tables if name != "audit_head"]
    is_fit = _has_all_tables(target) and not (
        any(target.execute_sql(f'SELECT 1 FROM "{name}" LIMIT 1').fetchone() for name in own)
        or target.execute_sql("SELECT 1 FROM audit_head WHERE seq > 0").fetchone()
    )
    if not is_fit:
        raise Refused(
            "the database to copy to must be empty, or hold the tables of this version without any"
            " rows; nothing was copied"
        )


@contextmanager
def _told(refusal: Callable[[str], Refused]) -> Iterator[None]:
    """An error of the database in its first line; the others would quote what is in the row."""
    try:
        yield
    except (PeeweeException, sqlite3.Error) as error:
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise refusal(why) from None
