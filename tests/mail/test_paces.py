"""When letters come: the night, one letter a day, and what one press stops, for every kind."""

from __future__ import annotations

from collections.abc import Iterator
from email.message import EmailMessage
from typing import Any

import pytest

from pbem.db import store
from pbem.db.store import execute, rows
from pbem.deadlines import DAY, HOUR
from pbem.links import Purpose
from pbem.services.agreements import takebacks
from pbem.services.letters import outbox
from pbem.services.letters.kinds import registry
from pbem.services.letters.kinds.kind import Pace
from pbem.services.letters.kinds.registry import KINDS
from pbem.services.match import messages, turns
from pbem.services.operations import statistics
from pbem.services.players import accounts, seat_alerts
from pbem.services.records import letter_queue
from pbem.services.records.letter_queue import Facts, QueuedLetter
from pbem.services.records.match_rows import get_match
from pbem.services.records.player_rows import get_player
from pbem.services.time import absences, reminders
from tests.mail.posting import WORKER, Bag, html_of, office_with, queued, text_of
from tests.services.people import NOW, Sitting, sit_down, turn_of

EVENING = NOW + 14 * HOUR
"""22:00 in UTC: the night of Ann has begun."""
MORNING = NOW + 23 * HOUR
NIGHT = "[22, 7]"
ANN_SEAT, BOB_SEAT = 0, 1


@pytest.fixture(autouse=True)
def _stored(store_url: str) -> Iterator[None]:
    store.open_database(store_url)
    with store.connected():
        yield


@pytest.fixture
def sitting() -> Sitting:
    """Ann sleeps from 22 to 7 in UTC; Bob is asked, and speaks English, too."""
    sitting = sit_down(NOW)
    accounts.change(sitting.bob, language="en", zone="UTC")
    posted(NOW)
    execute("UPDATE player SET night = ? WHERE id = ?", NIGHT, sitting.ann)
    return sitting


def posted(now: int) -> list[EmailMessage]:
    bag = Bag()
    outbox.drain(office_with(bag), WORKER, now, stopwatch=lambda: 0.0)
    return bag.letters


def to_ann(now: int) -> list[str]:
    """Kinds of the letters that leave for Ann now."""
    return [str(one["X-PBEM-Kind"]) for one in posted(now) if str(one["To"]).startswith("ann@")]


# --- every kind has its pace ----------------------------------------------------------------------

PLAIN: dict[str, Pace] = {
    "started": "by_day",
    "turn": "asks",
    "reply": "at_once",
    "moved": "news",
    "finished": "by_day",
    "reminder": "at_once",
    "claim": "asks",
    "invitation": "asks",
    "keep_match": "at_once",
    "computer": "asks",
    "cancelled": "by_day",
    "briefing": "asks",
    "leave": "at_once",
    "seat_alert": "by_day",
    "confirm": "at_once",
    "you": "at_once",
    "checkup": "at_once",
    "address": "at_once",
    "account": "at_once",
    "moderator": "at_once",
    "moderated": "by_day",
    "rules": "by_day",
    "answer": "by_day",
    "restored": "at_once",
}
"""Kinds whose letters are all alike."""
MOODS: list[tuple[str, dict[str, Any], Pace]] = [
    ("message", {"message": 1}, "news"),
    ("message", {"draw": "offered", "by": 1}, "asks"),
    ("message", {"draw": "declined", "by": 1}, "news"),
    ("stand_in", {"what": "asked"}, "asks"),
    ("stand_in", {"what": "taken"}, "by_day"),
    ("takeback", {"what": takebacks.ASKED}, "asks"),
    ("takeback", {"what": "declined"}, "news"),
    ("away", {"what": "booked"}, "news"),
    ("away", {"what": "wants_pause"}, "asks"),
    ("away", {"what": "paused"}, "by_day"),
    ("away", {"what": "unreachable"}, "by_day"),
]
OF_A_MATCH = {"receipt", "late", "declined"}
"""What these are depends on the match."""


def test_every_kind_has_a_pace_here() -> None:
    assert {*PLAIN, *(kind for kind, _, _ in MOODS), *OF_A_MATCH} == set(KINDS)


@pytest.mark.parametrize(
    ("kind", "about", "pace"), [*((kind, {}, pace) for kind, pace in PLAIN.items()), *MOODS]
)
def test_a_kind_comes_at_its_pace(kind: str, about: dict[str, Any], pace: Pace) -> None:
    assert KINDS[kind].pace(queued(kind, 1, about=about)) == pace


def test_only_who_is_late_is_asked(sitting: Sitting) -> None:
    of = {"of": turn_of(sitting.match).id}
    paces = [
        KINDS["late"].pace(queued("late", 1, sitting.match, seat, about=of)) for seat in (0, 1)
    ]
    assert paces == ["news", "asks"]


def test_only_the_host_is_asked_for_another_player(sitting: Sitting) -> None:
    both = [queued("declined", who, sitting.match, 0) for who in (sitting.ann, sitting.bob)]
    assert [KINDS["declined"].pace(letter) for letter in both] == ["asks", "by_day"]


def test_a_receipt_is_an_echo_unless_the_clock_has_played(sitting: Sitting) -> None:
    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW)
    receipt = queued("receipt", sitting.bob, sitting.match, 1, about={"seq": 1})
    assert KINDS["receipt"].pace(receipt) == "echo"
    execute("UPDATE entry SET kind = 'timeout' WHERE match_id = ? AND seq = 1", sitting.match)
    assert KINDS["receipt"].pace(receipt) == "by_day"


@pytest.mark.parametrize("pace", ["at_once", "asks", "by_day", "news", "echo"])
@pytest.mark.parametrize("quiet", [False, True])
def test_what_waits_for_the_morning(
    pace: Pace, quiet: bool, sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    habits = get_player(sitting.ann).habits
    kind = KINDS["moved"]._replace(pace=lambda letter: pace)
    monkeypatch.setitem(KINDS, "moved", kind)
    letter = queued("moved", sitting.ann)._replace(facts=Facts(habits=habits, quiet_turns=quiet))
    waits = pace in ("by_day", "news") or (pace == "asks" and quiet)
    assert registry.waits_until(letter, EVENING) == (MORNING if waits else EVENING)
    assert registry.waits_until(letter, MORNING) == MORNING


# --- the night ------------------------------------------------------------------------------------


def test_messages_wait_for_the_morning_and_come_once(sitting: Sitting) -> None:
    messages.say(sitting.match, BOB_SEAT, "Are you asleep?", EVENING)
    assert to_ann(EVENING) == []
    for hour in range(1, 9):
        assert to_ann(EVENING + hour * HOUR) == []
    assert to_ann(MORNING) == ["message"]
    assert to_ann(MORNING + HOUR) == []


def test_what_waits_holds_up_no_turn(sitting: Sitting) -> None:
    messages.say(sitting.match, BOB_SEAT, "Your turn soon.", EVENING)
    to_ann(EVENING)
    turns.submit(turn_of(sitting.match).id, ["first usa"], EVENING + 60)
    assert to_ann(EVENING + 60) == ["turn"]
    assert to_ann(MORNING) == ["message"]


def test_news_that_a_turn_letter_has_overtaken_in_the_night_is_not_sent(sitting: Sitting) -> None:
    turn = turn_of(sitting.match)
    turns.submit(turn.id, ["first ussr"], EVENING)
    match = get_match(sitting.match)
    news = letter_queue.to_seat(match, match.seat(ANN_SEAT), "moved", "1", **{"from": 1, "seq": 1})
    letter_queue.queue([news], EVENING)
    assert to_ann(EVENING) == []
    waits = rows("SELECT state, stream, next_at FROM outbox WHERE kind = 'moved'")
    assert waits == [("queued", f"night/{match.id}/0", MORNING)]
    newer = letter_queue.to_seat(match, match.seat(ANN_SEAT), "turn", "x", turn.id)
    letter_queue.queue([newer], EVENING + HOUR)
    to_ann(EVENING + HOUR)
    assert to_ann(MORNING) == []


def test_a_turn_comes_at_night_unless_its_player_wishes_otherwise(sitting: Sitting) -> None:
    execute("UPDATE player SET quiet_turns = ? WHERE id = ?", True, sitting.ann)
    turns.submit(turn_of(sitting.match).id, ["first usa"], EVENING)
    assert to_ann(EVENING) == []
    turn = turn_of(sitting.match)
    assert turn.started_at == EVENING, "nobody gains time by sleeping"
    assert to_ann(MORNING) == ["turn"]
    assert turn_of(sitting.match) == turn


def test_who_has_asked_for_a_letter_gets_it_at_night(sitting: Sitting) -> None:
    accounts.ask_for_own_page(get_player(sitting.ann).address, EVENING)
    assert to_ann(EVENING) == ["you"]


def test_a_letter_parked_for_longer_than_a_night_is_not_believed(sitting: Sitting) -> None:
    messages.say(sitting.match, BOB_SEAT, "Hello.", EVENING)
    to_ann(EVENING)
    execute("UPDATE outbox SET next_at = ? WHERE state = 'queued'", NOW + 5 * DAY)
    assert to_ann(MORNING) == ["message"]


# --- one letter a day -----------------------------------------------------------------------------


def daily(sitting: Sitting, now: int) -> tuple[str, str]:
    reminders.digest(sitting.ann, now)
    letters = [one for one in posted(now) if str(one["To"]).startswith("ann@")]
    (letter,) = [one for one in letters if one["X-PBEM-Kind"] == "reminder"]
    assert len(letters) == 1
    return text_of(letter), html_of(letter)


def test_the_daily_letter_gathers_moves_messages_and_other_news(sitting: Sitting) -> None:
    execute("UPDATE player SET digest_hour = 7 WHERE id = ?", sitting.ann)
    turns.submit(turn_of(sitting.match).id, ["first ussr"], NOW + HOUR)
    messages.say(sitting.match, BOB_SEAT, "A long <journey>.", NOW + 2 * HOUR)
    absences.book(sitting.bob, NOW + 5 * DAY, NOW + 9 * DAY, NOW + 3 * HOUR)
    assert to_ann(NOW + 4 * HOUR) == []

    text, page = daily(sitting, MORNING)
    for part in (text, page):
        assert "USSR goes first" in part
        assert "journey" in part
        assert "will be away" in part
    assert "A long &lt;journey&gt;." in page
    assert text.count("A long <journey>.") == 1
    assert text.count("/mute/") == 1
    assert "<main>" in page
    assert page.count("</h1>") == 1

    messages.say(sitting.match, BOB_SEAT, "Back again.", MORNING + HOUR)
    posted(MORNING + HOUR)
    text, _ = daily(sitting, MORNING + DAY)
    assert "Back again." in text
    assert "journey" not in text
    assert "will be away" not in text


def test_the_daily_letter_of_who_stopped_news_tells_only_what_waits(sitting: Sitting) -> None:
    execute("UPDATE player SET digest_hour = 7, news = ? WHERE id = ?", False, sitting.ann)
    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW + HOUR)
    messages.say(sitting.match, BOB_SEAT, "Your turn.", NOW + 2 * HOUR)
    assert to_ann(NOW + 2 * HOUR) == ["turn"]
    text, _ = daily(sitting, MORNING)
    assert "/t/" in text
    assert "Your turn." not in text


def test_without_anything_new_there_is_no_daily_letter(sitting: Sitting) -> None:
    execute("UPDATE player SET digest_hour = 7 WHERE id = ?", sitting.ann)
    reminders.digest(sitting.ann, NOW + 5 * DAY)
    assert to_ann(NOW + 5 * DAY) == []


def test_what_was_said_after_the_end_is_in_the_daily_letter_once(sitting: Sitting) -> None:
    execute("UPDATE player SET digest_hour = 7 WHERE id = ?", sitting.ann)
    execute("UPDATE match SET status = 'over', result = 'draw' WHERE id = ?", sitting.match)
    for minute in range(2):
        messages.say(sitting.match, BOB_SEAT, f"Well played {minute}.", NOW + minute * HOUR)
        assert to_ann(NOW + minute * HOUR) == []
    text, _ = daily(sitting, MORNING)
    assert text.count("Well played 0.") == text.count("Well played 1.") == 1


# --- one press ------------------------------------------------------------------------------------

STOPS: dict[str, Purpose] = {**dict.fromkeys(KINDS, "mute"), "seat_alert": "hush"}
"""By which link letters of a kind are stopped, in their footer and in their head."""


def test_every_kind_has_a_link_that_stops_it() -> None:
    assert {kind: registry.stop_of(kind) for kind in KINDS} == STOPS
    assert {kind for kind in KINDS if STOPS[kind] == "hush"} == {seat_alerts.LETTER}


@pytest.mark.parametrize(("kind", "about", "pace"), MOODS)
def test_who_has_stopped_news_still_gets_what_asks(
    kind: str, about: dict[str, Any], pace: Pace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        KINDS, kind, KINDS[kind]._replace(current=lambda letter: True, is_for_holder=False)
    )
    muted: QueuedLetter = queued(kind, 1, about=about)._replace(facts=Facts(news=False))
    assert registry.is_current(muted) == (pace != "news")
    assert registry.is_current(muted._replace(facts=Facts()))


def test_a_letter_that_has_waited_for_the_morning_is_not_late(sitting: Sitting) -> None:
    messages.say(sitting.match, BOB_SEAT, "Are you asleep?", EVENING)
    to_ann(EVENING)
    assert statistics.oldest_letter(EVENING + HOUR) is None
    assert statistics.oldest_letter(MORNING + 60) == MORNING


def test_who_sleeps_through_news_and_a_turn_gets_the_turn_alone(sitting: Sitting) -> None:
    execute("UPDATE player SET quiet_turns = ? WHERE id = ?", True, sitting.ann)
    turn = turn_of(sitting.match)
    turns.submit(turn.id, ["first usa"], EVENING)
    match = get_match(sitting.match)
    news = letter_queue.to_seat(match, match.seat(ANN_SEAT), "moved", "1", **{"from": 1, "seq": 1})
    execute("DELETE FROM outbox WHERE kind = 'turn' AND state = 'queued'")
    letter_queue.queue([news], EVENING)
    to_ann(EVENING)
    mine = turn_of(sitting.match).id
    asked = letter_queue.to_seat(match, match.seat(ANN_SEAT), "turn", str(mine), mine)
    letter_queue.queue([asked._replace(about={"from": 1, "seq": 1})], EVENING + HOUR)
    assert to_ann(EVENING + HOUR) == []
    assert to_ann(MORNING) == ["turn"]
