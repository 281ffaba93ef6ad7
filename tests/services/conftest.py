"""A store of each kind, a few people, and a match of theirs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from pbem.db import store
from pbem.key_ring import ring
from tests.kit import lock_order
from tests.mail.posting import KEYS
from tests.services.people import NOW, Sitting, sit_down


@pytest.fixture(autouse=True)
def sealed() -> None:
    """Keys to seal with, as settings would name them."""
    ring.use(lambda: KEYS)


@pytest.fixture
def stored(store_url: str) -> Iterator[str]:
    """An empty store with all tables; its URL. On PostgreSQL, locks are taken in our order."""
    store.open_database(lock_order.traced(store_url))
    watched = lock_order.watching(store_url) if store.has_row_locks() else nullcontext()
    with store.connected(), watched:
        yield store_url
    if not store.database.is_closed():
        store.database.close()


@pytest.fixture
def sitting(stored: str) -> Sitting:
    """Ann (USA) and Bob (USSR), dealt and waiting for Bob's first decision."""
    return sit_down(NOW)
