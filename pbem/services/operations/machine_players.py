"""Machine players: seats that the stand-in player of a game plays, from the start or for somebody.

It thinks outside of any transaction, knows no more than its seat may, and sends its orders as a
person would, up to the next die. Its time is bounded, for a turn and for one go: what it has found
by then is sent, and the rest waits for the next go. Whatever goes wrong with it, the clock of its
turn runs, and the other matches have their machines.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import Any

from peewee import Case, PeeweeException, fn

from engine.abilities import Sparring, StandIns
from engine.chance import SealedDice, SealedThrow
from engine.core import GameError, Seat, Step
from engine.sparring import Strengths
from pbem.db.models import Match, MatchSeat, Turn
from pbem.db.reading import column
from pbem.db.store import writing
from pbem.errors import Refused, whereabouts
from pbem.services.match import match_log, turns
from pbem.services.records.match_rows import (
    GUEST,
    LIVE,
    MACHINE,
    VACANT,
    MatchRecord,
    TurnRecord,
    find_turn_in_match,
    lock_match,
)
from pbem.services.time.heartbeat import clocks_stopped_at

log = logging.getLogger(__name__)

AT_ONCE = 20
"""Turns that are looked at in one go."""
LONGEST_GO = 20.0
"""Seconds after which nothing new is thought about in one go; letters go out meanwhile, in threads
of their own."""
LONGEST_THOUGHT = 8.0
"""Seconds after which what was found for one turn is sent, with no further order."""
REST = 600
"""Seconds for which a turn is left alone whose machine has failed."""
IN_A_ROW = 4
"""Machines that play one after another in one go; where nobody else does, letters go between."""
MOST_STEPS = 30
"""How often one turn is thought about in one go: a power thinks anew after each die."""


Passed = Callable[[], float]
"""Seconds by a clock that only goes on."""


class Resting:
    """Turns whose machine has failed, which are left alone for a while.

    Otherwise some of them, being the oldest, would keep all others waiting.
    """

    def __init__(self) -> None:
        self._until: dict[int, int] = {}

    def rest(self, turn: int, now: int) -> None:
        self._until[turn] = now + REST

    def turns(self, now: int) -> list[int]:
        self._until = {turn: until for turn, until in self._until.items() if until > now}
        return list(self._until)


def play_all(
    now: Callable[[], int], passed: Passed = time.monotonic, resting: Resting | None = None
) -> int:
    """Play the turns that wait for a machine, and those that follow; how many orders that were."""
    resting = resting or Resting()
    given, ends = 0, passed() + LONGEST_GO
    for _ in range(IN_A_ROW):
        found = waiting(resting.turns(now()))
        played = sum(_play(turn, now, passed, resting) for turn in found if passed() < ends)
        given += played
        if not played or passed() >= ends:
            break
    return given


def waiting(resting: Sequence[int] = ()) -> list[int]:
    """The open turns of seats that nobody holds, in matches that go on.

    First those whose guest sits before the page, then the oldest.
    """
    guest = MatchSeat.alias()
    has_guest = fn.EXISTS(
        guest.select(guest.id).where(guest.match == Match.id, guest.status == GUEST)
    )
    is_seat = (MatchSeat.match == Turn.match) & (MatchSeat.number == Turn.seat)
    found = (
        Turn.select(Turn.id)
        .join(Match)
        .join_from(Turn, MatchSeat, on=is_seat)
        .where(
            Turn.closed_seq.is_null(),
            Match.status == LIVE,
            Match.paused_at.is_null(),
            MatchSeat.player.is_null(),
            MatchSeat.status.in_([MACHINE, VACANT]),
            Turn.id.not_in(list(resting)),
        )
        .order_by(Case(None, [(has_guest, 0)], 1), Turn.opened_at, Turn.id)
        .limit(AT_ONCE)
    )
    return column(found)


def _play(turn: int, now: Callable[[], int], passed: Passed, resting: Resting) -> int:
    """Play one turn as far as that goes; one bad match stops no other."""
    given, ends = 0, passed() + LONGEST_THOUGHT
    for _ in range(MOST_STEPS):
        try:
            sent = _step(turn, now(), lambda: passed() < ends)
        except PeeweeException:
            raise  # a database that is away says nothing about a machine
        except Exception as error:  # a program that thinks may fail in any way; the clock plays on
            log.error("the machine player of turn %s failed: %s", turn, whereabouts(error))
            resting.rest(turn, now())
            break
        given += sent
        if not sent or passed() >= ends:
            break
    return given


def _step(turn_id: int, now: int, has_time: Callable[[], bool]) -> int:
    """Think, and send what was thought; how many orders that were."""
    found = find_turn_in_match(turn_id)
    if found is None or clocks_stopped_at() is not None:
        return 0
    turn, match = found
    seat = match.seat(turn.seat)
    if not turn.is_open or match.is_outdated or not match.is_machine(seat):
        return 0
    assert isinstance(match.game, StandIns), "checked when the match was made"
    orders = thought(match, match_log.current(match), seat.name, has_time)
    return _send(match, turn, orders, now) if orders else 0


def thought(
    match: MatchRecord, state: Any, seat: Seat, has_time: Callable[[], bool] = lambda: True
) -> list[str]:
    """The orders of a seat up to the next die, as its stand-in player finds them in its time."""
    partner = _partner(match, seat)
    orders = list[str]()
    while len(orders) < turns.MOST_ORDERS and seat in match.game.waiting_on(state):
        if orders and not has_time():
            break
        action, step = _tried(match, partner, state, seat)
        orders.append(match.game.notate(action))
        if step is None or step.final:
            break
        state = step.state
    return orders


def _partner(match: MatchRecord, seat: Seat) -> Sparring:
    """Its seed is the entry it thinks at: the same position is thought over in the same way."""
    seed = f"{match.id} {seat} {match.head_seq}"
    if isinstance(match.game, Strengths):
        return match.game.partner(seed, match.strength)
    assert isinstance(match.game, StandIns)
    return match.game.stand_in(seed)


def _tried(
    match: MatchRecord, partner: Sparring, state: Any, seat: Seat
) -> tuple[Any, Step[Any] | None]:
    """What the partner wants, if the rules let it, else what the clock would play.

    With what comes of it; None if a die decides that.
    """
    action = partner.choose(match.game, match.game.view(state, seat), seat)
    try:
        return action, match.game.apply(state, seat, action, SealedDice())
    except SealedThrow:
        return action, None
    except GameError as error:
        log.error("a machine player of match %s was refused: %s", match.id, type(error).__name__)
        return match.game.default_action(state, seat), None


def _send(match: MatchRecord, turn: TurnRecord, orders: Sequence[str], now: int) -> int:
    """Send orders, unless something has happened while they were thought out."""
    with writing():
        held = lock_match(match.id)
        if held.head_seq != match.head_seq or held.status != LIVE or held.paused_at is not None:
            return 0
        if not held.is_machine(held.seat(turn.seat)):
            return 0
        try:
            turns.advance(held, turn.seat, orders, now)
        except (GameError, Refused):
            log.error("the orders of a machine player of match %s were refused", match.id)
            return 0
    return len(orders)
