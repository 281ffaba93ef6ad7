"""Settings that would send letters in clear, headers, and what the journal holds."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.nginx import ROOT
from tests.security.production import BASE, Production, Seats, link_of, whose_turn

pytestmark = pytest.mark.whole

CLEAR = [
    "smtp://user:letmein@mail.example.org:587",
    "smtp://user:letmein@mail.example.org:587?tls=starttl",
]
"""For the programs; test_config.py knows many more."""
OTHERWISE_CLEAR = [
    "smtp://user:letmein@mail.example.org:587?tls=STARTTLS",
    "smtp://user:letmein@mail.example.org:587?starttls=1",
    "smtp://user:letmein@mail.example.org:587?tls=",
    "smtp://user:letmein@mail.example.org:587?tls=none",
    "smtp://user:letmein@mail.example.org:587?tls=starttls&tls=none",
    "smtp://127.0.0.1.example.org:25",
]


@pytest.mark.parametrize(
    "url", [*CLEAR, *(pytest.param(url, marks=pytest.mark.slow) for url in OTHERWISE_CLEAR)]
)
@pytest.mark.parametrize("program", ["worker", "web"])
def test_a_mail_server_without_tls_refuses_the_start(
    url: str, program: str, tmp_path: Path
) -> None:
    environ = os.environ | {
        "PBEM_ENV": "production",
        "PBEM_BASE_URL": BASE,
        "PBEM_DATABASE_URL": f"sqlite:///{tmp_path / 'pbem.db'}",
        "PBEM_SECRET_KEYS": "k" * 64,
        "PBEM_SMTP_URL": url,
        "PBEM_MAIL_FROM": "pbem@play.example.org",
    }
    command = {"worker": ["-m", "pbem.cli", "worker"], "web": ["-c", "import wsgi"]}[program]
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.returncode != 0
    assert "PBEM_SMTP_URL" in done.stderr
    assert "tables" not in done.stderr
    assert "letmein" not in done.stdout + done.stderr


def test_hsts_is_said_once(server: Production) -> None:
    for path in ("/", "/static/pbem.css", "/nowhere", "/t/x"):
        answer = server.ask("GET", path)
        assert len(answer.headers["strict-transport-security"]) == 1, path


RAW = [
    b"GET %s\xff HTTP/1.1\r\nHost: play.example.org\r\n\r\n",
    b"GET %s HTTP/9.9\r\nHost: play.example.org\r\n\r\n",
    b"GET %s HTTP/1.1\r\nHost: play.example.org\r\nX Y: 1\r\n\r\n",
    b"GET %s HTTP/1.1\r\nHost: play.example.org\r\nX: \x00\r\n\r\n",
    b"GET %s HTTP/1.1 more\r\nHost: play.example.org\r\n\r\n",
    b"G\x80T %s HTTP/1.1\r\nHost: play.example.org\r\n\r\n",
    b"g(t %s HTTP/1.1\r\nHost: play.example.org\r\n\r\n",
    b"GET %s" + b"x" * 5_000 + b" HTTP/1.1\r\nHost: play.example.org\r\n\r\n",
    b"POST %s HTTP/1.1\r\nHost: play.example.org\r\nContent-Length: 1e3\r\n\r\n",
    b"POST %s HTTP/1.1\r\nHost: play.example.org\r\nContent-Length: 3\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n%s",
    b"POST %s HTTP/1.1\r\nHost: play.example.org\r\nTransfer-Encoding: chunked\r\n\r\nzz%s\r\n",
    b"GET %s\r\nHost: play.example.org\r\n\r\n",
    b"%s\r\n\r\n",
]
"""Requests that no browser sends; gunicorn complains about most of them."""


def test_no_token_comes_into_the_journal_whatever_the_request_is(
    server: Production, seats: Seats
) -> None:
    _, asked = whose_turn(server, seats)
    path = link_of(asked, "/t/").removeprefix(BASE)
    token = path.removeprefix("/t/")
    server.visitor().get(path)
    for raw in RAW:
        talk(server.folder / "web.sock", raw.replace(b"%s", path.encode()))

    assert token not in server.journal()
    assert token.partition(".")[2] not in server.journal()


def talk(door: Path, raw: bytes) -> bytes:
    """Say something to gunicorn itself, as a careless proxy would."""
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(10)
        link.connect(str(door))
        link.sendall(raw)
        link.shutdown(socket.SHUT_WR)
        try:
            return link.recv(4096)
        except ConnectionError:
            return b""


def test_a_backup_alone_opens_nothing(server: Production, seats: Seats, tmp_path: Path) -> None:
    who, _ = whose_turn(server, seats)
    tokens = [
        part
        for letter in [*server.letters(seats.ann), *server.letters(seats.bob)]
        for url in private_in(str(letter.get_body(("plain",))))
        for part in [url.rpartition("/")[2].partition(".")[2]]
    ]
    file = tmp_path / "backup.db"
    server.command("backup", str(file))
    kept = file.read_bytes()
    if server.database_url.startswith("postgres"):  # which is packed
        kept = subprocess.run(["pg_restore", "--file=-", file], capture_output=True).stdout

    assert len(tokens) > 4
    assert who.encode() not in kept
    assert [token for token in tokens if token.encode() in kept] == []


def private_in(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(f"{BASE}/") and "." in line[30:]]
