"""Who is talked to: the mail server, the ways in, the site; and no letter is sent."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from pbem.config import Config
from pbem.incoming.ways import lmtp
from pbem.services.operations.doctor import findings, servers
from pbem.services.operations.doctor.findings import Finding
from tests.kit.smtp_sink import SmtpSink, self_signed
from tests.pbem.incoming.ways.test_lmtp import Letterbox


def found(check: str, config: Config, tls: ssl.SSLContext | None = None) -> Finding:
    return next(one for one in findings.run(servers.checks(config, tls)) if one.check == check)


def a_free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def test_a_relay_that_answers_is_ok_and_gets_no_letter() -> None:
    with SmtpSink() as sink:
        relay = found("relay", Config(smtp_url=sink.url))
        assert relay == ("relay", "ok", "answers, on this machine")
        assert sink.connections == 1
        assert sink.received == sink.refused == []


def test_encryption_and_login_are_tried(tmp_path: Path) -> None:
    certificate = self_signed(tmp_path)
    if certificate is None:
        pytest.skip("needs openssl")
    tls = ssl.create_default_context(cafile=certificate)
    with SmtpSink(login=("pbem", "pass word"), certificate=certificate) as sink:
        relay = found("relay", Config(smtp_url=sink.url), tls)
        assert relay == ("relay", "ok", "answers, encrypted, and lets us in")
        wrong = found("relay", Config(smtp_url=sink.url.replace("pass%20word", "wrong")), tls)
        assert wrong.state == "todo"
        assert "PBEM_SMTP_URL" in wrong.words
        assert "wrong" not in wrong.words
        untrusted = found("relay", Config(smtp_url=sink.url))
        assert untrusted.state == "todo"


def test_a_relay_that_is_away_is_something_to_do() -> None:
    relay = found("relay", Config(smtp_url=f"smtp://127.0.0.1:{a_free_port()}"))
    assert relay.state == "todo"


def test_without_a_relay_letters_stay_on_this_machine() -> None:
    assert found("relay", Config()).state == "ok"


@pytest.mark.parametrize("way", ["socket", "port"])
def test_the_listener_answers_or_not(way: str, tmp_path: Path) -> None:
    where = str(tmp_path / "lmtp") if way == "socket" else f"127.0.0.1:{a_free_port()}"
    config = Config(lmtp_listen=where)
    assert found("lmtp", config).state == "todo"
    with lmtp.listening(where, Letterbox(), "play.example"):
        assert found("lmtp", config).state == "ok"


def test_ways_that_are_not_set_are_not_checked() -> None:
    assert found("lmtp", Config()).state == found("imap", Config()).state == "unknown"


def test_a_mailbox_that_is_away_is_said_without_its_password() -> None:
    imap = found("imap", Config(imap_url=f"imap://ann:secret@127.0.0.1:{a_free_port()}/"))
    assert imap.state == "todo"
    assert "secret" not in imap.words


def test_it_is_said_whose_word_counts_about_senders() -> None:
    assert found("senders", Config()).state == "unknown"
    listening = Config(lmtp_listen="127.0.0.1:9")
    assert "confirmed by a link" in found("senders", listening).words
    named = Config(lmtp_listen="127.0.0.1:9", authserv_id="mx.play.example")
    assert found("senders", named).words.startswith("mx.play.example says")


class Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/healthz" else 404)
        self.end_headers()

    def log_message(self, format: str, *values: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join(5)
    server.server_close()


def test_the_site_answers_or_not(site: str) -> None:
    assert found("site", Config(base_url=site)).state == "ok"
    assert found("site", Config(base_url=f"{site}/other")).words.endswith("start: pbem serve")
    assert found("site", Config(base_url=f"http://127.0.0.1:{a_free_port()}")).state == "todo"
