"""8.2-8.7: which units can still move, where to, by which way, and why not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from engine.core import IllegalAction, Name
from engine.east_and_west import world
from engine.east_and_west.aircraft import Front, Sortie, has_room, landing_lands
from engine.east_and_west.arsenal import AA_GUN, BOMBER, BOMBS, SUBMARINE, TRANSPORTS, kinds
from engine.east_and_west.atlas import atlas
from engine.east_and_west.board import Board, Group, Mark
from engine.east_and_west.obstacles import obstacle
from engine.east_and_west.powers import POWER_NAMES
from engine.east_and_west.routes import (
    Terms,
    Way,
    by_air,
    by_land,
    by_sea,
    distances,
    targets_at_sea,
    ways,
)

HELD: tuple[Mark, ...] = ("spent", "grounded", "stunned")
"""Marks of units that do not move at all."""
ENGAGED: tuple[Mark, ...] = (*HELD, "attacking", "raiding", "carrying")
"""The same in the combat move."""
PASSIVE = (AA_GUN, *BOMBS)
"""6.5, 11.2: what moves in the non-combat move only."""


class Part(NamedTuple):
    """Some of the units of a move, and the way they take."""

    group: Group
    number: int
    way: Way


def name(space: str) -> Name:
    return atlas().spaces[space].names


def standing(board: Board, space: str, like: Group) -> Group:
    """The group as it stands, of which only some may be free to go."""
    alike = replace(like, count=1)
    return next(group for group in board.at(space) if replace(group, count=1) == alike)


# --- who can move ---------------------------------------------------------------------------------


def movable(theatre: Front, space: str) -> Iterator[Group]:
    """Own groups of a space that may still move, with as many units as may."""
    held = ENGAGED if theatre.is_combat else HELD
    promised = _promised(theatre, space)
    for group in theatre.board.at(space):
        if group.owner != theatre.power or any(group.has(mark) for mark in held):
            continue
        if group.kind in promised and not group.used:
            group = replace(group, count=max(0, group.count - promised[group.kind]))
        if group.count and theatre.points(group):
            yield group


def _promised(theatre: Front, space: str) -> dict[str, int]:
    """11.3: bombers that are going to fly atomic attacks."""
    if not theatre.is_combat:
        return {}
    strikes = [s for s in theatre.board.turn.strikes if s.start == space and s.by == "bomber"]
    return {BOMBER: len(strikes)} if strikes else {}


def terms(theatre: Front, group: Group) -> Terms:
    kind = kinds()[group.kind]
    if kind.is_air:
        return by_air(theatre, theatre.is_combat)
    return by_sea(theatre, group) if kind.is_ship else by_land(theatre, group)


# --- where it may lead ----------------------------------------------------------------------------


def targets(theatre: Front, start: str, group: Group) -> Iterator[tuple[str, int]]:
    """Spaces to which a unit of a group can be moved from where it stands, and how far."""
    kind = kinds()[group.kind]
    if kind.is_air:
        yield from _air_targets(theatre, start, group)
        return
    if theatre.is_combat and group.kind in PASSIVE:
        return
    is_target = _is_sea_target if kind.is_ship else _is_land_target
    reach = distances(start, theatre.points(group), terms(theatre, group))
    for space, far in reach.items():
        if space != start and is_target(theatre, group, space):
            yield space, far


def _is_land_target(theatre: Front, group: Group, land: str) -> bool:
    """8.2, 8.6"""
    if theatre.is_combat:
        return land in theatre.assailable and theatre.is_free_of_bombs(land)
    return land in theatre.open_lands


def _is_sea_target(theatre: Front, group: Group, zone: str) -> bool:
    """8.2, 8.6, 8.11, 11.3: into a battle, along with an assault; or anywhere without a battle."""
    if not theatre.is_free_of_bombs(zone):
        return False
    if not theatre.is_combat:
        return True
    if zone in theatre.hostile:
        return may_attack_at_sea(group)
    return serves_assault(theatre, group, zone)


def may_attack_at_sea(group: Group) -> bool:
    """6.9: a damaged battleship does not attack."""
    return not group.has("damaged")


def serves_assault(theatre: Front, group: Group, zone: str) -> bool:
    """8.2, 8.11: a loaded transport before a hostile coast, or an escort of one that is there."""
    if any(zone in attack.landings for attack in theatre.board.turn.attacks):
        return True
    if not any(land in theatre.assailable for land in atlas().coasts(zone)):
        return False
    return any(_has_troops(theatre, ship) for ship in (group, *theatre.board.at(zone)))


def _has_troops(theatre: Front, ship: Group) -> bool:
    """Own ground units on board that can attack."""
    return ship.kind in TRANSPORTS and any(
        load.owner == theatre.power and load.kind not in PASSIVE for load in ship.cargo
    )


def is_air_target(theatre: Front, group: Group, space: str, number: int = 1) -> bool:
    """7.2, 5.9, 8.7: a battle in which aircraft can hit something, or a place to land."""
    if not theatre.is_combat:
        if atlas().is_land(space):
            return space in landing_lands(theatre, group.kind)
        return has_room(theatre.state, theatre.power, space, group.kind, number)
    if not theatre.is_free_of_bombs(space):
        return False
    if atlas().is_land(space):
        return space in theatre.assailable and bool(
            world.defenders(theatre.board, theatre.power, space)
        )
    return space in theatre.hostile and any(
        not (foe.kind == SUBMARINE and world.knows(theatre.board, foe.owner, "submarine", 1))
        for foe in targets_at_sea(theatre.board, theatre.power, space)
    )


def _air_targets(theatre: Front, start: str, group: Group) -> Iterator[tuple[str, int]]:
    points = theatre.points(group)
    free = theatre.board.variant.carrier_zone_free and not theatre.is_combat
    reach = distances(start, points + free, terms(theatre, group))
    for space, far in reach.items():
        if space == start or (far > points and atlas().is_land(space)):
            continue
        if is_air_target(theatre, group, space) and (
            not theatre.is_combat or could_land(theatre, start, group, space, far)
        ):
            yield space, far


def could_land(
    theatre: Front, start: str, group: Group, space: str, far: int, number: int = 1
) -> bool:
    """8.7; an aircraft of a carrier is one that has to land somewhere already."""
    points = theatre.points(group)
    before = Sortie(start, group.kind, points, number) if atlas().is_water(start) else None
    return theatre.promise.holds_with(Sortie(space, group.kind, points - far, number), before)


# --- the way --------------------------------------------------------------------------------------


def find_way(
    theatre: Front,
    start: str,
    target: str,
    group: Group,
    number: int = 1,
    via: tuple[str, ...] = (),
) -> Way | None:
    """The way some units of a group take: the shortest; aircraft keep off guns if they can."""
    kind = kinds()[group.kind]
    if kind.is_air:
        return _flight(theatre, start, target, group, number, via)
    found = ways(start, target, theatre.points(group), terms(theatre, group), via)
    if kind.is_ship:
        possible = found if _is_sea_target(theatre, group, target) else []
    elif _is_land_target(theatre, group, target):
        possible = found
    else:
        possible = _raids_on_the_way(theatre, target, found) if via else []
    return min(possible, key=lambda one: (len(one[1]), one[0]), default=(0, None))[1]


def _raids_on_the_way(
    theatre: Front, target: str, found: list[tuple[int, Way]]
) -> list[tuple[int, Way]]:
    """8.2, 8.4: a blitz may end in a friendly land if it has taken another on its way."""
    if not theatre.is_combat or target not in theatre.open_lands:
        return []
    return [(taken, way) for taken, way in found if taken]


def _flight(
    theatre: Front, start: str, target: str, group: Group, number: int, via: tuple[str, ...]
) -> Way | None:
    """7.4, 8.7"""
    if not is_air_target(theatre, group, target, number):
        return None
    points = theatre.points(group) + free_step(theatre, target)
    found = sorted(
        ways(start, target, points, terms(theatre, group), via),
        key=lambda one: (one[0], len(one[1])),
    )
    for _, way in found:
        if not theatre.is_combat or could_land(theatre, start, group, target, len(way), number):
            return way
    return None


def free_step(theatre: Front, target: str) -> int:
    """8.7: option: the zone of the carrier one lands on costs nothing."""
    is_free = theatre.board.variant.carrier_zone_free and not theatre.is_combat
    return int(is_free and atlas().is_water(target))


def reason(
    theatre: Front, start: str, target: str, group: Group, via: tuple[str, ...]
) -> IllegalAction:
    """Why no way was found."""
    kind = kinds()[group.kind]
    if refusal := _bad_target(theatre, group, target):
        return refusal
    points = theatre.points(group)
    is_near = bool(ways(start, target, points, terms(theatre, group), via))
    if is_near and kind.is_air:
        return IllegalAction(
            "{kind}: no place to land would be in reach after {space}",
            kind=kind.names,
            space=name(target),
        )
    return why_no_way(theatre, start, target, group, via)


def why_no_way(
    theatre: Front, start: str, target: str, group: Group, via: tuple[str, ...] = ()
) -> IllegalAction:
    """Something lies in the way, or it is too far."""
    found = obstacle(theatre, start, target, group, terms(theatre, group), via)
    return found or _too_far(group.kind, start, target, theatre.points(group))


def _too_far(kind: str, start: str, target: str, points: int) -> IllegalAction:
    places = {"kind": kinds()[kind].names, "start": name(start), "target": name(target)}
    return IllegalAction(
        "{kind}: no way from {start} to {target}"
        " with {points:one movement point|# movement points}",
        **places,
        points=points,
    )


def _bad_target(theatre: Front, group: Group, target: str) -> IllegalAction | None:
    """What is wrong with a target however near it is."""
    kind = kinds()[group.kind]
    space, is_land = name(target), atlas().is_land(target)
    if not kind.is_air and is_land == kind.is_ship:
        return IllegalAction(
            "{kind} cannot go to {space}; troops go on board with load and ashore with land",
            kind=kind.names,
            space=space,
        )
    if (theatre.is_combat or kind.is_ship) and not theatre.is_free_of_bombs(target):
        return IllegalAction("{space} is the target of a bomb in this turn", space=space)
    if is_land:
        return _bad_land(theatre, group, target)
    if kind.is_air and not is_air_target(theatre, group, target):
        if theatre.is_combat:
            return IllegalAction("nothing in {space} can be attacked by aircraft", space=space)
        return IllegalAction(
            "no carrier in {space} has room for {kind}", space=space, kind=kind.names
        )
    if theatre.is_combat and target in theatre.hostile and not may_attack_at_sea(group):
        return IllegalAction("a damaged battleship may not attack")
    if theatre.is_combat and not kind.is_air and not _is_sea_target(theatre, group, target):
        return IllegalAction(
            "{space}: no battle and no landing there; other ships move in the non-combat move",
            space=space,
        )
    return None


def _bad_land(theatre: Front, group: Group, land: str) -> IllegalAction | None:
    kind, space = kinds()[group.kind], name(land)
    if not theatre.is_combat:
        if land not in theatre.open_lands:
            return IllegalAction("{space} is not friendly", space=space)
        if kind.is_air and land not in landing_lands(theatre, group.kind):
            return IllegalAction(
                "{kind} cannot land in {space}, which was captured in this turn",
                kind=kind.names,
                space=space,
            )
        return None
    if land in theatre.assailable:
        if kind.is_air and not is_air_target(theatre, group, land):
            return IllegalAction("{space} has no units that aircraft could fight", space=space)
        return None
    if world.is_neutral(theatre.board, land):
        if land in theatre.open_lands and world.may_attack(theatre.board, theatre.power, land):
            return IllegalAction(
                "{space} lets you pass; to attack it, first order: attack {word}",
                space=space,
                word=land,
            )
        return IllegalAction("{power} may not attack {space}", power=_us(theatre), space=space)
    if land in theatre.open_lands:
        return IllegalAction("{space} is friendly; move there in the non-combat move", space=space)
    return None


def _us(theatre: Front) -> Name:
    return POWER_NAMES[theatre.power]
