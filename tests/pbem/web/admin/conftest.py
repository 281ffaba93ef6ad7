"""Moderators' pages are at an address of their own kind: https, for the cookie."""

from __future__ import annotations

import pytest

from tests.pbem.moderating import BASE


@pytest.fixture
def base_url() -> str:
    return BASE
