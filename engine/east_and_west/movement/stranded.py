"""8.7, 12.5: the end of a turn finds every aircraft down, or lost."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from engine.core import Seat
from engine.east_and_west import queries
from engine.east_and_west.board import Group
from engine.east_and_west.data.arsenal import BOMBER, FIGHTER, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWER_NAMES
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import change, mark, unmark
from engine.east_and_west.reach.decks import (
    FlightDeck,
    aboard,
    decks_at,
    fit,
    has_room,
    with_guests,
)
from engine.east_and_west.reach.landing import (
    FAR,
    FLYING,
    Waiting,
    home,
    landing_lands,
    settle,
    zones_in_reach,
)
from engine.east_and_west.reach.routes import by_air, distances
from engine.east_and_west.reach.terrain import Terrain


class StrandedAircraft(NamedTuple):
    """An aircraft that cannot stay where it is."""

    space: str
    group: Group


def find_stranded(terrain: Terrain) -> list[StrandedAircraft]:
    """On land where it may not land, or at sea without a deck; who moved least keeps the deck."""
    found: list[StrandedAircraft] = []
    for space in sorted(terrain.board.units):
        own = [
            replace(group, count=1)
            for group in sorted(terrain.board.at(space), key=lambda group: group.used)
            if group.owner == terrain.power and kinds()[group.kind].is_air
            for _ in range(group.count)
        ]
        if own:
            found.extend(_stranded_at(terrain, space, own))
    return found


def _stranded_at(terrain: Terrain, space: str, own: list[Group]) -> list[StrandedAircraft]:
    if atlas().is_land(space):
        return [
            StrandedAircraft(space, one)
            for one in own
            if space not in landing_lands(terrain, one.kind)
        ]
    decks = decks_at(terrain.state, terrain.power, space)
    staying = _of_allies(terrain, space)
    found = []
    for one in own:
        if fit(decks, [*staying, one.kind]):
            staying.append(one.kind)
        else:
            found.append(StrandedAircraft(space, one))
    return found


def _of_allies(terrain: Terrain, zone: str) -> list[str]:
    every = aboard(terrain.board, terrain.power, zone)
    for group in queries.own_units(terrain.board, terrain.power, zone):
        for _ in range(group.count if kinds()[group.kind].is_air else 0):
            every.remove(group.kind)
    return every


def land_stranded(course: Course) -> None:
    """19 on 8.7: who has no place goes home, else to the nearest place, else it is lost."""
    terrain = Terrain(course.state, course.active)
    waiting = find_stranded(terrain)
    if not waiting:
        return
    homes = {kind: home(terrain, kind) for kind in (FIGHTER, BOMBER)}
    by_sea_only = [
        stray
        for stray in waiting
        if homes[stray.group.kind].get(stray.space, FAR) > _points(terrain, stray.group)
    ]
    for stray, place in _shared_out(terrain, waiting, by_sea_only):
        _land(course, terrain, stray, place)
    for stray in waiting:
        if stray not in by_sea_only:
            _land(course, terrain, stray, _best_place(course, stray))


def _points(terrain: Terrain, group: Group) -> int:
    """11.7.2: under EMP it does not fly."""
    return 0 if group.has("grounded") or group.has("stunned") else terrain.points(group)


def _shared_out(
    terrain: Terrain, waiting: list[StrandedAircraft], bound: list[StrandedAircraft]
) -> list[tuple[StrandedAircraft, str | None]]:
    """Decks for those that reach no land; as many as possible get one."""
    decks = [deck for zone in _deck_zones(terrain) for deck in _free_decks(terrain, waiting, zone)]
    kept: list[tuple[StrandedAircraft, Waiting]] = []
    places: list[str] = []
    lost: list[StrandedAircraft] = []
    for stray in bound:
        reach = zones_in_reach(terrain, stray.space, _points(terrain, stray.group))
        one = stray, (stray.group.kind, reach)
        settled = settle([each for _, each in (*kept, one)], decks)
        if settled is None:
            lost.append(stray)
        else:
            kept, places = [*kept, one], settled
    landed = [(stray, place) for (stray, _), place in zip(kept, places, strict=True)]
    return [*landed, *[(stray, None) for stray in lost]]


def _deck_zones(terrain: Terrain) -> list[str]:
    return [
        zone
        for zone in sorted(terrain.board.units)
        if atlas().is_water(zone) and decks_at(terrain.state, terrain.power, zone)
    ]


def _free_decks(terrain: Terrain, waiting: list[StrandedAircraft], zone: str) -> list[FlightDeck]:
    """The carriers of a zone with all on board that stay there."""
    staying = aboard(terrain.board, terrain.power, zone)
    for stray in waiting:
        if stray.space == zone:
            staying.remove(stray.group.kind)
    decks = decks_at(terrain.state, terrain.power, zone)
    return with_guests(decks, staying)


def _best_place(course: Course, stray: StrandedAircraft) -> str | None:
    """The start space first, then the nearest; there is a land in any case."""
    terrain = Terrain(course.state, course.active)
    points, kind = _points(terrain, stray.group), stray.group.kind
    reach = distances(stray.space, points, by_air(terrain, is_combat=False))
    lands = landing_lands(terrain, kind)
    places = [
        space
        for space in reach
        if space in lands
        or (
            atlas().is_water(space)
            and space != stray.space
            and has_room(course.state, course.active, space, kind)
        )
    ]
    starts = {f.start for f in course.turn.flights if (f.target, f.kind) == (stray.space, kind)}
    return min(places, key=lambda space: (space not in starts, reach[space], space), default=None)


def _land(course: Course, terrain: Terrain, stray: StrandedAircraft, place: str | None) -> None:
    space, group = stray
    standing = next(there for there in course.board.at(space) if replace(there, count=1) == group)
    course.take(space, standing, 1)
    names = {
        "power": POWER_NAMES[course.active],
        "kind": kinds()[group.kind].names,
        "space": atlas().spaces[space].names,
    }
    if place is None:
        course.tell("{power}: a {kind} over {space} finds no place to land and is lost", **names)
        return
    far = distances(space, _points(terrain, group), by_air(terrain, is_combat=False))
    cost = far.get(place, _points(terrain, group))
    course.put(place, replace(settled(group), used=group.used + cost))
    target = atlas().spaces[place].names
    course.tell("{power}: a {kind} over {space} lands: {target}", **names, target=target)


def settled(group: Group) -> Group:
    """An aircraft that is down."""
    return mark(unmark(group, *FLYING), "spent")


def disarm(course: Course) -> None:
    """12.5: fighters that landed in a land captured in this turn have no defence."""
    for land in course.turn.captured:
        course.set_units(change(course.board.units, land, lambda g: _disarmed(g, course.active)))


def _disarmed(group: Group, power: Seat) -> Group:
    is_one = group.owner == power and group.kind == FIGHTER
    return mark(group, "helpless") if is_one else group
