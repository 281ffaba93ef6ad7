"""All clocks at once: `maintenance` stops them, `clock` tells whether the machine's is trusted."""

from __future__ import annotations

import click

from pbem.cli.opening import now, opened, utc
from pbem.services.operations import maintenance as maintained
from pbem.services.records import audit_log
from pbem.services.time import heartbeat


@click.group()
def maintenance() -> None:
    """Stop all clocks during maintenance; play goes on."""


@maintenance.command("on")
@click.option("--reason", required=True, help="what every page says about it")
def begin_maintenance(reason: str) -> None:
    """Stop all clocks, reminders and time-outs, and say so on every page."""
    with opened():
        maintained.begin(audit_log.COMMAND_LINE, reason, now())
    click.echo("all clocks are stopped; end it with: pbem maintenance off")


@maintenance.command("off")
def end_maintenance() -> None:
    """Start all clocks again; each gets the time back."""
    with opened():
        given = maintained.end(audit_log.COMMAND_LINE, now())
    click.echo(f"all clocks are running again; seconds given back to each: {given}")


@maintenance.command("show")
def show_maintenance() -> None:
    """Show whether clocks are stopped, since when and why."""
    with opened():
        held = maintained.current()
    if held is None:
        click.echo("all clocks are running")
    else:
        click.echo(f"all clocks have been stopped since {utc(held.since)}: {held.reason}")


@click.group()
def clock() -> None:
    """Whether the machine's clock is trusted, and what to do when it is not."""


@clock.command("show")
def show_clock() -> None:
    """Show when a worker was last active, and what it keeps on hold."""
    with opened():
        beat = heartbeat.heartbeat()
    if beat is None:
        click.echo("no worker has run yet; start one with: pbem worker")
        return
    click.echo(f"a worker was last active at {utc(beat.ticked_at)}")
    if beat.maintenance_since is not None:
        click.echo(
            f"all clocks have been stopped for maintenance since {utc(beat.maintenance_since)}"
        )
    if beat.suspect_since is not None:
        click.echo(f"the clock has not been trusted since {utc(beat.suspect_since)}: {beat.why}")
    if beat.held_since is not None:
        click.echo(
            f"time-outs have been on hold since {utc(beat.held_since)}: too many came at once"
        )
    if beat.suspect_since is not None or beat.held_since is not None:
        click.echo("check this machine's clock, then run: pbem clock confirm")


@clock.command("confirm")
def confirm_clock() -> None:
    """Confirm that the clock is right: it is trusted again, and time-outs on hold may follow."""
    with opened():
        maintained.confirm_clock(audit_log.COMMAND_LINE, now())
    click.echo("the clock is trusted; time-outs on hold may follow within an hour")
