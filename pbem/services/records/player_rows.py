"""Players as plain values."""

from __future__ import annotations

from typing import NamedTuple

from pbem.db.models import Player
from pbem.db.reading import first
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

    @property
    def habits(self) -> Habits:
        return Habits(self.zone, self.days_off, self.night)


_COLUMNS = [getattr(Player, name) for name in PlayerRecord._fields]


def find_player(player: int) -> PlayerRecord | None:
    return first(Player.select(*_COLUMNS).where(Player.id == player), PlayerRecord)


def get_player(player: int | None) -> PlayerRecord:
    found = find_player(player) if player is not None else None
    if found is None:
        raise Missing("there is no such player")
    return found


def player_at(address: str) -> PlayerRecord | None:
    return first(Player.select(*_COLUMNS).where(Player.address == address), PlayerRecord)
