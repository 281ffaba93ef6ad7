"""What is here: database, keys, clock, disk, backup, worker, and what waits to be done."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from pbem.config import Config
from pbem.db.models import Incoming
from pbem.db.store import rows
from pbem.deadlines import DAY, HOUR, MINUTE
from pbem.services.operations import alerts, backups, health, keys
from pbem.services.operations.disk_space import MB, folder_of
from pbem.services.operations.doctor.findings import Check, Finding, ok, todo, unknown
from pbem.services.operations.monitoring import signs
from pbem.services.records.incoming_mails import QUARANTINED
from pbem.services.time import heartbeat

OLD_KEY = 365 * DAY
SILENT = 2 * MINUTE
"""A worker that runs ticks three times a minute."""


def is_missing(config: Config) -> bool:
    """Whether the file of an SQLite database is not there."""
    kind, _, path = config.database_url.partition(":///")
    return kind == "sqlite" and not Path(path).is_file()


def about_database(config: Config, now: int) -> Finding:
    """Whether it answers and has all tables; without that, nothing else can be asked of it."""
    trouble = health.trouble(now)
    if trouble is not None:
        return todo("database", f"{trouble}; missing tables are made by: pbem migrate")
    if config.database_url.startswith("sqlite:"):
        ((found,), *_) = rows("PRAGMA quick_check(1)")
        if found != "ok":
            return todo("database", f"the file is damaged ({found}); restore the newest backup")
    return ok("database", "answers, has all tables, and keeps what is written")


def checks(config: Config, now: int) -> list[tuple[str, Check]]:
    """What else the database tells, and the disk."""
    return [
        ("keys", partial(_keys, config, now)),
        ("disk", partial(_disk, config)),
        ("backup", partial(_backup, config, now)),
        ("worker", partial(_worker, now)),
        ("clock", partial(_clock, now)),
        ("alarms", partial(_alarms, now)),
        ("turns", _turns),
        ("outbox", partial(_outbox, now)),
        ("inbox", partial(_inbox, now)),
    ]


def _keys(config: Config, now: int) -> Iterator[Finding]:
    newest, *older = keys.ages(config.secret_keys)
    if newest.seen_at is None:
        yield unknown("keys", f"{newest.fingerprint} signs; no worker has run with it yet")
    elif now - newest.seen_at > OLD_KEY:
        days = (now - newest.seen_at) // DAY
        yield todo("keys", f"the newest key is {days} days old; run: pbem keys rotate")
    else:
        days = (now - newest.seen_at) // DAY
        yield ok("keys", f"{newest.fingerprint} signs, {days} days old; older ones: {len(older)}")


def _disk(config: Config) -> Iterator[Finding]:
    folder: Path | None = folder_of(config.database_url)
    if folder is None:
        yield unknown("disk", "the database has a disk of its own; look at it there")
        return
    found = os.statvfs(folder)
    free = found.f_bavail * found.f_frsize // MB
    if free < config.min_free_mb:
        yield todo("disk", f"{free} MB free, PBEM_MIN_FREE_MB is {config.min_free_mb}: make room")
    else:
        yield ok("disk", f"{free} MB free")


def _backup(config: Config, now: int) -> Iterator[Finding]:
    newest = backups.newest()
    if newest is None and not config.in_production:
        yield ok("backup", "none, which is fine while developing")
    elif newest is None:
        yield todo("backup", "none was ever made; run every day: pbem backup FOLDER --keep 14")
    elif now - newest.at > alerts.OLD_BACKUP:
        hours = (now - newest.at) // HOUR
        yield todo("backup", f"the newest is {hours} hours old; run: pbem backup FOLDER")
    else:
        yield ok("backup", f"the newest is {(now - newest.at) // HOUR} hours old")


def _worker(now: int) -> Iterator[Finding]:
    beat = heartbeat.heartbeat()
    if beat is None:
        yield todo("worker", "none has ever run; start one: pbem worker")
    elif beat.maintenance_since is not None:
        yield todo("worker", "all clocks are stopped for maintenance; run: pbem maintenance off")
    elif now - beat.ticked_at > SILENT:
        minutes = (now - beat.ticked_at) // MINUTE
        yield todo("worker", f"silent for {minutes} minutes; start it: pbem worker")
    else:
        yield ok("worker", f"ticked {max(0, now - beat.ticked_at)} seconds ago")


def _clock(now: int) -> Iterator[Finding]:
    beat = heartbeat.heartbeat()
    if beat is None:
        yield unknown("clock", "no worker has judged it yet")
    elif beat.suspect_since is not None:
        yield todo("clock", "the worker does not trust it; set it right, then: pbem clock confirm")
    elif beat.held_since is not None:
        yield todo("clock", "too many time-outs at once are held back; see: pbem clock show")
    elif beat.ticked_at - now > MINUTE:
        yield todo("clock", "it is behind that of the worker; let both follow one time server")
    else:
        yield ok("clock", "the worker trusts it")


def _alarms(now: int) -> Iterator[Finding]:
    sign = _sign("alarm", now)
    if sign.is_overdue(now):
        minutes = sign.age(now) // MINUTE
        yield todo("alarms", f"something has been due for {minutes} minutes; look in the journal")
    else:
        yield ok("alarms", "nothing that is due waits for long")


def _turns() -> Iterator[Finding]:
    idle = health.idle_turns()
    if idle is not None:
        yield todo("turns", f"{idle}; a worker mends them every five minutes")
    else:
        yield ok("turns", "each waits for somebody or something")


def _outbox(now: int) -> Iterator[Finding]:
    sign = _sign("letter", now)
    if sign.is_overdue(now):
        minutes = sign.age(now) // MINUTE
        yield todo("outbox", f"a letter waits for {minutes} minutes; see /admin/letters")
    else:
        yield ok("outbox", "nothing waits for long")


def _inbox(now: int) -> Iterator[Finding]:
    sign = _sign("mail", now)
    aside = Incoming.select().where(Incoming.state == QUARANTINED).count()
    if sign.is_overdue(now):
        minutes = sign.age(now) // MINUTE
        yield todo("inbox", f"a mail waits for {minutes} minutes; is a worker running?")
    elif aside:
        yield todo("inbox", f"mails set aside: {aside}; see: pbem mail quarantine")
    else:
        yield ok("inbox", "nothing waits for long, and nothing was set aside")


def _sign(name: signs.SignName, now: int) -> signs.Sign:
    return next(sign for sign in signs.read(now) if sign.name == name)
