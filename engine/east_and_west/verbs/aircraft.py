"""The orders `drop`, `raid` and `fly-bomb`."""

from __future__ import annotations

from msgspec import Struct

from engine.core import Option, Seat, Text
from engine.east_and_west.data.arsenal import ATOMIC_BOMB, BOMBER, BOMBS, FIGHTER, INFANTRY, counted
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.lexicon import Words
from engine.east_and_west.execution import Course
from engine.east_and_west.movement.airborne import (
    bomb_targets,
    bombs_to_fly,
    can_drop,
    can_raid,
    drop,
    drops,
    fly_bomb,
    raid,
    raids,
)
from engine.east_and_west.reach.context import MoveContext, move_context
from engine.east_and_west.state import State
from engine.east_and_west.verbs.moves import Choices, adopt, spaces, unit


class Drop(Struct, frozen=True, omit_defaults=True):
    """So many aircraft carry one infantry each."""

    start: str
    target: str
    number: int
    kind: str = BOMBER


class DropVerb:
    word = "drop"
    action = Drop

    def parse(self, words: Words) -> Drop:
        start, target = words.space(), words.space()
        number = words.number() if words.next_is_number() else 1
        if words.is_over:
            return Drop(start, target, number)
        kind = words.kind()
        if kind not in (BOMBER, FIGHTER):
            raise words.misfit(kind, "bomber | fighter")
        return Drop(start, target, number, kind)

    def notate(self, action: Drop) -> str:
        kind = "" if action.kind == BOMBER else f" {action.kind}"
        return f"{action.start} {action.target} {action.number}{kind}"

    def is_possible(self, state: State, seat: Seat) -> bool:
        context = move_context(state, seat)
        return any(can_drop(context, start) for start in context.starts_of(BOMBER, FIGHTER))

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
        context = move_context(state, seat)
        match prefix:
            case ():
                starts = context.starts_of(BOMBER, FIGHTER)
                return spaces(start for start in starts if can_drop(context, start))
            case (start,) if start in atlas().spaces:
                return spaces(sorted(_drops(context, start)))
            case (start, target) if start in atlas().spaces:
                return _numbers_to_drop(context, start, target)
            case (start, target, number) if start in atlas().spaces and number.isdecimal():
                by_helicopter = drops(context, start, FIGHTER).get(target, 0)
                if not drops(context, start, BOMBER).get(target, 0) < int(number) <= by_helicopter:
                    return ()
                return (unit(FIGHTER, Drop(start, target, int(number), FIGHTER)),)
        return ()

    def do(self, course: Course, seat: Seat, action: Drop) -> None:
        trial = Course(course.state, course.dice)
        drop(trial, action.start, action.target, action.number, action.kind)
        adopt(course, trial)


def _drops(context: MoveContext, start: str) -> dict[str, int]:
    """By bombers or helicopters, whichever are more."""
    found = drops(context, start, BOMBER)
    for land, number in drops(context, start, FIGHTER).items():
        found[land] = max(number, found.get(land, 0))
    return found


def _numbers_to_drop(context: MoveContext, start: str, target: str) -> Choices:
    """A leaf as long as bombers can do it; beyond, fighters have to be named."""
    by_bomber = drops(context, start, BOMBER).get(target, 0)
    return tuple(
        Option(
            str(number),
            Text("{units}", {"units": counted(INFANTRY, number)}),
            Drop(start, target, number) if number <= by_bomber else None,
        )
        for number in range(1, _drops(context, start).get(target, 0) + 1)
    )


class Raid(Struct, frozen=True, omit_defaults=True):
    """Bombers against the factory of a land."""

    start: str
    target: str
    number: int


class RaidVerb:
    word = "raid"
    action = Raid

    def parse(self, words: Words) -> Raid:
        start, target = words.space(), words.space()
        number = words.number() if words.next_is_number() else 1
        if not words.is_over and (kind := words.kind()) != BOMBER:
            raise words.misfit(kind, "bomber")
        return Raid(start, target, number)

    def notate(self, action: Raid) -> str:
        return f"{action.start} {action.target} {action.number}"

    def is_possible(self, state: State, seat: Seat) -> bool:
        context = move_context(state, seat)
        return any(can_raid(context, start) for start in context.starts_of(BOMBER))

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
        context = move_context(state, seat)
        match prefix:
            case ():
                starts = context.starts_of(BOMBER)
                return spaces(start for start in starts if can_raid(context, start))
            case (start,) if start in atlas().spaces:
                return spaces(sorted(raids(context, start)))
            case (start, target) if start in atlas().spaces:
                return tuple(
                    Option(
                        str(number),
                        Text("{units}", {"units": counted(BOMBER, number)}),
                        Raid(start, target, number),
                    )
                    for number in range(1, raids(context, start).get(target, 0) + 1)
                )
        return ()

    def do(self, course: Course, seat: Seat, action: Raid) -> None:
        trial = Course(course.state, course.dice)
        raid(trial, action.start, action.target, action.number)
        adopt(course, trial)


class FlyBomb(Struct, frozen=True, omit_defaults=True):
    """A bomber takes a bomb to a friendly land."""

    start: str
    target: str
    bomb: str = ATOMIC_BOMB


class FlyBombVerb:
    word = "fly-bomb"
    action = FlyBomb

    def parse(self, words: Words) -> FlyBomb:
        start, target = words.space(), words.space()
        if words.is_over:
            return FlyBomb(start, target)
        bomb = words.kind()
        if bomb not in BOMBS:
            raise words.misfit(bomb, " | ".join(BOMBS))
        return FlyBomb(start, target, bomb)

    def notate(self, action: FlyBomb) -> str:
        return f"{action.start} {action.target} {action.bomb}"

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
        context = move_context(state, seat)
        match prefix:
            case ():
                return spaces(
                    start
                    for start in context.starts_of(BOMBER)
                    if bombs_to_fly(context, start) and bomb_targets(context, start)
                )
            case (start,) if start in atlas().spaces and bombs_to_fly(context, start):
                return spaces(sorted(bomb_targets(context, start)))
            case (start, target) if target in bomb_targets(context, start):
                return tuple(
                    unit(bomb, FlyBomb(start, target, bomb))
                    for bomb in bombs_to_fly(context, start)
                )
        return ()

    def do(self, course: Course, seat: Seat, action: FlyBomb) -> None:
        trial = Course(course.state, course.dice)
        fly_bomb(trial, action.start, action.target, action.bomb)
        adopt(course, trial)


VERBS = (DropVerb(), RaidVerb(), FlyBombVerb())
