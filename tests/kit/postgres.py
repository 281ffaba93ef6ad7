"""A real PostgreSQL for tests: a server of its own in a temporary folder, a database per test.

Each xdist worker starts its own (about 1.5 s, only when a test asks for one), so that no worker
waits for another and none can take the server away. `fsync` is off: these databases need not
outlive a power cut. `synchronous_commit` stays on, since the service refuses to start without it.
Its files are in memory where there is plenty: a database is made and dropped for every test.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import quote

import psycopg

DEBIAN = Path("/usr/lib/postgresql")
MEMORY = Path("/dev/shm")
PLENTY = 2 << 30
"""So many free bytes of memory are enough for the files of a server."""
OWNER = "postgres"  # the server refuses to run as root
START_SECONDS = 60
STOP_SECONDS = 20
SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "32MB",
    "max_connections": "100",
    "autovacuum": "off",
}


def why_not() -> str | None:
    """Why this machine cannot run the server, in words, or None when it can."""
    if binaries() is None:
        return "no PostgreSQL on this machine"
    if os.getuid() == 0 and not (_owner_exists() and shutil.which("setpriv")):
        return f"PostgreSQL does not run as root, and there is no user {OWNER} or no setpriv"
    return None


def binaries() -> Path | None:
    """The folder with the newest `initdb` and `postgres` of this machine."""
    versions = [path for path in DEBIAN.glob("*/bin") if (path / "initdb").exists()]
    if versions:
        return max(
            versions, key=lambda path: [int(n) for n in re.findall(r"\d+", path.parent.name)]
        )
    found = shutil.which("initdb")
    folder = Path(found).resolve().parent if found else None
    return folder if folder and (folder / "postgres").exists() else None


def _owner_exists() -> bool:
    return any(entry.pw_name == OWNER for entry in pwd.getpwall())


def _name(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[2]


def roomiest() -> Path:
    """A folder for servers: in memory where there is plenty.

    Not below TMPDIR: its owner must be able to reach it, and socket names are short.
    """
    in_memory = os.access(MEMORY, os.W_OK | os.X_OK) and shutil.disk_usage(MEMORY).free > PLENTY
    return MEMORY if in_memory else Path("/tmp")


class PostgresServer:
    """A running server; leaving the `with` block stops it and removes its folder."""

    def __enter__(self) -> PostgresServer:
        reason = why_not()
        if reason:
            raise RuntimeError(reason)
        self.folder = Path(tempfile.mkdtemp(prefix="pbem-pg-", dir=roomiest()))
        self._databases = 0
        try:
            self._create()
            self._process = self._launch()
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        try:
            self._admin = self._connected()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._admin.close()
        self._end()

    def create_database(self, like: str | None = None) -> str:
        """A new database, empty or a copy of one that nobody is connected to.

        Its URL suits psycopg and `playhouse.db_url.connect` alike.
        """
        self._databases += 1
        name, source = f"test_{self._databases}", _name(like) if like else "template0"
        quick = like and self._admin.info.server_version >= 150_000  # before, the only way
        how = f"TEMPLATE {source}{' STRATEGY file_copy' if quick else ''}"
        self._admin.execute(f"CREATE DATABASE {name} {how}".encode())
        return self.url(name)

    def drop_database(self, url: str) -> None:
        """Remove a database, also under connections that a test left open."""
        self._admin.execute(f"DROP DATABASE IF EXISTS {_name(url)} WITH (FORCE)".encode())

    def restart(self, insistence: signal.Signals = signal.SIGINT) -> None:
        """Stop the server, and start it again; SIGINT asks it to stop, SIGQUIT is a crash."""
        self._admin.close()
        self._process.send_signal(insistence)
        self._process.wait(STOP_SECONDS)
        self._process = self._launch()
        self._admin = self._connected()

    def vanish(self) -> None:
        """The host of this server is gone: no process of it says another word."""
        self._admin.close()
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(STOP_SECONDS)

    def wait_for_standby(self) -> None:
        """From now on nothing is committed before a standby has it on its disk."""
        self._admin.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self._admin.execute("SELECT pg_reload_conf()")
        patience = time.monotonic() + START_SECONDS
        asked = "SELECT COUNT(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
        while self._admin.execute(asked).fetchone() != (1,):
            if time.monotonic() > patience:
                raise RuntimeError("the standby does not follow")
            time.sleep(0.05)

    def promote(self) -> None:
        """Of a standby: it is the server now."""
        self._admin.execute("ALTER SYSTEM RESET synchronous_standby_names")
        self._admin.execute("SELECT pg_reload_conf()")
        self._admin.execute("SELECT pg_promote()")

    def url(self, database: str) -> str:
        return f"postgresql://{OWNER}@/{database}?host={quote(str(self.folder), safe='')}"

    # --- the process ---

    def _create(self) -> None:
        if os.getuid() == 0:
            shutil.chown(self.folder, OWNER, OWNER)
        done = subprocess.run(
            [
                *self._as_owner("initdb"),
                *("-D", str(self.folder / "data"), "-U", OWNER, "-A", "trust"),
                *("-E", "UTF8", "--locale=C", "--no-sync"),
            ],
            cwd=self.folder,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(f"initdb failed: {done.stdout}{done.stderr}")

    def _launch(self) -> subprocess.Popen[bytes]:
        settings = {**SETTINGS, "unix_socket_directories": str(self.folder)}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        command = [*self._as_owner("postgres"), "-D", str(self.folder / "data"), *options]
        with (self.folder / "log").open("wb") as log:
            return subprocess.Popen(
                command, cwd=self.folder, stdout=log, stderr=log, start_new_session=True
            )

    def _as_owner(self, program: str) -> list[str]:
        """The command as a user who may run it, and who is told when the tests are killed."""
        folder = binaries()
        assert folder is not None
        command, setpriv = [str(folder / program)], shutil.which("setpriv")
        if setpriv is None:
            return command
        root = [f"--reuid={OWNER}", f"--regid={OWNER}", "--clear-groups"]
        return [setpriv, *(root if os.getuid() == 0 else []), "--pdeathsig=QUIT", *command]

    def _connected(self) -> psycopg.Connection[Any]:
        patience = time.monotonic() + START_SECONDS
        while True:
            try:
                return psycopg.connect(self.url("postgres"), autocommit=True)
            except psycopg.OperationalError as error:
                if self._process.poll() is not None or time.monotonic() > patience:
                    log = (self.folder / "log").read_text(errors="replace")
                    raise RuntimeError(f"PostgreSQL did not start: {error}\n{log}") from error
                time.sleep(0.05)

    def _end(self) -> None:
        """Ask the server to stop, insist if it does not, and leave nothing behind."""
        for insistence in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
            self._process.send_signal(insistence)
            try:
                self._process.wait(STOP_SECONDS)
                break
            except subprocess.TimeoutExpired:
                continue
        shutil.rmtree(self.folder, ignore_errors=True)


class Standby(PostgresServer):
    """A copy of a running server that follows it, commit by commit, until it is promoted."""

    def __init__(self, primary: PostgresServer) -> None:
        self._primary = primary

    def _create(self) -> None:
        if os.getuid() == 0:
            shutil.chown(self.folder, OWNER, OWNER)
        done = subprocess.run(
            [
                *self._as_owner("pg_basebackup"),
                *("-D", str(self.folder / "data"), "-h", str(self._primary.folder), "-U", OWNER),
                *("--write-recovery-conf", "--checkpoint=fast", "--no-sync"),
            ],
            cwd=self.folder,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(f"pg_basebackup failed: {done.stdout}{done.stderr}")


def either(primary: PostgresServer, standby: PostgresServer, url: str) -> str:
    """The address of a database on whichever of two servers takes writes now."""
    hosts = quote(f"{primary.folder},{standby.folder}", safe="")
    return f"postgresql://{OWNER}@/{_name(url)}?host={hosts}&target_session_attrs=read-write"
