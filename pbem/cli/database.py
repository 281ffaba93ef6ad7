"""The database as a whole: `migrate`, `replay-check`, `backup`, `restore`, `copy-database`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click

from pbem.cli.opening import now, opened, utc
from pbem.config import Config
from pbem.db import copying, store
from pbem.errors import Refused
from pbem.services.operations import adoption, backups, health, replay_check
from pbem.services.operations.replay_check import Rehearsal
from pbem.services.operations.restoring import restoring
from pbem.services.players import process_settings
from pbem.services.records import audit_log

SHOWN_EVERY, SAID_EVERY = 0.2, 30.0
"""Seconds of long work between two signs of life, on a terminal and elsewhere."""


@click.command()
def migrate() -> None:
    """Bring the database tables up to date."""
    config = Config.from_env()
    process_settings.make_known(config)
    store.open_database(config.database_url)
    with store.connected():
        store.check_durability()
        store.check_whole()
        done = health.migrate(now())
    click.echo(f"applied {', '.join(done)}" if done else "the database is up to date")


@click.command("replay-check")
@click.option(
    "--adopt",
    type=click.Choice(["go-on", "pause"]),
    help="take over matches that began under older rules: those that would have gone otherwise go"
    " on from their present position, or wait for a moderator",
)
def check_replays(adopt: adoption.How | None) -> None:
    """Replay every match under these rules; exit status 1 if one no longer fits."""
    with opened():
        if adopt is not None:
            _tell_adopted(adoption.adopt_all(adopt, now()))
        done = _rehearsed(replay_check.get(replay_check.begin(audit_log.COMMAND_LINE, now())))
    for fault in done.found:
        click.echo(str(fault))
    if done.faults > len(done.found):
        click.echo(f"... and {done.faults - len(done.found)} more")
    click.echo(
        f"matches replayed: {done.matches}; entries: {done.entries};"
        f" matches that do not fit these rules: {done.faults}"
    )
    sys.exit(1 if done.faults else 0)


def _tell_adopted(became: Counter[adoption.Became]) -> None:
    click.echo(
        f"{became['same']} matches go on as they were, {became['changed']} under the new rules from"
        f" their present position, {became['waits'] + became['stuck']} wait for a moderator,"
        f" {became['over']} are over and stay as they are"
    )


def _rehearsed(begun: Rehearsal) -> Rehearsal:
    """All slices of it: a bar on a terminal, a line now and then elsewhere."""
    is_watched, state = sys.stderr.isatty(), begun
    with click.progressbar(
        length=begun.total, label="replaying", file=sys.stderr, hidden=not is_watched
    ) as shown:
        while state.ended_at is None:
            before = state.matches
            state = replay_check.go_on(begun.id, now, SHOWN_EVERY if is_watched else SAID_EVERY)
            shown.update(state.matches - before)
            if not is_watched and state.ended_at is None:
                click.echo(f"matches replayed: {state.matches} of {state.total}", err=True)
    return state


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--keep", type=click.IntRange(min=1), help="in a folder: keep only this many copies")
def backup(file: Path, keep: int | None) -> None:
    """Copy the database to FILE while it is in use; in a folder, the copy is named by the time.

    The copy is sealed with the newest of PBEM_SECRET_KEYS; keep those elsewhere.
    """
    if keep is not None and not file.is_dir():
        raise Refused("--keep needs a folder; %(file)s is not one", file=str(file))
    with opened() as config:
        made = backups.make(config.database_url, file, now())
    where = file / made.name if file.is_dir() else file
    click.echo(f"{made.sha256}  {where}")
    click.echo(f"{made.size} bytes, read back and verified", err=True)
    removed = backups.thin_out(file, keep) if keep is not None else 0
    if removed:
        click.echo(f"older copies removed: {removed}", err=True)


@click.command()
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--adopt", is_flag=True, help="the database was put back already, by other means")
@click.option("--replace", is_flag=True, help="keep aside what is there, and put FILE in its place")
def restore(file: Path | None, adopt: bool, replace: bool) -> None:
    """Go back to the backup FILE, and begin a new timeline of the server.

    Links, reply addresses and sessions from before no longer work; all players of running matches
    are told what was lost and get new links. No server may run meanwhile.
    """
    if (file is None) != adopt or (adopt and replace):
        raise Refused("name the backup, or say --adopt for a database that was put back already")
    config = Config.from_env()
    process_settings.make_known(config)
    done = restoring.adopt if file is None else partial(restoring.put_back, file, replace)
    with _progress("matches") as came_on:
        begun, kept = done(config.database_url, now(), came_on)
    click.echo(f"the server is back at {utc(begun.back_to)}; what came after that is lost")
    if kept:
        click.echo(f"what was there before is kept as {kept}")
    click.echo(
        f"timeline {begun.mark}; matches in progress, now with fresh turns: {begun.matches}; their"
        " players and all moderators get an email once a worker runs"
    )


@contextmanager
def _progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal, nothing elsewhere."""
    with click.progressbar(
        length=1, label=label, file=sys.stderr, hidden=not sys.stderr.isatty()
    ) as shown:

        def came_on(done: int, total: int) -> None:
            shown.length = total
            shown.update(done - shown.pos)

        yield came_on


@click.command("copy-database")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
def copy_database(source: str, target: str) -> None:
    """Copy the database FROM into the empty one TO, both named as in PBEM_DATABASE_URL.

    Nothing may use FROM meanwhile. What arrived is read back and compared, row by row; if anything
    differs, nothing is copied.
    """
    copied = copying.copy(source, target, now())
    widest, longest = (max(len(str(c[at])) for c in copied) for at in (0, 1))
    for table, rows, digest in copied:
        click.echo(f"{table:<{widest}}  {rows:>{longest}}  {digest}")
    click.echo(f"{len(copied)} tables, {sum(c.rows for c in copied)} rows: the same on both sides")
