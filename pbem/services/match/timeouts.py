"""Who lets time run out: vacation first, then lateness in everybody's sight, then what was agreed.

A time-out never comes without warning: the letter that says "you are late" must have been handed
over for this very deadline, and the grace counts from then on. A move that comes before it wins.
A question in the middle of another's turn has no grace: its own letter names the usual answer.
Where that letter cannot be handed over because its reader cannot be reached, the others are asked
how to go on: claim, wait, or find a stand-in.
"""

from __future__ import annotations

import logging
from typing import Any, Literal, NamedTuple

from pbem.db.models import MatchSeat, Outbox, Turn
from pbem.db.reading import first
from pbem.db.store import writing
from pbem.deadlines import DAY, MINUTE
from pbem.errors import Refused, Stale
from pbem.services.match import match_log, turns
from pbem.services.records import letter_queue
from pbem.services.records.match_rows import (
    JOINED,
    LIVE,
    VACANT,
    MatchRecord,
    SeatRecord,
    TurnRecord,
    find_turn,
    get_match,
    lock_match,
    open_turns,
)
from pbem.services.seats import heirs, stand_ins, unreachable
from pbem.services.time import absences, alarms, clocks, heartbeat

log = logging.getLogger(__name__)

LOOK_AGAIN = 15 * MINUTE
ASK_AGAIN = 7 * DAY
"""When to look again at a question that nobody has answered."""
LONGEST_WAY = 5 * DAY
"""That a letter may take of which a mail server says that it is delayed."""
MOST_MISSED = 2
"""Turns missed in a row before the seat is open to others."""
MOST_DEFAULTS = 50
"""Orders that the clock gives in one turn at most."""


# --- at the deadline -----------------------------------------------------------------------------


def mark_late(turn: TurnRecord, now: int) -> None:
    """The time of a turn is over: vacation is burnt where there is some, else all are told."""
    match = get_match(turn.match)
    seat = match.seat(turn.seat)
    assert seat.player is not None, "an empty seat is not late"
    if absences.burn_floating(seat.player, turn.deadline_at, now):
        return
    letter_queue.queue(_to_everybody(match, "late", turn), now)
    alarms.arm(alarms.TURN, turn.id, max(now, turn.deadline_at) + match.clock.grace)


def _to_everybody(
    match: MatchRecord, kind: str, turn: TurnRecord
) -> list[letter_queue.QueuedLetter]:
    return [
        _letter(match, seat, kind, turn)
        for seat in match.seats
        if seat.player is not None and seat.status == JOINED
    ]


def _letter(
    match: MatchRecord, seat: SeatRecord, kind: str, turn: TurnRecord, **more: bool
) -> letter_queue.QueuedLetter:
    key = f"{turn.id}:{turn.deadline_at}:{seat.epoch}"
    about = {"of": turn.id, "deadline": turn.deadline_at, **more}
    return letter_queue.to_seat(match, seat, kind, key, None, by=turn.seat, **about)


def timeout_stage(
    match: MatchRecord, turn: TurnRecord, now: int
) -> Literal["late", "wait", "timeout"]:
    """What to do about a turn whose time is over: say so first, end it later."""
    if turn.is_inquiry:
        return "timeout"
    if match.seat(turn.seat).player is not None and _warning(match, turn) is None:
        return "late"
    return "wait" if _not_before(match, turn, now) > now else "timeout"


class Warned(NamedTuple):
    """The letter that warned of a deadline."""

    state: str
    sent_at: int | None
    """When it was handed over."""
    report: str
    reported_at: int | None

    @property
    def came_back_at(self) -> int | None:
        return self.reported_at if self.state == letter_queue.RETURNED else None

    @property
    def arrived_at(self) -> int | None:
        """When it was in a mailbox at the latest, as far as is known."""
        if self.state != letter_queue.SENT or self.sent_at is None:
            return None
        return self.sent_at + (LONGEST_WAY if self.report == "delayed" else 0)


def _warning(match: MatchRecord, turn: TurnRecord) -> Warned | None:
    letter = _letter(match, match.seat(turn.seat), "late", turn)
    columns = [getattr(Outbox, name) for name in Warned._fields]
    return first(Outbox.select(*columns).where(_is(letter)), Warned)


def _is(letter: letter_queue.QueuedLetter) -> Any:
    """Whether a row of the outbox is this letter."""
    return Outbox.dedupe == letter.key


def _was_queued(letter: letter_queue.QueuedLetter) -> bool:
    return bool(Outbox.select().where(_is(letter)).exists())


# --- at the end of the grace ---------------------------------------------------------------------


def apply_timeout(turn: TurnRecord, now: int) -> bool:
    """The grace is over: what the players have agreed on happens, if it may happen now."""
    match = get_match(turn.match)
    if turn.is_inquiry:
        _answer_by_default(match, turn, now)
        return True
    wait_until = _not_before(match, turn, now)
    if wait_until > now:
        alarms.arm(alarms.TURN, turn.id, wait_until)
        return False
    if not _was_warned(match, turn):
        _ask_how_to_go_on(match, turn, now)
    elif len(match.seats) == 2:
        _run_out_of_two(match, turn, now)
    else:
        _run_out_of_many(match, turn, now)
    return True


def _answer_by_default(match: MatchRecord, turn: TurnRecord, now: int) -> None:
    """A question is over: the usual answer, which its letter has named. Nobody is late by it."""
    if not _play_default(match, turn, now):
        alarms.arm(alarms.TURN, turn.id, now + DAY)  # nothing is usual here: somebody must decide


def _not_before(match: MatchRecord, turn: TurnRecord, now: int) -> int:
    """When the time-out may come: after the grace, and only if the late player was warned."""
    seat = match.seat(turn.seat)
    if seat.player is None:
        return turn.deadline_at + match.clock.grace
    warning = _warning(match, turn)
    assert warning is not None, "nobody runs out of time unwarned"
    lost = unreachable.since(seat.player) or warning.came_back_at
    if lost is not None:
        return max(turn.deadline_at + match.clock.grace, lost + unreachable.PATIENCE)
    if warning.arrived_at is not None:
        return max(turn.deadline_at, warning.arrived_at) + match.clock.grace
    return now + (DAY if warning.state == letter_queue.DEAD else LOOK_AGAIN)


def _was_warned(match: MatchRecord, turn: TurnRecord) -> bool:
    """Whether the late player had the letter that says so; nobody needs none."""
    if match.seat(turn.seat).player is None:
        return True
    warning = _warning(match, turn)
    is_marked = unreachable.since(match.seat(turn.seat).player) is not None
    return warning is not None and warning.arrived_at is not None and not is_marked


def _ask_how_to_go_on(match: MatchRecord, turn: TurnRecord, now: int) -> None:
    """Nobody loses by a clock that he could not be told of; but who waits may choose.

    In a match of many somebody else plays on.
    """
    if len(match.seats) > 2:
        stand_ins.open_seat(match.id, turn.seat, now)
        return
    letter_queue.queue(_offers(match, turn, is_unreachable=True), now)
    alarms.arm(alarms.TURN, turn.id, now + ASK_AGAIN)


def _run_out_of_two(match: MatchRecord, turn: TurnRecord, now: int) -> None:
    policy = match.clock.policy
    if _is_for_machine(match, match.seat(turn.seat)):
        stand_ins.open_seat(match.id, turn.seat, now)
    elif policy == "claim" and _offers(match, turn):
        _offer_claim(match, turn, now)
    elif policy == "forfeit" or not _play_default(match, turn, now):
        forfeit(match, turn, now)


def _offer_claim(match: MatchRecord, turn: TurnRecord, now: int) -> None:
    """The others may claim the win or wait; whoever does neither is not kept for ever."""
    letters = _offers(match, turn)
    if _was_queued(letters[0]):
        forfeit(match, turn, now)
        return
    letter_queue.queue(letters, now)
    alarms.arm(alarms.TURN, turn.id, now + turn.budget + match.clock.grace)


def _offers(
    match: MatchRecord, turn: TurnRecord, is_unreachable: bool = False
) -> list[letter_queue.QueuedLetter]:
    others = [s for s in match.seats if s.number != turn.seat and s.player is not None]
    return [
        _letter(match, seat, "claim", turn, **({"unreachable": True} if is_unreachable else {}))
        for seat in others
    ]


def forfeit(match: MatchRecord, turn: TurnRecord, now: int) -> None:
    """The patient player wins."""
    Turn.update(missed=True).where(Turn.id == turn.id).execute()
    turns.end(match, "forfeit", match.seat(turn.seat).name, "time", now)
    alarms.disarm(alarms.TURN, turn.id)


def _run_out_of_many(match: MatchRecord, turn: TurnRecord, now: int) -> None:
    """Never the end of a match of many: somebody else plays on, or the orders that are usual."""
    seat = match.seat(turn.seat)
    missed = seat.missed + 1
    _keep_missed(match, seat, missed)
    policy = match.clock.policy
    if policy == "ally" and heirs.inherit(match.id, seat.number, now):
        return
    if seat.status != VACANT and (policy != "default" or missed >= MOST_MISSED):
        stand_ins.open_seat(match.id, seat.number, now)
    if _is_for_machine(match, seat):
        return
    match = get_match(match.id)
    if not _play_default(match, turn, now):
        alarms.arm(alarms.TURN, turn.id, now + DAY)  # nothing is usual here: a stand-in must decide


def _is_for_machine(match: MatchRecord, seat: SeatRecord) -> bool:
    """Whether the stand-in player of the game takes over; one that plays already did not come."""
    return match.clock.policy == "machine" and not match.is_machine(seat)


def play_default(match: MatchRecord, turn: TurnRecord, now: int) -> None:
    """A moderator ends a turn as the clock would, if the game knows how."""
    if not _play_default(match, turn, now):
        raise Refused("there is no default move in this position; someone has to decide")


def _play_default(match: MatchRecord, turn: TurnRecord, now: int) -> bool:
    """What the game plays for the absent, until nothing more is asked of them; whether it did."""
    seat = match.seat(turn.seat)
    played = False
    for _ in range(MOST_DEFAULTS):
        state = match_log.current(match)
        if turns.asked_in(match.game, state).get(seat.name) != turn.is_inquiry:
            break
        action = match.game.default_action(state, seat.name)
        if action is None:
            break
        turns.advance(match, turn.seat, [match.game.notate(action)], now, kind="timeout")
        match, played = get_match(match.id), True
    if played and len(match.seats) == 2 and not turn.is_inquiry:
        _count_miss(match, seat, now)
    return played


def _count_miss(match: MatchRecord, seat: SeatRecord, now: int) -> None:
    _keep_missed(match, seat, MatchSeat.missed + 1)
    if seat.missed + 1 >= MOST_MISSED and match.status == LIVE and seat.status != VACANT:
        stand_ins.open_seat(match.id, seat.number, now)


def _keep_missed(match: MatchRecord, seat: SeatRecord, missed: Any) -> None:
    MatchSeat.update(missed=missed).where(
        MatchSeat.match == match.id, MatchSeat.number == seat.number
    ).execute()


# --- the choice of who waits ---------------------------------------------------------------------


def claimable(match: MatchRecord, number: int) -> TurnRecord | None:
    """The turn of another seat whose time has run out, so that this seat may claim the win."""
    if match.status != LIVE or len(match.seats) != 2:
        return None
    for turn in open_turns(match.id):
        if turn.seat != number and turn.since is not None:
            letter = _letter(match, match.seat(number), "claim", turn)
            if _was_queued(letter):
                return turn
    return None


def claim_win(match_id: str, number: int, now: int) -> None:
    with writing():
        match = lock_match(match_id)
        match_log.check_rules(match)
        turn = claimable(match, number)
        if turn is None:
            raise Stale("there is nothing to claim: nobody else has run out of time")
        if heartbeat.clocks_stopped_at() is not None:
            raise Refused("all clocks are stopped for maintenance; nobody loses on time meanwhile")
        forfeit(match, turn, now)


def may_seek_stand_in(match: MatchRecord, turn: TurnRecord) -> bool:
    """Whether who waits may have the seat of a turn opened: its player cannot be reached."""
    return unreachable.since(match.seat(turn.seat).player) is not None


def seek_stand_in(match_id: str, number: int, now: int) -> None:
    """Somebody else is sought for the seat of who has let time run out and cannot be reached."""
    with writing():
        match = lock_match(match_id)
        turn = claimable(match, number)
        if turn is None or not may_seek_stand_in(match, turn):
            raise Stale("the other player can be reached again, or has played")
        stand_ins.open_seat(match.id, turn.seat, now)


def wait_on(match_id: str, number: int, now: int) -> None:
    """Give the late player once more what the turn had at first."""
    with writing():
        match = lock_match(match_id)
        turn = claimable(match, number)
        if turn is None:
            raise Stale("there is nothing to claim: nobody else has run out of time")
        clocks.give_time(turn.id, turn.budget, now)
        late = match.seat(turn.seat)
        moved = find_turn(turn.id)
        assert moved is not None, "turns are never removed"
        letter = letter_queue.to_seat(
            match,
            late,
            "away",
            f"given:{turn.id}:{now}",
            by=number,
            what="given_time",
            end=moved.deadline_at,
        )
        letter_queue.queue([letter], now)
