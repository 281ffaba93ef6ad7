"""Who writes to a file of SQLite: one after another, whatever becomes of the one before."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import peewee
import pytest

from pbem.db import store
from pbem.db.queueing import WriteQueue

A_MOMENT, LONG = 0.05, 30.0
HOLDING = (
    "from pbem.db.queueing import WriteQueue as Q; print(Q({!r}).enter(9), flush=True); input()"
)


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    store.open_database(f"sqlite:///{tmp_path}/pbem.db")
    with store.connected():
        store.execute("CREATE TABLE t (n INTEGER)")
        yield tmp_path / "pbem.db"
    store.database.close()


def test_threads_take_turns_and_wait_for_so_long_only(tmp_path: Path) -> None:
    queue = WriteQueue(f"{tmp_path}/pbem.db")
    assert queue.enter(A_MOMENT)
    with ThreadPoolExecutor() as threads:
        assert threads.submit(queue.enter, A_MOMENT).result() is False
        waiting = threads.submit(queue.enter, LONG)
        queue.leave()
        assert waiting.result() is True
    queue.leave()


def test_another_process_is_waited_for_until_it_is_killed(tmp_path: Path) -> None:
    queue, command = WriteQueue(f"{tmp_path}/pbem.db"), HOLDING.format(f"{tmp_path}/pbem.db")
    with (
        subprocess.Popen(
            [sys.executable, "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as other,
        ThreadPoolExecutor() as threads,
    ):
        assert other.stdout is not None
        assert other.stdout.readline() == b"True\n"
        waiting = threads.submit(queue.enter, A_MOMENT)
        with pytest.raises(TimeoutError):
            waiting.result(timeout=0.2)
        other.kill()
        assert waiting.result(timeout=LONG) is True
    queue.leave()


def test_without_a_folder_to_wait_at_nobody_waits_for_other_processes(tmp_path: Path) -> None:
    queue = WriteQueue(f"{tmp_path}/gone/pbem.db")

    for _ in range(2):
        assert queue.enter(A_MOMENT)
        queue.leave()


def test_who_waits_for_too_long_is_told_that_the_database_is_locked(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "PATIENCE", 50)

    def write() -> bool:
        with pytest.raises(peewee.OperationalError) as refusal, store.writing():
            raise AssertionError("it is not this one's turn")
        return store.is_out_of_reach(refusal.value)

    with store.writing(), ThreadPoolExecutor() as threads:
        assert threads.submit(write).result() is True


def test_whoever_fails_leaves_the_queue(file: Path) -> None:
    store.execute("PRAGMA busy_timeout = 1")
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(peewee.OperationalError), store.writing():
            raise AssertionError("somebody else is writing")
    with pytest.raises(ValueError, match="broken"), store.writing():
        store.execute("INSERT INTO t VALUES (1)")
        raise ValueError("broken")
    with store.writing():
        store.execute("INSERT INTO t VALUES (2)")

    assert store.rows("SELECT n FROM t") == [(2,)]
