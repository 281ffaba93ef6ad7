"""8.8: where aircraft go whose carrier was sunk under them in defence."""

from __future__ import annotations

from itertools import combinations

from msgspec.structs import replace

from engine.core import Seat
from engine.east_and_west import queries
from engine.east_and_west.board import Group
from engine.east_and_west.data.arsenal import BOMBER, CARRIERS, NUCLEAR_CARRIER, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWERS, are_friends
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import count
from engine.east_and_west.reach.decks import FlightDeck, fit, hosts
from engine.east_and_west.report import listed, owner_name, space_name
from engine.east_and_west.standing import CARRIER_FIRST, GENERAL


def settle(course: Course, zone: str, power: Seat, is_sunk: bool = True) -> None:
    """Aircraft of a side above what its carriers can hold land on an island, or are lost.

    Only after a carrier was sunk it matters who is welcome where: nobody is turned out otherwise.
    """
    while (group := _homeless(course, zone, power, is_sunk)) is not None:
        owner = Seat(group.owner)
        course.take(zone, group, 1)
        land = _island(course, zone, owner)
        if land is None:
            course.tell(
                "{power} loses {units}: no carrier is left for them in {zone}",
                power=owner_name(owner, zone),
                units=listed([replace(group, count=1)]),
                zone=space_name(zone),
            )
        else:
            course.put(land, replace(group, count=1))
            course.tell(
                "{power}: {units}, landing in {land}",
                power=owner_name(owner, zone),
                units=listed([replace(group, count=1)]),
                land=space_name(land),
            )


def fits(groups: list[Group]) -> bool:
    """6.10: whether the carriers among them hold all the aircraft."""
    decks = [
        FlightDeck(group.kind, 0, 0, frozenset())
        for group in groups
        if group.kind in CARRIERS
        for _ in range(group.count)
    ]
    flying = [group for group in groups if kinds()[group.kind].is_air]
    return fit(decks, [group.kind for group in flying for _ in range(group.count)])


def _homeless(course: Course, zone: str, power: Seat, is_sunk: bool) -> Group | None:
    """One that finds no room: who prefers an island, has no carrier, or has most aircraft."""
    there = [group for group in course.board.at(zone) if are_friends(group.owner, power)]
    own_decks = {group.owner for group in there if group.kind in CARRIERS}
    crowded = _crowded(course, there, is_sunk)
    return max(
        crowded,
        key=lambda group: (
            group.kind == BOMBER and count(there, NUCLEAR_CARRIER) < count(there, BOMBER),
            _prefers_island(course, zone, Seat(group.owner)),
            group.owner not in own_decks,
            count([other for other in crowded if other.owner == group.owner]),
            POWERS.index(Seat(group.owner)),
        ),
        default=None,
    )


def _crowded(course: Course, there: list[Group], is_sunk: bool) -> list[Group]:
    """14.2 no. 8: aircraft of the fewest allies whom the carriers open to them do not hold."""
    flying = [group for group in there if kinds()[group.kind].is_air]
    if not is_sunk:
        return [] if fits(there) else flying
    owners = sorted({group.owner for group in flying})
    for number in range(1, len(owners) + 1):
        for together in combinations(owners, number):
            decks = [
                group
                for group in there
                if group.kind in CARRIERS
                and any(hosts(course.state, group.owner, Seat(guest)) for guest in together)
            ]
            guests = [group for group in flying if group.owner in together]
            if not fits([*decks, *guests]):
                return guests
    return []


def _wishes(course: Course, zone: str, owner: Seat) -> tuple[str, ...]:
    """14.2 no. 5: the owner's list of places."""
    lists = course.orders(owner).havens
    return lists.get(zone) or lists.get(GENERAL, ())


def _prefers_island(course: Course, zone: str, owner: Seat) -> bool:
    wishes = _wishes(course, zone, owner)
    return bool(wishes) and wishes[0] != CARRIER_FIRST


def _island(course: Course, zone: str, owner: Seat) -> str | None:
    """A friendly island in the zone: the first of the owner's list, else the first by name."""
    order = _wishes(course, zone, owner)
    islands = [
        land
        for land in atlas().coasts(zone)
        if atlas().is_island(land) and queries.is_friendly(course.board, owner, land)
    ]
    islands.sort(key=lambda land: (order.index(land) if land in order else len(order), land))
    return islands[0] if islands else None
