"""What needs a person now, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pbem.db.store import database, execute, writing
from pbem.deadlines import DAY, HOUR, MINUTE
from pbem.links import ReportLink
from pbem.services.moderation import match_lists
from pbem.services.moderation.match_lists import MatchFilter
from pbem.services.operations import alerts, backups, maintenance, replay_check, ticking
from pbem.services.seats import stand_ins
from pbem.services.self_service import reports
from tests.services.people import NOW, Sitting, sit_down
from tests.services.waiting import hand_over, open_turn

OPAL = "opal@example.org"


@pytest.fixture
def calm(sitting: Sitting) -> Sitting:
    """A match whose letters have left, and a worker that has looked."""
    hand_over(NOW)
    ticking.Ticker().tick(NOW, 1.0)
    return sitting


def found(now: int = NOW) -> list[tuple[str, int]]:
    return [(need.what, need.number) for need in alerts.active(now)]


def test_nothing_needs_anybody(calm: Sitting) -> None:
    assert alerts.active(NOW) == []


def test_an_empty_server_needs_nobody(stored: str) -> None:
    assert alerts.active(NOW) == []


def _late(sitting: Sitting) -> None:
    execute("UPDATE turn SET deadline_at = ?", NOW - 1)


def _without_turn(sitting: Sitting) -> None:
    execute("UPDATE turn SET closed_seq = 1, closed_at = ?", NOW)


def _without_player(sitting: Sitting) -> None:
    with writing():
        stand_ins.open_seat(sitting.match, open_turn(sitting.match).seat, NOW)
    hand_over(NOW)


def _unbegun(sitting: Sitting) -> None:
    execute("UPDATE turn SET since = NULL, started_at = NULL, opened_at = ?", NOW - DAY - 1)


def _refused_letter(sitting: Sitting) -> None:
    execute("UPDATE outbox SET state = 'dead', last_error = 'broken' WHERE id = 1")


def _tried_letter(sitting: Sitting) -> None:
    execute("UPDATE outbox SET state = 'queued', attempts = 5, next_at = ? WHERE id = 1", NOW + 9)


def _reported(sitting: Sitting) -> None:
    reports.make(ReportLink(sitting.ann, "you", NOW), "letter", "Not mine.", NOW)


def _suspect(sitting: Sitting) -> None:
    execute("UPDATE heartbeat SET suspect_since = ?, why = 'it jumped'", NOW - 60)


def _held(sitting: Sitting) -> None:
    execute("UPDATE heartbeat SET held_since = ?", NOW - 60)


def _silent(sitting: Sitting) -> None:
    execute("UPDATE heartbeat SET ticked_at = ?", NOW - 11 * MINUTE)


def _maintained(sitting: Sitting) -> None:
    maintenance.begin(OPAL, "a new disk", NOW)


def _old_backup(sitting: Sitting) -> None:
    execute("INSERT INTO backup (at, name, size, sha256) VALUES (?, 'x', 1, '')", NOW - 26 * HOUR)
    assert backups.newest() is not None


def _unfit(sitting: Sitting) -> None:
    execute("UPDATE entry SET text = 'nonsense' WHERE seq = 0")
    replay_check.go_on(replay_check.begin(OPAL, NOW), lambda: NOW)


def _under_other_rules(sitting: Sitting) -> None:
    execute("UPDATE match SET rules_version = 99")


EACH: list[tuple[Callable[[Sitting], None], str]] = [
    (_late, "late"),
    (_without_turn, "stuck"),
    (_without_player, "stuck"),
    (_unbegun, "stuck"),
    (_refused_letter, "dead"),
    (_tried_letter, "troubled"),
    (_reported, "reports"),
    (_suspect, "clock"),
    (_held, "held"),
    (_silent, "silent"),
    (_maintained, "maintenance"),
    (_old_backup, "backup"),
    (_unfit, "rehearsal"),
    (_under_other_rules, "rules"),
]


def test_each_need_is_told_alone(calm: Sitting) -> None:
    for make, what in EACH:
        with database.atomic() as trial:
            make(calm)
            assert found() == [(what, 1)], make.__name__
            trial.rollback()
        assert found() == []


def test_an_address_that_refuses_is_told_beside_its_letter(calm: Sitting) -> None:
    execute(
        "UPDATE outbox SET state = 'dead', message_id = '<x>', last_error = '550 no such user'"
        " WHERE id = (SELECT MAX(id) FROM outbox)"
    )
    assert found() == [("dead", 1), ("refusing", 1)]


def test_a_paused_match_is_not_stuck(calm: Sitting) -> None:
    _unbegun(calm)
    execute("UPDATE match SET paused_at = ?", NOW)
    assert found() == []


def test_matches_that_are_over_or_wait_for_players_are_not_stuck(calm: Sitting) -> None:
    _without_turn(calm)
    for status in ("over", "forming", "cancelled"):
        execute("UPDATE match SET status = ?", status)
        assert found() == []


def test_the_list_of_stuck_matches_is_what_was_counted(calm: Sitting) -> None:
    sit_down(NOW)
    hand_over(NOW)
    execute("UPDATE turn SET closed_seq = 1 WHERE match_id = ?", calm.match)
    shown = match_lists.page(MatchFilter(stuck=True), None, NOW)

    assert [one.id for one in shown.rows] == [calm.match]
    assert match_lists.count(MatchFilter(), 1_000, NOW) == 2
    assert match_lists.count(MatchFilter(), 1, NOW) == 1, "nobody counts further"


def test_nobody_counts_without_end(calm: Sitting, monkeypatch: pytest.MonkeyPatch) -> None:
    _refused_letter(calm)
    assert not alerts.active(NOW)[0].is_more
    monkeypatch.setattr(alerts, "MOST", 1)

    assert alerts.active(NOW) == [("dead", 1, None, True)]
