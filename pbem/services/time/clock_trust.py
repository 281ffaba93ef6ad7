"""Whether the machine's clock can be believed, and what is given back when it could not.

A worker compares the wall clock with one that cannot be set; when they part, or when the wall clock
is behind the last tick or weeks ahead of it, nobody is reminded or timed out until they agree again
or an operator has looked. Downtime is the server's fault: every running clock gets it back.
Maintenance is a silence that an operator has asked for.
"""

from __future__ import annotations

import logging
from typing import Literal, NamedTuple

from peewee import Case

from pbem.db.models import Due, Match, MatchSeat, Turn
from pbem.db.reading import column
from pbem.db.store import writing
from pbem.deadlines import DAY, HOUR, MINUTE
from pbem.services.records.match_rows import LIVE, find_turn, hold_live_matches
from pbem.services.records.player_rows import get_player
from pbem.services.time import clocks, pauses, reminders, stalled_turns
from pbem.services.time.alarms import TURN
from pbem.services.time.heartbeat import Heartbeat, change, lock_heartbeat

log = logging.getLogger(__name__)

JUMP = MINUTE
"""How far two clocks may part between two ticks."""
BACKWARDS = 5
DOWN = 10 * MINUTE
"""A silence longer than this is downtime."""
SETTLED = 30
"""Ticks that must agree before a jump that hurts nobody is taken for the truth."""
LONGEST_DOWN = 14 * DAY
"""A silence longer than this may as well be a wrong clock: a person has to look."""
NOTICE = 12 * HOUR
"""What a turn whose time ran out while nobody could play still has."""
FAR = 120 * DAY
LET_GO = HOUR

Judgement = Literal["trusted", "doubted", "stopped"]


class ClockTrust:
    """One worker's look at the clock; it remembers its ticks by a clock that cannot be set."""

    def __init__(self) -> None:
        self._trusted: Tick | None = None
        self._before: Tick | None = None
        self._agreed = 0

    def judge(self, now: int, monotonic: float) -> Judgement:
        """Whether something may ring now; a time that is believed is remembered."""
        this = Tick(now, monotonic)
        is_steady = self._before is None or abs(this.jump(self._before)) <= JUMP
        self._agreed = self._agreed + 1 if is_steady else 0
        self._before = this
        with writing():
            beat = lock_heartbeat(now)
            if beat.maintenance_since is not None:
                return "stopped"
            why = self._doubt(beat, this)
            if why:
                _suspect(beat, why, now)
                return "doubted"
            self._trusted = this
            _believe(beat, now)
            return "trusted"

    def _doubt(self, beat: Heartbeat, this: Tick) -> str:
        """Why the time cannot be believed; empty when it can."""
        silence = this.now - beat.ticked_at
        if self._trusted is not None and not _was_confirmed(beat, this, self._trusted):
            jump = this.jump(self._trusted)
            if abs(jump) > JUMP and not (self._agreed >= SETTLED and jump <= LONGEST_DOWN):
                return f"the clock has jumped by {jump:+.0f} s"
        elif silence < -BACKWARDS and self._agreed < SETTLED:
            return f"the clock is {-silence} s behind the last tick"
        if silence > LONGEST_DOWN:
            return f"nobody has ticked for {silence // DAY} days, or the clock is wrong"
        return ""


class Tick(NamedTuple):
    now: int
    monotonic: float

    def jump(self, before: Tick) -> float:
        """By how much the wall clock has run ahead since then."""
        return (self.now - before.now) - (self.monotonic - before.monotonic)


def _was_confirmed(beat: Heartbeat, this: Tick, trusted: Tick) -> bool:
    """Whether somebody else, operator or worker, has found the same time right since then."""
    is_other = beat.ticked_at != trusted.now and beat.suspect_since is None
    return is_other and abs(this.now - beat.ticked_at) <= DOWN


def _suspect(beat: Heartbeat, why: str, now: int) -> None:
    if beat.suspect_since is None:
        log.critical("time is not believed, nobody is timed out: %s; see pbem clock show", why)
        change(suspect_since=now, why=why)


def _believe(beat: Heartbeat, now: int) -> None:
    """Give back what was lost, then remember this tick."""
    gap = now - beat.ticked_at
    _give_back(beat, now)
    if beat.suspect_since is not None or gap < -BACKWARDS:
        log.warning("time is believed again")
        _mend(beat, now)
    change(ticked_at=now, suspect_since=None, why="")


_live = Match.select(Match.id).where(Match.status == LIVE)
_is_open = Turn.closed_seq.is_null() & Turn.match.in_(_live)
_is_running = _is_open & Turn.since.is_null(False)


def _give_back(beat: Heartbeat, now: int) -> int:
    """Every running clock gets the silence back, if it was one; how long it was."""
    gap = now - beat.ticked_at
    if gap <= (DOWN if beat.maintenance_since is None else 0):
        return 0
    log.warning("nobody has ticked for %s s; every running clock gets them back", gap)
    hold_live_matches()
    _credit(beat.ticked_at, now)
    if gap > DOWN:
        _give_notice(now)
    return gap


def _credit(begun: int, now: int) -> None:
    """Every running clock is moved by the silence, or by what it has run of it."""
    ran = _is_running & (Turn.since < now)
    lost = now - Case(None, [(Turn.since > begun, Turn.since)], begun)
    of_alarm = Turn.select(lost).where(Turn.id == Due.subject.cast("INTEGER"))
    shaken = Turn.select(Turn.id.cast("VARCHAR(40)")).where(ran)
    Due.update(at=Due.at + of_alarm).where(Due.kind == TURN, Due.subject.in_(shaken)).execute()
    Turn.update(deadline_at=Turn.deadline_at + lost, since=Turn.since + lost).where(ran).execute()


def _mend(beat: Heartbeat, now: int) -> None:
    """What was reckoned by a wrong clock: what lies in the past or years ahead begins anew."""
    hold_live_matches()
    wrong = (Turn.since > now) | (Turn.deadline_at > Turn.budget + now + FAR)
    for number in column(Turn.select(Turn.id).where(_is_open, wrong)):
        if (turn := find_turn(number)) is not None:
            clocks.time_anew(turn, now)
    pauses.mend_pauses(beat.ticked_at, now)
    stalled_turns.mend_letters(now)
    _give_notice(now)


def _give_notice(now: int) -> None:
    """No turn ends before its player could be told: half a day at least, and a letter now."""
    short_of_time = (
        MatchSeat.select(MatchSeat.player)
        .distinct()
        .join(Turn, on=(Turn.match == MatchSeat.match) & (Turn.seat == MatchSeat.number))
        .where(_is_running, Turn.deadline_at < now + NOTICE, MatchSeat.player.is_null(False))
    )
    for player in column(short_of_time):
        short = [t for t in clocks.running_turns(player) if t.deadline_at < now + NOTICE]
        for turn in short:
            clocks.run_from(turn, now, NOTICE, now)
        if not reminders.is_away(player, now):  # who is away has his time, and is told, after it
            reminders.remind(get_player(player), short, now)


def confirm(now: int) -> None:
    """An operator has looked at the clock: it is right, and held time-outs may come."""
    with writing():
        beat = lock_heartbeat(now)
        _give_back(beat, now)
        if beat.suspect_since is not None:
            _mend(beat, now)
        change(
            ticked_at=now, suspect_since=None, why="", held_since=None, let_go_until=now + LET_GO
        )


# --- a silence that is asked for ------------------------------------------------------------------


def pause_all_clocks(why: str, now: int) -> bool:
    """No clock runs and nobody is reminded or timed out from now on; False if that is so already.

    Ticks are not noted meanwhile, so the end finds the silence as it finds downtime.
    """
    with writing():
        beat = lock_heartbeat(now)
        if beat.maintenance_since is not None:
            return False
        change(maintenance_since=now, maintenance_why=why)
        return True


def resume_all_clocks(now: int) -> int | None:
    """Clocks run again, each with what it had; seconds given back, None if nothing was held.

    While the clock is in doubt nothing is given: whoever confirms it gives all of it.
    """
    with writing():
        beat = lock_heartbeat(now)
        if beat.maintenance_since is None:
            return None
        given = _give_back(beat, now) if beat.suspect_since is None else 0
        change(maintenance_since=None, maintenance_why="", ticked_at=beat.ticked_at + given)
        return given
