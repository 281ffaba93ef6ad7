"""The lists of moderators and spectators with 100,000 matches, beside the SQL behind them."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from pbem.db import store
from pbem.deadlines import DAY
from pbem.services.moderation import match_lists
from pbem.services.moderation.match_lists import MatchFilter, MatchKey
from pbem.services.records import watch_lists
from pbem.services.records.watch_lists import FINISHED, RUNNING, WatchKey
from tests.bench.measuring import Ratio, compare
from tests.services.people import NOW

MATCHES, PLAYERS = 100_000, 20_000
LOOKS = 50
FIRST = NOW - MATCHES * 60
"""A match a minute."""
AIM = "at most 2"


def lists() -> list[Ratio]:
    wanted = {
        "newest": (MatchFilter(), None),
        "in the middle": (MatchFilter(), MatchKey(NOW - MATCHES * 30, "m")),
        "live, oldest first": (MatchFilter(status="live", oldest_first=True), None),
        "late": (MatchFilter(late=True), None),
        "stuck": (MatchFilter(stuck=True), None),
        "of a player": (MatchFilter(player="player1234"), None),
    }
    watched = {
        "running": (RUNNING, "", None),
        "finished, in the middle": (FINISHED, "", WatchKey(NOW - MATCHES * 30, "m")),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "many.db"
        _fill(path)
        return [
            *(
                _beside_sql(path, f"matches, {name}", partial(match_lists.page, want, key, NOW))
                for name, (want, key) in wanted.items()
            ),
            *(
                _beside_sql(path, f"matches to watch, {name}", partial(watch_lists.page, *asked))
                for name, asked in watched.items()
            ),
        ]


class Asked(NamedTuple):
    """What a list asks of the database."""

    query: str
    values: tuple[object, ...]


def _beside_sql(path: Path, name: str, look: Callable[[], object]) -> Ratio:
    """Our list beside its own queries, put to sqlite3 without anything around them."""
    store.open_database(f"sqlite:///{path}")
    with store.connected():
        asked = _asked_by(look)

        def ours() -> int:
            for _ in range(LOOKS):
                look()
            return LOOKS

        bare = sqlite3.connect(path)

        def yardstick() -> int:
            for _ in range(LOOKS):
                for query, values in asked:
                    bare.execute(query, values).fetchall()
            return LOOKS

        ratio = compare(f"list of {name}, of {MATCHES:,}: times bare SQL", ours, yardstick, AIM)
        bare.close()
    return ratio._replace(wall=1 / ratio.wall, cpu=1 / ratio.cpu)


def _asked_by(look: Callable[[], object]) -> list[Asked]:
    """What a list asks, by hand or by peewee."""
    asked, opened = list[Asked](), store.database.obj

    def listening_to(ask: Callable[..., object]) -> Callable[..., object]:
        def listening(query: str, values: Sequence[object]) -> object:
            asked.append(Asked(query, tuple(values)))
            return ask(query, values)

        return listening

    with (
        patch.object(store, "_ask", listening_to(store._ask)),
        patch.object(opened, "execute_sql", listening_to(opened.execute_sql)),
    ):
        look()
    assert asked, "a list asks the database"
    return asked


def _fill(path: Path) -> None:
    store.open_database(f"sqlite:///{path}")
    with store.connected():
        store.migrate()
    with sqlite3.connect(path) as database:
        database.executemany(
            "INSERT INTO player (id, address, name, language, zone, created_at, epoch, news)"
            " VALUES (?, ?, ?, 'en', 'UTC', ?, 0, 1)",
            ((n, f"player{n}@example.org", f"Player{n}", FIRST) for n in range(PLAYERS)),
        )
        database.executemany(
            "INSERT INTO match (id, game, rules_version, setup, status, head_seq, timeline, secret,"
            " commitment, pace, listed, created_at, started_at, ended_at) VALUES"
            " (?, 'iron_curtain', 1, '{}', ?, 0, 0, '', '', ?, 0, ?, ?, ?)",
            (
                (
                    f"m{n:06}",
                    "live" if n % 10 == 0 else "over",
                    3 * DAY,
                    *[FIRST + 60 * n] * 3,
                )
                for n in range(MATCHES)
            ),
        )
        database.executemany(
            "INSERT INTO seat (match_id, number, name, player_id, status, phrase, epoch,"
            " draw_offered) VALUES (?, ?, ?, ?, 'joined', '', 0, 0)",
            (
                (f"m{n:06}", number, name, (7 * n + number) % PLAYERS)
                for n in range(MATCHES)
                for number, name in enumerate(("usa", "ussr"))
            ),
        )
        database.executemany(
            "INSERT INTO turn (match_id, seat, opened_seq, closed_seq, opened_at, deadline_at,"
            " since) VALUES (?, 0, 0, ?, ?, ?, ?)",
            (
                (f"m{n:06}", None if n % 10 == 0 else 1, FIRST + 60 * n, _deadline(n), NOW)
                for n in range(MATCHES)
            ),
        )


def _deadline(number: int) -> int:
    """One of a hundred live matches is late."""
    return NOW - DAY if number % 1_000 == 0 else NOW + DAY
