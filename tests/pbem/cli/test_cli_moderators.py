"""Moderators and the log of acts from the command line."""

from __future__ import annotations

import pytest

from pbem.config import Config
from pbem.db import store
from pbem.links import Links
from pbem.services.records import audit_log
from pbem.services.records.moderator_rows import all_moderators
from pbem.services.staff import moderators
from tests.pbem.cli.test_cli import done, refused, run
from tests.services.moderator_kit import MO


def test_a_moderator_is_added_and_in_development_the_link_is_shown() -> None:
    output = done("moderator", "add", "Mo@Example.org", "--role", "operator", "--name", "Mo")
    url = output.split()[-1]
    link = Links(Config.from_env({}).secret_keys, "").read("moderator", url.rpartition("/")[2])

    assert link is not None
    with store.connected():
        (mo,) = all_moderators()
        assert store.rows("SELECT kind FROM outbox") == [("moderator",)]
    assert (mo.address, mo.role, mo.name) == (MO, "operator", "Mo")
    assert (link.moderator, link.epoch) == (mo.id, mo.setup_epoch)
    assert "goes to mo@example.org" in output


def test_where_mail_goes_out_the_link_is_only_in_the_letter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PBEM_SMTP_URL", "smtp://127.0.0.1:1")

    assert "/admin/setup/" not in done("moderator", "add", MO)
    assert "/admin/setup/" not in done("moderator", "reset", MO)


def test_moderators_are_listed_reset_and_disabled() -> None:
    assert done("moderator", "list") == ""
    done("moderator", "add", MO)
    assert "/admin/setup/" in done("moderator", "reset", MO)
    assert done("moderator", "list") == f"{MO}  moderator  active\n"
    assert "all sessions have ended" in done("moderator", "disable", MO)
    assert f"{MO}  moderator  disabled 20" in done("moderator", "list")


def test_what_cannot_be_is_one_line() -> None:
    done("moderator", "add", MO)

    assert "is already a moderator" in refused("moderator", "add", MO)
    assert "there is no moderator eve@example.org" in refused(
        "moderator", "disable", "eve@example.org"
    )
    assert "is not a usable email address" in refused("moderator", "add", "nonsense")
    assert run("moderator", "add", "x@example.org", "--role", "king").exit_code == 2


def test_the_log_is_shown_and_verified() -> None:
    done("moderator", "add", MO)
    done("moderator", "disable", MO)
    shown = done("audit", "show", "--last", "1")
    verified = done("audit", "verify")
    with store.connected():
        head = audit_log.head().hash

    assert "command line: disable_moderator, moderator mo@example.org" in shown
    assert "add_moderator" not in shown
    assert verified == f"unchanged entries: 2; head {head}\n"
    assert done("audit", "verify", "--head", head) == verified


def test_a_tampered_entry_is_named_and_the_exit_status_says_so() -> None:
    for address in (MO, "opal@example.org"):
        done("moderator", "add", address)
    with store.connected():
        noted = audit_log.head().hash
        store.execute("UPDATE audit SET actor = 'somebody else' WHERE seq = 1")
    result = run("audit", "verify")

    assert (result.exit_code, result.output) == (1, "entry 1 was changed\n")
    with store.connected():
        store.execute("DELETE FROM audit")
        store.execute("UPDATE audit_head SET seq = 0, hash = ?", audit_log.GENESIS)
    assert run("audit", "verify").exit_code == 0
    assert run("audit", "verify", "--head", noted).exit_code == 1


def test_an_address_of_a_disabled_moderator_is_free_again() -> None:
    done("moderator", "add", MO)
    done("moderator", "disable", MO)
    done("moderator", "add", MO, "--role", moderators.OPERATOR)

    assert done("moderator", "list") == f"{MO}  operator  active\n"


def test_the_log_is_vouched_for_by_keys_that_come_and_go(here: None) -> None:
    done("moderator", "add", MO)
    for _ in range(6):
        done("keys", "rotate", "--keep", "1")
        assert "unchanged entries:" in done("audit", "verify")
    with store.connected():
        signers = [entry.signer for entry in audit_log.newest(100)]
    assert len(set(signers)) == len(signers) == 7


def test_a_log_rewritten_without_the_key_is_found(here: None) -> None:
    """Every hash is right, and the head too; whoever has the database can do that much."""
    for _ in range(2):
        done("clock", "confirm")
    done("moderator", "add", MO)
    with store.connected(), store.writing():
        before = audit_log.GENESIS
        for entry in audit_log.newest(9)[::-1]:
            forged = entry._replace(reason="nobody did it", previous=before)
            before = audit_log.seal(forged)
            store.execute(
                "UPDATE audit SET reason = ?, previous = ?, hash = ? WHERE seq = ?",
                forged.reason,
                forged.previous,
                before,
                forged.seq,
            )
        store.execute("UPDATE audit_head SET hash = ?", before)
    for words in ([], ["clock", "confirm"]):
        if words:
            done(*words)
        found = run("audit", "verify")
        assert found.exit_code == 1
        assert "entry 1 was not signed with our key" in found.output


def test_a_log_from_before_the_keys_is_covered_once_and_says_so(here: None) -> None:
    done("moderator", "add", MO)
    with store.connected(), store.writing():
        store.execute("UPDATE audit SET signer = '', mac = ''")
    assert "is signed with no key that we have" in run("audit", "verify").output
    done("clock", "confirm")
    assert "entries before 2 were not signed when it was entered" in done("audit", "verify")
