"""The settings and the database, opened for one command; the time, and how it is told."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from pbem.config import Config
from pbem.db import store
from pbem.errors import ConfigError
from pbem.logs import lines
from pbem.services.operations import health
from pbem.services.operations.monitoring import counters
from pbem.services.players import process_settings
from pbem.services.records import restorations


@contextmanager
def opened(config: Config | None = None) -> Iterator[Config]:
    """The settings, and the database they name, with all its tables."""
    config = config or Config.from_env()
    lines.configure(config.log_format, counters.LoggedLines())
    process_settings.make_known(config)
    store.open_database(config.database_url)
    with store.connected():
        store.check_whole()
        if not config.in_production:
            health.migrate(now())
        elif health.pending_migrations():
            raise ConfigError("the database lacks tables of this version; run: pbem migrate")
        restorations.make_known()
        yield config


def now() -> int:
    return int(time.time())


def utc(at: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(at))
