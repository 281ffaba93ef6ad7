"""People at East & West: four with a power each, or fewer, one of whom holds several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.east_and_west.game import EastAndWest
from pbem.services.match import joining, matches
from pbem.services.match.joining import Joining
from pbem.services.records.match_rows import INVITED, get_match
from tests.services.people import NOW, id_of, wanted

GAME = EastAndWest()
POWERS = ("ussr", "we", "uk", "usa")
USSR, WE, UK, USA = range(4)
NAMES = ("Ann", "Bob", "Cy", "Dee")
SEATINGS = {2: "we+uk+usa", 3: "we+uk,usa", 4: "we,uk,usa"}
"""How NATO is shared, by the number of people."""


def address_of(seat: str) -> str:
    """Addresses are called after seats."""
    return f"{seat}@example.org"


def four_people(now: int = NOW, **change: Any) -> str:
    """A match that has begun, with a person for each power."""
    return people_at_powers(4, now, **change)


def people_at_powers(
    count: int,
    now: int = NOW,
    languages: Sequence[str] = ("en",) * 4,
    phrases: Sequence[str] = ("",) * 4,
    **change: Any,
) -> str:
    """A match of so many people that has begun; seat by seat their languages and phrases."""
    match = invite_people(count, now, language=languages[0], phrase=phrases[0], **change)
    for seat in get_match(match).seats:
        if seat.status == INVITED and seat.player is not None:
            says = (NAMES[seat.number], languages[seat.number], "UTC", phrases[seat.number])
            joining.accept(match, seat.number, seat.player, Joining(*says), now)
    return match


def invite_people(
    count: int, now: int = NOW, machines: frozenset[str] = frozenset(), **change: Any
) -> str:
    """Ann has begun a match as the USSR and waits for the others, who are invited."""
    setup = {"nato": SEATINGS[count]}
    addresses = {seat: address_of(seat) for seat in GAME.seats(setup) if seat not in machines}
    change = {"machines": machines, **change}
    usual: dict[str, Any] = {"phrase": "", "setup": setup, "addresses": addresses}
    ussr = address_of(POWERS[USSR])
    plan = wanted(game=GAME.name, creator=ussr, name=NAMES[USSR], **{**usual, **change})
    match = matches.create(plan, now)
    joining.confirmed(id_of(ussr), now)
    return match
