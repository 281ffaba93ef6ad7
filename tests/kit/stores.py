"""Stores with all tables: migrated once for each test process, and copied for each test."""

from __future__ import annotations

from pbem.db import store
from pbem.key_ring import ring
from tests.kit import lock_order

KEY = "a-key-for-stores-that-no-settings-were-read-for"


def make_tables(url: str) -> None:
    """Migrate a store and close it; the one that was open before is so again.

    Whoever uses the store without an app signs with a key of the tests.
    """
    ring.use(lambda: (KEY,))
    before = store.database.obj
    store.open_database(url)
    with store.connected():
        store.migrate()
        if store.has_row_locks():
            lock_order.install()
    store.database.initialize(before)
