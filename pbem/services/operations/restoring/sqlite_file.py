"""The file of a SQLite server replaced by a copy: at once, or not at all.

Everything is done to a file beside it: opened, checked, brought up to date, begun anew. Then it
takes the name of the old one, which is kept under another. Whoever is interrupted before that has
changed nothing; who comes second, while another restore is at it, does nothing.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from pbem.db import store
from pbem.errors import ConfigError, Refused
from pbem.services.operations import backups, health
from pbem.services.operations.restoring import sealed_files
from pbem.services.operations.restoring.new_timeline import Begun

BESIDE = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a file; played onto another one it would destroy that."""


def put_back(
    url: str, backup: Path, begin: Callable[[int], Begun], replace: bool, now: int
) -> tuple[Begun, Path | None]:
    """Let a backup take the place of the file of a URL; what has begun, and the old file.

    `begin` begins a new timeline in the database that is open then; it is told the largest number
    of a turn in what is replaced.
    """
    target = file_of(url)
    with _only_restore_at(target):
        return _put_back(target, backup, begin, replace, now)


@contextmanager
def _only_restore_at(target: Path) -> Iterator[None]:
    """Refused while another restore works in the folder of a file; a dead one is no other."""
    try:
        folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise _unwritable(target, error) from None
    try:
        _lock(folder)
        yield
    finally:
        os.close(folder)


def _lock(folder: int) -> None:
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Refused("another restore is under way; wait for its end") from None


def _put_back(
    target: Path, backup: Path, begin: Callable[[int], Begun], replace: bool, now: int
) -> tuple[Begun, Path | None]:
    check_target(target, replace)
    fresh = target.with_name(f".{target.name}.restored")
    _remove(fresh)  # of a restore that was interrupted
    try:
        _open_backup(backup, fresh)
        with _opened(fresh):
            health.check_release()
            health.migrate(now)
            begun = begin(_newest_turn(target))
        _settle(fresh)
        check_unused(target)
        kept = _keep_aside(target, fresh, now)
        os.replace(fresh, target)
        _sync(target.parent)
    except OSError as error:
        raise _unwritable(target, error) from None
    finally:
        _remove(fresh)
    return begun, kept


def _unwritable(target: Path, error: OSError) -> Refused:
    return Refused("%(file)s cannot be written: %(why)s", file=str(target), why=error.strerror)


def file_of(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///")).absolute()


def check_there(url: str) -> None:
    if not file_of(url).exists():
        raise Refused("there is no file %(file)s", file=str(file_of(url)))


def check_target(target: Path, replace: bool) -> None:
    """Refused while a server uses the file, or if it is not meant to be replaced."""
    if not target.exists():
        return
    if not replace and target.stat().st_size:
        raise Refused(
            "%(file)s already exists; with --replace, it is kept under another name",
            file=str(target),
        )
    check_unused(target)


def check_unused(file: Path) -> None:
    """Refused while another process has a database open; all of it is in its one file then.

    A process that serves keeps a connection open, and SQLite leaves its log only when there is no
    other connection.
    """
    if not file.exists() or not file.stat().st_size:
        return
    try:
        with closing(sqlite3.connect(file, timeout=1)) as alone:
            (mode,) = alone.execute("PRAGMA journal_mode = DELETE").fetchone()
    except sqlite3.OperationalError:
        mode = "locked"
    except sqlite3.DatabaseError:
        return  # damaged, as may be why somebody restores; no server can use it
    if mode != "delete":
        raise Refused(
            "%(file)s is in use; stop the web processes and the workers first", file=str(file)
        )


def _newest_turn(file: Path) -> int:
    """The largest number of a turn in a file; 0 where nobody can read it."""
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as old:
            ((number,),) = old.execute("SELECT MAX(id) FROM turn")
    except sqlite3.Error:
        return 0
    return int(number or 0)


def _open_backup(backup: Path, fresh: Path) -> None:
    if not backup.is_file():
        raise Refused("there is no file %(file)s", file=str(backup))
    if sealed_files.is_sealed(backup):
        sealed_files.open_into(backup, fresh)
    else:  # of an older release, or of another program
        os.close(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        shutil.copyfile(backup, fresh)
    backups.check_sqlite(fresh)


@contextmanager
def _opened(file: Path) -> Iterator[None]:
    store.open_database(f"sqlite:///{file}")
    with store.connected():
        store.check_durability()
        yield


def _settle(file: Path) -> None:
    """All of it in one file, on the disk."""
    check_unused(file)
    if any(file.with_name(file.name + end).exists() for end in BESIDE):
        raise ConfigError(f"{file} is not whole in one file")
    _sync(file)


def _give_to_owner_of(target: Path, fresh: Path) -> None:
    if os.geteuid() == 0:
        before = target.stat()
        os.chown(fresh, before.st_uid, before.st_gid)


def _keep_aside(target: Path, fresh: Path, now: int) -> Path | None:
    """The old file under another name, beside its own; at no time is there none."""
    if not target.exists():
        return None
    stem = f"{target.name}.before-{datetime.fromtimestamp(now, UTC):%Y%m%dT%H%M%SZ}"
    names = (f"{stem}{f'-{count}' if count else ''}" for count in range(1_000))
    aside = next(path for name in names if not (path := target.with_name(name)).exists())
    os.link(target, aside)
    _give_to_owner_of(target, fresh)
    for end in BESIDE:
        beside = target.with_name(target.name + end)
        if beside.exists():  # of a file that was damaged
            beside.rename(aside.with_name(aside.name + end))
    return aside


def _remove(file: Path) -> None:
    for end in ("", *BESIDE):
        file.with_name(file.name + end).unlink(missing_ok=True)


def _sync(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
