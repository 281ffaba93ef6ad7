"""`done`: the end of a stop, with all its dice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from engine.core import Option, Seat, Text
from engine.east_and_west.board import Stop
from engine.east_and_west.combat import agenda
from engine.east_and_west.course import turns
from engine.east_and_west.data.lexicon import Words
from engine.east_and_west.execution import Course
from engine.east_and_west.movement import moving
from engine.east_and_west.state import State


class Done(Struct, frozen=True):
    """Nothing more at this stop."""


def _end_operations(course: Course) -> None:
    """8.7, 7.1: what cannot be is refused before anything is fought."""
    moving.end_operations_checks(course)
    agenda.begin(course)


_ENDS: dict[Stop, Callable[[Course], None]] = {
    "mobilisation": turns.end_mobilisation,
    "intelligence": turns.end_intelligence,
    "operations": _end_operations,
    "logistics": turns.end_logistics,
}
LABELS: dict[Stop, Text] = {
    "mobilisation": Text("End the mobilisation"),
    "intelligence": Text("End espionage and research: the dice are rolled"),
    "operations": Text("End production and combat moves: all battles are fought"),
    "logistics": Text("End the turn"),
}


class DoneVerb:
    word = "done"
    action = Done

    def parse(self, words: Words) -> Done:
        return Done()

    def notate(self, action: Done) -> str:
        return ""

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> tuple[Option[Any], ...]:
        return () if prefix else (Option("", LABELS[state.board.turn.stop], Done()),)

    def do(self, course: Course, seat: Seat, action: Done) -> None:
        _ENDS[course.turn.stop](course)


DONE = DoneVerb()
