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
from engine.east_and_west.reach.aircraft import (
    FAR,
    FLYING,
    Deck,
    Waiting,
    aboard,
    decks_at,
    fit,
    has_room,
    home,
    landing_lands,
    settle,
    with_guests,
    zones_in_reach,
)
from engine.east_and_west.reach.routes import Theatre, by_air, distances


class Stray(NamedTuple):
    """An aircraft that cannot stay where it is."""

    space: str
    group: Group


def strays(theatre: Theatre) -> list[Stray]:
    """On land where it may not land, or at sea without a deck; who moved least keeps the deck."""
    found: list[Stray] = []
    for space in sorted(theatre.board.units):
        own = [
            replace(group, count=1)
            for group in sorted(theatre.board.at(space), key=lambda group: group.used)
            if group.owner == theatre.power and kinds()[group.kind].is_air
            for _ in range(group.count)
        ]
        if own:
            found.extend(_strays_at(theatre, space, own))
    return found


def _strays_at(theatre: Theatre, space: str, own: list[Group]) -> list[Stray]:
    if atlas().is_land(space):
        return [Stray(space, one) for one in own if space not in landing_lands(theatre, one.kind)]
    decks = decks_at(theatre.state, theatre.power, space)
    staying = _of_allies(theatre, space)
    found = []
    for one in own:
        if fit(decks, [*staying, one.kind]):
            staying.append(one.kind)
        else:
            found.append(Stray(space, one))
    return found


def _of_allies(theatre: Theatre, zone: str) -> list[str]:
    every = aboard(theatre.board, theatre.power, zone)
    for group in queries.own_units(theatre.board, theatre.power, zone):
        for _ in range(group.count if kinds()[group.kind].is_air else 0):
            every.remove(group.kind)
    return every


def land_strays(course: Course) -> None:
    """19 on 8.7: who has no place goes home, else to the nearest place, else it is lost."""
    theatre = Theatre(course.state, course.active)
    waiting = strays(theatre)
    if not waiting:
        return
    homes = {kind: home(theatre, kind) for kind in (FIGHTER, BOMBER)}
    by_sea_only = [
        stray
        for stray in waiting
        if homes[stray.group.kind].get(stray.space, FAR) > _points(theatre, stray.group)
    ]
    for stray, place in _shared_out(theatre, waiting, by_sea_only):
        _land(course, theatre, stray, place)
    for stray in waiting:
        if stray not in by_sea_only:
            _land(course, theatre, stray, _best_place(course, stray))


def _points(theatre: Theatre, group: Group) -> int:
    """11.7.2: under EMP it does not fly."""
    return 0 if group.has("grounded") or group.has("stunned") else theatre.points(group)


def _shared_out(
    theatre: Theatre, waiting: list[Stray], bound: list[Stray]
) -> list[tuple[Stray, str | None]]:
    """Decks for those that reach no land; as many as possible get one."""
    decks = [deck for zone in _deck_zones(theatre) for deck in _free_decks(theatre, waiting, zone)]
    kept: list[tuple[Stray, Waiting]] = []
    places: list[str] = []
    lost: list[Stray] = []
    for stray in bound:
        reach = zones_in_reach(theatre, stray.space, _points(theatre, stray.group))
        one = stray, (stray.group.kind, reach)
        settled = settle([each for _, each in (*kept, one)], decks)
        if settled is None:
            lost.append(stray)
        else:
            kept, places = [*kept, one], settled
    landed = [(stray, place) for (stray, _), place in zip(kept, places, strict=True)]
    return [*landed, *[(stray, None) for stray in lost]]


def _deck_zones(theatre: Theatre) -> list[str]:
    return [
        zone
        for zone in sorted(theatre.board.units)
        if atlas().is_water(zone) and decks_at(theatre.state, theatre.power, zone)
    ]


def _free_decks(theatre: Theatre, waiting: list[Stray], zone: str) -> list[Deck]:
    """The carriers of a zone with all on board that stay there."""
    staying = aboard(theatre.board, theatre.power, zone)
    for stray in waiting:
        if stray.space == zone:
            staying.remove(stray.group.kind)
    decks = decks_at(theatre.state, theatre.power, zone)
    return with_guests(decks, staying)


def _best_place(course: Course, stray: Stray) -> str | None:
    """The start space first, then the nearest; there is a land in any case."""
    theatre = Theatre(course.state, course.active)
    points, kind = _points(theatre, stray.group), stray.group.kind
    reach = distances(stray.space, points, by_air(theatre, is_combat=False))
    lands = landing_lands(theatre, kind)
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


def _land(course: Course, theatre: Theatre, stray: Stray, place: str | None) -> None:
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
    far = distances(space, _points(theatre, group), by_air(theatre, is_combat=False))
    cost = far.get(place, _points(theatre, group))
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
