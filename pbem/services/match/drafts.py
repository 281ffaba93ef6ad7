"""Drafts: orders composed for a turn and tried before they are sent.

A page says how many orders its draft had when it was made; a press that comes again finds more and
does nothing. All that changes a draft runs inside the caller's transaction, in which the match was
held and the turn read.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec
from peewee import EXCLUDED

from engine.chance import SealedDice, SealedThrow
from engine.core import Event, GameError, Seat, Step
from pbem.db.models import Draft
from pbem.errors import Refused
from pbem.services.match import match_log, turns
from pbem.services.match.move_rows import draft_of as draft_of
from pbem.services.records.match_rows import MatchRecord, TurnRecord
from pbem.services.time import clocks


class Preview(NamedTuple):
    """Orders tried with sealed dice: what they lead to, as far as that may be known beforehand."""

    orders: tuple[str, ...]
    state: Any
    """After the last order that is not final."""
    events: tuple[Event, ...]
    is_final: bool
    """The last order throws a die or opens a secret; only sending shows what comes of it."""
    is_asked: bool
    """Whether the seat still has something to decide before sending."""


def preview(match: MatchRecord, state: Any, seat: Seat, orders: Sequence[str]) -> Preview:
    """What orders would do in a state; GameError or Refused names the first that cannot be."""
    told = list[Event]()
    for number, order in enumerate(orders, 1):
        step = _tried(match, state, seat, order)
        if step is None or step.final:
            if number < len(orders):
                raise Refused("nothing can follow “%(order)s” until it is sent", order=order)
            return Preview(tuple(orders), state, tuple(told), True, False)
        state = step.state
        told += [event for event in step.events if event.heard_by(seat)]
    asked = seat in match.game.waiting_on(state)
    return Preview(tuple(orders), state, tuple(told), False, asked)


def _tried(match: MatchRecord, state: Any, seat: Seat, order: str) -> Step[Any] | None:
    """What one order would do; None if a die decides that."""
    try:
        return match.game.apply(state, seat, match.game.parse(order), SealedDice())
    except SealedThrow:
        return None


# --- composing -----------------------------------------------------------------------------------


def compose(
    match: MatchRecord, turn: TurnRecord, orders: Sequence[str], shown: int | None, now: int
) -> Preview | None:
    """Put orders behind those composed already, if all of them together can be.

    Nothing happens unless there are as many as the page showed, where it says so.
    """
    before = draft_of(turn.id)
    if shown is not None and shown != len(before):
        return None
    _begin(match, turn, now)
    return _add(match, turn, before, orders, now)


def undo(
    match: MatchRecord, turn: TurnRecord, now: int, keep: int | None = None
) -> tuple[str, ...]:
    """Take back the last composed order, or all behind the first `keep`."""
    _begin(match, turn, now)
    before = draft_of(turn.id)
    left = before[:-1] if keep is None else before[:keep]
    _keep(turn, left, now)
    return left


def take_out(match: MatchRecord, turn: TurnRecord, at: int, order: str, now: int) -> None:
    """Take one order out of the draft, if it still stands there; those that need it go too."""
    before = draft_of(turn.id)
    if at >= len(before) or before[at] != order:
        return
    _begin(match, turn, now)
    _keep(turn, before[:at], now)
    if before[at + 1 :]:
        with suppress(GameError, Refused):
            _add(match, turn, before[:at], before[at + 1 :], now)


def _begin(match: MatchRecord, turn: TurnRecord, now: int) -> None:
    """Whoever composes knows of his turn: its clock runs, though its letter may be on the way."""
    turns.check_open(match, turn)
    clocks.start_clock(match, turn, now)


def _add(
    match: MatchRecord, turn: TurnRecord, before: Sequence[str], orders: Sequence[str], now: int
) -> Preview:
    composed = (*before, *turns.checked_lines(orders))
    turns.check_number(len(composed))
    tried = preview(match, match_log.current(match), match.seat(turn.seat).name, composed)
    _keep(turn, composed, now)
    return tried


def _keep(turn: TurnRecord, orders: Sequence[str], now: int) -> None:
    text = msgspec.json.encode(list(orders)).decode()
    kept = Draft.insert(turn=turn.id, orders=text, updated_at=now)
    kept.on_conflict(
        conflict_target=[Draft.turn],
        update={Draft.orders: EXCLUDED.orders, Draft.updated_at: EXCLUDED.updated_at},
    ).execute()
