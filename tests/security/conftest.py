"""One production server for all attacks that leave it as it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.kit.smtp_sink import SmtpSink
from tests.security.production import Production, Seats, sit_down


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Production]:
    with (
        SmtpSink() as sink,
        Production(tmp_path_factory.mktemp("production"), sink, {}).running() as running,
    ):
        yield running


@pytest.fixture(scope="session")
def seats(server: Production) -> Seats:
    """Two people in a match that no attack may change."""
    return sit_down(server, "table")
