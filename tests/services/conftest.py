"""A store of each kind, a few people, and a match of theirs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from pbem.db import store
from pbem.key_ring import ring
from tests.kit import lock_order
from tests.kit.postgres import PostgresServer
from tests.kit.stores import connections, make_tables
from tests.mail.posting import KEYS
from tests.services.people import NOW, Sitting, sit_down


@pytest.fixture(autouse=True)
def sealed() -> None:
    """Keys to seal with, as settings would name them."""
    ring.use(lambda: KEYS)


@pytest.fixture(scope="session")
def watched_postgres(postgres_server: PostgresServer) -> str:
    """The URL of a database that writes down who locks what, to be copied."""
    url = postgres_server.create_database()
    make_tables(url, is_watched=True)
    return url


@pytest.fixture
def postgres_store(postgres_server: PostgresServer, watched_postgres: str) -> Iterator[str]:
    url = postgres_server.create_database(like=watched_postgres)
    with connections(pooled=True):
        yield url
    postgres_server.drop_database(url)


@pytest.fixture
def stored(store_url: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """An empty store with all tables; its URL. On PostgreSQL, locks are taken in our order."""
    store.open_database(lock_order.traced(store_url))
    is_watched = store.has_row_locks() and not request.node.get_closest_marker("alone")
    watched = lock_order.watching(store_url) if is_watched else nullcontext()
    with store.connected(), watched:
        yield store_url
    if not store.database.is_closed():
        store.database.close()


@pytest.fixture
def sitting(stored: str) -> Sitting:
    """Ann (USA) and Bob (USSR), dealt and waiting for Bob's first decision."""
    return sit_down(NOW)
