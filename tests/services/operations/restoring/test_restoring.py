"""A backup put back into a database of each kind: whole, kept aside, refused while somebody serves.

What it does to links and letters is in `test_new_timeline` and in the drill of the pages.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random

import psycopg
import pytest

from engine.chance import QuickDice
from pbem.db import store
from pbem.db.store import database, rows
from pbem.errors import ConfigError, Refused
from pbem.key_ring import fingerprint, ring
from pbem.services.match import turns
from pbem.services.operations import backups, health
from pbem.services.operations.restoring import new_timeline, restoring, sqlite_file
from pbem.services.operations.restoring.new_timeline import Begun
from pbem.services.records import restorations
from pbem.services.records.match_rows import get_match
from tests.mail.posting import KEYS
from tests.services.people import NOW, Sitting, an_order, sit_down

LATER = NOW + 3_600


class Server:
    """A server with a match that has gone on since its backup."""

    def __init__(self, url: str, match: str, folder: Path) -> None:
        self.url, self.match, self.backup = url, match, folder / "backup"
        self.choice = QuickDice(b"server")
        self.play(5)
        backups.make(url, self.backup, NOW)
        self.play(4)
        database.close()

    def play(self, number: int) -> None:
        for _ in range(number):
            turn, order = an_order(self.match, self.choice)
            turns.submit(turn.id, [order], NOW)

    def restore(self, replace: bool = True, backup: Path | None = None) -> Begun:
        begun, self.kept = restoring.put_back(
            backup or self.backup, replace, self.url, LATER, lambda done, total: None
        )
        return begun

    def kinds(self) -> list[str]:
        """Of the entries of the match, in the database as it is."""
        store.open_database(self.url)
        with store.connected():
            return [kind for (kind,) in rows("SELECT kind FROM entry ORDER BY seq")]

    @property
    def is_sqlite(self) -> bool:
        return self.url.startswith("sqlite")

    @property
    def file(self) -> Path:
        return sqlite_file.file_of(self.url)


def run_python(words: list[str]) -> subprocess.CompletedProcess[bytes]:
    """A program of our own beside this one, to its end."""
    with begin_python(words) as process:
        said, complained = process.communicate()
    return subprocess.CompletedProcess(words, process.returncode, said, complained)


def begin_python(words: list[str]) -> subprocess.Popen[bytes]:
    root = str(Path(__file__).parents[4])
    environ = {**os.environ, "PYTHONPATH": root}
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", *words], env=environ, stdout=pipe, stderr=pipe)


@pytest.fixture
def server(sitting: Sitting, stored: str, tmp_path: Path) -> Iterator[Server]:
    yield Server(stored, sitting.match, tmp_path)
    if not database.is_closed():
        database.close()


OLD, BACK = ["setup"] + ["action"] * 9, ["setup"] + ["action"] * 5 + ["restore"]


def test_a_backup_takes_the_place_of_what_is_kept_aside(server: Server) -> None:
    begun = server.restore()
    assert server.kinds() == BACK
    with store.connected():
        found = restorations.newest()
    assert found is not None and found.mark == begun.mark
    assert server.kept is not None
    if server.is_sqlite:
        with closing(sqlite3.connect(server.kept)) as old:
            assert len(old.execute("SELECT 1 FROM entry").fetchall()) == len(OLD)
        assert not [path for path in server.file.parent.iterdir() if path.name.startswith(".")]
        assert not Path(f"{server.kept}-wal").exists()
    else:
        with store.connected():
            assert len(rows(f"SELECT 1 FROM {server.kept}.entry")) == len(OLD)
            store.check_whole()


def test_twice_from_one_file_gives_two_timelines(server: Server) -> None:
    first = server.restore()
    kept = server.kept
    if not server.is_sqlite:  # both would be named by the same second
        with psycopg.connect(server.url, autocommit=True) as admin:
            admin.execute(f"ALTER SCHEMA {kept} RENAME TO other".encode())
    second = server.restore()
    assert first.mark != second.mark
    assert server.kinds() == BACK
    assert not server.is_sqlite or kept != server.kept


def test_numbers_of_turns_differ_also_from_those_of_a_restore_just_now(server: Server) -> None:
    """As many matches are played as seconds will not have passed."""
    store.open_database(server.url)
    with store.connected():
        for _ in range(3):
            sit_down(NOW)
        backups.make(server.url, server.backup.with_name("more"), NOW)
    seen = set[int]()
    for at in (LATER, LATER + 1):
        restoring.put_back(server.backup.with_name("more"), True, server.url, at, lambda *_: None)
        store.open_database(server.url)
        with store.connected():
            fresh = {number for (number,) in rows("SELECT id FROM turn WHERE closed_seq IS NULL")}
        assert len(fresh) == 4 and not fresh & seen
        seen |= fresh


def test_a_restored_server_is_backed_up_and_restored_like_any_other(
    server: Server, tmp_path: Path
) -> None:
    server.restore()
    store.open_database(server.url)
    with store.connected():
        restorations.make_known()
        backups.make(server.url, tmp_path / "second", LATER)
    if not server.is_sqlite:
        with psycopg.connect(server.url, autocommit=True) as admin:
            admin.execute(b"DROP SCHEMA public CASCADE")
            admin.execute(b"CREATE SCHEMA public")
    server.restore(backup=tmp_path / "second")
    assert server.kinds() == [*BACK, "restore"]
    with store.connected():
        assert len(rows("SELECT 1 FROM restoration")) == 2
        assert len(get_match(server.match).earlier_secrets) == 2


def test_an_empty_place_needs_no_leave(
    server: Server, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if server.is_sqlite:
        server.url = f"sqlite:///{tmp_path / 'elsewhere' / 'pbem.db'}"
        (tmp_path / "elsewhere").mkdir()
    else:
        server.url = request.getfixturevalue("postgres_url")
    server.restore(replace=False)
    assert server.kept is None
    assert server.kinds() == BACK
    database.close()


# --- refused --------------------------------------------------------------------------------------


@contextmanager
def untouched(server: Server) -> Iterator[None]:
    yield
    assert server.kinds() == OLD
    if server.is_sqlite:
        assert [path.name for path in server.file.parent.glob("*before*")] == []
        assert [path.name for path in server.file.parent.glob(".pbem.db*")] == []
    else:
        with store.connected():
            store.check_whole()
            assert rows("SELECT nspname FROM pg_namespace WHERE nspname LIKE '%before%'") == []


def test_nothing_is_replaced_without_leave(server: Server) -> None:
    with untouched(server), pytest.raises(Refused, match="--replace"):
        server.restore(replace=False)


def test_not_while_a_process_serves(server: Server) -> None:
    store.open_database(server.url)
    words = "is in use; stop the web" if server.is_sqlite else "other connections"
    with store.connected():
        serving = database.obj
        assert rows("SELECT 1 FROM match")
        with pytest.raises(Refused, match=words):
            server.restore()
        if server.is_sqlite:
            with pytest.raises(Refused, match=words):
                restoring.adopt(server.url, LATER, lambda done, total: None)
    serving.close()
    with untouched(server):
        pass


SECOND = """
import sys
from pathlib import Path
from pbem.errors import Refused
from pbem.key_ring import ring
from pbem.services.operations.restoring import restoring
ring.use(lambda: (sys.argv[3],))
try:
    restoring.put_back(Path(sys.argv[2]), True, sys.argv[1], 1_800_003_601, lambda *_: None)
except Refused as refused:
    print(refused)
"""


def test_of_two_at_once_the_second_does_nothing(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first one is in the middle of its backup."""
    told, migrate, run_at = list[str](), health.migrate, backups.run_at

    def meanwhile() -> None:
        words = [SECOND, server.url, str(server.backup), KEYS[0]]
        done = run_python(words)
        told.append(done.stdout.decode() + done.stderr.decode())

    def migrating(now: int) -> list[str]:
        if server.is_sqlite:
            meanwhile()
        return migrate(now)

    def running(url: str, command: list[str]) -> None:
        meanwhile()
        run_at(url, command)

    monkeypatch.setattr(health, "migrate", migrating)
    monkeypatch.setattr(backups, "run_at", running)
    begun = server.restore()
    assert server.kinds() == BACK
    with store.connected():
        assert rows("SELECT mark FROM restoration") == [(begun.mark,)]
    (words,) = told
    assert ("another restore is under way" if server.is_sqlite else "1 other connections") in words


@pytest.mark.parametrize("damage", ["cut", "changed", "no backup", "missing"])
def test_a_damaged_file_changes_nothing(server: Server, damage: str) -> None:
    whole = server.backup.read_bytes()
    middle = len(whole) // 2
    if damage == "missing":
        server.backup.unlink()
    else:
        server.backup.write_bytes(
            {
                "cut": whole[:middle],
                "changed": whole[:middle] + b"x" + whole[middle + 1 :],
                "no backup": b"holiday.jpg" * 1_000,
            }[damage]
        )
    with untouched(server), pytest.raises(Refused, match="damaged|there is no file"):
        server.restore()


def test_the_missing_key_is_named(server: Server) -> None:
    ring.use(lambda: ("n" * 40,))
    with untouched(server), pytest.raises(Refused, match=fingerprint(KEYS[0])):
        server.restore()


def test_a_backup_of_a_newer_release_is_refused(server: Server, tmp_path: Path) -> None:
    store.open_database(server.url)
    name = "9999_of_tomorrow"
    with store.connected():
        moment = "2026-01-01 00:00:00"
        store.execute("INSERT INTO schema_migration (name, applied) VALUES (?, ?)", name, moment)
        backups.make(server.url, tmp_path / "newer", NOW)
        store.execute("DELETE FROM schema_migration WHERE name = ?", name)
    with untouched(server), pytest.raises(Refused, match=f"newer release .{name}"):
        server.restore(backup=tmp_path / "newer")


def test_what_fails_in_the_middle_changes_nothing(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise Refused("the new timeline does not begin")

    monkeypatch.setattr(new_timeline, "_ask_again", fail)
    with pytest.raises(Refused, match="does not begin"):
        server.restore()
    if server.is_sqlite:
        with untouched(server):
            return
    monkeypatch.undo()  # what is put back is there, but nobody may serve it
    with store.connected(), pytest.raises(ConfigError, match="run pbem restore once more"):
        store.check_whole()
    restoring.adopt(server.url, LATER, lambda done, total: None)
    assert server.kinds() == BACK
    with store.connected():
        store.check_whole()


# --- killed ---------------------------------------------------------------------------------------

KILLED_SOMEWHERE = """
import sys
from pathlib import Path
from pbem.key_ring import ring
from pbem.services.operations.restoring import restoring
ring.use(lambda: (sys.argv[3],))
print("begun", flush=True)
restoring.put_back(Path(sys.argv[2]), True, sys.argv[1], int(sys.argv[4]), lambda *_: None)
print("done", flush=True)
"""
INSTANTS, TRIED = 40, 3


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_killed_at_any_instant_it_has_happened_or_not(server: Server) -> None:
    """And run again it happens; on PostgreSQL nobody serves what is neither."""
    chance, became = Random(f"{os.environ.get('PBEM_SEED', 1)}"), Counter[str]()
    took = max(killed_after(server, LATER + number, None) for number in range(TRIED))
    for instant in range(INSTANTS):
        known, at = mark_of(server), LATER + TRIED + 2 * instant
        killed_after(server, at, chance.uniform(0, took))
        mark = mark_of(server)
        became["not" if mark == known else "done" if mark else "neither"] += 1
        restoring.put_back(server.backup, True, server.url, at + 1, lambda *_: None)
        assert mark_of(server) not in {"", mark, known}
    assert became["not"] and (became["neither"] == 0 or not server.is_sqlite), became


def killed_after(server: Server, now: int, seconds: float | None) -> float:
    """Begin a restore and kill it, or wait for its end; how long it took."""
    words = [KILLED_SOMEWHERE, server.url, str(server.backup), KEYS[0], str(now)]
    with begin_python(words) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        begun = time.monotonic()
        if seconds is None:
            assert process.stdout.readline() == b"done\n"
        else:
            time.sleep(seconds)
            process.kill()
        return time.monotonic() - begun


def mark_of(server: Server) -> str:
    """Of its timeline, of which all is there; empty while nobody may serve it."""
    store.open_database(server.url)
    with store.connected():
        try:
            store.check_whole()
        except ConfigError:
            return ""
        if server.is_sqlite:
            assert rows("PRAGMA integrity_check") == [("ok",)]
        assert [kind for (kind,) in rows("SELECT kind FROM entry ORDER BY seq")] == BACK
        ((mark,),) = rows("SELECT mark FROM restoration")
    return str(mark)


# --- SQLite alone ---------------------------------------------------------------------------------

sqlite_only = pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)


@pytest.fixture
def store_url(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(f"{getattr(request, 'param', 'sqlite')}_store"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every test here meets both kinds of store, unless it says otherwise."""
    chosen = metafunc.definition.iter_markers("parametrize")
    is_chosen = any(mark.args[0] == "store_url" for mark in chosen)
    if "server" in metafunc.fixturenames and not is_chosen:
        kinds = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
        metafunc.parametrize("store_url", kinds, indirect=True)


@sqlite_only
def test_a_plain_copy_of_an_older_release_is_put_back(server: Server, tmp_path: Path) -> None:
    with closing(sqlite3.connect(server.file)) as old:
        old.execute("VACUUM INTO ?", (str(tmp_path / "plain"),))
    server.restore(backup=tmp_path / "plain")
    assert server.kinds() == [*OLD, "restore"]


@sqlite_only
def test_a_stale_log_beside_the_file_is_not_played_onto_it(server: Server) -> None:
    """As when the power failed: the old file's log is merged into it and kept with it."""
    with closing(sqlite3.connect(server.file)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("UPDATE player SET name = 'Mallory'")
        writer.commit()
        for end in ("", "-wal"):
            path = Path(f"{server.file}{end}")
            path.with_name(f"kept{end}").write_bytes(path.read_bytes())
    for end in ("", "-wal"):
        server.file.with_name(f"kept{end}").replace(f"{server.file}{end}")
    server.restore()

    assert server.kinds() == BACK
    with store.connected():
        assert ("Mallory",) not in rows("SELECT name FROM player")
    with closing(sqlite3.connect(server.kept or "")) as old:
        assert ("Mallory",) in old.execute("SELECT name FROM player").fetchall()


@sqlite_only
def test_a_damaged_file_is_replaced_and_kept(server: Server) -> None:
    server.file.write_bytes(b"not a database any more" * 1_000)
    Path(f"{server.file}-wal").write_bytes(b"stale")
    server.restore()
    assert server.kinds() == BACK
    assert server.kept is not None and b"any more" in Path(server.kept).read_bytes()


KILLED = """
import os, signal, sys
from pathlib import Path
from pbem.key_ring import ring
from pbem.services.operations.restoring import restoring, sqlite_file
ring.use(lambda: (sys.argv[3],))
if sys.argv[4] == "replace":
    sqlite_file.os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    came_on = lambda done, total: None
else:
    came_on = lambda done, total: os.kill(os.getpid(), signal.SIGKILL)
restoring.put_back(Path(sys.argv[2]), True, sys.argv[1], 1_800_003_600, came_on)
"""


@sqlite_only
@pytest.mark.parametrize("moment", ["a match", "replace"])
def test_who_is_killed_in_the_middle_has_changed_nothing(server: Server, moment: str) -> None:
    done = run_python([KILLED, server.url, str(server.backup), KEYS[0], moment])
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert server.kinds() == OLD
    database.close()
    server.restore()
    assert server.kinds() == BACK
    assert not [path for path in server.file.parent.iterdir() if path.name.startswith(".pbem.db.")]


# --- PostgreSQL alone -----------------------------------------------------------------------------


@pytest.mark.postgres
@pytest.mark.parametrize("store_url", ["postgres"], indirect=True)
def test_a_restore_that_was_interrupted_is_done_once_more(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(url: str, command: list[str]) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(backups, "run_at", killed)
    with pytest.raises(KeyboardInterrupt):
        server.restore()
    with store.connected(), pytest.raises(ConfigError, match="run pbem restore once more"):
        store.check_whole()
    monkeypatch.undo()
    server.restore(replace=False)
    assert server.kinds() == BACK
    with store.connected():
        store.check_whole()
        assert store.RESTORING not in str(rows("SELECT nspname FROM pg_namespace"))
