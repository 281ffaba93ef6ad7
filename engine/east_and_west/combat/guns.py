"""7.4, 7.5: guns and radar fire before a battle, and at whoever flies over, raids or strikes."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from engine.core import Name
from engine.east_and_west import queries
from engine.east_and_west.battle import SALVO, Loss
from engine.east_and_west.board import Board, Group
from engine.east_and_west.combat import casualties, lineup, luck
from engine.east_and_west.data.arsenal import INFANTRY
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.execution import Course
from engine.east_and_west.report import in_digits, listed, owner_name, space_name, tell_losses


def fire_at_aircraft(course: Course, space: str, why: str) -> None:
    """7.4: one die for each aircraft, also those that carry; the attacker chooses who is hit."""
    board, power = course.board, course.active
    flying = lineup.aircraft(board, power, space)
    by = gun_owner(board, power, space)
    hits = fire_salvo(course, space, sum(group.count for group in flying), why)
    lose_aircraft(course, space, flying, [by] * hits)


def fire_salvo(course: Course, space: str, dice: int, why: str) -> int:
    """The dice of guns or radar, told and noted; how many hit."""
    faces = course.roll(dice, why)
    hits = sum(face <= SALVO for face in faces)
    owner = gun_owner(course.board, course.active, space)
    course.tell(
        "{power}, anti-aircraft fire at {number} in {space}: {faces}, hits: {hits}",
        power=owner_name(owner, space),
        number=SALVO,
        space=space_name(space),
        faces=in_digits(faces),
        hits=hits,
    )
    luck.note(course, owner, dice=dice, hits=hits, expected=dice * SALVO / luck.SIDES)
    return hits


def gun_owner(board: Board, power: str, space: str) -> str:
    """Whose dice a salvo rolls: the guns', or at sea those of the radar."""
    firing = lineup.guns if atlas().is_land(space) else lineup.radar
    groups = firing(board, power, space)
    return casualties.leader(board, space, groups) or groups[0].owner


def lose_aircraft(course: Course, space: str, flying: Sequence[Group], by: Sequence[str]) -> None:
    """One for each hit, the attacker's choice: by the plan, else the cheapest with its load."""
    wishes = course.plan(space).losses
    ordered = sorted(flying, key=lambda group: _aircraft_rank(course.board, group, wishes))
    singles = [group for group in ordered for _ in range(group.count)]
    lost = singles[: len(by)]
    for group in lost:
        course.take(space, replace(group, count=_standing(course.board, space, group)), 1)
        if group.has("carrying"):
            _lose_passenger(course, space)
    losses = [Loss(group.owner, group.kind) for group in lost]
    luck.destroyed(course, by, losses)
    tell_losses(course, space, losses)


def _standing(board: Board, space: str, group: Group) -> int:
    """How many of a group are left."""
    like = replace(group, count=1)
    return next(g.count for g in board.at(space) if replace(g, count=1) == like)


def _aircraft_rank(
    board: Board, group: Group, wishes: Sequence[str]
) -> tuple[int, int, bool, int, Group]:
    """Among equals an empty one, then one that has flown furthest."""
    listed_at = wishes.index(group.kind) if group.kind in wishes else len(wishes)
    price = casualties.price(board, group.owner, group.kind)
    return listed_at, price, group.has("carrying"), -group.used, replace(group, count=1)


def _lose_passenger(course: Course, space: str) -> None:
    """12.1: whom an aircraft carried is lost with it."""
    passenger = next(
        (
            group
            for group in queries.own_units(course.board, course.active, space)
            if group.kind == INFANTRY and group.has("dropped")
        ),
        None,
    )
    if passenger is not None:
        course.take(space, passenger, 1)
        tell_losses(course, space, [Loss(passenger.owner, passenger.kind)])


def fire_at_armour(course: Course, space: str) -> None:
    """7.5, 19: each die belongs to one unit: heavy armor, armor, special forces."""
    units = [
        group
        for group in lineup.armour(course.board, course.active, space)
        for _ in range(group.count)
    ]
    faces = course.roll(len(units), f"battle {space} guns")
    lost = [group for group, face in zip(units, faces, strict=True) if face <= SALVO]
    owner = gun_owner(course.board, course.active, space)
    course.tell(
        "{power}, anti-tank fire at {number} on {units} in this order: {faces}, hits: {hits}",
        power=owner_name(owner, space),
        number=SALVO,
        units=tuple(_named(units)),
        faces=in_digits(faces),
        hits=len(lost),
    )
    luck.note(course, owner, len(units), len(lost), len(units) * SALVO / luck.SIDES)
    for group in lost:
        course.take(space, replace(group, count=_standing(course.board, space, group)), 1)
    losses = [Loss(group.owner, group.kind) for group in lost]
    luck.destroyed(course, [owner] * len(losses), losses)
    tell_losses(course, space, losses)


def _named(units: Sequence[Group]) -> list[Name]:
    """Kinds with their numbers in the order of the dice."""
    order = list(dict.fromkeys(group.kind for group in units))
    return [
        name
        for kind in order
        for name in listed([Group("", kind, sum(g.kind == kind for g in units))])
    ]
