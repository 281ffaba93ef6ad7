"""Time that runs out: told first, then what was agreed; in a match of many never its end."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from engine import registry
from pbem.db import store
from pbem.db.store import execute, rows, writing
from pbem.deadlines import DAY, HOUR
from pbem.errors import Stale
from pbem.services.inbox import arrivals, working
from pbem.services.match import (
    joining,
    link_orders,
    match_log,
    matches,
    timeouts,
    turn_alarms,
    turns,
)
from pbem.services.match.joining import Joining
from pbem.services.operations import replay_check
from pbem.services.records.match_rows import JOINED, LIVE, OVER, VACANT, get_match
from pbem.services.time import alarms
from tests.kit.quartet import Quartet
from tests.services.inbox.mailing import raw_mail, read_plainly, reply_address
from tests.services.people import ANN, BOB, EVE, NOW, Sitting, id_of, sit_down, wanted
from tests.services.time.test_alarms import without_vacation
from tests.services.waiting import (
    Days,
    again,
    agree,
    hand_over,
    kinds,
    newest_letter,
    open_turn,
)

pytestmark = pytest.mark.whole

LIMIT, GRACE = 3 * DAY, DAY


def begun(match: str, **agreed: object) -> Days:
    """The match under such a clock, its first letter gone, nobody with vacation."""
    agree(match, **agreed)
    hand_over(NOW)
    without_vacation()
    days = Days(NOW)
    days.tick()
    return days


# --- two players ---------------------------------------------------------------------------------


def test_at_the_deadline_both_sides_are_told_and_the_late_one_can_still_play(
    sitting: Sitting,
) -> None:
    days = begun(sitting.match, policy="forfeit")
    days.passes(LIMIT - 300)
    before = newest_letter()
    days.passes(600)

    assert kinds(before) == ["late", "late"]
    turns.submit(open_turn(sitting.match).id, ["first usa"], days.now)
    days.passes(2 * DAY)
    assert get_match(sitting.match).status == LIVE


def test_who_has_answered_in_time_is_not_late_before_somebody_has_read_it(
    sitting: Sitting,
) -> None:
    days = begun(sitting.match, policy="forfeit")
    turn = open_turn(sitting.match)
    days.passes(LIMIT - 300)
    to = reply_address(turn)
    arrivals.keep(BOB, [to], raw_mail(to), days.now)
    before = newest_letter()
    days.passes(2 * DAY)
    assert kinds(before) == []
    assert get_match(sitting.match).status == LIVE

    working.work(read_plainly, "a worker", days.now)
    days.passes(600)
    assert kinds(before) == ["reply", "late", "late"]


def test_forfeit_the_patient_player_wins(sitting: Sitting) -> None:
    days = begun(sitting.match, policy="forfeit")
    days.passes(LIMIT + GRACE - 300)
    assert get_match(sitting.match).status == LIVE
    days.passes(900)

    match = get_match(sitting.match)
    assert (match.status, match.result) == (OVER, "usa")
    entry = match_log.entries(sitting.match)[-1]
    assert (entry.kind, entry.actor, entry.text) == ("forfeit", "ussr", "time")
    assert kinds()[-2:] == ["finished", "finished"]
    assert replay_check.replayed(match).fault is None


def test_default_the_clock_plays_and_two_misses_in_a_row_open_the_seat(sitting: Sitting) -> None:
    days = begun(sitting.match, policy="default")
    first = open_turn(sitting.match)
    days.passes(LIMIT + GRACE + 600)

    assert again(first).missed
    assert match_log.entries(sitting.match)[-1].kind == "timeout"
    assert get_match(sitting.match).seat(1).missed == 1

    for _ in range(40):
        if get_match(sitting.match).seat(1).status == VACANT:
            break
        answer(sitting.match, 0, days.now)
        days.passes(LIMIT + GRACE + 900)
    assert get_match(sitting.match).seat(1).status == VACANT
    assert get_match(sitting.match).status == LIVE


def answer(match_id: str, number: int, now: int) -> None:
    """The player of a seat plays whatever comes first, as long as he is asked."""
    while True:
        match = get_match(match_id)
        name, state = match.seat(number).name, match_log.current(match)
        if name not in match.game.waiting_on(state):
            return
        order = link_orders.choices(match, state, name, most=1)[0]
        turns.submit(open_turn(match_id).id, [order.notation], now)


def test_a_move_of_ones_own_forgets_the_misses(sitting: Sitting) -> None:
    days = begun(sitting.match, policy="default")
    days.passes(LIMIT + GRACE + 600)
    assert get_match(sitting.match).seat(1).missed == 1
    answer(sitting.match, 0, days.now)
    if get_match(sitting.match).seat(1).name in get_match(sitting.match).game.waiting_on(
        match_log.current(get_match(sitting.match))
    ):
        answer(sitting.match, 1, days.now)
    assert get_match(sitting.match).seat(1).missed == 0


def test_claim_the_other_wins_when_he_says_so(sitting: Sitting) -> None:
    days = begun(sitting.match, policy="claim")
    with pytest.raises(Stale, match="nothing to claim"):
        timeouts.claim_win(sitting.match, 0, days.now)
    days.passes(LIMIT + GRACE + 600)
    assert (get_match(sitting.match).status, kinds()[-1]) == (LIVE, "claim")
    with pytest.raises(Stale, match="nothing to claim"):
        timeouts.claim_win(sitting.match, 1, days.now)

    timeouts.claim_win(sitting.match, 0, days.now)

    assert get_match(sitting.match).result == "usa"


def test_claim_the_other_may_wait_and_be_asked_again(sitting: Sitting) -> None:
    days = begun(sitting.match, policy="claim")
    days.passes(LIMIT + GRACE + 600)

    timeouts.wait_on(sitting.match, 0, days.now)

    assert open_turn(sitting.match).deadline_at == days.now + LIMIT
    assert kinds()[-1] == "away"
    with pytest.raises(Stale, match="nothing to claim"):
        timeouts.wait_on(sitting.match, 0, days.now)
    before = newest_letter()
    days.passes(LIMIT + GRACE + 900)
    assert kinds(before).count("claim") == 1


def test_claim_unanswered_is_no_match_without_end(sitting: Sitting) -> None:
    days = begun(sitting.match, policy="claim")
    days.passes(2 * (LIMIT + GRACE) + 1800)

    assert get_match(sitting.match).result == "usa"


def test_a_late_move_ends_the_claim(sitting: Sitting) -> None:
    days = begun(sitting.match, policy="claim")
    days.passes(LIMIT + GRACE + 600)
    turns.submit(open_turn(sitting.match).id, ["first usa"], days.now)

    with pytest.raises(Stale, match="nothing to claim"):
        timeouts.claim_win(sitting.match, 0, days.now)


# --- vacation that burns by itself ---------------------------------------------------------------


def test_vacation_burns_before_anybody_is_late(sitting: Sitting) -> None:
    agree(sitting.match, policy="forfeit")
    hand_over(NOW)
    days = Days(NOW)
    days.tick()
    turn = open_turn(sitting.match)

    days.passes(LIMIT + 600)

    assert "late" not in kinds()
    assert again(turn).deadline_at == pytest.approx(NOW + LIMIT + DAY, abs=2)
    about = rows("SELECT about FROM outbox WHERE kind = 'away'")
    assert '"what":"floating"' in about[0][0]


def test_time_runs_out_in_the_end_with_all_the_vacation_there_is(sitting: Sitting) -> None:
    agree(sitting.match, policy="forfeit", most_pause=5 * DAY)
    hand_over(NOW)
    days = Days(NOW)
    days.tick()

    days.passes(LIMIT + 5 * DAY + GRACE + 2 * HOUR, step=600)

    assert get_match(sitting.match).result == "usa"


# --- nobody is timed out unwarned ----------------------------------------------------------------


def test_no_time_out_while_the_warning_has_not_left(sitting: Sitting) -> None:
    days = begun(sitting.match, policy="forfeit")
    days.passes(LIMIT - 300)
    for _ in range(40):  # the mail server is away for days
        days.now, days.monotonic = days.now + 590, days.monotonic + 590
        days.tick()
    for _ in range(600):
        days.now, days.monotonic = days.now + 590, days.monotonic + 590
        days.tick()
    assert "late" in kinds()
    assert get_match(sitting.match).status == LIVE

    hand_over(days.now)
    days.passes(GRACE - 600)
    assert get_match(sitting.match).status == LIVE
    days.passes(3600)
    assert get_match(sitting.match).status == OVER


def test_no_time_out_for_whom_letters_do_not_reach(sitting: Sitting) -> None:
    days = begun(sitting.match, policy="forfeit")
    days.passes(LIMIT - 300)
    days.now, days.monotonic = days.now + 600, days.monotonic + 600
    days.tick()
    with writing():
        execute("UPDATE outbox SET state = 'dead' WHERE kind = 'late' AND seat = 1")
    days.passes(5 * DAY)

    assert get_match(sitting.match).status == LIVE


@pytest.mark.alone
@pytest.mark.whole
def test_a_move_races_the_time_out_and_exactly_one_wins(stored: str) -> None:
    races = 200 if stored.startswith("sqlite") else 50
    sittings = [sit_down(NOW) for _ in range(races)]
    for sitting in sittings:
        agree(sitting.match, policy="forfeit", grace=HOUR)
    hand_over(NOW)
    without_vacation()
    with writing():  # only the end of the time matters here
        execute("UPDATE due SET at = ?", NOW + LIMIT)
        execute("UPDATE outbox SET state = 'sent', sent_at = ?", NOW)
    for turn, at in rows("SELECT subject, at FROM due"):
        assert turn_alarms.end_time(ringing(turn, at, at), at)
    hand_over(NOW + LIMIT)
    now = NOW + LIMIT + HOUR
    alarms = dict(rows("SELECT subject, at FROM due"))

    outcomes = [
        race(ringing(str(turn.id), alarms[str(turn.id)], now), now, number)
        for number, sitting in enumerate(sittings)
        for turn in [open_turn(sitting.match)]
    ]

    assert {"played", "timed out"} == set(outcomes)
    for sitting, outcome in zip(sittings, outcomes, strict=True):
        told = [
            kind
            for (kind,) in rows(
                "SELECT kind FROM outbox WHERE match_id = ? AND created_at = ? ORDER BY id",
                sitting.match,
                now,
            )
        ]
        ended = get_match(sitting.match).status == OVER
        assert ended == (outcome == "timed out")
        assert told == (["finished"] * 2 if ended else ["turn", "receipt"])


def ringing(turn: str, at: int, now: int) -> turn_alarms.Ringing:
    found = turn_alarms.what_rings(alarms.Alarm("turn", turn, at), now)
    assert found is not None
    return found


LEADS = (0.0, 0.001, 0.002, 0.004, 0.008, 0.016)
"""Seconds by which one of the two is ahead, so that neither always wins."""


def race(alarm: turn_alarms.Ringing, now: int, number: int) -> str:
    """The move is ahead in every other race, and the time-out in those between."""
    start, lead, move_leads = Barrier(2), LEADS[number // 2 % len(LEADS)], number % 2 == 0

    def move() -> str:
        with store.connected():
            start.wait()
            time.sleep(0 if move_leads else lead)
            try:
                turns.submit(alarm.turn.id, ["first usa"], now)
            except Stale:
                return ""
            return "played"

    def time_out() -> str:
        with store.connected():
            start.wait()
            time.sleep(lead if move_leads else 0)
            return "timed out" if turn_alarms.end_time(alarm, now) else ""

    jobs = [move, time_out] if move_leads else [time_out, move]
    with ThreadPoolExecutor(2) as pool:
        done = [job.result() for job in [pool.submit(job) for job in jobs]]
    (outcome,) = [one for one in done if one]
    return outcome


# --- many players --------------------------------------------------------------------------------


@pytest.fixture
def quartet(stored: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(registry.GAMES, "quartet", Quartet())
    return four_sit_down()


def four_sit_down(**setup: object) -> str:
    seats = ("north", "east", "south", "west")
    addresses = dict(zip(seats, (ANN, BOB, EVE, "dan@example.org"), strict=True))
    match = matches.create(
        wanted(game="quartet", setup=setup, addresses=addresses, creator=None), NOW
    )
    for number, name in enumerate(("Ann", "Bob", "Eve", "Dan")):
        player = id_of(addresses[seats[number]])
        joining.accept(match, number, player, Joining(name, "en", "UTC", ""), NOW)
    return match


@pytest.mark.parametrize("policy", ["claim", "forfeit", "default", "stand_in", "ally"])
def test_a_match_of_many_never_ends_by_time(quartet: str, policy: str) -> None:
    days = begun(quartet, policy=policy)
    days.passes(2 * (LIMIT + GRACE) + 3600)

    assert get_match(quartet).status == LIVE
    assert get_match(quartet).result is None


def test_default_orders_then_the_seat_is_open(quartet: str) -> None:
    days = begun(quartet, policy="default")
    days.passes(LIMIT + GRACE + 600)
    assert [e.text for e in match_log.entries(quartet) if e.kind == "timeout"] == ["1"]
    assert get_match(quartet).seat(0).missed == 1

    for number in (1, 2, 3):
        answer(quartet, number, days.now)
    days.passes(LIMIT + GRACE + 900)

    assert get_match(quartet).seat(0).status == VACANT
    assert len([e for e in match_log.entries(quartet) if e.kind == "timeout"]) == 2


def test_stand_in_the_seat_is_open_at_once_and_played_meanwhile(quartet: str) -> None:
    days = begun(quartet, policy="stand_in")
    days.passes(LIMIT + GRACE + 600)

    assert get_match(quartet).seat(0).status == VACANT
    assert [e.text for e in match_log.entries(quartet) if e.kind == "timeout"] == ["1"]
    assert "stand_in" in kinds()


def test_ally_the_partner_plays_on_for_both(quartet: str) -> None:
    days = begun(quartet, policy="ally")
    days.passes(LIMIT + GRACE + 600)

    match = get_match(quartet)
    assert (match.seat(0).player, match.seat(0).status) == (match.seat(2).player, JOINED)
    assert "briefing" in kinds()
    answer(quartet, 0, days.now)
    assert match_log.entries(quartet)[-1].kind == "action"


def test_where_nothing_is_usual_the_match_waits_for_a_stand_in(
    stored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registry.GAMES, "quartet", Quartet())
    match = four_sit_down(stern=True)
    days = begun(match, policy="default")
    days.passes(LIMIT + GRACE + 3 * DAY, step=600)

    assert get_match(match).head_seq == 0
    assert get_match(match).status == LIVE
    assert get_match(match).seat(0).status == VACANT
