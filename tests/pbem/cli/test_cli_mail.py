"""`pbem mail in` and `pbem mail quarantine`: what mail servers and operators are told."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pbem import cli
from pbem.db import store
from pbem.errors import Missing, NoRoom
from pbem.services.inbox import arrivals, door
from pbem.services.operations import disk_space
from pbem.services.players import process_settings
from tests.services.inbox.mailing import raw_mail, reply_address
from tests.services.people import BOB, sit_down, turn_of

NOW = 1_800_000_000
DOMAIN = "play.example"


@pytest.fixture(autouse=True)
def to(here: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where Bob's first letter is answered to."""
    for name in ("SENDER", "RECIPIENT", "ORIGINAL_RECIPIENT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PBEM_MAIL_DOMAIN", DOMAIN)
    assert run("migrate").exit_code == 0
    monkeypatch.setattr(process_settings.settings, "mail_domain", DOMAIN)
    with store.connected():
        return reply_address(turn_of(sit_down(NOW).match))


def run(*words: str, raw: bytes = b"") -> Result:
    result = CliRunner().invoke(cli.pbem, list(words), input=raw)
    if not store.database.is_closed():
        store.database.close()
    return result


def kept() -> list[tuple[str, str]]:
    with store.connected():
        return [
            (sender, recipient)
            for sender, recipient in store.rows("SELECT sender, recipient FROM incoming")
        ]


def test_a_mail_is_kept(to: str) -> None:
    raw = raw_mail(to)
    for _ in range(2):
        assert run("mail", "in", "--sender", BOB, "--recipient", to, raw=raw).exit_code == 0

    assert kept() == [(BOB, to)]


def test_the_environment_of_a_pipe_is_understood(to: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SENDER", BOB)
    monkeypatch.setenv("RECIPIENT", "pbem@this.host")
    monkeypatch.setenv("ORIGINAL_RECIPIENT", to)

    assert run("mail", "in", raw=raw_mail("somebody@else.example")).exit_code == 0
    assert kept() == [(BOB, to)]


def test_headers_tell_where_nobody_else_does(to: str) -> None:
    noted = f"From bob@example.org Wed Nov 18\nReturn-Path: <{BOB}>\nDelivered-To: {to}\n".encode()

    assert run("mail", "in", raw=noted + b"From: B <b@x.example>\n\n1\n").exit_code == 0
    assert kept() == [(BOB, to)]


@pytest.mark.parametrize("nobody", ["", "<>", "MAILER-DAEMON"])
def test_bounces_have_no_sender(to: str, nobody: str) -> None:
    words = ["mail", "in", "--sender", nobody, "--recipient", to]

    assert run(*words, raw=raw_mail(to)).exit_code == 0
    assert kept() == [("", to)]


def test_what_is_not_ours_is_no_user(to: str) -> None:
    other = f"nobody@{DOMAIN}"

    assert run("mail", "in", "--recipient", other, raw=raw_mail(to)).exit_code == 67
    assert run("mail", "in", raw=b"no mail at all").exit_code == 67
    assert kept() == []


def test_too_much_is_bad_data(to: str) -> None:
    raw = raw_mail(to).ljust(arrivals.LARGEST + 1, b"x")

    assert run("mail", "in", "--recipient", to, raw=raw).exit_code == 65
    assert kept() == []


def test_a_full_disk_is_tried_again(to: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(*_: object) -> None:
        raise NoRoom("full")

    monkeypatch.setattr(disk_space.Room, "check", no_room)
    assert run("mail", "in", "--recipient", to, raw=raw_mail(to)).exit_code == 75
    assert kept() == []


@pytest.mark.parametrize(
    ("name", "value"),
    [("PBEM_DATABASE_URL", "mysql://x"), ("PBEM_ENV", "production"), ("PBEM_MAIL_PIPE", "maybe")],
)
def test_wrong_settings_are_tried_again(
    to: str, name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)

    assert run("mail", "in", "--recipient", to, raw=raw_mail(to)).exit_code == 75


def test_trouble_is_told_without_a_word_of_the_mail(
    to: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError(f"something about {to}")

    monkeypatch.setattr(door.InboxDoor, "keep", fail)
    result = run("mail", "in", "--recipient", to, raw=raw_mail(to))

    assert result.exit_code == 75
    assert "ValueError in fail" in result.output
    assert to not in result.output


# --- what was set aside ---------------------------------------------------------------------------


def test_operators_list_retry_and_drop_what_was_set_aside(to: str) -> None:
    words = "a word that nobody else may read"
    for number in ("<1@client>", "<2@client>"):
        run("mail", "in", "--recipient", to, raw=raw_mail(to, words, number))
    with store.connected():
        store.execute("UPDATE incoming SET state = 'quarantined', reason = 'KeyError in take:9'")

    listed = run("mail", "quarantine", "list").output.splitlines()
    assert [line.split()[0] for line in listed] == ["2", "1"]
    assert all("reply  KeyError in take:9" in line for line in listed)
    assert not any(hidden in line for line in listed for hidden in (words, to, BOB))

    assert "will be processed again" in run("mail", "quarantine", "retry", "1").output
    assert "was thrown away" in run("mail", "quarantine", "drop", "2").output
    with store.connected():
        states = store.rows("SELECT state FROM incoming ORDER BY id")
    assert states == [("received",), ("ignored",)]
    assert isinstance(run("mail", "quarantine", "drop", "2").exception, Missing)
