"""Many at once: 32 robots play 200 matches as deployed, beside one bare writer of the database.

The pages are served by gunicorn with the options of its unit; each robot presses as soon as it was
answered, turn about in all matches. The yardstick is one connection that commits the rows of a
move, one transaction after another, with nothing around them. Databases lie in TMPDIR, on a disk if
the figures are to mean something: PostgreSQL waits for its disk here as it does in life.

python -m tests.bench.many_at_once [WORKERS THREADS]     # the table alone
"""

from __future__ import annotations

import math
import shlex
import sqlite3
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Any, NamedTuple
from unittest.mock import patch
from urllib.parse import urlencode

import psycopg

from engine.chance import QuickDice
from pbem.db import store
from pbem.links import Links, TurnLink
from pbem.services.match import turns
from pbem.services.records.match_rows import LIVE, get_match
from tests.bench.measuring import Ratio, report
from tests.bench.moves import KEYS, bare_commits, rehearsed, waiting_matches
from tests.bench.posting import asked, served
from tests.bench.presses import always_the_same
from tests.kit import postgres
from tests.kit.nginx import directives
from tests.services.people import NOW, an_order, sit_down

ROBOTS, MATCHES = 32, 200
ROUNDS, MOVES, COMMITS, WARM = 5, 1_200, 200, 400
LONGEST = (ROUNDS * MOVES + WARM) // MATCHES + 10
"""So many orders of each match are known in advance."""
LINKS = Links(KEYS, "https://bench.example")
PATIENT = 0.12
"""Seconds in which 99 of 100 are to be answered."""

Ask = Callable[[str], tuple[int, int, int]]
"""Seat, turn and epoch of whoever is asked in a match, as the link in a letter has them."""


class Scripted(NamedTuple):
    """A match, and what is ordered in it from its beginning."""

    match: str
    orders: deque[tuple[str, int]]
    """Each with how many were sent in its turn before."""


def on_sqlite() -> list[Ratio]:
    with tempfile.TemporaryDirectory() as folder:
        waiting = Path(folder) / "waiting.db"
        with waiting_matches(waiting, COMMITS * ROUNDS):
            pass
        bare = bare_commits(waiting, Path(folder))
        url = f"sqlite:///{folder}/played.db"
        return _measured("SQLite", "at least 0.35", url, bare, Path(folder))


def on_postgres() -> list[Ratio]:
    if postgres.why_not():
        return []
    place = Path(tempfile.gettempdir())
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(postgres, "SETTINGS", {"listen_addresses": "", "max_connections": "100"}),
        patch.object(postgres, "roomiest", lambda: place),
        postgres.PostgresServer() as server,
        _bare_on_postgres(server) as bare,
    ):
        url = server.create_database()
        return _measured("PostgreSQL", "at least 1.5", url, bare, Path(folder))


def _measured(name: str, aim: str, url: str, bare: Callable[[], None], folder: Path) -> list[Ratio]:
    _fill(url)
    scripts = _scripts(f"sqlite:///{folder}/scripts.db")
    with served(folder, "wsgi:app", _as_deployed(), url) as port:
        robots = _Robots(port, url, scripts)
        robots.play(WARM)
        rounds, waited = [], list[float]()
        for _ in range(ROUNDS):
            each, waits = robots.play(MOVES)
            rounds.append((each, _commits(bare)))
            waited += waits
    return _rows(name, aim, rounds, waited)


def _rows(
    name: str, aim: str, rounds: Sequence[tuple[float, float]], waited: list[float]
) -> list[Ratio]:
    ours, yardstick = (median(column) for column in zip(*rounds, strict=True))
    ratio = median(bare / each for each, bare in rounds)
    late = quantiles(waited, n=100)[-1]
    what = f"{name}: {ROBOTS} robots in {MATCHES} matches"
    return [
        Ratio(f"{what}: a move beside one bare writer", ours, yardstick, ratio, math.nan, aim),
        Ratio(
            f"{what}: 99 of 100 are answered within, beside the aim",
            late,
            PATIENT,
            PATIENT / late,
            math.nan,
            "at least 1",
        ),
        Ratio(
            f"{what}: the slowest answer", max(waited), PATIENT, PATIENT / max(waited), math.nan, ""
        ),
    ]


def _as_deployed() -> list[str]:
    (start,) = directives("pbem-web.service")["ExecStart"]
    options = shlex.split(start)[1:-1]
    if __name__ == "__main__":
        for name, value in zip(("--workers", "--threads"), sys.argv[1:], strict=False):
            options[options.index(name) + 1] = value
    return options


# --- what is played -------------------------------------------------------------------------------


def _fill(url: str) -> None:
    """Always the same matches."""
    store.open_database(url)
    with store.connected():
        store.migrate()
        for number in range(MATCHES):
            with always_the_same(number):
                sit_down(NOW)


def _scripts(url: str) -> list[Scripted]:
    """What random players order, by playing copies: cards and throws follow from the secrets."""
    _fill(url)
    with store.connected():
        store.execute("PRAGMA synchronous = OFF")
        matches = [match for (match,) in store.rows("SELECT id FROM match")]
        return [Scripted(match, deque(_orders(match))) for match in matches]


def _orders(match: str) -> Iterator[tuple[str, int]]:
    choice = QuickDice(match.encode())
    for _ in range(LONGEST):
        if get_match(match).status != LIVE:
            return
        turn, order = an_order(match, choice)
        yield order, turns.sent_in(get_match(match), turn)
        turns.submit(turn.id, [order], NOW)


class _Robots:
    def __init__(self, port: int, url: str, scripts: Sequence[Scripted]) -> None:
        self._port, self._url = port, url
        self._free = deque(scripts)
        self._left = 0

    def play(self, moves: int) -> tuple[float, list[float]]:
        """Seconds for each of so many moves, all robots together; how long each press waited."""
        self._left = moves
        began = perf_counter()
        with ThreadPoolExecutor(ROBOTS) as robots:
            waited = [wait for each in robots.map(self._live, range(ROBOTS)) for wait in each]
        return (perf_counter() - began) / len(waited), waited

    def _live(self, _: int) -> list[float]:
        waited = list[float]()
        with _asking(self._url) as ask:
            while self._left > 0:
                self._left -= 1
                script = self._free.popleft()
                order, sent = script.orders.popleft()
                path = "/t/" + LINKS.sign("turn", TurnLink(script.match, *ask(script.match)))
                form = urlencode({"do": "orders", "orders": order, "sent": str(sent)})
                began = perf_counter()
                answer = asked(self._port, "POST", path, form)
                waited.append(perf_counter() - began)
                assert answer.status == 303, (answer.status, order, answer.body.decode())
                if script.orders:
                    self._free.append(script)
        return waited


_OPEN = (
    "SELECT t.seat, t.id, s.epoch FROM turn t JOIN seat s ON s.match_id = t.match_id"
    " AND s.number = t.seat WHERE t.match_id = {} AND t.closed_seq IS NULL"
)


@contextmanager
def _asking(url: str) -> Iterator[Ask]:
    """What robots read beside the pages, without getting in their way."""
    if url.startswith("sqlite"):
        tables = sqlite3.connect(url.removeprefix("sqlite:///"))
        yield lambda match: tables.execute(_OPEN.format("?"), (match,)).fetchone()
        tables.close()
    else:
        with psycopg.connect(url, autocommit=True) as reading:
            ask: Any = reading
            yield lambda match: ask.execute(_OPEN.format("%s"), (match,)).fetchone()


# --- the yardstick --------------------------------------------------------------------------------


def _commits(bare: Callable[[], None]) -> float:
    began = perf_counter()
    for _ in range(COMMITS):
        bare()
    return (perf_counter() - began) / COMMITS


@contextmanager
def _bare_on_postgres(server: postgres.PostgresServer) -> Iterator[Callable[[], None]]:
    """As `bare_commits` of SQLite: the rows of moves that were made in a copy before."""
    waiting = server.create_database()
    store.open_database(waiting)
    with store.connected():
        store.migrate()
        for _ in range(COMMITS * ROUNDS):
            sit_down(NOW)
    moves = iter(rehearsed(server.create_database(like=waiting)))
    with psycopg.connect(waiting) as writer:
        ask: Any = writer.cursor().execute

        def commit() -> None:
            match, head, closed, inserted = next(moves)
            ask("UPDATE match SET head_seq = %s WHERE id = %s", (head, match))
            ask(
                "UPDATE turn SET closed_seq = %s, closed_at = %s WHERE id = %s", (head, NOW, closed)
            )
            for table, values in inserted:
                marks = ", ".join(["%s"] * len(values))
                ask(f"INSERT INTO {table} VALUES ({marks})", values)
            writer.commit()

        yield commit


if __name__ == "__main__":
    print(report([*on_sqlite(), *on_postgres()]))
