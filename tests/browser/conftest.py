"""A served site with a match of Ann and Bob, and a browser to play it in."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from flask import Flask
from playwright.sync_api import Browser, sync_playwright
from werkzeug.serving import make_server

from pbem.app import create_app
from pbem.config import Config
from pbem.db import store
from pbem.links import Links
from tests.conftest import chromium
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
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield Site(f"http://127.0.0.1:{server.server_port}", Links(KEYS, ""), match)
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()
