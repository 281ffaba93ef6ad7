"""The `pbem` command."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, NoReturn

import click
from flask import Flask
from werkzeug.serving import make_server

from engine.core import GameError
from engine.registry import GAMES
from engine.replay import write_match
from engine.terminal.auditing import audit_file, printable
from engine.terminal.options import read_setup
from pbem import worker
from pbem.app import create_app
from pbem.config import DEFAULT_BASE_URL, Config, keys_file
from pbem.db import store
from pbem.deadline_text import clock_in_words
from pbem.errors import ConfigError, PbemError, Refused
from pbem.links import Links, ModeratorLink
from pbem.services.letters import trial_letter
from pbem.services.letters.mail_settings import open_mail
from pbem.services.match import match_log, matches
from pbem.services.match.matches import DAY, Wanted
from pbem.services.moderation import act_records, match_acts
from pbem.services.moderation.match_acts import Params
from pbem.services.operations import adoption, backups, demo, health, replay_check
from pbem.services.operations import keys as signing
from pbem.services.operations import maintenance as maintained
from pbem.services.operations.replay_check import Rehearsal
from pbem.services.players import accounts, process_settings
from pbem.services.records import audit_log
from pbem.services.records.match_rows import MatchRecord, get_match, open_turns
from pbem.services.records.moderator_rows import all_moderators
from pbem.services.records.player_rows import find_player
from pbem.services.staff import moderators
from pbem.services.time import clock_settings, heartbeat
from pbem.services.time.clock_settings import USUAL_PACE

LOOPBACK = "127.0.0.1"
SHOWN_EVERY, SAID_EVERY = 0.2, 30.0
"""Seconds of long work between two signs of life, on a terminal and elsewhere."""
CLOCK_HELP = (
    "more about time: bank=3d,increment=12h,cap=5d,hour=20,zone=Europe/Berlin,days_off=sat+sun,"
    "grace=24h,policy=claim,most_pause=30d"
)
REASON = click.option("--reason", default="", metavar="TEXT", help="why; the players read it")
PORT = click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65535))


@click.group()
@click.version_option(package_name="pbem")
def pbem() -> None:
    """Board games by mail."""


# --- serving -------------------------------------------------------------------------------------


@pbem.command()
@PORT
def serve(port: int) -> None:
    """Serve the pages on this machine; in production behind a web server."""
    config = _on_port(Config.from_env(), port)
    if config.in_production:
        with _opened(config):
            pass  # what is wrong is told here in one line, not by each of its workers
        _become_gunicorn(port)
    with _ending_cleanly():
        click.echo(f"serving on {_local(port)} (stop with Ctrl-C)")
        _serve(create_app(config), _listen(port))


@pbem.command("worker")
def work() -> None:
    """Send letters and do what is due, until stopped."""
    config = Config.from_env()
    with _ending_cleanly(), _opened(config):
        click.echo("working (stop with Ctrl-C)")
        worker.run(config)


@pbem.command("demo")
@PORT
def serve_demo(port: int) -> None:
    """Pages and worker in one process, with a match already waiting."""
    config = _on_port(Config.from_env(), port)
    if config.in_production:
        raise ConfigError("the demo is for development; PBEM_ENV says production")
    with _ending_cleanly():
        listener = _listen(port)
        app = create_app(config)
        logging.getLogger("werkzeug").setLevel(logging.WARNING)
        with store.connected(), worker.in_background(config):
            for game in GAMES:
                demo.prepare(game, _now())
            _greet(port)
            _serve(app, listener)


def _greet(port: int) -> None:
    site, titles = _local(port), ", ".join(game.title.en for game in GAMES.values())
    begun = f"Ann and Bob have begun a match of {titles}. Their letters:"
    click.echo(
        f"\npbem is running at {site}\n\n"
        f"  {begun}  {site}/dev/mailbox\n"
        "  Open the one on top, Bob's first turn, and follow a link in it.\n"
        f"  {'Start a match of your own:':<{len(begun)}}  {site}/\n\n"
        "Stop with Ctrl-C."
    )


def _local(port: int) -> str:
    return f"http://{LOOPBACK}:{port}"


def _on_port(config: Config, port: int) -> Config:
    """Links in letters lead to this port, unless the settings name an address."""
    return replace(config, base_url=_local(port)) if config.base_url == DEFAULT_BASE_URL else config


def _listen(port: int) -> socket.socket:
    try:
        return socket.create_server((LOOPBACK, port))
    except OSError as error:
        raise ConfigError(f"port {port} cannot be used: {error.strerror}; try --port") from None


def _serve(app: Flask, listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    make_server(LOOPBACK, port, app, threaded=True, fd=listener.fileno()).serve_forever()
    listener.close()
    click.echo("stopped")


def _become_gunicorn(port: int) -> NoReturn:
    command = [sys.executable, "-m", "gunicorn", "--bind", f"{LOOPBACK}:{port}"]
    command += ["--workers", "2", "--threads", "4", "--no-control-socket", "pbem.app:from_env()"]
    os.execv(sys.executable, command)


@contextmanager
def _ending_cleanly() -> Iterator[None]:
    """Ctrl-C and SIGTERM end what runs inside, and the exit status is 0."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    try:
        yield
    except KeyboardInterrupt:
        return


# --- the database --------------------------------------------------------------------------------


@pbem.command()
def migrate() -> None:
    """Bring the tables of the database up to date."""
    config = Config.from_env()
    process_settings.make_known(config)
    store.open_database(config.database_url)
    with store.connected():
        store.check_durability()
        done = health.migrate(_now())
    click.echo(f"applied {', '.join(done)}" if done else "the database is up to date")


@pbem.command("replay-check")
@click.option(
    "--adopt",
    type=click.Choice(["go-on", "pause"]),
    help="take over matches that began under older rules: those that would have gone otherwise go"
    " on from their present position, or wait for a moderator",
)
def check_replays(adopt: adoption.How | None) -> None:
    """Replay every match under these rules; exit status 1 when one no longer fits."""
    with _opened():
        if adopt is not None:
            _tell_adopted(adoption.adopt_all(adopt, _now()))
        done = _rehearsed(replay_check.get(replay_check.begin(audit_log.COMMAND_LINE, _now())))
    for fault in done.found:
        click.echo(str(fault))
    if done.faults > len(done.found):
        click.echo(f"... and {done.faults - len(done.found)} more")
    click.echo(
        f"{done.matches} matches with {done.entries} entries replayed,"
        f" {done.faults} of them do not fit these rules"
    )
    sys.exit(1 if done.faults else 0)


def _tell_adopted(became: Counter[adoption.Became]) -> None:
    click.echo(
        f"{became['same']} matches go on as they were, {became['changed']} under the new rules from"
        f" their present position, {became['waits'] + became['stuck']} wait for a moderator,"
        f" {became['over']} are over and stay as they are"
    )


def _rehearsed(begun: Rehearsal) -> Rehearsal:
    """All slices of it: a bar on a terminal, a line now and then elsewhere."""
    is_watched, state = sys.stderr.isatty(), begun
    with click.progressbar(
        length=begun.total, label="replaying", file=sys.stderr, hidden=not is_watched
    ) as shown:
        while state.ended_at is None:
            before = state.matches
            state = replay_check.go_on(begun.id, _now, SHOWN_EVERY if is_watched else SAID_EVERY)
            shown.update(state.matches - before)
            if not is_watched and state.ended_at is None:
                click.echo(f"{state.matches} of {state.total} matches replayed", err=True)
    return state


@pbem.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--keep", type=click.IntRange(min=1), help="in a folder: only the newest so many")
def backup(file: Path, keep: int | None) -> None:
    """Copy the database into FILE while it is used; into a folder under a name by the time."""
    if keep is not None and not file.is_dir():
        raise Refused("--keep is for a folder: %(file)s is none", file=str(file))
    with _opened() as config:
        made = backups.make(config.database_url, file, _now())
    where = file / made.name if file.is_dir() else file
    click.echo(f"{made.sha256}  {where}")
    click.echo(f"{made.size} bytes, read back and found whole", err=True)
    removed = backups.thin_out(file, keep) if keep is not None else 0
    if removed:
        click.echo(f"{removed} older copies removed", err=True)


@pbem.group()
def maintenance() -> None:
    """Hold all clocks while something is mended; play goes on."""


@maintenance.command("on")
@click.option("--reason", required=True, help="what every page says about it")
def begin_maintenance(reason: str) -> None:
    """Hold all clocks, reminders and time-outs, and say so on every page."""
    with _opened():
        maintained.begin(audit_log.COMMAND_LINE, reason, _now())
    click.echo("all clocks are held; end it with: pbem maintenance off")


@maintenance.command("off")
def end_maintenance() -> None:
    """Let all clocks run again; each gets the time back."""
    with _opened():
        given = maintained.end(audit_log.COMMAND_LINE, _now())
    click.echo(f"all clocks run again, each with {given} s more")


@maintenance.command("show")
def show_maintenance() -> None:
    """Whether clocks are held, since when and why."""
    with _opened():
        held = maintained.current()
    if held is None:
        click.echo("all clocks run")
    else:
        click.echo(f"all clocks are held since {_utc(held.since)}: {held.reason}")


@contextmanager
def _opened(config: Config | None = None) -> Iterator[Config]:
    """The settings, and the database they name, with all its tables."""
    config = config or Config.from_env()
    process_settings.make_known(config)
    store.open_database(config.database_url)
    with store.connected():
        if not config.in_production:
            health.migrate(_now())
        elif health.pending_migrations():
            raise ConfigError("the database lacks tables of this version; run: pbem migrate")
        yield config


# --- matches -------------------------------------------------------------------------------------


@pbem.group()
def match() -> None:
    """Matches: create, list, show, rewind, export."""


@match.command("create")
@click.option("--game", required=True, help="one of: " + ", ".join(GAMES))
@click.option("--seat", "seats", multiple=True, metavar="SEAT=ADDRESS", help="who sits where")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="deck=@FILE too")
@click.option("--pace", default=USUAL_PACE, show_default=True, help="time for a turn: 3d, 36h")
@click.option("--clock", default="", metavar="NAME=VALUE,...", help=CLOCK_HELP)
def create_match(
    game: str, seats: tuple[str, ...], options: tuple[str, ...], pace: str, clock: str
) -> None:
    """Create a match and invite its players; a seat without an address is open to everybody."""
    if game not in GAMES:
        raise matches.no_game(game)
    setup = read_setup(list(options))
    with _opened() as config:
        addresses: dict[str, str | None] = dict.fromkeys(GAMES[game].seats(setup))
        for text in seats:
            seat, _, mail = text.partition("=")
            addresses[seat] = accounts.address(mail, test_names=not config.in_production)
        said = {"pace": pace, **clock_settings.fields_of(clock)}
        chosen = clock_settings.clock_from(said, seats=len(GAMES[game].seats(setup)))
        wanted = Wanted(game, setup, chosen.pace, addresses, clock=chosen)
        with store.writing():
            created = matches.create(wanted, _now())
            subject = act_records.subject_of(created)
            audit_log.record(audit_log.COMMAND_LINE, "create", subject, "", "", {}, _now())
    click.echo(f"created match {created}")


@match.command("list")
@click.option("--status", type=click.Choice(["forming", "live", "over", "cancelled"]))
def list_matches(status: str | None) -> None:
    """One line for each match, the newest first."""
    with _opened():
        for record in matches.all_matches():
            if status in (None, record.status):
                seats = " ".join(f"{seat.name}:{seat.status}" for seat in record.seats)
                entries = record.head_seq + 1
                click.echo(f"{record.id}  {record.game_name}  {record.status}  {entries}  {seats}")


@match.command("show")
@click.argument("match_id")
def show_match(match_id: str) -> None:
    """What everybody may know about a match."""
    with _opened():
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
        f"time: {'; '.join(clock_in_words(record.clock))}",
        f"commitment: {record.commitment}",
    ]
    for seat in record.seats:
        player = find_player(seat.player) if seat.player is not None else None
        waiting = f", asked until {_utc(asked[seat.number])}" if seat.number in asked else ""
        name = f" {player.name}" if player and player.name else ""
        lines.append(f"seat {seat.name}: {seat.status}{name}{waiting}")
    return [*lines, f"result: {record.result}"] if record.result else lines


def _short(value: object) -> str:
    return value if isinstance(value, str) else "(a file)"


def _utc(at: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(at))


@match.command("pause")
@click.argument("match_id")
@REASON
def pause_match(match_id: str, reason: str) -> None:
    """Stop the clocks of a match, for as long as was agreed at most."""
    _perform("pause", match_id, Params(), reason)
    click.echo(f"the clocks of match {match_id} stand still; its players will get letters")


@match.command("resume")
@click.argument("match_id")
@REASON
def resume_match(match_id: str, reason: str) -> None:
    """Let the clocks of a match run again."""
    _perform("resume", match_id, Params(), reason)
    click.echo(f"the clocks of match {match_id} run again; its players will get letters")


@match.command("rewind")
@click.argument("match_id")
@click.argument("entry", type=click.IntRange(min=0))
@REASON
def rewind_match(match_id: str, entry: int, reason: str) -> None:
    """Take a match that is being played back to the state after ENTRY."""
    _perform("rewind", match_id, Params(entry=entry), reason)
    click.echo(f"match {match_id} is back at entry {entry}; its players will get letters")


def _perform(act: str, match_id: str, params: Params, reason: str) -> None:
    """Do what moderators can do too, with the same letters and entry."""
    if not reason:
        raise Refused("say why, as in: --reason “both players asked for it”; the players read it")
    with _opened():
        match_acts.perform(None, match_id, match_acts.ACTS[act], params, reason, _now())


@match.command("export")
@click.argument("match_id")
@click.argument("file", type=click.File("wb"), default="-")
def export_match(match_id: str, file: BinaryIO) -> None:
    """Write a finished match as a file that anybody can check."""
    with _opened():
        document = write_match(match_log.export(get_match(match_id)))
    file.write(document)


@pbem.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--head", "heads", multiple=True, metavar="HEAD", help="the head in a letter")
def verify(file: Path, heads: tuple[str, ...]) -> None:
    """Check a match file: exit status 0 when all of it is right, 1 when not."""
    try:
        sys.exit(audit_file(file, heads))
    except GameError as error:
        click.echo(printable(f"pbem: {file}: {error}"), err=True)
        sys.exit(1)


# --- clock, keys and mail ------------------------------------------------------------------------


@pbem.group()
def clock() -> None:
    """Whether time is believed, and what to do when it is not."""


@clock.command("show")
def show_clock() -> None:
    """When a worker last looked, and what it holds back."""
    with _opened():
        beat = heartbeat.heartbeat()
    if beat is None:
        click.echo("no worker has looked yet; start one with: pbem worker")
        return
    click.echo(f"a worker last looked at {_utc(beat.ticked_at)}")
    if beat.maintenance_since is not None:
        click.echo(f"all clocks are held since {_utc(beat.maintenance_since)} for maintenance")
    if beat.suspect_since is not None:
        click.echo(f"time is not believed since {_utc(beat.suspect_since)}: {beat.why}")
    if beat.held_since is not None:
        click.echo(f"time-outs are held since {_utc(beat.held_since)}: too many came at once")
    if beat.suspect_since is not None or beat.held_since is not None:
        click.echo("look at the clock of this machine, then run: pbem clock confirm")


@clock.command("confirm")
def confirm_clock() -> None:
    """Say that the clock is right: time is believed again, held time-outs may come."""
    with _opened():
        maintained.confirm_clock(audit_log.COMMAND_LINE, _now())
    click.echo("time is believed; held time-outs may come within the next hour")


@pbem.group()
def keys() -> None:
    """Keys that sign the links."""


@keys.command("rotate")
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--keep", default=signing.KEPT, show_default=True, type=click.IntRange(min=1))
def rotate_keys(file: Path | None, keep: int) -> None:
    """Put a new key behind those in FILE, usually that of the settings; without one, print it.

    Of the old keys --keep are kept, and every one that may have signed a link that still works.
    """
    file = file or keys_file()
    if file is None:
        click.echo(signing.new_key())
        click.echo(
            "write it behind the others in PBEM_SECRET_KEYS, apart by a comma; then restart web"
            " and worker",
            err=True,
        )
        return
    done = _rotated(file, keep)
    click.echo(f"{file} holds {done.kept} keys; {done.fingerprint} signs from now on")
    click.echo("web and worker take it up by themselves, if they read the keys from this file")


def _rotated(file: Path, keep: int) -> signing.Rotated:
    """Entered into the log where there is one; before there is a whole server, only done."""
    try:
        config = Config.from_env()
    except ConfigError:
        return signing.add_key(file, keep, {}, _now())
    with _opened(config):
        return signing.rotate(file, keep, audit_log.COMMAND_LINE, _now())


@keys.command("show")
def show_keys() -> None:
    """One line for each key, the newest first: its fingerprint, and since when it is known."""
    with _opened() as config:
        for key in signing.ages(config.secret_keys):
            since = _utc(key.seen_at) if key.seen_at is not None else "no worker has seen it yet"
            click.echo(f"{key.fingerprint}  {'signs' if key.signs else 'verifies'}  {since}")


@pbem.group()
def mail() -> None:
    """The way letters go out."""


@mail.command("test")
@click.argument("address")
def test_mail(address: str) -> None:
    """Send one short letter, to see that the settings for mail are right."""
    config = Config.from_env()
    to = accounts.address(address, test_names=not config.in_production)
    settings = open_mail(config)
    try:
        trial_letter.send(settings, to, _now())
    finally:
        settings.close()
    click.echo(f"a test letter was handed over for {to}")


# --- moderators ----------------------------------------------------------------------------------


@pbem.group()
def moderator() -> None:
    """Who looks after matches: add, list, reset, disable."""


@moderator.command("add")
@click.argument("address")
@click.option("--role", type=click.Choice(moderators.ROLES), default=moderators.MODERATOR)
@click.option("--name", default="", help="what the others call this moderator")
def add_moderator(address: str, role: str, name: str) -> None:
    """Make a moderator; the way in comes by letter."""
    with _opened() as config:
        to = _address(address, config)
        _tell_of_link(config, to, moderators.add(to, role, name, _now()))


@moderator.command("reset")
@click.argument("address")
def reset_moderator(address: str) -> None:
    """Take every way in and every session away; a new way in comes by letter."""
    with _opened() as config:
        to = _address(address, config)
        _tell_of_link(config, to, moderators.reset(to, _now()))


def _address(text: str, config: Config) -> str:
    return accounts.address(text, test_names=not config.in_production)


def _tell_of_link(config: Config, address: str, link: ModeratorLink) -> None:
    """Where no mail goes out, the letter is as good as shown already."""
    click.echo(f"a letter with the way in goes to {address}; its link is good for 48 hours, once")
    if config.smtp_url is None:
        click.echo(Links(config.secret_keys, config.base_url).url("moderator", link))


@moderator.command("disable")
@click.argument("address")
def disable_moderator(address: str) -> None:
    """Shut the door to a moderator at once."""
    with _opened() as config:
        to = _address(address, config)
        moderators.disable(to, _now())
    click.echo(f"{to} is no moderator any more; all sessions are over")


@moderator.command("list")
def list_moderators() -> None:
    """One line for each moderator."""
    with _opened():
        for one in all_moderators():
            state = f"disabled {_utc(one.disabled_at)}" if one.disabled_at else "active"
            click.echo(f"{one.address}  {one.role}  {state}  {one.name}".rstrip())


@pbem.group("audit")
def audit_group() -> None:
    """The log of what moderators and operators did."""


@audit_group.command("verify")
@click.option("--head", metavar="HASH", help="the hash of a newest entry that was noted elsewhere")
def verify_audit(head: str | None) -> None:
    """Check the whole log: exit status 0 when it is as it was written, 1 when not."""
    with _opened():
        fault, newest, begun = audit_log.verify(head), audit_log.head(), audit_log.begun()
    if fault:
        click.echo(str(fault))
        sys.exit(1)
    click.echo(f"{newest.seq} entries are as they were written; head {newest.hash}")
    if begun > 1:
        click.echo(
            f"entries before {begun} were not signed when it was entered: that is so once after an"
            " upgrade, and when all keys were replaced at once"
        )


@audit_group.command("show")
@click.option("--last", default=20, show_default=True, type=click.IntRange(min=1))
def show_audit(last: int) -> None:
    """The newest entries, the oldest of them first."""
    with _opened():
        entries = audit_log.newest(last)[::-1]
    for entry in entries:
        told = [
            text for text in (entry.reason, entry.words, entry.detail) if text not in ("", "{}")
        ]
        about = f"{entry.actor}: {entry.act}, {entry.subject}"
        click.echo("  ".join([str(entry.seq), _utc(entry.at), about, *told]))


# --- edges ---------------------------------------------------------------------------------------


def _now() -> int:
    return int(time.time())


def main() -> None:
    """Run the command; a refusal is one line and exit status 2."""
    try:
        pbem()
    except (PbemError, GameError) as refusal:
        print(f"pbem: {refusal}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
