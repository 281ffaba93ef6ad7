"""Moderators as plain values."""

from __future__ import annotations

from typing import NamedTuple

from pbem.db.models import Moderator
from pbem.db.reading import every, first


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


_COLUMNS = [getattr(Moderator, name) for name in ModeratorRecord._fields]


def find_moderator(moderator: int) -> ModeratorRecord | None:
    return first(Moderator.select(*_COLUMNS).where(Moderator.id == moderator), ModeratorRecord)


def moderator_at(address: str) -> ModeratorRecord | None:
    return first(Moderator.select(*_COLUMNS).where(Moderator.address == address), ModeratorRecord)


def all_moderators() -> list[ModeratorRecord]:
    return every(Moderator.select(*_COLUMNS).order_by(Moderator.address), ModeratorRecord)
