"""8: units move over land and sea and through the air, into battles or to where they are needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from msgspec.structs import replace

from engine.chance import SealedDice
from engine.core import IllegalAction, Seat
from engine.east_and_west import queries
from engine.east_and_west.board import Board, Group
from engine.east_and_west.data.arsenal import CARRIERS, SUBMARINE, TRANSPORTS, counted, kinds
from engine.east_and_west.data.atlas import ICE_CAP, atlas
from engine.east_and_west.data.powers import POWER_NAMES
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import change, change_all, count, mark, unmark
from engine.east_and_west.movement import conquest
from engine.east_and_west.movement.carriers import bring_along, go_back_on_deck, go_below
from engine.east_and_west.movement.declarations import (
    Units,
    enter_battle,
    enter_land,
    forget_unmade,
    note_departure,
    note_flight,
    require_landing_places,
)
from engine.east_and_west.movement.stranded import disarm, land_stranded
from engine.east_and_west.movement.voyages import arrived, call_off, under_way
from engine.east_and_west.reach.context import MoveContext, move_context
from engine.east_and_west.reach.decks import has_room
from engine.east_and_west.reach.destinations import (
    PASSIVE,
    Part,
    could_land,
    find_way,
    free_step,
    may_attack_at_sea,
    name,
    reason,
    standing,
    targets,
)

Only = Literal["", "empty", "damaged"]
"""Which of several ships go: those without cargo, or those that are damaged."""


class Leg(NamedTuple):
    """What holds for all units of one order."""

    start: str
    target: str
    via: tuple[str, ...]
    only: Only
    followed: str
    """The land into which all go, though the first may have taken it; nothing: no land."""


# --- how many -------------------------------------------------------------------------------------


def most(context: MoveContext, start: str, only: str | None = None) -> dict[str, dict[str, int]]:
    """By target and kind: how many units can be moved there in one order."""
    found: dict[str, dict[str, int]] = {}
    for group in context.movable(start):
        is_deck = group.kind in CARRIERS
        is_bound = context.is_combat and (kinds()[group.kind].is_air or is_deck)
        for target, far in targets(context, start, group):
            if only not in (None, target):
                continue
            if number := _most_of(context, start, target, group, far):
                by_kind = found.setdefault(target, {})
                before = by_kind.get(group.kind, 0)
                by_kind[group.kind] = max(before, number) if is_bound else before + number
    if not context.is_combat:
        _cut_to_rooms(context, found)
    return found


def can_move(context: MoveContext, start: str) -> bool:
    return any(
        _most_of(context, start, target, group, far)
        for group in context.movable(start)
        for target, far in targets(context, start, group)
    )


def _most_of(context: MoveContext, start: str, target: str, group: Group, far: int) -> int:
    """All of a group, or as many as leave every aircraft a place to land."""
    if not context.is_combat:
        return group.count
    if group.kind in CARRIERS:
        return _carriers_to_spare(context, start, target, group)
    if not kinds()[group.kind].is_air:
        return group.count
    numbers = range(group.count, 0, -1)
    return next((n for n in numbers if could_land(context, start, group, target, far, n)), 0)


def _carriers_to_spare(context: MoveContext, start: str, target: str, group: Group) -> int:
    """8.7: a carrier that goes into a battle must not leave aircraft without a place."""
    for number in range(group.count, 0, -1):
        try:
            move(Course(context.state, SealedDice()), start, target, ((group.kind, number),))
        except IllegalAction:
            continue
        return number
    return 0


def _cut_to_rooms(context: MoveContext, found: dict[str, dict[str, int]]) -> None:
    """6.10: only as many aircraft as the decks of a zone still take."""
    for zone, by_kind in found.items():
        for kind in by_kind:
            if atlas().is_land(zone) or not kinds()[kind].is_air:
                continue
            while not has_room(context.state, context.power, zone, kind, by_kind[kind]):
                by_kind[kind] -= 1


# --- the order ------------------------------------------------------------------------------------


def move(
    course: Course,
    start: str,
    target: str,
    units: Units,
    via: tuple[str, ...] = (),
    only: Only = "",
) -> None:
    """Units of any kinds from one space to another; ships take their cargo along."""
    if start == target:
        raise IllegalAction("a move leads from one space to another")
    before = move_context(course.state, course.active)
    aboard = _named_cargo(start, target, units)
    riders = _riding(course, start, units)
    followed = target if before.is_combat and target in before.assailable else ""
    leg = Leg(start, target, via, only, followed)
    _tell(course, start, target, units)
    for kind, number in sorted(units, key=_turn_to_move):
        if kind not in aboard:
            _move_kind(course, leg, kind, number - riders.get(kind, 0), aboard)
        if kind in CARRIERS:
            bring_along(course, start, target, riders)
    require_landing_places(course, before)


def _turn_to_move(unit: tuple[str, int]) -> int:
    """Transports before their escorts, carriers before aircraft."""
    kind = kinds()[unit[0]]
    if unit[0] in TRANSPORTS:
        return 0
    return 1 if kind.is_ship else 2


def _named_cargo(start: str, target: str, units: Units) -> dict[str, int]:
    """What is to be on board when ships move from zone to zone."""
    if atlas().is_land(start) or atlas().is_land(target):
        return {}
    named = {kind: n for kind, n in units if not (kinds()[kind].is_ship or kinds()[kind].is_air)}
    if named and not any(kind in TRANSPORTS for kind, _ in units):
        raise IllegalAction("say which ships carry them: move ZONE ZONE 1 transport 2 infantry")
    return named


def _riding(course: Course, start: str, units: Units) -> dict[str, int]:
    """Own aircraft that are named beside their carrier and go on board of it."""
    if course.turn.stop == "operations" or not any(kind in CARRIERS for kind, _ in units):
        return {}
    return {
        kind: min(number, _fresh(course.board, course.active, start, kind))
        for kind, number in units
        if kinds()[kind].is_air
    }


def _fresh(board: Board, power: Seat, space: str, kind: str) -> int:
    groups = queries.own_units(board, power, space)
    return count([group for group in groups if not group.used and not group.marks], kind)


def _move_kind(course: Course, leg: Leg, kind: str, number: int, aboard: Mapping[str, int]) -> None:
    if number < 1:
        return
    context = _context(course, leg)
    _require_units(context, leg.start, kind, number, leg.only)
    left = number
    while left:
        part = _next_part(context, leg, kind, left, aboard)
        _go(course, context, leg.start, leg.target, part)
        left -= part.number
        aboard = _left_to_board(aboard, part)
        context = MoveContext(course.state, course.active, leg.followed)
    if kind in TRANSPORTS and any(aboard.values()):
        raise IllegalAction("no ship in {space} has that on board", space=name(leg.start))


def _context(course: Course, leg: Leg) -> MoveContext:
    """The usual one until the first units have taken an empty land."""
    usual = move_context(course.state, course.active)
    if leg.followed in ("", *usual.assailable):
        return usual
    return MoveContext(course.state, course.active, leg.followed)


def _left_to_board(aboard: Mapping[str, int], part: Part) -> dict[str, int]:
    carried = {load.kind: load.count * part.number for load in part.group.cargo}
    return {kind: max(0, n - carried.get(kind, 0)) for kind, n in aboard.items()}


def _require_units(context: MoveContext, start: str, kind: str, number: int, only: Only) -> None:
    """They are there and may still move."""
    present = count(queries.own_units(context.board, context.power, start), kind)
    if present < number:
        raise IllegalAction(
            "{power} has {present} in {space}, not {number}",
            power=POWER_NAMES[context.power],
            present=counted(kind, present),
            space=name(start),
            number=number,
        )
    if context.is_combat and kind in PASSIVE:
        raise IllegalAction("{kind}: only in the non-combat move", kind=kinds()[kind].names)
    able = sum(g.count for g in context.movable(start) if g.kind == kind and _is_one(g, only))
    if able < number:
        raise IllegalAction(
            "of the {kind} in {space} only {able} can move now, not {number}",
            kind=kinds()[kind].many,
            space=name(start),
            able=able,
            number=number,
        )


def _is_one(group: Group, only: Only) -> bool:
    if only == "empty":
        return not group.cargo
    return only != "damaged" or group.has("damaged")


def _next_part(
    context: MoveContext, leg: Leg, kind: str, number: int, aboard: Mapping[str, int]
) -> Part:
    """The units that go first: who carries what was named, else who has fewest points left."""
    groups = [g for g in context.movable(leg.start) if g.kind == kind and _is_one(g, leg.only)]
    groups.sort(key=lambda group: _rank(context, group, aboard))
    for group in groups:
        most_of_them = min(group.count, number)
        for some in range(most_of_them, 0, -1):
            if way := find_way(context, leg.start, leg.target, group, some, leg.via):
                return Part(group, some, way)
    raise reason(context, leg.start, leg.target, groups[0], leg.via)


def _rank(
    context: MoveContext, group: Group, aboard: Mapping[str, int]
) -> tuple[int, int, bool, int]:
    wished = sum(min(load.count, aboard.get(load.kind, 0)) for load in group.cargo)
    full = sum(load.count for load in group.cargo)
    return -wished, -full, group.has("damaged"), context.points(group)


# --- going ----------------------------------------------------------------------------------------


def _go(course: Course, context: MoveContext, start: str, target: str, part: Part) -> None:
    """Take units from where they stand to where they go; in the combat move into what awaits."""
    group, number, way = part
    course.take(start, standing(course.board, start, group), number)
    cost = len(way) - free_step(context, target) if kinds()[group.kind].is_air else len(way)
    moved = replace(group, count=number, used=group.used + cost)
    if start == ICE_CAP and not group.used:
        moved = mark(moved, "surfaced")
    if context.is_combat:
        over = () if kinds()[group.kind].is_air else tuple(way[:-1])
        note_departure(course, start, target, group, number, over)
        _attack(course, context, start, part, moved)
    else:
        course.put(target, moved)


def _attack(course: Course, context: MoveContext, start: str, part: Part, moved: Group) -> None:
    kind, way = kinds()[moved.kind], part.way
    target, before = way[-1], way[-2] if len(way) > 1 else start
    if kind.is_air:
        enter_battle(course, target, moved)
        note_flight(course, context, start, part)
    elif kind.is_ship:
        if target in context.hostile:
            enter_battle(course, target, arrived(moved), entries=(before,))
        else:
            course.put(target, under_way(moved, start, way))
    else:
        for land in way[:-1]:
            if land not in context.open_lands:
                conquest.capture(course, land, course.active)
        enter_land(course, target, moved, entries=(before,))


def _tell(course: Course, start: str, target: str, units: Units) -> None:
    course.tell(
        "{power}: {units}, {start} - {target}",
        power=POWER_NAMES[course.active],
        units=tuple(counted(kind, number) for kind, number in units),
        start=name(start),
        target=name(target),
    )


# --- the ends of the phases -----------------------------------------------------------------------


def end_operations_checks(course: Course) -> None:
    """8.5, 8.11: before the dice: who is there fights, and ships that moved stay where they are."""
    call_off(course)
    for attack in course.turn.attacks:
        if atlas().is_water(attack.space):
            if not attack.is_chosen:
                course.set_units(
                    change(course.board.units, attack.space, lambda group: _joined(course, group))
                )
            go_below(course, attack.space)
    forget_unmade(course)
    course.set_units(change_all(course.board.units, lambda g: _moored(course, g)))


def _joined(course: Course, group: Group) -> Group:
    """5.9, 6.9: all but damaged battleships and submarines that need not fight."""
    if group.owner != course.active or not kinds()[group.kind].is_ship:
        return group
    slips = MoveContext(course.state, course.active).slips(group.kind)
    return mark(group, "attacking") if may_attack_at_sea(group) and not slips else group


def _moored(course: Course, group: Group) -> Group:
    """8.5: ships move in the combat or in the non-combat move."""
    if group.owner != course.active or not kinds()[group.kind].is_ship:
        return group
    if not group.has("attacking") and (not group.used or group.sailed):
        return arrived(group)
    if group.kind == SUBMARINE and not group.used:
        return mark(group, "spent")
    points = queries.movement(course.board, group.owner, group.kind)
    return mark(replace(arrived(group), used=points), "spent")


def lose_stranded(course: Course) -> None:
    """8.7, 8.9, 12.5: at the end of a turn everything is where it can be."""
    go_back_on_deck(course)
    land_stranded(course)
    disarm(course)
    _come_out(course)
    course.set_units(change_all(course.board.units, _forgetting))


def _come_out(course: Course) -> None:
    """8.9: who began the turn under the ice leaves it, without an order for a free zone."""
    context = MoveContext(course.state, course.active)
    for group in queries.own_units(course.board, course.active, ICE_CAP):
        if group.used:
            continue
        near = atlas().neighbours[ICE_CAP]
        zone = min(near, key=lambda zone: (zone in context.blocked, zone))
        course.take(ICE_CAP, group)
        course.put(zone, mark(replace(group, used=1), "spent"))
        course.tell(
            "{power}: {units}, out from under the ice: {zone}",
            power=POWER_NAMES[course.active],
            units=(counted(group.kind, group.count),),
            zone=name(zone),
        )


def _forgetting(group: Group) -> Group:
    """What matters for the moves of one turn only."""
    ashore = replace(group, loaded=(), shore=()) if group.loaded or group.shore else group
    return unmark(ashore, "surfaced")
