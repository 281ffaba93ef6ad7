"""Clocks: they start, stand still, run out; each arms an alarm for its next moment.

Deadlines are rows in UTC seconds. The arithmetic is in `pbem.deadlines`; here it meets the tables.
"""

from __future__ import annotations

from typing import Any

from pbem import deadlines as arithmetic
from pbem.db.models import Match, MatchSeat, Turn
from pbem.db.reading import column
from pbem.db.store import execute, has_row_locks, hold_matches, marks, row, rows
from pbem.deadlines import DeadlineResult, Moment, Span
from pbem.errors import Stale
from pbem.services.records.match_rows import (
    GUEST,
    LIVE,
    MatchRecord,
    SeatRecord,
    TurnRecord,
    find_turn,
    find_turn_in_match,
    get_match,
    open_turns,
)
from pbem.services.records.player_rows import PlayerRecord, find_player
from pbem.services.time.alarms import TURN, arm, disarm
from pbem.services.time.heartbeat import clocks_stopped_at

NOBODY = arithmetic.Habits()


# --- the next moment ------------------------------------------------------------------------------


def plan(match: MatchRecord, turn: TurnRecord, player: PlayerRecord | None) -> tuple[Moment, ...]:
    """What is to be done about a running turn, and when."""
    assert turn.since is not None, "only a running turn has a plan"
    habits = player.habits if player else NOBODY
    return arithmetic.moments(match.clock, habits, turn.since, turn.deadline_at, _leads(player))


def _leads(player: PlayerRecord | None) -> tuple[int, ...] | None:
    """When to remind; never for nobody, for who wants none, or for who gets one letter a day."""
    if player is None or not player.reminders or player.digest_hour is not None:
        return ()
    return player.leads


def arm_turn(turn_id: int, now: int) -> None:
    """Set the alarm of a running turn to its next moment."""
    turn = find_turn(turn_id)
    if turn is None or not turn.is_open or turn.since is None:
        disarm(TURN, turn_id)
        return
    match = get_match(turn.match)
    _arm(match, turn, player_at_turn(match, turn), now)


def _arm(match: MatchRecord, turn: TurnRecord, player: PlayerRecord | None, now: int) -> None:
    coming = [moment.at for moment in plan(match, turn, player) if moment.at > now]
    arm(TURN, turn.id, coming[0] if coming else now + arithmetic.MINUTE)


def player_at_turn(match: MatchRecord, turn: TurnRecord) -> PlayerRecord | None:
    player = match.seat(turn.seat).player
    return find_player(player) if player is not None else None


# --- running -------------------------------------------------------------------------------------


def start(turn_id: int, now: int) -> None:
    """The clock of a turn begins to run, unless it does already; in a pause, when that is over.

    Runs in the caller's transaction, as everything below that takes a turn.
    """
    found = find_turn_in_match(turn_id)
    if found is not None:
        turn, match = found
        start_clock(match, turn, now)


def start_clock(match: MatchRecord, turn: TurnRecord, now: int) -> None:
    """The same for whoever has read the turn and its match in this transaction.

    No clock runs for a guest, who could not be told that it does.
    """
    if not turn.is_open or turn.started_at is not None or match.seat(turn.seat).status == GUEST:
        return
    player, runs = player_at_turn(match, turn), match.paused_at is None
    end = DeadlineResult(now + turn.budget, 0)
    if runs:
        end = _reckon(match, turn, player, now, turn.budget)
    begun: dict[str, Any] = {
        "started_at": now,
        "since": now if runs else None,
        "allowed": turn.budget,
        "deadline_at": end.at,
        "absent": end.absent,
    }
    if execute(_START, *begun.values(), turn.id) and runs:
        _arm(match, turn._replace(**begun), player, now)


_START = (
    "UPDATE turn SET started_at = ?, since = ?, allowed = ?, deadline_at = ?, absent = ?"
    " WHERE id = ? AND started_at IS NULL AND closed_seq IS NULL"
)
"""Each letter asks; built anew by peewee it would be a quarter of handing over a ready one."""


def change_turn(turn: int, **columns: Any) -> None:
    Turn.update(**columns).where(Turn.id == turn).execute()


def start_of_letters(letters: list[int], now: int) -> None:
    """The letters of these rows of the outbox were handed over: the turns they tell of begin.

    By hand, as every batch of letters asks (`make bench`, row "draining").
    """
    for turn, _ in _waiting_turns(letters):
        start(turn, now)


def hold_waiting_matches(letters: list[int]) -> None:
    """Hold the matches in which clocks may wait for these letters, before they start."""
    if has_row_locks():
        hold_matches(match for _, match in _waiting_turns(letters))


def _waiting_turns(letters: list[int]) -> list[tuple[Any, ...]]:
    return rows(
        "SELECT DISTINCT turn.id, turn.match_id FROM turn JOIN outbox ON outbox.turn = turn.id"
        f" WHERE outbox.id IN ({marks(letters)}) AND outbox.kind = 'turn'"
        " AND turn.started_at IS NULL ORDER BY turn.id",
        *letters,
    )


def reckon(match: MatchRecord, turn: TurnRecord, start_at: int, budget: int) -> DeadlineResult:
    """When a turn ends that has so much time from an instant on."""
    return _reckon(match, turn, player_at_turn(match, turn), start_at, budget)


def _reckon(
    match: MatchRecord, turn: TurnRecord, player: PlayerRecord | None, start_at: int, budget: int
) -> DeadlineResult:
    habits, absences = _of_player(player)
    most = _most_absent(match, turn, start_at)
    return arithmetic.deadline(match.clock, habits, start_at, budget, absences, most)


def _most_absent(match: MatchRecord, turn: TurnRecord, at: int) -> int:
    """For how long absences may stop a turn from an instant on."""
    return max(0, pause_left(match, at, but=turn.id) - absent_until(match, turn, at))


def habits_and_absences(
    match: MatchRecord, turn: TurnRecord
) -> tuple[arithmetic.Habits, list[Span]]:
    return _of_player(player_at_turn(match, turn))


def _of_player(player: PlayerRecord | None) -> tuple[arithmetic.Habits, list[Span]]:
    return (player.habits, absences_of(player.id)) if player else (NOBODY, [])


def expected_deadline(match: MatchRecord, turn: TurnRecord, now: int) -> int:
    """The deadline of a turn; of one whose clock has not started, as if it did now."""
    if turn.started_at is not None:
        return turn.deadline_at
    return reckon(match, turn, now, turn.budget).at


def absences_of(player: int) -> list[Span]:
    """By hand, as every turn letter asks (`make bench`, row "turn letter from the log")."""
    found = rows(
        "SELECT start_at, end_at FROM absence WHERE player_id = ? ORDER BY start_at", player
    )
    return [Span(start, end) for start, end in found]


def pause_left(match: MatchRecord, now: int, but: int = 0) -> int:
    """For how long pauses and absences may still stop a match; one turn's own absence left out.

    By hand, as every turn letter asks (`make bench`, row "turn letter from the log").
    """
    found = row("SELECT SUM(absent) FROM turn WHERE match_id = ? AND id <> ?", match.id, but)
    (absent,) = found or (None,)
    running = now - match.paused_at if match.paused_at is not None else 0
    return max(0, match.clock.most_pause - match.paused_total - int(absent or 0) - running)


def run_from(turn: TurnRecord, since: int, allowed: int, now: int) -> None:
    """The turn has so many seconds from an instant on; it never ends earlier than it did."""
    match = get_match(turn.match)
    reckoned = reckon(match, turn, since, allowed)
    charge_absence(match, turn, since)
    change_turn(
        turn.id,
        since=since,
        allowed=allowed,
        deadline_at=max(turn.deadline_at, reckoned.at),
        absent=max(turn.absent, reckoned.absent) if since == turn.since else reckoned.absent,
    )
    arm_turn(turn.id, now)


def charge_absence(match: MatchRecord, turn: TurnRecord, at: int) -> None:
    """What a turn has used of its absence by an instant, the match has from then on."""
    used = absent_until(match, turn, at)
    if used:
        change_match(match.id, paused_total=Match.paused_total + used)
        change_turn(turn.id, absent=Turn.absent - used)


def change_match(match: str, **columns: Any) -> None:
    Match.update(**columns).where(Match.id == match).execute()


def absent_until(match: MatchRecord, turn: TurnRecord, at: int) -> int:
    """How much of the absence that a turn was given is over by an instant."""
    if turn.since is None:
        return turn.absent
    _, absences = habits_and_absences(match, turn)
    return _absent_in(turn, absences, at)


def _absent_in(turn: TurnRecord, absences: list[Span], at: int) -> int:
    if turn.since is None:
        return turn.absent
    spans = [Span(max(span.start, turn.since), min(span.end, at)) for span in absences]
    return min(turn.absent, sum(span.end - span.start for span in spans if span.end > span.start))


def end_at(turn: TurnRecord, at: int, now: int) -> None:
    """The turn ends at an instant: the only way in which that can be earlier than it was."""
    match = get_match(turn.match)
    habits, absences = habits_and_absences(match, turn)
    most = _most_absent(match, turn, now)
    charge_absence(match, turn, now)
    change_turn(
        turn.id,
        since=now,
        allowed=arithmetic.ran(match.clock, habits, now, at, absences, most),
        deadline_at=at,
        absent=absent_until(match, turn._replace(since=now, absent=most), at),
    )
    arm_turn(turn.id, now)


def time_anew(turn: TurnRecord, now: int) -> None:
    """A turn that a wrong clock has timed has all of its time: from now on, or behind a pause."""
    if turn.since is not None:
        forgotten = turn._replace(since=None, deadline_at=now, absent=0)
        run_from(forgotten, now, turn.budget, now)
    else:
        change_turn(turn.id, allowed=Turn.budget, deadline_at=Turn.budget + now)


def give_time(turn_id: int, seconds: int, now: int) -> None:
    """More time for a turn: behind what it has, or from now when that is used up."""
    turn = find_turn(turn_id)
    if turn is None or not turn.is_open or turn.since is None:
        raise Stale("this turn is over, or its clock is stopped")
    if turn.deadline_at > now:
        run_from(turn, turn.since, turn.allowed + seconds, now)
    else:
        run_from(turn, now, seconds, now)


def rereckon_player(player_id: int, now: int) -> None:
    """Habits or absences have changed: running turns end later for it, never earlier.

    Runs inside the transaction of whoever holds the matches of the player.
    """
    for turn in running_turns(player_id):
        assert turn.since is not None, "its clock runs"
        run_from(turn, turn.since, turn.allowed, now)


def running_turns(player: int) -> list[TurnRecord]:
    """The open turns of a player whose clocks run."""
    found = (
        Turn.select(Turn.id)
        .join(Match)
        .join(MatchSeat, on=(MatchSeat.match == Match.id) & (MatchSeat.number == Turn.seat))
        .where(
            MatchSeat.player == player,
            Match.status == LIVE,
            Turn.closed_seq.is_null(),
            Turn.since.is_null(False),
        )
        .order_by(Turn.deadline_at, Turn.id)
    )
    return [turn for number in column(found) if (turn := find_turn(number)) is not None]


# --- closing a turn ------------------------------------------------------------------------------


def turn_closed(
    match: MatchRecord, seat: SeatRecord, now: int, turn: TurnRecord | None = None
) -> None:
    """A seat has ended its turn by itself: its bank is filled up, its misses are forgotten.

    The turn is looked up unless it is known.
    """
    if seat.missed:
        change_seat(match.id, seat.number, missed=0)
    if turn is None:
        turn = next((t for t in open_turns(match.id) if t.seat == seat.number), None)
    if turn is None:
        return
    if match.clock.is_banked and not turn.is_inquiry:
        habits, absences = habits_and_absences(match, turn)
        _keep_used(turn, absences, now)
        _fill_bank(match, turn, habits, absences, now)
    else:
        keep_used_absence(match, turn, now)


def keep_used_absence(match: MatchRecord, turn: TurnRecord, now: int) -> None:
    """Of a turn that ends no more absence is charged than was used."""
    if turn.absent:
        _, absences = habits_and_absences(match, turn)
        _keep_used(turn, absences, now)


def _keep_used(turn: TurnRecord, absences: list[Span], now: int) -> None:
    if turn.absent:
        change_turn(turn.id, absent=_absent_in(turn, absences, now))


def _fill_bank(
    match: MatchRecord, turn: TurnRecord, habits: arithmetic.Habits, absences: list[Span], now: int
) -> None:
    used = turn.budget - turn.allowed
    if turn.since is not None:
        held = clocks_stopped_at()
        end = now if held is None else max(turn.since, min(now, held))
        used += arithmetic.ran(match.clock, habits, turn.since, end, absences, turn.absent)
    bank = arithmetic.banked(match.clock, turn.budget, max(0, used))
    change_seat(match.id, turn.seat, bank=bank)


def change_seat(match: str, number: int, **columns: Any) -> None:
    MatchSeat.update(**columns).where(
        MatchSeat.match == match, MatchSeat.number == number
    ).execute()
