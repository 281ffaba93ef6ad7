"""The non-combat move of a stand-in player: aircraft land safely, reserves go to the front."""

from __future__ import annotations

from collections import Counter

from engine.east_and_west import queries
from engine.east_and_west.board import Group
from engine.east_and_west.bot.appraisal import ABOARD, FAR, OVERSEAS, Appraisal
from engine.east_and_west.bot.assault import MARINES
from engine.east_and_west.bot.draft import Draft
from engine.east_and_west.bot.guess import Arm
from engine.east_and_west.bot.offensive import prize
from engine.east_and_west.data.arsenal import (
    BOMBER,
    CARRIERS,
    INFANTRY,
    TRANSPORT,
    TRANSPORTS,
    kinds,
)
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.movement.moving import most
from engine.east_and_west.movement.shipping import room_for
from engine.east_and_west.movement.stranded import StrandedAircraft, find_stranded
from engine.east_and_west.reach.context import move_context
from engine.east_and_west.reach.landing import zones_in_reach
from engine.east_and_west.verbs.moves import Move
from engine.east_and_west.verbs.shipping import Disembark, Embark

SAFE = 0.25
"""Up to this risk aircraft stay in a land."""
LEG = 2
"""How many soldiers more make up for a zone of the way."""
FULL_STACK = 14
"""Units in a land of the front beyond which others go elsewhere."""


def redeploy(draft: Draft) -> None:
    _fly(draft)
    _fetch(draft)
    _march(draft)
    _sail(draft)


# --- aircraft -------------------------------------------------------------------------------------


def _fly(draft: Draft) -> None:
    """Out of battles and out of danger, towards the front."""
    for start in sorted(draft.board.units):
        for kind, flying in sorted(_aircraft(draft, start).items()):
            number = flying - (draft.on_call(start) if kind == BOMBER else 0)
            if number < 1:
                continue
            if goal := _airfield(draft, start, kind, number):
                draft.give(Move(start, goal, ((kind, number),)))


def _aircraft(draft: Draft, space: str) -> Counter[str]:
    return Counter(
        {
            group.kind: group.count
            for group in queries.own_units(draft.board, draft.seat, space)
            if kinds()[group.kind].is_air
        }
    )


def _airfield(draft: Draft, start: str, kind: str, number: int) -> str | None:
    """Of the lands in reach that are safe with them the one that they save, else the nearest to the
    front; None: they stay."""
    sight, context = draft.sight, move_context(draft.state, draft.seat)
    able = [target for target, by_kind in most(context, start).items() if kind in by_kind]
    lands = [land for land in able if atlas().is_land(land)]
    if atlas().is_water(start) and not _is_stranded(draft, start):
        return None
    if atlas().is_land(start) and start in context.open_lands - {*draft.board.turn.captured}:
        lands.append(start)

    coming = sight.arm(Group(draft.seat, kind), number)

    def rank(land: str) -> tuple[bool, float, int, float, bool, str]:
        others = sight.garrison(land)
        if land == start:
            others = _without(others, coming)
        before, after = sight.risk(land, others), sight.risk(land, [*others, coming])
        saved = round((before - after) * prize(draft.board, land))
        return after > SAFE, -saved, sight.front[land], after, land != start, land

    goal = min(lands, key=rank, default=start)
    return None if goal == start else goal


def _without(garrison: list[Arm], leaving: Arm) -> list[Arm]:
    """What is left of a garrison."""
    found, left = [], leaving.units
    for arm in garrison:
        some = min(left, arm.units) if arm[:2] == leaving[:2] else 0
        left -= some
        found.append(arm._replace(units=arm.units - some))
    return found


def _is_stranded(draft: Draft, zone: str) -> bool:
    """Whether aircraft over a zone have flown there in this turn."""
    return any(
        group.used and kinds()[group.kind].is_air
        for group in queries.own_units(draft.board, draft.seat, zone)
    )


def _fetch(draft: Draft) -> None:
    """8.7: carriers go where aircraft wait that have reached no land."""
    for stray in find_stranded(move_context(draft.state, draft.seat)):
        context = move_context(draft.state, draft.seat)
        if stray not in find_stranded(context):
            continue
        reach = zones_in_reach(context, stray.space, context.points(stray.group))
        near = sorted(reach, key=lambda zone: (zone != stray.space, zone))
        next((zone for zone in near if _meet(draft, stray, zone)), None)


def _meet(draft: Draft, stray: StrandedAircraft, zone: str) -> bool:
    """Whether a carrier comes to a zone and the aircraft, too."""
    before = draft.mark()
    for start in sorted(draft.board.units):
        for carrier in queries.own_units(draft.board, draft.seat, start):
            if carrier.kind not in CARRIERS or start == zone:
                continue
            landing = Move(stray.space, zone, ((stray.group.kind, 1),))
            if draft.give(Move(start, zone, ((carrier.kind, 1),))) and (
                zone == stray.space or draft.give(landing)
            ):
                return True
            draft.back(before)
    return False


# --- ground units ---------------------------------------------------------------------------------


def _march(draft: Draft) -> None:
    """What a land can spare goes where it is lacking, or nearer to the front."""
    ways = draft.sight.front
    for start in sorted(ways, key=lambda land: (-ways[land], land)):
        if queries.own_units(draft.board, draft.seat, start) and not _waits(draft, start):
            _leave(draft, start)


def _waits(draft: Draft, land: str) -> bool:
    """Whether ships will fetch whoever is there."""
    return "landings" in draft.skills and land in draft.sight.ports


def _leave(draft: Draft, start: str) -> None:
    sight, context = draft.sight, move_context(draft.state, draft.seat)
    free = sight.spare(start)
    able = most(context, start)
    for kind in sorted(free):
        if not kinds()[kind].is_ground:
            continue
        targets = [target for target in able if kind in able[target]]
        goal = min(targets, key=lambda land: (*_call(sight, land), land), default=None)
        if goal is None or _call(sight, goal) >= _call(sight, start):
            continue
        number = min(free[kind], able[goal][kind])
        if draft.give(Move(start, goal, ((kind, number),))):
            sight = draft.sight


def _call(sight: Appraisal, land: str) -> tuple[bool, int, bool, float]:
    """How much a land calls for units, the most first: in need, near the front, strong already."""
    garrison = sight.garrison(land)
    units = sum(arm.units for arm in garrison)
    risk = sight.risk(land, garrison)
    is_near = sight.front[land] <= 1
    in_need = is_near and sight.bearable(land) < risk < 1.0
    return not in_need, sight.front[land], units > FULL_STACK, -units if is_near else 0.0


# --- transports -----------------------------------------------------------------------------------


def _sail(draft: Draft) -> None:
    """Ferries: from shores without an enemy to shores with one."""
    for zone in sorted(draft.board.units):
        if atlas().is_land(zone) or not _idle(draft, zone):
            continue
        if _carried(draft, zone) or _load(draft, zone):
            _deliver(draft, zone)
        elif "landings" in draft.skills:
            _go_for_troops(draft, zone)
        else:
            _come_home(draft, zone)


def _idle(draft: Draft, zone: str) -> int:
    """Own transports that have not moved."""
    return sum(
        group.count
        for group in queries.own_units(draft.board, draft.seat, zone)
        if group.kind == TRANSPORT and not group.used and not group.has("spent")
    )


def _carried(draft: Draft, zone: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for group in queries.own_units(draft.board, draft.seat, zone):
        for load in group.cargo if group.kind in TRANSPORTS else ():
            found[load.kind] += load.count * group.count if load.owner == draft.seat else 0
    return +found


def _load(draft: Draft, zone: str) -> bool:
    """Troops that have no road to the front and can be spared."""
    for shore in sorted(atlas().coasts(zone)):
        sight = draft.sight
        if sight.front.get(shore, 0) < OVERSEAS:
            continue
        for kind in MARINES if "landings" in draft.skills else (INFANTRY,):
            context = move_context(draft.state, draft.seat)
            room = room_for(context, shore, zone, draft.seat).get(kind, 0)
            if number := min(room, sight.spare(shore)[kind]):
                draft.give(Embark(shore, zone, ((kind, number),)))
    return bool(_carried(draft, zone))


def _deliver(draft: Draft, zone: str) -> None:
    """Ashore, if the zone touches a land with a road to the front; else a step nearer."""
    courses = _courses(draft)
    here = zone
    laden = sum(
        group.count
        for group in queries.own_units(draft.board, draft.seat, zone)
        if group.kind == TRANSPORT and group.cargo
    )
    if courses.get(zone, 0) > 0:
        reach = most(move_context(draft.state, draft.seat), zone)
        nearer = [near for near in reach if TRANSPORT in reach[near] and near in courses]
        goal = min(nearer, key=lambda near: (courses[near], near), default=zone)
        if courses.get(goal, 0) < courses[zone] and draft.give(
            Move(zone, goal, ((TRANSPORT, laden),))
        ):
            here = goal
    sight = draft.sight
    for shore in sorted(_ports(draft, here), key=lambda land: (sight.front[land], land)):
        for kind, number in sorted(_carried(draft, here).items()):
            draft.give(Disembark(here, shore, ((kind, number),)))


def _go_for_troops(draft: Draft, zone: str) -> None:
    """Empty ships go where most troops wait for them, the way considered; then they wait, too."""
    ships, crowds = _idle(draft, zone), _crowds(draft)

    def rank(goal: str) -> tuple[int, str]:
        return LEG * far[goal].get(zone, FAR) - min(crowds[goal], ABOARD * ships), goal

    far = {goal: _distances(draft, [goal]) for goal in crowds}
    best = min(crowds, key=rank, default=zone)
    if best == zone or zone not in far[best]:
        return
    reach = most(move_context(draft.state, draft.seat), zone)
    nearer = [near for near in reach if TRANSPORT in reach[near] and near in far[best]]
    goal = min(nearer, key=lambda near: (far[best][near], near), default=zone)
    if goal in far[best] and far[best][goal] < far[best][zone]:
        draft.give(Move(zone, goal, ((TRANSPORT, ships),)))


def _crowds(draft: Draft) -> dict[str, int]:
    """By zone: infantry on its shores that has no road to the front and can be spared."""
    sight, found = draft.sight, Counter[str]()
    for land, far in sight.front.items():
        if far >= OVERSEAS and queries.own_units(draft.board, draft.seat, land):
            infantry = sight.spare(land)[INFANTRY]
            for zone in atlas().zones(land):
                found[zone] += infantry + _waits(draft, land)
    return {zone: number for zone, number in found.items() if number}


def _come_home(draft: Draft, zone: str) -> None:
    """Empty ships go where troops wait for them; never towards the enemy."""
    sight = draft.sight
    waiting = [
        near
        for near, space in atlas().spaces.items()
        if space.kind == "sea"
        for shore in atlas().coasts(near)
        if sight.front.get(shore, 0) >= OVERSEAS and sight.spare(shore)[INFANTRY] > 1
    ]
    far = _distances(draft, waiting)
    reach = most(move_context(draft.state, draft.seat), zone)
    nearer = [near for near in reach if TRANSPORT in reach[near] and near in far]
    goal = min(nearer, key=lambda near: (far[near], near), default=zone)
    if far.get(goal, 0) < far.get(zone, 0):
        draft.give(Move(zone, goal, ((TRANSPORT, _idle(draft, zone)),)))


def _ports(draft: Draft, zone: str) -> list[str]:
    """Shores of a zone from which a road leads to the front."""
    sight = draft.sight
    context = move_context(draft.state, draft.seat)
    return [
        land
        for land in atlas().coasts(zone)
        if land in context.open_lands and sight.front[land] < OVERSEAS
    ]


def _courses(draft: Draft) -> dict[str, int]:
    """How far every zone is from one with such a port."""
    seas = [key for key, space in atlas().spaces.items() if space.kind == "sea"]
    return _distances(draft, [zone for zone in seas if _ports(draft, zone)])


def _distances(draft: Draft, goals: list[str]) -> dict[str, int]:
    """By sea, past no enemy ships."""
    context = move_context(draft.state, draft.seat)
    found = {zone: 0 for zone in goals if zone not in context.blocked}
    edge = list(found)
    while edge:
        fresh = []
        for here in edge:
            for near in atlas().neighbours[here]:
                is_sea = atlas().spaces[near].kind == "sea" and near not in context.blocked
                if is_sea and near not in found and context.passes(near, here, TRANSPORT):
                    found[near] = found[here] + 1
                    fresh.append(near)
        edge = fresh
    return found
