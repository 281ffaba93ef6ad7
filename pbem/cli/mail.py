"""Email: `mail test`, `mail in`, `mail quarantine`."""

from __future__ import annotations

import os
import sys

import click

from pbem.cli.opening import now, opened, utc
from pbem.config import Config
from pbem.errors import whereabouts
from pbem.incoming.mails import TooLarge
from pbem.incoming.ways import envelopes
from pbem.services.inbox import quarantine
from pbem.services.inbox.door import InboxDoor
from pbem.services.letters import trial_letter
from pbem.services.letters.mail_settings import open_mail
from pbem.services.operations.disk_space import Room
from pbem.services.players import accounts
from pbem.services.records.audit_log import COMMAND_LINE

NO_SENDER = ("", "<>", "MAILER-DAEMON")
"""How mail servers say that no answer is wanted."""


@click.group()
def mail() -> None:
    """Outgoing and incoming email."""


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


# --- coming in ------------------------------------------------------------------------------------


@mail.command("in")
@click.option("--sender", envvar="SENDER", help="Sender of the envelope; empty for bounces.")
@click.option(
    "--recipient",
    "recipients",
    multiple=True,
    envvar=["ORIGINAL_RECIPIENT", "RECIPIENT"],
    help="Recipient of the envelope; else the headers tell.",
)
def take_in(sender: str | None, recipients: tuple[str, ...]) -> None:
    """Take one incoming email from standard input, for mail servers that run a command.

    The exit status is 0 once the email is kept, 75 if the mail server should try again, 65 if the
    email is too large, and 67 if it is not for this server.
    """
    try:
        with opened() as config:
            status = _keep(config, sender, recipients)
    except Exception as error:  # whatever is wrong here, the mail server keeps the mail
        print(f"pbem: not kept, try again: {whereabouts(error)}", file=sys.stderr)
        status = os.EX_TEMPFAIL
    sys.exit(status)


def _keep(config: Config, sender: str | None, recipients: tuple[str, ...]) -> int:
    door = InboxDoor(Room(config.database_url, config.min_free_mb).check, now)
    raw = _without_mbox_line(sys.stdin.buffer.read(door.largest + 1))
    if sender is None:
        sender = envelopes.sender(raw)
    try:
        kept = door.keep(
            "" if sender in NO_SENDER else sender,
            recipients or envelopes.recipients(raw, door.domain),
            raw,
        )
    except TooLarge as problem:
        print(f"pbem: {problem}", file=sys.stderr)
        return os.EX_DATAERR
    return os.EX_OK if any(kept) else os.EX_NOUSER


def _without_mbox_line(raw: bytes) -> bytes:
    """Some mail servers put a line in front that is no header."""
    return raw.partition(b"\n")[2] if raw.startswith(b"From ") else raw


# --- what was set aside ---------------------------------------------------------------------------


@mail.group("quarantine")
def quarantine_group() -> None:
    """Incoming email that could not be processed."""


@quarantine_group.command("list")
def list_set_aside() -> None:
    """List what was set aside, the newest first, without a word of what it says."""
    with opened():
        for one in quarantine.set_aside():
            what = "delivery report" if one.is_bounce else "reply"
            click.echo(f"{one.id}  {utc(one.received_at)}  {what}  {one.reason}")


@quarantine_group.command("retry")
@click.argument("number", type=int)
def retry(number: int) -> None:
    """Try to process an email once more."""
    with opened():
        quarantine.retry(number, COMMAND_LINE, now())
    click.echo(f"email {number} will be processed again")


@quarantine_group.command("drop")
@click.argument("number", type=int)
def drop(number: int) -> None:
    """Throw an email away."""
    with opened():
        quarantine.drop(number, COMMAND_LINE, now())
    click.echo(f"email {number} was thrown away")
