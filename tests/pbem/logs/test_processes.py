"""Several processes of one machine: what they write, and what they count together."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.kit.nginx import ROOT, directives, free_ports, wait_for_port

pytestmark = pytest.mark.whole
TOKEN = "eyJtIjoiTS04NDIxMyJ9.aBcDeFgHiJkLmNoPqRsTuVwXyZ0"
MAIL = "ann-the-canary@example.org"


class Machine:
    """Two processes of gunicorn and a worker, as the units start them."""

    def __init__(self, folder: Path) -> None:
        self.folder, (self.port,) = folder, free_ports(1)
        self.database, self.counts = folder / "pbem.db", folder / "counts"
        self.counts.mkdir()
        self.environ = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "PBEM_ENV": "production",
            "PBEM_BASE_URL": "https://play.example.org",
            "PBEM_DATABASE_URL": f"sqlite:///{self.database}",
            "PBEM_SECRET_KEYS": "k" * 40,
            "PBEM_SMTP_URL": "smtp://127.0.0.1:9",
            "PBEM_MAIL_FROM": "pbem@play.example.org",
            "PROMETHEUS_MULTIPROC_DIR": str(self.counts),
        }
        self.asked, self.answered = list[str](), 0

    @contextmanager
    def process(self, name: str, *command: str) -> Iterator[subprocess.Popen[bytes]]:
        with (self.folder / f"{name}.journal").open("ab") as journal:
            running = subprocess.Popen(
                [sys.executable, "-m", *command],
                cwd=ROOT,
                env=self.environ,
                stdout=journal,
                stderr=journal,
            )
            try:
                yield running
            finally:
                running.terminate()
                running.wait(30)

    def worker(self) -> Any:
        return self.process("worker", "pbem.cli", "worker")

    def ask(self, link: HTTPConnection, path: str, form: str = "") -> int:
        method = "POST" if form else "GET"
        kind = {"Content-Type": "application/x-www-form-urlencoded"} if form else {}
        link.request(method, path, form or None, {"Host": "play.example.org", **kind})
        answer = link.getresponse()
        answer.read()
        self.asked.append(path)
        return answer.status

    def ask_often(self, times: int) -> None:
        """Pages behind links, forms with addresses, and nonsense, over a few connections."""

        def ask_some(begin: int) -> int:
            with closing(HTTPConnection("127.0.0.1", self.port, timeout=30)) as link:
                asked = range(begin, min(times, begin + 50))
                return len([self.ask(link, *KINDS[number % len(KINDS)]) for number in asked])

        with ThreadPoolExecutor(4) as threads:
            self.answered += sum(threads.map(ask_some, range(0, times, 50)))

    def counted(self) -> dict[str, float]:
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=30)) as link:
            link.request("GET", "/metrics", headers={"Host": "play.example.org"})
            text = link.getresponse().read().decode()
        self.asked.append("/metrics")
        found = dict[str, float]()
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                key = sample.labels.get("work", "") if family.name == "pbem_jobs" else ""
                if sample.labels.get("pages") != "health" and "bucket" not in sample.name:
                    found[sample.name + key] = found.get(sample.name + key, 0) + sample.value
        return found

    def lines(self) -> list[dict[str, Any]]:
        text = "".join(path.read_text() for path in self.folder.glob("*.journal"))
        plain = ("working (stop with Ctrl-C)",)  # said to whoever started it
        return [json.loads(line) for line in text.splitlines() if line not in plain]

    def requests(self) -> list[dict[str, Any]]:
        """A line for each request; it is written after the answer, so it may have to come yet."""
        wait_until(lambda: len(self._told()) >= len(self.asked))
        return self._told()

    def _told(self) -> list[dict[str, Any]]:
        return [line for line in self.lines() if line["event"] == "request"]


KINDS: list[tuple[str, ...]] = [
    (f"/t/{TOKEN}",),
    (f"/o/{TOKEN}?word=abcde",),
    (f"/you/{TOKEN}/export",),
    (f"/api/v1/turn/{TOKEN}",),
    (f"/%74/{TOKEN}",),
    (f"//t/{TOKEN}",),
    (f"/t/{TOKEN}", "orders=pass"),
    ("/you", f"address={MAIL}&x=%00"),
    (f"/nowhere/{MAIL}",),
    (f"/{TOKEN}",),
    ("/static/mark.svg",),
]


def wait_until(is_so: Callable[[], bool]) -> None:
    patience = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < patience, "it never came"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    made = Machine(tmp_path_factory.mktemp("machine"))
    command = [sys.executable, "-m", "pbem.cli", "migrate"]
    subprocess.run(command, cwd=ROOT, env=made.environ, check=True, capture_output=True)
    (start,) = directives("pbem-web.service")["ExecStart"]
    options = [*shlex.split(start)[1:-1], "--access-logfile", "-", "wsgi:app"]
    gunicorn = ["gunicorn.app.wsgiapp", "--bind", f"127.0.0.1:{made.port}", *options]
    with ExitStack() as stack:
        stack.enter_context(made.process("web", *gunicorn))
        wait_for_port(made.port)
        wait_until(lambda: (made.folder / "web.journal").read_text().count("Booting worker") == 2)
        yield made


def serving(machine: Machine) -> list[int]:
    """The processes of gunicorn that answer."""
    booted = [line["event"] for line in machine.lines() if "Booting worker" in line["event"]]
    return [int(event.split()[-1]) for event in booted]


def test_all_processes_count_together_and_no_death_takes_anything_away(machine: Machine) -> None:
    machine.ask_often(1_000)
    before = machine.counted()
    assert before["pbem_requests_total"] == before["pbem_request_seconds_count"] == machine.answered

    writers = {int(path.stem.split("_")[1]) for path in machine.counts.glob("counter_*.db")}
    killed = (writers & set(serving(machine))).pop()
    assert len(writers) == 2
    assert len(machine.requests()) == len(machine.asked)
    os.kill(killed, signal.SIGKILL)
    wait_until(lambda: len(serving(machine)) == 3)
    machine.ask_often(200)
    assert machine.counted()["pbem_requests_total"] == machine.answered == 1_200


def test_workers_count_beside_them(machine: Machine) -> None:
    ticks = "pbem_jobs_totaltick"
    with machine.worker() as first:
        wait_until(lambda: machine.counted().get(ticks, 0) == 1)
        first.send_signal(signal.SIGKILL)
        first.wait(30)
    with machine.worker():
        wait_until(lambda: machine.counted()[ticks] == 2)
    assert machine.counted()["pbem_last_tick_seconds"] < 60


def test_the_journal_has_one_line_for_each_request_and_no_secret(machine: Machine) -> None:
    before = len(machine.requests())
    machine.ask_often(len(KINDS))
    with closing(sqlite3.connect(machine.database)) as tables:
        tables.execute("ALTER TABLE figure RENAME TO gone")
        tables.execute("ALTER TABLE player RENAME TO lost")
    with closing(HTTPConnection("127.0.0.1", machine.port, timeout=30)) as link:
        assert machine.ask(link, "/players/x") == 500
        assert machine.ask(link, "/readyz") == machine.ask(link, "/healthz") == 503
    asked = machine.requests()[before:]

    assert len(asked) == len(KINDS) + 3
    paths = {line["path"] for line in asked}
    assert {"/t/...", "/o/...", "/you/...", "/api/...", "/static/mark.svg", "/healthz"} <= paths
    assert {"method", "status", "ms", "bytes", "at", "process"} <= asked[0].keys()
    broken = [line for line in machine.lines() if line["level"] == "error"]
    assert broken[-1]["traceback"][-1] == "OperationalError"
    journal = "".join(path.read_text() for path in machine.folder.glob("*.journal"))
    for secret in (TOKEN, TOKEN[:20], TOKEN[-20:], MAIL, "abcde", "k" * 40):
        assert secret not in journal
