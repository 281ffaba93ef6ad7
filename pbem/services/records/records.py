"""What the services read: matches with their seats, and turns, as plain values."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from engine.core import Game, Seat
from engine.registry import GAMES
from pbem.db.store import hold_match, row, rows
from pbem.deadlines import Clock, Habits
from pbem.errors import Missing

FORMING, LIVE, OVER, CANCELLED = "forming", "live", "over", "cancelled"
OPEN, INVITED, JOINED, DECLINED = "open", "invited", "joined", "declined"
VACANT = "vacant"
"""Of a seat that the clock has taken from its player; anybody who stands in may have it."""


class SeatRecord(Struct, frozen=True):
    number: int
    name: Seat
    player: int | None
    status: str
    phrase: str
    epoch: int
    draw_offered: bool
    bank: int | None
    missed: int
    pause_wanted: bool


class MatchRecord(Struct, frozen=True):
    id: str
    game_name: str
    rules_version: int
    setup: dict[str, Any]
    status: str
    head_seq: int
    timeline: int
    head: str
    """The hash of the newest entry, which counts what is hidden too; see history.public_head."""
    secret: str
    commitment: str
    pace: int
    listed: bool
    creator: int | None
    created_at: int
    started_at: int | None
    ended_at: int | None
    result: str | None
    clock: Clock
    paused_at: int | None
    paused_total: int
    """For how long pauses, and absences in turns that began to run anew, have stopped it."""
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
    budget: int
    started_at: int | None
    """When its clock began to run; None while it has not."""
    absent: int
    """How much of the time from `since` to the deadline is absence; in a pause, up to that."""
    since: int | None
    """From when `allowed` seconds count; None while the clock stands still."""
    allowed: int
    missed: bool
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
    leads: tuple[int, ...] | None
    digest_hour: int | None
    days_off: tuple[int, ...]
    night: tuple[int, int] | None
    reminders: bool
    stands_in: bool
    turn_word: bool
    quick_moves: int

    @property
    def habits(self) -> Habits:
        return Habits(self.zone, self.days_off, self.night)


class ModeratorRecord(NamedTuple):
    id: int
    address: str
    name: str
    role: str
    created_at: int
    disabled_at: int | None
    password_hash: str
    totp_secret: str
    totp_step: int
    locked_until: int | None
    setup_epoch: int
    """Of the newest link to set up; below zero once it was used."""

    @property
    def called(self) -> str:
        return self.name or self.address


_clock = msgspec.json.Decoder(Clock)
_numbers = msgspec.json.Decoder(tuple[int, ...])
FLAGS = (8, 13, 14, 15)
"""The columns of a player that say yes or no."""
LISTS = (9, 11, 12)
"""The columns of a player that hold numbers as JSON: leads, days off, night."""


def _of(table: str, columns: str) -> str:
    return ", ".join(f"{table}.{column}" for column in columns.split())


_OF_MATCH = _of(
    "match",
    "id game rules_version setup status head_seq timeline head secret commitment pace listed"
    " creator_id created_at started_at ended_at result clock paused_at paused_total",
)
_OF_TURN = _of(
    "turn",
    "id match_id seat opened_seq closed_seq opened_at closed_at deadline_at budget started_at"
    " absent since allowed missed",
)
_OF_TURN += ", EXISTS (SELECT 1 FROM draft WHERE turn_id = turn.id)"
_MATCH = f"SELECT {_OF_MATCH} FROM match WHERE id = ?"
_SEATS = (
    "SELECT number, name, player_id, status, phrase, epoch, draw_offered, bank, missed,"
    " pause_wanted FROM seat WHERE match_id = ? ORDER BY number"
)
_TURN = f"SELECT {_OF_TURN} FROM turn"
_TURN_IN_MATCH = (
    f"SELECT {_OF_TURN}, {_OF_MATCH} FROM turn JOIN match ON match.id = turn.match_id"
    " WHERE turn.id = ?"
)
_PLAYER = (
    "SELECT id, address, name, language, zone, created_at, confirmed_at, epoch, news, leads,"
    " digest_hour, days_off, night, reminders, stands_in, turn_word, quick_moves FROM player"
)
_MODERATOR = (
    "SELECT id, address, name, role, created_at, disabled_at, password_hash, totp_secret,"
    " totp_step, locked_until, setup_epoch FROM moderator"
)


def find_match(match: str) -> MatchRecord | None:
    found = row(_MATCH, match)
    return _match(found) if found else None


def _match(found: tuple[Any, ...]) -> MatchRecord:
    values: list[Any] = [*found, tuple([_seat(values) for values in rows(_SEATS, found[0])])]
    values[3], values[11] = msgspec.json.decode(found[3]), bool(found[11])
    values[17] = _clock.decode(found[17])
    return MatchRecord(*values)


def _seat(found: tuple[Any, ...]) -> SeatRecord:
    values: list[Any] = [*found]
    values[6], values[9] = bool(found[6]), bool(found[9])
    return SeatRecord(*values)


def get_match(match: str) -> MatchRecord:
    found = find_match(match)
    if found is None:
        raise Missing("there is no match %(match)s", match=match)
    return found


def hold(match: str) -> MatchRecord:
    """The match for writing: nobody else changes it before this transaction is over."""
    hold_match(match)
    return get_match(match)


def find_turn(turn: int) -> TurnRecord | None:
    found = row(f"{_TURN} WHERE id = ?", turn)
    return TurnRecord(*found) if found else None


def find_turn_in_match(turn: int) -> tuple[TurnRecord, MatchRecord] | None:
    """Both at once, as whoever plays needs them."""
    found = row(_TURN_IN_MATCH, turn)
    if found is None:
        return None
    width = len(TurnRecord._fields)
    return TurnRecord(*found[:width]), _match(found[width:])


def open_turns(match: str) -> list[TurnRecord]:
    found = rows(f"{_TURN} WHERE match_id = ? AND closed_seq IS NULL ORDER BY id", match)
    return [TurnRecord(*values) for values in found]


def turn_before(turn: TurnRecord) -> TurnRecord | None:
    """The turn of the same seat before this one."""
    found = row(
        f"{_TURN} WHERE match_id = ? AND seat = ? AND closed_seq <= ?"
        " ORDER BY closed_seq DESC LIMIT 1",
        turn.match,
        turn.seat,
        turn.opened_seq,
    )
    return TurnRecord(*found) if found else None


def newest_turn(match: str, seat: int, closed: int | None = None) -> TurnRecord | None:
    """The newest turn of a seat; of those that an entry has closed, if one is named."""
    which, values = ("", ()) if closed is None else (" AND closed_seq = ?", (closed,))
    found = row(
        f"{_TURN} WHERE match_id = ? AND seat = ?{which} ORDER BY id DESC LIMIT 1",
        match,
        seat,
        *values,
    )
    return TurnRecord(*found) if found else None


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
    values: list[Any] = [*found]
    for column in FLAGS:
        values[column] = bool(found[column])
    for column in LISTS:
        values[column] = _numbers.decode(found[column]) if found[column] else None
    return PlayerRecord(*values)


def find_moderator(moderator: int) -> ModeratorRecord | None:
    found = row(f"{_MODERATOR} WHERE id = ?", moderator)
    return ModeratorRecord(*found) if found else None


def moderator_at(address: str) -> ModeratorRecord | None:
    found = row(f"{_MODERATOR} WHERE address = ?", address)
    return ModeratorRecord(*found) if found else None


def all_moderators() -> list[ModeratorRecord]:
    return [ModeratorRecord(*values) for values in rows(f"{_MODERATOR} ORDER BY address")]
