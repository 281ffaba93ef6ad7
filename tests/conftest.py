"""What all tests share: which ones this machine can run, and saying which were left out."""

from __future__ import annotations

import gc
import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import settings

from tests.kit import dovecot, network, opendkim, postfix, postgres, small_disk
from tests.kit.postgres import PostgresServer
from tests.kit.smtp_sink import SmtpSink

settings.register_profile("pbem", deadline=None)  # machines are noisy: no test is timed
settings.load_profile("pbem")


def chromium() -> str | None:
    """The path of a chromium on this machine; one without windows takes half the time."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser")
    return next((found for name in names if (found := shutil.which(name))), None)


def why_no_browser() -> str | None:
    return None if chromium() else "no chromium on this machine"


REQUIRABLE: dict[str, Callable[[], str | None]] = {
    "browser": why_no_browser,
    "postgres": postgres.why_not,
    "mailserver": lambda: postfix.why_not() or dovecot.why_not() or opendkim.why_not(),
    "hosts": network.why_not,
    "compiler": lambda: None if shutil.which("gcc") else "no gcc on this machine",
    "mounting": small_disk.why_not,
}
"""The markers of tests that need something of the machine, and why it cannot run them."""
LEFT_OUT = {
    "slow": "the slow tests; `make faults` runs them",
    "browser": "the tests in a browser; `make test` runs them",
    "postgres": "the tests with PostgreSQL; `make test` runs them",
    "mailserver": "the tests with mail servers; `make test` runs them",
    "whole": "the tests that play whole matches or take long; `make test` runs them",
}
"""What the last lines say of tests that were not asked for."""


def required() -> set[str]:
    """The kinds of test that `PBEM_REQUIRE` says must not be left out."""
    words = set(os.environ.get("PBEM_REQUIRE", "").replace(",", " ").split())
    unknown = words - REQUIRABLE.keys()
    if unknown:
        raise pytest.UsageError(
            f"PBEM_REQUIRE names {sorted(unknown)}; it may name {sorted(REQUIRABLE)}"
        )
    return words


def pytest_configure() -> None:
    required()
    postgres_share()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """All tests stay to the end: looking for garbage among them took seven seconds a process."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def postgres_share() -> int:
    """Of how many tests that run on both stores one runs on PostgreSQL, too; all, unless told."""
    said = os.environ.get("PBEM_POSTGRES_SHARE", "1")
    if not (said.isascii() and said.isdigit() and int(said) > 0):
        raise pytest.UsageError(f"PBEM_POSTGRES_SHARE is {said!r}; it may be 1 (all), 2, 3 ...")
    return int(said)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    share = postgres_share()
    dropped = [one for one in items if runs_on_both(one) and crc32(one.nodeid.encode()) % share]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        gone = set(dropped)
        items[:] = [one for one in items if one not in gone]


def runs_on_both(item: pytest.Item) -> bool:
    """Whether this is the run on PostgreSQL of a test that has one on SQLite."""
    given = getattr(item, "callspec", None)
    return given is not None and given.params.get("store_url") == "postgres"


def pytest_runtest_setup(item: pytest.Item) -> None:
    for kind in REQUIRABLE:
        if item.get_closest_marker(kind):
            leave_out_unless_possible(kind)


def leave_out_unless_possible(kind: str) -> None:
    reason = REQUIRABLE[kind]()
    if reason is None:
        return
    if kind in required():
        pytest.fail(f"{reason}, and PBEM_REQUIRE says {kind}", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL of this test process; started when the first test asks for it."""
    leave_out_unless_possible("postgres")
    with PostgresServer() as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """The URL of an empty database for this test alone; mark such a test `postgres`."""
    url = postgres_server.create_database()
    yield url
    postgres_server.drop_database(url)


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with all tables, to be copied."""
    from tests.kit.stores import make_tables  # only here: tests of the engine do without pbem

    file = tmp_path_factory.mktemp("migrated") / "pbem.db"
    make_tables(f"sqlite:///{file}")
    return file


@pytest.fixture(scope="session")
def migrated_postgres(postgres_server: PostgresServer) -> str:
    """The URL of a database with all tables, to be copied."""
    from tests.kit.stores import make_tables

    url = postgres_server.create_database()
    make_tables(url)
    return url


@pytest.fixture
def sqlite_store(migrated_sqlite: Path, tmp_path: Path) -> str:
    """The URL of a store with all tables for this test alone."""
    return f"sqlite:///{shutil.copyfile(migrated_sqlite, tmp_path / 'pbem.db')}"


@pytest.fixture
def postgres_store(postgres_server: PostgresServer, migrated_postgres: str) -> Iterator[str]:
    """The URL of a store with all tables for this test alone; mark such a test `postgres`."""
    from tests.kit.stores import connections

    url = postgres_server.create_database(like=migrated_postgres)
    with connections(pooled=True):
        yield url
    postgres_server.drop_database(url)


@pytest.fixture
def idle_postgres_store(postgres_server: PostgresServer, migrated_postgres: str) -> Iterator[str]:
    """The same of a server that is stopped: nobody stays connected between two uses."""
    from tests.kit.stores import connections

    url = postgres_server.create_database(like=migrated_postgres)
    with connections(pooled=False):
        yield url
    postgres_server.drop_database(url)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def store_url(request: pytest.FixtureRequest) -> str:
    """A store of each kind in turn, with all tables and nothing in them."""
    return str(request.getfixturevalue(f"{request.param}_store"))


@pytest.fixture(scope="session")
def quick_apps() -> Iterator[None]:
    """Apps share what is the same for all of them."""
    from tests.kit.quick_apps import install

    with pytest.MonkeyPatch.context() as patch:
        install(patch)
        yield


@pytest.fixture
def smtp_sink() -> Iterator[SmtpSink]:
    with SmtpSink() as sink:
        yield sink


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple)
    )
    for reason, count in reasons.items():
        terminalreporter.write_line(f"left out: {count} tests: {reason}")
    if (share := postgres_share()) > 1:
        terminalreporter.write_line(
            f"left out: on PostgreSQL, all but one in {share} of the tests that ran on SQLite"
        )
    for kind in re.findall(r"\bnot (\w+)", config.option.markexpr):
        if kind in LEFT_OUT:
            terminalreporter.write_line(f"left out: {LEFT_OUT[kind]}")
