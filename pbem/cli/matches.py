"""Matches: `match create`, `list`, `show`, `pause`, `resume`, `rewind`, `export`."""

from __future__ import annotations

from typing import BinaryIO

import click

from engine.registry import GAMES
from engine.replay import write_match
from engine.terminal.options import read_setup
from pbem.cli.opening import now, opened, utc
from pbem.db import store
from pbem.deadline_text import clock_in_words
from pbem.errors import Refused
from pbem.services.match import match_log, matches
from pbem.services.match.matches import DAY, Wanted
from pbem.services.moderation import act_records, match_acts
from pbem.services.moderation.act_targets import Params
from pbem.services.players import accounts
from pbem.services.records import audit_log
from pbem.services.records.match_rows import (
    PUBLIC,
    VISIBILITIES,
    MatchRecord,
    get_match,
    open_turns,
)
from pbem.services.records.player_rows import find_player
from pbem.services.time import clock_settings
from pbem.services.time.clock_settings import USUAL_PACE

CLOCK_HELP = (
    "time settings: bank=3d,increment=12h,cap=5d,hour=20,zone=Europe/Berlin,days_off=sat+sun,"
    "grace=24h,policy=claim,most_pause=30d"
)
REASON = click.option(
    "--reason", default="", metavar="TEXT", help="the reason; the players read it"
)


@click.group()
def match() -> None:
    """Matches: create, list, show, rewind, export."""


@match.command("create")
@click.option("--game", required=True, help="one of: " + ", ".join(GAMES))
@click.option("--seat", "seats", multiple=True, metavar="SEAT=ADDRESS", help="who sits where")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="deck=@FILE too")
@click.option("--pace", default=USUAL_PACE, show_default=True, help="time for a turn: 3d, 36h")
@click.option("--clock", default="", metavar="NAME=VALUE,...", help=CLOCK_HELP)
@click.option("--lot", is_flag=True, help="draw the sides by lot when the match begins")
@click.option("--machine", "machines", multiple=True, metavar="SEAT", help="the computer plays it")
@click.option("--reliable", is_flag=True, help="free seats only for players known to be in time")
@click.option(
    "--visibility", type=click.Choice(VISIBILITIES), default=PUBLIC, help="who may watch it"
)
def create_match(
    game: str,
    seats: tuple[str, ...],
    options: tuple[str, ...],
    pace: str,
    clock: str,
    lot: bool,
    machines: tuple[str, ...],
    reliable: bool,
    visibility: str,
) -> None:
    """Create a match and invite its players; a seat without an address is open to everyone."""
    if game not in GAMES:
        raise matches.no_game(game)
    setup = read_setup(list(options))
    with opened() as config:
        addresses: dict[str, str | None] = dict.fromkeys(GAMES[game].seats(setup))
        for text in seats:
            seat, _, mail = text.partition("=")
            addresses[seat] = accounts.address(mail, test_names=not config.in_production)
        said = {"pace": pace, **clock_settings.fields_of(clock)}
        chosen = clock_settings.clock_from(said, seats=len(GAMES[game].seats(setup)))
        by_machine = frozenset(machines)
        wanted = Wanted(
            game,
            setup,
            chosen.pace,
            addresses,
            clock=chosen,
            by_lot=lot,
            machines=by_machine,
            reliable_only=reliable,
            visibility=visibility,
        )
        with store.writing():
            created = matches.create(wanted, now())
            subject = act_records.subject_of(created)
            audit_log.record(audit_log.COMMAND_LINE, "create", subject, "", "", {}, now())
    click.echo(f"created match {created}")


@match.command("list")
@click.option("--status", type=click.Choice(["forming", "live", "over", "cancelled"]))
def list_matches(status: str | None) -> None:
    """One line per match, newest first."""
    with opened():
        for record in matches.all_matches():
            if status in (None, record.status):
                seats = " ".join(f"{seat.name}:{seat.status}" for seat in record.seats)
                entries = record.head_seq + 1
                click.echo(f"{record.id}  {record.game_name}  {record.status}  {entries}  {seats}")


@match.command("show")
@click.argument("match_id")
def show_match(match_id: str) -> None:
    """Show the public facts of a match."""
    with opened():
        record = get_match(match_id)
        for line in _about(record):
            click.echo(line)


def _about(record: MatchRecord) -> list[str]:
    asked = {turn.seat: turn.deadline_at for turn in open_turns(record.id)}
    lines = [
        f"match {record.id}: {record.game_name}, {record.status}",
        f"options: {', '.join(f'{k}={_short(v)}' for k, v in record.setup.items()) or 'usual'}",
        f"pace: {record.pace / DAY:g} days; entries: {record.head_seq + 1};"
        f" timeline: {record.timeline}",
        f"time: {'; '.join(clock_in_words(record.clock, record.asks_back))}",
        f"commitment: {record.commitment}",
    ]
    for seat in record.seats:
        player = find_player(seat.player) if seat.player is not None else None
        waiting = f", asked until {utc(asked[seat.number])}" if seat.number in asked else ""
        name = f" {player.name}" if player and player.name else ""
        lines.append(f"seat {seat.name}: {seat.status}{name}{waiting}")
    return [*lines, f"result: {record.result}"] if record.result else lines


def _short(value: object) -> str:
    return value if isinstance(value, str) else "(a file)"


@match.command("pause")
@click.argument("match_id")
@REASON
def pause_match(match_id: str, reason: str) -> None:
    """Stop the clocks of a match, at most for the time its players agreed."""
    _perform("pause", match_id, Params(), reason)
    click.echo(f"the clocks of match {match_id} are stopped; its players get an email")


@match.command("resume")
@click.argument("match_id")
@REASON
def resume_match(match_id: str, reason: str) -> None:
    """Start the clocks of a match again."""
    _perform("resume", match_id, Params(), reason)
    click.echo(f"the clocks of match {match_id} are running again; its players get an email")


@match.command("rewind")
@click.argument("match_id")
@click.argument("entry", type=click.IntRange(min=0))
@REASON
def rewind_match(match_id: str, entry: int, reason: str) -> None:
    """Take a match in progress back to the position after ENTRY."""
    _perform("rewind", match_id, Params(entry=entry), reason)
    click.echo(f"match {match_id} is back at entry {entry}; its players get an email")


def _perform(act: str, match_id: str, params: Params, reason: str) -> None:
    """Do what moderators can do too, with the same letters and entry."""
    if not reason:
        raise Refused(
            "give a reason, for example: --reason “both players asked for it”; the players read it"
        )
    with opened():
        match_acts.perform(None, match_id, match_acts.ACTS[act], params, reason, now())


@match.command("export")
@click.argument("match_id")
@click.argument("file", type=click.File("wb"), default="-")
def export_match(match_id: str, file: BinaryIO) -> None:
    """Write a finished match to a file that anyone can check."""
    with opened():
        document = write_match(match_log.export(get_match(match_id)))
    file.write(document)
