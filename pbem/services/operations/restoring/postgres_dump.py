"""A dump put back into a database of PostgreSQL: what is there before is kept in another schema.

While it lasts, a schema of its own says so, and no server starts: it goes away in the transaction
in which the new timeline begins. Who is connected is in the way of any other restore.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from pbem.db import store
from pbem.db.store import RESTORING, execute, row, rows, writing
from pbem.errors import Refused
from pbem.services.operations import backups, health
from pbem.services.operations.restoring import sealed_files
from pbem.services.operations.restoring.new_timeline import Begun

GONE_AFTER = 2.0
"""Seconds in which PostgreSQL has noticed that a process of ours is no more."""
OURS = "schema_migration"
"""A table that every database of ours has."""


def put_back(
    url: str, backup: Path, begin: Callable[[int], Begun], replace: bool, now: int
) -> tuple[Begun, str | None]:
    """Put a backup into the database of a URL; what has begun, and the schema of what was there.

    `begin` begins a new timeline in the database that is open then; it is told the largest number
    of a turn in what is replaced.
    """
    backups.check_programs()
    with TemporaryDirectory(prefix="pbem-restore-") as folder:
        dump = _opened_backup(backup, Path(folder) / "dump")
        health.check_steps(_steps(dump))
        store.open_database(url)
        with store.connected():  # all the time, so that another restore sees that we are at it
            check_unused()
            kept = _make_room(replace, now)
            try:
                command = ["pg_restore", "--exit-on-error", "--single-transaction", "--no-owner"]
                backups.run_at(url, [*command, "--no-privileges", str(dump)])
            except Refused:
                _undo(kept)
                raise
            health.migrate(now)
            above = _newest_turn(kept) if kept else 0
            return adopt(partial(begin, above)), kept


def adopt(begin: Callable[[], Begun]) -> Begun:
    """Begin a new timeline of what is in the database; then servers may start."""
    check_unused()
    with writing():
        begun = begin()
        execute(f"DROP SCHEMA IF EXISTS {RESTORING}")
        return begun


def check_unused() -> None:
    """Refused while anybody else is connected; who has just gone may be listed for a moment."""
    patience = time.monotonic() + GONE_AFTER
    while others := _other_connections():
        if time.monotonic() > patience:
            raise Refused(
                "%(count)s other connections to the database are open; stop the web processes and"
                " the workers first",
                count=others,
            )
        time.sleep(0.1)


def _other_connections() -> int:
    ((count,),) = rows(
        "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
    )
    return int(count)


def _opened_backup(backup: Path, plain: Path) -> Path:
    if not backup.is_file():
        raise Refused("there is no file %(file)s", file=str(backup))
    if not sealed_files.is_sealed(backup):
        return backup
    sealed_files.open_into(backup, plain)
    return plain


def _steps(dump: Path) -> list[str]:
    """The migrations that the database of a dump has seen."""
    command = ["pg_restore", "--data-only", f"--table={OURS}", "--file=-", str(dump)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise Refused("the backup is damaged: %(why)s", why=backups.first_line(done.stderr))
    lines = done.stdout.splitlines()
    begin = next((at for at, line in enumerate(lines) if line.startswith("COPY ")), len(lines))
    table = lines[begin + 1 :]
    end = table.index("\\.") if "\\." in table else len(table)
    at = _place_of_name(lines[begin]) if begin < len(lines) else 0
    return [line.split("\t")[at] for line in table[:end]]


def _place_of_name(copy: str) -> int:
    """Where the name stands in the rows of `COPY public.schema_migration (id, name, …) FROM …`."""
    columns = copy.partition("(")[2].partition(")")[0].split(", ")
    return columns.index("name")


def _make_room(replace: bool, now: int) -> str | None:
    """An empty schema for the dump; the name under which what was there is kept."""
    with writing():
        if row("SELECT 1 FROM pg_namespace WHERE nspname = ?", RESTORING) is None:
            execute(f"CREATE SCHEMA {RESTORING}")
        if not rows("SELECT 1 FROM pg_tables WHERE schemaname = 'public' LIMIT 1"):
            return None
        if not replace:
            raise Refused(
                "the database is not empty; with --replace, what it holds is set aside and kept"
            )
        kept = f"pbem_before_{datetime.fromtimestamp(now, UTC):%Y%m%dt%H%M%Sz}"
        execute(f"ALTER SCHEMA public RENAME TO {kept}")
        execute("CREATE SCHEMA public")
        return kept


def _newest_turn(schema: str) -> int:
    """The largest number of a turn in what was replaced, if that was a database of ours."""
    sql = "SELECT 1 FROM pg_tables WHERE schemaname = ? AND tablename = 'turn'"
    found = row(f"SELECT MAX(id) FROM {schema}.turn") if row(sql, schema) else None
    return int(found[0] or 0) if found else 0


def _undo(kept: str | None) -> None:
    """All as it was before; `pg_restore` has left nothing."""
    with writing():
        if kept is not None:
            execute("DROP SCHEMA public")
            execute(f"ALTER SCHEMA {kept} RENAME TO public")
        execute(f"DROP SCHEMA {RESTORING}")
