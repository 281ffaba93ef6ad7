"""What a rewind cannot undo: what seats have learnt since an entry, as numbers and kinds.

Moderators see no more than a spectator does. So this tells how much a seat has learnt and of what
kind, never what it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from engine.abilities import DeckProofs
from engine.core import Seat, Text
from engine.log import Entry
from pbem.services.match import match_log, turns
from pbem.services.match.match_log import Played
from pbem.services.records.match_rows import MatchRecord, open_turns
from pbem.services.time import clocks

HIDDEN = "…"


class MessageKind(NamedTuple):
    """Something that was told to one seat alone, without what it was about."""

    text: Text
    times: int


class Learnt(NamedTuple):
    """What a seat has learnt since an entry."""

    seat: Seat
    cards: int
    """Of the hidden deck, which only this seat has seen since."""
    told: tuple[MessageKind, ...]


class Thrown(NamedTuple):
    """Chance that has shown itself and comes anew."""

    is_shuffle: bool
    size: int
    """Sides of the dice, or things shuffled."""
    times: int
    """Dice, or shuffles."""


class Deadline(NamedTuple):
    """A turn that ends with the rewind, or one that it begins."""

    seat: Seat
    at: int
    is_running: bool


class Exposure(NamedTuple):
    learnt: tuple[Learnt, ...]
    open_cards: int | None
    """Of the deck, which everybody has seen since; None where there is no deck."""
    thrown: tuple[Thrown, ...]
    ends: tuple[Deadline, ...]
    begins: tuple[Deadline, ...]


def of_rewind(match: MatchRecord, to: int, now: int) -> Exposure:
    """What taking a match back to an entry leaves in the heads of its players.

    Refused says why it cannot be taken back there.
    """
    plan = turns.plan_rewind(match, to)
    kept, undone = plan.state, list(match_log.played(match, to))
    then = [one.state for one in undone]
    seen_by_all = _seen(match, then, None) - _seen(match, [kept], None)
    return Exposure(
        tuple(_learnt(match, kept, undone, seat.name) for seat in match.seats),
        len(seen_by_all) if isinstance(match.game, DeckProofs) else None,
        thrown_in(one.entry for one in undone),
        _ends(match, now),
        _begins(match, plan.asked, now),
    )


def _seen(match: MatchRecord, states: Sequence[Any], seat: Seat | None) -> set[int]:
    """The places of the deck that were open to a seat in any of these states."""
    game = match.game
    if not isinstance(game, DeckProofs):
        return set()
    return {place for state in states for place in game.known_deck(state, seat)}


def _learnt(match: MatchRecord, kept: Any, undone: Sequence[Played], seat: Seat) -> Learnt:
    then = [one.state for one in undone]
    own = _seen(match, then, seat) - _seen(match, [kept], seat)
    hidden = own - _seen(match, [kept, *then], None)
    told = Counter(
        (event.text.msgid, tuple(event.text.params))
        for one in undone
        for event in one.events
        if event.audience is not None and event.heard_by(seat)
    )
    return Learnt(
        seat, len(hidden), tuple(_message_kind(*text, count) for text, count in told.items())
    )


def _message_kind(msgid: str, params: tuple[str, ...], count: int) -> MessageKind:
    """A message with everything taken out that it was about."""
    return MessageKind(Text(msgid, dict.fromkeys(params, HIDDEN)), count)


def thrown_in(entries: Iterable[Entry]) -> tuple[Thrown, ...]:
    fell = Counter[tuple[bool, int]]()
    for entry in entries:
        for draw in entry.draws:
            is_shuffle = draw.kind == "shuffle"
            fell[is_shuffle, draw.size] += 1 if is_shuffle else len(draw.result)
    return tuple(Thrown(*what, count) for what, count in sorted(fell.items()))


def _ends(match: MatchRecord, now: int) -> tuple[Deadline, ...]:
    return tuple(
        Deadline(
            match.seat(turn.seat).name,
            clocks.expected_deadline(match, turn, now),
            turn.since is not None,
        )
        for turn in open_turns(match.id)
    )


def _begins(match: MatchRecord, asked: turns.Asked, now: int) -> tuple[Deadline, ...]:
    """Fresh turns; their clocks wait for their letters."""
    return tuple(
        Deadline(seat.name, now + turns.time_for(match, seat, asked[seat.name]), is_running=False)
        for seat in match.seats
        if seat.name in asked
    )
