"""Several worker processes look at the same rows: each alarm rings once."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from pbem.db.store import execute, row, rows, writing
from pbem.deadlines import DAY, HOUR
from pbem.services.operations import ticking
from pbem.services.records.match_rows import get_match
from pbem.services.time import clock_trust
from tests.services.people import NOW, sit_down
from tests.services.time.test_alarms import without_vacation
from tests.services.waiting import Days, agree, hand_over, open_turn

REMINDERS, TIME_OUTS = 500, 100
LIMIT = 3 * DAY


def crowd(count: int) -> list[str]:
    """Matches that wait, each for a player of its own; their letters have left."""
    found = [sit_down(NOW).match for _ in range(count)]
    with writing():
        for number, match in enumerate(found):
            (player,) = rows(
                "INSERT INTO player (address, name, language, zone, created_at, confirmed_at,"
                " epoch, news) VALUES (?, '', 'en', 'UTC', ?, ?, ?, ?) RETURNING id",
                f"player{number}@example.org",
                NOW,
                NOW,
                NOW,
                True,
            )[0]
            execute(
                "UPDATE seat SET player_id = ? WHERE match_id = ? AND number = 1", player, match
            )
    return found


@pytest.mark.alone
@pytest.mark.whole
@pytest.mark.parametrize("workers", [2, 4])
def test_many_workers_do_everything_once(stored: str, workers: int) -> None:
    matches = crowd(REMINDERS + TIME_OUTS)
    for match in matches:
        agree(match, policy="forfeit")
    hand_over(NOW)
    without_vacation()
    out, now = matches[REMINDERS:], NOW + LIMIT // 2
    with writing():  # some ran out a while ago and were told so
        for match in out:
            turn = open_turn(match)
            execute("UPDATE turn SET deadline_at = ? WHERE id = ?", NOW, turn.id)
            execute("UPDATE due SET at = ? WHERE subject = ?", NOW + DAY, str(turn.id))
            number, player = 1, get_match(match).seat(1).player
            execute(
                "INSERT INTO outbox (dedupe, stream, kind, player_id, match_id, seat, about, epoch,"
                " state, attempts, next_at, lease_by, lease_until, last_error, created_at, sent_at)"
                " VALUES (?, ?, 'late', ?, ?, ?, '{}', ?, 'sent', 1, ?, '', 0, '', ?, ?)",
                f"late:{match}:{number}:{player}:{turn.id}:{NOW}:{get_match(match).seat(1).epoch}",
                f"{match}/{number}",
                player,
                match,
                number,
                NOW,
                NOW,
                NOW,
                NOW,
            )
    ticking.Ticker().tick(now - HOUR, 0.0)  # the heartbeat; some alarms ring already
    execute("UPDATE heartbeat SET ticked_at = ?", now)
    clock_trust.confirm(now)

    done = tick_in_processes(stored, now, workers)

    assert row("SELECT COUNT(*) FROM outbox WHERE kind = 'reminder'") == (REMINDERS,)
    assert row("SELECT COUNT(*) FROM entry WHERE kind = 'forfeit'") == (TIME_OUTS,)
    assert row("SELECT COUNT(*) FROM outbox WHERE kind = 'finished'") == (2 * TIME_OUTS,)
    assert sum(reminded for reminded, _, _ in done) == REMINDERS
    assert sum(ended for _, _, ended in done) == TIME_OUTS


@pytest.mark.alone
@pytest.mark.whole
@pytest.mark.parametrize("down", [6 * HOUR, 3 * DAY])
def test_after_downtime_over_many_deadlines_nobody_is_timed_out_without_a_fresh_letter(
    stored: str, down: int
) -> None:
    count = REMINDERS if stored.startswith("sqlite") else REMINDERS // 5
    matches = crowd(count)
    for match in matches:
        agree(match, policy="forfeit")
    hand_over(NOW)
    without_vacation()
    with writing():  # deadlines all over the time in which nobody looks, and a little around it
        for number, match in enumerate(matches):
            deadline, turn = NOW + HOUR + number * (down + HOUR) // count, open_turn(match)
            execute("UPDATE turn SET deadline_at = ? WHERE id = ?", deadline, turn.id)
            execute("UPDATE due SET at = ? WHERE subject = ?", deadline, str(turn.id))
    days = Days(NOW)
    days.tick()

    days.stands_still(HOUR + down)
    days.tick()

    back = days.now
    told = rows("SELECT player_id, COUNT(*) FROM outbox WHERE kind = 'reminder' GROUP BY player_id")
    assert {count for _, count in told} == {1}
    hand_over(back)
    while row("SELECT COUNT(*) FROM due") != (0,):
        days.leap()
        hand_over(days.now)
        clock_trust.confirm(days.now)  # so many at once are held, and an operator lets them go
    ended = rows("SELECT match_id, at FROM entry WHERE kind = 'forfeit'")
    assert len(ended) == count
    for match, at in ended:
        assert at >= back + clock_trust.NOTICE + DAY
        letters = rows(
            "SELECT o.sent_at FROM outbox o JOIN seat s ON s.player_id = o.player_id"
            " WHERE s.match_id = ? AND s.number = 1 AND o.kind IN ('reminder', 'late')",
            match,
        )
        assert any(back <= sent < at for (sent,) in letters)


def tick_in_processes(url: str, now: int, workers: int) -> list[tuple[int, int, int]]:
    start = time.time() + 2 + workers / 2
    command = [sys.executable, "-m", "tests.kit.ticking", url, str(now), str(start), "3"]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(workers)
    ]
    said_by = [(process, *process.communicate(timeout=120)) for process in running]
    done = []
    for process, said, trouble in said_by:
        assert process.returncode == 0, trouble
        reminded, late, ended = map(int, said.split())
        done.append((reminded, late, ended))
    return done
