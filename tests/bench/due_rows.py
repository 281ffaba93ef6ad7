"""Finding what is due among many matches, and handling it, beside bare SQL."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path

from pbem.db import store
from pbem.deadlines import DAY
from pbem.services.operations import ticking
from pbem.services.time import alarms
from tests.bench.measuring import Ratio, compare
from tests.bench.moves import bare_commits, waiting_matches
from tests.services.people import NOW
from tests.services.waiting import hand_over

MANY, FEW, RINGING = 1_000_000, 10_000, 100
LOOKS = 2_000
REMINDED = 1_000
QUERY = "SELECT kind, subject, at FROM due WHERE at <= ? ORDER BY at LIMIT ?"


def finding() -> list[Ratio]:
    with tempfile.TemporaryDirectory() as folder:
        many, few = Path(folder) / "many.db", Path(folder) / "few.db"
        _fill(many, MANY)
        _fill(few, FEW)
        ratios = []
        for now, name in ((NOW - 1, "none"), (NOW, str(RINGING))):
            ratio = compare(
                f"finding {name} due of {MANY:,}: times the bare query",
                _looks(many, now),
                _bare(many, now),
                "at most 3",
            )
            ratios.append(_turned(ratio))
        ratio = compare(
            f"finding {RINGING} due of {MANY:,}: times the same of {FEW:,}",
            _looks(many, NOW),
            _looks(few, NOW),
            "at most 1.2",
        )
    return [*ratios, _turned(ratio)]


def _turned(ratio: Ratio) -> Ratio:
    return ratio._replace(wall=1 / ratio.wall, cpu=1 / ratio.cpu)


def _fill(path: Path, count: int) -> None:
    """Alarms of so many turns; a hundred of them ring at NOW, the others one after another."""
    store.open_database(f"sqlite:///{path}")
    with store.connected():
        store.migrate()
    with sqlite3.connect(path) as database:
        database.executemany(
            "INSERT INTO due (kind, subject, at) VALUES ('turn', ?, ?)",
            ((str(n), NOW if n < RINGING else NOW + n) for n in range(count)),
        )


def _looks(path: Path, now: int) -> Callable[[], int]:
    def look() -> int:
        store.open_database(f"sqlite:///{path}")
        with store.connected():
            for _ in range(LOOKS):
                alarms.find_due(now, ["turn"])
        return LOOKS

    return look


def _bare(path: Path, now: int) -> Callable[[], int]:
    database = sqlite3.connect(path)

    def look() -> int:
        for _ in range(LOOKS):
            database.execute(QUERY, (now, alarms.BATCH)).fetchall()
        return LOOKS

    return look


def handling() -> list[Ratio]:
    """A tick with many reminders, each told beside a bare durable commit."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pbem.db"
        with waiting_matches(path, REMINDED):
            hand_over(NOW)
            _for_each_a_player()
            bare, ticker = bare_commits(path, Path(folder)), ticking.Ticker()
            ticker.tick(NOW, 0.0)
            moments = iter((NOW + 3 * DAY // 2, NOW + 12 * DAY // 5))

            def remind() -> int:
                now = next(moments)
                store.execute("UPDATE heartbeat SET ticked_at = ?", now)
                ticked = ticking.Ticker().tick(now, 0.0)
                assert ticked.rung.reminded == REMINDED, ticked
                return ticked.rung.reminded

            def commit() -> int:
                for _ in range(REMINDED // 4):
                    bare()
                return REMINDED // 4

            ratio = compare(
                "one of 1,000 due reminders: times a bare commit", remind, commit, "", 2
            )
    return [_turned(ratio)]


def _for_each_a_player() -> None:
    with store.writing():
        for (match,) in store.rows("SELECT id FROM match"):
            player = store.insert(
                "INSERT INTO player (address, name, language, zone, created_at, confirmed_at,"
                " epoch, news) VALUES (?, '', 'en', 'UTC', ?, ?, ?, ?)",
                f"{match}@example.org",
                NOW,
                NOW,
                NOW,
                True,
            )
            store.execute(
                "UPDATE seat SET player_id = ? WHERE match_id = ? AND number = 1", player, match
            )
