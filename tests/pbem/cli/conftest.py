"""An empty folder to work in, with no settings but the defaults and a store of each kind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def here(store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in [*os.environ]:
        if name.startswith("PBEM_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PBEM_DATABASE_URL", store_url)
    return tmp_path


@pytest.fixture
def without_tables(
    request: pytest.FixtureRequest, here: Path, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The settings name a database that nothing was done to."""
    is_file = store_url.startswith("sqlite")
    url = f"sqlite:///{here}/empty.db" if is_file else request.getfixturevalue("postgres_url")
    monkeypatch.setenv("PBEM_DATABASE_URL", url)
