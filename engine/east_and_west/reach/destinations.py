"""8.2-8.7: where units can go, by which way, and why not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from engine.core import IllegalAction, Name
from engine.east_and_west import queries
from engine.east_and_west.board import Board, Group
from engine.east_and_west.data.arsenal import AA_GUN, BOMBS, SUBMARINE, TRANSPORTS, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWER_NAMES
from engine.east_and_west.reach.context import MoveContext
from engine.east_and_west.reach.decks import has_room
from engine.east_and_west.reach.landing import Flyer, landing_lands
from engine.east_and_west.reach.obstacles import obstacle
from engine.east_and_west.reach.routes import Way, ways

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


# --- where it may lead ----------------------------------------------------------------------------


def targets(context: MoveContext, start: str, group: Group) -> Iterator[tuple[str, int]]:
    """Spaces to which a unit of a group can be moved from where it stands, and how far."""
    kind = kinds()[group.kind]
    if kind.is_air:
        yield from _air_targets(context, start, group)
        return
    if context.is_combat and group.kind in PASSIVE:
        return
    is_target = _is_sea_target if kind.is_ship else _is_land_target
    for space, far in context.reach(start, group).items():
        if space != start and is_target(context, group, space):
            yield space, far


def _is_land_target(context: MoveContext, group: Group, land: str) -> bool:
    """8.2, 8.6"""
    if context.is_combat:
        return _is_taken_by(context, land) and context.is_free_of_bombs(land)
    return land in context.open_lands


def _is_taken_by(context: MoveContext, land: str) -> bool:
    return land in context.assailable or land == context.followed


def _is_sea_target(context: MoveContext, group: Group, zone: str) -> bool:
    """8.2, 8.6, 8.11, 11.3: into a battle, along with an assault; or anywhere without a battle."""
    if not context.is_free_of_bombs(zone):
        return False
    if not context.is_combat:
        return True
    if zone in context.hostile:
        return may_attack_at_sea(group)
    return serves_assault(context, group, zone)


def may_attack_at_sea(group: Group) -> bool:
    """6.9: a damaged battleship does not attack."""
    return not group.has("damaged")


def serves_assault(context: MoveContext, group: Group, zone: str) -> bool:
    """8.2, 8.11: a loaded transport before a hostile coast, or an escort of one that is there."""
    if any(zone in attack.landings for attack in context.board.turn.attacks):
        return True
    if not any(land in context.assailable for land in atlas().coasts(zone)):
        return False
    return any(_has_troops(context, ship) for ship in (group, *context.board.at(zone)))


def _has_troops(context: MoveContext, ship: Group) -> bool:
    """Own ground units on board that can attack."""
    return ship.kind in TRANSPORTS and any(
        load.owner == context.power and load.kind not in PASSIVE for load in ship.cargo
    )


def is_air_target(context: MoveContext, group: Group, space: str, number: int = 1) -> bool:
    """7.2, 5.9, 8.7: a battle in which aircraft can hit something, or a place to land."""
    if not context.is_combat:
        if atlas().is_land(space):
            return space in landing_lands(context, group.kind)
        return has_room(context.state, context.power, space, group.kind, number)
    if not context.is_free_of_bombs(space):
        return False
    if atlas().is_land(space):
        return space in context.assailable and bool(
            queries.defenders(context.board, context.power, space)
        )
    return any(
        not (foe.kind == SUBMARINE and queries.knows(context.board, foe.owner, "submarine", 1))
        for foe in context.enemy_fleets.get(space, ())
    )


def _air_targets(context: MoveContext, start: str, group: Group) -> Iterator[tuple[str, int]]:
    points = context.points(group)
    free = context.board.variant.carrier_zone_free and not context.is_combat
    for space, far in context.reach(start, group, int(free)).items():
        if space == start or (far > points and atlas().is_land(space)):
            continue
        if is_air_target(context, group, space) and (
            not context.is_combat or could_land(context, start, group, space, far)
        ):
            yield space, far


def could_land(
    context: MoveContext, start: str, group: Group, space: str, far: int, number: int = 1
) -> bool:
    """8.7; an aircraft of a carrier is one that has to land somewhere already."""
    points = context.points(group)
    before = Flyer(start, group.kind, points, number) if atlas().is_water(start) else None
    return context.promise.holds_with(Flyer(space, group.kind, points - far, number), before)


# --- the way --------------------------------------------------------------------------------------


def find_way(
    context: MoveContext,
    start: str,
    target: str,
    group: Group,
    number: int = 1,
    via: tuple[str, ...] = (),
) -> Way | None:
    """The way some units of a group take: the shortest; aircraft keep off guns if they can."""
    kind = kinds()[group.kind]
    if kind.is_air:
        return _flight(context, start, target, group, number, via)
    found = ways(start, target, context.points(group), context.terms(group), via)
    if kind.is_ship:
        possible = found if _is_sea_target(context, group, target) else []
    elif _is_land_target(context, group, target):
        possible = found
    else:
        possible = _raids_on_the_way(context, target, found) if via else []
    return min(possible, key=lambda one: (len(one[1]), one[0]), default=(0, None))[1]


def _raids_on_the_way(
    context: MoveContext, target: str, found: list[tuple[int, Way]]
) -> list[tuple[int, Way]]:
    """8.2, 8.4: a blitz may end in a friendly land if it has taken another on its way."""
    if not context.is_combat or target not in context.open_lands:
        return []
    return [(taken, way) for taken, way in found if taken]


def _flight(
    context: MoveContext, start: str, target: str, group: Group, number: int, via: tuple[str, ...]
) -> Way | None:
    """7.4, 8.7"""
    if not is_air_target(context, group, target, number):
        return None
    points = context.points(group) + free_step(context, target)
    found = sorted(
        ways(start, target, points, context.terms(group), via),
        key=lambda one: (one[0], len(one[1])),
    )
    for _, way in found:
        if not context.is_combat or could_land(context, start, group, target, len(way), number):
            return way
    return None


def free_step(context: MoveContext, target: str) -> int:
    """8.7: option: the zone of the carrier one lands on costs nothing."""
    is_free = context.board.variant.carrier_zone_free and not context.is_combat
    return int(is_free and atlas().is_water(target))


def reason(
    context: MoveContext, start: str, target: str, group: Group, via: tuple[str, ...]
) -> IllegalAction:
    """Why no way was found."""
    kind = kinds()[group.kind]
    if refusal := _bad_target(context, group, target):
        return refusal
    points = context.points(group)
    is_near = bool(ways(start, target, points, context.terms(group), via))
    if is_near and kind.is_air:
        return IllegalAction(
            "{kind}: no place to land would be in reach after {space}",
            kind=kind.names,
            space=name(target),
        )
    return why_no_way(context, start, target, group, via)


def why_no_way(
    context: MoveContext, start: str, target: str, group: Group, via: tuple[str, ...] = ()
) -> IllegalAction:
    """Something lies in the way, or it is too far."""
    found = obstacle(context, start, target, group, context.terms(group), via)
    return found or _too_far(group.kind, start, target, context.points(group))


def _too_far(kind: str, start: str, target: str, points: int) -> IllegalAction:
    places = {"kind": kinds()[kind].names, "start": name(start), "target": name(target)}
    return IllegalAction(
        "{kind}: no way from {start} to {target}"
        " with {points:one movement point|# movement points}",
        **places,
        points=points,
    )


def _bad_target(context: MoveContext, group: Group, target: str) -> IllegalAction | None:
    """What is wrong with a target however near it is."""
    kind = kinds()[group.kind]
    space, is_land = name(target), atlas().is_land(target)
    if not kind.is_air and is_land == kind.is_ship:
        return IllegalAction(
            "{kind} cannot go to {space}; troops go on board with load and ashore with land",
            kind=kind.names,
            space=space,
        )
    if (context.is_combat or kind.is_ship) and not context.is_free_of_bombs(target):
        return IllegalAction("{space} is the target of a bomb in this turn", space=space)
    if is_land:
        return _bad_land(context, group, target)
    if kind.is_air and not is_air_target(context, group, target):
        if context.is_combat:
            return IllegalAction("nothing in {space} can be attacked by aircraft", space=space)
        return IllegalAction(
            "no carrier in {space} has room for {kind}", space=space, kind=kind.names
        )
    if context.is_combat and target in context.hostile and not may_attack_at_sea(group):
        return IllegalAction("a damaged battleship may not attack")
    if context.is_combat and not kind.is_air and not _is_sea_target(context, group, target):
        return IllegalAction(
            "{space}: no battle and no landing there; other ships move in the non-combat move",
            space=space,
        )
    return None


def _bad_land(context: MoveContext, group: Group, land: str) -> IllegalAction | None:
    kind, space = kinds()[group.kind], name(land)
    if not context.is_combat:
        if land not in context.open_lands:
            return IllegalAction("{space} is not friendly", space=space)
        if kind.is_air and land not in landing_lands(context, group.kind):
            return IllegalAction(
                "{kind} cannot land in {space}, which was captured in this turn",
                kind=kind.names,
                space=space,
            )
        return None
    if _is_taken_by(context, land):
        if kind.is_air and not is_air_target(context, group, land):
            return IllegalAction("{space} has no units that aircraft could fight", space=space)
        return None
    if queries.is_neutral(context.board, land):
        if land in context.open_lands and queries.may_attack(context.board, context.power, land):
            return IllegalAction(
                "{space} lets you pass; to attack it, first order: attack {word}",
                space=space,
                word=land,
            )
        return IllegalAction("{power} may not attack {space}", power=_us(context), space=space)
    if land in context.board.turn.captured:
        return IllegalAction(
            "{space} is taken already; others follow in the non-combat move", space=space
        )
    if land in context.open_lands:
        return IllegalAction("{space} is friendly; move there in the non-combat move", space=space)
    return None


def _us(context: MoveContext) -> Name:
    return POWER_NAMES[context.power]
