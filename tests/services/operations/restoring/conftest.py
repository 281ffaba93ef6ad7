"""A process forgets the timeline of a test; who restores is alone, so no lock is watched."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pbem import server_timeline
from pbem.db import store
from tests.kit.postgres import PostgresServer
from tests.kit.stores import all_closed


@pytest.fixture(autouse=True)
def first_timeline() -> Iterator[None]:
    yield
    server_timeline.current.mark, server_timeline.current.back_to = "", 0


@pytest.fixture
def postgres_store(postgres_server: PostgresServer, migrated_postgres: str) -> Iterator[str]:
    url = postgres_server.create_database(like=migrated_postgres)
    with all_closed():
        yield url
    postgres_server.drop_database(url)


@pytest.fixture
def stored(store_url: str) -> Iterator[str]:
    """An empty store with all tables; its URL."""
    store.open_database(store_url)
    with store.connected():
        yield store_url
    if not store.database.is_closed():
        store.database.close()
