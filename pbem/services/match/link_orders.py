"""Buttons: each does its work once, however often it is pressed.

A page says how far things were when it was made; a press that comes again finds them further and
does nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from engine.abilities import StandingOrders
from engine.chance import SealedDice
from engine.core import GameError, Seat
from engine.text import printable
from pbem.db.store import row, writing
from pbem.errors import Refused, Stale
from pbem.links import order_code
from pbem.services.match import match_log, turns
from pbem.services.match.turns import Choice
from pbem.services.players import limits
from pbem.services.records.match_rows import LIVE, MatchRecord, TurnRecord, get_match

MOST_IN_TURN = 100
"""Orders of a seat in a turn of anybody after which it can say nothing more in advance."""


def compose(turn: int, orders: Sequence[str], composed: int | None, now: int) -> None:
    """Put orders behind the `composed` ones that the page showed."""
    with writing():
        if composed is None or composed == len(turns.draft_of(turn)):
            turns.add_to_draft(turn, orders, now)


def take_out(turn: int, at: int, order: str, now: int) -> None:
    """Take one order out of the draft, if it still stands there; those that need it go too."""
    with writing():
        composed = turns.draft_of(turn)
        if at >= len(composed) or composed[at] != order:
            return
        turns.undo_draft(turn, now, keep=at)
        if composed[at + 1 :]:
            with suppress(GameError, Refused):
                turns.add_to_draft(turn, composed[at + 1 :], now)


def play_coded(match: MatchRecord, turn: TurnRecord, code: str, now: int) -> bool:
    """Play the order that a link stands for; Stale or Refused when it cannot be played any more.

    Says whether this press has played it. Runs inside the caller's transaction; `match` was held
    and `turn` read in it.
    """
    if played_with(match, turn, code) is not None:
        return False
    if not turn.is_open:
        raise Stale("this turn is over")
    choice = coded_now(match, turn, code)
    if choice is None:
        raise Refused("this order is not possible any more")
    turns.send(match, turn, [choice.notation], now)
    return True


def say_in_advance(match_id: str, seat: int, order: str, now: int) -> None:
    """Give an order that may be given at any time, unless it would change nothing."""
    with writing():
        match = get_match(match_id)
        if match.status != LIVE:
            raise Stale("the match is not being played")
        name, state = match.seat(seat).name, match_log.current(match)
        words = tuple(order.lower().split())
        action = _any_time(match, state, name, words)
        if action is None:
            raise Refused(
                "“%(order)s” is nothing that can be said in advance", order=printable(order[:60])
            )
        if match.game.apply(state, name, action, SealedDice()).state != state:
            limits.by_seat("standing", match.id, seat, now)
            _check_few_in_turn(match, name)
            turns.give_any_time(match_id, seat, order, now)


def _any_time(match: MatchRecord, state: Any, seat: Seat, words: tuple[str, ...]) -> Any:
    """What these words mean as an order that needs no question; None if they are none."""
    if not words or not isinstance(match.game, StandingOrders):
        return None
    offered = match.game.any_time(state, seat, words[:-1])
    return next((option.action for option in offered if option.word == words[-1]), None)


def _check_few_in_turn(match: MatchRecord, seat: Seat) -> None:
    """Whoever changes the mind without end waits until play goes on."""
    found = row(
        "SELECT COUNT(*) FROM entry WHERE match_id = ? AND actor = ? AND seq >"
        " (SELECT MAX(opened_seq) FROM turn WHERE match_id = ?)",
        match.id,
        seat,
        match.id,
    )
    if found is not None and found[0] >= MOST_IN_TURN:
        raise Refused(
            "%(most)s orders in one turn are enough; go on when another turn has begun",
            most=MOST_IN_TURN,
        )


def played_with(match: MatchRecord, turn: TurnRecord, code: str) -> str | None:
    """The order of a link, if it was played in its turn."""
    played = turns.played_in(turn)
    return next((o for o in played if order_code(match.secret, turn.id, o) == code), None)


def coded_now(match: MatchRecord, turn: TurnRecord, code: str) -> Choice | None:
    """The order of a link, if it can be given now."""
    return turns.order_with_code(match, turn.id, match_log.current(match), code)


def coded_then(match: MatchRecord, turn: TurnRecord, code: str) -> Choice | None:
    """The order of a link, as it could be given when its turn began."""
    return turns.order_with_code(match, turn.id, match_log.state_at(match, turn.opened_seq), code)
