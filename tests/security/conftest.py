"""One production server on each kind of store for all attacks that leave it as it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.kit.smtp_sink import SmtpSink
from tests.security.production import Production, Seats, sit_down


@pytest.fixture(
    scope="session", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
)
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Production]:
    folder, url = tmp_path_factory.mktemp("production"), ""
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_server").create_database()
    with SmtpSink() as sink, Production(folder, sink, {}, url).running() as running:
        yield running


@pytest.fixture(scope="session")
def seats(server: Production) -> Seats:
    """Two people in a match that no attack may change."""
    return sit_down(server, "table")
