"""Altered links and requests that mean nothing: none is taken, none breaks the server."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from random import Random
from urllib.parse import quote, urlencode

import pytest

from pbem.links import PATHS
from tests.kit.nginx import ROOT, free_ports, wait_for_port
from tests.kit.smtp_sink import SmtpSink
from tests.pbem.table import HOSTILE, tampered
from tests.security.production import (
    BASE,
    KEYS,
    Production,
    Seats,
    link_of,
    links_of,
    whose_turn,
)

pytestmark = pytest.mark.whole

SEED = 20261118
TOKENS = pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
REQUESTS = pytest.mark.parametrize("count", [500, pytest.param(5_000, marks=pytest.mark.slow)])
"""The gate takes a part of the long run; `make faults` takes all of it."""
PATHS_TRIED = (
    *(f"{path}x" for path in PATHS.values()),
    *("/", "/start", "/you", "/open/x", "/verify", "/match/x", "/match/x/download"),
    *("/match/x/step/1", "/match/x/feed.atom", "/rules/iron_curtain", "/rules/x", "/healthz"),
    *("/match/x/replay", "/match/x/turn", "/watch/x.svg"),
    *("/api/v1/turn/x", "/api/v1/match/x", "/api/v1/openapi.json", "/admin/", "/admin/login"),
    *("/admin/login/passkey", "/admin/login/challenge", "/admin/matches", "/admin/step-up"),
    *("/static/x", "/static/../wsgi.py", "/dev/mailbox", "/dev/mailbox/x", "/metrics"),
)
METHODS = ("GET", "POST", "POST", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE")
FIELDS = (
    *("address", "opponent", "name", "game", "pace", "option_edition", "phrase", "deck", "do"),
    *("orders", "order", "seat", "zone", "language", "message", "word", "number", "reason"),
)
JSON_BODIES = (
    b"{}",
    b"[]",
    b"null",
    b'{"orders": 1}',
    b'{"orders": [1]}',
    b'{"orders": ["' + b"x" * 5_000 + b'"]}',
    b'{"orders": ["\\ud800"]}',
    b'{"orders": [], "sent": ' + b"9" * 5_000 + b"}",
    b'{"orders": ["a"], "sent": -1}',
    b'{"orders": ["a"], "sent": 1e400}',
    b"[" * 30_000,
    b'{"id": "' + b"A" * 30_000 + b'"}',
    b"\xff\xfe",
    b'{"a": 1, "a": 2}',
)
ODD_HEADERS = {
    "Accept-Language": ["", "xx", "de;q=9", "de;q=x" * 50, "\xff"],
    "Cookie": ["", "a", "pbem=x; __Host-pbem-admin=\x7f", "__Host-pbem-admin=" + "a" * 3_000],
    "Content-Type": ["", "application/json", "multipart/form-data", "text/plain; charset=x", "x/y"],
    "Origin": ["null", "http://evil.test", "\xff"],
    "Range": ["bytes=0-0", "bytes=9-1"],
    "If-None-Match": ["*", '"x"'],
    "If-Modified-Since": ["x", "Sun, 99 Nov 9999 99:99:99 GMT"],
    "X-Forwarded-For": ["", "x", "1.2.3.4, ::1, %", "127.0.0.1"],
    "Idempotency-Key": ["", "x" * 300, "\xff"],
}

Ask = Callable[[str, str, bytes, dict[str, str]], int]


@TOKENS
def test_no_altered_link_is_taken(server: Production, seats: Seats, count: int) -> None:
    """Every kind of link of a running match, through gunicorn: 404 each time, nothing played."""
    _, asked = whose_turn(server, seats)
    letters = [*server.letters(seats.ann), *server.letters(seats.bob)]
    links = sorted(
        {
            url.removeprefix(BASE)
            for letter in letters
            for url in links_of(letter)
            if url.removeprefix(BASE).startswith(tuple(PATHS.values())) and "?" not in url
        }
    )
    assert len(links) > 8
    before = server.visitor().get(link_of(asked, "/t/")).text
    random = Random(SEED)
    with asking(server.folder / "web.sock") as ask:
        for _ in range(count):
            path = random.choice(links)
            head, _, token = path.rpartition("/")
            altered = tampered(token, random.randrange)
            method = random.choice(("GET", "POST"))
            status = ask(method, f"{head}/{quote(altered)}", b"", {})
            assert status in (404, 405, 308), f"{status} for {method} of an altered {head}"

    assert server.visitor().get(link_of(asked, "/t/")).text == before


def fuzz(ask: Ask, seed: int, count: int) -> dict[int, int]:
    """Requests at random; how many were answered with which status."""
    random, answers = Random(seed), dict[int, int]()
    for _ in range(count):
        method, path, body, headers = a_request(random)
        status = ask(method, path, body, headers)
        assert status < 500 or status in (501, 503), (
            f"{status} for {method} {path!r} {body[:200]!r} {headers!r}"
        )
        answers[status] = answers.get(status, 0) + 1
    return answers


def a_request(random: Random) -> tuple[str, str, bytes, dict[str, str]]:
    path = random.choice(PATHS_TRIED)
    if random.random() < 0.3:
        path += "?" + urlencode({random.choice(FIELDS): hostile(random)}, errors="replace")
    if random.random() < 0.1:
        path += quote(hostile(random)[:200], errors="replace")
    headers = {
        name: random.choice(values)
        for name, values in ODD_HEADERS.items()
        if random.random() < 0.15
    }
    method = random.choice(METHODS)
    if method in ("GET", "HEAD", "OPTIONS", "TRACE"):
        return method, path, b"", headers
    if random.random() < 0.4:
        headers["Content-Type"] = "application/json"
        return method, path, random.choice(JSON_BODIES), headers
    fields = [(field, hostile(random)) for field in FIELDS if random.random() < 0.3]
    headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
    return method, path, urlencode(fields, errors="surrogatepass").encode(), headers


def hostile(random: Random) -> str:
    return random.choice([*HOSTILE.values(), "iron_curtain", "a@example.org", "accept", "1"])


@contextmanager
def asking(door: Path | int) -> Iterator[Ask]:
    """A connection to gunicorn's socket or to a port, opened anew when it was closed."""
    link = _Link(door)

    def ask(method: str, path: str, body: bytes, headers: dict[str, str]) -> int:
        for attempt in (1, 2):
            try:
                link.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
                link.putheader("Host", "play.example.org")
                for name, value in headers.items():
                    link.putheader(name, value.encode("latin-1"))
                if body or method in ("POST", "PUT", "PATCH"):
                    link.putheader("Content-Length", str(len(body)))
                link.endheaders(body or None)
                answer = link.getresponse()
                answer.read()
                return answer.status
            except (HTTPException, OSError):
                link.close()
                if attempt == 2:
                    raise
        raise AssertionError

    try:
        yield ask
    finally:
        link.close()


class _Link(HTTPConnection):
    def __init__(self, door: Path | int) -> None:
        super().__init__("127.0.0.1", door if isinstance(door, int) else 0, timeout=60)
        self.door = door

    def connect(self) -> None:
        if isinstance(self.door, int):
            super().connect()
        else:
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.settimeout(60)
            self.sock.connect(str(self.door))


@REQUESTS
def test_requests_that_mean_nothing_break_nothing_in_production(
    server: Production, count: int
) -> None:
    with asking(server.folder / "web.sock") as ask:
        answers = fuzz(ask, SEED, count)

    assert len(answers) > 4
    assert server.ask("GET", "/healthz").status == 200


@REQUESTS
def test_requests_that_mean_nothing_break_nothing_in_development(
    tmp_path: Path, count: int
) -> None:
    with SmtpSink() as sink, developing(tmp_path, sink) as port, asking(port) as ask:
        answers = fuzz(ask, SEED + 1, count)

    assert len(answers) > 4


@contextmanager
def developing(folder: Path, sink: SmtpSink) -> Iterator[int]:
    """`pbem serve` under the settings of development."""
    (port,) = free_ports(1)
    environ = os.environ | {
        "PBEM_DATABASE_URL": f"sqlite:///{folder / 'pbem.db'}",
        "PBEM_BASE_URL": f"http://127.0.0.1:{port}",
        "PBEM_SECRET_KEYS": KEYS,
        "PBEM_SMTP_URL": sink.url,
    }
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "pbem.cli", "serve", "--port", str(port)],
            cwd=ROOT,
            env=environ,
            stdout=log,
            stderr=log,
        )
        try:
            wait_for_port(port)
            yield port
        finally:
            process.terminate()
            process.wait(30)
