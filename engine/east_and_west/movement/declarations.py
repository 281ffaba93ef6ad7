"""7.1, 7.2: units come into battles, and what has to be remembered of how they came."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from msgspec.structs import replace

from engine.core import IllegalAction
from engine.east_and_west import queries
from engine.east_and_west.board import Attack, Departure, Flight, Group
from engine.east_and_west.data.arsenal import kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWER_NAMES
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import count, mark, unmark
from engine.east_and_west.movement import conquest
from engine.east_and_west.reach.context import MoveContext, move_context
from engine.east_and_west.reach.destinations import Part, may_attack_at_sea, name, standing

Units = tuple[tuple[str, int], ...]
"""Kinds and numbers, as they were named."""
Role = Literal["fighting", "carrying", "raiding"]


def enter_land(
    course: Course,
    land: str,
    group: Group,
    entries: tuple[str, ...] = (),
    landings: tuple[str, ...] = (),
) -> None:
    """7.2: ground units fight for a land, or simply take it; a blitz may also end at home."""
    context = MoveContext(course.state, course.active)
    if land not in context.assailable:
        course.put(land, group)
    elif context.is_defended(land):
        enter_battle(course, land, group, entries, landings)
    else:
        _note_attacked(course, land)
        course.put(land, unmark(group, "landed"))
        conquest.capture(course, land, course.active)


def enter_battle(
    course: Course,
    space: str,
    group: Group,
    entries: tuple[str, ...] = (),
    landings: tuple[str, ...] = (),
) -> None:
    course.put(space, mark(group, "attacking"))
    declare(course, space, entries, landings)


def declare(
    course: Course,
    space: str,
    entries: tuple[str, ...] = (),
    landings: tuple[str, ...] = (),
    is_chosen: bool = False,
) -> None:
    """7.1: a battle in a space, or one more way into it."""
    attacks = list(course.turn.attacks)
    known = next((n for n, attack in enumerate(attacks) if attack.space == space), None)
    if known is None:
        attacks.append(Attack(space, entries, landings, is_chosen))
    else:
        attack = attacks[known]
        attacks[known] = replace(
            attack,
            entries=tuple(dict.fromkeys((*attack.entries, *entries))),
            landings=tuple(dict.fromkeys((*attack.landings, *landings))),
        )
    course.update_turn(attacks=tuple(attacks))
    _note_attacked(course, space)


def _note_attacked(course: Course, land: str) -> None:
    """13.6: an attack on a neutral has consequences."""
    if queries.is_neutral(course.board, land) and land not in course.turn.attacked:
        course.update_turn(attacked=(*course.turn.attacked, land))


def forget_unmade(course: Course) -> None:
    """13.6: an attack that was declared and that nobody makes has not been one."""
    for attack in course.turn.attacks:
        if not _is_made(course, attack.space):
            forget_attack(course, attack.space)


def _is_made(course: Course, space: str) -> bool:
    return any(landing.land == space for landing in course.turn.landings) or any(
        group.has("attacking") for group in queries.own_units(course.board, course.active, space)
    )


def forget_attack(course: Course, space: str) -> None:
    """Nobody attacks a space, so that a neutral there has nothing to resent; bombs count, too."""
    turn = course.turn
    course.update_turn(attacks=tuple(attack for attack in turn.attacks if attack.space != space))
    if space not in (*turn.raids, *(strike.target for strike in turn.strikes)):
        course.update_turn(attacked=tuple(land for land in turn.attacked if land != space))


def note_flight(
    course: Course, context: MoveContext, start: str, part: Part, role: Role = "fighting"
) -> None:
    """7.4: with the guns under the way."""
    guns = tuple(space for space in part.way[:-1] if space in context.guns)
    flight = Flight(part.group.kind, part.number, part.way[-1], guns, start, role)
    course.update_turn(flights=(*course.turn.flights, flight))


def note_departure(
    course: Course, start: str, target: str, group: Group, number: int, over: tuple[str, ...] = ()
) -> None:
    """11.4: who moves on in a second order has left the land in which it began."""
    kind = group.kind
    known, moving, fresh = split_departures(
        course.turn.departures,
        number,
        lambda one: group.used > 0 and (one.kind, one.target) == (kind, start),
    )
    gone = [replace(one, target=target, over=(*one.over, start, *over)) for one in moving]
    if fresh:
        gone.append(Departure(start, target, kind, fresh, over=over))
    course.update_turn(departures=(*known, *gone))


def note_landing(
    course: Course, zone: str, shore: str, kind: str, number: int, loaded: tuple[str, ...]
) -> None:
    """11.4: troops that embarked in this turn have left those lands, all others the zone."""
    known, embarked, others = split_departures(
        course.turn.departures,
        number,
        lambda one: one.kind == kind and one.start in loaded and atlas().is_water(one.target),
    )
    landed = [Departure(one.start, shore, kind, one.count, zone) for one in embarked]
    if others:
        landed.append(Departure(zone, shore, kind, others, zone))
    course.update_turn(departures=(*known, *landed))


def split_departures(
    departures: Iterable[Departure], number: int, fits: Callable[[Departure], bool]
) -> tuple[list[Departure], list[Departure], int]:
    """So many units out of those that fit: who stays, who is taken, how many are still missing."""
    kept: list[Departure] = []
    taken: list[Departure] = []
    for one in departures:
        some = min(number, one.count) if fits(one) else 0
        number -= some
        if some:
            taken.append(replace(one, count=some))
        if some < one.count:
            kept.append(replace(one, count=one.count - some))
    return kept, taken, number


def require_landing_places(course: Course, before: MoveContext) -> None:
    """8.7: a combat move must not leave aircraft without a place to land that had one."""
    if not before.is_combat or MoveContext(course.state, course.active).promise.holds():
        return
    if before.promise.holds():
        raise IllegalAction("after this move not all aircraft could land any more")


# --- 16.27, 16.30: attacks without entering -------------------------------------------------------


def may_attack_in_place(context: MoveContext, space: str) -> bool:
    """Ships among enemy ships; or a neutral land that lets the power pass."""
    if not context.is_combat or not context.is_free_of_bombs(space):
        return False
    if any(a.space == space and not a.is_chosen for a in context.board.turn.attacks):
        return False
    if atlas().is_water(space):
        return space in context.hostile and any(_fighters(context, space))
    return space in context.open_lands and (
        queries.is_neutral(context.board, space)
        and queries.may_attack(context.board, context.power, space)
    )


def attack_in_place(course: Course, space: str, units: Units) -> None:
    """Units attack where they stand: those that are named, or all that can."""
    context = move_context(course.state, course.active)
    if not may_attack_in_place(context, space):
        raise IllegalAction(
            "{space} cannot be attacked from within; into other battles units are moved",
            space=name(space),
        )
    able = list(_fighters(context, space))
    wanted = dict(units) or {g.kind: count(able, g.kind) for g in able}
    declare(course, space, is_chosen=bool(units))
    for group in able:
        number = min(group.count, wanted.get(group.kind, 0))
        if number:
            wanted[group.kind] -= number
            course.take(space, standing(course.board, space, group), number)
            course.put(space, mark(replace(group, count=number), "attacking"))
    if missing := [kind for kind, number in wanted.items() if number]:
        raise IllegalAction(
            "there are not so many {kind} in {space} that can attack",
            kind=kinds()[missing[0]].names,
            space=name(space),
        )
    course.tell("{power} attacks: {space}", power=POWER_NAMES[course.active], space=name(space))
    require_landing_places(course, context)


def _fighters(context: MoveContext, space: str) -> Iterator[Group]:
    """Units of a space that can fight there; transports go along."""
    for group in context.movable(space):
        if kinds()[group.kind].fights and may_attack_at_sea(group):
            yield group
