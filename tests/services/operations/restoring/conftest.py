"""A process forgets the timeline of a test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pbem import server_timeline


@pytest.fixture(autouse=True)
def first_timeline() -> Iterator[None]:
    yield
    server_timeline.current.mark, server_timeline.current.back_to = "", 0
