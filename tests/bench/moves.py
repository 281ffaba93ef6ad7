"""A whole move in process beside a bare durable transaction that writes the same rows."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from pbem import store
from pbem.links import Links, TurnLink
from pbem.services import turns
from pbem.services.records import get_match
from tests.bench.measuring import Ratio, compare
from tests.services.people import NOW, sit_down, turn_of

MOVES = 150
KEYS = ("k" * 64,)
TABLES = ("entry", "snapshot", "turn", "outbox")


def moves() -> list[Ratio]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pbem.db"
        store.open_database(f"sqlite:///{path}")
        with store.connected():
            store.migrate()
            ours, written = _moves(), rows_of_one_move()
            bare = bare_commits(Path(folder) / "bare.db", path, written, MOVES)
            ratio = compare(
                "a move: link, rules, durable commit beside bare sqlite3", ours, bare, ""
            )
    return [
        ratio._replace(
            what="a move (link, rules, durable commit): times a bare sqlite3 commit",
            wall=1 / ratio.wall,
            cpu=1 / ratio.cpu,
        )
    ]


def _moves() -> Callable[[], int]:
    links = Links(KEYS, "http://127.0.0.1")
    waiting: list[str] = []

    def seat_some() -> None:
        for _ in range(MOVES):
            match = sit_down(NOW).match
            seat = get_match(match).seat(1)
            link = TurnLink(match, 1, turn_of(match).id, seat.epoch)
            waiting.append(links.sign("turn", link))

    for _ in range(8):
        seat_some()

    def play() -> int:
        for _ in range(MOVES):
            link = links.read("turn", waiting.pop())
            assert isinstance(link, TurnLink)
            turns.submit(link.turn, ["first usa"], NOW)
        return MOVES

    return play


def rows_of_one_move() -> list[tuple[str, tuple[Any, ...]]]:
    """The statements of a move, learnt by comparing the tables before and after one."""
    match = sit_down(NOW).match
    before = {table: set(store.rows(f"SELECT * FROM {table}")) for table in TABLES}
    turns.submit(turn_of(match).id, ["first usa"], NOW)
    written = []
    for table in TABLES:
        for values in set(store.rows(f"SELECT * FROM {table}")) - before[table]:
            if table != "turn" or values[4] is None:
                written.append((table, values))
    return written


def bare_commits(
    path: Path, like: Path, written: list[tuple[str, tuple[Any, ...]]], at_once: int
) -> Callable[[], int]:
    """A function that makes so many bare commits, in a database of the same tables."""
    with sqlite3.connect(like) as original:
        original.execute("VACUUM INTO ?", (str(path),))
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    for pragma, value in store.PRAGMAS.items():
        database.execute(f"PRAGMA {pragma} = {value}")
    match = next(values[0] for table, values in written if table == "entry")
    numbers = count(1)

    def commit() -> int:
        for _ in range(at_once):
            number = next(numbers)
            database.execute("BEGIN IMMEDIATE")
            database.execute("UPDATE match SET head_seq = ? WHERE id = ?", (number, match))
            database.execute("UPDATE turn SET closed_seq = ? WHERE id = ?", (number, number))
            for place, (table, values) in enumerate(written):
                fresh = _fresh(table, values, 1_000_000 + number * 10 + place)
                marks = ", ".join("?" * len(values))
                database.execute(f"INSERT INTO {table} VALUES ({marks})", fresh)
            database.execute("COMMIT")
        return at_once

    return commit


def _fresh(table: str, values: tuple[Any, ...], number: int) -> tuple[Any, ...]:
    """The row with a key that was not there yet."""
    if table in ("entry", "snapshot"):
        return (values[0], number, *values[2:])
    if table == "outbox":
        return (number, f"{values[1]}:{number}", *values[2:])
    return (number, *values[1:])
