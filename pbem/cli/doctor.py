"""A check of everything that this server needs: `doctor`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click
import msgspec

from pbem.cli.opening import now
from pbem.config import Config
from pbem.db import store
from pbem.errors import ConfigError, whereabouts
from pbem.services.operations.doctor import dns_records, findings, machine, servers
from pbem.services.operations.doctor.findings import Finding, ok, todo
from pbem.services.players import process_settings

SHOWN = {"ok": "ok", "todo": "TO DO", "unknown": "not checked"}


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
@click.option("--dkim", "selector", default="", help="Selector that your mail server signs with.")
def examine(as_json: bool, selector: str) -> None:
    """Check everything this server needs; exit status 1 if something must be done.

    Nothing is changed, and no email is sent.
    """
    is_well = True
    for finding in _found(selector):
        is_well = is_well and finding.state != "todo"
        click.echo(_as_json(finding) if as_json else _as_line(finding))
    sys.exit(0 if is_well else 1)


def _found(selector: str) -> Iterator[Finding]:
    try:
        config = Config.from_env()
    except ConfigError as refusal:
        yield todo("settings", str(refusal))
        return
    yield ok("settings", f"complete, for {config.env}")
    yield from _about_database(config)
    resolver = dns_records.system_resolver()
    checks = [*servers.checks(config), *dns_records.checks(config, resolver, selector)]
    yield from findings.run(checks)


def _about_database(config: Config) -> Iterator[Finding]:
    """Without a database, nothing else of it can be asked; none is made."""
    process_settings.make_known(config)
    if machine.is_missing(config):
        yield todo("database", "there is none yet; run: pbem migrate")
        return
    try:
        store.open_database(config.database_url)
        with store.connected():
            found = machine.about_database(config, now())
            yield found
            if found.state == "ok":
                yield from findings.run(machine.checks(config, now()))
    except Exception as error:  # a driver has errors of its own for whatever is wrong
        why = whereabouts(error)
        yield todo("database", f"it cannot be opened: {why}; look at PBEM_DATABASE_URL")


def _as_line(finding: Finding) -> str:
    return f"{finding.check:<9} {SHOWN[finding.state]:<12} {finding.words}"


def _as_json(finding: Finding) -> str:
    return msgspec.json.encode(finding._asdict()).decode()
