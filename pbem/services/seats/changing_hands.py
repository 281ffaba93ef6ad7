"""A seat changes hands: old links die, letters tell all that is needed, the clock begins anew.

A seat that changes hands has a new epoch, so that every link to it that was mailed before is dead.
What the seat knows stays with the seat: hand, history, messages and standing orders.
"""

from __future__ import annotations

from collections.abc import Iterable

from pbem.db.models import Draft, MatchSeat, Turn
from pbem.services.players import blocks
from pbem.services.records import epochs, letter_queue
from pbem.services.records.match_rows import (
    JOINED,
    MatchRecord,
    TurnRecord,
    get_match,
    open_turns,
)
from pbem.services.records.player_rows import get_player
from pbem.services.seats import loans
from pbem.services.seats.loans import Loan
from pbem.services.time import alarms, clocks


def change_hands(
    match: MatchRecord, loan: Loan, player: int, now: int, is_back: bool = False
) -> None:
    """Another player has the seat: old links die, and letters tell all that is needed."""
    put_into_seat(match, loan.seat, player, JOINED, now)
    match = get_match(match.id)
    seat = match.seat(loan.seat)
    key = f"{loan.id}:{seat.epoch}"
    briefing = letter_queue.to_seat(match, seat, "briefing", key, loan=loan.id, back=is_back)
    letter_queue.queue([briefing], now)
    tell_others(match, seat.number, f"hands:{key}", "changed_hands", now)
    for turn in open_turns(match.id):
        if turn.seat == seat.number:
            _begin_anew(turn, now)
            about = {"from": turn.opened_seq, "seq": match.head_seq}
            letter = letter_queue.to_seat(
                match, seat, "turn", f"{turn.id}:{seat.epoch}", turn.id, **about
            )
            letter_queue.queue([letter], now)


def put_into_seat(
    match: MatchRecord, number: int, player: int | None, status: str, now: int
) -> None:
    """Put somebody into a seat, or nobody. What was composed and not sent goes with who did it."""
    for turn in open_turns(match.id):
        if turn.seat == number:
            clocks.charge_absence(match, turn, now)
    MatchSeat.update(
        player=player,
        status=status,
        missed=0,
        draw_offered=False,
        pause_wanted=False,
        is_open_to_allies=False,
    ).where(MatchSeat.match == match.id, MatchSeat.number == number).execute()
    epochs.raise_seat(match.id, number, now)
    open_turn = Turn.select(Turn.id).where(
        Turn.match == match.id, Turn.seat == number, Turn.closed_seq.is_null()
    )
    Draft.delete().where(Draft.turn.in_(open_turn)).execute()


def _begin_anew(turn: TurnRecord, now: int) -> None:
    """Whoever comes to a turn has all of its time, from the letter on; once in each turn.

    Two friends who pass a seat to and fro do not stop the clock.
    """
    if loans.changes_in(turn) > 1:
        clocks.arm_turn(turn.id, now)
        return
    Turn.update(
        started_at=None,
        since=None,
        allowed=turn.budget,
        deadline_at=now + turn.budget,
        absent=0,
    ).where(Turn.id == turn.id).execute()
    alarms.disarm(alarms.TURN, turn.id)


# --- telling -------------------------------------------------------------------------------------


def ask(loan: Loan, players: Iterable[int], now: int) -> None:
    """The question to stand in, but not to who wants nothing to do with whoever asks."""
    for player in players:
        if not blocks.has_blocked(player, loan.owner):
            tell(loan, player, "asked", now)


def tell(loan: Loan, player: int, what: str, now: int) -> None:
    """A letter about a loan to somebody who does not hold the seat; nothing of the seat is in it.

    asked, agreed, taken, declined, nobody, withdrawn or over.
    """
    epoch = get_player(player).epoch
    letter = letter_queue.QueuedLetter(
        kind="stand_in",
        player=player,
        key=f"stand_in:{loan.id}:{player}:{epoch if what == 'asked' else f'{what}:{epoch}'}",
        stream=f"player/{player}",
        epoch=epoch,
        match=loan.match,
        seat=loan.seat,
        about={"loan": loan.id, "what": what},
    )
    letter_queue.queue([letter], now)


def tell_others(match: MatchRecord, number: int, key: str, what: str, now: int) -> None:
    holder = match.seat(number).player
    owed = [
        letter_queue.to_seat(match, seat, "away", key, by=number, what=what)
        for seat in match.seats
        if seat.player not in (None, holder) and seat.status == JOINED
    ]
    letter_queue.queue(owed, now)
