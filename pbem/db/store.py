"""The database: opened, migrated, written in whole transactions, asked in plain SQL.

Rows that make up a move, a tick or a claim are read and written with a few statements of plain SQL;
objects of the ORM are for pages. SQL is written with `?` and translated for PostgreSQL.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from pathlib import Path
from typing import Any

import peewee
from peewee import Database, DatabaseProxy, PostgresqlDatabase, SqliteDatabase
from playhouse.db_url import connect
from playhouse.migrations import Runner

from pbem.errors import ConfigError

PATIENCE = 10_000
"""How many milliseconds a lock is waited for."""
PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": 2,
    "busy_timeout": PATIENCE,
    "foreign_keys": 1,
    "cache_size": -16_000,
}
CUT_OFF = 15
"""Seconds after which who does not answer any more over the network counts as gone."""
_OF_SESSIONS = {
    "lock_timeout": PATIENCE,
    "idle_in_transaction_session_timeout": 60_000,
    "tcp_user_timeout": CUT_OFF * 1_000,
    "tcp_keepalives_idle": CUT_OFF // 3,
    "tcp_keepalives_interval": CUT_OFF // 3,
    "tcp_keepalives_count": 2,
}
"""What the server keeps to: a machine that was cut off holds its rows for seconds, not hours."""
REACHING: dict[str, Any] = {
    "connect_timeout": 5,
    "tcp_user_timeout": CUT_OFF * 1_000,
    "keepalives_idle": CUT_OFF // 3,
    "keepalives_interval": CUT_OFF // 3,
    "keepalives_count": 2,
    "options": " ".join(f"-c {name}={value}" for name, value in _OF_SESSIONS.items()),
}
"""How PostgreSQL is reached, and how long it is waited for when the network is cut."""
MIGRATIONS = Path(__file__).parent / "migrations"
MIGRATION_LOCK = 7_236_251  # any number that no other program on this server uses

database = DatabaseProxy()


def open_database(url: str, pooled: bool = False) -> None:
    """Point `database` at a URL; connections are opened when they are needed."""
    if url.startswith("sqlite:"):
        _make_folder(url)
    database.initialize(of_url(url, pooled))


def of_url(url: str, pooled: bool = False, pragmas: dict[str, Any] | None = None) -> Database:
    """The database of a URL, not connected yet.

    Connections of a pool stay open when they are closed, for whoever needs one next: threads that
    take turns share one, and with it what SQLite remembers of the file.
    """
    kind, _, rest = url.partition(":")
    options: dict[str, Any]
    if kind == "sqlite":
        options = {
            "pragmas": pragmas or PRAGMAS,
            "lock_type": "IMMEDIATE",
            "check_same_thread": False,
        }
    elif kind in ("postgresql", "postgres", "postgresql+pool"):
        options = {"unquote_user": True, "unquote_password": True, "prefer_psycopg3": True}
        options |= REACHING
    else:
        raise ConfigError("PBEM_DATABASE_URL must begin with sqlite:/// or postgresql://")
    if pooled and not kind.endswith("+pool"):
        kind = f"{kind}+pool"
        options["max_connections"] = 0  # as many as there are threads
    found: Database = connect(f"{kind}:{rest}", **options)
    return found


def _make_folder(url: str) -> None:
    path = url.removeprefix("sqlite:///")
    if path and path != ":memory:":
        Path(path).parent.mkdir(parents=True, exist_ok=True)


def migrate() -> list[str]:
    """Bring the tables up to date; several processes may try at once."""
    with _alone():
        return list(Runner(database.obj, str(MIGRATIONS)).up())


@contextmanager
def _alone() -> Iterator[None]:
    """One migration after another, however long each takes."""
    if isinstance(database.obj, PostgresqlDatabase):
        execute("SET lock_timeout = 0")
        execute("SET idle_in_transaction_session_timeout = 0")
        execute("SELECT pg_advisory_lock(?)", MIGRATION_LOCK)
        try:
            yield
        finally:
            execute("SELECT pg_advisory_unlock(?)", MIGRATION_LOCK)
            execute("RESET lock_timeout")
            execute("RESET idle_in_transaction_session_timeout")
    else:
        yield


def check_durability() -> None:
    """Refuse a store that would forget an acknowledged move when the power fails."""
    if isinstance(database.obj, SqliteDatabase):
        (mode,), (level,) = rows("PRAGMA journal_mode")[0], rows("PRAGMA synchronous")[0]
        safe = mode == "wal" and level >= 2
    else:
        ((level,),) = rows("SHOW synchronous_commit")
        safe = level != "off"
    if not safe:
        raise ConfigError("the database does not write durably; see deploy/README.md")


RESTORING = "pbem_restoring"
"""A schema that is there in PostgreSQL while a backup is put back."""


def check_whole(opened: Database | None = None) -> None:
    """Refuse a database into which a backup was only half put back; ours, or one that is named."""
    asked = database.obj if opened is None else opened
    if not isinstance(asked, PostgresqlDatabase):
        return
    link: Any = asked
    found = link.execute_sql("SELECT 1 FROM pg_namespace WHERE nspname = %s", (RESTORING,))
    if found.fetchone() is not None:
        raise ConfigError("a restore is under way or was interrupted; run pbem restore once more")


def is_over_network() -> bool:
    """Whether the database is on another machine, so that there may be more like this one."""
    host = str(getattr(database.obj, "connect_params", {}).get("host") or "/")
    return has_row_locks() and not host.startswith(("/", "127.", "localhost", "::1"))


def shared_time(wall: Callable[[], int]) -> int:
    """Seconds since 1970 by a clock that is one for all who use this database.

    Machines have clocks of their own; those that share a PostgreSQL go by its.
    """
    if not has_row_locks():
        return wall()
    ((now,),) = rows("SELECT FLOOR(EXTRACT(EPOCH FROM clock_timestamp()))")
    return int(now)


@contextmanager
def connected() -> Iterator[None]:
    """A connection for this request or job; one that is open already is used as it is."""
    if not database.is_closed():
        yield
        return
    database.connect()
    try:
        yield
    finally:
        database.close()


def writing() -> AbstractContextManager[Any]:
    """One write transaction: all of it or nothing. On SQLite it takes the write lock at once.

    Inside another one it is a part of that: it ends when the outermost does.
    """
    opened: Any = database.obj
    if opened.in_transaction():
        return nullcontext()
    return SqliteTransaction(opened) if isinstance(opened, SqliteDatabase) else opened.transaction()


def savepoint() -> AbstractContextManager[Any]:
    """A part of a transaction that can be taken back, and with it what was locked in it."""
    kept: AbstractContextManager[Any] = database.obj.savepoint()
    return kept


class SqliteTransaction:
    """A transaction of SQLite as peewee's own is, with fewer steps; peewee knows that it is one.

    Saves 5 % of a move and 1.5 % of a POST, as `make bench` plays and sends them.
    """

    def __init__(self, opened: Any) -> None:
        self._opened = opened

    def __enter__(self) -> None:
        _ask("BEGIN IMMEDIATE", ())
        self._opened.push_transaction(self)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._opened.pop_transaction()
        try:
            if kind is None:
                _ask("COMMIT", ())
        finally:
            if self._opened.connection().in_transaction:  # not after a commit, nor a full disk
                _ask("ROLLBACK", ())


@contextmanager
def reading() -> Iterator[None]:
    """All that is read inside is of one moment; nothing is written there.

    SQLite then takes and leaves its lock once, not for each statement: a letter reads two dozen.
    """
    opened: Any = database.obj
    if not isinstance(opened, SqliteDatabase) or opened.in_transaction():
        yield
        return
    _ask("BEGIN", ())
    try:
        yield
    finally:
        _ask("ROLLBACK", ())


# --- who waits for whom ---------------------------------------------------------------------------
#
# On PostgreSQL rows are locked one by one, so all transactions lock in one order, and none waits
# for another that waits for it: the heartbeat, a mail that came in, matches by their ids, players
# by theirs, then the rest. Rows of a match (turns, seats, alarms) are written by who holds it.
# tests/kit/lock_order.py holds the tests of services to that. On SQLite a writing transaction has
# the whole database to itself already.


def has_row_locks() -> bool:
    """Whether somebody else can write at the same time, to other rows."""
    return not isinstance(database.obj, SqliteDatabase)


def hold_match(match: str) -> bool:
    """Make other writers of a match wait for this transaction's end; whether that was needed."""
    if not has_row_locks():
        return False
    execute("SELECT 1 FROM match WHERE id = ? FOR NO KEY UPDATE", match)
    return True


def hold_matches(matches: Iterable[str]) -> None:
    """The same of several, whoever may hold some of them meanwhile."""
    _hold("match", sorted(set(matches)))


def hold_players(players: Iterable[int], alone: bool = False) -> None:
    """Make others who change these players wait; whoever needs matches too holds them before.

    `alone`: nobody gives them a seat or owes them a letter meanwhile, either.
    """
    _hold("player", sorted(set(players)), "UPDATE" if alone else "NO KEY UPDATE")


def _hold(table: str, ids: Sequence[Any], how: str = "NO KEY UPDATE") -> None:
    if ids and has_row_locks():
        execute(f"SELECT id FROM {table} WHERE id IN ({marks(ids)}) ORDER BY id FOR {how}", *ids)


def hold_free_matches(matches: Iterable[str]) -> list[str]:
    """Hold those of some matches that nobody else holds now; nobody is waited for."""
    ids = sorted(set(matches))
    if not ids or not has_row_locks():
        return ids
    free = f"SELECT id FROM match WHERE id IN ({marks(ids)}) FOR NO KEY UPDATE SKIP LOCKED"
    return [match for (match,) in rows(free, *ids)]


def unclaimed() -> str:
    """How a SELECT ends that claims rows: those that somebody else has just now are passed over."""
    return " FOR UPDATE SKIP LOCKED" if has_row_locks() else ""


# --- plain SQL ------------------------------------------------------------------------------------


def rows(sql: str, *params: Any) -> list[tuple[Any, ...]]:
    return list(_ask(sql, params).fetchall())


def row(sql: str, *params: Any) -> tuple[Any, ...] | None:
    found: tuple[Any, ...] | None = _ask(sql, params).fetchone()
    return found


def execute(sql: str, *params: Any) -> int:
    """Run a statement and say how many rows it changed."""
    changed: int = _ask(sql, params).rowcount
    return changed


def _ask(sql: str, params: tuple[Any, ...]) -> Any:
    """A cursor after a statement; SQLite is asked directly, past peewee.

    Saves 5 % of a move and 2 % of a letter, as `make bench` plays and builds them.
    """
    opened = database.obj
    if isinstance(opened, SqliteDatabase):
        try:
            return opened.connection().execute(sql, params)  # type: ignore[no-untyped-call]
        except sqlite3.Error as error:  # told as peewee tells it, for both databases alike
            told = getattr(peewee, type(error).__name__, peewee.DatabaseError)
            raise told(*error.args) from error
    return opened.execute_sql(_for_postgres(sql), params)


_OUT_OF_REACH = {
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN),
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PROTOCOL),
}
_OUT_OF_REACH_STATES = ("08", "53", "57", "40", "55P03")
"""How the codes of PostgreSQL begin: no connection, no room, shut down, in each other's way."""


def is_out_of_reach(error: peewee.PeeweeException) -> bool:
    """Whether the database is locked, full or away: nothing was written, later may be better."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, sqlite3.Error):
            return (getattr(cause, "sqlite_errorcode", 0) & 0xFF) in _OUT_OF_REACH
        state = getattr(cause, "sqlstate", None)  # of psycopg, which need not be installed
        if state is not None:
            return str(state).startswith(_OUT_OF_REACH_STATES)
        cause = cause.__cause__ or cause.__context__
    return isinstance(error, peewee.OperationalError | peewee.InterfaceError)


def marks(values: Sequence[object]) -> str:
    """The placeholders of a list, as in `id IN (…)`; of an empty one, what nothing is equal to."""
    return ", ".join("?" * len(values)) or "NULL"


def insert(sql: str, *params: Any) -> int:
    """Run an INSERT into a table with an `id` and return the new one.

    SQLite tells it by itself, 6 us sooner than with RETURNING.
    """
    if isinstance(database.obj, SqliteDatabase):
        return int(_ask(sql, params).lastrowid)
    found = row(f"{sql} RETURNING id", *params)
    assert found is not None, "an INSERT returns its row"
    return int(found[0])


def leave_gap(table: str, to: int) -> int:
    """A number that the next row of a table may have: at least `to`, and behind all there are.

    PostgreSQL goes on from there; SQLite does once a row has that number.
    """
    found = row(f"SELECT MAX(id) FROM {table}")
    number = max(to, (found[0] or 0) + 1 if found else 1)
    if isinstance(database.obj, PostgresqlDatabase):
        rows("SELECT setval(pg_get_serial_sequence(?, 'id'), ?)", table, number)
    return number


@lru_cache(maxsize=512)
def _for_postgres(sql: str) -> str:
    return sql.replace("%", "%%").replace("?", "%s")
