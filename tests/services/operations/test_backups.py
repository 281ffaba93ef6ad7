"""Backups: whole, checked, under their name only when done; nothing is overwritten."""

from __future__ import annotations

import hashlib
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from peewee import OperationalError

from pbem.db import store
from pbem.errors import Refused
from pbem.services.operations import backups
from pbem.services.operations.restoring import sealed_files
from pbem.services.records.match_rows import get_match
from tests.services.people import NOW, Sitting

SECRET = "p%40ss"


def test_a_copy_holds_everything_and_is_noted(
    sitting: Sitting, stored: str, tmp_path: Path
) -> None:
    file = tmp_path / "copy"
    made = backups.make(stored, file, NOW)

    assert made == (NOW, "copy", file.stat().st_size, hashlib.sha256(file.read_bytes()).hexdigest())
    assert backups.newest() == made
    assert file.stat().st_mode & 0o077 == 0
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    sealed_files.open_into(file, tmp_path / "opened")
    if stored.startswith("sqlite"):
        with closing(sqlite3.connect(tmp_path / "opened")) as copy:
            assert copy.execute("SELECT id FROM match").fetchall() == [(sitting.match,)]
    else:
        command = ["pg_restore", "--list", str(tmp_path / "opened")]
        listed = subprocess.run(command, capture_output=True, text=True)
        assert "TABLE DATA public match" in listed.stdout
    assert get_match(sitting.match).id == sitting.match


def test_nothing_is_overwritten(stored: str, tmp_path: Path) -> None:
    file = tmp_path / "copy"
    file.write_text("precious")
    with pytest.raises(Refused, match="a backup does not overwrite anything"):
        backups.make(stored, file, NOW)

    assert file.read_text() == "precious"
    assert backups.newest() is None


def test_a_place_that_cannot_be_written_is_named(stored: str, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="cannot be written: No such file"):
        backups.make(stored, tmp_path / "nowhere" / "copy", NOW)
    assert backups.newest() is None


def test_in_a_folder_copies_are_named_by_their_time_and_thinned_out(
    stored: str, tmp_path: Path
) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    (folder / "pbem-by-hand.db").write_text("mine")
    names = [backups.make(stored, folder, NOW + hour * 3_600).name for hour in range(5)]

    assert names[0].startswith("pbem-20270115T080000Z.")
    assert backups.thin_out(folder, 2) == 3
    assert {path.name for path in folder.iterdir()} == {
        "notes.txt",
        "pbem-by-hand.db",
        *names[-2:],
    }


@pytest.mark.parametrize("page", [0, 3])
def test_a_copy_that_is_not_whole_is_thrown_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    url = f"sqlite:///{tmp_path / 'pbem.db'}"
    store.open_database(url)

    def damaged(sql: str, *values: object) -> int:
        done = store.execute(sql, *values)
        if sql.startswith("VACUUM"):
            path = Path(str(values[0]))
            raw = bytearray(path.read_bytes())
            raw[4096 * page : 4096 * page + 4096] = bytes(4096)
            path.write_bytes(raw)
        return done

    monkeypatch.setattr(backups, "execute", damaged)
    with store.connected():
        store.migrate()
        with pytest.raises(Refused, match="the copy is damaged"):
            backups.make(url, tmp_path / "copy", NOW)
        assert backups.newest() is None
    assert sorted(path.name for path in tmp_path.glob("*copy*")) == []
    assert list(tmp_path.glob(".*.part")) == []


def test_a_full_disk_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(sql: str, *values: object) -> int:
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(backups, "execute", full)
    with pytest.raises(Refused, match="copy cannot be written: database or disk is full"):
        backups.make(f"sqlite:///{tmp_path / 'pbem.db'}", tmp_path / "copy", NOW)
    assert list(tmp_path.iterdir()) == []


# --- PostgreSQL -----------------------------------------------------------------------------------

URL = f"postgresql://pbem:{SECRET}@db.test:5432/games?sslmode=require"


def test_a_password_is_not_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[list[str], dict[str, str] | None]] = []

    def run(command: list[str], env: dict[str, str] | None, **_: object) -> object:
        seen.append((command, env))
        return subprocess.CompletedProcess(command, 1, "", "pg_dump: error: no route\nmore")

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(Refused, match="pg_dump failed: pg_dump: error: no route$"):
        backups.make(URL, tmp_path / "copy", NOW)
    ((command, env),) = seen

    assert "--dbname=postgresql://pbem@db.test:5432/games?sslmode=require" in command
    assert SECRET not in " ".join(command) and "p@ss" not in " ".join(command)
    assert env is not None and env["PGPASSWORD"] == "p@ss"
    assert list(tmp_path.iterdir()) == []


def test_without_its_program_one_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Refused, match="pg_dump is not installed on this machine"):
        backups.make(URL, tmp_path / "copy", NOW)
