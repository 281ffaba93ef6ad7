"""8.10, 8.11: troops go on board of transports and ashore."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from msgspec.structs import replace

from engine.core import IllegalAction, Seat
from engine.east_and_west.board import Group, Landing, Load
from engine.east_and_west.data.arsenal import (
    AA_GUN,
    ARMOR,
    BOMBS,
    HEAVY_ARMOR,
    HOWITZER,
    INFANTRY,
    LARGE_TRANSPORT,
    SPECIAL_FORCES,
    TRANSPORT,
    counted,
    kinds,
)
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWER_NAMES, are_friends
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import mark
from engine.east_and_west.movement.declarations import (
    Units,
    declare,
    enter_land,
    note_departure,
    note_landing,
)
from engine.east_and_west.reach.context import MoveContext, move_context
from engine.east_and_west.reach.decks import hosts
from engine.east_and_west.reach.destinations import PASSIVE, name, standing

ROOM: dict[str, tuple[dict[str, int], ...]] = {
    TRANSPORT: ({INFANTRY: 2}, {ARMOR: 1}, {HEAVY_ARMOR: 1}, {HOWITZER: 1}),
    LARGE_TRANSPORT: (
        {INFANTRY: 3},
        {INFANTRY: 2, ARMOR: 1},
        {ARMOR: 2},
        {HOWITZER: 2},
        {HEAVY_ARMOR: 1, INFANTRY: 1},
    ),
}
"""6.7: full loads; every part of one fits, too."""
COUNTS_AS = {
    SPECIAL_FORCES: INFANTRY,
    AA_GUN: HOWITZER,
    **dict.fromkeys(BOMBS, HOWITZER),
}
MOST_LANDS = 2
"""8.10: lands from which a ship loads, and in which it unloads without a battle."""


def fits(ship: str, cargo: Iterable[Load]) -> bool:
    """6.7: whether a ship has room for all of that."""
    wanted: Counter[str] = Counter()
    for load in cargo:
        wanted[COUNTS_AS.get(load.kind, load.kind)] += load.count
    return any(all(n <= full.get(kind, 0) for kind, n in wanted.items()) for full in ROOM[ship])


def with_load(cargo: tuple[Load, ...], owner: str, kind: str, number: int) -> tuple[Load, ...]:
    """A cargo with more, or with a negative number less, of something."""
    counts = {(load.owner, load.kind): load.count for load in cargo}
    counts[owner, kind] = counts.get((owner, kind), 0) + number
    return tuple(sorted(Load(o, k, n) for (o, k), n in counts.items() if n > 0))


# --- on board -------------------------------------------------------------------------------------


def loadable(context: MoveContext, land: str) -> dict[str, int]:
    """8.10, 19: units of a land that have not moved and can go on board now, by kind."""
    found: Counter[str] = Counter()
    if land in context.open_lands:
        for group in context.movable(land):
            if _can_board(context, group):
                found[group.kind] += group.count
    return dict(found)


def _can_board(context: MoveContext, group: Group) -> bool:
    is_troop = kinds()[group.kind].is_ground or group.kind in BOMBS
    return is_troop and not group.used and not (context.is_combat and group.kind in PASSIVE)


def carriers_of(context: MoveContext, land: str, zone: str, owner: str) -> list[Group]:
    """Ships of a power in a zone that may take units from a land, one by one."""
    ships = [ship for ship in context.transports.get(zone, ()) if ship.owner == owner]
    if not ships or zone in context.blocked or zone not in atlas().zones(land):
        return []
    if not hosts(context.state, owner, context.power):
        return []
    return [
        replace(group, count=1)
        for group in ships
        if not group.has("spent") and len({*group.loaded, land}) <= MOST_LANDS
        for _ in range(group.count)
    ]


def room_for(context: MoveContext, land: str, zone: str, owner: str) -> dict[str, int]:
    """How many units of each kind could go on board of the ships of a power."""
    ships = carriers_of(context, land, zone, owner)
    if not ships:
        return {}
    return {
        kind: number
        for kind, present in loadable(context, land).items()
        if (number := sum(_room(ship.kind, ship.cargo, kind) for ship in ships)) > 0
        if (number := min(present, number))
    }


@lru_cache
def _room(ship: str, cargo: tuple[Load, ...], kind: str) -> int:
    """6.7: how many units of a kind a ship takes beside its cargo, whoever owns them."""
    number = 0
    while fits(ship, with_load(cargo, "", kind, number + 1)):
        number += 1
    return number


def load(course: Course, land: str, zone: str, units: Units, onto: Seat | None = None) -> None:
    """8.10: units go on board of own ships, or of an ally's."""
    context, owner = move_context(course.state, course.active), onto or course.active
    _require_loadable(context, land, zone, units, owner)
    ships = carriers_of(context, land, zone, owner)
    if not ships:
        raise _no_ship(context, zone, owner)
    cargoes = stow([(s.kind, s.cargo) for s in ships], _singly(course.active, units))
    if cargoes is None:
        raise IllegalAction(
            "the ships of {power} in {zone} have no room for all of that",
            power=POWER_NAMES[owner],
            zone=name(zone),
        )
    for kind, number in units:
        _take_from_land(course, context, land, kind, number)
        if context.is_combat:
            note_departure(course, land, zone, Group(course.active, kind), number)
    for ship, cargo in zip(ships, cargoes, strict=True):
        if cargo != ship.cargo:
            loaded = tuple(sorted({*ship.loaded, land}))
            course.take(zone, standing(course.board, zone, ship), 1)
            course.put(zone, replace(ship, cargo=cargo, loaded=loaded))
    _tell(course, "{power}: {units} on board, {land} - {zone}", units, land, zone)


def _require_loadable(
    context: MoveContext, land: str, zone: str, units: Units, owner: Seat
) -> None:
    if zone not in atlas().zones(land):
        raise IllegalAction("{land} has no coast at {zone}", land=name(land), zone=name(zone))
    if zone in context.blocked:
        raise IllegalAction("no loading among enemy ships: {zone}", zone=name(zone))
    if not are_friends(context.power, owner) or not hosts(context.state, owner, context.power):
        raise IllegalAction("{power} takes nobody on board", power=POWER_NAMES[owner])
    present = loadable(context, land)
    for kind, number in units:
        if present.get(kind, 0) < number:
            raise IllegalAction(
                "{land}, {kind}: ready to go on board {present}, not {number}",
                land=name(land),
                present=present.get(kind, 0),
                kind=kinds()[kind].names,
                number=number,
            )


def _no_ship(context: MoveContext, zone: str, owner: Seat) -> IllegalAction:
    """8.10: why no transport of a power takes anybody here."""
    there = [ship for ship in context.transports.get(zone, ()) if ship.owner == owner]
    said = {"power": POWER_NAMES[owner], "zone": name(zone)}
    if not there:
        return IllegalAction("{power} has no transport in {zone}", **said)
    if all(group.has("spent") for group in there):
        return IllegalAction("the transports of {power} in {zone} have ended their move", **said)
    return IllegalAction(
        "a ship loads in two lands at most; those of {power} in {zone} have done so", **said
    )


def _singly(owner: str, units: Units) -> list[tuple[str, str]]:
    """Owner and kind of each unit, the bulkiest first."""
    order = (HEAVY_ARMOR, ARMOR, HOWITZER, INFANTRY)
    every = [(owner, kind) for kind, number in units for _ in range(number)]
    return sorted(every, key=lambda unit: order.index(COUNTS_AS.get(unit[1], unit[1])))


Ship = tuple[str, tuple[Load, ...]]
"""A ship by its kind, and what is on board."""


def stow(ships: list[Ship], units: list[tuple[str, str]]) -> list[tuple[Load, ...]] | None:
    """6.7: the cargo of each ship when all units are on board; None: they do not fit."""
    found = _stowed(tuple(ships), tuple(units), set())
    return None if found is None else [cargo for _, cargo in found]


def _stowed(
    ships: tuple[Ship, ...], units: tuple[tuple[str, str], ...], failed: set[object]
) -> tuple[Ship, ...] | None:
    if not units:
        return ships
    state = len(units), tuple(sorted(ships))
    if state in failed:
        return None
    (owner, kind), rest = units[0], units[1:]
    # Ships with something on board first: a load should leave other ships free.
    for ship in sorted(dict.fromkeys(ships), key=lambda s: (not s[1], s[0] != TRANSPORT)):
        cargo = with_load(ship[1], owner, kind, 1)
        if fits(ship[0], cargo):
            index = ships.index(ship)
            fuller = (*ships[:index], (ship[0], cargo), *ships[index + 1 :])
            if (found := _stowed(fuller, rest, failed)) is not None:
                return found
    failed.add(state)
    return None


def _take_from_land(
    course: Course, context: MoveContext, land: str, kind: str, number: int
) -> None:
    for group in context.movable(land):
        if group.kind == kind and _can_board(context, group) and number:
            some = min(number, group.count)
            course.take(land, standing(course.board, land, group), some)
            number -= some


# --- ashore ---------------------------------------------------------------------------------------


def landable(context: MoveContext, zone: str, land: str) -> dict[str, int]:
    """Own units on ships in a zone that can be put ashore in a land now, by kind."""
    if not _may_land(context, zone, land):
        return {}
    found: Counter[str] = Counter()
    for ship in _ships_with_cargo(context, zone, land):
        for load in ship.cargo:
            if load.owner == context.power and not (context.is_combat and load.kind in PASSIVE):
                found[load.kind] += load.count * ship.count
    for load in _waiting(context, zone, land):
        found[load.kind] -= load.count
    return {kind: number for kind, number in found.items() if number > 0}


def _may_land(context: MoveContext, zone: str, land: str) -> bool:
    if land not in atlas().coasts(zone):
        return False
    if not context.is_combat:
        return land in context.open_lands
    is_won = zone not in context.blocked or zone in context.declared
    return is_won and land in context.assailable and context.is_free_of_bombs(land)


def _ships_with_cargo(context: MoveContext, zone: str, land: str) -> Iterator[Group]:
    """8.10: in the combat move a ship lands in one land, otherwise in two."""
    most = 1 if context.is_combat else MOST_LANDS
    for ship in context.transports.get(zone, ()):
        if len({*ship.shore, land}) <= most:
            yield ship


def _waiting(context: MoveContext, zone: str, land: str) -> tuple[Load, ...]:
    """Units that are to land there as soon as the zone is won."""
    return next(
        (
            landing.loads
            for landing in context.board.turn.landings
            if (landing.zone, landing.land) == (zone, land)
        ),
        (),
    )


def land(course: Course, zone: str, shore: str, units: Units) -> None:
    """8.10, 8.11: units go ashore: into battle, or to friends; after a sea battle only later."""
    context = move_context(course.state, course.active)
    _require_landable(context, zone, shore, units)
    _tell(course, "{power}: {units} ashore, {zone} - {land}", units, shore, zone)
    is_contested = context.is_combat and zone in context.blocked
    for kind, number in units:
        landed = _send_ashore(course, zone, shore, kind, number, stays_on_board=is_contested)
        if is_contested:
            continue
        troops = Group(course.active, kind, number, marks=("spent",))
        if context.is_combat:
            for loaded, some in landed:
                note_landing(course, zone, shore, kind, some, loaded)
            enter_land(course, shore, mark(troops, "landed"), landings=(zone,))
        else:
            course.put(shore, troops)
    if is_contested:
        _plan_landing(course, zone, shore, units)


def _require_landable(context: MoveContext, zone: str, shore: str, units: Units) -> None:
    if shore not in atlas().coasts(zone):
        raise IllegalAction("{land} has no coast at {zone}", land=name(shore), zone=name(zone))
    if not context.is_combat and shore not in context.open_lands:
        raise IllegalAction("{space} is not friendly", space=name(shore))
    if context.is_combat and shore not in context.assailable:
        raise IllegalAction(
            "{space} cannot be attacked; to friends units go ashore in the non-combat move",
            space=name(shore),
        )
    if context.is_combat and not context.is_free_of_bombs(shore):
        raise IllegalAction("{space} is the target of a bomb in this turn", space=name(shore))
    if context.is_combat and zone in context.blocked - context.declared:
        raise IllegalAction(
            "the enemy ships have to be fought first; order: attack {word}", word=zone
        )
    present = landable(context, zone, shore)
    for kind, number in units:
        if present.get(kind, 0) < number:
            raise IllegalAction(
                "{zone}, {kind}: ready to go ashore {present}, not {number}",
                zone=name(zone),
                present=present.get(kind, 0),
                kind=kinds()[kind].names,
                number=number,
            )


def _send_ashore(
    course: Course, zone: str, shore: str, kind: str, number: int, stays_on_board: bool
) -> list[tuple[tuple[str, ...], int]]:
    """Unload ships, those first that unload there anyway; they do not move on.

    How many went from each ship, and in which lands it loaded in this turn.
    """
    context = MoveContext(course.state, course.active)
    owed = sum(load.count for load in _waiting(context, zone, shore) if load.kind == kind)
    ships = sorted(
        _ships_with_cargo(context, zone, shore),
        key=lambda ship: (shore not in ship.shore, len(ship.cargo), ship),
    )
    landed: list[tuple[tuple[str, ...], int]] = []
    for ship in ships:
        for _ in range(ship.count):
            has = _on_board(ship, course.active, kind)
            kept = min(has, owed) if shore in ship.shore else 0
            owed -= kept
            some = min(has - kept, number)
            if some:
                number -= some
                landed.append((ship.loaded, some))
                _unload(course, zone, shore, ship, kind, 0 if stays_on_board else some)
    return landed


def _on_board(ship: Group, owner: str, kind: str) -> int:
    return sum(load.count for load in ship.cargo if (load.owner, load.kind) == (owner, kind))


def _unload(course: Course, zone: str, shore: str, ship: Group, kind: str, number: int) -> None:
    one = replace(standing(course.board, zone, ship), count=1)
    cargo = with_load(ship.cargo, course.active, kind, -number)
    emptied = replace(one, cargo=cargo, shore=tuple(sorted({*ship.shore, shore})))
    course.take(zone, standing(course.board, zone, ship), 1)
    course.put(zone, mark(emptied, "spent") if ship.owner == course.active else emptied)


def _plan_landing(course: Course, zone: str, shore: str, units: Units) -> None:
    """8.11: they stay on board until the sea battle is won."""
    others = [each for each in course.turn.landings if (each.zone, each.land) != (zone, shore)]
    loads = _waiting(MoveContext(course.state, course.active), zone, shore)
    for kind, number in units:
        loads = with_load(loads, course.active, kind, number)
    course.update_turn(landings=(*others, Landing(zone, shore, loads)))
    declare(course, shore, landings=(zone,))


def _tell(course: Course, message: str, units: Units, land: str, zone: str) -> None:
    course.tell(
        message,
        power=POWER_NAMES[course.active],
        units=tuple(counted(kind, number) for kind, number in units),
        land=name(land),
        zone=name(zone),
    )
