"""Over the sea and by air: ships with their load, paratroops, raids and bombs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from engine.abilities import SheetForm, SheetValue
from engine.chance import SealedDice
from engine.core import BadNotation, Text
from engine.east_and_west.board import Group, Load
from engine.east_and_west.data.arsenal import BOMBER, BOMBS, FIGHTER, INFANTRY, TRANSPORTS
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWER_NAMES, side
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import count
from engine.east_and_west.movement.airborne import bomb_targets, bombs_to_fly, drops, raids
from engine.east_and_west.movement.shipping import landable, load, room_for
from engine.east_and_west.queries import own_units
from engine.east_and_west.reach.destinations import targets
from engine.east_and_west.sheet.desk import Desk
from engine.east_and_west.sheet.outlook import defended
from engine.east_and_west.sheet.paper import (
    Offer,
    Values,
    amount,
    choice,
    kind_text,
    must_choose,
    nothing,
    space_text,
    spaces,
    units,
)
from engine.east_and_west.verbs.aircraft import Drop, FlyBomb, Raid
from engine.east_and_west.verbs.moves import Move
from engine.east_and_west.verbs.shipping import Disembark, Embark
from engine.east_and_west.verbs.strikes import StrikeOrder, possible_strikes

Units = tuple[tuple[str, int], ...]


def sea_offers(desk: Desk, start: str) -> Iterator[Offer]:
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
    ships = [group for group in context.movable(zone) if group.kind in TRANSPORTS]
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
            choice("zone", Text("Where"), spaces(dict.fromkeys(zones))),
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


# --- 7.14, 11.3, 11.6, 12: by air ----------------------------------------------------------------

MISSILE = "missile"


def can_act(desk: Desk, space: str) -> bool:
    """Whether aircraft or bombs of a space may have something else to do than to move."""
    own = own_units(desk.board, desk.power, space)
    return bool(count(own, BOMBER, *BOMBS)) and any(True for _ in air_offers(desk, space))


def air_offers(desk: Desk, start: str) -> Iterator[Offer]:
    own = own_units(desk.board, desk.power, start)
    if count(own, BOMBER, FIGHTER):
        for kind in (BOMBER, FIGHTER):
            yield from _dropping(desk, start, kind)
    if desk.context.is_combat and count(own, BOMBER):
        yield from _raiding(desk, start)
    if count(own, *BOMBS):
        yield from _flying_bombs(desk, start)
        if desk.context.is_combat:
            yield from _striking(desk, start)


def _some(values: Values) -> int:
    if not values.number("count"):
        raise BadNotation("nothing is chosen; choose {what}", what=Text("a number of units"))
    return values.number("count")


def _dropping(desk: Desk, start: str, kind: str) -> Iterator[Offer]:
    """12.1, 12.5"""
    able = drops(desk.context, start, kind)
    if not able:
        return
    most = max(able.values())
    form = SheetForm(
        f"drop-{kind}",
        Text("Carry infantry by air: {kind}", {"kind": kind_text(kind)}),
        Text("Fly them"),
        (
            amount("count", Text("Aircraft with one infantry each"), most, most),
            must_choose("to", Text("To"), _limits(able), desk.to),
        ),
        is_folded=True,
    )
    yield Offer(form, lambda values: [Drop(start, values.chosen("to"), _some(values), kind)])


def _limits(able: Mapping[str, int]) -> list[SheetValue]:
    return [
        SheetValue(space, space_text(space), Text("up to {most}", {"most": number}))
        for space, number in sorted(able.items())
    ]


def _raiding(desk: Desk, start: str) -> Iterator[Offer]:
    """7.14"""
    able = raids(desk.context, start)
    if not able:
        return
    most = max(able.values())
    form = SheetForm(
        "raid",
        Text("Bomb a factory"),
        Text("Bomb it"),
        (
            amount("count", kind_text(BOMBER), most, most),
            must_choose("to", Text("Factory in"), _limits(able), desk.to),
        ),
        notes=(Text("Guns fire at them; the rest cost the enemy what their dice show."),),
        is_folded=True,
    )
    yield Offer(form, lambda values: [Raid(start, values.chosen("to"), _some(values))])


def _flying_bombs(desk: Desk, start: str) -> Iterator[Offer]:
    """11.2"""
    bombs = bombs_to_fly(desk.context, start)
    lands = bomb_targets(desk.context, start) if bombs else []
    if not lands:
        return
    form = SheetForm(
        "fly-bomb",
        Text("Fly a bomb to a friendly land"),
        Text("Fly it"),
        (
            choice("bomb", Text("Bomb"), [SheetValue(bomb, kind_text(bomb)) for bomb in bombs]),
            must_choose("to", Text("To"), spaces(sorted(lands))),
        ),
        is_folded=True,
    )
    yield Offer(form, lambda values: [FlyBomb(start, values.chosen("to"), values.chosen("bomb"))])


def _striking(desk: Desk, start: str) -> Iterator[Offer]:
    """11.3, 11.6"""
    possible = list(possible_strikes(desk.state, desk.power, start))
    if not possible:
        return
    means = dict.fromkeys((order.bomb, order.by_missile) for order in possible)
    targets = dict.fromkeys(order.target for order in possible)
    form = SheetForm(
        "strike",
        Text("Attack with an atomic weapon"),
        Text("Drop the bomb"),
        (
            choice("means", Text("By"), [_means(bomb, flies) for bomb, flies in means]),
            must_choose("to", Text("On"), spaces(sorted(targets)), desk.to),
        ),
        warning=Text("the world may protest, and a bomb may go off at home"),
        is_folded=True,
    )

    def orders(values: Values) -> list[Any]:
        bomb, *missile = values.chosen("means").split()
        return [StrikeOrder(start, values.chosen("to"), bomb, bool(missile))]

    yield Offer(form, orders)


def _means(bomb: str, by_missile: bool) -> SheetValue:
    if by_missile:
        return SheetValue(
            f"{bomb} {MISSILE}", Text("{bomb}, by missile", {"bomb": kind_text(bomb)})
        )
    return SheetValue(bomb, Text("{bomb}, by bomber", {"bomb": kind_text(bomb)}))
