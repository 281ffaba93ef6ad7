"""Assaults from the sea: troops that can be spared land where it pays; 8.11."""

from __future__ import annotations

from collections import Counter

from engine.east_and_west import queries
from engine.east_and_west.board import Board, Group
from engine.east_and_west.bot.appraisal import ABOARD
from engine.east_and_west.bot.draft import Draft
from engine.east_and_west.bot.offensive import (
    COMFORT,
    GOOD,
    available,
    declare_all,
    is_alliance,
    opposition,
    outlook,
    pays,
    prize,
    send,
)
from engine.east_and_west.data.arsenal import (
    ARMOR,
    BATTLESHIP,
    CRUISER,
    HEAVY_ARMOR,
    INFANTRY,
    SPECIAL_FORCES,
    TRANSPORTS,
)
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.movement.moving import most
from engine.east_and_west.movement.shipping import room_for
from engine.east_and_west.reach.context import move_context
from engine.east_and_west.verbs.moves import Move
from engine.east_and_west.verbs.shipping import Disembark, Embark

FERRY = 4
"""What it costs to leave a transport before an enemy coast."""
VOYAGE = 2
"""Zones that transports cross before they land."""
MARINES = (INFANTRY, SPECIAL_FORCES, HEAVY_ARMOR, ARMOR)
"""Who goes on board, in this order."""
ESCORTS = (BATTLESHIP, CRUISER)
"""Who goes along and bombards; 7.6."""


def land(draft: Draft, attacked: frozenset[str]) -> frozenset[str]:
    """Declare the landings that are worth it, the easiest first; the lands that are attacked."""
    return declare_all(draft, _shores(draft), _assault, attacked)


# --- where ----------------------------------------------------------------------------------------


def _shores(draft: Draft) -> list[str]:
    """Hostile coasts that own transports can reach, the weakest and most valuable first."""
    context = move_context(draft.state, draft.seat)
    zones = {zone for harbour in _harbours(draft) for zone in _near(draft, harbour)}
    lands = {
        land
        for zone in zones
        for land in atlas().coasts(zone)
        if land in context.assailable
        and land not in context.declared
        and not is_alliance(draft.board, land)
    }
    worthy = [land for land in lands if prize(draft.board, land)]
    return sorted(
        worthy, key=lambda land: (_strength(draft, land), -prize(draft.board, land), land)
    )


def _near(draft: Draft, harbour: str) -> dict[str, int]:
    """Zones that ships can sail to, and how far, unless something is in their way."""
    found, edge = {harbour: 0}, [harbour]
    for far in range(1, 1 + (VOYAGE if "landings" in draft.skills else 1)):
        edge = [
            near
            for here in edge
            for near in sorted(atlas().neighbours[here])
            if near not in found and atlas().spaces[near].kind == "sea"
        ]
        found.update(dict.fromkeys(edge, far))
    return found


def _strength(draft: Draft, land: str) -> int:
    return sum(arm.number * arm.units for arm in opposition(draft, land))


def _harbours(draft: Draft) -> list[str]:
    """Zones with own transports that have not moved."""
    return [
        space
        for space in sorted(draft.board.units)
        if not atlas().is_land(space) and _ships(draft, space)
    ]


def _ships(draft: Draft, zone: str) -> list[Group]:
    return [
        group
        for group in queries.own_units(draft.board, draft.seat, zone)
        if group.kind in TRANSPORTS and not group.used and not group.has("spent")
    ]


# --- how ------------------------------------------------------------------------------------------


def _assault(draft: Draft, target: str, chosen: frozenset[str]) -> bool:
    """The first zone from which it pays; with ships from all harbours that are near enough."""
    for zone in sorted(atlas().zones(target)):
        harbours = [(far, h) for h in _harbours(draft) for far in [_near(draft, h).get(zone)]]
        near = [harbour for far, harbour in sorted((f, h) for f, h in harbours if f is not None)]
        if "landings" in draft.skills:
            fleets = [near] if near else []
        else:
            fleets = [[harbour] for harbour in near]
        if any(_assault_from(draft, fleet, zone, target, chosen) for fleet in fleets):
            return True
    return False


def _assault_from(
    draft: Draft, harbours: list[str], zone: str, target: str, chosen: frozenset[str]
) -> bool:
    """Load what can be spared, cross, land; warships and aircraft that reach it help."""
    if not _is_promising(draft, harbours, target):
        return False
    before = draft.mark()
    for harbour in harbours:
        if not _is_enough(draft, target):
            _come_ashore(draft, harbour, zone, target)
    landed = draft.board.turn.attacks != before[0].board.turn.attacks
    is_taken = target in draft.board.turn.captured
    if landed or is_taken:
        for start, units in sorted(available(draft, target, chosen | {target}).items()):
            send(draft, start, target, units)
        if "landings" in draft.skills:
            _escort(draft, zone)
        if is_taken or _pays_to_land(draft, target, before[0].board, chosen):
            return True
    draft.back(before)
    return False


def _is_promising(draft: Draft, harbours: list[str], target: str) -> bool:
    """Whether full ships and all that reaches the land otherwise would do."""
    others = [
        kind
        for units in available(draft, target, frozenset()).values()
        for kind in units.elements()
    ]
    ships = sum(group.count for harbour in harbours for group in _ships(draft, harbour))
    landing = Counter({INFANTRY: ABOARD * ships})
    return outlook(draft, target, landing + Counter(others)) >= GOOD - 0.1


def _is_enough(draft: Draft, target: str) -> bool:
    """Whether those who are ashore already will probably do."""
    if target in draft.board.turn.captured:
        return True
    own = queries.own_units(draft.board, draft.seat, target)
    ashore = Counter({group.kind: group.count for group in own if group.has("attacking")})
    return bool(ashore) and outlook(draft, target, ashore) >= COMFORT


def _pays_to_land(draft: Draft, target: str, before: Board, chosen: frozenset[str]) -> bool:
    return prize(before, target) > FERRY and pays(draft, target, before, chosen)


def _come_ashore(draft: Draft, harbour: str, zone: str, target: str) -> None:
    """Ships of one harbour are loaded, sail, and land everybody; or nothing of it is done."""
    before = draft.mark()
    _embark(draft, harbour)
    laden = Counter(
        {group.kind: group.count for group in _ships(draft, harbour) if _troops(draft, [group])}
    )
    sailing = tuple(sorted(laden.items()))
    has_sailed = bool(laden) and (zone == harbour or draft.give(Move(harbour, zone, sailing)))
    troops = _troops(draft, queries.own_units(draft.board, draft.seat, zone))
    ashore = tuple(sorted(troops.items()))
    if not has_sailed or not ashore or not draft.give(Disembark(zone, target, ashore)):
        draft.back(before)


def _embark(draft: Draft, harbour: str) -> None:
    """Fill the ships with whoever can be spared."""
    for shore in sorted(atlas().coasts(harbour)):
        free = draft.sight.spare(shore)
        for kind in MARINES if "landings" in draft.skills else (INFANTRY,):
            if free[kind] < 1:
                continue
            context = move_context(draft.state, draft.seat)
            room = room_for(context, shore, harbour, draft.seat).get(kind, 0)
            if number := min(free[kind], room):
                draft.give(Embark(shore, harbour, ((kind, number),)))


def _troops(draft: Draft, groups: list[Group]) -> Counter[str]:
    """Own troops on board that can fight."""
    found: Counter[str] = Counter()
    for group in groups:
        for load in group.cargo if group.kind in TRANSPORTS else ():
            if load.owner == draft.seat and load.kind in MARINES:
                found[load.kind] += load.count * group.count
    return found


def _escort(draft: Draft, zone: str) -> None:
    """7.6, 8.2: warships in reach cover the landing."""
    for start in sorted(draft.board.units):
        if atlas().is_land(start) or start == zone:
            continue
        able = most(move_context(draft.state, draft.seat), start, zone).get(zone, {})
        going = tuple((kind, able[kind]) for kind in sorted(able) if kind in ESCORTS)
        if going:
            draft.give(Move(start, zone, going))
