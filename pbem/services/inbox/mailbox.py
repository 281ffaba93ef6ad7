"""The mailbox of another host: fetched from, and whether it can be reached at all."""

from __future__ import annotations

import logging
from collections.abc import Callable

from pbem.deadlines import MINUTE
from pbem.errors import NoRoom
from pbem.incoming.ways import imap
from pbem.services.inbox.door import InboxDoor

log = logging.getLogger(__name__)

PATIENCE = 5 * MINUTE
"""How long a mailbox may be out of reach before somebody may miss a deadline by it."""


class Mailbox:
    """Where mail is fetched from, as one worker knows it."""

    def __init__(self, url: str, door: InboxDoor, passed: Callable[[], float]) -> None:
        """`passed` is a clock that nobody can set."""
        self._url, self._door, self._passed = url, door, passed
        self._reached_at = passed()

    def fetch(self) -> None:
        """Keep what is new; a mailbox that cannot be reached is tried again."""
        try:
            imap.fetch(self._url, self._door)
            self._reached_at = self._passed()
        except imap.Unreached as problem:
            log.error("no mail was fetched why=%s", problem)
        except NoRoom:
            log.error("no mail was fetched why=the disk is full")

    def is_cut_off(self) -> bool:
        """Whether replies may lie there that nobody here has seen for long."""
        return self._passed() - self._reached_at > PATIENCE
