"""8.10, 8.11: going on board, coming ashore, and both with the voyage between them as one thing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from engine.abilities import SheetForm, SheetValue
from engine.chance import SealedDice
from engine.core import Text
from engine.east_and_west.board import Group, Load
from engine.east_and_west.data.arsenal import INFANTRY, TRANSPORTS
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWER_NAMES, side
from engine.east_and_west.execution import Course
from engine.east_and_west.movement.shipping import landable, load, room_for
from engine.east_and_west.queries import own_units
from engine.east_and_west.reach.destinations import movable, targets
from engine.east_and_west.sheet.desk import Desk
from engine.east_and_west.sheet.outlook import defended
from engine.east_and_west.sheet.paper import (
    Offer,
    Values,
    choice,
    must_choose,
    nothing,
    space_text,
    spaces,
    units,
)
from engine.east_and_west.verbs.moves import Move
from engine.east_and_west.verbs.shipping import Disembark, Embark

Units = tuple[tuple[str, int], ...]


def offers(desk: Desk, start: str) -> Iterator[Offer]:
    if atlas().is_land(start):
        yield from _voyage(desk, start)
        yield from _loading(desk, start)
    else:
        yield from _unloading(desk, start)


# --- on board, over the sea and ashore in one -----------------------------------------------------


def _voyage(desk: Desk, land: str) -> Iterator[Offer]:
    able: Counter[str] = Counter()
    ways = []
    for zone in atlas().zones(land):
        room = room_for(desk.context, land, zone, desk.power)
        if room:
            able |= Counter(room)
            ways += list(_ways(desk, zone, land))
    if not ways:
        return
    form = SheetForm(
        "voyage",
        Text("Over the sea: on board, to another coast and ashore"),
        Text("Land there") if desk.context.is_combat else Text("Ship them"),
        (*units(able), must_choose("way", Text("To"), ways)),
        notes=(Text("Send escorts first where enemy ships lie in wait."),)
        if desk.context.is_combat
        else (),
    )
    yield Offer(form, lambda values: _shipped(desk, land, values.units(able), values))


def _ways(desk: Desk, zone: str, land: str) -> Iterator[SheetValue]:
    """Zones where a transport with troops could go from here, and the shores there."""
    context = desk.context
    ships = [group for group in movable(context, zone) if group.kind in TRANSPORTS]
    reached = {zone: None}
    for ship in ships:
        loaded = Group(ship.owner, ship.kind, used=ship.used, cargo=(Load(desk.power, INFANTRY),))
        reached |= {there: None for there, _ in targets(context, zone, loaded)}
    shores = context.assailable if context.is_combat else context.open_lands
    for there in reached:
        for shore in atlas().coasts(there):
            if shore in shores and shore != land and context.is_free_of_bombs(shore):
                yield SheetValue(
                    f"{zone} {there} {shore}",
                    Text(
                        "{shore}, from {zone}",
                        {"shore": space_text(shore), "zone": space_text(there)},
                    ),
                    defended(desk.board, desk.power, shore) if context.is_combat else None,
                )


def _shipped(desk: Desk, land: str, going: Units, values: Values) -> list[Any]:
    """The orders, with as many ships as the load needs."""
    zone, there, shore = values.chosen("way").split()
    orders: list[Any] = [Embark(land, zone, going)]
    if there != zone:
        course = Course(desk.state, SealedDice())
        before = _fleet(desk, course, zone)
        load(course, land, zone, going)
        ships = Counter[str]()
        for group, number in (_fleet(desk, course, zone) - before).items():
            ships[group.kind] += number
        orders.append(Move(zone, there, (*sorted(ships.items()), *going)))
    return [*orders, Disembark(there, shore, going)]


def _fleet(desk: Desk, course: Course, zone: str) -> Counter[Group]:
    found: Counter[Group] = Counter()
    for group in own_units(course.board, desk.power, zone):
        if group.kind in TRANSPORTS:
            found[_one(group)] += group.count
    return found


def _one(group: Group) -> Group:
    return Group(group.owner, group.kind, 1, group.used, group.marks, group.cargo, group.loaded)


# --- one after the other --------------------------------------------------------------------------


def _loading(desk: Desk, land: str) -> Iterator[Offer]:
    able: Counter[str] = Counter()
    zones = []
    hosts = []
    for zone in atlas().zones(land):
        for power in side(desk.power):
            room = room_for(desk.context, land, zone, power)
            if room:
                able |= Counter(room)
                zones.append(zone)
                hosts.append(power)
    if not zones:
        return
    onto = [
        SheetValue(power, Text("{power}", {"power": POWER_NAMES[power]}))
        for power in dict.fromkeys(hosts)
        if power != desk.power
    ]
    form = SheetForm(
        "load",
        Text("Load units onto a ship"),
        Text("On board"),
        (
            *units(able),
            choice("zone", Text("In"), spaces(dict.fromkeys(zones))),
            choice("onto", Text("Ships of"), [nothing(Text("your own")), *onto]),
        ),
        is_folded=True,
    )

    def orders(values: Values) -> list[Any]:
        host = next((power for power in hosts if power == values.chosen("onto")), None)
        return [Embark(land, values.chosen("zone"), values.units(able), host)]

    yield Offer(form, orders)


def _unloading(desk: Desk, zone: str) -> Iterator[Offer]:
    able: Counter[str] = Counter()
    shores = []
    for shore in atlas().coasts(zone):
        found = landable(desk.context, zone, shore)
        if found:
            able |= Counter(found)
            shores.append(shore)
    if not shores:
        return
    values = [
        SheetValue(
            shore,
            space_text(shore),
            defended(desk.board, desk.power, shore) if desk.context.is_combat else None,
        )
        for shore in shores
    ]
    form = SheetForm(
        "unload",
        Text("Land units from a ship"),
        Text("Ashore"),
        (*units(able, able), must_choose("shore", Text("To"), values, desk.to)),
    )
    yield Offer(form, lambda said: [Disembark(zone, said.chosen("shore"), said.units(able))])
