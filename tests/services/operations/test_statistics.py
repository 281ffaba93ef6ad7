"""Figures of the first page: counted once for each day and week, today as it is."""

from __future__ import annotations

from datetime import UTC, datetime

from pbem.db.store import execute, rows
from pbem.deadlines import DAY, HOUR
from pbem.services.operations import statistics
from pbem.services.operations.statistics import WEEK
from tests.services.people import NOW, Sitting

MIDNIGHT = NOW - NOW % DAY


def ended(match: str, *turns: tuple[int, int]) -> None:
    """Turns that were opened and closed then."""
    for opened, closed in turns:
        execute(
            "INSERT INTO turn (match_id, seat, opened_seq, closed_seq, opened_at, closed_at,"
            " deadline_at) VALUES (?, 0, 0, 1, ?, ?, ?)",
            match,
            opened,
            closed,
            closed,
        )


def test_turns_are_counted_by_the_day_they_ended(sitting: Sitting) -> None:
    yesterday = MIDNIGHT - DAY
    ended(sitting.match, (0, yesterday), (0, MIDNIGHT - 1), (0, yesterday - 1), (0, MIDNIGHT))
    statistics.gather(NOW)
    shown = statistics.figures(NOW)

    assert len(shown.turns) == 30
    assert [point.value for point in shown.turns[-3:]] == [0, 1, 2]
    assert shown.turns[-1].start == yesterday
    assert shown.today == 1
    assert shown.live == 1


def test_the_pace_is_the_median_of_a_week(sitting: Sitting) -> None:
    monday = statistics.weeks(NOW)[-1]
    at = monday + DAY
    spans = [HOUR, 2 * HOUR, 30 * HOUR, 31 * HOUR, 400 * HOUR]
    ended(sitting.match, *((at - span, at) for span in spans))
    ended(sitting.match, (monday - WEEK - HOUR, monday - 1))
    statistics.gather(NOW)
    shown = statistics.figures(NOW).pace

    assert len(shown) == 12
    assert shown[-1] == (monday, 30 * HOUR)
    assert shown[-2].value == WEEK + HOUR - 1
    assert [point.value for point in shown[:-2]] == [None] * 10, "nobody played"


def test_weeks_begin_on_monday() -> None:
    for start in statistics.weeks(NOW):
        begun = datetime.fromtimestamp(start, UTC)
        assert (begun.weekday(), begun.hour, begun.minute) == (0, 0, 0)
    assert statistics.weeks(NOW)[-1] + WEEK <= NOW < statistics.weeks(NOW)[-1] + 2 * WEEK


def test_what_was_counted_is_not_counted_again(sitting: Sitting) -> None:
    assert statistics.gather(NOW) == 30
    ended(sitting.match, (0, statistics.weeks(NOW)[-1]))
    assert statistics.gather(NOW) == 1, "a week in which somebody played now"
    assert statistics.gather(NOW + DAY) == 1

    values = rows("SELECT SUM(value) FROM figure WHERE kind = 'turns'")
    assert values == [(0,)]


def test_the_oldest_letter_and_alarm_that_wait(sitting: Sitting) -> None:
    execute("UPDATE outbox SET state = 'sent', created_at = 5")
    execute("DELETE FROM due")
    empty = statistics.figures(NOW)
    execute("UPDATE outbox SET state = 'queued', next_at = ? WHERE id = 1", NOW + 1)
    execute("INSERT INTO due (kind, subject, at) VALUES ('turn', '1', ?)", NOW + 1)
    later = statistics.figures(NOW)
    now = statistics.figures(NOW + 1)

    assert (empty.oldest_letter, empty.oldest_due) == (None, None)
    assert (later.oldest_letter, later.oldest_due) == (None, None)
    assert (now.oldest_letter, now.oldest_due) == (5, NOW + 1)
