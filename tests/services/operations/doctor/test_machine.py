"""What is here: database, keys, clock, disk, backup, worker, and what waits."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pbem.config import Config
from pbem.db.store import execute, writing
from pbem.deadlines import DAY, HOUR, MINUTE
from pbem.services.operations import health, keys, maintenance, ticking
from pbem.services.operations.doctor import findings, machine
from pbem.services.operations.doctor.findings import todo
from tests.services.people import NOW, Sitting
from tests.services.waiting import hand_over

KEY = "k" * 40
CONFIG = Config(database_url="postgresql://elsewhere/", secret_keys=("o" * 40, KEY))
BACKUP = "INSERT INTO backup (at, name, size, sha256) VALUES (?, 'x', 1, '')"


def states(now: int = NOW, config: Config = CONFIG) -> dict[str, str]:
    return {one.check: one.state for one in findings.run(machine.checks(config, now))}


def words(check: str, now: int = NOW, config: Config = CONFIG) -> str:
    found = findings.run(machine.checks(config, now))
    return next(one.words for one in found if one.check == check)


@pytest.fixture
def calm(sitting: Sitting) -> Sitting:
    """A match whose letters have left, and a worker that has looked."""
    hand_over(NOW)
    ticking.Ticker().tick(NOW, 1.0)
    keys.note(CONFIG.secret_keys, NOW)
    return sitting


def test_a_server_that_is_well(calm: Sitting) -> None:
    assert machine.about_database(CONFIG, NOW).state == "ok"
    assert states() == {
        **dict.fromkeys(("keys", "backup", "worker", "clock", "alarms", "turns"), "ok"),
        **dict.fromkeys(("outbox", "inbox"), "ok"),
        "disk": "unknown",
    }


def test_missing_tables_are_said_with_how_to_make_them(
    stored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "pending_migrations", lambda: ["0099_more"])
    found = machine.about_database(CONFIG, NOW)
    assert found.state == "todo"
    assert "0099_more" in found.words
    assert "pbem migrate" in found.words


def silent(sitting: Sitting) -> None:
    execute("UPDATE heartbeat SET ticked_at = ?", NOW - HOUR)


def silent_for_some_minutes(sitting: Sitting) -> None:
    execute("UPDATE heartbeat SET ticked_at = ?", NOW - 5 * MINUTE)


def doubted(sitting: Sitting) -> None:
    execute("UPDATE heartbeat SET suspect_since = ?", NOW - HOUR)


def held(sitting: Sitting) -> None:
    execute("UPDATE heartbeat SET held_since = ?", NOW - HOUR)


def ahead(sitting: Sitting) -> None:
    execute("UPDATE heartbeat SET ticked_at = ?", NOW + HOUR)


def stopped(sitting: Sitting) -> None:
    maintenance.begin("new disks", "ops", NOW)


def old_key(sitting: Sitting) -> None:
    execute("UPDATE signing_key SET seen_at = ?", NOW - 400 * DAY)


def unsent(sitting: Sitting) -> None:
    execute(
        "UPDATE outbox SET state = 'queued', next_at = ?, created_at = ?",
        NOW - HOUR,
        NOW - HOUR,
    )


def unread(sitting: Sitting) -> None:
    incoming("received")


def aside(sitting: Sitting) -> None:
    incoming("quarantined")


def incoming(state: str) -> None:
    with writing():
        execute(
            "INSERT INTO incoming (dedupe, recipient, sender, received_at, state, reason, attempts,"
            " next_at, lease_by, lease_until) VALUES ('x', '', '', ?, ?, '', 0, ?, '', 0)",
            NOW - 20 * MINUTE,
            state,
            NOW - 20 * MINUTE,
        )


@pytest.mark.parametrize(
    ("deed", "check", "advice"),
    [
        (silent, "worker", "pbem worker"),
        (silent_for_some_minutes, "worker", "silent for 5 minutes"),
        (stopped, "worker", "pbem maintenance off"),
        (doubted, "clock", "pbem clock confirm"),
        (held, "clock", "pbem clock show"),
        (ahead, "clock", "time server"),
        (old_key, "keys", "pbem keys rotate"),
        (unsent, "outbox", "60 minutes"),
        (unread, "inbox", "20 minutes"),
        (aside, "inbox", "pbem mail quarantine"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_do(
    calm: Sitting, deed: Callable[[Sitting], None], check: str, advice: str
) -> None:
    deed(calm)
    assert [one for one, state in states().items() if state == "todo"] == [check]
    assert advice in words(check)


def test_a_worker_that_never_ran_is_started(stored: str) -> None:
    assert states()["worker"] == "todo"
    assert states()["clock"] == states()["keys"] == "unknown"


def test_production_needs_backups(calm: Sitting) -> None:
    config = Config(env="production", database_url=CONFIG.database_url, secret_keys=(KEY,))
    assert states(config=config)["backup"] == "todo"
    execute(BACKUP, NOW - 2 * HOUR)
    assert words("backup", config=config) == "the newest is 2 hours old"
    assert states(NOW + 2 * DAY, config)["backup"] == "todo"


def test_a_full_disk_is_said(calm: Sitting, tmp_path: object) -> None:
    full = Config(database_url=f"sqlite:///{tmp_path}/x.db", secret_keys=(KEY,), min_free_mb=10**9)
    assert states(config=full)["disk"] == "todo"
    assert states(config=Config(database_url=full.database_url, secret_keys=(KEY,)))["disk"] == "ok"


def test_a_check_that_fails_is_something_to_do_and_stops_no_other() -> None:
    def broken() -> list[findings.Finding]:
        raise ValueError("secret")

    found = list(findings.run([("one", broken), ("two", lambda: [todo("two", "do it")])]))
    assert [one.state for one in found] == ["todo", "todo"]
    assert "secret" not in found[0].words
