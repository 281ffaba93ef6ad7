"""Keys that sign the links: `keys rotate`, `show`."""

from __future__ import annotations

from pathlib import Path

import click

from pbem.cli.opening import now, opened, utc
from pbem.config import Config, keys_file
from pbem.errors import ConfigError
from pbem.services.operations import keys as signing
from pbem.services.records import audit_log


@click.group()
def keys() -> None:
    """Keys that sign the links."""


@keys.command("rotate")
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--keep", default=signing.KEPT, show_default=True, type=click.IntRange(min=1))
def rotate_keys(file: Path | None, keep: int) -> None:
    """Add a new key to FILE, by default the one in the settings; without a file, print it.

    Of the old keys --keep are kept, and every one that may have signed a link that still works.
    """
    file = file or keys_file()
    if file is None:
        click.echo(signing.new_key())
        click.echo(
            "add it after the others in PBEM_SECRET_KEYS, separated by a comma; then restart web"
            " and worker",
            err=True,
        )
        return
    done = _rotated(file, keep)
    click.echo(f"keys in {file}: {done.kept}; {done.fingerprint} signs from now on")
    click.echo("web and worker pick it up automatically if they read the keys from this file")


def _rotated(file: Path, keep: int) -> signing.Rotated:
    """Entered into the log where there is one; before there is a whole server, only done."""
    try:
        config = Config.from_env()
    except ConfigError:
        return signing.add_key(file, keep, {}, now())
    with opened(config):
        return signing.rotate(file, keep, audit_log.COMMAND_LINE, now())


@keys.command("show")
def show_keys() -> None:
    """One line per key, newest first: its fingerprint, and since when it is known."""
    with opened() as config:
        for key in signing.ages(config.secret_keys):
            since = utc(key.seen_at) if key.seen_at is not None else "no worker has seen it yet"
            click.echo(f"{key.fingerprint}  {'signs' if key.signs else 'verifies'}  {since}")
