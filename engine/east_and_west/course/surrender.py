"""10: giving up; a side does so when all its powers agree."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from engine.core import IllegalAction, Option, Seat, Text
from engine.east_and_west.course import victory
from engine.east_and_west.data import seating
from engine.east_and_west.data.lexicon import Words
from engine.east_and_west.data.powers import side
from engine.east_and_west.execution import Course
from engine.east_and_west.state import State


class Surrender(Struct, frozen=True):
    """Its side may give up, as far as this power is concerned."""


class FightOn(Struct, frozen=True):
    """It takes that back."""


class SurrenderVerb:
    """Offered only after an ally has said it, so that nobody gives up by a slip."""

    word = "surrender"
    action = Surrender

    def parse(self, words: Words) -> Surrender:
        return Surrender()

    def notate(self, action: Surrender) -> str:
        return ""

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> tuple[Option[Any], ...]:
        said = state.board.surrendering
        if prefix or seat in said or not set(said) & set(side(seat)):
            return ()
        return (Option("", Text("Surrender, if all allies do"), Surrender()),)

    def do(self, course: Course, seat: Seat, action: Surrender) -> None:
        if seat in course.board.surrendering:
            raise IllegalAction("you have said that already; your allies have to agree")
        victory.surrender(course, seat)


class FightOnVerb:
    word = "fight-on"
    action = FightOn

    def parse(self, words: Words) -> FightOn:
        return FightOn()

    def notate(self, action: FightOn) -> str:
        return ""

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> tuple[Option[Any], ...]:
        if prefix or seat not in state.board.surrendering:
            return ()
        return (Option("", Text("Do not surrender after all"), FightOn()),)

    def do(self, course: Course, seat: Seat, action: FightOn) -> None:
        said = course.board.surrendering
        if seat not in said:
            raise IllegalAction("you have not offered to surrender")
        nato = course.board.variant.nato
        own = seating.together(nato, seat)
        course.update(surrendering=tuple(power for power in said if power not in own))
        holder = seating.SEAT_NAMES[seating.seat_of(nato, seat)]
        course.announce("{power} fights on", power=holder)


VERBS = (SurrenderVerb(), FightOnVerb())
