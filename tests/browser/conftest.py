"""A served site with a match of Ann and Bob, and a browser to play it in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from flask import Flask
from playwright.sync_api import Browser

from pbem.app import create_app
from pbem.config import Config
from pbem.db import store
from pbem.links import Links
from tests.kit.chromium import open_browser
from tests.kit.serving import served
from tests.pbem.visiting import KEYS, Clock
from tests.services.people import NOW, sit_down


class Site(NamedTuple):
    address: str
    links: Links
    match: str


@pytest.fixture(scope="session", autouse=True)
def _quick(quick_apps: None) -> None:
    pass


@pytest.fixture
def app(sqlite_store: str) -> Iterator[Flask]:
    yield create_app(Config(database_url=sqlite_store, secret_keys=KEYS), now=Clock())
    if not store.database.is_closed():
        store.database.close()


@pytest.fixture
def site(app: Flask) -> Iterator[Site]:
    with store.connected():
        match = sit_down(NOW).match
    with served(app) as address:
        yield Site(address, Links(KEYS, ""), match)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One for all tests of this folder that a process runs; each opens a context of its own."""
    with open_browser() as browser:
        yield browser
