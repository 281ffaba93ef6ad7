"""6.10: aircraft that go along with a carrier."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from engine.east_and_west.board import Group, Load
from engine.east_and_west.data.arsenal import BOMBER, CARRIERS, NUCLEAR_CARRIER, kinds
from engine.east_and_west.data.powers import are_friends
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import count, mark
from engine.east_and_west.movement.havens import fits
from engine.east_and_west.reach.decks import aboard, decks_at, fit


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


def _carriers(course: Course, zone: str) -> list[Group]:
    """Of the own side, whomever their owners would take on board: nobody on deck is turned out."""
    return [
        group
        for group in course.board.at(zone)
        if group.kind in CARRIERS and are_friends(group.owner, course.active)
    ]


def _homeless_guest(course: Course, zone: str) -> Group | None:
    """An aircraft of an ally that no carrier outside of a battle has room for."""
    guests = _guests(course, zone)
    decks = [carrier for carrier in _carriers(course, zone) if not carrier.has("attacking")]
    if fits([*decks, *guests]):
        return None
    hosts = {deck.owner for deck in decks}
    lacks_hangar = count(guests, BOMBER) > count(decks, NUCLEAR_CARRIER)
    return min(
        guests,
        key=lambda group: (
            (group.kind == BOMBER) != lacks_hangar,
            group.owner in hosts,
            group,
        ),
    )


def go_below(course: Course, zone: str) -> None:
    """6.10: where carriers lie that attack, aircraft of allies on them share their fate."""
    while (guest := _homeless_guest(course, zone)) and _ride_as_cargo(course, zone, zone, guest):
        pass


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
    """One aircraft on board of a carrier that has moved; False: there is no room.

    Own aircraft that are still in the air take no room from an ally's.
    """
    if course.turn.stop == "operations":
        return _ride_as_cargo(course, start, target, riding)
    one = replace(riding, count=1)
    if riding.owner == course.active:
        decks = decks_at(course.state, course.active, target)
        has_room = fit(decks, [*aboard(course.board, course.active, target), riding.kind])
    else:
        has_room = fits([*_carriers(course, target), *_guests(course, target), one])
    if not has_room:
        return False
    course.take(start, riding, 1)
    course.put(target, mark(one, "spent") if one.owner == course.active else one)
    return True


def _ride_as_cargo(course: Course, start: str, target: str, riding: Group) -> bool:
    decks = decks_at(course.state, course.active, target)
    for carrier in course.board.at(target):
        is_ours = carrier.kind in CARRIERS and carrier.owner == course.active
        if not is_ours or not (carrier.used or carrier.has("attacking")):
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
