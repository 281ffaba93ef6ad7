"""Next moments: no open turn of a live match may wait for nothing.

What it may wait for: its alarm, the end of a pause, a letter that is still to leave, or a guest,
who has no clock (`guests.end_deserted` ends what is deserted). Whoever gives a turn letter up says
so here, and the clock starts without it; whatever else goes wrong, a worker finds it and sets it
going.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, NamedTuple

from peewee import fn

from pbem.db.models import Due, Match, MatchSeat, Outbox, Turn
from pbem.db.reading import column, every
from pbem.db.store import writing
from pbem.services.records.match_rows import GUEST, LIVE, find_turn, lock_match
from pbem.services.time import alarms, clocks

log = logging.getLogger(__name__)

MOST = 20
"""Turns that are named at a time."""
AT_ONCE = 1_000
"""Turns that are mended at a time."""


class Idle(NamedTuple):
    """An open turn that waits for nothing."""

    match: str
    turn: int


def idle(most: int = MOST) -> list[Idle]:
    """Turns without a next moment; there should be none."""
    return every(_idle().order_by(Turn.id).limit(most), Idle)


def is_idle(match: str) -> bool:
    """Whether a turn of this match waits for nothing."""
    return bool(_idle().where(Turn.match == match).exists())


def _idle() -> Any:
    return (
        Turn.select(Turn.match, Turn.id.alias("turn"))
        .join(Match)
        .where(
            Turn.closed_seq.is_null(),
            Match.status == LIVE,
            ~_has_alarm(alarms.TURN, Turn.id.cast("VARCHAR(40)")),
            Match.paused_at.is_null() | ~_has_alarm(alarms.PAUSE, Match.id),
            Turn.started_at.is_null(False) | ~_has_waiting_letter(),
            ~_is_guests(),
        )
    )


def _is_guests() -> Any:
    """Whether the seat of a turn is played by somebody who has left no address."""
    guests = MatchSeat.select(MatchSeat.id).where(
        MatchSeat.match == Turn.match, MatchSeat.number == Turn.seat, MatchSeat.status == GUEST
    )
    return fn.EXISTS(guests)


def _has_alarm(kind: str, subject: Any) -> Any:
    return fn.EXISTS(Due.select(Due.at).where(Due.kind == kind, Due.subject == subject))


def _has_waiting_letter() -> Any:
    """Whether a letter about a turn is still to leave."""
    letter = Outbox.alias()
    return fn.EXISTS(
        letter.select(letter.id).where(
            letter.match == Turn.match,
            letter.turn == Turn.id,
            letter.kind == "turn",
            letter.state.in_(["queued", "leased"]),
        )
    )


def after_letters(letters: Sequence[int], now: int) -> None:
    """These letters will not leave any more: turns that waited for them wait no longer."""
    if not letters:
        return
    told = Outbox.select(Outbox.turn).where(Outbox.id.in_(letters), Outbox.kind == "turn")
    found = (
        Turn.select(Turn.id)
        .join(Match)
        .where(
            Turn.id.in_(told),
            Match.status == LIVE,
            Turn.closed_seq.is_null(),
            Turn.started_at.is_null(),
            ~_has_waiting_letter(),
        )
    )
    for turn in column(found):
        clocks.start(turn, now)


def mend(now: int) -> int:
    """Give a next moment to every turn that has none; how many had none."""
    found = idle(AT_ONCE)
    for one in found:
        log.error("a turn waited for nothing match=%s turn=%s", one.match, one.turn)
        with writing():
            _set_going(one, now)
    return len(found)


def _set_going(one: Idle, now: int) -> None:
    match, turn = lock_match(one.match), find_turn(one.turn)
    if turn is None or not turn.is_open or match.status != LIVE:
        return
    if match.paused_at is not None:
        alarms.arm(alarms.PAUSE, match.id, now + clocks.pause_left(match, now))
    elif turn.started_at is None:
        clocks.start(turn.id, now)
    elif turn.since is None:
        clocks.run_from(turn, now, turn.allowed, now)
    else:
        clocks.arm_turn(turn.id, now)


def mend_letters(now: int) -> None:
    """Letters that a wrong clock has dated later than now."""
    Outbox.update(created_at=now).where(Outbox.created_at > now).execute()
    Outbox.update(sent_at=now).where(Outbox.sent_at > now).execute()
