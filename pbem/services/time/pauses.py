"""Pauses: all clocks of a match stand still, for as long as its players have agreed at most."""

from __future__ import annotations

from typing import Any

from pbem import deadlines as arithmetic
from pbem.db.models import Due, Match, MatchSeat, Turn
from pbem.db.reading import column
from pbem.db.store import writing
from pbem.errors import Refused, Stale
from pbem.services.players import limits
from pbem.services.records import letter_queue
from pbem.services.records.match_rows import (
    JOINED,
    LIVE,
    MatchRecord,
    TurnRecord,
    get_match,
    lock_match,
    open_turns,
)
from pbem.services.time import clocks
from pbem.services.time.alarms import PAUSE, TURN, arm, armed_at, disarm


def want_pause(match_id: str, number: int, now: int) -> bool:
    """A player wishes for a pause; it begins when all do. Whether it has."""
    with writing():
        match = _live(match_id)
        if match.paused_at is not None:
            raise Stale("the match is already paused")
        if clocks.pause_left(match, now) <= 0:
            raise Refused("this match has used up its agreed time for pauses; it goes on")
        if not match.seat(number).pause_wanted:
            limits.by_seat("pause", match.id, number, now)
        clocks.change_seat(match.id, number, pause_wanted=True)
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
            clocks.change_seat(match.id, number, pause_wanted=False)


def pause(match_id: str, now: int) -> None:
    """All clocks of a match stand still, for as long as its players have agreed at most."""
    with writing():
        match = _live(match_id)
        if match.paused_at is not None:
            raise Stale("the match is already paused")
        left = clocks.pause_left(match, now)
        if left <= 0:
            raise Refused("this match has used up its agreed time for pauses; it goes on")
        MatchSeat.update(pause_wanted=False).where(MatchSeat.match == match.id).execute()
        for turn in open_turns(match.id):
            if turn.started_at is not None:
                _stop(match, turn, now)
        _pause_until(match, now + left, now)


def _pause_until(match: MatchRecord, end: int, now: int) -> None:
    clocks.change_match(match.id, paused_at=now)
    arm(PAUSE, match.id, end)
    _announce(match, None, "paused", now, end=end)


def mend_pauses(ticked_at: int, now: int) -> None:
    """Pauses that a wrong clock has dated: they begin later than now, or should be over.

    An end before the last tick would have rung then, had it been told before.
    """
    found = (
        Match.select(Match.id)
        .join(Due, on=(Due.kind == PAUSE) & (Due.subject == Match.id))
        .where(Match.status == LIVE, (Match.paused_at > now) | (Due.at < ticked_at))
        .order_by(Match.id)
    )
    for match in column(found):
        _pause_anew(match, now)


def _pause_anew(match_id: str, now: int) -> None:
    """The pause begins now, and all are told when it ends.

    What its turns have used and have left was reckoned by a wrong clock too: they have all of it.
    """
    match = lock_match(match_id)
    if match.paused_at is None:
        return
    Turn.update(allowed=Turn.budget, absent=0).where(
        Turn.match == match.id, Turn.closed_seq.is_null()
    ).execute()
    _pause_until(match, now + clocks.pause_left(match, match.paused_at), now)


def _stop(match: MatchRecord, turn: TurnRecord, now: int) -> None:
    habits, absences = clocks.habits_and_absences(match, turn)
    used = clocks.absent_until(match, turn, now)
    left = arithmetic.ran(match.clock, habits, now, turn.deadline_at, absences, turn.absent - used)
    clocks.change_turn(turn.id, since=None, allowed=left, absent=used)
    disarm(TURN, turn.id)


def resume(match_id: str, now: int, by: int | None = None, end: int | None = None) -> None:
    """The clocks of a match run again, each with what it had left.

    The pause counts up to the end that all were told, its alarm; what comes after that, because
    nobody was there to end it, is our time.
    """
    with writing():
        match = lock_match(match_id)
        if match.paused_at is None:
            raise Stale("the match is not paused")
        if end is None:
            told = armed_at(PAUSE, match.id)
            end = now if told is None else told
        paused = max(0, min(now, end) - match.paused_at)
        clocks.change_match(match.id, paused_at=None, paused_total=Match.paused_total + paused)
        disarm(PAUSE, match.id)
        match = get_match(match_id)
        for turn in open_turns(match.id):
            if turn.started_at is not None:
                clocks.run_from(turn, now, turn.allowed, now)
        if match.status == LIVE:
            _announce(match, by, "resumed", now)


def _live(match_id: str) -> MatchRecord:
    match = lock_match(match_id)
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
    letter_queue.queue(owed, now)
