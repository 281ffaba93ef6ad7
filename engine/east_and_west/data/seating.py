"""Who holds which powers: the seats of a match, from one person for all of NATO to three.

The rules know powers alone. A seat has the powers of one person; what it says in advance, what it
is told and whether it has won is settled here, by the seating that was agreed (17).
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.core import Event, Name, Outcome, Seat
from engine.east_and_west.data.powers import NATO, NATO_NAME, POWER_NAMES, POWERS, UK, USA, USSR, WE

WE_UK, WE_USA, UK_USA, WEST = Seat("we-uk"), Seat("we-usa"), Seat("uk-usa"), Seat("nato")

SEATINGS: dict[str, tuple[Seat, ...]] = {
    "we,uk,usa": (USSR, WE, UK, USA),
    "we+uk,usa": (USSR, WE_UK, USA),
    "we+usa,uk": (USSR, WE_USA, UK),
    "we,uk+usa": (USSR, WE, UK_USA),
    "we+uk+usa": (USSR, WEST),
}
"""Seats in the order of their first turns, by what is agreed before the match as `nato`."""

_HELD: dict[Seat, tuple[Seat, ...]] = {
    **{power: (power,) for power in POWERS},
    WE_UK: (WE, UK),
    WE_USA: (WE, USA),
    UK_USA: (UK, USA),
    WEST: NATO,
}

SEAT_NAMES: dict[Seat, Name] = {
    **POWER_NAMES,
    WE_UK: Name(
        "Western Europe and United Kingdom",
        "Westeuropa und Großbritannien",
        "Europe de l'Ouest et Royaume-Uni",
    ),
    WE_USA: Name("Western Europe and USA", "Westeuropa und USA", "Europe de l'Ouest et États-Unis"),
    UK_USA: Name("United Kingdom and USA", "Großbritannien und USA", "Royaume-Uni et États-Unis"),
    WEST: NATO_NAME,
}


def seats(nato: str) -> tuple[Seat, ...]:
    return SEATINGS[nato]


def powers(nato: str, seat: Seat | None) -> tuple[Seat, ...]:
    """What a seat holds, in the order of their turns; nothing, if this match has no such seat."""
    return _HELD[seat] if seat is not None and seat in seats(nato) else ()


def seat_of(nato: str, power: Seat) -> Seat:
    """Who plays a power."""
    return next(seat for seat in seats(nato) if power in _HELD[seat])


def together(nato: str, power: Seat) -> tuple[Seat, ...]:
    """All that is held by whoever plays a power."""
    return _HELD[seat_of(nato, power)]


def allies(seat: Seat) -> tuple[Seat, ...]:
    """Whoever may sit beside a seat on its side, in one seating or another, the nearest first."""
    found = (other for named in SEATINGS.values() if seat in named for other in named)
    return tuple(sorted({o for o in found if _are_allies(seat, o)}, key=lambda o: _far(seat, o)))


def _are_allies(seat: Seat, other: Seat) -> bool:
    return seat != other and USSR not in (seat, other)


def _far(seat: Seat, other: Seat) -> tuple[int, int]:
    """Fewer powers first, and of the USA's allies the United Kingdom."""
    place = NATO.index(_HELD[other][0])
    return len(_HELD[other]), -place if seat == USA else place


def speaker(held: tuple[Seat, ...], asked: Seat | None, at_turn: Seat) -> Seat:
    """Of the powers of one person the one that is asked, at turn, or the next to be."""
    if asked in held:
        return asked
    first = POWERS.index(at_turn)
    coming = (*POWERS[first:], *POWERS[:first])
    return next(power for power in coming if power in held)


def heard(nato: str, events: Iterable[Event]) -> tuple[Event, ...]:
    """What was told to powers, told to those who hold them."""
    return tuple(
        event if event.audience is None else Event(event.text, _holders(nato, event.audience))
        for event in events
    )


def ended(nato: str, result: Outcome | None) -> Outcome | None:
    """The end of a match, the winners being seats."""
    return result and Outcome(_holders(nato, result.winners), result.reason)


def _holders(nato: str, among: tuple[Seat, ...]) -> tuple[Seat, ...]:
    """Each once."""
    return tuple(dict.fromkeys(seat_of(nato, power) for power in among))
