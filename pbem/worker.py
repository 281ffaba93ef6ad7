"""The worker: a ticker that asks every few seconds what is due; what is due lives in rows."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from apscheduler.schedulers.background import BackgroundScheduler  # type: ignore[import-untyped]
from apscheduler.schedulers.base import BaseScheduler  # type: ignore[import-untyped]
from apscheduler.schedulers.blocking import BlockingScheduler  # type: ignore[import-untyped]

from pbem import store
from pbem.config import Config
from pbem.services import due, outbox, upkeep
from pbem.services.outbox import Office

DAY = 86_400
TICK_SECONDS = 20
DRAIN_SECONDS = {"development": 2, "production": 5}

Job = Callable[[], object]


def run(config: Config) -> None:
    """Work in this thread until it is interrupted, then finish the job at hand."""
    with _working(BlockingScheduler(timezone=UTC), config) as scheduler:
        scheduler.start()


@contextmanager
def in_background(config: Config) -> Iterator[None]:
    """Work beside what runs inside."""
    with _working(BackgroundScheduler(timezone=UTC), config) as scheduler:
        scheduler.start()
        yield


@contextmanager
def _working(scheduler: BaseScheduler, config: Config) -> Iterator[BaseScheduler]:
    office = outbox.open_office(config)
    for job, seconds in jobs(office, DRAIN_SECONDS[config.env]):
        scheduler.add_job(
            job,
            "interval",
            seconds=seconds,
            coalesce=True,
            max_instances=1,
            misfire_grace_time=None,
            next_run_time=datetime.now(UTC),
        )
    try:
        yield scheduler
    finally:
        if scheduler.running:
            scheduler.shutdown(wait=True)
        office.close()


def jobs(
    office: Office, drain_seconds: int, now: Callable[[], int] = lambda: int(time.time())
) -> list[tuple[Job, int]]:
    """What is done every so many seconds."""
    name, ticker = f"{socket.gethostname()[:24]}:{os.getpid()}", due.Ticker()

    def tick() -> None:
        with store.connected():
            ticker.tick(now(), _unsettable())

    def drain() -> None:
        with store.connected():
            outbox.drain(office, name, now())

    def prune() -> None:
        with store.connected():
            upkeep.prune(now())

    return [(tick, TICK_SECONDS), (drain, drain_seconds), (prune, DAY)]


def _unsettable() -> float:
    """Seconds by a clock that nobody can set, and that goes on while the machine sleeps."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
