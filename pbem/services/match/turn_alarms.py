"""The alarm of a turn: a reminder, lateness, a time-out; and a brake when there are too many."""

from __future__ import annotations

import logging
from collections import defaultdict
from typing import Literal, NamedTuple

from peewee import PeeweeException

from pbem.db.models import Heartbeat, Match, Turn
from pbem.db.store import hold_match, hold_players, writing
from pbem.deadlines import MINUTE
from pbem.services.match import timeouts
from pbem.services.records import incoming_mails
from pbem.services.records.match_rows import LIVE, MatchRecord, TurnRecord, find_turn, get_match
from pbem.services.records.player_rows import get_player
from pbem.services.time import absences, alarms, clocks, reminders
from pbem.services.time.alarms import Alarm, Rung
from pbem.services.time.heartbeat import clocks_stopped_at, heartbeat

log = logging.getLogger(__name__)

TOGETHER = 25
"""Players reminded in one transaction."""
READ_AGAIN = MINUTE
"""When to look again at a turn whose letter was answered, and nobody has read the answer yet."""
MOST_AT_ONCE, MOST_SHARE = 10, 0.05
"""More time-outs than both in one tick are held until a person has looked."""


class Ringing(NamedTuple):
    """An alarm of a turn, with what it rings for."""

    alarm: Alarm
    turn: TurnRecord
    match: MatchRecord
    why: Literal["remind", "late", "wait", "timeout"]


def ring(batch: list[Alarm], now: int, so_far: Rung) -> Rung:
    """The handler of these alarms; see `pbem.services.time.alarms`."""
    ringing = [found for alarm in batch if (found := _read(alarm, now)) is not None]
    reminded = remind([one for one in ringing if one.why == "remind"], now)
    late = sum([end_time(one, now) for one in ringing if one.why in ("late", "wait")])
    out = [one for one in ringing if one.why == "timeout"]
    if out and _are_too_many(so_far.timed_out + len(out), now):
        _hold_back(out, now)
        return Rung(reminded, late, held=len(out))
    return Rung(reminded, late, timed_out=sum([end_time(one, now) for one in out]))


def _read(alarm: Alarm, now: int) -> Ringing | None:
    """What an alarm rings for; one that rings for nothing is armed anew, one bad row stops none."""
    try:
        found = what_rings(alarm, now)
        if found is None:
            _rearm(alarm, now)
        return found
    except PeeweeException:
        raise  # a database that is away says nothing about an alarm
    except Exception as error:  # whatever is wrong with one match, the others have their time
        alarms.set_aside(alarm, error, now)
        return None


def what_rings(alarm: Alarm, now: int) -> Ringing | None:
    """What an alarm rings for; alarms are not trusted: the tables say what is true now."""
    turn = find_turn(int(alarm.subject))
    if turn is None or not turn.is_open or turn.since is None:
        return None
    match = get_match(turn.match)
    if match.status != LIVE or match.paused_at is not None or match.is_outdated:
        return None
    if now >= turn.deadline_at:
        return Ringing(alarm, turn, match, timeouts.timeout_stage(match, turn, now))
    plan = clocks.plan(match, turn, clocks.player_at_turn(match, turn))
    reminds = any(m.kind == "remind" and alarm.at <= m.at <= now for m in plan)
    return Ringing(alarm, turn, match, "remind") if reminds else None


def _rearm(alarm: Alarm, now: int) -> None:
    with writing():
        if alarms.claim(alarm, now):
            clocks.arm_turn(int(alarm.subject), now)


def _is_unchanged(turn: TurnRecord) -> bool:
    """Whether the turn is still what it was a moment ago, now that nobody else writes."""
    found = find_turn(turn.id)
    return found is not None and (found.closed_seq, found.since, found.deadline_at) == (
        None,
        turn.since,
        turn.deadline_at,
    )


# --- reminders -----------------------------------------------------------------------------------


def remind(ringing: list[Ringing], now: int) -> int:
    """One letter for each player, however many of the player's turns ring."""
    by_player = defaultdict[int, list[Ringing]](list)
    for one in ringing:
        player = one.match.seat(one.turn.seat).player
        assert player is not None, "nobody is not reminded"
        by_player[player].append(one)
    players, reminded = list(by_player.items()), 0
    for start in range(0, len(players), TOGETHER):
        together = players[start : start + TOGETHER]
        try:
            with writing():
                hold_players(player for player, _ in together)
                reminded += sum([_remind_player(*one, now) for one in together])
        except PeeweeException:
            raise
        except Exception:  # whatever is wrong with one player, the others are reminded
            reminded += sum([_remind_alone(*one, now) for one in together])
    return reminded


def _remind_alone(player: int, ringing: list[Ringing], now: int) -> int:
    """The same in a transaction of its own; what fails is looked at again later."""
    try:
        with writing():
            hold_players([player])
            return _remind_player(player, ringing, now)
    except PeeweeException:
        raise
    except Exception as error:
        for one in ringing:
            alarms.set_aside(one.alarm, error, now)
        return 0


def _remind_player(player: int, ringing: list[Ringing], now: int) -> int:
    claimed = [one.turn for one in ringing if alarms.claim(one.alarm, now)]
    for turn in claimed:
        clocks.arm_turn(turn.id, now)
    waiting = [turn for turn in claimed if _is_unchanged(turn)]
    if not waiting or reminders.is_away(player, now):
        return 0
    reminders.remind(get_player(player), waiting, now)
    return len(waiting)


# --- the end of the time -------------------------------------------------------------------------


def _hold(one: Ringing) -> None:
    """Who is late burns vacation in all matches at once: then all of them are held."""
    player = one.match.seat(one.turn.seat).player
    if one.why == "late" and player is not None:
        absences.hold(player)
    else:
        hold_match(one.match.id)


def end_time(one: Ringing, now: int) -> bool:
    """Lateness or its end, in a transaction of its own; one bad match stops no other."""
    try:
        with writing():
            _hold(one)
            if not alarms.claim(one.alarm, now):
                return False
            if not _is_unchanged(one.turn):
                clocks.arm_turn(one.turn.id, now)
                return False
            if clocks_stopped_at() is not None:
                alarms.arm(alarms.TURN, one.turn.id, one.alarm.at)
                return False
            if incoming_mails.is_reply_waiting(one.turn.id):
                alarms.arm(alarms.TURN, one.turn.id, now + READ_AGAIN)
                return False
            if one.why == "late":
                timeouts.mark_late(one.turn, now)
                return True
            return timeouts.apply_timeout(one.turn, now)
    except Exception as error:  # whatever is wrong with one match, the others have their time
        alarms.set_aside(one.alarm, error, now)
        return False


# --- too much at once ----------------------------------------------------------------------------


def _are_too_many(count: int, now: int) -> bool:
    """Whether so many time-outs in one tick are rather a fault of ours than of the players."""
    beat = heartbeat()
    if beat is not None and beat.let_go_until is not None and now <= beat.let_go_until:
        return False
    if beat is not None and beat.held_since is not None:
        return True
    running = (
        Turn.select()
        .join(Match)
        .where(Match.status == LIVE, Turn.closed_seq.is_null(), Turn.since.is_null(False))
    )
    return count > max(MOST_AT_ONCE, MOST_SHARE * running.count())


def _hold_back(out: list[Ringing], now: int) -> None:
    with writing():
        held = Heartbeat.update(held_since=now).where(Heartbeat.held_since.is_null()).execute()
        if held:
            log.critical(
                "%s time-outs at once: held until somebody runs pbem clock confirm", len(out)
            )
        for one in out:
            alarms.postpone(one.alarm, now + timeouts.LOOK_AGAIN)
