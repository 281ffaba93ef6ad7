"""A served site with a match of Ann and Bob, and a browser to play it in."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest
from flask import Flask
from playwright.sync_api import Browser
from werkzeug.serving import make_server

from pbem.app import create_app
from pbem.config import Config
from pbem.db import store
from pbem.links import Links
from tests.kit.chromium import open_browser
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


@contextmanager
def served(app: Flask) -> Iterator[str]:
    """The address at which the application answers on loopback."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One for all tests of this folder that a process runs; each opens a context of its own."""
    with open_browser() as browser:
        yield browser
