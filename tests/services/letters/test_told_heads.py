"""The head of the log goes to all moderators by letter: once a day, when it has grown."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest

from pbem.db import store
from pbem.deadlines import DAY
from pbem.services.players import staff_alerts
from pbem.services.records import audit_log, letter_queue
from pbem.services.staff import moderators
from tests.services.moderator_kit import MO, OPAL
from tests.services.people import NOW

MIDNIGHT = NOW - NOW % DAY


@pytest.fixture
def staff(stored: str) -> None:
    moderators.add(MO, "moderator", "Mo", NOW)
    moderators.add(OPAL, "operator", "Opal", NOW)
    moderators.add("former@example.org", "moderator", "", NOW)
    moderators.disable("former@example.org", NOW)


def something_happens(number: int = 1) -> None:
    with store.writing():
        audit_log.record(MO, "pause", f"match m{number}", "why", "told", {}, NOW)


def told() -> list[tuple[str, dict[str, Any]]]:
    """Heads that were mailed, with whom to."""
    found = store.rows(
        "SELECT p.address, o.about FROM outbox o JOIN player p ON p.id = o.player_id"
        " WHERE o.kind = 'moderator' ORDER BY o.id"
    )
    letters = [(address, msgspec.json.decode(about)) for address, about in found]
    return [(address, about) for address, about in letters if about["what"] == "head"]


def test_every_moderator_who_may_come_in_is_told(staff: None) -> None:
    head = audit_log.head()
    assert staff_alerts.tell_head(NOW)

    assert [address for address, _ in told()] == [MO, OPAL]
    for _, about in told():
        assert (about["seq"], about["hash"]) == head
    assert audit_log.head() == head
    assert audit_log.verify(about["hash"]) is None


def test_once_a_day_and_only_when_the_log_has_grown(staff: None) -> None:
    days = [staff_alerts.tell_head(MIDNIGHT + hour * 3_600) for hour in range(0, 24)]
    assert days == [True] + [False] * 23
    something_happens()
    assert not staff_alerts.tell_head(MIDNIGHT + DAY - 1)
    assert staff_alerts.tell_head(MIDNIGHT + DAY)
    assert not staff_alerts.tell_head(MIDNIGHT + 2 * DAY)
    something_happens(2)
    assert staff_alerts.tell_head(MIDNIGHT + 3 * DAY)

    assert [about["seq"] for address, about in told() if address == MO] == [4, 5, 6]


def test_a_log_without_entries_tells_nothing(stored: str) -> None:
    assert not staff_alerts.tell_head(NOW)


def test_a_clock_that_was_set_back_does_not_stop_it(staff: None) -> None:
    assert staff_alerts.tell_head(NOW + 4_000 * DAY)
    something_happens()
    assert staff_alerts.tell_head(NOW)


def test_of_many_workers_one_tells(staff: None) -> None:
    def tell(_: int) -> bool:
        with store.connected():
            return staff_alerts.tell_head(NOW)

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(tell, range(12))).count(True) == 1
    assert len(told()) == 2


def test_who_fails_half_way_has_told_nobody(staff: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(letter_queue, "queue", fail)
        with pytest.raises(RuntimeError):
            staff_alerts.tell_head(NOW)
    assert staff_alerts.tell_head(NOW)


def test_a_log_that_was_rewritten_is_found_by_a_letter(staff: None) -> None:
    """Whoever can write to the store seals everything anew; the letters have the old head."""
    something_happens()
    staff_alerts.tell_head(NOW)
    noted = told()[-1][1]["hash"]
    kept = audit_log.newest(100)[::-1]
    store.execute("DELETE FROM audit")
    store.execute("UPDATE audit_head SET seq = 0, hash = ?", audit_log.GENESIS)
    with store.writing():
        for entry in kept:
            audit_log.record(entry.actor, entry.act, entry.subject, "forged", "", {}, entry.at)

    assert audit_log.verify() is None
    fault = audit_log.verify(noted)
    assert fault is not None
    assert fault.what == "cut"
