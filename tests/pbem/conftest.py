"""A server to look at, with a clock of its own and an empty store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from pbem import store
from pbem.app import create_app
from pbem.config import Config
from pbem.links import Links
from tests.pbem.visiting import KEYS, Clock


@pytest.fixture
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database: SQLite, unless the test is marked `on_each_store`."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return f"sqlite:///{tmp_path / 'pbem.db'}"
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def config(database_url: str, tmp_path: Path) -> Config:
    return Config(database_url=database_url, secret_keys=KEYS, mailbox=tmp_path / "mailbox")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def app(config: Config, clock: Clock) -> Iterator[Flask]:
    yield create_app(config, now=clock)
    if not store.database.is_closed():
        store.database.close()


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def links(config: Config) -> Links:
    return Links(config.secret_keys, config.base_url)
