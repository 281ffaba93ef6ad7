"""In which order transactions lock rows of PostgreSQL, seen from inside, and whether it is ours.

Triggers write down which rows a transaction changes, and a wrapper around the statements of the
store which rows it holds. The order is the one of `pbem.db.store`: the heartbeat, a mail that came
in, matches by their ids, players by theirs, letters; a row of a match is written by who holds the
match. Who passes locked rows over (SKIP LOCKED) waits for nobody, and so may do it at any time.

Only connections that are opened by the URL of `traced` are watched, so that processes that a test
starts are not: nobody wraps their statements. What is rolled back leaves no trace.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import psycopg
import pytest

from pbem.db import store

NAME = "traced"
RANKS = {"heartbeat": 0, "mail": 1, "match": 2, "player": 3, "change of address": 4, "letter": 4}
ASKED_MAIL = "CASE WHEN OLD.state IN ('received', 'leased') THEN 'mail' ELSE 'answered mail' END"
TURN_OF_ALARM = "(SELECT t.match_id FROM turn t WHERE t.id = OLD.subject::integer)"
LOAN_OF_ALARM = "(SELECT l.match_id FROM loan l WHERE l.id = OLD.subject::integer)"
MATCH_OF_ALARM = (
    f"CASE OLD.kind WHEN 'turn' THEN {TURN_OF_ALARM} WHEN 'loan' THEN {LOAN_OF_ALARM}"
    " WHEN 'pause' THEN OLD.subject WHEN 'lapse' THEN OLD.subject END"
)
WATCHED = {
    "heartbeat": ("'heartbeat'", "OLD.id", "NULL"),
    "incoming": (ASKED_MAIL, "OLD.id", "NULL"),
    "match": ("'match'", "OLD.id", "OLD.id"),
    "player": ("'player'", "OLD.id", "NULL"),
    "address_change": ("'change of address'", "OLD.id", "NULL"),
    "outbox": ("'letter'", "OLD.id", "NULL"),
    "turn": ("'turn'", "OLD.id", "OLD.match_id"),
    "seat": ("'seat'", "OLD.id", "OLD.match_id"),
    "loan": ("'loan'", "OLD.id", "OLD.match_id"),
    "takeback": ("'takeback'", "OLD.id", "OLD.match_id"),
    "due": ("'alarm'", "OLD.kind || ' ' || OLD.subject", MATCH_OF_ALARM),
}
"""Of a table: what its rows are called here, their key, and the match they belong to."""
_HELD = re.compile(r"FROM (match|player) WHERE .* FOR (?:NO KEY )?UPDATE( SKIP LOCKED)?")


class Lock(NamedTuple):
    """A row that a transaction has locked, and the statement that did it."""

    what: str
    key: str
    match: str | None
    waited: bool
    statement: str


def traced(url: str) -> str:
    """The URL of a store whose transactions are watched."""
    return f"{url}&application_name={NAME}" if url.startswith("postgres") else url


def install() -> None:
    """Triggers in the store that is open; they cost little while nobody watches."""
    store.execute("CREATE SCHEMA lock_trace")
    store.execute(
        "CREATE UNLOGGED TABLE lock_trace.lock (id serial, tx bigint DEFAULT txid_current(),"
        " what text, key text, of_match text, waited boolean, statement text)"
    )
    for table, row in WATCHED.items():
        _watch(table, "UPDATE OR DELETE", "OLD", row)
    for table in ("match", "player", "incoming"):  # what is new is nobody else's
        _watch(table, "INSERT", "NEW", WATCHED[table])


def _watch(table: str, when: str, version: str, row: tuple[str, str, str]) -> None:
    name = f"lock_trace.see_{table}_{version.lower()}"
    values = ", ".join(part.replace("OLD", version) for part in row)
    waits = "current_query() NOT LIKE '%SKIP LOCKED%'" if version == "OLD" else "FALSE"
    store.execute(
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" IF current_setting('application_name') = '{NAME}'"
        " AND current_setting('lock_timeout') <> '0' THEN"  # who migrates is alone, and waits
        " INSERT INTO lock_trace.lock (what, key, of_match, waited, statement)"
        f" VALUES ({values}, {waits}, left(current_query(), 300));"
        " END IF; IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW; END $$"
    )
    store.execute(
        f"CREATE TRIGGER seen_{version.lower()} BEFORE {when} ON {table}"
        f" FOR EACH ROW EXECUTE FUNCTION {name}()"
    )


@contextmanager
def watching(url: str) -> Iterator[None]:
    """While this lasts, rows that are held are written down too; at the end, nothing is amiss."""
    ask = store._ask

    def seen(sql: str, params: tuple[Any, ...]) -> Any:
        answer = ask(sql, params)
        found = _HELD.search(sql)
        if found is not None and store.database.obj.in_transaction():
            what, passes_over = found.groups()
            for (key,) in [params] if sql.startswith("SELECT 1") else answer.fetchall():
                ask(_NOTED, (what, str(key), str(key), not passes_over, sql))
            if not sql.startswith("SELECT 1") and answer.rowcount:
                answer.scroll(0, mode="absolute")  # for whoever has asked
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "_ask", seen)
        yield
    amiss = [why for locks in transactions(url) if (why := out_of_order(locks))]
    assert not amiss, "\n\n".join(amiss)


_NOTED = (
    "INSERT INTO lock_trace.lock (what, key, of_match, waited, statement) VALUES (?, ?, ?, ?, ?)"
)


def transactions(url: str) -> list[list[Lock]]:
    """What was written down, by transaction."""
    found = defaultdict[int, list[Lock]](list)
    with psycopg.connect(url) as link:
        for tx, *lock in link.execute(
            "SELECT tx, what, key, of_match, waited, statement FROM lock_trace.lock ORDER BY id"
        ):
            found[tx].append(Lock(*lock))
    return list(found.values())


def out_of_order(locks: Sequence[Lock]) -> str:
    """What is wrong with the order of a transaction's locks, in words; nothing if it is right.

    Who locks one row holds nothing that somebody else could wait for meanwhile.
    """
    if len({(lock.what, lock.key) for lock in locks}) == 1:
        return ""
    held = set[tuple[str, str]]()
    newest: dict[str, Any] = {}
    for place, lock in enumerate(locks):
        if (lock.what, lock.key) in held:
            continue
        if lock.waited and (why := _why_wrong(lock, held, newest)):
            return "\n".join([why, *map(_line, locks[: place + 1])])
        held.add((lock.what, lock.key))
        if lock.waited and lock.what in RANKS:
            newest[lock.what] = _sortable(lock)
    return ""


def _line(lock: Lock) -> str:
    return f"  {lock.what} {lock.key} {lock.match or ''}: {' '.join(lock.statement.split())[:140]}"


def _why_wrong(lock: Lock, held: set[tuple[str, str]], newest: dict[str, Any]) -> str:
    rank = RANKS.get(lock.what)
    if rank is None:
        is_free = lock.match is None or ("match", lock.match) in held
        return "" if is_free else f"{lock.what} {lock.key} without its match"
    later = [what for what in newest if RANKS[what] > rank]
    if later:
        return f"{lock.what} {lock.key} after a {later[0]}"
    if lock.what in ("match", "player") and lock.what in newest:
        before = newest[lock.what]
        return f"{lock.what} {lock.key} after {before}" if _sortable(lock) < before else ""
    return ""


def _sortable(lock: Lock) -> Any:
    return int(lock.key) if lock.what == "player" else lock.key
