"""A store of each kind, and an office whose letters can be looked at."""

from __future__ import annotations

from collections.abc import Iterator
from email.message import EmailMessage

import pytest

from pbem.db import store
from pbem.key_ring import ring
from pbem.services.letters.mail_settings import MailSettings
from tests.mail.golden import golden_letters
from tests.mail.posting import KEYS, Bag, office_with


@pytest.fixture(autouse=True)
def sealed() -> None:
    """Keys to seal with, as settings would name them."""
    ring.use(lambda: KEYS)


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
    """The golden letters by name, to be read and never changed."""
    store.open_database(f"sqlite:///{tmp_path_factory.mktemp('golden') / 'pbem.db'}")
    with store.connected():
        store.migrate()
        made = golden_letters()
    if not store.database.is_closed():
        store.database.close()
    return made


@pytest.fixture
def bag() -> Bag:
    return Bag()


@pytest.fixture
def office(bag: Bag) -> MailSettings:
    return office_with(bag)
