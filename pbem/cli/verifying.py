"""A match file checked by the rules of its game: `verify`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from engine.core import GameError
from engine.terminal.auditing import audit_file, printable


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--head", "heads", multiple=True, metavar="HEAD", help="a head from an email")
def verify(file: Path, heads: tuple[str, ...]) -> None:
    """Check a match file: exit status 0 if it is correct, 1 if not."""
    try:
        sys.exit(audit_file(file, heads))
    except GameError as error:
        click.echo(printable(f"pbem: {file}: {error}"), err=True)
        sys.exit(1)
