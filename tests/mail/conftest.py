"""A store of each kind, and an office whose letters can be looked at."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from email.message import EmailMessage
from fcntl import LOCK_EX, flock
from pathlib import Path

import pytest

from pbem.db import store
from pbem.key_ring import ring
from pbem.services.letters.mail_settings import MailSettings
from pbem.services.players import process_settings
from pbem.services.players.process_settings import Settings
from tests.mail.golden import golden_letters
from tests.mail.posting import KEYS, Bag, office_with
from tests.mail.reading import Golden


@pytest.fixture(autouse=True)
def sealed() -> None:
    """Keys to seal with, as settings would name them."""
    ring.use(lambda: KEYS)


@pytest.fixture(autouse=True)
def as_settings_are_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a test before has made known to this process."""
    for name in ("open_for", "mail_domain", "takes_mail", "authserv_id"):
        monkeypatch.setattr(process_settings.settings, name, getattr(Settings, name))


@pytest.fixture
def stored(store_url: str) -> Iterator[str]:
    """An empty store with all tables; its URL."""
    store.open_database(store_url)
    with store.connected():
        yield store_url
    if not store.database.is_closed():
        store.database.close()


@pytest.fixture(scope="session")
def named(tmp_path_factory: pytest.TempPathFactory) -> dict[str, EmailMessage]:
    """The golden letters by name, to be read and never changed.

    Of several processes that test together the first makes them for all.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return _golden(tmp_path_factory.mktemp("golden"))
    shared = tmp_path_factory.getbasetemp().parent
    with (shared / "golden.lock").open("w") as lock:
        flock(lock, LOCK_EX)
        kept = shared / "golden.pickle"
        if not kept.exists():
            kept.write_bytes(pickle.dumps(_golden(tmp_path_factory.mktemp("golden"))))
        made: dict[str, EmailMessage] = pickle.loads(kept.read_bytes())
    return made


def _golden(folder: Path) -> dict[str, EmailMessage]:
    store.open_database(f"sqlite:///{folder / 'pbem.db'}")
    with store.connected():
        store.migrate()
        made = golden_letters()
    if not store.database.is_closed():
        store.database.close()
    return made


@pytest.fixture(scope="session")
def book(named: dict[str, EmailMessage]) -> list[Golden]:
    """The same, to be read one after another: a test that fails names the letter."""
    return [Golden(name, letter) for name, letter in named.items()]


@pytest.fixture
def bag() -> Bag:
    return Bag()


@pytest.fixture
def office(bag: Bag) -> MailSettings:
    return office_with(bag)
