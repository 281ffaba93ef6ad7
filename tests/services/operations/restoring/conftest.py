"""A process forgets the timeline of a test; who restores is alone, so no lock is watched."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pbem import server_timeline
from pbem.db import store


@pytest.fixture(autouse=True)
def first_timeline() -> Iterator[None]:
    yield
    server_timeline.current.mark, server_timeline.current.back_to = "", 0


@pytest.fixture
def postgres_store(idle_postgres_store: str) -> str:
    return idle_postgres_store


@pytest.fixture
def stored(store_url: str) -> Iterator[str]:
    """An empty store with all tables; its URL."""
    store.open_database(store_url)
    with store.connected():
        yield store_url
    if not store.database.is_closed():
        store.database.close()
