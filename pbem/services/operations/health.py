"""Keeping the house: is all well, how much is there, what can be thrown away."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from peewee import PeeweeException, fn
from playhouse.migrations import Runner

from pbem.db import store
from pbem.db.models import Draft, Incoming, Match, Outbox, Player, Turn
from pbem.db.reading import by_key, changed, value
from pbem.db.store import MIGRATIONS, database, writing
from pbem.deadlines import HOUR
from pbem.errors import Refused
from pbem.services.inbox import quarantine
from pbem.services.letters import recording
from pbem.services.operations import statistics, sweeping
from pbem.services.players import devices, limits, turn_words
from pbem.services.records import audit_log, incoming_mails
from pbem.services.time import stalled_turns

SUBJECT = "the server"
UNREAD = HOUR
"""How long a mail may wait; what fails is set aside long before."""


def migrate(now: int) -> list[str]:
    """Bring the tables up to date, and enter it behind what is in the log already."""
    done = store.migrate()
    if done and audit_log.head().seq:
        with writing():
            audit_log.record(
                audit_log.COMMAND_LINE, "migrate", SUBJECT, "", "", {"applied": done}, now
            )
    return done


def pending_migrations() -> list[str]:
    """Migrations of this version that the database has not seen."""
    runner = Runner(database.obj, str(MIGRATIONS))
    return [step.name for step in runner.status() if not step.applied]


def check_release() -> None:
    """Refused for what is no database of ours, or of a newer release than this."""
    runner = Runner(database.obj, str(MIGRATIONS))
    check_steps([step.name for step in runner.status() if step.applied])


def check_steps(done: Collection[str]) -> None:
    """The same for the names of the migrations that a database has seen."""
    if not done:
        raise Refused("the backup holds no database of pbem")
    newer = sorted({*done} - {path.stem for path in MIGRATIONS.glob("[0-9]*.py")})
    if newer:
        raise Refused(
            "the backup was made by a newer release (%(steps)s); install that one first",
            steps=", ".join(newer),
        )


def trouble(now: int) -> str | None:
    """What keeps this server from working, tried out for real; None when all is well."""
    try:
        pending = pending_migrations()
        if pending:
            return f"migrations are missing: {', '.join(pending)}"
        if not _writes_and_reads(now):
            return "what was written could not be read"
        return _unread(now) or _idle()
    except PeeweeException as error:
        return f"the database does not answer: {type(error).__name__}"


def _unread(now: int) -> str | None:
    """Mails that came in, and no worker has read for long."""
    since = incoming_mails.oldest_waiting()
    is_old = since is not None and now - since > UNREAD
    return (
        "mail that came in has been waiting for too long; is a worker running?" if is_old else None
    )


def _idle() -> str | None:
    """Matches in which a turn waits for nothing, and so would wait for ever."""
    idle = sorted({one.match for one in stalled_turns.idle()})
    return f"turns wait for nothing in these matches: {', '.join(idle)}" if idle else None


def _writes_and_reads(now: int) -> bool:
    """Write a row and read it back in a transaction that is then undone."""
    mark = "healthz@invalid"
    with database.atomic() as trial:
        Player.insert(address=mark, created_at=now, epoch=now, news=False).execute()
        read = value(Player.select(Player.created_at).where(Player.address == mark))
        trial.rollback()
    return bool(read == now)


class Counts(NamedTuple):
    """How much there is of what."""

    matches: dict[str, int]
    """By status."""
    letters: dict[str, int]
    """By state of the outbox."""
    oldest_queued: int
    """Seconds the oldest letter waits that could be sent now."""
    players: int
    mails: dict[str, int]
    """That came in, by what became of them."""
    oldest_mail: int
    """Seconds the oldest mail waits that nobody has worked on."""


def counts(now: int) -> Counts:
    oldest, unread = statistics.oldest_letter(now), incoming_mails.oldest_waiting()
    return Counts(
        matches=by_key(Match.select(Match.status, fn.COUNT(Match.id)).group_by(Match.status)),
        letters=by_key(Outbox.select(Outbox.state, fn.COUNT(Outbox.id)).group_by(Outbox.state)),
        oldest_queued=0 if oldest is None else max(0, now - oldest),
        players=Player.select().where(Player.confirmed_at.is_null(False)).count(),
        mails=by_key(
            Incoming.select(Incoming.state, fn.COUNT(Incoming.id)).group_by(Incoming.state)
        ),
        oldest_mail=0 if unread is None else max(0, now - unread),
    )


def prune(now: int) -> int:
    """Throw away what nobody needs: drafts of closed turns, bytes of old letters, browsers.

    Mails that were worked on go too, counts that are over, and what strangers have begun and never
    confirmed.
    """
    with writing():
        closed = Turn.select(Turn.id).where(Turn.closed_seq.is_null(False))
        drafts = changed(Draft.delete().where(Draft.turn.in_(closed)))
        pruned = drafts + recording.prune(now) + devices.prune(now)
        pruned += turn_words.prune(now) + limits.prune(now) + quarantine.prune(now)
    return pruned + sweeping.sweep(now)
