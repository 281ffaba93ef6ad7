"""A signed POST through gunicorn and Flask beside a Flask hello that makes a bare durable commit.

The yardstick is served by the same process: a bare Flask application whose only route answers
hello after a bare transaction that writes the rows of a move, which is the most that any server of
this kind could do in series.
"""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from flask import Flask
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from pbem.app import from_env
from tests.bench.measuring import Ratio, compare
from tests.bench.moves import KEYS, ORDER, bare_commits, waiting_matches

HOST = "bench.example"
POSTS, ROUNDS = 100, 13
"""In each stretch SQLite moves its log into the database twice or thrice, on either side alike."""


def posts() -> list[Ratio]:
    with tempfile.TemporaryDirectory() as folder:
        with waiting_matches(Path(folder) / "pbem.db", POSTS * ROUNDS + 1) as tokens:
            pass
        waiting = iter(tokens)
        with served(Path(folder), "tests.bench.posting:app()") as port:
            _hello(port, 1)
            _post(port, waiting, 1)
            return [
                compare(
                    "a signed POST through gunicorn and Flask: part of a hello with a bare commit",
                    lambda: _post(port, waiting, POSTS),
                    lambda: _hello(port, POSTS),
                    "at least 0.65",
                    ROUNDS,
                    lambda: _cpu(port),
                )
            ]


def app() -> DispatcherMiddleware:
    """What gunicorn serves: the real application, and the yardstick beside it."""
    folder = Path(os.environ["BENCH_FOLDER"])
    yardstick = _yardstick(bare_commits(folder / "pbem.db", folder))
    return DispatcherMiddleware(from_env(), {"/bench": yardstick})


def _yardstick(commit: Callable[[], None]) -> Flask:
    bare = Flask("yardstick")

    @bare.post("/hello")
    def hello() -> str:
        commit()
        return "hello"

    @bare.post("/cpu")
    def cpu() -> str:
        return repr(time.process_time())

    return bare


ONE_PROCESS = ("--no-control-socket", "--workers", "1", "--threads", "4", "--timeout", "120")


@contextmanager
def served(
    folder: Path, application: str, options: Sequence[str] = ONE_PROCESS, database: str = ""
) -> Iterator[int]:
    """The port at which gunicorn serves an application over the database in a folder."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "gunicorn", "--bind", f"127.0.0.1:{port}"]
    command += ["--log-level", "warning", *options, application]
    settings = _settings(folder, database or f"sqlite:///{folder / 'pbem.db'}")
    server = subprocess.Popen(command, env=os.environ | settings)
    try:
        _wait(port)
        yield port
    finally:
        server.terminate()
        server.wait(20)


def _settings(folder: Path, database: str) -> dict[str, str]:
    return {
        "BENCH_FOLDER": str(folder),
        "PBEM_ENV": "production",
        "PBEM_BASE_URL": f"https://{HOST}",
        "PBEM_DATABASE_URL": database,
        "PBEM_SECRET_KEYS": ",".join(KEYS),
        "PBEM_SMTP_URL": "smtp://127.0.0.1:25",
        "PBEM_MAIL_FROM": f"pbem@{HOST}",
    }


def _wait(port: int) -> None:
    for _ in range(300):
        try:
            asked(port, "GET", "/healthz")
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("gunicorn does not answer")


def _post(port: int, tokens: Iterator[str], count: int) -> int:
    body = urlencode({"do": "orders", "orders": ORDER, "sent": "0"})
    for _ in range(count):
        _send(port, f"/t/{next(tokens)}", body, 303)
    return count


def _hello(port: int, count: int) -> int:
    for _ in range(count):
        _send(port, "/bench/hello", "x=1", 200)
    return count


def _cpu(port: int) -> float:
    """The processor time that the server has used so far, in seconds."""
    return float(_send(port, "/bench/cpu", "x=1", 200))


def _send(port: int, path: str, body: str, status: int) -> bytes:
    answer = asked(port, "POST", path, body)
    assert answer.status == status, (answer.status, path)
    return answer.body


class Answer(NamedTuple):
    status: int
    location: str
    body: bytes


def asked(port: int, method: str, path: str, body: str = "") -> Answer:
    """What the server answers, as the proxy in front of it asks."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Host": HOST, "X-Forwarded-Proto": "https", "X-Forwarded-For": "127.0.0.1"}
    if method == "POST":
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    connection.request(method, path, body or None, headers)
    answer = connection.getresponse()
    found = Answer(answer.status, answer.getheader("Location", ""), answer.read())
    connection.close()
    return found
