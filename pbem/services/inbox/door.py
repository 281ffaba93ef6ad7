"""The door of the inbox: what the ways in hand mails to, whichever thread they run in."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pbem.db import store
from pbem.services.inbox import arrivals
from pbem.services.players.process_settings import settings


class InboxDoor:
    """Keeps mails while there is room; a `pbem.incoming.ways.doors.Door`."""

    largest = arrivals.LARGEST

    def __init__(self, check_room: Callable[[], None], now: Callable[[], int]) -> None:
        """`check_room` raises NoRoom when the disk is full."""
        self._check_room, self._now = check_room, now

    @property
    def domain(self) -> str:
        return settings.mail_domain

    def is_known(self, recipient: str) -> bool:
        with store.connected():
            return arrivals.is_known(recipient)

    def keep(self, sender: str, recipients: Sequence[str], raw: bytes) -> list[bool]:
        self._check_room()
        with store.connected():
            return arrivals.keep(sender, recipients, raw, self._now())
