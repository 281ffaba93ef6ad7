"""What the services read: matches with their seats, and turns, as plain values."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from engine.core import Game, Seat
from engine.registry import GAMES
from pbem.errors import Missing
from pbem.store import hold_match, row, rows

FORMING, LIVE, OVER, CANCELLED = "forming", "live", "over", "cancelled"
OPEN, INVITED, JOINED, DECLINED = "open", "invited", "joined", "declined"


class SeatRecord(Struct, frozen=True):
    number: int
    name: Seat
    player: int | None
    status: str
    phrase: str
    epoch: int
    draw_offered: bool


class MatchRecord(Struct, frozen=True):
    id: str
    game_name: str
    rules_version: int
    setup: dict[str, Any]
    status: str
    head_seq: int
    timeline: int
    secret: str
    commitment: str
    pace: int
    listed: bool
    creator: int | None
    created_at: int
    started_at: int | None
    ended_at: int | None
    result: str | None
    seats: tuple[SeatRecord, ...]

    @property
    def game(self) -> Game[Any, Any, Any]:
        return GAMES[self.game_name]

    def seat(self, number: int) -> SeatRecord:
        return self.seats[number]

    def seat_named(self, name: str) -> SeatRecord | None:
        return next((seat for seat in self.seats if seat.name == name), None)


class TurnRecord(NamedTuple):
    id: int
    match: str
    seat: int
    opened_seq: int
    closed_seq: int | None
    opened_at: int
    closed_at: int | None
    deadline_at: int
    has_draft: bool = False

    @property
    def is_open(self) -> bool:
        return self.closed_seq is None


class PlayerRecord(NamedTuple):
    id: int
    address: str
    name: str
    language: str
    zone: str
    created_at: int
    confirmed_at: int | None
    epoch: int
    news: bool


_MATCH = (
    "SELECT id, game, rules_version, setup, status, head_seq, timeline, secret, commitment, pace,"
    " listed, creator_id, created_at, started_at, ended_at, result FROM match WHERE id = ?"
)
_SEATS = (
    "SELECT number, name, player_id, status, phrase, epoch, draw_offered FROM seat"
    " WHERE match_id = ? ORDER BY number"
)
_TURN = (
    "SELECT id, match_id, seat, opened_seq, closed_seq, opened_at, closed_at, deadline_at,"
    " EXISTS (SELECT 1 FROM draft WHERE turn_id = turn.id) FROM turn"
)
_PLAYER = (
    "SELECT id, address, name, language, zone, created_at, confirmed_at, epoch, news FROM player"
)


def find_match(match: str) -> MatchRecord | None:
    found = row(_MATCH, match)
    if found is None:
        return None
    seats = tuple(
        [
            SeatRecord(n, Seat(name), player, status, phrase, epoch, bool(draw))
            for n, name, player, status, phrase, epoch, draw in rows(_SEATS, match)
        ]
    )
    values: list[Any] = [*found, seats]
    values[3], values[10] = msgspec.json.decode(found[3]), bool(found[10])
    return MatchRecord(*values)


def get_match(match: str) -> MatchRecord:
    found = find_match(match)
    if found is None:
        raise Missing(f"there is no match {match}")
    return found


def hold(match: str) -> MatchRecord:
    """The match for writing: nobody else changes it before this transaction is over."""
    hold_match(match)
    return get_match(match)


def find_turn(turn: int) -> TurnRecord | None:
    found = row(f"{_TURN} WHERE id = ?", turn)
    return TurnRecord(*found) if found else None


def open_turns(match: str) -> list[TurnRecord]:
    found = rows(f"{_TURN} WHERE match_id = ? AND closed_seq IS NULL ORDER BY id", match)
    return [TurnRecord(*values) for values in found]


def turns_of(match: str) -> list[TurnRecord]:
    found = rows(f"{_TURN} WHERE match_id = ? ORDER BY id", match)
    return [TurnRecord(*values) for values in found]


def find_player(player: int) -> PlayerRecord | None:
    return _player(row(f"{_PLAYER} WHERE id = ?", player))


def get_player(player: int | None) -> PlayerRecord:
    found = find_player(player) if player is not None else None
    if found is None:
        raise Missing("there is no such player")
    return found


def player_at(address: str) -> PlayerRecord | None:
    return _player(row(f"{_PLAYER} WHERE address = ?", address))


def _player(found: tuple[Any, ...] | None) -> PlayerRecord | None:
    if found is None:
        return None
    values: list[Any] = [*found[:-1], bool(found[-1])]
    return PlayerRecord(*values)
