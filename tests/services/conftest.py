"""A store of each kind, a few people, and a match of theirs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem import store
from tests.services.people import NOW, Sitting, sit_down


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty store with all tables; its URL."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'pbem.db'}"
    else:
        url = request.getfixturevalue("postgres_url")
    store.open_database(url)
    with store.connected():
        store.migrate()
        yield url
    if not store.database.is_closed():
        store.database.close()


@pytest.fixture
def sitting(stored: str) -> Sitting:
    """Ann (USA) and Bob (USSR), dealt and waiting for Bob's first decision."""
    return sit_down(NOW)
