"""Nights and the daily letter on each kind of store."""

from __future__ import annotations

import pytest

from pbem.db.store import execute, rows
from pbem.deadlines import HOUR
from pbem.services.match import messages, turns
from pbem.services.players import accounts
from pbem.services.records import letter_queue
from pbem.services.records.match_rows import get_match
from pbem.services.time import absences
from tests.mail.test_paces import BOB_SEAT, EVENING, MORNING, NIGHT, daily, posted, to_ann
from tests.services.people import DAY, NOW, Sitting, sit_down, turn_of


@pytest.fixture
def asleep(stored: str) -> Sitting:
    """Ann sleeps from 22 to 7 in UTC."""
    sitting = sit_down(NOW)
    accounts.change(sitting.bob, language="en", zone="UTC")
    posted(NOW)
    execute("UPDATE player SET night = ? WHERE id = ?", NIGHT, sitting.ann)
    return sitting


def test_news_waits_unless_a_turn_overtakes_it(asleep: Sitting) -> None:
    match = get_match(asleep.match)
    turns.submit(turn_of(match.id).id, ["first ussr"], EVENING)
    news = letter_queue.to_seat(match, match.seat(0), "moved", "1", **{"from": 1, "seq": 1})
    letter_queue.queue([news], EVENING)
    messages.say(match.id, BOB_SEAT, "Are you asleep?", EVENING)
    assert to_ann(EVENING) == to_ann(EVENING + HOUR) == []
    assert to_ann(MORNING) == ["moved", "message"]


def test_a_day_is_one_letter(asleep: Sitting) -> None:
    execute("UPDATE player SET digest_hour = 7 WHERE id = ?", asleep.ann)
    messages.say(asleep.match, BOB_SEAT, "A long journey.", NOW + HOUR)
    absences.book(asleep.bob, NOW + 5 * DAY, NOW + 9 * DAY, NOW + 2 * HOUR)
    assert to_ann(NOW + 3 * HOUR) == []
    gathered = "SELECT COUNT(*) FROM outbox WHERE last_error = ? AND player_id = ?"
    assert rows(gathered, letter_queue.GATHERED, asleep.ann) == [(2,)]
    text, _ = daily(asleep, MORNING)
    assert "A long journey." in text
    assert "will be away" in text
