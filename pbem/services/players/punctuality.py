"""How fast and how reliably players answer, from the turns of a year.

A turn belongs to whoever was asked by letter, not to whoever holds the seat today: a stand-in
inherits a seat, not its record.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from statistics import median
from typing import NamedTuple

from pbem.db.store import rows
from pbem.deadlines import DAY

LOOKED_BACK = 365 * DAY
FEWEST = 3
"""Turns below which nothing can be said about a player."""

_TURNS = (
    "SELECT asked.player_id, t.closed_at - t.started_at, t.deadline_at - t.closed_at,"
    " t.missed OR e.kind = 'forfeit'"
    " FROM (SELECT DISTINCT player_id, turn FROM outbox"
    "       WHERE kind = 'turn' AND turn IS NOT NULL AND player_id IN ({marks})) asked"
    " JOIN turn t ON t.id = asked.turn"
    " JOIN seat s ON s.match_id = t.match_id AND s.number = t.seat"
    " JOIN entry e ON e.match_id = t.match_id AND e.seq = t.closed_seq"
    " WHERE t.started_at IS NOT NULL AND t.closed_at > ?"
    " AND (t.missed OR (e.kind IN ('action', 'forfeit') AND e.actor = s.name))"
)
"""What the clock or the player has ended; a turn that was cut short says nothing about anybody."""


class Punctuality(NamedTuple):
    """A player's turns, those in time, and the seconds within which half of the answers came."""

    turns: int
    in_time: int
    usual: int | None


def of(players: Collection[int], now: int) -> dict[int, Punctuality]:
    """How punctual these players are; those of whom too little is known are left out."""
    if not players:
        return {}
    found = defaultdict[int, list[tuple[int, int, bool]]](list)
    sql = _TURNS.format(marks=", ".join(["?"] * len(players)))
    for player, took, to_spare, missed in rows(sql, *players, now - LOOKED_BACK):
        found[player].append((took, to_spare, bool(missed)))
    return {player: _summed_up(turns) for player, turns in found.items() if len(turns) >= FEWEST}


def _summed_up(turns: list[tuple[int, int, bool]]) -> Punctuality:
    in_time = sum(to_spare >= 0 and not missed for _, to_spare, missed in turns)
    answered = [took for took, _, missed in turns if not missed]
    return Punctuality(len(turns), in_time, int(median(answered)) if answered else None)
