"""Whole matches played with nothing but letters and the pages they link to.

A real server process, a real worker process, a real SMTP server; the database is never touched.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from tests.e2e.reader import Form, Page, get, links_in, press
from tests.kit.smtp_sink import Letter, SmtpSink

pytestmark = pytest.mark.whole

MATCHES = pytest.mark.parametrize("count", [6, pytest.param(20, marks=pytest.mark.slow)])
"""At once; the editions take turns."""
PATIENCE = 420
"""Seconds for all matches together."""
VERIFY_ALL = """
import sys
from pbem.cli import pbem
for file in sys.argv[1:]:
    try:
        pbem(["verify", file])
    except SystemExit as end:
        if end.code:
            raise
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def served(folder: Path, smtp_url: str, database_url: str = "") -> Iterator[str]:
    """The server and its worker as two processes; the address of the first page."""
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    environ = os.environ | {
        "PBEM_DATABASE_URL": database_url or f"sqlite:///{folder / 'pbem.db'}",
        "PBEM_BASE_URL": base,
        "PBEM_SECRET_KEYS": "e2e" * 20,
        "PBEM_SMTP_URL": smtp_url,
    }
    pbem = [sys.executable, "-m", "pbem.cli"]
    subprocess.run([*pbem, "migrate"], env=environ, check=True, capture_output=True)
    log = (folder / "log").open("w")
    running = [
        subprocess.Popen(
            [*pbem, "serve", "--port", str(port)], env=environ, stderr=log, stdout=log
        ),
        subprocess.Popen(
            [sys.executable, "-m", "tests.kit.quick_worker"], env=environ, stderr=log, stdout=log
        ),
    ]
    try:
        wait_until_up(base)
        yield base
    finally:
        for process in running:
            process.terminate()
        codes = [process.wait(20) for process in running]
        log.close()
    assert codes == [0, 0], (folder / "log").read_text()


def wait_until_up(base: str) -> None:
    for _ in range(150):
        try:
            with urllib.request.urlopen(f"{base}/healthz", timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.2)
    raise AssertionError("the server does not answer")


class Correspondents:
    """Everybody at once: each letter is read when it comes and answered at random."""

    def __init__(self, base: str, sink: SmtpSink) -> None:
        self.base, self.sink, self.random = base, sink, Random(7)
        self.read = 0
        self.finished: dict[str, list[str]] = {}

    def start(self, number: int) -> None:
        """Fill in the form of a new match."""
        form = next(f for f in get(f"{self.base}/start").forms if "/start" in f.action)
        press(
            form,
            address=f"ann{number}@example.org",
            opponent=f"bob{number}@example.org",
            name=f"Ann {number}",
            option_edition=("en", "de", "fr")[number % 3],
            phrase=f"phrase {number}",
        )

    def answer_all(self) -> None:
        """Answer every letter that has come since the last look."""
        while self.read < len(self.sink.received):
            letter = self.sink.received[self.read]
            self.read += 1
            self.answer(letter)

    def answer(self, letter: Letter) -> None:
        message = letter.message
        text = message.get_body(("plain",))
        assert text is not None
        words = text.get_content().replace("\r\n", "\n")
        assert all(len(line) <= 72 for line in words.splitlines() if "://" not in line)
        kind = message["X-PBEM-Kind"]
        if kind == "confirm":
            self.agree(links_in(words, "/confirm/")[0])
        elif kind == "invitation":
            self.agree(links_in(words, "/join/")[0], "accept")
        elif kind == "turn":
            self.play(words)
        elif kind == "finished":
            self.finished.setdefault(message["X-PBEM-Match"], []).append(message["X-PBEM-Seat"])

    def agree(self, url: str, word: str = "") -> None:
        page = get(url)
        form = next(f for f in page.forms if f.method == "post")
        press(form, ("do", word) if word else ("", ""))

    def play(self, words: str) -> None:
        """By the link of one order, or on the turn page; then whatever else is asked."""
        (turn,) = [url for url in links_in(words, "/t/") if "?" not in url]
        orders = links_in(words, "/o/")
        if orders and self.random.random() < 0.6:
            page = get(self.random.choice(orders))
            form = next((f for f in page.forms if f.method == "post"), None)
            if form is not None:
                press(form)
        page = get(turn)
        for _ in range(200):
            if not any(form.id == "orders" for form in page.forms):
                return
            page = self.one_step(page, turn)
        raise AssertionError("the turn page asks for ever")

    def one_step(self, page: Page, turn: str) -> Page:
        """One random press: a choice, a word of one, or sending what is ready."""
        ready = [form for form in page.forms if form.value("do") == "submit"]
        if ready:
            press(ready[0])
            return get(turn)
        leaves: list[tuple[Form, tuple[str, str]]] = [
            (form, button)
            for form in page.forms
            if form.value("do") == "add"
            for button in form.buttons
        ]
        branches = [url for url in page.links if url.startswith(f"{turn}?prefix=")]
        at = self.random.randrange(len(leaves) + len(branches))
        if at < len(leaves):
            return press(*leaves[at])
        return get(branches[at - len(leaves)])


@MATCHES
@pytest.mark.timeout(PATIENCE + 60)
def test_matches_are_played_from_the_inbox_alone(
    tmp_path: Path, store_url: str, count: int
) -> None:
    with SmtpSink() as sink, served(tmp_path, sink.url, store_url) as base:
        people = Correspondents(base, sink)
        for number in range(count):
            people.start(number)
        end = time.monotonic() + PATIENCE
        while sum(len(seats) == 2 for seats in people.finished.values()) < count:
            assert time.monotonic() < end, f"{len(people.finished)} of {count} matches are over"
            people.answer_all()
            time.sleep(0.05)
        assert len(people.finished) == count
        verify([download(base, match, tmp_path) for match in people.finished])
        each_letter_once(sink)


def download(base: str, match: str, folder: Path) -> Path:
    """Download the finished match and check it with the program the site offers."""
    file, program = folder / f"{match}.json", folder / "verify_match.py"
    for url, path in (
        (f"{base}/match/{match}/download", file),
        (f"{base}/static/verify_match.py", program),
    ):
        with urllib.request.urlopen(url, timeout=30) as answer:
            path.write_bytes(answer.read())
    assert json.loads(file.read_bytes())["result"]
    done = subprocess.run([sys.executable, "-I", program, file], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return file


def verify(files: list[Path]) -> None:
    """Check downloads with `pbem verify`: one as people do, all in a process that starts once."""
    program = [sys.executable, "-m", "pbem.cli", "verify", str(files[0])]
    assert subprocess.run(program, capture_output=True).returncode == 0
    command = [sys.executable, "-c", VERIFY_ALL, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(done.stdout.strip().splitlines()) >= len(files)


def each_letter_once(sink: SmtpSink) -> None:
    ids = [letter.message["Message-ID"] for letter in sink.received]
    assert len(ids) == len(set(ids))
    assert all(len(letter.recipients) == 1 for letter in sink.received)
