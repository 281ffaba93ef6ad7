"""A server to look at, with a clock of its own and an empty store of each kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from pbem.app import create_app
from pbem.config import DEFAULT_BASE_URL, Config
from pbem.db import store
from pbem.key_ring import ring
from pbem.links import Links
from pbem.services.staff.one_time_codes import STEP
from tests.pbem.moderating import Visitor
from tests.pbem.visiting import KEYS, NOW, Clock
from tests.services.moderator_kit import Staff, with_password


@pytest.fixture(scope="session", autouse=True)
def _quick(quick_apps: None) -> None:
    pass


@pytest.fixture
def base_url() -> str:
    return DEFAULT_BASE_URL


@pytest.fixture
def config(store_url: str, base_url: str, tmp_path: Path) -> Config:
    return Config(
        database_url=store_url,
        base_url=base_url,
        secret_keys=KEYS,
        mailbox=tmp_path / "mailbox",
    )


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


@pytest.fixture
def keys_file(app: Flask, config: Config, tmp_path: Path) -> Path:
    """A file that the keys of the app come from from now on."""
    file = tmp_path / "secret-keys"
    file.write_text("k" * 64)
    file.chmod(0o600)
    fresh = replace(config, secret_keys=("k" * 64,), keys_file=file)
    links = Links(fresh.secret_keys, fresh.base_url, file)
    ring.use(lambda: links.keys)
    app.extensions["pbem"] = replace(app.extensions["pbem"], config=fresh, links=links)
    return file


# --- moderators ----------------------------------------------------------------------------------


@pytest.fixture
def visitor(app: Flask) -> Visitor:
    return Visitor(app)


@pytest.fixture
def mo(app: Flask) -> Staff:
    """A moderator with a password; the codes of now are fresh."""
    with store.connected():
        return with_password()


@pytest.fixture
def inside(visitor: Visitor, mo: Staff) -> Visitor:
    """Mo has logged in."""
    assert visitor.log_in(mo, NOW).status_code == 303
    return visitor


@pytest.fixture
def stepped_up(inside: Visitor, mo: Staff, clock: Clock) -> Visitor:
    """Mo has logged in, and half a minute later shown again who it is."""
    clock.now += STEP
    assert inside.send("/admin/step-up", code=mo.code(clock.now)).status_code == 303
    return inside
