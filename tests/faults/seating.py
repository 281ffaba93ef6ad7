"""The store of a server, looked into, and the matches that robots play in it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from engine.core import Json
from pbem.config import Config
from pbem.db import store
from pbem.deadlines import DAY, Clock
from pbem.services.match import joining, matches
from pbem.services.match.joining import Joining
from pbem.services.match.matches import Wanted
from pbem.services.players import process_settings
from pbem.services.records.match_rows import INVITED, get_match
from pbem.services.records.player_rows import player_at
from tests.faults.deployment import AUTHSERV_ID, HOST, KEYS

SEATS = {"iron_curtain": ("usa", "ussr"), "east_and_west": ("ussr", "nato")}
SETUPS: dict[str, dict[str, Json]] = {"east_and_west": {"nato": "we+uk+usa"}}
DOMAINS = 20
"""Mail servers of players: only a few letters go to one at a time."""


@contextmanager
def looking_into(url: str) -> Iterator[None]:
    """The store of a server, open for this process with the server's keys."""
    process_settings.make_known(
        Config(
            database_url=url,
            secret_keys=(KEYS,),
            mail_domain=HOST,
            mail_pipe=True,
            authserv_id=AUTHSERV_ID,
        )
    )
    store.open_database(url)
    with store.connected():
        yield


class Seated(NamedTuple):
    """Matches that have begun."""

    matches: tuple[str, ...]
    sheets: frozenset[str]
    """Those of the game with an order sheet."""


def seat_everybody(
    url: str,
    count: int,
    clocks: Sequence[Clock] = (),
    first: int = 0,
    games: Sequence[str] = tuple(SEATS),
) -> Seated:
    """Begin matches of the games in turn, each with players of its own."""
    begun, sheets = list[str](), set[str]()
    with looking_into(url):
        for number in range(first, first + count):
            game = games[number % len(games)]
            clock = clocks[number % len(clocks)] if clocks else Clock(per_move=30 * DAY)
            begun.append(_begin(game, number, clock, int(time.time())))
            if game in SETUPS:
                sheets.add(begun[-1])
    return Seated(tuple(begun), frozenset(sheets))


def _begin(game: str, number: int, clock: Clock, now: int) -> str:
    ann, bob = (f"{who}{number}@m{number % DOMAINS}.example.org" for who in ("ann", "bob"))
    match = matches.create(
        Wanted(
            game=game,
            setup=SETUPS.get(game, {}),
            pace=clock.pace,
            addresses=dict(zip(SEATS[game], (ann, bob), strict=True)),
            creator=ann,
            name=f"Ann {number}",
            clock=clock,
        ),
        now,
    )
    found = player_at(ann)
    assert found is not None
    joining.confirmed(found.id, now)
    for seat in get_match(match).seats:
        if seat.status == INVITED and seat.player is not None:
            said = Joining(f"Bob {number}", "en", "UTC", "")
            joining.accept(match, seat.number, seat.player, said, now)
    return match
