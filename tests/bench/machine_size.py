"""How big a machine for how many matches: bytes, processor time and memory, measured and scaled up.

python -m tests.bench.machine_size     # prints the table of deploy/README.md

Random matches are played in a process of their own for each game and database: orders, pages,
letters into a folder. Processor time, not the clock on the wall; handing letters over to a mail
server is not in it.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from time import process_time
from typing import NamedTuple

import msgspec

from engine.chance import QuickDice
from pbem.app import create_app
from pbem.config import Config
from pbem.db import store
from pbem.links import Links, TurnLink
from pbem.services.letters import delivery
from pbem.services.letters.mail_settings import open_mail
from pbem.services.match import turns
from pbem.services.records.match_rows import LIVE, get_match, open_turns
from tests.kit.postgres import PostgresServer
from tests.services.people import NOW, an_order, sit_down
from tests.services.powers import four_people

KEYS = ("k" * 40,)
TURNS = {"iron_curtain": 240, "east_and_west": 16}
"""That are played to measure one of them."""
PAGES_A_TURN = 4
TURNS_A_DAY = 2
"""Of each match, which is brisk for correspondence."""
PEAK = 4
"""How much more is played in the busiest hour than on average."""
USED = 0.5
"""Of a processor, so that nobody waits for long."""
LIVE_MATCHES = (100, 1_000, 10_000, 100_000)


class Turn(NamedTuple):
    """What one turn costs, of one game on one database."""

    game: str
    database: str
    kilobytes: float
    orders_ms: float
    """Of processor time of our process; that of PostgreSQL itself is not in it."""
    page_ms: float
    letters_ms: float
    letters: float
    memory_mb: int
    """Of a process that has done all of it."""

    @property
    def total_ms(self) -> float:
        return self.orders_ms + PAGES_A_TURN * self.page_ms + self.letters_ms


def measure(game: str, url: str) -> Turn:
    count = TURNS[game]
    with tempfile.TemporaryDirectory() as folder:
        played = _Played(Config(database_url=url, secret_keys=KEYS, mailbox=Path(folder)), game)
        with store.connected():
            before = _size(url)
            for number in range(count):
                played.turn(NOW + number)
            ((sent,),) = store.rows("SELECT COUNT(*) FROM outbox WHERE state = 'sent'")
            grown = _size(url) - before
    return Turn(
        game=game,
        database=url.partition(":")[0],
        kilobytes=grown / count / 1024,
        orders_ms=played.spent["orders"] / count * 1000,
        page_ms=played.spent["pages"] / count * 1000,
        letters_ms=played.spent["letters"] / count * 1000,
        letters=sent / count,
        memory_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    )


class _Played:
    """Random matches, one after the other, and what their turns have cost."""

    def __init__(self, config: Config, game: str) -> None:
        self._client = create_app(config, now=lambda: NOW).test_client()
        self._office, self._links = open_mail(config), Links(KEYS, config.base_url)
        self._begin = {"iron_curtain": _two, "east_and_west": four_people}[game]
        self._choice, self._match = QuickDice(b"size"), ""
        self.spent = {"orders": 0.0, "pages": 0.0, "letters": 0.0}

    def turn(self, now: int) -> None:
        """Orders until a turn is over, the page of the next one, and the letters that are owed."""
        if not self._match or get_match(self._match).status != LIVE:
            self._match = self._begin()
        turn, order = an_order(self._match, self._choice)
        while turn.id in {asked.id for asked in open_turns(self._match)}:
            with self._timing("orders"):
                turns.submit(turn.id, [order], now)
            if not open_turns(self._match):
                break
            _, order = an_order(self._match, self._choice)
        for asked in open_turns(self._match)[:1]:
            epoch = get_match(self._match).seat(asked.seat).epoch
            link = TurnLink(self._match, asked.seat, asked.id, epoch)
            with self._timing("pages"):
                self._client.get(f"/t/{self._links.sign('turn', link)}")
        with self._timing("letters"):
            delivery.drain(self._office, "size", now)

    @contextmanager
    def _timing(self, what: str) -> Iterator[None]:
        began = process_time()
        yield
        self.spent[what] += process_time() - began


def _two() -> str:
    return sit_down(NOW).match


def _size(url: str) -> int:
    """Of what is kept; room that letters have left and that the next ones take is not in it."""
    if url.startswith("sqlite"):
        store.execute("VACUUM")
        ((pages,),), ((each,),) = store.rows("PRAGMA page_count"), store.rows("PRAGMA page_size")
        return int(pages * each)
    store.execute("VACUUM FULL")
    ((size,),) = store.rows("SELECT pg_database_size(current_database())")
    return int(size)


# --- the table ------------------------------------------------------------------------------------


def table(measured: list[Turn]) -> str:
    lines = [
        "| one turn | database | kB | orders | page | letters | memory of a process |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {one.game} | {one.database} | {one.kilobytes:.1f} | {one.orders_ms:.1f} ms"
        f" | {one.page_ms:.1f} ms | {one.letters_ms:.1f} ms ({one.letters:.1f})"
        f" | {one.memory_mb} MB |"
        for one in measured
    ]
    games = list(dict.fromkeys(one.game for one in measured))
    head = [f"cores, {game}" for game in games] + ["memory"]
    head += [f"disk for a year, {game}" for game in games]
    lines += ["", f"| matches being played | {' | '.join(head)} |", "|---" * (len(head) + 1) + "|"]
    return "\n".join([*lines, *(_row(count, games, measured) for count in LIVE_MATCHES)]) + "\n"


def _row(count: int, games: list[str], measured: list[Turn]) -> str:
    """At the busiest hour, on the database that needs more."""
    turns_a_second = count * TURNS_A_DAY / 86_400 * PEAK
    cores = list[float]()
    disks = list[float]()
    for game in games:
        of_game = [one for one in measured if one.game == game]
        cores.append(turns_a_second * max(one.total_ms for one in of_game) / 1000 / USED)
        a_year = count * TURNS_A_DAY * 365
        disks.append(a_year * max(one.kilobytes for one in of_game) / 1024 / 1024)
    processes = 2 * max(1, ceil(max(cores))) + 1
    memory = ceil(processes * max(one.memory_mb for one in measured) / 512) / 2
    shown = [f"{one:.2f}" for one in cores] + [f"{memory:.1f} GB"]
    return f"| {count:,} | " + " | ".join([*shown, *(f"{one:,.1f} GB" for one in disks)]) + " |"


def main() -> None:
    measured = list[Turn]()
    with tempfile.TemporaryDirectory() as folder, PostgresServer() as server:
        for game in ("iron_curtain", "east_and_west"):
            for url in (f"sqlite:///{folder}/{game}.db", server.create_database()):
                command = [sys.executable, "-m", "tests.bench.machine_size", game, url]
                done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=os.environ)
                measured.append(msgspec.json.decode(done.stdout, type=Turn))
    print(table(measured))


if __name__ == "__main__":
    if len(sys.argv) == 3:
        sys.stdout.buffer.write(msgspec.json.encode(measure(*sys.argv[1:])))
    else:
        main()
