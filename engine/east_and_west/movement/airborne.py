"""7.14, 11.2, 12: bombers on raids, and aircraft that carry infantry or bombs."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from engine.core import IllegalAction
from engine.east_and_west import queries
from engine.east_and_west.board import Group, Mark
from engine.east_and_west.data.arsenal import BOMBER, BOMBS, FIGHTER, INFANTRY, counted, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWER_NAMES
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import count, mark
from engine.east_and_west.movement.declarations import (
    Role,
    enter_battle,
    note_departure,
    note_flight,
    require_landing_places,
)
from engine.east_and_west.reach.context import MoveContext, move_context
from engine.east_and_west.reach.destinations import (
    Part,
    could_land,
    name,
    standing,
    why_no_way,
)
from engine.east_and_west.reach.landing import landing_lands
from engine.east_and_west.reach.routes import Way, ways

# --- ways for aircraft that do not simply fight ---------------------------------------------------


def flight_to(
    context: MoveContext, start: str, target: str, group: Group, number: int
) -> Way | None:
    """7.4, 8.7: the way with fewest guns from which all could still land."""
    found = ways(start, target, context.points(group), context.terms(group))
    for _, way in sorted(found, key=lambda one: (one[0], len(one[1]))):
        if could_land(context, start, group, target, len(way), number):
            return way
    return None


def unflown(context: MoveContext, start: str, kind: str) -> Group | None:
    """Aircraft of a kind that have not moved yet."""
    return next((g for g in context.movable(start) if g.kind == kind and not g.used), None)


def _in_reach(context: MoveContext, start: str, group: Group) -> Iterator[tuple[str, int]]:
    """Spaces and how far they are."""
    for space, far in context.reach(start, group).items():
        if space != start:
            yield space, far


def _require_aircraft(context: MoveContext, start: str, kind: str, number: int) -> Group:
    group = unflown(context, start, kind)
    able = group.count if group else 0
    if group is None or not 1 <= number <= able:
        raise IllegalAction(
            "{space}, {kind}: ready to take off {able}, not {number}",
            space=name(start),
            able=able,
            kind=kinds()[kind].names,
            number=number,
        )
    return group


def _no_way(context: MoveContext, start: str, target: str, group: Group) -> IllegalAction:
    if ways(start, target, context.points(group), context.terms(group)):
        return IllegalAction(
            "{kind}: no place to land would be in reach after {space}",
            kind=kinds()[group.kind].names,
            space=name(target),
        )
    return why_no_way(context, start, target, group)


def _fly(
    course: Course, context: MoveContext, start: str, part: Part, role: Role, *marks: Mark
) -> None:
    """Aircraft into a battle space, as something else than fighters in it."""
    group, number, way = part
    course.take(start, standing(course.board, start, group), number)
    flown = replace(group, count=number, used=group.used + len(way))
    course.put(way[-1], mark(flown, *marks))
    note_flight(course, context, start, part, role)
    note_departure(course, start, way[-1], group, number)


# --- 7.14: raids ----------------------------------------------------------------------------------


def may_raid(context: MoveContext, land: str) -> bool:
    return (
        context.is_combat
        and land in context.board.factories
        and queries.is_enemy(context.board, context.power, land)
        and context.is_free_of_bombs(land)
    )


def can_raid(context: MoveContext, start: str) -> bool:
    return any(True for _ in _each_raid(context, start))


def raids(context: MoveContext, start: str) -> dict[str, int]:
    """Lands whose factory can be bombed from a space, and by how many bombers."""
    return dict(_each_raid(context, start))


def _each_raid(context: MoveContext, start: str) -> Iterator[tuple[str, int]]:
    group = unflown(context, start, BOMBER)
    if group is None:
        return
    for land, far in _in_reach(context, start, group):
        if may_raid(context, land):
            numbers = range(group.count, 0, -1)
            able = (n for n in numbers if could_land(context, start, group, land, far, n))
            if number := next(able, 0):
                yield land, number


def raid(course: Course, start: str, land: str, number: int) -> None:
    """7.14: bombers fly against a factory; they take no part in another battle."""
    context = move_context(course.state, course.active)
    if not may_raid(context, land):
        raise IllegalAction("{land} has no enemy factory that may be bombed", land=name(land))
    group = _require_aircraft(context, start, BOMBER, number)
    way = flight_to(context, start, land, group, number)
    if way is None:
        raise _no_way(context, start, land, group)
    _fly(course, context, start, Part(group, number, way), "raiding", "raiding")
    if land not in course.turn.raids:
        course.update_turn(raids=(*course.turn.raids, land))
    course.tell(
        "{power}: {units} against the factory of {land}",
        power=POWER_NAMES[course.active],
        units=counted(BOMBER, number),
        land=name(land),
    )
    require_landing_places(course, context)


# --- 12: airborne infantry ------------------------------------------------------------------------


def carries(context: MoveContext, kind: str) -> bool:
    """12.1, 12.2, 12.5: bombers into battle, by an option elsewhere, too; helicopters always."""
    if kind == FIGHTER:
        return queries.knows(context.board, context.power, "aircraft", 3)
    return kind == BOMBER and (context.is_combat or context.board.variant.bomber_airlift)


def _riflemen(context: MoveContext, start: str) -> Group | None:
    return unflown(context, start, INFANTRY)


def may_drop(context: MoveContext, land: str, kind: str) -> bool:
    """12.2: into battle or onto hostile land; without a battle, where the aircraft may land."""
    if context.is_combat:
        return land in context.assailable and context.is_free_of_bombs(land)
    return land in landing_lands(context, kind)


def can_drop(context: MoveContext, start: str) -> bool:
    return any(True for kind in (BOMBER, FIGHTER) for _ in _each_drop(context, start, kind))


def drops(context: MoveContext, start: str, kind: str) -> dict[str, int]:
    """Lands to which infantry can be carried from a land, and by how many aircraft."""
    return dict(_each_drop(context, start, kind))


def _each_drop(context: MoveContext, start: str, kind: str) -> Iterator[tuple[str, int]]:
    if not carries(context, kind):
        return
    group, riflemen = unflown(context, start, kind), _riflemen(context, start)
    if group is None or riflemen is None:
        return
    for land, far in _in_reach(context, start, group):
        if atlas().is_land(land) and may_drop(context, land, kind):
            numbers = range(min(group.count, riflemen.count), 0, -1)
            able = (n for n in numbers if _may_fly(context, start, group, land, far, n))
            if number := next(able, 0):
                yield land, number


def _may_fly(
    context: MoveContext, start: str, group: Group, land: str, far: int, number: int
) -> bool:
    return not context.is_combat or could_land(context, start, group, land, far, number)


def drop(course: Course, start: str, land: str, number: int, kind: str) -> None:
    """12.1, 12.5: each aircraft takes one infantry along from where both began the turn."""
    context = move_context(course.state, course.active)
    _require_drop(context, start, land, number, kind)
    group = _require_aircraft(context, start, kind, number)
    riflemen = _riflemen(context, start)
    assert riflemen is not None
    part = Part(group, number, _drop_way(context, start, land, group, number))
    course.take(start, standing(course.board, start, riflemen), number)
    infantry = replace(riflemen, count=number)
    if context.is_combat:
        note_departure(course, start, land, riflemen, number)
        _fly(course, context, start, part, "carrying", "attacking", "carrying")
        enter_battle(course, land, mark(infantry, "dropped", "spent"))
    else:
        course.take(start, standing(course.board, start, group), number)
        flown = replace(group, count=number, used=len(part.way))
        course.put(land, flown, mark(infantry, "spent"))
    course.tell(
        "{power}: {units} with infantry on board, {start} - {target}",
        power=POWER_NAMES[course.active],
        units=counted(kind, number),
        start=name(start),
        target=name(land),
    )
    require_landing_places(course, context)


def _require_drop(context: MoveContext, start: str, land: str, number: int, kind: str) -> None:
    if not carries(context, kind):
        raise IllegalAction("{kind} cannot carry infantry now", kind=kinds()[kind].names)
    if not atlas().is_land(land) or not may_drop(context, land, kind):
        raise IllegalAction("infantry cannot be carried by air to {space} now", space=name(land))
    riflemen = _riflemen(context, start)
    able = riflemen.count if riflemen else 0
    if able < number:
        raise IllegalAction(
            "{space}: {able} infantry can go on board, not {number}",
            space=name(start),
            able=able,
            number=number,
        )


def _drop_way(context: MoveContext, start: str, land: str, group: Group, number: int) -> Way:
    if context.is_combat:
        way = flight_to(context, start, land, group, number)
    else:
        found = ways(start, land, context.points(group), context.terms(group))
        way = found[0][1] if found else None
    if way is None:
        raise _no_way(context, start, land, group)
    return way


# --- 11.2: a bomb in a bomber ---------------------------------------------------------------------


def bombs_to_fly(context: MoveContext, start: str) -> tuple[str, ...]:
    """Kinds of bombs in a land that a bomber there could take along."""
    if context.is_combat or not _bomber(context, start):
        return ()
    there = context.movable(start)
    return tuple(bomb for bomb in BOMBS if count(there, bomb))


def _bomber(context: MoveContext, start: str) -> Group | None:
    """The one with most points left."""
    able = [group for group in context.movable(start) if group.kind == BOMBER]
    return min(able, key=lambda group: group.used, default=None)


def bomb_targets(context: MoveContext, start: str) -> list[str]:
    """11.2: friendly lands a bomber can fly to."""
    group = _bomber(context, start)
    if context.is_combat or group is None:
        return []
    lands = landing_lands(context, BOMBER)
    return [space for space, _ in _in_reach(context, start, group) if space in lands]


def fly_bomb(course: Course, start: str, land: str, bomb: str) -> None:
    """11.2: a bomber takes a bomb to a friendly land."""
    if start == land:
        raise IllegalAction("a move leads from one space to another")
    context = move_context(course.state, course.active)
    if bomb not in bombs_to_fly(context, start):
        raise IllegalAction(
            "{space} has no bomber and {bomb} that could fly now",
            space=name(start),
            bomb=kinds()[bomb].names,
        )
    bomber = _bomber(context, start)
    assert bomber is not None
    found = ways(start, land, context.points(bomber), context.terms(bomber))
    if land not in landing_lands(context, BOMBER):
        raise IllegalAction("a bomber cannot land in {space} now", space=name(land))
    if not found:
        raise _no_way(context, start, land, bomber)
    flown = replace(bomber, count=1, used=bomber.used + len(found[0][1]))
    load = next(group for group in context.movable(start) if group.kind == bomb)
    course.take(start, standing(course.board, start, bomber), 1)
    course.take(start, standing(course.board, start, load), 1)
    course.put(land, flown, mark(replace(load, count=1), "spent"))
    course.tell(
        "{power}: a bomber takes an {bomb} along, {start} - {target}",
        power=POWER_NAMES[course.active],
        bomb=kinds()[bomb].names,
        start=name(start),
        target=name(land),
    )
