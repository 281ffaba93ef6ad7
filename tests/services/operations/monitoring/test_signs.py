"""How long work waits: each kind is noticed on its own, in time, and by whoever watches."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pbem.config import Config
from pbem.db.store import execute
from pbem.deadlines import HOUR, MINUTE
from pbem.services.operations import health, maintenance, ticking
from pbem.services.operations.doctor import findings, machine
from pbem.services.operations.monitoring import exposition, signs
from tests.services.operations.doctor.test_machine import BACKUP, unread, unsent
from tests.services.people import NOW, Sitting
from tests.services.waiting import hand_over

CONFIG = Config(database_url="postgresql://elsewhere/", secret_keys=("k" * 40,))


@pytest.fixture
def calm(sitting: Sitting) -> Sitting:
    """A match whose letters have left, a worker that has looked, a backup."""
    hand_over(NOW)
    ticking.Ticker().tick(NOW, 1.0)
    execute(BACKUP, NOW)
    return sitting


def overdue(now: int) -> list[str]:
    return [sign.name for sign in signs.read(now) if sign.is_overdue(now)]


def sender_stops(sitting: Sitting) -> None:
    unsent(sitting)


def inbox_stops(sitting: Sitting) -> None:
    unread(sitting)


def ticker_stops(sitting: Sitting) -> None:
    execute("UPDATE heartbeat SET ticked_at = ?", NOW - 11 * MINUTE)


def alarms_stop(sitting: Sitting) -> None:
    execute("UPDATE due SET at = ?", NOW - 16 * MINUTE)


def backups_stop(sitting: Sitting) -> None:
    execute("UPDATE backup SET at = ?", NOW - 26 * HOUR)


STOPPED = [
    (sender_stops, "letter", "outbox"),
    (inbox_stops, "mail", "inbox"),
    (ticker_stops, "tick", "worker"),
    (alarms_stop, "alarm", "alarms"),
    (backups_stop, "backup", "backup"),
]


def test_nothing_is_wrong_while_all_is_done(calm: Sitting) -> None:
    assert overdue(NOW + 9 * MINUTE) == []
    assert health.idleness(NOW) is None


@pytest.mark.parametrize(("stop", "sign", "check"), STOPPED)
def test_whatever_stops_is_noticed_alone_and_by_all_who_watch(
    calm: Sitting, stop: Callable[[Sitting], None], sign: str, check: str
) -> None:
    stop(calm)
    (found,) = [one for one in signs.read(NOW) if one.is_overdue(NOW)]

    assert found.name == sign
    assert health.idleness(NOW) == found.words
    assert health.trouble(NOW) is None, "this process can answer"
    checks = findings.run(machine.checks(CONFIG, NOW))
    assert check in [one.check for one in checks if one.state == "todo"]
    assert f"{exposition.SIGNS[found.name][0]} {float(found.age(NOW))}" in exposition.text(NOW)


def test_what_never_was_is_no_trouble(stored: str) -> None:
    assert overdue(NOW) == []
    text = exposition.text(NOW)
    assert "pbem_last_tick_seconds" not in text
    assert "pbem_last_backup_seconds" not in text


def test_stopped_clocks_are_no_silence(calm: Sitting) -> None:
    maintenance.begin("new disks", "ops", NOW)
    execute("UPDATE due SET at = ?", NOW)

    assert overdue(NOW + 5 * HOUR) == []
