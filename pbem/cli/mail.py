"""Outgoing email: `mail test`."""

from __future__ import annotations

import click

from pbem.cli.opening import now
from pbem.config import Config
from pbem.services.letters import trial_letter
from pbem.services.letters.mail_settings import open_mail
from pbem.services.players import accounts


@click.group()
def mail() -> None:
    """Outgoing email."""


@mail.command("test")
@click.argument("address")
def test_mail(address: str) -> None:
    """Send one short email, to check the mail settings."""
    config = Config.from_env()
    to = accounts.address(address, test_names=not config.in_production)
    settings = open_mail(config)
    try:
        trial_letter.send(settings, to, now())
    finally:
        settings.close()
    click.echo(f"a test email was sent to {to}")
