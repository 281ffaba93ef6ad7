"""The log of what moderators and operators did: `audit verify`, `show`."""

from __future__ import annotations

import sys

import click

from pbem.cli.opening import opened, utc
from pbem.services.records import audit_log


@click.group("audit")
def audit_group() -> None:
    """The log of what moderators and operators did."""


@audit_group.command("verify")
@click.option(
    "--head", metavar="HASH", help="the hash of an earlier latest entry, as noted elsewhere"
)
def verify_audit(head: str | None) -> None:
    """Check the whole log: exit status 0 if it is unchanged, 1 if not."""
    with opened():
        fault, newest, begun = audit_log.verify(head), audit_log.head(), audit_log.begun()
    if fault:
        click.echo(str(fault))
        sys.exit(1)
    click.echo(f"unchanged entries: {newest.seq}; head {newest.hash}")
    if begun > 1:
        click.echo(
            f"entries before {begun} were not signed when it was entered: that is so once after an"
            " upgrade, and when all keys were replaced at once"
        )


@audit_group.command("show")
@click.option("--last", default=20, show_default=True, type=click.IntRange(min=1))
def show_audit(last: int) -> None:
    """The latest entries, oldest first."""
    with opened():
        entries = audit_log.newest(last)[::-1]
    for entry in entries:
        told = [
            text for text in (entry.reason, entry.words, entry.detail) if text not in ("", "{}")
        ]
        about = f"{entry.actor}: {entry.act}, {entry.subject}"
        click.echo("  ".join([str(entry.seq), utc(entry.at), about, *told]))
