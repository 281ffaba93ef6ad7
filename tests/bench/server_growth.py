"""What a server with a million matches takes longer for than one with a thousand.

Both are SQLite files made by copying one match of Iron Curtain that has just begun and one that was
given up after its first order: one in ten is being played, each player has ten. A stretch of work
in the large one is compared with the same in the small one, turn about. The large file has some
10 GB, so TMPDIR had better be a disk.

python -m tests.bench.server_growth [MATCHES]     # the table alone
"""

from __future__ import annotations

import math
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from flask.testing import FlaskClient

from engine.chance import QuickDice
from pbem.app import create_app
from pbem.config import Config
from pbem.db import store
from pbem.links import Links
from pbem.services.match import matches, turns
from pbem.services.moderation import letter_lists, match_lists, player_lists
from pbem.services.moderation.match_lists import MatchFilter, MatchKey
from pbem.services.moderation.player_lists import PlayerFilter
from pbem.services.operations import ticking
from pbem.services.records.match_rows import get_match, open_turns
from pbem.services.seats import live_links
from pbem.services.time import clocks
from tests.bench.measuring import Ratio, compare, report
from tests.services.people import NOW, an_order, sit_down

FEW, MANY = 1_000, 1_000_000
PLAYED = 10
"""One of so many matches is being played; a player has so many."""
MOVES, PAGES, LISTS, TICKS = 50, 20, 20, 50
"""In one stretch."""
ROUNDS = 7
KEYS = ("k" * 40,)
BASE_URL = "https://play.example"
AIM = "at most 1.2"
Work = Callable[[], int]


class Server(NamedTuple):
    """A database that stays open, and matches of it that are being played."""

    database: Any
    size: int
    live: Sequence[str]

    def use(self) -> None:
        store.database.initialize(self.database)


def growth(many: int = MANY) -> list[Ratio]:
    with tempfile.TemporaryDirectory() as folder, _served(folder) as client:
        small, large = _server(f"{folder}/small.db", FEW), _server(f"{folder}/large.db", many)
        each_kilobytes = [server.size / count for server, count in ((small, FEW), (large, many))]
        what = f"{many:,} matches beside {FEW:,}: times"
        ratios = [
            _beside(f"{what} as long for {name}", small, large, work)
            for name, work in _looks(client).items()
        ]
        size, usual = each_kilobytes[1] / 1e6, each_kilobytes[0] / 1e6
        grown = size / usual
        return [
            _moves(f"{what} as long for a move", small, large),
            *ratios,
            Ratio(f"{what} the bytes of a match (us: bytes)", size, usual, grown, math.nan, AIM),
        ]


def _beside(what: str, small: Server, large: Server, work: Callable[[Server], int]) -> Ratio:
    def of(server: Server) -> Work:
        def stretch() -> int:
            server.use()
            return work(server)

        return stretch

    of(small)(), of(large)()
    return _times(compare(what, of(large), of(small), AIM, ROUNDS))


def _times(ratio: Ratio) -> Ratio:
    return ratio._replace(wall=1 / ratio.wall, cpu=1 / ratio.cpu)


def _moves(what: str, small: Server, large: Server) -> Ratio:
    choice, chance = QuickDice(b"growth"), Random(1)
    chosen = dict[int, list[tuple[int, str]]]()

    def choose() -> None:
        for server in (small, large):
            server.use()
            matches = chance.sample(server.live, MOVES)
            given = [an_order(match, choice) for match in matches]
            chosen[server.size] = [(turn.id, order) for turn, order in given]

    def play(server: Server) -> Work:
        def stretch() -> int:
            server.use()
            for turn, order in chosen[server.size]:
                turns.submit(turn, [order], NOW)
            return MOVES

        return stretch

    return _times(compare(what, play(large), play(small), AIM, ROUNDS, prepare=choose))


def _looks(client: FlaskClient) -> dict[str, Callable[[Server], int]]:
    links, chance = Links(KEYS, BASE_URL), Random(2)

    def shown(path: str) -> Callable[[Server], int]:
        def look(server: Server) -> int:
            for _ in range(PAGES):
                assert client.get(path).status_code == 200, path
            return PAGES

        return look

    def turn_pages(server: Server) -> int:
        for match in chance.sample(server.live, PAGES):
            record = get_match(match)
            url = links.url("turn", live_links.to_turn(record, open_turns(match)[-1]))
            assert client.get(url).status_code == 200
        return PAGES

    def listed(look: Callable[[], object]) -> Callable[[Server], int]:
        def often(server: Server) -> int:
            for _ in range(LISTS):
                look()
            return LISTS

        return often

    def ticks(server: Server) -> int:
        for _ in range(TICKS):
            ticking.Ticker().tick(NOW, 0.0)
        return TICKS

    middle = MatchKey(NOW - FEW // 2, "m")
    return {
        "a tick with nothing due": ticks,
        "a turn page": turn_pages,
        "the first page": shown("/"),
        "the lobby": shown("/matches"),
        "the list of finished matches": shown("/matches?of=finished"),
        **{
            f"moderators' list of matches, {name}": listed(partial(match_lists.page, *asked, NOW))
            for name, asked in {
                "newest": (MatchFilter(), None),
                "behind others": (MatchFilter(), middle),
                "live": (MatchFilter(status="live", oldest_first=True), None),
                "late": (MatchFilter(late=True), None),
                "stuck": (MatchFilter(stuck=True), None),
                "of a player": (MatchFilter(player="player77"), None),
            }.items()
        },
        "moderators' list of players, newest": listed(
            lambda: player_lists.page(PlayerFilter(), None)
        ),
        "moderators' list of players, by name": listed(
            lambda: player_lists.page(PlayerFilter(by_name=True), None)
        ),
        "moderators' list of players, searched": listed(
            lambda: player_lists.page(PlayerFilter("player77@"), None)
        ),
        "moderators' list of letters": listed(lambda: letter_lists.page("sent", None)),
        "/readyz": shown("/readyz"),
        "/healthz": shown("/healthz"),
        "/metrics": shown("/metrics"),
    }


@contextmanager
def _served(folder: str) -> Iterator[FlaskClient]:
    config = Config(
        database_url=f"sqlite:///{folder}/served.db",
        base_url=BASE_URL,
        secret_keys=KEYS,
        mailbox=Path(folder) / "mailbox",
    )
    yield create_app(config, now=lambda: NOW).test_client()
    store.database.close()


# --- a large server -------------------------------------------------------------------------------


def _server(path: str, count: int) -> Server:
    url = f"sqlite:///{path}"
    store.open_database(url)
    with store.connected():
        store.migrate()
        store.execute("PRAGMA synchronous = OFF")
        live, over = _begun(), _given_up()
        ticking.Ticker().tick(NOW, 0.0)
    with sqlite3.connect(path) as tables:
        _Copies(tables, live, over, count).make()
        tables.commit()
        tables.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database: Any = store.of_url(url)
    database.connect()
    (size,) = database.execute_sql(
        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    ).fetchone()
    found = database.execute_sql(
        "SELECT id FROM match WHERE status = 'live' AND id <> ? LIMIT 10000", (live,)
    )
    return Server(database, size, [match for (match,) in found.fetchall()])


def _begun() -> str:
    match = sit_down(NOW).match
    clocks.start(open_turns(match)[0].id, NOW)
    return match


def _given_up() -> str:
    match = _begun()
    turn, order = an_order(match, QuickDice(b"given up"))
    turns.submit(turn.id, [order], NOW)
    matches.resign(match, 0, NOW)
    return match


NUMBERS = "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {})"


class _Copies:
    """Copies of two matches under numbers, each with players of its own number."""

    def __init__(self, tables: sqlite3.Connection, live: str, over: str, count: int) -> None:
        self._tables, self._live, self._over, self._count = tables, live, over, count
        self._players = count // PLAYED + 10

    def make(self) -> None:
        self._tables.execute("PRAGMA synchronous = OFF")
        self._copy(
            "player",
            "t.id = 1",
            self._players,
            address="'player' || i || '@example.org'",
            name="'Player' || i",
            plain="'player' || i || '@example.org'",
            sought="'player' || i || ' player' || i || '@example.org'",
            public_id="'p' || i",
            created_at="t.created_at - i",
            id="100 + i",
        )
        at = f"t.created_at - {self._count} + i"
        mine = f"CASE WHEN i % {PLAYED} = 0 THEN '{self._live}' ELSE '{self._over}' END"
        ours, one, other = "printf('m%09d', i)", self._player("i"), self._player("7 * i + 1")
        turn = "1000 + 8 * i + "
        self._copy(
            "match",
            f"t.id = {mine}",
            self._count,
            id=ours,
            creator_id=one,
            created_at=at,
            started_at=at,
            ended_at="CASE WHEN t.ended_at IS NULL THEN NULL ELSE " + at + " END",
        )
        of = f"t.match_id = {mine}"
        for table in ("entry", "snapshot"):
            self._copy(table, of, self._count, match_id=ours)
        whose = f"CASE t.number WHEN 0 THEN {one} ELSE {other} END"
        self._copy("seat", of, self._count, match_id=ours, player_id=whose, id="NULL")
        self._copy("turn", of, self._count, match_id=ours, id=turn + "t.id")
        self._copy(
            "outbox",
            of,
            self._count,
            match_id=ours,
            player_id=f"CASE t.seat WHEN 0 THEN {one} ELSE {other} END",
            id="NULL",
            dedupe="t.dedupe || i",
            stream="t.stream || i",
            turn=turn + "t.turn",
            state="'sent'",
            sent_at=at,
            next_at=at,
        )
        begun = f"t.kind = 'turn' AND i % {PLAYED} = 0"
        self._copy("due", begun, self._count, subject=f"CAST({turn} t.subject AS TEXT)")

    def _player(self, number: str) -> str:
        return f"100 + ({number}) % {self._players}"

    def _copy(self, table: str, which: str, count: int, **changed: str) -> None:
        columns = [name for _, name, *_ in self._tables.execute(f"PRAGMA table_info({table})")]
        values = ", ".join(changed.get(name, f"t.{name}") for name in columns)
        self._tables.execute(
            f"{NUMBERS.format(count - 1)} INSERT INTO {table} ({', '.join(columns)})"
            f" SELECT {values} FROM n CROSS JOIN {table} t WHERE {which}"
        )
        self._tables.commit()


if __name__ == "__main__":
    print(report(growth(*map(int, sys.argv[1:]))))
