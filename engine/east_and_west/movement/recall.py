"""11.4, 13.8: who has moved already has not: units come back from where the combat move led."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from engine.east_and_west import queries
from engine.east_and_west.board import Attack, Board, Departure, Group, Landing, Mark
from engine.east_and_west.data.arsenal import TRANSPORTS, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import change, unmark
from engine.east_and_west.movement.declarations import forget_attack, split_departures
from engine.east_and_west.movement.shipping import with_load

_ON_THE_WAY: tuple[Mark, ...] = ("attacking", "carrying", "raiding", "landed", "dropped", "spent")


class Gone(NamedTuple):
    """Units that left a land in the combat move, and where they are now."""

    departure: Departure
    space: str
    group: Group
    ship: Group | None = None
    """The transport that has them on board, as it stands."""


def call_back(
    course: Course, start: str, fits: Callable[[Group], bool] = lambda group: True
) -> None:
    """Units that left a land in the combat move stand there again; their moves are void."""
    for gone in away(course, start):
        if fits(gone.group):
            fetch(course, gone)
            course.put(start, replace(unmark(gone.group, *_ON_THE_WAY), used=0))


def away(course: Course, start: str) -> list[Gone]:
    """Who left a land in the combat move and is still where it went, or on board of a ship."""
    found: list[Gone] = []
    left = {place: place.group.count for place in _places(course)}
    for departure in course.turn.departures:
        number = departure.count
        for place in sorted(left, key=lambda place: (place.space, place.group, place.loaded)):
            taken = min(number, left[place])
            if taken and place.serves(departure):
                left[place] -= taken
                number -= taken
                if departure.start == start:
                    group = replace(place.group, count=taken)
                    found.append(Gone(departure, place.space, group, place.ship))
    return found


class _Place(NamedTuple):
    """Units of one kind that have moved: in a space, or on board of a ship there."""

    space: str
    group: Group
    ship: Group | None = None

    @property
    def loaded(self) -> tuple[str, ...]:
        return () if self.ship is None else self.ship.loaded

    def serves(self, departure: Departure) -> bool:
        """Whether such units may be those that left."""
        if self.group.kind != departure.kind:
            return False
        if self.ship is not None:
            return is_embarkation(departure) and departure.start in self.loaded
        return self.space == departure.target


def is_embarkation(departure: Departure) -> bool:
    """8.10: troops that went on board of a ship, wherever it is now."""
    return atlas().is_water(departure.target) and kinds()[departure.kind].is_ground


def _places(course: Course) -> Iterator[_Place]:
    for space in {departure.target for departure in course.turn.departures}:
        for group in queries.own_units(course.board, course.active, space):
            if group.used > 0 or any(group.has(sign) for sign in _ON_THE_WAY):
                yield _Place(space, group)
    for zone, groups in course.board.units.items():
        for ship in groups:
            for load in ship.cargo if ship.kind in TRANSPORTS and ship.loaded else ():
                if load.owner == course.active:
                    troops = Group(load.owner, load.kind, load.count * ship.count)
                    yield _Place(zone, troops, ship)


def fetch(course: Course, gone: Gone) -> None:
    """Take units away from where they are; what only they have taken or begun is void."""
    if gone.ship is not None:
        _take_from_ships(course, gone, gone.ship)
    else:
        like = replace(gone.group, count=1)
        standing = next(g for g in course.board.at(gone.space) if replace(g, count=1) == like)
        course.take(gone.space, standing, gone.group.count)
    _forget(course, gone.departure, gone.group)
    for land in (gone.space, *gone.departure.over):
        _give_up(course, land)


def _take_from_ships(course: Course, gone: Gone, ship: Group) -> None:
    """One by one, from ships that are laden alike as long as there are any."""
    for _ in range(gone.group.count):
        laden = next(one for one in _alike(course.board, gone, ship))
        cargo = with_load(laden.cargo, gone.group.owner, gone.group.kind, -1)
        course.take(gone.space, laden, 1)
        course.put(gone.space, replace(laden, count=1, cargo=cargo))
    _cut_landings(course, gone.space)


def _cut_landings(course: Course, zone: str) -> None:
    """8.11: who is not on board any more does not wait for a landing."""
    cut = [_cut(course.board, one) if one.zone == zone else one for one in course.turn.landings]
    course.update_turn(landings=tuple(one for one in cut if one.loads))


def _cut(board: Board, landing: Landing) -> Landing:
    waiting: Counter[tuple[str, str]] = Counter()
    for ship in board.at(landing.zone):
        for load in ship.cargo if landing.land in ship.shore else ():
            waiting[load.owner, load.kind] += load.count * ship.count
    loads = [
        replace(load, count=min(load.count, waiting[load.owner, load.kind]))
        for load in landing.loads
    ]
    return replace(landing, loads=tuple(load for load in loads if load.count))


def _alike(board: Board, gone: Gone, ship: Group) -> Iterator[Group]:
    for other in board.at(gone.space):
        is_laden = any(
            (load.owner, load.kind) == (gone.group.owner, gone.group.kind) for load in other.cargo
        )
        if is_laden and (other.owner, other.kind, other.loaded) == (
            ship.owner,
            ship.kind,
            ship.loaded,
        ):
            yield other


def _forget(course: Course, departure: Departure, group: Group) -> None:
    """So many have not left; what was declared or used up for them alone is not."""
    number = group.count
    kept, _, _ = split_departures(
        course.turn.departures,
        number,
        lambda one: replace(one, count=departure.count) == departure,
    )
    course.update_turn(departures=tuple(kept))
    target, zone = departure.target, departure.zone
    if kinds()[departure.kind].is_air:
        _cancel_flight(course, departure, group)
    elif zone and not any((one.target, one.zone) == (target, zone) for one in kept):
        _change_attack(course, target, lambda attack: _without_landing(attack, zone))
        course.set_units(
            change(course.board.units, zone, lambda ship: _laden(course, ship, target))
        )
    elif not any((one.target, _entry(one)) == (target, _entry(departure)) for one in kept):
        _change_attack(course, target, lambda attack: _without_entry(attack, _entry(departure)))


def _cancel_flight(course: Course, departure: Departure, group: Group) -> None:
    """7.4: guns do not fire at aircraft that have not come their way."""
    role = next((sign for sign in ("carrying", "raiding") if group.has(sign)), "fighting")
    left, flights = group.count, []
    for flight in course.turn.flights:
        is_it = (flight.kind, flight.start, flight.target, flight.role) == (
            departure.kind,
            departure.start,
            departure.target,
            role,
        )
        some = min(left, flight.count) if is_it else 0
        left -= some
        flights.append(replace(flight, count=flight.count - some))
    course.update_turn(flights=tuple(flights))


def _entry(departure: Departure) -> str:
    """7.9: the last space before the battle."""
    return departure.over[-1] if departure.over else departure.start


def _change_attack(course: Course, space: str, changed: Callable[[Attack], Attack]) -> None:
    attacks = course.turn.attacks
    course.update_turn(
        attacks=tuple(changed(attack) if attack.space == space else attack for attack in attacks)
    )


def _without_landing(attack: Attack, zone: str) -> Attack:
    """7.6: a zone from which nobody has landed supports no landing."""
    return replace(attack, landings=tuple(other for other in attack.landings if other != zone))


def _without_entry(attack: Attack, entry: str) -> Attack:
    return replace(attack, entries=tuple(other for other in attack.entries if other != entry))


def _laden(course: Course, ship: Group, land: str) -> Group:
    """8.10: a transport that has put nobody ashore is free, unless it has sailed."""
    if ship.kind not in TRANSPORTS or land not in ship.shore:
        return ship
    back = replace(ship, shore=tuple(other for other in ship.shore if other != land))
    return back if ship.used else unmark(back, "spent")


def _give_up(course: Course, land: str) -> None:
    """A land that nobody has taken but those who were called back is as it was."""
    turn, power = course.turn, course.active
    own = [kinds()[group.kind] for group in queries.own_units(course.board, power, land)]
    held = any(kind.is_ground and kind.fights for kind in own)
    crossed = any(land in one.over for one in turn.departures)
    if land not in turn.captured or held or crossed:
        return
    before = turn.owners[land]
    course.update_turn(captured=tuple(other for other in turn.captured if other != land))
    forget_attack(course, land)
    taken = course.board.owners[land]
    course.set_owner(land, before)
    course.set_units(
        change(
            course.board.units,
            land,
            lambda group: replace(group, owner=before) if group.owner == taken else group,
        )
    )
