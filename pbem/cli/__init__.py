"""The `pbem` command, a module for each family of commands.

- `audit`: the log of what moderators and operators did
- `clocks`: all clocks stopped and started, whether the machine's clock is trusted
- `database`: tables brought up to date, all matches replayed, copies made, gone back to, moved to
- `doctor`: everything that the server needs, checked
- `keys`: the keys that sign links
- `mail`: a trial of the mail settings, mail that comes in by a pipe or was set aside
- `matches`: matches created, listed, shown, paused, rewound, exported
- `moderators`: who may log in as one
- `opening`: settings and database for one command, the time
- `serving`: the programs that go on until they are stopped
- `verifying`: a match file checked

May import everything; nothing imports it. The families import `opening` alone of each other.
"""

from __future__ import annotations

import sys

import click

from engine.core import GameError
from pbem.cli.audit import audit_group
from pbem.cli.clocks import clock, maintenance
from pbem.cli.database import backup, check_replays, copy_database, migrate, restore
from pbem.cli.doctor import examine
from pbem.cli.keys import keys as key_group
from pbem.cli.mail import mail as mail_group
from pbem.cli.matches import match
from pbem.cli.moderators import moderator
from pbem.cli.serving import serve, serve_demo, work
from pbem.cli.verifying import verify
from pbem.errors import PbemError

COMMANDS: list[click.Command] = [
    *(serve, work, serve_demo),
    *(migrate, check_replays, backup, restore, copy_database),
    *(maintenance, clock),
    *(match, verify),
    *(key_group, mail_group, examine),
    *(moderator, audit_group),
]


@click.group(commands=COMMANDS)
@click.version_option(package_name="pbem")
def pbem() -> None:
    """Board games by email."""


def main() -> None:
    """Run the command; a refusal is one line and exit status 2."""
    try:
        pbem()
    except (PbemError, GameError) as refusal:
        print(f"pbem: {refusal}", file=sys.stderr)
        sys.exit(2)
