"""Letters from the queue to a mail server, as a worker sends them, beside bare smtplib.

Written and handed over: turn letters of many matches, none of which was written before; then the
same bytes by bare smtplib over one connection. Handed over: letters that were written before. The
mail server is Postfix's smtp-sink, in a process of its own; only the processor time of ours counts.

python -m tests.bench.handing_over     # the table alone
"""

from __future__ import annotations

import os
import shutil
import smtplib
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

from engine.chance import QuickDice
from engine.core import Seat
from engine.east_and_west.bot.stand_in import orders
from engine.registry import GAMES
from engine.terminal.rehearsal import random_order
from pbem.db import store
from pbem.errors import TransportError
from pbem.key_ring import ring
from pbem.links import Links
from pbem.mail.lanes import Lanes
from pbem.mail.parcels import Parcel
from pbem.mail.transport import SmtpTransport
from pbem.services.letters import composing, delivery
from pbem.services.letters.claims import claim
from pbem.services.letters.mail_settings import MailSettings
from pbem.services.match import joining, match_log, matches, turns
from pbem.services.match.joining import Joining
from pbem.services.records.match_rows import MatchRecord, get_match, open_turns
from tests.bench.measuring import Ratio, compare, report
from tests.kit.nginx import free_ports
from tests.services.people import NOW, id_of, turn_of, wanted
from tests.services.powers import GAME, SEATINGS

KEYS = ("k" * 40,)
DOMAIN, PORT_PATIENCE = "play.example", 10
MATCHES, ORDERS = 120, 12
"""Of Iron Curtain, and how many orders lie behind each of them at first; some 50 in the end."""
CAMPAIGNS, TURNS = 5, 6
"""Of East & West with four people each, and the turns of powers before."""
ROUNDS = 5
LANGUAGES, ZONES = ("en", "de", "fr"), ("UTC", "Europe/Berlin", "America/New_York")
HOSTS = 12
"""Domains that players have their addresses at."""


def handing_over() -> list[Ratio]:
    if _sink_program() is None:
        return []
    return [
        *_of("turn letters of Iron Curtain", _iron_curtain, ">= 0.5"),
        *_of("turn letters of East & West, with maps", _east_and_west, "reported"),
    ]


def _of(what: str, table: Callable[[], Hall], aim: str) -> Iterator[Ratio]:
    with _opened() as (settings, sent, port):
        hall, link = table(), smtplib.SMTP("127.0.0.1", port, local_hostname=DOMAIN)
        bare = partial(_bare, link, sent)

        def fresh() -> None:
            sent.clear()
            hall.play_on()

        yield compare(
            f"{what}: written and handed over / bare smtplib",
            partial(_drain, settings),
            bare,
            aim,
            ROUNDS,
            prepare=fresh,
        )
        yield compare(
            f"{what}: handed over / bare smtplib",
            partial(_drain, settings),
            bare,
            ">= 1.3",
            ROUNDS,
            prepare=partial(_written, settings, fresh),
        )
        link.close()


def _drain(settings: MailSettings) -> int:
    return delivery.drain(settings, "bench", NOW).sent


def _written(settings: MailSettings, fresh: Callable[[], None]) -> None:
    """Letters as a worker leaves them that was stopped before it could hand them over."""
    fresh()
    claimed = claim("before", NOW, most=10_000)
    for _, parcel in composing.prepared(settings, "before", claimed, NOW):
        assert isinstance(parcel, Parcel)
    store.execute("UPDATE outbox SET state = 'queued' WHERE state = 'leased'")


def _bare(link: smtplib.SMTP, sent: Sequence[Parcel]) -> int:
    for parcel in sent:
        link.sendmail(parcel.sender, [parcel.recipient], parcel.mime)
    return len(sent)


# --- who plays ------------------------------------------------------------------------------------


class Hall(NamedTuple):
    """Matches that are played on in step."""

    matches: Sequence[str]
    order: Callable[[MatchRecord, Seat], list[str]]

    def play_on(self) -> None:
        """Everywhere until somebody else is asked; the letters of turns that began are queued."""
        for match in self.matches:
            asked = [turn.seat for turn in open_turns(match)]
            while asked and [turn.seat for turn in open_turns(match)] == asked:
                self._play(match)
        store.execute("UPDATE outbox SET state = 'superseded' WHERE kind <> 'turn'")

    def play(self, times: int) -> None:
        for match in self.matches:
            for _ in range(times):
                self._play(match)
        store.execute("UPDATE outbox SET state = 'superseded'")

    def _play(self, match: str) -> None:
        turn, record = turn_of(match), get_match(match)
        lines = self.order(record, record.seat(turn.seat).name)
        with store.writing():
            turns.send(*turns.held(turn.id), lines, NOW, is_shown=True)


def _iron_curtain() -> Hall:
    choice = QuickDice(b"handing over")

    def order(match: MatchRecord, seat: Seat) -> list[str]:
        return [random_order(match.game, match_log.current(match), seat, choice)]

    hall = Hall([_match("iron_curtain", {}, number) for number in range(MATCHES)], order)
    hall.play(ORDERS)
    return hall


def _east_and_west() -> Hall:
    def order(match: MatchRecord, seat: Seat) -> list[str]:
        return list(map(GAME.notate, orders(GAME.view(match_log.current(match), seat), seat)))

    setup = {"nato": SEATINGS[4]}
    hall = Hall([_match(GAME.name, setup, number) for number in range(CAMPAIGNS)], order)
    for _ in range(TURNS):
        hall.play_on()
    store.execute("UPDATE outbox SET state = 'superseded'")
    return hall


def _match(game: str, setup: dict[str, str], number: int) -> str:
    """A match of people who play no other one."""
    seats = GAMES[game].seats(setup)
    people = {seat: f"{seat}{number}@host{number % HOSTS}.example" for seat in seats}
    first = people[seats[0]]
    plan = wanted(game=game, setup=setup, addresses=people, creator=first, name="Ann")
    match = matches.create(plan, NOW)
    joining.confirmed(id_of(first), NOW)
    for seat in get_match(match).seats[1:]:
        assert seat.player is not None
        told = Joining(f"Bob {seat.number}", LANGUAGES[number % 3], ZONES[number % 3], "a phrase")
        joining.accept(match, seat.number, seat.player, told, NOW)
    return match


# --- the way to the mail server -------------------------------------------------------------------


class _Noting(SmtpTransport):
    """A way that remembers what went over it, so that bare smtplib can send the same."""

    sent: list[Parcel]

    def deliver(self, parcels: Sequence[Parcel]) -> Generator[TransportError | None]:
        self.sent.extend(parcels)
        return super().deliver(parcels)


@contextmanager
def _opened() -> Iterator[tuple[MailSettings, list[Parcel], int]]:
    with tempfile.TemporaryDirectory() as folder, _sink() as port:
        ring.use(lambda: KEYS)
        store.open_database(f"sqlite:///{folder}/bench.db")
        sent: list[Parcel] = []

        def open_way() -> SmtpTransport:
            way = _Noting(f"smtp://127.0.0.1:{port}", DOMAIN)
            way.sent = sent
            return way

        links = Links(KEYS, f"https://{DOMAIN}")
        settings = MailSettings(
            links, f"pbem@{DOMAIN}", DOMAIN, b"k", open_way(), lanes=Lanes(open_way)
        )
        with store.connected():
            store.migrate()
            yield settings, sent, port
        settings.close()


def _sink_program() -> str | None:
    return shutil.which("smtp-sink") or shutil.which("smtp-sink", path="/usr/sbin")


@contextmanager
def _sink() -> Iterator[int]:
    """Postfix's own server for tests: it takes every letter and keeps none."""
    (port,), program = free_ports(1), _sink_program()
    assert program is not None
    user = ["-u", "nobody"] if os.getuid() == 0 else []
    with subprocess.Popen([program, *user, f"127.0.0.1:{port}", "64"]) as process:
        try:
            _await(port)
            yield port
        finally:
            process.kill()


def _await(port: int) -> None:
    until = time.monotonic() + PORT_PATIENCE
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.05)
    raise AssertionError("smtp-sink does not listen")


if __name__ == "__main__":
    print(report(handing_over()))
