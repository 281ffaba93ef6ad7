"""The orders `load` and `land`."""

from __future__ import annotations

from msgspec import Struct

from engine.core import Option, Seat, Text
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.lexicon import Words
from engine.east_and_west.data.powers import POWER_NAMES, side
from engine.east_and_west.execution import Course
from engine.east_and_west.movement.declarations import Units
from engine.east_and_west.movement.shipping import land, landable, load, room_for
from engine.east_and_west.reach.context import MoveContext, move_context
from engine.east_and_west.state import State
from engine.east_and_west.verbs.moves import (
    Choices,
    adopt,
    in_words,
    numbers,
    spaces,
    unit,
)


class Embark(Struct, frozen=True, omit_defaults=True):
    """Units of a land go on board in a zone."""

    land: str
    zone: str
    units: Units
    onto: Seat | None = None
    """The power whose ships take them; nobody: the own ones."""


class LoadVerb:
    word = "load"
    action = Embark

    def parse(self, words: Words) -> Embark:
        shore, zone, units = _places_and_units(words)
        if not words.next_is("onto", "auf", "sur"):
            return Embark(shore, zone, units)
        words.skip()
        return Embark(shore, zone, units, words.power())

    def notate(self, action: Embark) -> str:
        onto = ("onto", action.onto) if action.onto else ()
        return " ".join([action.land, action.zone, in_words(action.units), *onto])

    def is_possible(self, state: State, seat: Seat) -> bool:
        context = move_context(state, seat)
        return any(_can_load(context, shore) for shore in _harbours(context))

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
        context = move_context(state, seat)
        match prefix:
            case ():
                return spaces(shore for shore in _harbours(context) if _can_load(context, shore))
            case (shore,) if shore in atlas().spaces:
                return spaces(_loading_zones(context, shore))
            case (shore, zone) if shore in atlas().spaces:
                return numbers(_most(context, shore, zone))
            case (shore, zone, number) if shore in atlas().spaces and number.isdecimal():
                return _kinds_to_load(context, shore, zone, int(number))
            case (shore, zone, number, kind) if number.isdecimal():
                hosts = _hosts(context, shore, zone, int(number), kind)
                return (Option("onto", Text("onto a ship of an ally")),) if hosts else ()
            case (shore, zone, number, kind, "onto") if number.isdecimal():
                units = ((kind, int(number)),)
                return tuple(
                    Option(
                        power,
                        Text("{power}", {"power": POWER_NAMES[power]}),
                        Embark(shore, zone, units, power),
                    )
                    for power in _hosts(context, shore, zone, int(number), kind)
                )
        return ()

    def do(self, course: Course, seat: Seat, action: Embark) -> None:
        trial = Course(course.state, course.dice)
        load(trial, action.land, action.zone, action.units, action.onto)
        adopt(course, trial)


def _harbours(context: MoveContext) -> list[str]:
    """Lands with own units that may move, at zones with transports."""
    shores = {land for zone in context.transports for land in atlas().coasts(zone)}
    return [start for start in context.starts if start in shores]


def _can_load(context: MoveContext, shore: str) -> bool:
    return any(
        room_for(context, shore, zone, power)
        for zone in atlas().zones(shore)
        if zone in context.transports
        for power in side(context.power)
    )


def _loading_zones(context: MoveContext, shore: str) -> list[str]:
    return [zone for zone in atlas().zones(shore) if _most(context, shore, zone)]


def _most(context: MoveContext, shore: str, zone: str) -> dict[str, int]:
    """By kind: what the own ships take, or those of one ally."""
    found: dict[str, int] = {}
    for power in side(context.power):
        for kind, number in room_for(context, shore, zone, power).items():
            found[kind] = max(number, found.get(kind, 0))
    return found


def _kinds_to_load(context: MoveContext, shore: str, zone: str, number: int) -> Choices:
    """A leaf where own ships have room; otherwise the ally is still to be named."""
    own = room_for(context, shore, zone, context.power)
    return tuple(
        unit(kind, Embark(shore, zone, ((kind, number),)) if number <= own.get(kind, 0) else None)
        for kind, able in _most(context, shore, zone).items()
        if 1 <= number <= able
    )


def _hosts(context: MoveContext, shore: str, zone: str, number: int, kind: str) -> list[Seat]:
    if shore not in atlas().spaces or number < 1:
        return []
    room = {power: room_for(context, shore, zone, power) for power in side(context.power)}
    if number <= room[context.power].get(kind, 0):
        return []
    return [power for power, able in room.items() if number <= able.get(kind, 0)]


class Disembark(Struct, frozen=True, omit_defaults=True):
    """Units on ships in a zone go ashore."""

    zone: str
    land: str
    units: Units


class LandVerb:
    word = "land"
    action = Disembark

    def parse(self, words: Words) -> Disembark:
        zone, shore, units = _places_and_units(words)
        return Disembark(zone, shore, units)

    def notate(self, action: Disembark) -> str:
        return " ".join([action.zone, action.land, in_words(action.units)])

    def is_possible(self, state: State, seat: Seat) -> bool:
        context = move_context(state, seat)
        return any(_shores(context, zone) for zone in _zones(context))

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
        context = move_context(state, seat)
        match prefix:
            case ():
                return spaces(zone for zone in sorted(_zones(context)) if _shores(context, zone))
            case (zone,) if zone in atlas().spaces:
                return spaces(_shores(context, zone))
            case (zone, shore) if zone in atlas().spaces:
                return numbers(landable(context, zone, shore))
            case (zone, shore, number) if zone in atlas().spaces and number.isdecimal():
                return tuple(
                    unit(kind, Disembark(zone, shore, ((kind, int(number)),)))
                    for kind, able in landable(context, zone, shore).items()
                    if 1 <= int(number) <= able
                )
        return ()

    def do(self, course: Course, seat: Seat, action: Disembark) -> None:
        trial = Course(course.state, course.dice)
        land(trial, action.zone, action.land, action.units)
        adopt(course, trial)


def _zones(context: MoveContext) -> list[str]:
    """Zones with ships that have something on board."""
    return [zone for zone, ships in context.transports.items() if any(ship.cargo for ship in ships)]


def _shores(context: MoveContext, zone: str) -> list[str]:
    return [shore for shore in atlas().coasts(zone) if landable(context, zone, shore)]


def _places_and_units(words: Words) -> tuple[str, str, Units]:
    """`france north-sea 2 infantry`, or the units first."""
    units: Units = ()
    if words.next_is_number() or not words.fits_space():
        units = words.units()
    first, second = words.space(), words.space()
    return first, second, units or words.units()


VERBS = (LoadVerb(), LandVerb())
