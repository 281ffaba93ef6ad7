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
from pbem.errors import Refused
from pbem.services.inbox import quarantine
from pbem.services.letters import recording
from pbem.services.operations import sweeping
from pbem.services.operations.monitoring import signs
from pbem.services.players import devices, limits, turn_words
from pbem.services.records import audit_log
from pbem.services.time import stalled_turns

SUBJECT = "the server"


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
    """What keeps a process from answering, tried out for real; None when it can."""
    try:
        pending = pending_migrations()
        if pending:
            return f"migrations are missing: {', '.join(pending)}"
        if not _writes_and_reads(now):
            return "what was written could not be read"
    except PeeweeException as error:
        return _no_answer(error)
    return None


def idleness(now: int) -> str | None:
    """What ought to be done and is not: by workers, by backups, by nobody at all.

    For everybody to read, so no match is named: some are known to those alone who play them.
    """
    try:
        overdue = [sign.words for sign in signs.read(now) if sign.is_overdue(now)]
        if not overdue and stalled_turns.idle(1):
            overdue = ["turns wait for nothing; pbem doctor names their matches"]
        return "; ".join(overdue) or None
    except PeeweeException as error:
        return _no_answer(error)


def _no_answer(error: PeeweeException) -> str:
    return f"the database does not answer: {type(error).__name__}"


def idle_turns() -> str | None:
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
    players: int
    mails: dict[str, int]
    """That came in, by what became of them."""


def counts() -> Counts:
    return Counts(
        matches=by_key(Match.select(Match.status, fn.COUNT(Match.id)).group_by(Match.status)),
        letters=by_key(Outbox.select(Outbox.state, fn.COUNT(Outbox.id)).group_by(Outbox.state)),
        players=Player.select().where(Player.confirmed_at.is_null(False)).count(),
        mails=by_key(
            Incoming.select(Incoming.state, fn.COUNT(Incoming.id)).group_by(Incoming.state)
        ),
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
