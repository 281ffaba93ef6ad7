"""Backups: a whole copy of the database while it is used, checked, sealed, and then named."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from peewee import PeeweeException

from pbem.db import models
from pbem.db.reading import first
from pbem.db.store import execute, writing
from pbem.errors import Refused
from pbem.services.operations.restoring import sealed_files

READ_AT_ONCE = 1 << 20
LONGEST_NAME = 200
PREFIX = "pbem-"
"""Of copies in a folder, which are named by their time."""


class Backup(NamedTuple):
    at: int
    name: str
    size: int
    sha256: str


def newest() -> Backup | None:
    kept = models.Backup.select(*[getattr(models.Backup, name) for name in Backup._fields])
    return first(kept.order_by(models.Backup.id.desc()), Backup)


def make(url: str, target: Path, now: int) -> Backup:
    """Copy the database of a URL into a new file, or into a folder under a name by its time."""
    file = _named(url, target, now) if target.is_dir() else target
    if file.exists():
        raise Refused(
            "%(file)s already exists; a backup does not overwrite anything", file=str(file)
        )
    unfinished = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        os.close(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        with TemporaryDirectory(prefix=".pbem-backup-", dir=_beside(url)) as folder:
            unsealed = Path(folder) / "copy"
            _copy(url, unsealed)
            sealed_files.seal(unsealed, unfinished)
        made = Backup(now, file.name[:LONGEST_NAME], unfinished.stat().st_size, _hash(unfinished))
        _keep(unfinished, file)
    except (OSError, PeeweeException) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise Refused("%(file)s cannot be written: %(why)s", file=str(file), why=why) from None
    finally:
        unfinished.unlink(missing_ok=True)
    with writing():
        models.Backup.insert(made._asdict()).execute()
    return made


def thin_out(folder: Path, keep: int) -> int:
    """Remove the oldest copies that `make` has named in a folder; how many."""
    copies = sorted(path for path in folder.glob(f"{PREFIX}*Z.*") if path.is_file())
    for path in copies[:-keep]:
        path.unlink()
    return len(copies[:-keep])


def _named(url: str, folder: Path, now: int) -> Path:
    kind = "db" if url.startswith("sqlite:") else "dump"
    return folder / f"{PREFIX}{datetime.fromtimestamp(now, UTC):%Y%m%dT%H%M%SZ}.{kind}.sealed"


def _beside(url: str) -> Path | None:
    """Where a copy may lie that is not sealed yet: never among the backups, which are carried away.

    Beside a file of SQLite, which says as much; else in the folder of the machine for such things.
    """
    kind, _, path = url.partition(":///")
    return Path(path).absolute().parent if kind == "sqlite" else None


def _copy(url: str, file: Path) -> None:
    if url.startswith("sqlite:"):
        _copy_sqlite(file)
    else:
        _copy_postgres(url, file)


def _keep(unfinished: Path, file: Path) -> None:
    """Under its name only when all of it is on the disk."""
    for path in (unfinished, unfinished.parent):
        opened = os.open(path, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
    unfinished.rename(file)


def _hash(file: Path) -> str:
    seen = hashlib.sha256()
    with file.open("rb") as opened:
        while part := opened.read(READ_AT_ONCE):
            seen.update(part)
    return seen.hexdigest()


# --- SQLite ---------------------------------------------------------------------------------------


def _copy_sqlite(file: Path) -> None:
    execute("VACUUM INTO ?", str(file))
    check_sqlite(file)


def check_sqlite(file: Path) -> None:
    """Refused, unless all of a database is there."""
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as copy:
            (verdict,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        verdict = str(error)
    if verdict != "ok":
        raise Refused("the copy is damaged: %(why)s", why=verdict)


# --- PostgreSQL -----------------------------------------------------------------------------------


def _copy_postgres(url: str, file: Path) -> None:
    """By the program of PostgreSQL; the password goes where no list of processes shows it."""
    check_programs()
    kept_aside = "--exclude-schema=pbem_*"  # by restores
    run_at(url, ["pg_dump", "--format=custom", kept_aside, f"--file={file}"])
    run(["pg_restore", "--list", str(file)], None)


def check_programs() -> None:
    for program in ("pg_dump", "pg_restore"):
        if shutil.which(program) is None:
            raise Refused(
                "%(program)s is not installed on this machine; it comes with the PostgreSQL client",
                program=program,
            )


def run_at(url: str, command: list[str]) -> None:
    """Run a program of PostgreSQL at a database."""
    bare, password = _without_password(url)
    hidden = {**os.environ, "PGPASSWORD": password} if password else None
    run([*command, "--no-password", f"--dbname={bare}"], hidden)


def _without_password(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    if parts.password is None:
        return url, ""
    user, _, host = parts.netloc.rpartition("@")
    netloc = f"{user.partition(':')[0]}@{host}"
    return parts._replace(netloc=netloc).geturl(), unquote(parts.password)


def run(command: list[str], env: dict[str, str] | None) -> None:
    done = subprocess.run(command, env=env, capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise Refused(
            "%(program)s failed: %(why)s", program=command[0], why=first_line(done.stderr)
        )


def first_line(said: str) -> str:
    """What a program complains of first."""
    return next(iter(said.strip().splitlines()), "it says nothing")
