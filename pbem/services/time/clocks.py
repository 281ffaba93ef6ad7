"""Clocks: they start, stand still, run out; `due` holds the next moment of each.

Deadlines are rows in UTC seconds. The arithmetic is in `pbem.deadlines`; here it meets the tables.
"""

from __future__ import annotations

from typing import Any

from pbem import deadlines as arithmetic
from pbem.db.store import execute, row, rows, writing
from pbem.deadlines import Moment, Reckoned, Span
from pbem.errors import Refused, Stale
from pbem.services.players import limits
from pbem.services.records import letter_queue
from pbem.services.records.records import (
    JOINED,
    LIVE,
    MatchRecord,
    PlayerRecord,
    SeatRecord,
    TurnRecord,
    find_player,
    find_turn,
    get_match,
    hold,
    open_turns,
)

TURN, PAUSE, DIGEST, LOAN, ADDRESS = "turn", "pause", "digest", "loan", "address"
NOBODY = arithmetic.Habits()


# --- alarms --------------------------------------------------------------------------------------


def arm(kind: str, subject: object, at: int) -> None:
    """Set the one alarm of a thing; an older one is forgotten."""
    execute(
        "INSERT INTO due (kind, subject, at) VALUES (?, ?, ?)"
        " ON CONFLICT (kind, subject) DO UPDATE SET at = excluded.at",
        kind,
        str(subject),
        at,
    )


def disarm(kind: str, subject: object) -> None:
    execute("DELETE FROM due WHERE kind = ? AND subject = ?", kind, str(subject))


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
    coming = [m.at for m in plan(match, turn, player_at_turn(match, turn)) if m.at > now]
    arm(TURN, turn_id, coming[0] if coming else now + arithmetic.MINUTE)


def player_at_turn(match: MatchRecord, turn: TurnRecord) -> PlayerRecord | None:
    player = match.seat(turn.seat).player
    return find_player(player) if player is not None else None


# --- running -------------------------------------------------------------------------------------


def start(turn_id: int, now: int) -> None:
    """The clock of a turn begins to run, unless it does already; in a pause, when that is over.

    Runs in the caller's transaction, as everything below that takes a turn.
    """
    turn = find_turn(turn_id)
    if turn is None or not turn.is_open or turn.started_at is not None:
        return
    match = get_match(turn.match)
    runs = match.paused_at is None
    reckoned = reckon(match, turn, now, turn.budget) if runs else Reckoned(now + turn.budget, 0)
    moved = execute(
        "UPDATE turn SET started_at = ?, since = ?, allowed = ?, deadline_at = ?, absent = ?"
        " WHERE id = ? AND started_at IS NULL AND closed_seq IS NULL",
        now,
        now if runs else None,
        turn.budget,
        reckoned.at,
        reckoned.absent,
        turn.id,
    )
    if moved:
        arm_turn(turn.id, now)


def start_of_letters(letters: list[int], now: int) -> None:
    """The letters of these rows of the outbox were handed over: the turns they tell of begin."""
    marks = ", ".join(["?"] * len(letters))
    told = rows(
        "SELECT DISTINCT o.turn FROM outbox o JOIN turn t ON t.id = o.turn"
        f" WHERE o.kind = 'turn' AND t.started_at IS NULL AND o.id IN ({marks})",
        *letters,
    )
    for (turn,) in told:
        start(turn, now)


def reckon(match: MatchRecord, turn: TurnRecord, start_at: int, budget: int) -> Reckoned:
    """When a turn ends that has so much time from an instant on."""
    habits, absences = _habits_and_absences(match, turn)
    most = _most_absent(match, turn, start_at)
    return arithmetic.deadline(match.clock, habits, start_at, budget, absences, most)


def _most_absent(match: MatchRecord, turn: TurnRecord, at: int) -> int:
    """For how long absences may stop a turn from an instant on."""
    return max(0, pause_left(match, at, but=turn.id) - _absent_until(match, turn, at))


def _habits_and_absences(
    match: MatchRecord, turn: TurnRecord
) -> tuple[arithmetic.Habits, list[Span]]:
    player = player_at_turn(match, turn)
    return (player.habits, absences_of(player.id)) if player else (NOBODY, [])


def expected_deadline(match: MatchRecord, turn: TurnRecord, now: int) -> int:
    """The deadline of a turn; of one whose clock has not started, as if it did now."""
    if turn.started_at is not None:
        return turn.deadline_at
    return reckon(match, turn, now, turn.budget).at


def absences_of(player: int) -> list[Span]:
    found = rows(
        "SELECT start_at, end_at FROM absence WHERE player_id = ? ORDER BY start_at", player
    )
    return [Span(*values) for values in found]


def pause_left(match: MatchRecord, now: int, but: int = 0) -> int:
    """For how long pauses and absences may still stop a match; one turn's own absence left out."""
    found = row(
        "SELECT COALESCE(SUM(absent), 0) FROM turn WHERE match_id = ? AND id <> ?", match.id, but
    )
    absent = int(found[0]) if found else 0
    running = now - match.paused_at if match.paused_at is not None else 0
    return max(0, match.clock.most_pause - match.paused_total - absent - running)


def run_from(turn: TurnRecord, since: int, allowed: int, now: int) -> None:
    """The turn has so many seconds from an instant on; it never ends earlier than it did."""
    match = get_match(turn.match)
    reckoned = reckon(match, turn, since, allowed)
    charge_absence(match, turn, since)
    execute(
        "UPDATE turn SET since = ?, allowed = ?, deadline_at = ?, absent = ? WHERE id = ?",
        since,
        allowed,
        max(turn.deadline_at, reckoned.at),
        max(turn.absent, reckoned.absent) if since == turn.since else reckoned.absent,
        turn.id,
    )
    arm_turn(turn.id, now)


def charge_absence(match: MatchRecord, turn: TurnRecord, at: int) -> None:
    """What a turn has used of its absence by an instant, the match has from then on."""
    used = _absent_until(match, turn, at)
    if used:
        execute("UPDATE match SET paused_total = paused_total + ? WHERE id = ?", used, match.id)
        execute("UPDATE turn SET absent = absent - ? WHERE id = ?", used, turn.id)


def _absent_until(match: MatchRecord, turn: TurnRecord, at: int) -> int:
    """How much of the absence that a turn was given is over by an instant."""
    if turn.since is None:
        return turn.absent
    _, absences = _habits_and_absences(match, turn)
    spans = [Span(max(span.start, turn.since), min(span.end, at)) for span in absences]
    return min(turn.absent, sum(span.end - span.start for span in spans if span.end > span.start))


def end_at(turn: TurnRecord, at: int, now: int) -> None:
    """The turn ends at an instant: the only way in which that can be earlier than it was."""
    match = get_match(turn.match)
    habits, absences = _habits_and_absences(match, turn)
    most = _most_absent(match, turn, now)
    charge_absence(match, turn, now)
    execute(
        "UPDATE turn SET since = ?, allowed = ?, deadline_at = ?, absent = ? WHERE id = ?",
        now,
        arithmetic.ran(match.clock, habits, now, at, absences, most),
        at,
        _absent_until(match, turn._replace(since=now, absent=most), at),
        turn.id,
    )
    arm_turn(turn.id, now)


def time_anew(turn: TurnRecord, now: int) -> None:
    """A turn that a wrong clock has timed has all of its time: from now on, or behind a pause."""
    if turn.since is not None:
        forgotten = turn._replace(since=None, deadline_at=now, absent=0)
        run_from(forgotten, now, turn.budget, now)
    else:
        execute(
            "UPDATE turn SET allowed = budget, deadline_at = ? + budget WHERE id = ?", now, turn.id
        )


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
    """Habits or absences have changed: running turns end later for it, never earlier."""
    with writing():
        for turn in running_turns(player_id):
            assert turn.since is not None, "its clock runs"
            run_from(turn, turn.since, turn.allowed, now)


def running_turns(player: int) -> list[TurnRecord]:
    """The open turns of a player whose clocks run."""
    found = rows(
        "SELECT t.id FROM turn t JOIN seat s ON s.match_id = t.match_id AND s.number = t.seat"
        " JOIN match m ON m.id = t.match_id"
        " WHERE s.player_id = ? AND m.status = ? AND t.closed_seq IS NULL"
        " AND t.since IS NOT NULL ORDER BY t.deadline_at, t.id",
        player,
        LIVE,
    )
    return [turn for (number,) in found if (turn := find_turn(number)) is not None]


# --- closing a turn ------------------------------------------------------------------------------


def turn_closed(
    match: MatchRecord, seat: SeatRecord, now: int, turn: TurnRecord | None = None
) -> None:
    """A seat has ended its turn by itself: its bank is filled up, its misses are forgotten.

    The turn is looked up unless it is known.
    """
    if seat.missed:
        execute(
            "UPDATE seat SET missed = 0 WHERE match_id = ? AND number = ?", match.id, seat.number
        )
    if turn is None:
        turn = next((t for t in open_turns(match.id) if t.seat == seat.number), None)
    if turn is None:
        return
    keep_used_absence(match, turn, now)
    if match.clock.is_banked:
        _fill_bank(match, turn, now)


def keep_used_absence(match: MatchRecord, turn: TurnRecord, now: int) -> None:
    """Of a turn that ends no more absence is charged than was used."""
    if turn.absent:
        used = _absent_until(match, turn, now)
        execute("UPDATE turn SET absent = ? WHERE id = ?", used, turn.id)


def _fill_bank(match: MatchRecord, turn: TurnRecord, now: int) -> None:
    used = turn.budget - turn.allowed
    if turn.since is not None:
        habits, absences = _habits_and_absences(match, turn)
        held = held_from()
        end = now if held is None else max(turn.since, min(now, held))
        used += arithmetic.ran(match.clock, habits, turn.since, end, absences, turn.absent)
    execute(
        "UPDATE seat SET bank = ? WHERE match_id = ? AND number = ?",
        arithmetic.banked(match.clock, turn.budget, max(0, used)),
        match.id,
        turn.seat,
    )


def held_from() -> int | None:
    """From when on no clock runs, because of maintenance; None while they do."""
    found = row("SELECT ticked_at FROM heartbeat WHERE maintenance_since IS NOT NULL")
    return int(found[0]) if found else None


# --- pauses --------------------------------------------------------------------------------------


def want_pause(match_id: str, number: int, now: int) -> bool:
    """A player wishes for a pause; it begins when all do. Whether it has."""
    with writing():
        match = _live(match_id)
        if match.paused_at is not None:
            raise Stale("the match is already paused")
        if pause_left(match, now) <= 0:
            raise Refused("this match has used up its agreed time for pauses; it goes on")
        if not match.seat(number).pause_wanted:
            limits.by_seat("pause", match.id, number, now)
        execute(
            "UPDATE seat SET pause_wanted = ? WHERE match_id = ? AND number = ?",
            True,
            match.id,
            number,
        )
        others = [s for s in match.seats if s.number != number and s.status == JOINED]
        if all(seat.pause_wanted for seat in others):
            pause(match_id, now)
            return True
        if not match.seat(number).pause_wanted:
            _announce(match, number, "wants_pause", now)
        return False


def end_pause(match_id: str, number: int, now: int) -> None:
    """Any player may end a pause, or take back the wish for one."""
    with writing():
        match = _live(match_id)
        if match.paused_at is not None:
            resume(match_id, now, by=number)
        else:
            execute(
                "UPDATE seat SET pause_wanted = ? WHERE match_id = ? AND number = ?",
                False,
                match.id,
                number,
            )


def pause(match_id: str, now: int) -> None:
    """All clocks of a match stand still, for as long as its players have agreed at most."""
    with writing():
        match = _live(match_id)
        if match.paused_at is not None:
            raise Stale("the match is already paused")
        left = pause_left(match, now)
        if left <= 0:
            raise Refused("this match has used up its agreed time for pauses; it goes on")
        execute("UPDATE seat SET pause_wanted = ? WHERE match_id = ?", False, match.id)
        for turn in open_turns(match.id):
            if turn.started_at is not None:
                _stop(match, turn, now)
        _pause_until(match, now + left, now)


def _pause_until(match: MatchRecord, end: int, now: int) -> None:
    execute("UPDATE match SET paused_at = ? WHERE id = ?", now, match.id)
    arm(PAUSE, match.id, end)
    _announce(match, None, "paused", now, end=end)


def mend_pauses(ticked_at: int, now: int) -> None:
    """Pauses that a wrong clock has dated: they begin later than now, or should be over.

    An end before the last tick would have rung then, had it been told before.
    """
    found = rows(
        "SELECT m.id FROM match m JOIN due d ON d.kind = ? AND d.subject = m.id"
        " WHERE m.status = ? AND (m.paused_at > ? OR d.at < ?) ORDER BY m.id",
        PAUSE,
        LIVE,
        now,
        ticked_at,
    )
    for (match,) in found:
        _pause_anew(match, now)


def _pause_anew(match_id: str, now: int) -> None:
    """The pause begins now, and all are told when it ends.

    What its turns have used and have left was reckoned by a wrong clock too: they have all of it.
    """
    match = hold(match_id)
    if match.paused_at is None:
        return
    execute(
        "UPDATE turn SET allowed = budget, absent = 0 WHERE match_id = ? AND closed_seq IS NULL",
        match.id,
    )
    _pause_until(match, now + pause_left(match, match.paused_at), now)


def _stop(match: MatchRecord, turn: TurnRecord, now: int) -> None:
    habits, absences = _habits_and_absences(match, turn)
    used = _absent_until(match, turn, now)
    execute(
        "UPDATE turn SET since = NULL, allowed = ?, absent = ? WHERE id = ?",
        arithmetic.ran(match.clock, habits, now, turn.deadline_at, absences, turn.absent - used),
        used,
        turn.id,
    )
    disarm(TURN, turn.id)


def resume(match_id: str, now: int, by: int | None = None, end: int | None = None) -> None:
    """The clocks of a match run again, each with what it had left.

    The pause counts up to the end that all were told, its alarm; what comes after that, because
    nobody was there to end it, is our time.
    """
    with writing():
        match = hold(match_id)
        if match.paused_at is None:
            raise Stale("the match is not paused")
        if end is None:
            found = row("SELECT at FROM due WHERE kind = ? AND subject = ?", PAUSE, match.id)
            end = int(found[0]) if found else now
        execute(
            "UPDATE match SET paused_at = NULL, paused_total = paused_total + ? WHERE id = ?",
            max(0, min(now, end) - match.paused_at),
            match.id,
        )
        disarm(PAUSE, match.id)
        match = get_match(match_id)
        for turn in open_turns(match.id):
            if turn.started_at is not None:
                run_from(turn, now, turn.allowed, now)
        if match.status == LIVE:
            _announce(match, by, "resumed", now)


def _live(match_id: str) -> MatchRecord:
    match = hold(match_id)
    if match.status != LIVE:
        raise Stale("the match is not in progress")
    return match


def _announce(match: MatchRecord, by: int | None, what: str, now: int, end: int = 0) -> None:
    """Tell everybody but the one who did it."""
    about: dict[str, Any] = {"by": by, "what": what} | ({"end": end} if end else {})
    owed = [
        letter_queue.to_seat(match, seat, "away", f"{what}:{by}:{now}", **about)
        for seat in match.seats
        if seat.number != by and seat.player is not None and seat.status == JOINED
    ]
    letter_queue.owe(owed, now)
