"""Players as plain values.

Every letter reads its reader, so the statement is written by hand: by the query builder a letter
from the log takes a quarter more (`make bench`, row "a turn letter, from the log").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from pbem.db.columns import Columns, Decoders
from pbem.db.store import marks, row, rows
from pbem.deadlines import Habits
from pbem.errors import Missing


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
    one_subject: bool
    receipts: bool
    public_id: str | None = None
    """In the address of the public page."""
    hides_page: bool = False
    board_form: str = "drawn"
    board_width: int = 72
    quiet_turns: bool = False
    unreachable_since: int | None = None
    """Since when letters do not reach the player."""

    @property
    def habits(self) -> Habits:
        return Habits(self.zone, self.days_off, self.night)


def guest(language: str) -> PlayerRecord:
    """Somebody who plays without an address: no row of the table, and nothing to write to."""
    return PlayerRecord(
        id=0,
        address="",
        name="",
        language=language,
        zone="UTC",
        created_at=0,
        confirmed_at=None,
        epoch=0,
        news=False,
        leads=(),
        digest_hour=None,
        days_off=(),
        night=None,
        reminders=False,
        stands_in=False,
        turn_word=False,
        quick_moves=0,
        one_subject=False,
        receipts=False,
    )


_decode = msgspec.json.Decoder(tuple[int, ...]).decode


def _numbers(text: str) -> tuple[int, ...] | None:
    return _decode(text) if text else None


_DECODERS: Decoders = {
    "news": bool,
    "leads": _numbers,
    "days_off": _numbers,
    "night": _numbers,
    "reminders": bool,
    "stands_in": bool,
    "turn_word": bool,
    "one_subject": bool,
    "receipts": bool,
    "hides_page": bool,
    "quiet_turns": bool,
}
_COLUMNS = Columns("player", PlayerRecord, PlayerRecord._fields, _DECODERS)
_PLAYER = f"SELECT {_COLUMNS.sql} FROM player"


def find_player(player: int) -> PlayerRecord | None:
    return _player(row(f"{_PLAYER} WHERE id = ?", player))


def _player(found: tuple[Any, ...] | None) -> PlayerRecord | None:
    return _COLUMNS.record(found) if found else None


def get_player(player: int | None) -> PlayerRecord:
    found = find_player(player) if player is not None else None
    if found is None:
        raise Missing("there is no such player")
    return found


def player_at(address: str) -> PlayerRecord | None:
    return _player(row(f"{_PLAYER} WHERE address = ?", address))


def player_with_page(public_id: str) -> PlayerRecord | None:
    """Whose public page it is, if that may be seen."""
    return _player(row(f"{_PLAYER} WHERE public_id = ? AND NOT hides_page", public_id))


def names_of(players: Sequence[int]) -> dict[int | None, str]:
    return dict(rows(f"SELECT id, name FROM player WHERE id IN ({marks(players)})", *players))
