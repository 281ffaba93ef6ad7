"""The door of the inbox: it keeps mails while there is room, in any thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from pbem.db.store import rows
from pbem.errors import NoRoom
from pbem.services.inbox.door import InboxDoor
from pbem.services.operations.disk_space import Room
from tests.services.inbox.mailing import raw_mail, reply_address
from tests.services.people import BOB, NOW, Sitting, turn_of


def test_nothing_is_kept_on_a_full_disk(sitting: Sitting) -> None:
    free = SimpleNamespace(f_bavail=199, f_frsize=1024 * 1024)
    clock = iter(range(0, 100, 10))
    room = Room("sqlite:////a/file", 200, lambda _: free, lambda: float(next(clock)))
    door, to = InboxDoor(room.check, lambda: NOW), reply_address(turn_of(sitting.match))

    with pytest.raises(NoRoom):
        door.keep(BOB, [to], raw_mail(to))
    assert rows("SELECT COUNT(*) FROM incoming") == [(0,)]
    free.f_bavail = 200
    assert door.keep(BOB, [to], raw_mail(to)) == [True]


def test_threads_have_connections_of_their_own(sitting: Sitting) -> None:
    door, to = InboxDoor(lambda: None, lambda: NOW), reply_address(turn_of(sitting.match))
    with ThreadPoolExecutor(4) as threads:
        known = threads.map(door.is_known, [to, "nobody@localhost"] * 4)
        kept = threads.map(lambda _: door.keep(BOB, [to], raw_mail(to)), range(8))

    assert list(known) == [True, False] * 4
    assert list(kept) == [[True]] * 8
    assert rows("SELECT received_at FROM incoming") == [(NOW,)]
