"""8.7: where aircraft may land, whether all of them can, and what becomes of those that cannot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from typing import NamedTuple

from engine.east_and_west import queries
from engine.east_and_west.board import Group, Mark
from engine.east_and_west.data.arsenal import BOMBER, FIGHTER, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import are_friends
from engine.east_and_west.reach.decks import (
    DECKS,
    ROOMS,
    FlightDeck,
    behind_closed_doors,
    is_deck,
    with_guests,
)
from engine.east_and_west.reach.routes import by_air, by_sea, distances
from engine.east_and_west.reach.terrain import Terrain

FLYING: tuple[Mark, ...] = ("attacking", "raiding", "carrying")
FAR = 99
HELD = -1
"""Points of aircraft that cannot fly and go only where their carrier goes."""


# --- landing places -------------------------------------------------------------------------------


def landing_lands(terrain: Terrain, kind: str) -> frozenset[str]:
    """6.6, 8.7, 12.5: open lands that were not captured in this turn, unless by helicopter."""
    if _lands_anywhere(terrain, kind):
        return terrain.open_lands
    return terrain.open_lands - {*terrain.board.turn.captured}


def hoped_lands(terrain: Terrain, kind: str) -> frozenset[str]:
    """19 on 8.7: a helicopter may also count on a land that is still to be captured."""
    sure = landing_lands(terrain, kind)
    if not _lands_anywhere(terrain, kind):
        return sure
    return sure | {space for space in terrain.declared if atlas().is_land(space)}


def _lands_anywhere(terrain: Terrain, kind: str) -> bool:
    return kind == FIGHTER and queries.knows(terrain.board, terrain.power, "aircraft", 3)


# --- the promise that all can land ----------------------------------------------------------------


class Flyer(NamedTuple):
    """Aircraft that have to land somewhere."""

    space: str
    kind: str
    points: int
    number: int = 1


def flyers(terrain: Terrain) -> list[Flyer]:
    """All own aircraft that are at sea, over a battle, or going to be; 11.7.2: some cannot fly."""
    out = [
        Flyer(space, group.kind, HELD if _is_held(group) else terrain.points(group), group.count)
        for space, groups in terrain.board.units.items()
        for group in groups
        if group.owner == terrain.power
        and kinds()[group.kind].is_air
        and _is_out(terrain, space, group)
    ]
    return [*out, *_with_bombs(terrain)]


def _with_bombs(terrain: Terrain) -> list[Flyer]:
    """11.3: bombers that were told off for atomic attacks and have not taken off yet."""
    points = queries.movement(terrain.board, terrain.power, BOMBER)
    return [
        Flyer(strike.target, BOMBER, points - strike.points)
        for strike in terrain.board.turn.strikes
        if strike.by == "bomber" and terrain.is_combat
    ]


def _is_out(terrain: Terrain, space: str, group: Group) -> bool:
    if atlas().is_water(space) or any(mark in FLYING for mark in group.marks):
        return True
    return space not in landing_lands(terrain, group.kind)


def _is_held(group: Group) -> bool:
    return any(group.has(mark) for mark in ("spent", "grounded", "stunned"))


def home(terrain: Terrain, kind: str) -> Mapping[str, int]:
    """How far it is from anywhere to the nearest land to land in."""
    return _flights_home(hoped_lands(terrain, kind), terrain.airspace)


@lru_cache(maxsize=16)
def _flights_home(lands: frozenset[str], airspace: frozenset[str]) -> Mapping[str, int]:
    """The same sets come again and again, since few moves open or close a land."""
    found = dict.fromkeys(lands, 0)
    edge, neighbours = list(found), atlas().neighbours
    while edge:
        fresh = []
        for here in edge:
            for near in neighbours[here]:
                if near not in found:
                    found[near] = found[here] + 1
                    if near in airspace:
                        fresh.append(near)
        edge = fresh
    return found


class Promise:
    """8.7: whether all aircraft can land, the own carriers meeting them in the non-combat move."""

    def __init__(self, terrain: Terrain) -> None:
        self.terrain = terrain
        self.homes = {kind: home(terrain, kind) for kind in (FIGHTER, BOMBER)}
        self.out = [flyer for flyer in flyers(terrain) if not self.reaches_land(flyer)]
        self._decks: dict[str, list[FlightDeck]] = {}
        self._known: dict[tuple[Flyer, Flyer | None], bool] = {}
        self._reach: dict[tuple[str, int], frozenset[str]] = {}

    def reaches_land(self, flyer: Flyer) -> bool:
        """19 on 8.7: a helicopter over a battle may count on the land it is fought for."""
        if atlas().is_land(flyer.space) and _lands_anywhere(self.terrain, flyer.kind):
            return True
        return self.homes[flyer.kind].get(flyer.space, FAR) <= flyer.points

    def holds(self) -> bool:
        return not self.out or self._all_land(self.out, "")

    def holds_with(self, one: Flyer, instead_of: Flyer | None = None) -> bool:
        """Whether it still holds when one flies out; perhaps it was at sea already."""
        if self.reaches_land(one):
            return True
        key = one, instead_of
        if key not in self._known:
            left = self.out if instead_of is None else _without(self.out, instead_of)
            won = one.space if one.space in self._shut else ""
            self._known[key] = self._all_land([*left, one], won)
        return self._known[key]

    @cached_property
    def _shut(self) -> frozenset[str]:
        """Zones that have to be won before a carrier can come."""
        return self.terrain.blocked - self.terrain.declared

    def _all_land(self, out: list[Flyer], won: str) -> bool:
        """With one more zone that is won, perhaps."""
        if won not in self._decks:
            self._decks[won] = list(_all_decks(self.terrain, self._shut - {won}))
        decks = self._decks[won]
        rooms = sum(DECKS[deck.kind] - deck.taken for deck in decks)
        if sum(ROOMS[flyer.kind] * flyer.number for flyer in out) > rooms:
            return False
        waiting = [(flyer.kind, self._zones(flyer)) for flyer in out for _ in range(flyer.number)]
        return settle(waiting, decks) is not None

    def _zones(self, flyer: Flyer) -> frozenset[str]:
        key = flyer.space, flyer.points
        if key not in self._reach:
            self._reach[key] = (
                zones_in_reach(self.terrain, *key)
                if flyer.points != HELD
                else _along(self.terrain, flyer.space, self._shut)
            )
        return self._reach[key]


def _without(out: list[Flyer], one: Flyer) -> list[Flyer]:
    """The aircraft that stay where they were when some of them fly out."""
    for index, flyer in enumerate(out):
        if flyer[:3] == one[:3]:
            left = flyer.number - one.number
            return [
                *out[:index],
                *([flyer._replace(number=left)] if left else []),
                *out[index + 1 :],
            ]
    return out


def zones_in_reach(terrain: Terrain, space: str, points: int) -> frozenset[str]:
    """Sea zones in which an aircraft could land on a carrier, if one were there."""
    free = terrain.board.variant.carrier_zone_free
    terms = by_air(terrain, is_combat=False)
    found = distances(space, points, terms)
    zones = {near for near in found if atlas().spaces[near].kind == "sea"}
    if free:
        near_by = {near for here in found for near in atlas().neighbours[here]}
        zones |= {near for near in near_by if atlas().spaces[near].kind == "sea"}
    return frozenset(zones)


def _along(terrain: Terrain, zone: str, shut: frozenset[str]) -> frozenset[str]:
    """Where the carriers of a zone can take those that cannot fly."""
    return frozenset({zone}).union(*(deck.zones for deck in _decks_in(terrain, zone, shut)))


def _all_decks(terrain: Terrain, shut: frozenset[str]) -> Iterable[FlightDeck]:
    """Carriers where they are or can be at the end, with the aircraft of allies on board."""
    for zone in terrain.board.units:
        if atlas().is_water(zone):
            yield from _decks_in(terrain, zone, shut)


def _decks_in(terrain: Terrain, zone: str, shut: frozenset[str]) -> list[FlightDeck]:
    decks: list[FlightDeck] = []
    for group in terrain.board.at(zone):
        if not is_deck(terrain.state, terrain.power, group):
            continue
        zones = _meeting_zones(terrain, zone, group, shut)
        deck = FlightDeck(group.kind, 0, 0, zones)
        for load in group.cargo:
            for _ in range(load.count):
                deck = deck.with_one(load.kind, zones)
        decks.extend([deck] * group.count)
    guests = [
        group.kind
        for group in terrain.board.at(zone)
        if kinds()[group.kind].is_air
        and group.owner != terrain.power
        and are_friends(group.owner, terrain.power)
        for _ in range(group.count)
    ]
    for kind in behind_closed_doors(terrain.board, terrain.power, zone):
        guests.remove(kind)
    return with_guests(decks, guests)


def _meeting_zones(
    terrain: Terrain, zone: str, group: Group, shut: frozenset[str]
) -> frozenset[str]:
    """8.7: where an own carrier that has not moved yet can go; every other stays."""
    is_free = (
        group.owner == terrain.power
        and terrain.is_combat
        and not group.used
        and not group.has("attacking")
        and not _is_held(group)
    )
    if not is_free:
        return frozenset({zone})
    terms = by_sea(terrain, group)
    open_sea = terms._replace(
        enters=lambda here, near: near not in shut and terms.enters(here, near),
        crosses=lambda _: True,
    )
    points = queries.movement(terrain.board, group.owner, group.kind)
    return frozenset(distances(zone, points, open_sea)) - terrain.struck | {zone}


Waiting = tuple[str, frozenset[str]]
"""An aircraft by its kind, and the zones it can reach."""


def settle(waiting: list[Waiting], decks: list[FlightDeck]) -> list[str] | None:
    """A zone for each aircraft, so that all have room; the most restricted first."""
    order = sorted(
        range(len(waiting)), key=lambda n: (-ROOMS[waiting[n][0]], len(waiting[n][1]), n)
    )
    found: dict[int, str] = {}
    if not _settle_rest([waiting[n] for n in order], tuple(decks), order, found, set()):
        return None
    return [found[n] for n in range(len(waiting))]


def _settle_rest(
    waiting: list[Waiting],
    decks: tuple[FlightDeck, ...],
    order: list[int],
    found: dict[int, str],
    failed: set[tuple[int, tuple[FlightDeck, ...]]],
) -> bool:
    if not waiting:
        return True
    # Decks are values: which of two equal carriers is which does not matter.
    state = len(waiting), tuple(sorted(decks, key=_deck_key))
    if state in failed:
        return False
    kind, zones = waiting[0]
    for deck in dict.fromkeys(decks):
        if not deck.takes(kind):
            continue
        index = decks.index(deck)
        for zone in _apart(deck.zones & zones, waiting):
            changed = deck.with_one(kind, frozenset({zone}))
            found[order[0]] = zone
            left = (*decks[:index], changed, *decks[index + 1 :])
            if _settle_rest(waiting[1:], left, order[1:], found, failed):
                return True
    failed.add(state)
    return False


def _deck_key(deck: FlightDeck) -> tuple[str, int, int, tuple[str, ...]]:
    return deck.kind, deck.taken, deck.bombers, tuple(sorted(deck.zones))


def _apart(zones: frozenset[str], waiting: list[Waiting]) -> list[str]:
    """Of the zones that serve the same aircraft one is enough."""
    served: dict[tuple[bool, ...], str] = {}
    for zone in sorted(zones):
        served.setdefault(tuple(zone in reach for _, reach in waiting), zone)
    return sorted(served.values(), key=lambda zone: -sum(zone in reach for _, reach in waiting))
