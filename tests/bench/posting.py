"""A signed POST through gunicorn and Flask beside a hello that makes a bare durable commit.

The yardstick is served by the same process: one route answers hello after a bare transaction that
writes the rows of a move, which is the most that any server of this kind could do in series.
"""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

from flask import Flask

from pbem import store
from pbem.app import create_app
from pbem.config import PRODUCTION, Config
from pbem.links import Links, TurnLink
from pbem.services.records import get_match
from tests.bench.measuring import Ratio, compare
from tests.bench.moves import KEYS, bare_commits, rows_of_one_move
from tests.services.people import NOW, sit_down, turn_of

HOST = "bench.example"
POSTS, ROUNDS = 60, 7


def posts() -> list[Ratio]:
    with tempfile.TemporaryDirectory() as folder:
        tokens = _tables(Path(folder) / "pbem.db")
        with _served(Path(folder)) as port:
            ratio = compare(
                "a signed POST through gunicorn and Flask: part of a hello with a bare commit",
                _post(port, tokens),
                _hello(port),
                "at least 0.65",
                ROUNDS,
            )
    return [ratio._replace(cpu=float("nan"))]


def _tables(path: Path) -> list[str]:
    """Matches that wait for their first decision, and the tokens of their turns."""
    links, tokens = Links(KEYS, f"https://{HOST}"), []
    store.open_database(f"sqlite:///{path}")
    with store.connected():
        store.migrate()
        for _ in range(POSTS * (ROUNDS + 1)):
            match = sit_down(NOW).match
            link = TurnLink(match, 1, turn_of(match).id, get_match(match).seat(1).epoch)
            tokens.append(links.sign("turn", link))
    return tokens


def app() -> Flask:
    """What gunicorn serves: the real application, and the yardstick beside it."""
    folder = Path(os.environ["BENCH_FOLDER"])
    url = f"sqlite:///{folder / 'pbem.db'}"
    served = create_app(
        Config(
            env=PRODUCTION,
            base_url=f"https://{HOST}",
            database_url=url,
            secret_keys=KEYS,
            smtp_url="smtp://127.0.0.1:25",
        )
    )
    with store.connected():
        written = rows_of_one_move()
    commit = bare_commits(folder / "bare.db", folder / "pbem.db", written, 1)

    @served.post("/bench/hello")
    def hello() -> str:
        commit()
        return "hello"

    return served


@contextmanager
def _served(folder: Path) -> Iterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "gunicorn", "--no-control-socket", "--workers", "1"]
    command += [
        "--bind",
        f"127.0.0.1:{port}",
        "--log-level",
        "warning",
        "tests.bench.posting:app()",
    ]
    server = subprocess.Popen(command, env=os.environ | {"BENCH_FOLDER": str(folder)})
    try:
        _wait(port)
        yield port
    finally:
        server.terminate()
        server.wait(20)


def _wait(port: int) -> None:
    for _ in range(200):
        try:
            _send(port, "/bench/hello", "")
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("gunicorn does not answer")


def _post(port: int, tokens: list[str]) -> Callable[[], int]:
    body = urlencode({"do": "orders", "orders": "first usa", "sent": "0"})

    def play() -> int:
        for _ in range(POSTS):
            status = _send(port, f"/t/{tokens.pop()}", body)
            assert status == 303, status
        return POSTS

    return play


def _hello(port: int) -> Callable[[], int]:
    def greet() -> int:
        for _ in range(POSTS):
            status = _send(port, "/bench/hello", "x=1")
            assert status == 200, status
        return POSTS

    return greet


def _send(port: int, path: str, body: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    headers = {"Host": HOST, "Content-Type": "application/x-www-form-urlencoded"}
    headers |= {"X-Forwarded-Proto": "https", "X-Forwarded-For": "127.0.0.1"}
    connection.request("POST", path, body, headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status
