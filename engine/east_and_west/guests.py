"""6.10: aircraft that go along with a carrier."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from engine.east_and_west.aircraft import aboard, decks_at, fit
from engine.east_and_west.arsenal import CARRIERS, kinds
from engine.east_and_west.board import Group, Load
from engine.east_and_west.course import Course
from engine.east_and_west.forces import mark
from engine.east_and_west.powers import are_friends


def bring_along(course: Course, start: str, target: str, wanted: Mapping[str, int]) -> None:
    """After carriers have moved: who would have no deck left, and who was named, goes with them.

    In the combat move own aircraft stay in the air, and those of allies ride as cargo.
    """
    while (guest := _homeless_guest(course, start)) and _ride(course, start, target, guest):
        pass
    if course.turn.stop == "operations":
        return
    for kind, number in wanted.items():
        for _ in range(number):
            if one := _own(course, start, kind):
                _ride(course, start, target, one)
    while _is_crowded(course, start) and (one := _own(course, start)):
        if not _ride(course, start, target, one):
            return


def _guests(course: Course, zone: str) -> list[Group]:
    return [
        group
        for group in course.board.at(zone)
        if kinds()[group.kind].is_air
        and group.owner != course.active
        and are_friends(group.owner, course.active)
    ]


def _homeless_guest(course: Course, start: str) -> Group | None:
    """An aircraft of an ally that no deck in the zone has room for; they come before own ones."""
    guests = _guests(course, start)
    staying = [group.kind for group in guests for _ in range(group.count)]
    if not guests or fit(decks_at(course.state, course.active, start), staying):
        return None
    return guests[0]


def _is_crowded(course: Course, start: str) -> bool:
    staying = aboard(course.board, course.active, start)
    return not fit(decks_at(course.state, course.active, start), staying)


def _own(course: Course, start: str, kind: str | None = None) -> Group | None:
    """An own aircraft that has not flown in this turn."""
    return next(
        (
            group
            for group in course.board.at(start)
            if group.owner == course.active
            and kinds()[group.kind].is_air
            and not group.used
            and kind in (None, group.kind)
        ),
        None,
    )


def _ride(course: Course, start: str, target: str, riding: Group) -> bool:
    """One aircraft on board of a carrier that has moved; False: there is no room."""
    if course.turn.stop == "operations":
        return _ride_as_cargo(course, start, target, riding)
    decks = decks_at(course.state, course.active, target)
    if not fit(decks, [*aboard(course.board, course.active, target), riding.kind]):
        return False
    course.take(start, riding, 1)
    one = replace(riding, count=1)
    course.put(target, mark(one, "spent") if one.owner == course.active else one)
    return True


def _ride_as_cargo(course: Course, start: str, target: str, riding: Group) -> bool:
    decks = decks_at(course.state, course.active, target)
    for carrier in course.board.at(target):
        if carrier.kind not in CARRIERS or carrier.owner != course.active or not carrier.used:
            continue
        cargo = _with_one(carrier.cargo, riding)
        on_board = [load.kind for load in cargo for _ in range(load.count)]
        if fit([deck for deck in decks if deck.kind == carrier.kind][:1], on_board):
            course.take(start, riding, 1)
            course.take(target, carrier, 1)
            course.put(target, replace(carrier, count=1, cargo=cargo))
            return True
    return False


def _with_one(cargo: tuple[Load, ...], riding: Group) -> tuple[Load, ...]:
    """A cargo with one more aircraft."""
    counts = {(load.owner, load.kind): load.count for load in cargo}
    key = riding.owner, riding.kind
    counts[key] = counts.get(key, 0) + 1
    return tuple(sorted(Load(owner, kind, number) for (owner, kind), number in counts.items()))


def go_back_on_deck(course: Course) -> None:
    """Aircraft that rode with a carrier into a battle stand on its deck again."""
    for zone, groups in course.board.units.items():
        for carrier in groups:
            if carrier.kind in CARRIERS and carrier.cargo:
                course.take(zone, carrier)
                course.put(zone, replace(carrier, cargo=()))
                for load in carrier.cargo:
                    course.put(zone, Group(load.owner, load.kind, load.count * carrier.count))
