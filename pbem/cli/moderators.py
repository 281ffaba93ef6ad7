"""Moderators: `moderator add`, `reset`, `disable`, `list`."""

from __future__ import annotations

import click

from pbem.cli.opening import now, opened, utc
from pbem.config import Config
from pbem.links import Links, ModeratorLink
from pbem.services.players import accounts
from pbem.services.records.moderator_rows import all_moderators
from pbem.services.staff import moderators


@click.group()
def moderator() -> None:
    """Moderators: add, list, reset, disable."""


@moderator.command("add")
@click.argument("address")
@click.option("--role", type=click.Choice(moderators.ROLES), default=moderators.MODERATOR)
@click.option("--name", default="", help="what the others call this moderator")
def add_moderator(address: str, role: str, name: str) -> None:
    """Add a moderator; they get an email to set up their login."""
    with opened() as config:
        to = _address(address, config)
        _tell_of_link(config, to, moderators.add(to, role, name, now()))


@moderator.command("reset")
@click.argument("address")
def reset_moderator(address: str) -> None:
    """Remove every login and session; a new link comes by email."""
    with opened() as config:
        to = _address(address, config)
        _tell_of_link(config, to, moderators.reset(to, now()))


def _address(text: str, config: Config) -> str:
    return accounts.address(text, test_names=not config.in_production)


def _tell_of_link(config: Config, address: str, link: ModeratorLink) -> None:
    """Where no mail goes out, the letter is as good as shown already."""
    click.echo(
        f"an email with a login link goes to {address}; the link works once, within 48 hours"
    )
    if config.smtp_url is None:
        click.echo(Links(config.secret_keys, config.base_url).url("moderator", link))


@moderator.command("disable")
@click.argument("address")
def disable_moderator(address: str) -> None:
    """Lock a moderator out at once."""
    with opened() as config:
        to = _address(address, config)
        moderators.disable(to, now())
    click.echo(f"{to} is no longer a moderator; all sessions have ended")


@moderator.command("list")
def list_moderators() -> None:
    """One line per moderator."""
    with opened():
        for one in all_moderators():
            state = f"disabled {utc(one.disabled_at)}" if one.disabled_at else "active"
            click.echo(f"{one.address}  {one.role}  {state}  {one.name}".rstrip())
