"""Stores with all tables: migrated once for each test process, and fresh for each test.

Whatever uses `store_url`, as nearly everything does that has an app or a match, runs on both kinds
of store. A test that is about one of them alone is marked so, and says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from playhouse.pool import PooledDatabase

from pbem.db import store
from pbem.key_ring import ring
from tests.kit import lock_order

on_sqlite = pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
on_postgres = pytest.mark.parametrize(
    "store_url", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)
KEY = "a-key-for-stores-that-no-settings-were-read-for"


def make_tables(url: str, is_watched: bool = False) -> None:
    """Migrate a store and close it; the one that was open before is so again.

    Whoever uses the store without an app signs with a key of the tests, unless a test has named
    its own before the first store was made.
    """
    if ring._keys is None:
        ring.use(lambda: (KEY,))
    before = store.database.obj
    store.open_database(url)
    with store.connected():
        store.migrate()
        if is_watched:
            lock_order.install()
    store.database.initialize(before)


@contextmanager
def connections(pooled: bool) -> Iterator[None]:
    """None is left at the end. Those of a pool stay open till then, for one request after another.

    A server has a pool in production, too; a new connection for each request has to learn all
    tables anew, which takes a third of the time of a test. A server that is stopped has none.
    """
    of_url, opened = store.of_url, list[Any]()

    def noted(url: str, asked: bool = False, **options: Any) -> Any:
        is_pooled = asked or (pooled and not url.startswith("sqlite"))
        opened.append(found := of_url(url, is_pooled, **options))
        return found

    with patch.object(store, "of_url", noted):
        yield
    for one in opened:
        if not one.is_closed():
            one.close()
        if isinstance(one, PooledDatabase):
            one.close_all()
