"""The server as it is deployed: gunicorn behind a socket that stays, workers, a mail server.

Three services, each started again as soon as it dies, as systemd does: `web` is gunicorn with the
options of its unit, `worker` sends letters and watches clocks, `inbox` is the worker that takes
mail by LMTP. Their settings are those of production.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from random import Random

from tests.kit.nginx import ROOT, directives, free_ports

HOST = "play.example.org"
BASE = f"https://{HOST}"
KEYS = "fault5" * 11
AUTHSERV_ID = "mail.play.example"
LOOPBACK = "127.0.0.1"
UP_SECONDS = 120
STOP_SECONDS = 60
LOOK_EVERY = 0.02
PAUSE = 0.05
"""Seconds before a dead service is started again; systemd waits for longer."""


class Service:
    """A process that is started again whenever it dies, until it is stopped."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        environ: Mapping[str, str],
        folder: Path,
        listener: socket.socket | None = None,
        cwd: Path = ROOT,
    ) -> None:
        self.name, self.log = name, folder / f"{name}.log"
        self.environ = dict(environ)
        self._command, self._listener, self._cwd = list(command), listener, cwd
        self._lock = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_wanted = False
        self.started = 0
        """How often it was started."""
        self.deaths: list[float] = []
        """When it was killed by somebody."""

    def start(self) -> None:
        with self._lock:
            self._is_wanted = True
            self._launch()
        threading.Thread(target=self._watch, daemon=True).start()

    def _launch(self) -> None:
        told = [setpriv, "--pdeathsig=KILL"] if (setpriv := shutil.which("setpriv")) else []
        fds: tuple[int, ...] = ()
        handed = ""
        if self._listener is not None:  # as systemd hands over the socket of a unit
            fds, handed = (self._listener.fileno(),), "exec 3<&$HANDED; export LISTEN_PID=$$; "
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*told, "bash", "-c", f'{handed}exec "$@"', "bash", *self._command],
                cwd=self._cwd,
                env=self.environ | ({"LISTEN_FDS": "1", "HANDED": str(fds[0])} if fds else {}),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=fds,
                start_new_session=True,
            )
        self.started += 1

    def _watch(self) -> None:
        """Outlives its process, which is told when the thread dies that has started it."""
        while self._is_wanted or self._lives():
            with self._lock:
                if self._is_wanted and not self._lives():
                    self._bury()
                    time.sleep(PAUSE)
                    self._launch()
            time.sleep(LOOK_EVERY)

    def _lives(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _bury(self) -> None:
        """What a dead process has left behind: systemd kills the rest of its control group."""
        assert self._process is not None
        for pid in self.pids():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue

    def pids(self) -> list[int]:
        """The process and all that belong to its session."""
        process = self._process
        if process is None:
            return []
        found = subprocess.run(
            ["ps", "-s", str(process.pid), "-o", "pid=,stat="], capture_output=True, text=True
        ).stdout.splitlines()
        return [int(line.split()[0]) for line in found if "Z" not in line.split()[1]]

    def memory(self) -> int:
        """Bytes that it has in memory for itself, with its children."""
        return sum(_own_memory(pid) for pid in self.pids())

    def kill(self, chance: Random | None = None) -> int:
        """kill -9 of all of it; given a chance, often of one process only. How many were hit."""
        with self._lock:
            living = self.pids()
            is_part = chance is not None and len(living) > 1 and chance.random() < 0.75
            hit = [chance.choice(living)] if is_part and chance is not None else living
            for pid in hit:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
            self.deaths.append(time.monotonic())
            return len(hit)

    def stop(self, with_signal: signal.Signals = signal.SIGTERM) -> int | None:
        """End it and leave it so; its exit status."""
        with self._lock:
            self._is_wanted = False
            process = self._process
            if process is None:
                return None
            process.send_signal(with_signal)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._bury()
            process.wait(STOP_SECONDS)
        self._bury()
        return process.returncode

    def stop_at_once(self) -> None:
        """kill -9 of all of it, and nobody starts it again."""
        with self._lock:
            self._is_wanted = False
            self._bury()
            self.deaths.append(time.monotonic())
        assert self._process is not None
        self._process.wait(STOP_SECONDS)

    def restart(self) -> None:
        """As an operator restarts it: asked to stop, and started again."""
        with self._lock:
            assert self._process is not None
            self._process.send_signal(signal.SIGTERM)


def _own_memory(pid: int) -> int:
    """What `smaps_rollup` counts once however many processes share it; 0 for a dead one."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    found = [int(line.split()[1]) for line in lines if line.startswith("Pss:")]
    return sum(found) * 1024


class Deployment:
    """A server on loopback."""

    def __init__(
        self,
        folder: Path,
        database_url: str,
        smtp_url: str,
        settings: Mapping[str, str] | None = None,
        app: str = "",
        worker: str = "tests.faults.hasty_worker",
        cwd: Path = ROOT,
    ) -> None:
        """`app` and `worker` stand in for those of the units; see `careless`."""
        self.folder, self.database_url = folder, database_url
        self.listener = socket.create_server((LOOPBACK, 0), backlog=512)
        self.port = int(self.listener.getsockname()[1])
        (self.lmtp_port,) = free_ports(1)
        self.environ = {
            **{key: value for key, value in os.environ.items() if not key.startswith("PBEM_")},
            "PYTHONPATH": f"{cwd}:{ROOT}",
            "PYTHONDONTWRITEBYTECODE": "",
            "PBEM_ENV": "production",
            "PBEM_BASE_URL": BASE,
            "PBEM_DATABASE_URL": database_url,
            "PBEM_SECRET_KEYS": KEYS,
            "PBEM_SMTP_URL": smtp_url,
            "PBEM_MAIL_FROM": f"pbem@{HOST}",
            "PBEM_AUTHSERV_ID": AUTHSERV_ID,
            "PBEM_MIN_FREE_MB": "0",
            **(settings or {}),
        }
        self._cwd = cwd
        taking = {"PBEM_LMTP_LISTEN": f"{LOOPBACK}:{self.lmtp_port}"}
        elsewhere = {"PBEM_MAIL_PIPE": "yes"}  # so that letters invite replies
        python = [sys.executable, "-m"]
        (start,) = directives("pbem-web.service")["ExecStart"]
        *options, usual = shlex.split(start)[1:]
        web = [*python, "gunicorn.app.wsgiapp", *options, app or usual]
        self.web = self._service("web", web, elsewhere, self.listener)
        self.worker = self._service("worker", [*python, worker], elsewhere)
        self.inbox = self._service("inbox", [*python, worker], taking)
        self.services = (self.web, self.worker, self.inbox)

    def _service(
        self,
        name: str,
        command: Sequence[str],
        settings: Mapping[str, str],
        listener: socket.socket | None = None,
    ) -> Service:
        environ = {**self.environ, **settings}
        return Service(name, command, environ, self.folder, listener, self._cwd)

    @contextmanager
    def running(self) -> Iterator[Deployment]:
        self.command("migrate")
        try:
            for service in self.services:
                service.start()
            self.wait_until_up()
            yield self
        finally:
            self.stop()
            self.listener.close()

    def stop(self) -> list[int | None]:
        return [service.stop() for service in self.services]

    def wait_until_up(self, seconds: float = UP_SECONDS) -> None:
        patience = time.monotonic() + seconds
        while not (self.is_healthy() and self._takes_mail()):
            assert time.monotonic() < patience, f"the server does not come up\n{self.logged()}"
            time.sleep(0.1)

    def is_healthy(self) -> bool:
        return self.status("/healthz") == 200

    def status(self, path: str) -> int:
        """Of a page; 0 when nobody answers."""
        link = HTTPConnection(LOOPBACK, self.port, timeout=10)
        try:
            link.request("GET", path, headers={"Host": HOST})
            return link.getresponse().status
        except OSError:
            return 0
        finally:
            link.close()

    def _takes_mail(self) -> bool:
        with socket.socket() as trial:
            return trial.connect_ex((LOOPBACK, self.lmtp_port)) == 0

    def command(self, *words: str) -> str:
        """What `pbem` prints when an operator runs it beside the server."""
        done = subprocess.run(
            [sys.executable, "-m", "pbem.cli", *words],
            cwd=self._cwd,
            env=self.environ | {"PBEM_MAIL_PIPE": "yes"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def loaded_from(self) -> str:
        """Where the processes of this server have their code from."""
        asked = [sys.executable, "-c", "import pbem; print(pbem.__file__)"]
        done = subprocess.run(
            asked, cwd=self._cwd, env=self.environ, capture_output=True, text=True, check=True
        )
        return done.stdout

    def logged(self) -> str:
        return "".join(
            f"--- {one.name}\n{one.log.read_text(errors='replace')[-3000:]}"
            for one in self.services
            if one.log.exists()
        )

    def complaints(self) -> list[str]:
        """Lines of the logs that tell of something wrong."""
        bad = ("ERROR", "CRITICAL", "Traceback", "Exception", "Error:")
        return [
            f"{one.name}: {line}"
            for one in self.services
            if one.log.exists()
            for line in one.log.read_text(errors="replace").splitlines()
            if any(word in line for word in bad)
        ]
