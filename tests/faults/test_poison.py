"""One bad row in a hundred, in inbox, letters and alarms: the others are done, nobody crashes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from pbem.db.store import execute, marks, row, rows, writing
from pbem.deadlines import DAY, Clock
from pbem.services.operations.ticking import Ticker
from pbem.services.time import clocks
from tests.faults import table
from tests.faults.checking import Figures
from tests.faults.deployment import Deployment
from tests.faults.ledger import Mailroom
from tests.faults.seating import looking_into, seat_everybody

SECONDS = 60
"""In which all others are done."""
POISONED_LETTERS = {
    "no JSON": "UPDATE outbox SET about = '{' WHERE id = ?",
    "another JSON": "UPDATE outbox SET about = '[]' WHERE id = ?",
    "no kind": "UPDATE outbox SET kind = 'nonsense' WHERE id = ?",
    "no night": "UPDATE player SET night = '{' WHERE id = (SELECT player_id FROM outbox"
    " WHERE id = ?)",
    "no bytes": "UPDATE outbox SET mime = 'x', message_id = '<x@y>' WHERE id = ?",
}
POISONED_ALARMS = {
    "no turn": "UPDATE due SET subject = 'nonsense' WHERE kind = 'turn' AND subject = ?",
    "no kind": "UPDATE due SET kind = 'nonsense' WHERE kind = 'turn' AND subject = ?",
    "no clock": "UPDATE match SET clock = '{' WHERE id ="
    " (SELECT match_id FROM turn WHERE CAST(id AS VARCHAR(40)) = ?)",
    "no zone": "UPDATE player SET zone = 'Nowhere/Land' WHERE id = (SELECT s.player_id FROM seat s"
    " JOIN turn t ON t.match_id = s.match_id AND t.seat = s.number"
    " WHERE CAST(t.id AS VARCHAR(40)) = ?)",
}


@pytest.mark.whole
@pytest.mark.parametrize("poison", POISONED_ALARMS)
def test_a_bad_alarm_stops_no_other(store_url: str, poison: str) -> None:
    count, now = 40, int(time.time())
    seat_everybody(store_url, count, [Clock(per_move=2 * DAY)])
    with looking_into(store_url):
        start_clocks(now - DAY - 60)  # half of the time is over: all are to be reminded
        turns = [subject for (subject,) in rows("SELECT subject FROM due WHERE kind = 'turn'")]
        execute(POISONED_ALARMS[poison], turns[7])
        execute("UPDATE heartbeat SET ticked_at = ?", now)

        ticker = Ticker()
        for second in range(3):
            ticker.tick(now + second, float(second))

        reminded = row("SELECT COUNT(DISTINCT player_id) FROM outbox WHERE kind = 'reminder'")
        assert reminded is not None
        assert reminded[0] >= len(turns) - 1


def start_clocks(at: int) -> None:
    """All first letters were handed over at an instant."""
    with writing():
        execute("UPDATE outbox SET state = 'sent', sent_at = ?", at)
        for (turn,) in rows("SELECT id FROM turn WHERE closed_seq IS NULL"):
            clocks.start(turn, at)


@pytest.mark.whole
@pytest.mark.timeout(600)
@pytest.mark.slow
@pytest.mark.parametrize("count", [30, 300])
def test_bad_letters_and_mails_stop_no_other(store_url: str, tmp_path: Path, count: int) -> None:
    run = table.begin("poison rows", store_url)
    seat_everybody(store_url, count)
    with looking_into(store_url):
        letters = [number for (number,) in rows("SELECT id FROM outbox ORDER BY id")]
        bad = letters[:: max(2, min(100, len(letters) // len(POISONED_LETTERS)))]
        for number, letter in enumerate(bad):
            execute(list(POISONED_LETTERS.values())[number % len(POISONED_LETTERS)], letter)
        keep_bad_mails(3)
    with Mailroom() as mailroom:
        server = Deployment(tmp_path, store_url, mailroom.url)
        with server.running():
            begun = time.monotonic()
            with looking_into(store_url):
                while waiting := waiting_letters(bad) + waiting_mails():
                    assert time.monotonic() < begun + SECONDS, f"{waiting} of {len(letters)} wait"
                    time.sleep(0.1)
            starts = [one.started for one in server.services]
    table.write(run, len(bad) + 3, Figures(len(letters), 0, 0, mailroom.extra, 0))

    assert len(mailroom.copies) >= 2 * count - len(bad)
    assert starts == [1, 1, 1], "nobody crashes over and over"
    assert mailroom.extra == 0


def waiting_letters(bad: Sequence[int]) -> int:
    """Letters that are not bad, nor behind a bad one in their stream."""
    found = row(
        "SELECT COUNT(*) FROM outbox WHERE state IN ('queued', 'leased') AND stream NOT IN"
        f" (SELECT stream FROM outbox WHERE id IN ({marks(bad)}))",
        *bad,
    )
    assert found is not None
    return int(found[0])


def waiting_mails() -> int:
    """Mails to be read at once; one that failed is tried again in a minute."""
    found = row(
        "SELECT COUNT(*) FROM incoming WHERE state IN ('received', 'leased') AND next_at <= ?",
        int(time.time()),
    )
    assert found is not None
    return int(found[0])


def keep_bad_mails(count: int) -> None:
    """Mails whose bytes nobody can open, whose recipient nobody is, and one of nothing."""
    now = int(time.time())
    for number in range(count):
        execute(
            "INSERT INTO incoming (dedupe, recipient, sender, mime, received_at, state, reason,"
            " attempts, next_at, lease_by, lease_until) VALUES (?, ?, '', ?, ?, 'received', '',"
            " 0, ?, '', 0)",
            *(f"bad{number}", "nobody@nowhere", [b"", b"\xff" * 99, None][number % 3], now, now),
        )
