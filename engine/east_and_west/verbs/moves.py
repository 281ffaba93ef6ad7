"""The orders `move` and `attack`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from engine.chance import SealedDice
from engine.core import IllegalAction, Option, Seat, Text
from engine.east_and_west.board import Board
from engine.east_and_west.data.arsenal import kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.lexicon import Words
from engine.east_and_west.execution import Course
from engine.east_and_west.movement.declarations import Units, attack_in_place, may_attack_in_place
from engine.east_and_west.movement.moving import Only, can_move, most, move
from engine.east_and_west.queries import own_units
from engine.east_and_west.reach.context import move_context
from engine.east_and_west.reach.destinations import name
from engine.east_and_west.state import State

Choices = tuple[Option[Any], ...]


class Move(Struct, frozen=True, omit_defaults=True):
    """Units from one space to another."""

    start: str
    target: str
    units: Units
    via: tuple[str, ...] = ()
    """Spaces on the way, if they matter."""
    only: Only = ""


class MoveVerb:
    word = "move"
    action = Move

    def parse(self, words: Words) -> Move:
        units: Units = ()
        if words.next_is_number() or not words.fits_space():
            units = words.units()
        start, target = words.space(), words.space()
        units = units or words.units()
        via: list[str] = []
        if words.next_is("via", "uber", "ueber", "par"):
            words.skip()
            via.append(words.space())
            while not words.is_over and not words.next_is("empty", "damaged"):
                via.append(words.space())
        only: Only = ""
        if words.next_is("empty", "damaged"):
            only = "empty" if words.word("empty", "damaged") == "empty" else "damaged"
        return Move(start, target, units, tuple(via), only)

    def notate(self, action: Move) -> str:
        via = ("via", *action.via) if action.via else ()
        only = (action.only,) if action.only else ()
        return " ".join([action.start, action.target, in_words(action.units), *via, *only])

    def is_possible(self, state: State, seat: Seat) -> bool:
        context = move_context(state, seat)
        return any(can_move(context, start) for start in context.starts)

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
        context = move_context(state, seat)
        match prefix:
            case ():
                return spaces(start for start in context.starts if can_move(context, start))
            case (start,) if start in atlas().spaces:
                return spaces(sorted(most(context, start)))
            case (start, target) if start in atlas().spaces:
                return numbers(most(context, start, target).get(target, {}))
            case (start, target, number) if start in atlas().spaces and number.isdecimal():
                able = most(context, start, target).get(target, {})
                return tuple(
                    unit(kind, Move(start, target, ((kind, int(number)),)))
                    for kind, count in able.items()
                    if 1 <= int(number) <= count
                )
        return ()

    def do(self, course: Course, seat: Seat, action: Move) -> None:
        trial = Course(course.state, course.dice)
        move(trial, action.start, action.target, action.units, action.via, action.only)
        adopt(course, trial)


class Declare(Struct, frozen=True, omit_defaults=True):
    """An attack where units already are, or on a neutral that lets them pass."""

    space: str
    units: Units = ()
    """All that can, if nothing is said."""


class AttackVerb:
    word = "attack"
    action = Declare

    def parse(self, words: Words) -> Declare:
        return Declare(words.space(), () if words.is_over else words.units())

    def notate(self, action: Declare) -> str:
        return f"{action.space} {in_words(action.units)}".rstrip()

    def is_possible(self, state: State, seat: Seat) -> bool:
        return any(True for _ in _attackable(state, seat))

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
        if prefix:
            return ()
        return tuple(
            Option(space, Text("{space}", {"space": name(space)}), Declare(space))
            for space in _attackable(state, seat)
        )

    def do(self, course: Course, seat: Seat, action: Declare) -> None:
        trial = Course(course.state, course.dice)
        attack_in_place(trial, action.space, action.units)
        adopt(course, trial)


def _attackable(state: State, seat: Seat) -> Iterator[str]:
    """Spaces that can be attacked from within, or from beside them."""
    context = move_context(state, seat)
    for space in sorted(context.hostile | context.passable_neutrals):
        if (
            may_attack_in_place(context, space)
            and _is_near(state.board, seat, space)
            and _is_possible(state, space)
        ):
            yield space


def _is_possible(state: State, space: str) -> bool:
    """8.7, 13.4: an attack on an alliance closes it to aircraft that counted on landing there."""
    try:
        attack_in_place(Course(state, SealedDice()), space, ())
    except IllegalAction:
        return False
    return True


def _is_near(board: Board, seat: Seat, space: str) -> bool:
    """Whether own units are there, or in a land beside it."""
    around = (space, *atlas().coasts(space)) if atlas().is_land(space) else (space,)
    return any(own_units(board, seat, near) for near in around)


VERBS = (MoveVerb(), AttackVerb())


# --- what the orders of movement share ------------------------------------------------------------


def adopt(course: Course, trial: Course) -> None:
    """What was tried and found right becomes the course of the match."""
    course.state = trial.state
    course.events.extend(trial.events)


def in_words(units: Units) -> str:
    return " ".join(f"{number} {kind}" for kind, number in units)


def spaces(keys: Iterable[str]) -> Choices:
    return tuple(Option(key, Text("{space}", {"space": name(key)})) for key in keys)


def numbers(able: dict[str, int]) -> Choices:
    """From one to as many as there are of any kind."""
    return tuple(
        Option(str(number), Text("{number}", {"number": number}))
        for number in range(1, max(able.values(), default=0) + 1)
    )


def unit(kind: str, action: Any = None) -> Option[Any]:
    return Option(kind, Text("{kind}", {"kind": kinds()[kind].names}), action)
