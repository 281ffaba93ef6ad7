"""`pbem doctor`: a line for each check, and an exit status for machines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pbem import cli
from pbem.services.operations.doctor import dns_records, machine, servers
from pbem.services.operations.doctor.findings import ok
from tests.kit.stores import on_sqlite

CHECKS = [
    *("settings", "database", "keys", "disk", "backup", "worker", "clock"),
    *(
        "alarms",
        "turns",
        "outbox",
        "inbox",
        "relay",
        "lmtp",
        "imap",
        "senders",
        "site",
        "mx",
        "spf",
        "dkim",
        "dmarc",
    ),
]


@pytest.fixture(autouse=True)
def unconnected(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No site and no resolver."""
    monkeypatch.setenv("PBEM_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setattr(dns_records, "system_resolver", lambda: None)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.pbem, list(arguments))


def test_half_a_configuration_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_ENV", "production")
    result = run("doctor")
    assert result.exit_code == 1
    assert result.output.startswith("settings  TO DO")
    assert len(result.output.splitlines()) == 1


@on_sqlite  # another kind of database is made by another program
def test_without_a_database_none_is_made(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PBEM_DATABASE_URL")
    result = run("doctor")
    assert result.exit_code == 1
    assert "there is none yet; run: pbem migrate" in result.output
    assert not (here / "var/pbem.db").exists()


def test_every_check_has_a_line_and_each_needs_what_it_says() -> None:
    run("migrate")
    result = run("doctor", "--json")
    found = [json.loads(line) for line in result.output.splitlines()]
    assert [one["check"] for one in found] == CHECKS
    assert result.exit_code == 1
    assert {one["check"] for one in found if one["state"] == "todo"} == {"worker", "site"}


def test_all_is_well_when_nothing_is_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    run("migrate")
    monkeypatch.setattr(servers, "checks", lambda config: [])
    monkeypatch.setattr(machine, "checks", lambda config, now: [])
    result = run("doctor")
    assert result.exit_code == 0
    lines = {line.split()[0]: line for line in result.output.splitlines()}
    assert lines["settings"].split()[1] == "ok"
    assert "not checked" in lines["spf"]


def test_a_database_that_cannot_be_opened_is_said_without_its_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PBEM_DATABASE_URL", "postgresql://ann:secret@127.0.0.1:9/pbem")
    monkeypatch.setattr(servers, "checks", lambda config: [("relay", lambda: [ok("relay", "")])])
    result = run("doctor")
    assert result.exit_code == 1
    assert "secret" not in result.output
    assert "PBEM_DATABASE_URL" in result.output
