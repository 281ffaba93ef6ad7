"""Looking at what is hidden in a match that is still played: said beforehand, told to all, entered.

It is the only way to it, and each look is an act of its own: with a reason, with letters to the
players and to all moderators, in one transaction with the entry that tells of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.abilities import DeckProofs
from engine.core import Seat, Text
from pbem.db.store import writing
from pbem.errors import Stale
from pbem.services.match import match_log
from pbem.services.match.match_log import Told
from pbem.services.moderation import act_records, match_acts
from pbem.services.moderation.act_targets import Params
from pbem.services.moderation.match_acts import Act
from pbem.services.players import staff_alerts
from pbem.services.records.announcements import Words
from pbem.services.records.match_rows import LIVE, MatchRecord, get_match
from pbem.services.records.moderator_rows import ModeratorRecord

WORDS = Words(
    "A moderator looks at all hidden information in this match: every player's "
    "hand, what each was told privately, their standing orders, and the order of "
    "the deck. Nothing in the match changes."
)
WITHOUT_DECK = Words(
    "A moderator looks at all hidden information in this match: what each side sees, what it was "
    "told privately, and its standing orders. Nothing in the match changes."
)


class Hand(NamedTuple):
    """What one seat sees, and what it alone has been told."""

    seat: Seat
    view: Any
    told: tuple[Text, ...]


class Card(NamedTuple):
    """A place of the deck; nobody knows it before it is dealt or drawn."""

    place: int
    card: str
    known_to: tuple[Seat, ...]


class Opened(NamedTuple):
    """All that is hidden, at the moment of the look; kept nowhere."""

    entry: int
    """The number of the look in the log."""
    hands: tuple[Hand, ...]
    deck: tuple[Card, ...]


def foresee(match: MatchRecord) -> Words:
    """What will happen, in words; Refused says why it cannot be done."""
    return _words(match, Params(), 0)


def look(moderator: ModeratorRecord, match_id: str, reason: str, now: int) -> Opened:
    """Enter it and tell everybody, then open the match: all or nothing."""
    with writing():
        entry = match_acts.perform(moderator, match_id, _ACT, Params(), reason, now)
        why = f"{match_id}: {act_records.checked_reason(reason)}"
        staff_alerts.alert("break_glass", moderator.address, entry, now, why)
        return _opened(get_match(match_id), entry)


def _opened(match: MatchRecord, entry: int) -> Opened:
    state, game = match_log.current(match), match.game
    told = match_log.all_told(match, -1, match.head_seq)
    seats = [seat.name for seat in match.seats]
    return Opened(
        entry,
        tuple(Hand(seat, game.view(state, seat), _told_alone(told, seat)) for seat in seats),
        _deck(game, state, seats) if isinstance(game, DeckProofs) else (),
    )


def _deck(game: DeckProofs[Any], state: Any, seats: Sequence[Seat]) -> tuple[Card, ...]:
    known = {seat: game.known_deck(state, seat) for seat in seats}
    return tuple(
        Card(place, card, tuple(seat for seat in seats if place in known[seat]))
        for place, card in enumerate(game.deck(state))
    )


def _told_alone(told: Sequence[Told], seat: Seat) -> tuple[Text, ...]:
    return tuple(
        event.text
        for one in told
        for event in one.events
        if event.audience is not None and event.heard_by(seat)
    )


def _words(match: MatchRecord, params: Params, now: int) -> Words:
    if match.status != LIVE:
        raise Stale("the match is not in progress")
    return WORDS if isinstance(match.game, DeckProofs) else WITHOUT_DECK


def _change_nothing(match: MatchRecord, params: Params, now: int) -> None:
    """To look is no act in the match."""


_ACT = Act(
    "break_glass",
    Words("Look at hidden information"),
    (),
    _words,
    _change_nothing,
    needs_step_up=True,
)
