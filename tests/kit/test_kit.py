"""The kit itself: a PostgreSQL that comes and goes, a mail server that obeys."""

from __future__ import annotations

import os
import smtplib
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import psycopg
import pytest
from jinja2 import DictLoader, Environment
from playhouse.db_url import connect
from werkzeug.routing import BaseConverter, Map, Rule

from tests.kit import postgres
from tests.kit.postgres import PostgresServer
from tests.kit.quick_apps import KeptTemplates, install
from tests.kit.smtp_sink import Act, Cut, SmtpSink, self_signed

pytestmark = pytest.mark.whole

ROOT = Path(__file__).parents[2]


# --- what apps share ------------------------------------------------------------------------------


def test_a_template_that_has_changed_is_compiled_anew() -> None:
    kept = KeptTemplates()
    said = [
        Environment(loader=DictLoader({"x": text}), bytecode_cache=kept).get_template("x").render()
        for text in ("one", "two", "one")
    ]

    assert said == ["one", "two", "one"]


def test_apps_that_share_routes_build_their_own_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    def address(letters: Callable[[str], str]) -> str:
        class Letters(BaseConverter):
            def to_url(self, value: Any) -> str:
                return letters(value)

        rules = Map([Rule("/<x:word>/", endpoint="page")], converters={"x": Letters})
        return rules.bind("play.test").build("page", {"word": "Ann", "more": 1})

    install(monkeypatch)
    assert [address(str.upper), address(str.lower)] == ["/ANN/?more=1", "/ann/?more=1"]


# --- PostgreSQL -----------------------------------------------------------------------------------


@pytest.mark.postgres
def test_a_database_takes_what_is_written(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as link:
        link.execute("CREATE TABLE letter (words text)")
        link.execute("INSERT INTO letter VALUES ('Grüße')")
        assert link.execute("SELECT words FROM letter").fetchall() == [("Grüße",)]


@pytest.mark.postgres
@pytest.mark.parametrize("time_", ["first", "second"])
def test_every_test_has_an_empty_database(postgres_url: str, time_: str) -> None:
    with psycopg.connect(postgres_url) as link:
        link.execute("CREATE TABLE only_once (words text)")


@pytest.mark.postgres
def test_peewee_takes_the_same_address(postgres_url: str) -> None:
    database = connect(postgres_url, unquote_user=True, unquote_password=True, prefer_psycopg3=True)
    with database.connection_context():
        assert isinstance(database.connection(), psycopg.Connection)
        (answer,) = database.execute_sql("SHOW synchronous_commit").fetchone()
    assert answer == "on"


@pytest.mark.postgres
def test_a_connection_left_open_does_not_keep_a_database(postgres_server: PostgresServer) -> None:
    url = postgres_server.create_database()
    with psycopg.connect(url) as forgotten:
        postgres_server.drop_database(url)
        with pytest.raises(psycopg.OperationalError):
            forgotten.execute("SELECT 1")
    with pytest.raises(psycopg.OperationalError, match="does not exist"):
        psycopg.connect(url)


@pytest.mark.postgres
def test_a_copy_is_a_database_of_its_own(postgres_server: PostgresServer) -> None:
    source = postgres_server.create_database()
    with psycopg.connect(source) as link:
        link.execute("CREATE TABLE letter (words text)")
    one, other = (postgres_server.create_database(like=source) for _ in range(2))
    with psycopg.connect(one) as link:
        link.execute("INSERT INTO letter VALUES ('Grüße')")

    found = []
    for url in (one, other, source):
        with psycopg.connect(url) as link:
            found.append(link.execute("SELECT words FROM letter").fetchall())
        postgres_server.drop_database(url)
    assert found == [[("Grüße",)], [], []]


@pytest.mark.postgres
def test_a_stopped_server_leaves_nothing_behind() -> None:
    with PostgresServer() as server:
        folder, process = server.folder, server._process
        assert process.poll() is None
    assert process.poll() == 0
    assert not folder.exists()


@pytest.mark.postgres
def test_a_server_ends_with_the_tests_that_are_killed() -> None:
    code = (
        "import os, signal\n"
        "from tests.kit.postgres import PostgresServer\n"
        "with PostgresServer() as server:\n"
        "    print(server._process.pid, server.folder, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    pid, folder = done.stdout.split()
    patience = time.monotonic() + 20
    while Path(f"/proc/{pid}").exists() and time.monotonic() < patience:
        if _is_zombie(pid):
            break
        time.sleep(0.05)
    running = Path(f"/proc/{pid}").exists() and not _is_zombie(pid)
    subprocess.run(["rm", "-rf", folder], check=True)

    assert not running


def _is_zombie(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


WITHOUT_POSTGRES = """
import pathlib, sys, pytest
import tests.kit.postgres as kit
kit.DEBIAN = pathlib.Path("/nowhere")
sys.exit(pytest.main(["-p", "no:cacheprovider", "-m", "postgres", "tests/kit/test_kit.py"]))
"""


def run_without_postgres(require: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_POSTGRES],
        cwd=ROOT,
        env={**os.environ, "PATH": "/nowhere", "PBEM_REQUIRE": require},
        capture_output=True,
        text=True,
        timeout=100,
    )


def test_without_postgresql_its_tests_are_left_out_and_the_summary_says_so() -> None:
    done = run_without_postgres(require="")

    assert done.returncode == 0, done.stdout
    assert "tests: no PostgreSQL on this machine" in done.stdout
    assert " passed" not in done.stdout


def test_required_postgresql_tests_fail_instead() -> None:
    done = run_without_postgres(require="browser,postgres")

    assert done.returncode == 1
    assert "no PostgreSQL on this machine, and PBEM_REQUIRE says postgres" in done.stdout
    assert " skipped" not in done.stdout


def test_the_newest_version_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for version in ("9.6", "15", "17"):
        (tmp_path / version / "bin").mkdir(parents=True)
        (tmp_path / version / "bin" / "initdb").touch()
    (tmp_path / "18" / "bin").mkdir(parents=True)
    monkeypatch.setattr(postgres, "DEBIAN", tmp_path)

    assert postgres.binaries() == tmp_path / "17" / "bin"


# --- the mail server ------------------------------------------------------------------------------


@contextmanager
def client(sink: SmtpSink, seconds: float = 10) -> Iterator[smtplib.SMTP]:
    link = smtplib.SMTP("127.0.0.1", sink.port, local_hostname="ann.test", timeout=seconds)
    try:
        yield link
    finally:
        link.close()


def letter(words: str = "Dear Bob", to: str = "bob@play.test") -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "pbem@play.test", to, "Your turn"
    message.set_content(words)
    return message


def send(sink: SmtpSink, message: EmailMessage | None = None, seconds: float = 10) -> None:
    with client(sink, seconds) as link:
        link.send_message(message or letter())


def test_it_keeps_envelope_and_bytes(smtp_sink: SmtpSink) -> None:
    raw = b"Subject: dots\r\n\r\n.one\r\n..two\r\ncaf\xc3\xa9\r\n"
    with client(smtp_sink) as link:
        link.sendmail("bounce+7@play.test", ["bob@play.test", "cy@play.test"], raw)
    (kept,) = smtp_sink.received

    assert kept.sender == "bounce+7@play.test"
    assert kept.recipients == ["bob@play.test", "cy@play.test"]
    assert kept.data == raw
    assert kept.message["Subject"] == "dots"
    assert not kept.encrypted
    assert kept.login is None


def test_it_keeps_letters_in_order_on_one_connection(smtp_sink: SmtpSink) -> None:
    with client(smtp_sink) as link:
        for number in range(50):
            link.send_message(letter(f"letter {number}"))
    words = [kept.message.get_content().strip() for kept in smtp_sink.received]

    assert words == [f"letter {number}" for number in range(50)]
    assert smtp_sink.connections == 1


def test_a_sender_may_be_empty(smtp_sink: SmtpSink) -> None:
    with client(smtp_sink) as link:
        link.sendmail("", ["bob@play.test"], b"Subject: bounce\r\n\r\n")

    assert smtp_sink.received[0].sender in ("", "<>")


@pytest.mark.parametrize("reply", ["450 4.2.1 busy", "550 5.1.1 no such user", "421 4.3.2 later"])
def test_a_recipient_is_refused_as_told(smtp_sink: SmtpSink, reply: str) -> None:
    smtp_sink.script(Act(rcpt=reply))
    with pytest.raises(smtplib.SMTPRecipientsRefused) as refusal:
        send(smtp_sink)
    ((code, words),) = refusal.value.recipients.values()

    assert f"{code} {words.decode()}" == reply
    assert smtp_sink.received == smtp_sink.refused == []
    send(smtp_sink)
    assert len(smtp_sink.received) == 1


@pytest.mark.parametrize("reply", ["451 4.3.0 later", "554 5.7.1 spam", "552 5.2.2 full"])
def test_a_message_is_refused_after_the_dot_as_told(smtp_sink: SmtpSink, reply: str) -> None:
    smtp_sink.script(Act(data=reply))
    with pytest.raises(smtplib.SMTPDataError) as refusal:
        send(smtp_sink)

    assert refusal.value.smtp_code == int(reply[:3])
    assert len(smtp_sink.refused) == 1
    assert smtp_sink.received == []


def test_a_sender_is_refused_as_told(smtp_sink: SmtpSink) -> None:
    smtp_sink.script(Act(mail="451 4.7.1 greylisted"))
    with pytest.raises(smtplib.SMTPSenderRefused, match="greylisted"):
        send(smtp_sink)


def test_a_cut_after_the_dot_keeps_the_letter_and_says_nothing(smtp_sink: SmtpSink) -> None:
    smtp_sink.script(Act(cut=Cut.AFTER_THE_DOT))
    with pytest.raises(smtplib.SMTPServerDisconnected):
        send(smtp_sink)

    assert len(smtp_sink.received) == 1
    send(smtp_sink)
    first, second = smtp_sink.received
    assert first.data == second.data


def test_a_cut_in_the_data_keeps_nothing(smtp_sink: SmtpSink) -> None:
    smtp_sink.script(Act(cut=Cut.IN_THE_DATA))
    with pytest.raises((smtplib.SMTPServerDisconnected, ConnectionError)):
        send(smtp_sink, letter("x" * 500_000))

    assert smtp_sink.received == smtp_sink.refused == []
    send(smtp_sink)
    assert len(smtp_sink.received) == 1


def test_acts_may_be_bound_to_a_recipient(smtp_sink: SmtpSink) -> None:
    smtp_sink.to["eve@play.test"] = Act(rcpt="550 5.1.1 no such user")
    for name in ("ann", "eve", "bob", "eve"):
        try:
            send(smtp_sink, letter(to=f"{name}@play.test"))
        except smtplib.SMTPRecipientsRefused:
            assert name == "eve"

    assert [kept.recipients for kept in smtp_sink.received] == [
        ["ann@play.test"],
        ["bob@play.test"],
    ]


def test_every_message_can_be_refused_until_it_is_better(smtp_sink: SmtpSink) -> None:
    smtp_sink.otherwise = Act(data="451 4.3.0 later")
    for _ in range(3):
        with pytest.raises(smtplib.SMTPDataError):
            send(smtp_sink)
    smtp_sink.otherwise = Act()
    send(smtp_sink)

    assert (len(smtp_sink.refused), len(smtp_sink.received)) == (3, 1)


def test_slow_replies_try_the_patience_of_the_sender(smtp_sink: SmtpSink) -> None:
    smtp_sink.script(Act(delay=30))
    begun = time.monotonic()
    with pytest.raises((TimeoutError, smtplib.SMTPServerDisconnected)):
        send(smtp_sink, seconds=0.3)

    assert time.monotonic() - begun < 10


def test_a_tarpit_drips_and_its_end_does_not_wait() -> None:
    begun = time.monotonic()
    with SmtpSink() as sink:
        sink.drip = 0.001
        send(sink)
        assert len(sink.received) == 1
        sink.drip = 5.0
        with pytest.raises((TimeoutError, smtplib.SMTPServerDisconnected)):
            send(sink, seconds=0.3)

    assert time.monotonic() - begun < 15


def test_refused_connections_and_the_same_port_again(smtp_sink: SmtpSink) -> None:
    port = smtp_sink.port
    with smtp_sink.refusing():
        for _ in range(3):
            with pytest.raises(ConnectionRefusedError):
                send(smtp_sink)
    send(smtp_sink)

    assert smtp_sink.port == port
    assert len(smtp_sink.received) == 1


def test_an_open_connection_does_not_keep_the_server_from_stopping() -> None:
    with SmtpSink() as sink:
        link = smtplib.SMTP("127.0.0.1", sink.port, local_hostname="ann.test", timeout=10)
        link.ehlo()
    link.close()

    assert threading.active_count() < 10
    assert all("smtp" not in thread.name.lower() for thread in threading.enumerate())


def test_two_at_once_and_waiting_for_both(smtp_sink: SmtpSink) -> None:
    smtp_sink.script(Act(delay=0.05), Act(delay=0.05))
    senders = [threading.Thread(target=send, args=(smtp_sink,)) for _ in range(2)]
    for sender in senders:
        sender.start()
    try:
        assert len(smtp_sink.wait_for(2)) == 2
    finally:
        for sender in senders:
            sender.join()
    with pytest.raises(TimeoutError, match="2 of 3 letters"):
        smtp_sink.wait_for(3, seconds=0.05)


def test_a_letter_beyond_the_limit_is_refused() -> None:
    with SmtpSink(size_limit=2_048) as sink:
        with pytest.raises(smtplib.SMTPSenderRefused) as refusal:
            send(sink, letter("x" * 5_000))
        assert refusal.value.smtp_code == 552


def test_a_fault_of_the_sink_fails_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Any, *rest: Any, **named: Any) -> None:
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(SmtpSink, "_keep", broken)
    with pytest.raises(ZeroDivisionError, match="planted"), SmtpSink() as sink:
        with pytest.raises(smtplib.SMTPDataError) as refusal:
            send(sink)
        assert refusal.value.smtp_code == 451


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = self_signed(tmp_path_factory.mktemp("tls"))
    if file is None:
        pytest.skip("no openssl on this machine")
    return file


def test_starttls_and_a_login(certificate: Path) -> None:
    with SmtpSink(certificate=certificate, login=("ann@x", "p:w")) as sink:
        assert sink.url == f"smtp://ann%40x:p%3Aw@127.0.0.1:{sink.port}?tls=starttls"
        with client(sink) as link:
            link.starttls(context=ssl.create_default_context(cafile=str(certificate)))
            link.login("ann@x", "p:w")
            link.send_message(letter())
        (kept,) = sink.received

    assert kept.encrypted
    assert kept.login == "ann@x"


def test_a_stranger_to_the_certificate_does_not_trust_it(certificate: Path) -> None:
    with SmtpSink(certificate=certificate) as sink:
        with client(sink) as link, pytest.raises(ssl.SSLCertVerificationError):
            link.starttls(context=ssl.create_default_context())
        assert sink.received == []


def test_a_cut_after_the_dot_works_under_tls_too(certificate: Path) -> None:
    with SmtpSink(certificate=certificate) as sink:
        sink.script(Act(cut=Cut.AFTER_THE_DOT))
        with client(sink) as link:
            link.starttls(context=ssl.create_default_context(cafile=str(certificate)))
            with pytest.raises((smtplib.SMTPServerDisconnected, ssl.SSLError, OSError)):
                link.send_message(letter())
        assert len(sink.received) == 1


def test_without_a_login_or_with_a_wrong_one_nothing_is_taken(certificate: Path) -> None:
    with SmtpSink(certificate=certificate, login=("ann", "right")) as sink:
        with client(sink) as link:
            link.starttls(context=ssl.create_default_context(cafile=str(certificate)))
            with pytest.raises(smtplib.SMTPAuthenticationError):
                link.login("ann", "wrong")
            with pytest.raises(smtplib.SMTPSenderRefused, match="log in first"):
                link.send_message(letter())
        assert sink.received == []


def test_a_login_without_tls_where_none_is_offered() -> None:
    with SmtpSink(login=("ann", "secret")) as sink, client(sink) as link:
        link.login("ann", "secret")
        link.send_message(letter())
        assert sink.received[0].login == "ann"
