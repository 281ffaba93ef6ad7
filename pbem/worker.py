"""The worker: a ticker that asks every few seconds what is due; what is due lives in rows."""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import Any, NamedTuple

from apscheduler.events import (  # type: ignore[import-untyped]
    EVENT_JOB_ERROR,
    EVENT_JOB_EXECUTED,
    JobExecutionEvent,
)
from apscheduler.schedulers.background import BackgroundScheduler  # type: ignore[import-untyped]
from apscheduler.schedulers.base import BaseScheduler  # type: ignore[import-untyped]
from apscheduler.schedulers.blocking import BlockingScheduler  # type: ignore[import-untyped]

from pbem.config import Config
from pbem.db import store
from pbem.incoming.child import ChildReader
from pbem.incoming.ways import lmtp
from pbem.services.inbox import working
from pbem.services.inbox.door import InboxDoor
from pbem.services.inbox.mailbox import Mailbox
from pbem.services.letters import delivery
from pbem.services.letters.mail_settings import MailSettings, open_mail
from pbem.services.match import new_rules
from pbem.services.operations import (
    health,
    keys,
    machine_players,
    replay_check,
    statistics,
    ticking,
)
from pbem.services.operations.disk_space import Room
from pbem.services.operations.monitoring import counters
from pbem.services.players import staff_alerts
from pbem.services.self_service import guests, requests
from pbem.services.staff import code_secrets
from pbem.services.time import stalled_turns
from pbem.services.time.steady_time import SteadyTime

DAY = 86_400
NAME = f"{socket.gethostname()[:24]}:{os.getpid()}:{secrets.token_hex(3)}"
"""Whose leases are this worker's; hosts may have one name, and their processes one number."""
TICK_SECONDS = 20
DESERTED_SECONDS = 3_600
"""How often to look for matches that guests have deserted."""
MEND_SECONDS = 300
"""How often to look for turns that wait for nothing."""
TELL_SECONDS = 3_600
"""How often to look whether moderators have today's head of the log."""
LOOK_SECONDS = 3_600
REHEARSE_SECONDS = 20


class Rhythm(NamedTuple):
    """How many seconds lie between two looks at what somebody may be waiting for."""

    drain: float
    """For letters that are owed."""
    play: float = 1
    """For turns of machine players; somebody may sit before the page."""
    work: float = 2
    """For mails that came in; somebody may wait for the answer."""
    fetch: float = 60
    """For the mailbox of another host."""


RHYTHM = {"development": Rhythm(drain=2), "production": Rhythm(drain=5)}

LONGEST_WAIT = 20
"""Seconds after which the scheduler looks at its jobs, whatever it believes about the time."""

Job = Callable[[], object]


class ClockJumpTolerant:
    """A scheduler that works on when somebody sets the clock of the machine.

    As it comes, it would sleep for as long as the clock was set back, and count every run it has
    missed one by one when the clock was set ahead; APScheduler 3 has no setting against either, so
    this overrides what is private to it. tests/pbem/test_worker.py holds it to that.
    """

    def _process_jobs(self) -> float:
        scheduler: Any = self
        now, slack = datetime.now(UTC), timedelta(seconds=LONGEST_WAIT + 1)
        for job in scheduler.get_jobs():
            if not now - slack <= job.next_run_time <= now + job.trigger.interval + slack:
                job.modify(next_run_time=now)
        wait: float | None = super()._process_jobs()  # type: ignore[misc]
        return LONGEST_WAIT if wait is None else min(wait, LONGEST_WAIT)


class _Alone(ClockJumpTolerant, BlockingScheduler):  # type: ignore[misc]
    pass


class _Beside(ClockJumpTolerant, BackgroundScheduler):  # type: ignore[misc]
    pass


def _wall() -> int:
    return int(time.time())


def _shared() -> int:
    return store.shared_time(_wall)


def _unsettable() -> float:
    """Seconds by a clock that nobody can set, and that goes on while the machine sleeps."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def run(config: Config, rhythm: Rhythm | None = None) -> None:
    """Work in this thread until it is interrupted, then finish the job at hand."""
    with _working(_Alone(timezone=UTC), config, rhythm) as scheduler:
        scheduler.start()


@contextmanager
def in_background(config: Config, rhythm: Rhythm | None = None) -> Iterator[None]:
    """Work beside what runs inside."""
    with _working(_Beside(timezone=UTC), config, rhythm) as scheduler:
        scheduler.start()
        yield


@contextmanager
def _working(
    scheduler: BaseScheduler, config: Config, rhythm: Rhythm | None
) -> Iterator[BaseScheduler]:
    settings = open_mail(config)
    room = Room(config.database_url, config.min_free_mb)
    steady, rhythm = SteadyTime(_wall, _unsettable), rhythm or RHYTHM[config.env]
    door, reader = InboxDoor(room.check, steady), ChildReader()
    mailbox = Mailbox(config.imap_url, door, _unsettable) if config.imap_url else None
    work = jobs(settings, rhythm, room, shared_time=_shared, reader=reader, mailbox=mailbox)
    for job, seconds in work:
        scheduler.add_job(
            job,
            "interval",
            seconds=seconds,
            coalesce=True,
            max_instances=1,
            misfire_grace_time=None,
            next_run_time=datetime.now(UTC),
            id=job.__name__,
        )
    scheduler.add_listener(_count, EVENT_JOB_EXECUTED | EVENT_JOB_ERROR)
    with ExitStack() as afterwards:
        afterwards.callback(settings.close)
        afterwards.callback(reader.close)
        afterwards.callback(_settle, settings)
        afterwards.callback(_stop, scheduler)
        if config.lmtp_listen is not None:
            listening = lmtp.listening(config.lmtp_listen, door, config.mail_domain)
            afterwards.enter_context(listening)
        yield scheduler


def _count(run: JobExecutionEvent) -> None:
    counters.JOBS.labels(run.job_id, "failed" if run.exception else "done").inc()


def _stop(scheduler: BaseScheduler) -> None:
    """Let the jobs at hand come to their end."""
    if scheduler.running:
        scheduler.shutdown(wait=True)


def _settle(settings: MailSettings) -> None:
    with store.connected():
        delivery.settle(settings, NAME, SteadyTime(_wall, _unsettable)())


def jobs(
    settings: MailSettings,
    rhythm: Rhythm,
    room: Room,
    now: Callable[[], int] = _wall,
    passed: Callable[[], float] = _unsettable,
    shared_time: Callable[[], int] | None = None,
    reader: ChildReader | None = None,
    mailbox: Mailbox | None = None,
) -> list[tuple[Job, float]]:
    """What is done every so many seconds, all but the ticks by a time that does not jump.

    On a full disk nothing is ticked or sent: whoever cannot move loses no time, for the gap is
    given back as after an outage. What can be thrown away is, so that there is room again. Nor is
    ticked while replies may lie in a mailbox that cannot be reached. All workers tick by one time,
    where there is one.
    """
    ticker, steady = ticking.Ticker(), SteadyTime(now, passed)
    resting, reader = machine_players.Resting(), reader or ChildReader()

    def tick() -> None:
        if mailbox is not None and mailbox.is_cut_off():
            return
        with store.connected():
            ticker.tick((shared_time or now)(), passed())

    def drain() -> None:
        with store.connected():
            try:
                requests.answer_all(steady())
            finally:  # letters that are owed leave whatever strangers have asked for
                delivery.drain(settings, NAME, steady())

    def work_on_mail() -> None:
        with store.connected():
            working.work(reader.read, NAME, steady())

    def play_machines() -> None:
        with store.connected():
            machine_players.play_all(steady, passed, resting)

    def end_deserted() -> None:
        with store.connected():
            guests.end_deserted(steady())

    def mend() -> None:
        with store.connected():
            stalled_turns.mend(steady())

    def prune() -> None:
        with store.connected():
            health.prune(steady())

    def look_around() -> None:
        with store.connected():
            keys.note(settings.links.keys, steady())
            code_secrets.reseal()
            statistics.gather(steady())
            new_rules.hold_waiting(steady())

    def rehearse() -> None:
        with store.connected():
            replay_check.work_on_wishes(steady)

    def tell_head() -> None:
        with store.connected():
            staff_alerts.tell_head(steady())

    def while_there_is_room(job: Job) -> Job:
        @wraps(job)
        def job_if_room() -> None:
            if not room.is_short():
                job()

        return job_if_room

    fetching = [] if mailbox is None else [(mailbox.fetch, rhythm.fetch)]
    return [
        *fetching,
        (while_there_is_room(tick), TICK_SECONDS),
        (while_there_is_room(drain), rhythm.drain),
        (while_there_is_room(work_on_mail), rhythm.work),
        (while_there_is_room(play_machines), rhythm.play),
        (while_there_is_room(mend), MEND_SECONDS),
        (while_there_is_room(end_deserted), DESERTED_SECONDS),
        (prune, DAY),
        (while_there_is_room(tell_head), TELL_SECONDS),
        (while_there_is_room(look_around), LOOK_SECONDS),
        (while_there_is_room(rehearse), REHEARSE_SECONDS),
    ]
