"""Whether the machine's clock can be believed, and what is given back when it could not.

A worker compares the wall clock with one that cannot be set; when they part, or when the wall clock
is behind the last tick or weeks ahead of it, nobody is reminded or timed out until they agree again
or an operator has looked. Downtime is the server's fault: every running clock gets it back.
Maintenance is a silence that an operator has asked for.
"""

from __future__ import annotations

import logging
from typing import Literal, NamedTuple

from pbem.db.store import execute, rows, writing
from pbem.deadlines import DAY, HOUR, MINUTE
from pbem.services.records.match_rows import LIVE, find_turn
from pbem.services.records.player_rows import get_player
from pbem.services.time import clocks, reminders, stalled_turns
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


_OPEN = "closed_seq IS NULL AND match_id IN (SELECT id FROM match WHERE status = 'live')"
_RUNNING = f"{_OPEN} AND since IS NOT NULL"


def _give_back(beat: Heartbeat, now: int) -> int:
    """Every running clock gets the silence back, if it was one; how long it was."""
    gap = now - beat.ticked_at
    if gap <= (DOWN if beat.maintenance_since is None else 0):
        return 0
    log.warning("nobody has ticked for %s s; every running clock gets them back", gap)
    _credit(beat.ticked_at, now)
    if gap > DOWN:
        _give_notice(now)
    return gap


def _credit(begun: int, now: int) -> None:
    """Every running clock is moved by the silence, or by what it has run of it."""
    lost = "? - CASE WHEN since > ? THEN since ELSE ? END"
    ran = f"{_RUNNING} AND since < ?"
    execute(
        f"UPDATE due SET at = at + (SELECT {lost} FROM turn WHERE id = CAST(subject AS INTEGER))"
        " WHERE kind = 'turn' AND subject IN"
        f" (SELECT CAST(id AS VARCHAR(40)) FROM turn WHERE {ran})",
        now,
        begun,
        begun,
        now,
    )
    execute(
        f"UPDATE turn SET deadline_at = deadline_at + {lost}, since = since + {lost} WHERE {ran}",
        now,
        begun,
        begun,
        now,
        begun,
        begun,
        now,
    )


def _mend(beat: Heartbeat, now: int) -> None:
    """What was reckoned by a wrong clock: what lies in the past or years ahead begins anew."""
    wrong = f"{_OPEN} AND (since > ? OR deadline_at > ? + budget + ?)"
    for (number,) in rows(f"SELECT id FROM turn WHERE {wrong}", now, now, FAR):
        if (turn := find_turn(number)) is not None:
            clocks.time_anew(turn, now)
    clocks.mend_pauses(beat.ticked_at, now)
    stalled_turns.mend_letters(now)
    _give_notice(now)


def _give_notice(now: int) -> None:
    """No turn ends before its player could be told: half a day at least, and a letter now."""
    for (player,) in rows(
        "SELECT DISTINCT s.player_id FROM turn t JOIN match m ON m.id = t.match_id"
        " JOIN seat s ON s.match_id = t.match_id AND s.number = t.seat"
        " WHERE m.status = ? AND t.closed_seq IS NULL AND t.since IS NOT NULL"
        " AND t.deadline_at < ? AND s.player_id IS NOT NULL",
        LIVE,
        now + NOTICE,
    ):
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
