"""6.10: room for aircraft on carriers, and whose aircraft a carrier takes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from engine.core import Seat
from engine.east_and_west.board import Board, Group
from engine.east_and_west.data.arsenal import BOMBER, CARRIERS, FIGHTER, NUCLEAR_CARRIER, kinds
from engine.east_and_west.data.powers import are_friends
from engine.east_and_west.state import State

DECKS = {"carrier": 2, "nuclear-carrier": 3}
"""6.10: rooms on a carrier; a fighter takes one, a bomber two, and only on a nuclear carrier."""
ROOMS = {FIGHTER: 1, BOMBER: 2}


def hosts(state: State, owner: str, guest: Seat) -> bool:
    """14.2 no. 8: whether a power takes the units of an ally on board."""
    return (owner, guest) not in state.board.refusals


class FlightDeck(NamedTuple):
    """A carrier as a place to land on."""

    kind: str
    taken: int
    """Rooms."""
    bombers: int
    zones: frozenset[str]
    """Where it can be when they land; one as soon as somebody counts on it."""

    def takes(self, kind: str) -> bool:
        if kind == BOMBER and self.kind != NUCLEAR_CARRIER:
            return False
        return self.taken + ROOMS[kind] <= DECKS[self.kind]

    def with_one(self, kind: str, zones: frozenset[str]) -> FlightDeck:
        return FlightDeck(
            self.kind, self.taken + ROOMS[kind], self.bombers + (kind == BOMBER), zones
        )


def decks_at(state: State, guest: Seat, zone: str) -> list[FlightDeck]:
    """The carriers of a zone that take somebody's aircraft, with what is on board of them."""
    found = [
        FlightDeck(group.kind, 0, 0, frozenset({zone}))
        for group in state.board.at(zone)
        if is_deck(state, guest, group)
        for _ in range(group.count)
    ]
    found.sort(key=lambda deck: DECKS[deck.kind])
    return found


def is_deck(state: State, guest: Seat, carrier: Group) -> bool:
    """A friendly carrier whose owner agrees; not one that was placed in this turn (3)."""
    is_new = carrier.has("spent") and not carrier.used and state.board.turn.power == carrier.owner
    return (
        carrier.kind in CARRIERS
        and not is_new
        and are_friends(guest, carrier.owner)
        and hosts(state, carrier.owner, guest)
    )


def aboard(board: Board, power: Seat, zone: str) -> list[str]:
    """The kinds of all aircraft of a side in a zone, also those that ride on a carrier.

    Those are not among them that have room on a carrier that is closed to the power.
    """
    own = [group for group in board.at(zone) if are_friends(power, group.owner)]
    flying = [g for g in own if kinds()[g.kind].is_air]
    riding = [
        (load.kind, load.count * group.count)
        for group in own
        if group.kind in CARRIERS
        for load in group.cargo
    ]
    every = [(group.kind, group.count) for group in flying] + riding
    found = [kind for kind, count in every for _ in range(count)]
    for kind in behind_closed_doors(board, power, zone):
        found.remove(kind)
    return found


def behind_closed_doors(board: Board, power: Seat, zone: str) -> list[str]:
    """14.2 no. 8: aircraft on carriers of their own power, which are closed to this one."""
    found: list[str] = []
    for owner in sorted(owner for owner, guest in board.refusals if guest == power):
        decks = [
            FlightDeck(group.kind, 0, 0, frozenset({zone}))
            for group in board.at(zone)
            if group.owner == owner and group.kind in CARRIERS
            for _ in range(group.count)
        ]
        kept: list[str] = []
        for group in board.at(zone):
            is_theirs = group.owner == owner and kinds()[group.kind].is_air
            for _ in range(group.count if is_theirs else 0):
                if fit(decks, [*kept, group.kind]):
                    kept.append(group.kind)
        found += kept
    return found


def fit(decks: Iterable[FlightDeck], aircraft: Iterable[str]) -> bool:
    """6.10: whether aircraft have room on the carriers of one zone."""
    carriers = [deck.kind for deck in decks]
    nuclear, flying = carriers.count(NUCLEAR_CARRIER), list(aircraft)
    bombers = flying.count(BOMBER)
    rooms = sum(DECKS[kind] for kind in carriers)
    return bombers <= nuclear and sum(ROOMS[kind] for kind in flying) <= rooms


def has_room(state: State, power: Seat, zone: str, kind: str, count: int = 1) -> bool:
    """Whether some more aircraft of a power can land in a zone as it is."""
    present = aboard(state.board, power, zone)
    return fit(decks_at(state, power, zone), [*present, *[kind] * count])


def with_guests(decks: list[FlightDeck], guests: list[str]) -> list[FlightDeck]:
    """Aircraft of allies keep their room, on carriers that stay where they are if they can."""
    decks = sorted(decks, key=lambda deck: (len(deck.zones), DECKS[deck.kind]))
    for kind in sorted(guests):
        for index, deck in enumerate(decks):
            if deck.takes(kind):
                decks[index] = deck.with_one(kind, deck.zones)
                break
    return decks
