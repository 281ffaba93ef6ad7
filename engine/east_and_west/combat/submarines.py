"""7.10: submarines submerge or leave a battle, owner by owner."""

from __future__ import annotations

from msgspec.structs import replace

from engine.core import Seat
from engine.east_and_west.battle import Fight, Party
from engine.east_and_west.board import Group, Question
from engine.east_and_west.combat import lineup
from engine.east_and_west.combat.current import ask, both_stand, decides, fight_of, save
from engine.east_and_west.combat.retreats import exits
from engine.east_and_west.data.arsenal import SUBMARINE, kinds
from engine.east_and_west.data.powers import POWER_NAMES, POWERS
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import mark, unmark
from engine.east_and_west.report import listed, space_name
from engine.east_and_west.standing import GENERAL, Diving

WILL_SUBMERGE = Diving("submerge-alone")
"""14.2 no. 4: what defending submarines do without an order."""


def dive(course: Course, fight: Fight) -> None:
    """7.7e: owner by owner, the defenders first."""
    seat = _next_diver(course, fight)
    if seat is None:
        save(course, replace(fight, step="decision", asked=()))
        return
    if decides(course, seat, fight.space):
        ask(course, Question("submarines", seat, fight.space))
        return
    way = usual_dive(course, seat, fight)
    if way is not None:
        leave(course, seat, fight, way, submarines(course, seat, fight))
    save(course, replace(fight, asked=(*fight.asked, seat)))


def usual_dive(course: Course, seat: Seat, fight: Fight) -> str | None:
    """What was ordered: a zone to retreat to, nothing for submerging, None for staying."""
    order = diving(course, seat, fight)
    if order.order == "retreat":
        return order.zone if order.zone in exits(course.board, seat, fight.space) else None
    if order.order == "submerge-after":
        return "" if fight.round >= order.rounds else None
    if order.order == "submerge-alone":
        return "" if _is_alone(course, seat, fight) else None
    return None


def _next_diver(course: Course, fight: Fight) -> Seat | None:
    order = [power for power in POWERS if power != course.active] + [course.active]
    is_over = not both_stand(course, fight)
    return next(
        (
            power
            for power in order
            if power not in fight.asked and not is_over and submarines(course, power, fight)
        ),
        None,
    )


def diving(course: Course, seat: Seat, fight: Fight) -> Diving:
    """14.1, 14.2 no. 4: the attacker by his plan, the defender by standing order."""
    if seat == course.active:
        return course.plan(fight.space).submarines or Diving("stay")
    orders = course.orders(seat).submarines
    return orders.get(fight.space) or orders.get(GENERAL, WILL_SUBMERGE)


def submarines(course: Course, seat: Seat, fight: Fight) -> int:
    """How many of a power are in the battle."""
    return sum(group.count for group in _own(course, seat, fight) if group.kind == SUBMARINE)


def _own(course: Course, seat: Seat, fight: Fight) -> list[Group]:
    which: Party = "attacker" if seat == course.active else "defender"
    there = lineup.party(course.board, course.active, fight.space, which)
    return [group for group in there if group.owner == seat]


def _is_alone(course: Course, seat: Seat, fight: Fight) -> bool:
    """No ship of its side is left but submarines."""
    which: Party = "attacker" if seat == course.active else "defender"
    return not any(
        kinds()[group.kind].is_ship and group.kind != SUBMARINE
        for group in lineup.party(course.board, course.active, fight.space, which)
    )


def leave(course: Course, seat: Seat, fight: Fight, zone: str, count: int) -> None:
    """So many submarines of a power submerge, or go to another zone."""
    for group in _own(course, seat, fight):
        number = min(count, group.count) if group.kind == SUBMARINE else 0
        if not number:
            continue
        count -= number
        course.take(fight.space, group, number)
        out = unmark(replace(group, count=number), "attacking")
        if zone:
            course.put(zone, mark(out, "spent") if seat == course.active else out)
        else:
            course.put(fight.space, mark(out, "submerged"))
        _tell_leaving(course, seat, out, zone)


def _tell_leaving(course: Course, seat: Seat, out: Group, zone: str) -> None:
    power, units = POWER_NAMES[seat], listed([out])
    if zone:
        course.tell(
            "{power}: {units} {count:retreats|retreat} to {zone}",
            power=power,
            units=units,
            count=out.count,
            zone=space_name(zone),
        )
    else:
        course.tell(
            "{power}: {units} {count:submerges|submerge}",
            power=power,
            units=units,
            count=out.count,
        )


def answer_submarines(course: Course, seat: Seat, zone: str, count: int) -> None:
    """`count` of them leave; none: they stay."""
    fight = fight_of(course)
    leave(course, seat, fight, zone, count)
    save(course, replace(fight, asked=(*fight.asked, seat)))
