"""9.2-9.7: what was bought is put on the board."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from engine.core import IllegalAction, Option, Seat, Text
from engine.east_and_west.board import Board, Group, Mark
from engine.east_and_west.course import neutrals
from engine.east_and_west.course.production import finish_repairs
from engine.east_and_west.data.arsenal import FACTORY, INFANTRY, SPY, counted, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.lexicon import Words
from engine.east_and_west.data.powers import POWER_NAMES, USSR
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import count
from engine.east_and_west.queries import enemy_ships, is_own, own_units, value
from engine.east_and_west.state import State

Units = tuple[tuple[str, int], ...]


class Place(Struct, frozen=True, omit_defaults=True):
    """Units from the hand into a land, or ships into a zone."""

    space: str
    units: Units
    factory: str = ""
    """The land whose factory builds ships; nothing: whichever has most room."""


class PlaceVerb:
    word = "place"
    action = Place

    def parse(self, words: Words) -> Place:
        if words.next_is_number():
            units = words.units()
            space = words.space()
        else:
            space = words.space()
            units = words.units()
        return Place(space, units, "" if words.is_over else words.space())

    def notate(self, action: Place) -> str:
        units = [f"{number} {kind}" for kind, number in action.units]
        return " ".join([action.space, *units, action.factory]).rstrip()

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> tuple[Option[Any], ...]:
        board = state.board
        match prefix:
            case ():
                return tuple(
                    Option(space, Text("{space}", {"space": atlas().spaces[space].names}))
                    for space in places(board, seat)
                )
            case (space,) if space in atlas().spaces:
                most = max(placeable(board, seat, space).values(), default=0)
                return tuple(
                    Option(str(number), Text("{number}", {"number": number}))
                    for number in range(1, most + 1)
                )
            case (space, number) if space in atlas().spaces and number.isdecimal():
                return tuple(
                    Option(
                        kind,
                        Text("{kind}", {"kind": kinds()[kind].names}),
                        Place(space, ((kind, int(number)),)),
                    )
                    for kind, most in placeable(board, seat, space).items()
                    if 1 <= int(number) <= most
                )
        return ()

    def do(self, course: Course, seat: Seat, action: Place) -> None:
        require_placeable(course.board, seat, action)
        put_down(course, seat, action)


# --- where there is room --------------------------------------------------------------------------


def levy_room(board: Board, land: str) -> int:
    """9.3: infantry that may still be raised in a land owned since production began."""
    turn = board.turn
    if land not in turn.levies or not is_own(board, turn.power, land):
        return 0
    return max(0, value(board, land) - turn.levied.get(land, 0))


def factory_room(board: Board, land: str) -> int:
    """9.2: units that the factory of a land may still build."""
    turn = board.turn
    if land not in turn.factories or not is_own(board, turn.power, land):
        return 0
    return max(0, value(board, land) - turn.built.get(land, 0))


def yards(board: Board, zone: str) -> list[str]:
    """Lands whose factory can still put ships into a zone, those with most room first."""
    lands = [land for land in atlas().coasts(zone) if factory_room(board, land)]
    return sorted(lands, key=lambda land: (-factory_room(board, land), land))


def can_take_factory(board: Board, power: Seat, land: str) -> bool:
    """9.5: an own land with a printed value and no factory, held since the turn began."""
    return (
        atlas().spaces[land].value > 0
        and land not in board.factories
        and is_own(board, power, land)
        and board.turn.owners[land] == power
    )


def places(board: Board, power: Seat) -> list[str]:
    """Where something of the hand can be placed."""
    if not board.powers[power].hand:
        return []
    spaces = [land for land, owner in board.owners.items() if owner == power]
    zones = sorted({zone for land in board.turn.factories for zone in atlas().zones(land)})
    return [space for space in (*spaces, *zones) if placeable(board, power, space)]


def placeable(board: Board, power: Seat, space: str) -> dict[str, int]:
    """How many of each kind in hand can be placed in a space."""
    hand = board.powers[power].hand
    room = {kind: min(held, _room(board, power, space, kind)) for kind, held in hand.items()}
    return {kind: number for kind, number in room.items() if number > 0}


def _room(board: Board, power: Seat, space: str, kind: str) -> int:
    """How many units of one kind a space can still take; 9.2, 9.3, 9.5, 9.7."""
    is_land = atlas().is_land(space)
    if kind == SPY or is_land == kinds()[kind].is_ship:
        return 0
    if not is_land:
        is_free = atlas().spaces[space].kind == "sea" and not enemy_ships(board, power, space)
        return sum(factory_room(board, land) for land in yards(board, space)) if is_free else 0
    if kind == FACTORY:
        return int(can_take_factory(board, power, space))
    levy = levy_room(board, space) if kind == INFANTRY else 0
    return levy + factory_room(board, space)


# --- placing --------------------------------------------------------------------------------------


def require_placeable(board: Board, power: Seat, action: Place) -> None:
    _require_in_hand(board, power, action.units)
    for kind, _ in action.units:
        _require_fits(board, power, action.space, kind)
    if action.factory:
        _require_yard(board, action)
    if atlas().is_land(action.space):
        _require_land_room(board, power, action)
    else:
        _require_sea_room(board, power, action)


def _require_in_hand(board: Board, power: Seat, units: Units) -> None:
    hand = board.powers[power].hand
    for kind, number in units:
        if kind == SPY:
            raise IllegalAction("spies enter service by themselves")
        if number > hand.get(kind, 0):
            raise IllegalAction(
                "you have {held} to place, not {number}",
                held=counted(kind, hand.get(kind, 0)),
                number=number,
            )


def _require_fits(board: Board, power: Seat, space: str, kind: str) -> None:
    """Ships at sea, the rest in own lands."""
    names = {"kind": kinds()[kind].names, "space": atlas().spaces[space].names}
    if atlas().is_land(space) == kinds()[kind].is_ship:
        raise IllegalAction("{kind} cannot stand in {space}", **names)
    if atlas().is_land(space) and not is_own(board, power, space):
        raise IllegalAction("{space} does not belong to you", space=names["space"])
    if kind == FACTORY and not can_take_factory(board, power, space):
        raise IllegalAction(
            "a factory needs a land with a value and without one, yours since the turn began; "
            "{space} is not",
            space=names["space"],
        )


def _require_yard(board: Board, action: Place) -> None:
    """A factory is named for ships only, and lies at their zone."""
    if atlas().is_land(action.space) or action.factory not in yards(board, action.space):
        raise IllegalAction(
            "no factory of yours in {land} can put ships into {space} now",
            land=atlas().spaces[action.factory].names,
            space=atlas().spaces[action.space].names,
        )


def _require_land_room(board: Board, power: Seat, action: Place) -> None:
    """9.2, 9.3: infantry is raised first, then comes from the factory like everything else."""
    land, numbers = action.space, dict(action.units)
    if numbers.pop(FACTORY, 0) > 1:
        raise IllegalAction("a land has one factory")
    raised, built = levy_room(board, land), factory_room(board, land)
    infantry = numbers.pop(INFANTRY, 0)
    if max(0, infantry - raised) + sum(numbers.values()) > built:
        raise IllegalAction(
            "{land} has room for units from its factory: {built}, raised infantry: {raised}",
            land=atlas().spaces[land].names,
            built=built,
            raised=raised,
        )


def _require_sea_room(board: Board, power: Seat, action: Place) -> None:
    zone, number = atlas().spaces[action.space].names, sum(n for _, n in action.units)
    if enemy_ships(board, power, action.space):
        raise IllegalAction("there are enemy ships in {zone}", zone=zone)
    lands = _builders(board, action)
    room = sum(factory_room(board, land) for land in lands)
    if number > room:
        raise IllegalAction(
            "ships that factories can still put into {zone}: {room}, not {number}",
            room=room,
            zone=zone,
            number=number,
        )


def _builders(board: Board, action: Place) -> list[str]:
    """The factory that was named, or all at the zone."""
    if atlas().spaces[action.space].kind != "sea":
        return []
    return [land for land in yards(board, action.space) if action.factory in ("", land)]


def put_down(course: Course, power: Seat, action: Place) -> None:
    """New units do not move before the next turn; those of the mobilisation do, in the first."""
    marks: tuple[Mark, ...] = () if course.turn.stop == "mobilisation" else ("spent",)
    for kind, number in action.units:
        _take_from_hand(course, power, kind, number)
        if kind == FACTORY:
            course.update(factories=tuple(sorted({*course.board.factories, action.space})))
        else:
            _count_built(course, action, kind, number)
            course.put(action.space, Group(power, kind, number, marks=marks))
        course.tell(
            "{power} places {number} {kind} in {space}",
            power=POWER_NAMES[power],
            number=number,
            kind=kinds()[kind].names,
            space=atlas().spaces[action.space].names,
        )


def _take_from_hand(course: Course, power: Seat, kind: str, number: int) -> None:
    hand = dict(course.board.powers[power].hand)
    hand[kind] -= number
    course.update_power(power, hand={key: held for key, held in hand.items() if held})


def _count_built(course: Course, action: Place, kind: str, number: int) -> None:
    if kind == INFANTRY:
        raised = min(number, levy_room(course.board, action.space))
        course.update_turn(levied=_plus(course.turn.levied, action.space, raised))
        number -= raised
    is_land = atlas().is_land(action.space)
    for land in [action.space] if is_land else _builders(course.board, action):
        built = min(number, factory_room(course.board, land))
        course.update_turn(built=_plus(course.turn.built, land, built))
        number -= built


def _plus(numbers: Mapping[str, int], land: str, more: int) -> Mapping[str, int]:
    return {**numbers, land: numbers.get(land, 0) + more} if more else numbers


# --- the end of the phase -------------------------------------------------------------------------


def finish(course: Course) -> None:
    """9.6: what can be placed is placed; then spies, repairs and the Chinese garrison."""
    place_rest(course)
    enlist_spies(course)
    finish_repairs(course)
    if course.active == USSR:
        neutrals.refill(course)


def place_rest(course: Course) -> None:
    """9.6, 19: only what cannot be placed stays in hand."""
    for _ in spread(course):
        pass


def spread(course: Course) -> Iterator[Place]:
    """The same, order by order."""
    power = course.active
    for kind in sorted(course.board.powers[power].hand, key=_last_infantry):
        while kind in course.board.powers[power].hand:
            space = _default_space(course.board, power, kind)
            if space is None:
                break
            order = Place(space, ((kind, _fitting(course.board, space, kind)),))
            put_down(course, power, order)
            yield order


def _last_infantry(kind: str) -> tuple[bool, str]:
    """Infantry can be raised without a factory and leaves the room there to the others."""
    return kind == INFANTRY, kind


def _fitting(board: Board, space: str, kind: str) -> int:
    return placeable(board, board.turn.power, space)[kind]


def _default_space(board: Board, power: Seat, kind: str) -> str | None:
    """Ships join ships; on land where there is most room."""
    spaces = [space for space in places(board, power) if kind in placeable(board, power, space)]
    rank = _rank_at_sea if kinds()[kind].is_ship else _rank_on_land
    return min(spaces, key=lambda space: (*rank(board, power, space, kind), space), default=None)


def _rank_at_sea(board: Board, power: Seat, zone: str, kind: str) -> tuple[int, ...]:
    return -count(own_units(board, power, zone)), -_room(board, power, zone, kind)


def _rank_on_land(board: Board, power: Seat, land: str, kind: str) -> tuple[int, ...]:
    return -_room(board, power, land, kind), -value(board, land)


def enlist_spies(course: Course) -> None:
    """4.1: spies are in service from placement on."""
    power = course.board.powers[course.active]
    bought = power.hand.get(SPY, 0)
    if bought:
        _take_from_hand(course, course.active, SPY, bought)
        course.update_power(course.active, spies=power.spies + bought)
        course.tell(
            "{power} now has {number:# spy|# spies}",
            power=POWER_NAMES[course.active],
            number=power.spies + bought,
        )


VERBS = (PlaceVerb(),)
