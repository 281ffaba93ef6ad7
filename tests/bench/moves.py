"""A whole move in process beside a bare durable transaction that writes the same rows."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pbem.db import store
from pbem.links import Links, TurnLink
from pbem.services.match import turns
from pbem.services.records.match_rows import get_match
from tests.bench.measuring import ROUNDS, Ratio, compare
from tests.services.people import NOW, sit_down, turn_of

MOVES = 150
ORDER = "first usa"
KEYS = ("k" * 64,)
LINKS = Links(KEYS, "https://bench.example")
INSERTED = {"entry": 0, "snapshot": 0, "turn": 1, "outbox": 5}
"""The tables a move adds rows to, and which of their columns names the match."""
SLOW_DISK = 500e-6
"""A bare commit that takes longer than this measures the disk, not us."""


def moves() -> list[Ratio]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pbem.db"
        with waiting_matches(path, MOVES * ROUNDS) as tokens:
            bare = bare_commits(path, Path(folder))
            ratio = compare("", _moves(tokens), lambda: _many(bare), "")
    slow = " (the disk is slow: repeat)" if ratio.yardstick > SLOW_DISK else ""
    return [
        ratio._replace(
            what="a move (link, rules, durable commit): times a bare sqlite3 commit" + slow,
            wall=1 / ratio.wall,
            cpu=1 / ratio.cpu,
            aim="at most 2.0, better 1.6",
        )
    ]


@contextmanager
def waiting_matches(path: Path, count: int) -> Iterator[list[str]]:
    """A database with matches that wait for their first decision; the tokens of their turns."""
    store.open_database(f"sqlite:///{path}")
    with store.connected():
        store.migrate()
        yield [_token(sit_down(NOW).match) for _ in range(count)]


def _token(match: str) -> str:
    link = TurnLink(match, 1, turn_of(match).id, get_match(match).seat(1).epoch)
    return LINKS.sign("turn", link)


def _moves(tokens: list[str]) -> Callable[[], int]:
    waiting = iter(tokens)

    def play() -> int:
        for _ in range(MOVES):
            move(next(waiting))
        return MOVES

    return play


def move(token: str) -> None:
    link = LINKS.read("turn", token)
    assert isinstance(link, TurnLink)
    turns.submit(link.turn, [ORDER], NOW)


def _many(commit: Callable[[], None]) -> int:
    for _ in range(MOVES):
        commit()
    return MOVES


# --- the yardstick -------------------------------------------------------------------------------


class Written(NamedTuple):
    """What one move writes: the head of its match, the turn it closes, new rows."""

    match: str
    head: int
    closed: int
    inserted: list[tuple[str, tuple[Any, ...]]]


def bare_commits(path: Path, folder: Path) -> Callable[[], None]:
    """A function that commits the rows of one more move with nothing but sqlite3.

    They are the very rows of the moves that are measured, in a copy of their database: learnt by
    playing them once in another copy.
    """
    rehearsal, bare = _copy(path, folder / "rehearsal.db"), _copy(path, folder / "bare.db")
    database = sqlite3.connect(bare, isolation_level=None, check_same_thread=False)
    for pragma, value in store.PRAGMAS.items():
        database.execute(f"PRAGMA {pragma} = {value}")
    waiting = iter(rehearsed(f"sqlite:///{rehearsal}"))

    def commit() -> None:
        match, head, closed, inserted = next(waiting)
        database.execute("BEGIN IMMEDIATE")
        database.execute("UPDATE match SET head_seq = ? WHERE id = ?", (head, match))
        database.execute(
            "UPDATE turn SET closed_seq = ?, closed_at = ? WHERE id = ?", (head, NOW, closed)
        )
        for table, values in inserted:
            marks = ", ".join("?" * len(values))
            database.execute(f"INSERT INTO {table} VALUES ({marks})", values)
        database.execute("COMMIT")

    return commit


def _copy(path: Path, to: Path) -> Path:
    with sqlite3.connect(path) as original:
        original.execute("VACUUM INTO ?", (str(to),))
    return to


def rehearsed(url: str) -> list[Written]:
    """Play every waiting match of a copy, and compare its tables before and after."""
    here = store.database.obj
    store.open_database(url)
    try:
        with store.connected():
            before = {table: set(store.rows(f"SELECT * FROM {table}")) for table in INSERTED}
            open_turns = store.rows("SELECT id, match_id FROM turn WHERE closed_seq IS NULL")
            for turn, _ in open_turns:
                turns.submit(turn, [ORDER], NOW)
            added: dict[str, list[tuple[str, tuple[Any, ...]]]] = {}
            for table, column in INSERTED.items():
                for values in store.rows(f"SELECT * FROM {table}"):
                    if values not in before[table] and (table != "turn" or values[4] is None):
                        added.setdefault(values[column], []).append((table, values))
            heads = dict(store.rows("SELECT id, head_seq FROM match"))
    finally:
        store.database.initialize(here)
    return [Written(match, heads[match], turn, added[match]) for turn, match in open_turns]
