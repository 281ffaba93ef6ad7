"""Stores with all tables: migrated once for each test process, and copied for each test."""

from __future__ import annotations

from pbem import store


def make_tables(url: str) -> None:
    """Migrate a store and close it; the one that was open before is so again."""
    before = store.database.obj
    store.open_database(url)
    with store.connected():
        store.migrate()
    store.database.initialize(before)
