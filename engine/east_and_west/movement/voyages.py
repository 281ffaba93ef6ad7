"""8.2: ships that sail in the combat move for an assault, and what becomes of them without one."""

from __future__ import annotations

from msgspec.structs import replace

from engine.east_and_west.board import Board, Group
from engine.east_and_west.data.arsenal import TRANSPORTS
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWER_NAMES
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import change
from engine.east_and_west.reach.routes import Way
from engine.east_and_west.report import listed, space_name


def under_way(ship: Group, start: str, way: Way) -> Group:
    """A ship that remembers which zones it has left."""
    return replace(ship, sailed=(*ship.sailed, start, *way[:-1]))


def arrived(ship: Group) -> Group:
    """A ship whose voyage is over."""
    return replace(ship, sailed=()) if ship.sailed else ship


def call_off(course: Course) -> None:
    """8.2: where nobody goes ashore, those who came for it have not sailed; they move later."""
    before = course.board
    for zone in sorted(before.units):
        if _is_assault(before, zone):
            course.set_units(change(course.board.units, zone, arrived))
        elif idle := [ship for ship in before.at(zone) if ship.sailed]:
            _go_back(course, zone, idle)


def _is_assault(board: Board, zone: str) -> bool:
    """Whether somebody goes ashore from a zone, into a battle or onto an empty coast."""
    return any(zone in attack.landings for attack in board.turn.attacks) or any(
        ship.shore for ship in board.at(zone) if ship.kind in TRANSPORTS
    )


def _go_back(course: Course, zone: str, idle: list[Group]) -> None:
    gone: dict[str, list[Group]] = {}
    for ship in idle:
        harbour, points = _harbour(ship, zone)
        course.take(zone, ship)
        course.put(harbour, replace(ship, used=points, sailed=ship.sailed[:points]))
        gone.setdefault(harbour, []).append(ship)
    for harbour, ships in gone.items():
        if harbour != zone:
            course.tell(
                "{power}: nobody goes ashore from {target}; still in {zone}: {units}",
                power=POWER_NAMES[course.active],
                units=listed(ships),
                zone=space_name(harbour),
                target=space_name(zone),
            )


def _harbour(ship: Group, zone: str) -> tuple[str, int]:
    """8.10: where a ship began, or where it took the last troops on board; and how far that is."""
    trail = (*ship.sailed, zone)
    points = max(
        (
            next(at for at, passed in enumerate(trail) if land in atlas().coasts(passed))
            for land in ship.loaded
        ),
        default=0,
    )
    return trail[points], points
