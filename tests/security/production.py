"""The server as it is deployed, on loopback: nginx before gunicorn, a worker, a mail server.

Whoever attacks it has its pages, its letters and what it writes to the journal; nothing else.
"""

from __future__ import annotations

import os
import shlex
import signal
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from email.message import EmailMessage
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

import pytest

from pbem.db import store
from tests.e2e.reader import LINK, Form, Page
from tests.kit.nginx import NGINX, ROOT, Site, directives
from tests.kit.smtp_sink import SmtpSink, self_signed

BASE = "https://play.example.org"
KEYS = "5ecure" * 11
PATIENCE = 60
"""Seconds to wait for a letter."""
SOON = 8
"""Seconds: letters that are to leave later than that are not waited for."""
OWED = """
    SELECT (SELECT COUNT(*) FROM question), (SELECT COUNT(*) FROM outbox
    WHERE state IN ('queued', 'leased') AND next_at <= {0})
"""
"""What the worker has to do still: questions of strangers, letters."""


class Answer(NamedTuple):
    """What came back, and after how many seconds."""

    status: int
    headers: dict[str, list[str]]
    body: bytes
    seconds: float

    @property
    def text(self) -> str:
        return self.body.decode()


class Production:
    """A running server; `settings` are added to those of every such server.

    Without a database of its own it has one in its folder.
    """

    def __init__(
        self, folder: Path, sink: SmtpSink, settings: Mapping[str, str], database_url: str = ""
    ) -> None:
        certificate = self_signed(folder)
        if NGINX is None or certificate is None:
            pytest.skip("no nginx or no openssl on this machine")
        self.folder, self.sink = folder, sink
        self.site = Site(folder, certificate)
        self.database_url = database_url or f"sqlite:///{folder / 'pbem.db'}"
        self.environ = os.environ | {
            "PBEM_ENV": "production",
            "PBEM_BASE_URL": BASE,
            "PBEM_DATABASE_URL": self.database_url,
            "PBEM_SECRET_KEYS": KEYS,
            "PBEM_SMTP_URL": sink.url,
            "PBEM_MAIL_FROM": "pbem@play.example.org",
            **settings,
        }
        self._visitors = 1

    @contextmanager
    def running(self) -> Iterator[Production]:
        self.site.write()
        self.command("migrate")
        (start,) = directives("pbem-web.service")["ExecStart"]
        options = shlex.split(start)[1:]
        python = [sys.executable, "-m"]
        with ExitStack() as stack:
            door = f"unix:{self.folder / 'web.sock'}"
            stack.enter_context(
                self._process([*python, "gunicorn.app.wsgiapp", "--bind", door, *options], "web")
            )
            stack.enter_context(self._process([*python, "tests.kit.quick_worker"], "worker"))
            stack.enter_context(self.site.in_front())
            self.wait_until_up()
            yield self

    @contextmanager
    def _process(self, command: list[str], name: str) -> Iterator[None]:
        with (self.folder / f"{name}.journal").open("wb") as journal:
            process = subprocess.Popen(
                command, cwd=ROOT, env=self.environ, stdout=journal, stderr=subprocess.STDOUT
            )
            try:
                yield
            finally:
                process.send_signal(signal.SIGTERM)
                process.wait(40)

    def wait_until_up(self) -> None:
        patience = time.monotonic() + PATIENCE
        while self.ask("GET", "/healthz").status != 200:
            assert time.monotonic() < patience, self.journal()
            time.sleep(0.1)

    def command(self, *words: str) -> str:
        """What `pbem` prints when an operator runs it beside the server."""
        done = subprocess.run(
            [sys.executable, "-m", "pbem.cli", *words],
            cwd=ROOT,
            env=self.environ,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def journal(self) -> str:
        """Everything the processes and nginx have written down."""
        files = [*self.folder.glob("*.journal"), *self.folder.glob("*.log")]
        return "".join(file.read_text(errors="replace") for file in files)

    def memory(self) -> int:
        """Bytes in memory of everything whose ancestor is this test."""
        listed = subprocess.run(
            ["ps", "-eo", "pid=,ppid=,rss="], capture_output=True, text=True, check=True
        ).stdout
        rows = [tuple(map(int, line.split())) for line in listed.splitlines()]
        ours, size = {os.getpid()}, 0
        for _ in range(6):
            ours |= {pid for pid, parent, _ in rows if parent in ours}
        for pid, _, kilobytes in rows:
            size += kilobytes * 1024 if pid in ours - {os.getpid()} else 0
        return size

    # --- as a client ------------------------------------------------------------------------------

    def visitor(self) -> Visitor:
        """Somebody at an address of their own, as far as the server can tell."""
        self._visitors += 1
        return Visitor(self, f"127.0.{self._visitors // 250}.{self._visitors % 250 + 2}")

    def ask(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
        source: str = "127.0.0.1",
    ) -> Answer:
        context = ssl.create_default_context(cafile=str(self.site.certificate))
        link = HTTPSConnection(
            "127.0.0.1",
            self.site.https,
            timeout=PATIENCE,
            context=context,
            source_address=(source, 0),
        )
        began = time.monotonic()
        try:
            link.request(
                method, path, body or None, {"Host": "play.example.org", **(headers or {})}
            )
            answer = link.getresponse()
            said = answer.read()
        finally:
            link.close()
        found: dict[str, list[str]] = {}
        for name, value in answer.getheaders():
            found.setdefault(name.lower(), []).append(value)
        return Answer(answer.status, found, said, time.monotonic() - began)

    # --- as a mailbox -----------------------------------------------------------------------------

    def letters(self, mail: str, kind: str = "") -> list[EmailMessage]:
        """Those that came to an address, oldest first."""
        came = [letter.message for letter in self.sink.received if letter.recipients == [mail]]
        return [message for message in came if kind in ("", message["X-PBEM-Kind"])]

    def letter(self, mail: str, kind: str, number: int = 1) -> EmailMessage:
        """The letter of a kind, as soon as so many are there."""
        patience = time.monotonic() + PATIENCE
        while len(found := self.letters(mail, kind)) < number:
            assert time.monotonic() < patience, f"no {kind} letter to {mail}\n{self.journal()}"
            time.sleep(0.1)
        return found[number - 1]

    def wait_for_all_letters(self) -> None:
        """Until nobody is owed one any more."""
        patience = time.monotonic() + PATIENCE
        tables: Any = store.of_url(self.database_url)
        asked = OWED.format(tables.param)
        with tables.connection_context():
            while any(owed := tables.execute_sql(asked, [int(time.time()) + SOON]).fetchone()):
                assert time.monotonic() < patience, f"{owed} are owed\n{self.journal()}"
                time.sleep(0.1)


class Visitor:
    """A browser without script, at one address of the network."""

    def __init__(self, server: Production, source: str) -> None:
        self.server, self.source = server, source

    def ask(self, method: str, url: str, body: bytes = b"", **headers: str) -> Answer:
        parts = urlsplit(url)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        return self.server.ask(method, path, body, headers, self.source)

    def get(self, url: str) -> Answer:
        """A page, after the redirects that lead to it."""
        answer = self.ask("GET", url)
        while answer.status in (302, 303):
            answer = self.ask("GET", answer.headers["location"][0])
        return answer

    def page(self, url: str) -> Page:
        answer = self.get(url)
        assert answer.status == 200, f"{answer.status} for {url}\n{answer.text}"
        return Page(url, answer.text)

    def post(self, url: str, fields: Mapping[str, str] | list[tuple[str, str]]) -> Answer:
        answer = self.ask(
            "POST",
            url,
            urlencode(fields).encode(),
            **{
                "Content-Type": "application/x-www-form-urlencoded",
                "Sec-Fetch-Site": "same-origin",
            },
        )
        return self.get(answer.headers["location"][0]) if answer.status == 303 else answer

    def press(self, form: Form, button: tuple[str, str] = ("", ""), **filled: str) -> Answer:
        """Send a form by one of its buttons, with fields filled in."""
        values = [(key, filled.pop(key, value)) for key, value in form.fields]
        values += list(filled.items())
        return self.post(form.action, [*values, button] if button[0] else values)

    def press_only(self, url: str, button: tuple[str, str] = ("", ""), **filled: str) -> Answer:
        """Press the button of the page behind a link."""
        forms = [form for form in self.page(url).forms if form.method == "post"]
        assert forms, f"nothing to press at {url}"
        return self.press(forms[0], button, **filled)


def links_of(message: EmailMessage) -> list[str]:
    """Every address that stands in a letter, headers included."""
    text = message.get_body(("plain",))
    assert text is not None
    in_headers = [word.strip("<>, ") for word in str(message.get("List-Unsubscribe", "")).split()]
    return [
        *LINK.findall(text.get_content().replace("\r\n", "\n")),
        *(word for word in in_headers if word.startswith("https://")),
    ]


def link_of(message: EmailMessage, path: str) -> str:
    """The first address in a letter that leads to pages of one kind."""
    found = [url for url in links_of(message) if urlsplit(url).path.startswith(path)]
    assert found, f"no {path} in this letter:\n{message}"
    return found[0]


class Seats(NamedTuple):
    """Two people in one running match."""

    match: str
    ann: str
    bob: str


def sit_down(server: Production, name: str) -> Seats:
    """A match of two people who have never been here, by form and letters alone."""
    ann, bob = f"ann-{name}@example.org", f"bob-{name}@example.org"
    visitor = server.visitor()
    form = next(form for form in visitor.page(f"{BASE}/start").forms if "/start" in form.action)
    answer = visitor.press(form, address=ann, opponent=bob, name=f"Ann {name}")
    assert answer.status == 200, answer.text
    visitor.press_only(link_of(server.letter(ann, "confirm"), "/confirm/"))
    invitation = server.letter(bob, "invitation")
    server.visitor().press_only(link_of(invitation, "/join/"), ("do", "accept"))
    started = server.letter(ann, "started")
    server.letter(bob, "turn")
    return Seats(str(started["X-PBEM-Match"]), ann, bob)


def whose_turn(server: Production, seats: Seats) -> tuple[str, EmailMessage]:
    """The address that was asked last, and the letter that asks."""
    patience = time.monotonic() + PATIENCE
    while not (asked := [m for m in (seats.ann, seats.bob) if server.letters(m, "turn")]):
        assert time.monotonic() < patience, server.journal()
        time.sleep(0.1)
    return asked[0], server.letters(asked[0], "turn")[-1]
