"""14.5: answers to questions in the middle of a battle; losses apart; the usual one comes first."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from engine.core import IllegalAction, Option, Seat, Text
from engine.east_and_west.board import Question
from engine.east_and_west.combat import agenda, breaking_off, fight, submarines
from engine.east_and_west.combat.current import fight_of
from engine.east_and_west.combat.retreats import exits
from engine.east_and_west.course import turns
from engine.east_and_west.data.lexicon import Words
from engine.east_and_west.execution import Course
from engine.east_and_west.report import space_name
from engine.east_and_west.state import State
from engine.east_and_west.verbs.losses import LoseVerb, default_losses
from engine.east_and_west.verbs.questions import Choices, asked, close, look, require

# --- guns -----------------------------------------------------------------------------------------


class AimAt(Struct, frozen=True):
    """7.5: what the salvo is aimed at."""

    target: Literal["aircraft", "armor"]


class TargetVerb:
    word = "target"
    action = AimAt

    def parse(self, words: Words) -> AimAt:
        return AimAt("aircraft" if words.word("aircraft", "armor") == "aircraft" else "armor")

    def notate(self, action: AimAt) -> str:
        return action.target

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
        question = asked(state, "target")
        if question is None or prefix:
            return ()
        usual = fight.usual_target(look(state), question.space)
        labels = {"aircraft": Text("the aircraft"), "armor": Text("the armor")}
        both = (AimAt("aircraft"), AimAt("armor"))
        return tuple(
            Option(aim.target, labels[aim.target], aim)
            for aim in sorted(both, key=lambda aim: aim.target != usual)
        )

    def do(self, course: Course, seat: Seat, action: AimAt) -> None:
        require(course, "target")
        close(course)
        fight.answer_target(course, action.target)
        agenda.run(course)


# --- submarines and retreat -----------------------------------------------------------------------


class Stay(Struct, frozen=True):
    """7.10: the submarines stay in the battle."""


class Submerge(Struct, frozen=True, omit_defaults=True):
    """7.10: submarines leave the battle where they are; 0: all of them."""

    number: int = 0


class Retreat(Struct, frozen=True):
    """7.9, 7.10: to a space, or only the aircraft."""

    space: str


class AnotherRound(Struct, frozen=True):
    """7.9: another round."""


class StayVerb:
    word = "stay"
    action = Stay

    def parse(self, words: Words) -> Stay:
        return Stay()

    def notate(self, action: Stay) -> str:
        return ""

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
        if prefix or asked(state, "submarines") is None:
            return ()
        return (Option("", Text("The submarines stay in the battle"), Stay()),)

    def do(self, course: Course, seat: Seat, action: Stay) -> None:
        question = require(course, "submarines")
        close(course)
        submarines.answer_submarines(course, question.seat, "", 0)
        agenda.run(course)


class SubmergeVerb:
    word = "submerge"
    action = Submerge

    def parse(self, words: Words) -> Submerge:
        return Submerge(words.number() if words.next_is_number() else 0)

    def notate(self, action: Submerge) -> str:
        return str(action.number) if action.number else ""

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
        question = asked(state, "submarines")
        if question is None or prefix:
            return ()
        there = _submarines(look(state), question)
        if there == 1:
            return (Option("", Text("The submarine submerges"), Submerge()),)
        return tuple(
            Option(
                str(n),
                Text("{number:# submarine submerges|# submarines submerge}", {"number": n}),
                Submerge(n),
            )
            for n in range(there, 0, -1)
        )

    def do(self, course: Course, seat: Seat, action: Submerge) -> None:
        question = require(course, "submarines")
        there = _submarines(course, question)
        if action.number > there:
            raise IllegalAction(
                "submarines that can submerge: {there}, not {number}",
                number=action.number,
                there=there,
            )
        close(course)
        submarines.answer_submarines(course, question.seat, "", action.number or there)
        agenda.run(course)


def _submarines(course: Course, question: Question) -> int:
    return submarines.submarines(course, question.seat, fight_of(course))


class RetreatVerb:
    word = "retreat"
    action = Retreat

    def parse(self, words: Words) -> Retreat:
        if words.next_is(breaking_off.AIR):
            words.skip()
            return Retreat(breaking_off.AIR)
        return Retreat(words.space())

    def notate(self, action: Retreat) -> str:
        return action.space

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
        if prefix:
            return ()
        return tuple(Option(way, _way(way), Retreat(way)) for way in ways(look(state)))

    def do(self, course: Course, seat: Seat, action: Retreat) -> None:
        question = require(course, "submarines", "retreat")
        open_ways = ways(course)
        if action.space not in open_ways:
            raise IllegalAction(
                "there is no retreat to {space}; possible: {ways}",
                space=_way(action.space),
                ways=", ".join(open_ways),
            )
        close(course)
        if question.kind == "submarines":
            there = _submarines(course, question)
            submarines.answer_submarines(course, question.seat, action.space, there)
        else:
            breaking_off.retreat(course, action.space)
        agenda.run(course)


def ways(course: Course) -> tuple[str, ...]:
    """Where those who are asked may go."""
    if question := asked(course.state, "submarines"):
        return exits(course.board, question.seat, question.space)
    if asked(course.state, "retreat"):
        return breaking_off.ways_out(course, fight_of(course))
    return ()


def _way(way: str) -> Text:
    if way == breaking_off.AIR:
        return Text("the aircraft alone")
    return Text("{space}", {"space": space_name(way)})


class FightVerb:
    word = "fight"
    action = AnotherRound

    def parse(self, words: Words) -> AnotherRound:
        return AnotherRound()

    def notate(self, action: AnotherRound) -> str:
        return ""

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
        if prefix or asked(state, "retreat") is None:
            return ()
        return (Option("", Text("Fight another round"), AnotherRound()),)

    def do(self, course: Course, seat: Seat, action: AnotherRound) -> None:
        require(course, "retreat")
        close(course)
        breaking_off.fight_on(course)
        agenda.run(course)


# --- consent --------------------------------------------------------------------------------------


class Share(Struct, frozen=True):
    """5.7: whether an ally gets half a step."""

    is_given: bool


class ShareVerb:
    word = "share"
    action = Share

    def parse(self, words: Words) -> Share:
        return Share(words.word("yes", "no") == "yes")

    def notate(self, action: Share) -> str:
        return "yes" if action.is_given else "no"

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
        if prefix or asked(state, "share") is None:
            return ()
        return (
            Option("yes", Text("Give the half step"), Share(is_given=True)),
            Option("no", Text("Do not give it"), Share(is_given=False)),
        )

    def do(self, course: Course, seat: Seat, action: Share) -> None:
        require(course, "share")
        turns.answer_share(course, action.is_given)


# --- the clock ------------------------------------------------------------------------------------


def default_answer(state: State) -> Any:
    """14.5: what applies when nobody has answered in time."""
    question = state.board.questions[-1]
    course = look(state)
    if question.kind in ("losses", "blast"):
        return default_losses(course, question)
    if question.kind == "target":
        return AimAt(
            "armor" if fight.usual_target(course, question.space) == "armor" else "aircraft"
        )
    if question.kind == "submarines":
        way = submarines.usual_dive(course, question.seat, fight_of(course))
        if way is None:
            return Stay()
        return Retreat(way) if way else Submerge()
    return AnotherRound() if question.kind == "retreat" else Share(is_given=True)


VERBS = (
    LoseVerb(),
    StayVerb(),
    SubmergeVerb(),
    RetreatVerb(),
    FightVerb(),
    TargetVerb(),
    ShareVerb(),
)
