"""How fast and how reliably players answer, from the turns of a year.

A turn belongs to whoever was asked by letter, not to whoever holds the seat today: a stand-in
inherits a seat, not its record.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from statistics import median
from typing import Any, NamedTuple

from pbem.db.models import Entry, Match, MatchSeat, Outbox, Turn
from pbem.db.reading import every
from pbem.deadlines import DAY
from pbem.services.records.match_rows import PUBLIC

LOOKED_BACK = 365 * DAY
FEWEST = 3
"""Turns below which nothing can be said about a player."""


RELIABLE = 90
"""Per cent of a player's turns that are in time at least, where only reliable ones may join."""


class Punctuality(NamedTuple):
    """A player's turns, those in time, and the seconds within which half of the answers came."""

    turns: int
    in_time: int
    usual: int | None


class _Ended(NamedTuple):
    """A turn that a player was asked for: how long it took, and what was left of its time."""

    player: int
    took: int
    to_spare: int
    missed: bool


def of(players: Collection[int], now: int, only_public: bool = False) -> dict[int, Punctuality]:
    """How punctual these players are; those of whom too little is known are left out."""
    if not players:
        return {}
    found = defaultdict[int, list[_Ended]](list)
    ended = _ended(players, now - LOOKED_BACK)
    if only_public:
        public = Match.select(Match.id).where(Match.visibility == PUBLIC)
        ended = ended.where(Turn.match.in_(public))
    for turn in every(ended, _Ended):
        found[turn.player].append(turn)
    return {player: _summed_up(turns) for player, turns in found.items() if len(turns) >= FEWEST}


def is_reliable(player: int, now: int) -> bool:
    """Whether a player is known to answer in time."""
    known = of([player], now).get(player)
    return known is not None and known.in_time * 100 >= known.turns * RELIABLE


def _ended(players: Collection[int], after: int) -> Any:
    """What the clock or the player has ended; a turn cut short says nothing about anybody.

    Nor does a question that was left to its usual answer.
    """
    asked = Outbox.select(Outbox.player, Outbox.turn).distinct()
    asked = asked.where(
        Outbox.kind == "turn", Outbox.turn.is_null(False), Outbox.player.in_(players)
    )
    is_own = Entry.kind.in_(["action", "forfeit"]) & (Entry.actor == MatchSeat.name)
    return (
        Turn.select(
            asked.c.player_id.alias("player"),
            (Turn.closed_at - Turn.started_at).alias("took"),
            (Turn.deadline_at - Turn.closed_at).alias("to_spare"),
            (Turn.missed | (Entry.kind == "forfeit")).alias("missed"),
        )
        .join_from(Turn, asked, on=asked.c.turn == Turn.id)
        .join_from(
            Turn, MatchSeat, on=(MatchSeat.match == Turn.match) & (MatchSeat.number == Turn.seat)
        )
        .join_from(Turn, Entry, on=(Entry.match == Turn.match) & (Entry.seq == Turn.closed_seq))
        .where(
            Turn.started_at.is_null(False),
            Turn.closed_at > after,
            ~Turn.is_inquiry,
            Turn.missed | is_own,
        )
    )


def _summed_up(turns: list[_Ended]) -> Punctuality:
    in_time = sum(turn.to_spare >= 0 and not turn.missed for turn in turns)
    answered = [turn.took for turn in turns if not turn.missed]
    return Punctuality(len(turns), in_time, int(median(answered)) if answered else None)
