"""What everybody may know of a player: public matches, how they ended, against whom."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pbem.db.models import Match, MatchSeat
from pbem.db.reading import every
from pbem.services.records import alliances
from pbem.services.records.match_rows import (
    JOINED,
    LIVE,
    OVER,
    PUBLIC,
    MatchRecord,
    SeatRecord,
    get_match,
)

MOST = 100
"""Matches that are looked at, the newest first."""
WON, LOST, DRAWN, RUNNING = "won", "lost", "drawn", "running"


class Played(NamedTuple):
    """A match, where the player sits in it, and how it ended."""

    match: MatchRecord
    seat: SeatRecord
    ended: str


class Sitting(NamedTuple):
    match: str
    number: int


class Tally(NamedTuple):
    """How matches ended."""

    won: int = 0
    lost: int = 0
    drawn: int = 0

    def plus(self, ended: str) -> Tally:
        return Tally(
            self.won + (ended == WON), self.lost + (ended == LOST), self.drawn + (ended == DRAWN)
        )


def played_by(player: int) -> list[Played]:
    """The newest public matches in which the player sits, or sat to the end."""
    return [_played(get_match(sat.match), sat.number) for sat in _found(player, MOST)]


def _found(player: int, most: int) -> list[Sitting]:
    public = (Match.visibility == PUBLIC) & Match.status.in_((LIVE, OVER))
    sat = MatchSeat.select(Match.id.alias("match"), MatchSeat.number).join(Match)
    sat = sat.where(MatchSeat.player == player, MatchSeat.status == JOINED, public)
    return every(sat.order_by(Match.created_at.desc(), Match.id.desc()).limit(most), Sitting)


def has_played(player: int) -> bool:
    """Whether there is anything that everybody may know of a player."""
    return bool(_found(player, 1))


def _played(match: MatchRecord, number: int) -> Played:
    seat, winners = match.seat(number), (match.result or "").split()
    if match.status == LIVE:
        return Played(match, seat, RUNNING)
    if winners in ([], ["draw"]):
        return Played(match, seat, DRAWN)
    return Played(match, seat, WON if seat.name in winners else LOST)


def by_game(played: list[Played]) -> dict[str, Tally]:
    found: dict[str, Tally] = {}
    for one in played:
        if one.ended != RUNNING:
            name = one.match.game_name
            found[name] = found.get(name, Tally()).plus(one.ended)
    return found


def head_to_head(played: list[Played]) -> dict[int, Tally]:
    """By the other player; who stood on the same side is no opponent."""
    found: dict[int, Tally] = {}
    for one in played:
        if one.ended != RUNNING:
            for other in set(_opponents(one)):
                found[other] = found.get(other, Tally()).plus(one.ended)
    return found


def _opponents(one: Played) -> Iterator[int]:
    for seat in alliances.opponents(one.match, one.seat.name):
        if seat.status == JOINED and seat.player not in (None, one.seat.player):
            assert seat.player is not None
            yield seat.player
