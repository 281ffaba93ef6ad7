"""A server behind a real Postfix; which people have mailboxes there, each module says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pbem.config import Config
from pbem.db import store
from pbem.services.players import process_settings
from tests.kit.postfix import AUTHSERV_ID, PLAY, PostfixServer

KEYS = ("a key for the tests that is long enough",)


@pytest.fixture
def config(
    postfix: PostfixServer, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Config]:
    """Its settings, known to this process, with its store open."""
    known = process_settings.settings
    for name in ("mail_domain", "takes_mail", "authserv_id"):
        monkeypatch.setattr(known, name, getattr(known, name))
    config = Config(
        database_url=store_url,
        secret_keys=KEYS,
        smtp_url=postfix.url,
        mail_from=f"pbem@{PLAY}",
        mail_domain=PLAY,
        lmtp_listen=f"127.0.0.1:{postfix.lmtp_port}",
        authserv_id=AUTHSERV_ID,
    )
    process_settings.make_known(config)
    store.open_database(config.database_url)
    yield config
    if not store.database.is_closed():
        store.database.close()
