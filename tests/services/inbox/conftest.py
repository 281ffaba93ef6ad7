"""A server that takes mail."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pbem.services.players.process_settings import settings


@pytest.fixture(autouse=True)
def takes_mail(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(settings, "takes_mail", True, raising=False)
    monkeypatch.setattr(settings, "mail_domain", "play.example", raising=False)
    yield
