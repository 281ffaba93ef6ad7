"""How fast and how reliably players answer, read from the turns of a year."""

from __future__ import annotations

import time

import pytest

from engine.chance import QuickDice
from pbem.db import store
from pbem.deadlines import DAY, HOUR
from pbem.services.match import matches, turns
from pbem.services.players import accounts, punctuality
from pbem.services.players.punctuality import LOOKED_BACK, Punctuality
from pbem.services.records.match_rows import locked
from pbem.services.time import clocks
from tests.services.people import EVE, NOW, Sitting, an_order, turn_of


def play(sitting: Sitting, lengths: list[int], first: int = NOW) -> dict[int, list[int]]:
    """Turns answered after so many seconds each; what that makes for each seat.

    A turn may take several orders; its length is that of the last of them.
    """
    taken: dict[int, list[int]] = {0: [], 1: []}
    at = first
    for length in lengths:
        with locked(sitting.match):
            clocks.start(turn_of(sitting.match).id, at)
        asked = turn_of(sitting.match)
        while turn_of(sitting.match).id == asked.id:
            turn, order = an_order(sitting.match, QuickDice(b"%d" % at))
            turns.submit(turn.id, [order], at + length)
        taken[asked.seat].append(length)
        at += length + HOUR
    return taken


def test_nothing_is_said_of_a_newcomer(sitting: Sitting) -> None:
    taken = play(sitting, [HOUR, HOUR, HOUR, HOUR])
    known = punctuality.of([sitting.ann, sitting.bob], NOW + DAY)

    assert {len(lengths) for lengths in taken.values()} == {2}
    assert known == {}
    assert punctuality.of([], NOW) == {}


def test_the_median_and_the_share_in_time(sitting: Sitting) -> None:
    lengths = [HOUR, 2 * HOUR, 3 * HOUR, 5 * DAY, 9 * HOUR, 4 * DAY, 7 * HOUR, HOUR]
    taken = play(sitting, lengths)
    known = punctuality.of([sitting.ann, sitting.bob, 999], NOW + 30 * DAY)

    for player, seat in ((sitting.ann, 0), (sitting.bob, 1)):
        own = sorted(taken[seat])
        late = sum(length > 3 * DAY for length in own)
        middle = (own[len(own) // 2] + own[(len(own) - 1) // 2]) // 2
        assert known[player] == Punctuality(len(own), len(own) - late, middle)
    assert known.keys() == {sitting.ann, sitting.bob}


def test_what_is_older_than_a_year_is_forgotten(sitting: Sitting) -> None:
    play(sitting, [HOUR] * 8)

    assert len(punctuality.of([sitting.ann], NOW + LOOKED_BACK - HOUR)) == 1
    assert punctuality.of([sitting.ann], NOW + LOOKED_BACK + 2 * DAY) == {}


def test_a_turn_that_was_cut_short_says_nothing(sitting: Sitting) -> None:
    taken = play(sitting, [HOUR] * 6)
    asked = turn_of(sitting.match)
    with locked(sitting.match):
        clocks.start(asked.id, NOW + 2 * DAY)
    matches.resign(sitting.match, 1 - asked.seat, NOW + 20 * DAY)
    known = punctuality.of([sitting.ann, sitting.bob], NOW + 30 * DAY)

    player = (sitting.ann, sitting.bob)[asked.seat]
    assert known[player].turns == len(taken[asked.seat])


def test_a_turn_whose_clock_never_ran_says_nothing(sitting: Sitting) -> None:
    play(sitting, [HOUR] * 6)
    with locked(sitting.match):
        store.execute("UPDATE turn SET started_at = NULL")

    assert punctuality.of([sitting.ann, sitting.bob], NOW + DAY) == {}


def test_what_the_clock_has_ended_was_not_in_time(sitting: Sitting) -> None:
    taken = play(sitting, [HOUR, 2 * HOUR, 3 * HOUR, 4 * HOUR, 5 * HOUR, 6 * HOUR])
    turn, seq = last_turn_of_bob()
    store.execute("UPDATE turn SET missed = ? WHERE id = ?", True, turn)
    store.execute("UPDATE entry SET kind = 'timeout' WHERE seq = ?", seq)
    (known,) = punctuality.of([sitting.bob], NOW + 30 * DAY).values()

    assert (known.turns, known.in_time) == (len(taken[1]), len(taken[1]) - 1)
    assert known.usual == sum(taken[1][:-1]) // len(taken[1][:-1]), "of two, or of equal ones"


def test_a_forfeit_was_not_in_time(sitting: Sitting) -> None:
    play(sitting, [HOUR] * 6)
    _, seq = last_turn_of_bob()
    store.execute("UPDATE entry SET kind = 'forfeit' WHERE seq = ?", seq)
    (known,) = punctuality.of([sitting.bob], NOW + 30 * DAY).values()

    assert known.turns - known.in_time == 1


def last_turn_of_bob() -> tuple[int, int]:
    """Its number, and the entry that ended it."""
    found = store.row(
        "SELECT id, closed_seq FROM turn WHERE seat = 1 AND closed_seq IS NOT NULL"
        " ORDER BY id DESC LIMIT 1"
    )
    assert found is not None
    return found[0], found[1]


def test_a_turn_with_two_letters_is_one_turn(sitting: Sitting) -> None:
    asked = turn_of(sitting.match)
    matches.revoke_links(sitting.match, asked.seat, NOW + 1)
    taken = play(sitting, [HOUR] * 6)
    player = (sitting.ann, sitting.bob)[asked.seat]

    assert punctuality.of([player], NOW + DAY)[player].turns == len(taken[asked.seat])


def test_who_takes_over_a_seat_does_not_take_over_its_record(sitting: Sitting) -> None:
    play(sitting, [HOUR] * 8)
    eve = accounts.known_or_new(EVE, NOW).id
    store.execute(
        "UPDATE seat SET player_id = ? WHERE match_id = ? AND number = 1", eve, sitting.match
    )
    known = punctuality.of([sitting.bob, eve], NOW + 3 * DAY)

    assert known.keys() == {sitting.bob}


@pytest.mark.whole
def test_a_hundred_thousand_turns_are_no_burden(sitting: Sitting) -> None:
    """One player's turns are found by index, however many others there are."""
    crowd(sitting, 100_000)
    began = time.perf_counter()
    known = punctuality.of([sitting.ann, sitting.bob], NOW + DAY)
    took = time.perf_counter() - began

    assert known[sitting.bob].turns == 1_000
    assert known[sitting.ann].turns == 1_000
    assert took < 0.5, f"{took:.3f} s"


def crowd(sitting: Sitting, others: int) -> None:
    """A thousand turns each of Ann and Bob, among those of two hundred others."""
    with store.writing():
        store.execute(
            "INSERT INTO player (address, name, language, zone, created_at, epoch, news)"
            f" SELECT {_text('n')} || '@example.org', '', 'en', 'UTC', {NOW}, {NOW}, TRUE"
            f" FROM ({_numbers(200)}) numbers"
        )
        store.execute(
            "INSERT INTO entry (match_id, seq, at, actor, kind, text, draws, rules_version)"
            f" SELECT ?, n + 100, {NOW}, CASE WHEN n % 2 = 0 THEN 'usa' ELSE 'ussr' END, 'action',"
            f" '', '[]', 1 FROM ({_numbers(others)}) numbers",
            sitting.match,
        )
        store.execute(
            "INSERT INTO turn (match_id, seat, opened_seq, closed_seq, opened_at, closed_at,"
            " deadline_at, started_at)"
            f" SELECT ?, n % 2, n + 99, n + 100, {NOW}, {NOW} + n % 9999, {NOW + DAY}, {NOW}"
            f" FROM ({_numbers(others)}) numbers",
            sitting.match,
        )
        store.execute(
            "INSERT INTO outbox (dedupe, stream, kind, player_id, match_id, turn, about, epoch,"
            " state, attempts, next_at, lease_by, lease_until, last_error, created_at)"
            f" SELECT 'x' || {_text('t.id')}, 'x', 'turn',"
            "  CASE WHEN t.closed_seq < 2100 THEN CASE WHEN t.seat = 0 THEN ? ELSE ? END"
            "  ELSE (SELECT MAX(id) FROM player) - t.id % 200 END,"
            f" t.match_id, t.id, '{{}}', {NOW}, 'sent', 1, {NOW}, '', 0, '', {NOW}"
            " FROM turn t WHERE t.closed_seq >= 100",
            sitting.ann,
            sitting.bob,
        )
    store.execute("ANALYZE")


def _numbers(count: int) -> str:
    return (
        "WITH RECURSIVE counted (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counted"
        f" WHERE n < {count - 1}) SELECT n FROM counted"
    )


def _text(column: str) -> str:
    return f"CAST({column} AS VARCHAR(20))"
