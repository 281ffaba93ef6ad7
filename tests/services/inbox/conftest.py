"""A server that takes mail."""

from __future__ import annotations

import pytest

from pbem.services.players.process_settings import settings


@pytest.fixture(autouse=True)
def takes_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "takes_mail", True)
