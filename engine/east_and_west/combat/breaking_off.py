"""7.9: the attacker breaks off a battle, as the plan or the answer says, or fights on."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from engine.east_and_west import queries
from engine.east_and_west.battle import Battle, Fight
from engine.east_and_west.board import Question
from engine.east_and_west.combat import lineup
from engine.east_and_west.combat.current import ask, both_stand, decides, fight_of, go_on, save
from engine.east_and_west.combat.retreats import is_open
from engine.east_and_west.data.arsenal import kinds
from engine.east_and_west.data.powers import POWER_NAMES
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import mark, unmark
from engine.east_and_west.odds import calculator
from engine.east_and_west.report import space_name
from engine.east_and_west.standing import NONE, Plan

AIR = "aircraft"
"""Instead of a space to retreat to: only the aircraft break off."""


def decide(course: Course, fight: Fight) -> None:
    """7.7f: the attacker goes on, or breaks off as his plan says."""
    if not both_stand(course, fight):
        go_on(course, fight, "end")
        return
    plan, ways = course.plan(fight.space), ways_out(course, fight)
    if ways and (plan.asks or decides(course, course.active, fight.space)):
        ask(course, Question("retreat", course.active, fight.space, {"ways": ways}))
        return
    way = _planned_way(course, fight, plan, ways)
    if way is None or not _wants_out(course, fight, plan):
        fight_on(course)
    else:
        retreat(course, way)


def _wants_out(course: Course, fight: Fight, plan: Plan) -> bool:
    """14.1: what the defender has said in advance is not looked at."""
    battle = lineup.describe(course.board, course.active, fight.space, plan, NONE, fight.round + 1)
    return wants_out(battle, fight.round, plan)


def wants_out(battle: Battle, rounds: int, plan: Plan) -> bool:
    """14.1: whether a plan breaks off a battle after so many rounds; any one rule is enough."""
    return (
        0 < plan.after <= rounds
        or battle.attacker.count < plan.below_units
        or battle.attacker.power < plan.below_power
        or (plan.strafe is not None and battle.defender.count <= plan.strafe)
        or (plan.odds > 0 and calculator.win_chance(battle) * 100 < plan.odds)
    )


def ways_out(course: Course, fight: Fight) -> tuple[str, ...]:
    """7.9: spaces to which all can go, or nothing but the aircraft's way home."""
    power = course.active
    there = lineup.attackers(course.board, power, fight.space)
    bound = [group for group in there if not kinds()[group.kind].is_air]
    open_ways = tuple(
        entry
        for entry in fight.entries
        if bound and not fight.zones and is_open(course.state, power, fight.space, entry, bound)
    )
    return open_ways or ((AIR,) if len(bound) < len(there) else ())


def _planned_way(course: Course, fight: Fight, plan: Plan, ways: Sequence[str]) -> str | None:
    """As the plan says, else where most own units are; aircraft leave others alone if told so."""
    if not ways:
        return None
    if ways == (AIR,):
        there = lineup.attackers(course.board, course.active, fight.space)
        is_air_only = all(kinds()[group.kind].is_air for group in there)
        return AIR if plan.air_leaves or is_air_only else None
    if plan.to in ways:
        return plan.to
    units = course.board
    return min(
        ways,
        key=lambda way: (
            -sum(group.count for group in queries.own_units(units, course.active, way)),
            way,
        ),
    )


def retreat(course: Course, way: str) -> None:
    """All break off together; in a landing only the aircraft, and the others fight on."""
    fight, power = fight_of(course), course.active
    for group in lineup.attackers(course.board, power, fight.space):
        is_air = kinds()[group.kind].is_air
        if way == AIR and not is_air:
            continue
        course.take(fight.space, group)
        out = unmark(group, "attacking")
        if is_air:
            course.put(fight.space, out)
        else:
            course.put(way, mark(unmark(out, "dropped"), "spent"))
    if way == AIR:
        course.tell("{power}: the aircraft leave the battle", power=POWER_NAMES[power])
    else:
        course.tell("{power} retreats to {space}", power=POWER_NAMES[power], space=space_name(way))
    fight_on(course)


def fight_on(course: Course) -> None:
    """The next round; a battle that one side has left ends there."""
    fight = fight_of(course)
    if both_stand(course, fight):
        save(course, replace(fight, step="sneak", round=fight.round + 1))
    else:
        go_on(course, fight, "end")
