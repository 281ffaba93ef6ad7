"""What is due: alarms are rows, any number of workers may look, each alarm rings once.

Time is believed only while it behaves. A ticker compares the wall clock with one that cannot be
set; when they part, or when the wall clock is behind the last tick or weeks ahead of it, nobody is
reminded or timed out until they agree again or an operator has looked. Downtime is the server's
fault: every running clock gets it back. Maintenance is a silence that an operator has asked for.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from typing import Literal, NamedTuple

from pbem.db.store import execute, hold_match, row, rows, writing
from pbem.deadlines import DAY, HOUR, MINUTE
from pbem.errors import whereabouts
from pbem.services.match import timeouts
from pbem.services.moderation import merging
from pbem.services.records.match_rows import LIVE, MatchRecord, TurnRecord, find_turn, get_match
from pbem.services.records.player_rows import get_player
from pbem.services.seats import stand_ins
from pbem.services.time import clocks, reminders, stalled_turns

log = logging.getLogger(__name__)

BATCH = 200
TOGETHER = 25
"""Players reminded in one transaction."""
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
MOST_AT_ONCE, MOST_SHARE = 10, 0.05
"""More time-outs than both in one tick are held until a person has looked."""
LET_GO = HOUR
SET_ASIDE = HOUR
"""When to look again at something that cannot be handled."""


class Due(NamedTuple):
    kind: str
    subject: str
    at: int


class Ticked(NamedTuple):
    """What a tick has done."""

    reminded: int = 0
    late: int = 0
    timed_out: int = 0
    held: int = 0
    other: int = 0
    is_trusted: bool = True

    def and_then(self, more: Ticked) -> Ticked:
        return Ticked(
            self.reminded + more.reminded,
            self.late + more.late,
            self.timed_out + more.timed_out,
            self.held + more.held,
            self.other + more.other,
        )


def find_due(now: int, most: int = BATCH) -> list[Due]:
    """The alarms that have to ring, earliest first."""
    found = rows("SELECT kind, subject, at FROM due WHERE at <= ? ORDER BY at LIMIT ?", now, most)
    return [Due(*values) for values in found]


# --- can the clock be believed? ------------------------------------------------------------------


class Heartbeat(NamedTuple):
    ticked_at: int
    suspect_since: int | None
    why: str
    held_since: int | None
    let_go_until: int | None
    maintenance_since: int | None
    maintenance_why: str


def heartbeat() -> Heartbeat | None:
    found = row(
        "SELECT ticked_at, suspect_since, why, held_since, let_go_until, maintenance_since,"
        " maintenance_why FROM heartbeat WHERE id = 1"
    )
    return Heartbeat(*found) if found else None


class Ticker:
    """One worker's look at the clock; it remembers its ticks by a clock that cannot be set."""

    def __init__(self) -> None:
        self._trusted: Tick | None = None
        self._before: Tick | None = None
        self._agreed = 0

    def tick(self, now: int, monotonic: float) -> Ticked:
        """Do what is due, if the time can be believed."""
        this = Tick(now, monotonic)
        is_steady = self._before is None or abs(this.jump(self._before)) <= JUMP
        self._agreed = self._agreed + 1 if is_steady else 0
        self._before = this
        with writing():
            beat = _hold_heartbeat(now)
            if beat.maintenance_since is not None:
                return Ticked()
            why = self._doubt(beat, this)
            if why:
                _suspect(beat, why, now)
                return Ticked(is_trusted=False)
            self._trusted = this
            _believe(beat, now)
        return _ring(now)

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


def _hold_heartbeat(now: int) -> Heartbeat:
    """The heartbeat for this transaction alone; the first tick of all makes it."""
    execute(
        "INSERT INTO heartbeat (id, ticked_at, why) VALUES (1, ?, '') ON CONFLICT (id) DO NOTHING",
        now,
    )
    execute("UPDATE heartbeat SET id = 1 WHERE id = 1")  # other workers wait here
    beat = heartbeat()
    assert beat is not None, "it was just made"
    return beat


def _suspect(beat: Heartbeat, why: str, now: int) -> None:
    if beat.suspect_since is None:
        log.critical("time is not believed, nobody is timed out: %s; see pbem clock show", why)
        execute("UPDATE heartbeat SET suspect_since = ?, why = ? WHERE id = 1", now, why)


def _believe(beat: Heartbeat, now: int) -> None:
    """Give back what was lost, then remember this tick."""
    gap = now - beat.ticked_at
    _give_back(beat, now)
    if beat.suspect_since is not None or gap < -BACKWARDS:
        log.warning("time is believed again")
        _mend(beat, now)
    execute("UPDATE heartbeat SET ticked_at = ?, suspect_since = NULL, why = '' WHERE id = 1", now)


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
        beat = _hold_heartbeat(now)
        _give_back(beat, now)
        if beat.suspect_since is not None:
            _mend(beat, now)
        execute(
            "UPDATE heartbeat SET ticked_at = ?, suspect_since = NULL, why = '',"
            " held_since = NULL, let_go_until = ? WHERE id = 1",
            now,
            now + LET_GO,
        )


# --- a silence that is asked for ------------------------------------------------------------------


def hold_all(why: str, now: int) -> bool:
    """No clock runs and nobody is reminded or timed out from now on; False if that is so already.

    Ticks are not noted meanwhile, so the end finds the silence as it finds downtime.
    """
    with writing():
        beat = _hold_heartbeat(now)
        if beat.maintenance_since is not None:
            return False
        execute(
            "UPDATE heartbeat SET maintenance_since = ?, maintenance_why = ? WHERE id = 1", now, why
        )
        return True


def let_go(now: int) -> int | None:
    """Clocks run again, each with what it had; seconds given back, None if nothing was held.

    While the clock is in doubt nothing is given: whoever confirms it gives all of it.
    """
    with writing():
        beat = _hold_heartbeat(now)
        if beat.maintenance_since is None:
            return None
        given = _give_back(beat, now) if beat.suspect_since is None else 0
        execute(
            "UPDATE heartbeat SET maintenance_since = NULL, maintenance_why = '', ticked_at = ?"
            " WHERE id = 1",
            beat.ticked_at + given,
        )
        return given


# --- what rings ----------------------------------------------------------------------------------


class Ringing(NamedTuple):
    """An alarm of a turn, with what it rings for."""

    due: Due
    turn: TurnRecord
    match: MatchRecord
    why: Literal["remind", "late", "wait", "timeout"]


def _ring(now: int) -> Ticked:
    total = Ticked()
    while clocks.held_from() is None and (batch := find_due(now)):
        total = total.and_then(_ring_batch(batch, now, total.timed_out))
    return total


def _ring_batch(batch: list[Due], now: int, timed_out: int) -> Ticked:
    ringing, other = list[Ringing](), 0
    for due in batch:
        if due.kind != clocks.TURN:
            other += _alone(due, now)
        elif (found := _ringing(due, now)) is None:
            _rearm(due, now)
        else:
            ringing.append(found)
    reminded = _remind([one for one in ringing if one.why == "remind"], now)
    late = sum(_late(one, now) for one in ringing if one.why in ("late", "wait"))
    out = [one for one in ringing if one.why == "timeout"]
    if out and _are_too_many(timed_out + len(out), now):
        _hold_back(out, now)
        return Ticked(reminded, late, 0, len(out), other)
    ended = sum(_late(one, now) for one in out)
    return Ticked(reminded, late, ended, 0, other)


def _ringing(due: Due, now: int) -> Ringing | None:
    """What an alarm rings for; alarms are not trusted: the tables say what is true now."""
    turn = find_turn(int(due.subject))
    if turn is None or not turn.is_open or turn.since is None:
        return None
    match = get_match(turn.match)
    if match.status != LIVE or match.paused_at is not None:
        return None
    if now >= turn.deadline_at:
        return Ringing(due, turn, match, timeouts.what_comes(match, turn, now))
    plan = clocks.plan(match, turn, clocks.player_at_turn(match, turn))
    reminds = any(m.kind == "remind" and due.at <= m.at <= now for m in plan)
    return Ringing(due, turn, match, "remind") if reminds else None


def _claim(due: Due, now: int) -> bool:
    """Take an alarm for this transaction; nobody else has it. Whoever handles it sets the next."""
    taken = execute(
        "UPDATE due SET at = ? WHERE kind = ? AND subject = ? AND at = ?",
        now + SET_ASIDE,
        due.kind,
        due.subject,
        due.at,
    )
    return taken == 1


def _rearm(due: Due, now: int) -> None:
    with writing():
        if _claim(due, now):
            clocks.arm_turn(int(due.subject), now)


def _remind(ringing: list[Ringing], now: int) -> int:
    """One letter for each player, however many of his turns ring."""
    by_player = defaultdict[int, list[Ringing]](list)
    for one in ringing:
        player = one.match.seat(one.turn.seat).player
        assert player is not None, "nobody is not reminded"
        by_player[player].append(one)
    players, reminded = list(by_player.items()), 0
    for start in range(0, len(players), TOGETHER):
        with writing():
            for player, alarms in players[start : start + TOGETHER]:
                reminded += _remind_player(player, alarms, now)
    return reminded


def _remind_player(player: int, alarms: list[Ringing], now: int) -> int:
    claimed = [one.turn for one in alarms if _claim(one.due, now)]
    for turn in claimed:
        clocks.arm_turn(turn.id, now)
    due = [turn for turn in claimed if _is_asked(turn)]
    if not due or reminders.is_away(player, now):
        return 0
    reminders.remind(get_player(player), due, now)
    return len(due)


def _is_asked(turn: TurnRecord) -> bool:
    """Whether the turn is still what it was a moment ago, now that nobody else writes."""
    found = row("SELECT closed_seq, since, deadline_at FROM turn WHERE id = ?", turn.id)
    return found == (None, turn.since, turn.deadline_at)


def _late(one: Ringing, now: int) -> int:
    """Lateness or its end, in a transaction of its own; one bad match stops no other."""
    try:
        with writing():
            hold_match(one.match.id)
            if not _claim(one.due, now):
                return 0
            if not _is_asked(one.turn):
                clocks.arm_turn(one.turn.id, now)
                return 0
            if clocks.held_from() is not None:
                clocks.arm(clocks.TURN, one.turn.id, one.due.at)
                return 0
            if one.why == "late":
                timeouts.be_late(one.turn, now)
                return 1
            return int(timeouts.run_out(one.turn, now))
    except Exception as error:  # whatever is wrong with one match, the others have their time
        why = whereabouts(error)
        log.error("cannot end a turn match=%s turn=%s why=%s", one.match.id, one.turn.id, why)
        _set_aside(one.due, now)
        return 0


def _alone(due: Due, now: int) -> int:
    """An alarm of another kind, in a transaction of its own."""
    try:
        with writing():
            if not _claim(due, now):
                return 0
            match due.kind:
                case clocks.PAUSE:
                    clocks.resume(due.subject, now, end=due.at)
                case clocks.DIGEST:
                    reminders.digest(int(due.subject), now)
                case clocks.LOAN:
                    clocks.disarm(clocks.LOAN, due.subject)
                    stand_ins.change_over(int(due.subject), now)
                case clocks.ADDRESS:
                    merging.come_into_force(int(due.subject), now)
            return 1
    except Exception as error:  # as above
        why = whereabouts(error)
        log.error("cannot do what is due kind=%s subject=%s why=%s", due.kind, due.subject, why)
        _set_aside(due, now)
        return 0


def _set_aside(due: Due, now: int) -> None:
    with writing():
        _claim(due, now)


# --- too much at once ----------------------------------------------------------------------------


def _are_too_many(count: int, now: int) -> bool:
    """Whether so many time-outs in one tick are rather a fault of ours than of the players."""
    beat = heartbeat()
    if beat is not None and beat.let_go_until is not None and now <= beat.let_go_until:
        return False
    if beat is not None and beat.held_since is not None:
        return True
    found = row(f"SELECT COUNT(*) FROM turn WHERE {_RUNNING}")
    running = int(found[0]) if found else 0
    return count > max(MOST_AT_ONCE, MOST_SHARE * running)


def _hold_back(out: list[Ringing], now: int) -> None:
    with writing():
        held = execute(
            "UPDATE heartbeat SET held_since = ? WHERE id = 1 AND held_since IS NULL", now
        )
        if held:
            log.critical(
                "%s time-outs at once: held until somebody runs pbem clock confirm", len(out)
            )
        for one in out:
            execute(
                "UPDATE due SET at = ? WHERE kind = ? AND subject = ? AND at = ?",
                now + timeouts.LOOK_AGAIN,
                one.due.kind,
                one.due.subject,
                one.due.at,
            )
