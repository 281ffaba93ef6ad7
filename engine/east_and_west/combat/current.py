"""The battle at hand: what it looks at, where it stands, and whom it asks."""

from __future__ import annotations

from msgspec.structs import replace

from engine.core import Seat
from engine.east_and_west.battle import Battle, Combat, Fight, FightStep
from engine.east_and_west.board import Question
from engine.east_and_west.combat import casualties, lineup
from engine.east_and_west.execution import Course
from engine.east_and_west.standing import NONE, Standing


def combat_of(course: Course) -> Combat:
    assert course.state.combat is not None
    return course.state.combat


def fight_of(course: Course) -> Fight:
    fight = combat_of(course).fight
    assert fight is not None
    return fight


def save(course: Course, fight: Fight | None) -> None:
    course.state = replace(course.state, combat=replace(combat_of(course), fight=fight))


def go_on(course: Course, fight: Fight, step: FightStep) -> None:
    save(course, replace(fight, step=step))


def defence_orders(course: Course, space: str) -> Standing:
    """14.3: of whoever's list counts in the defence; neutrals have said nothing."""
    hold = lineup.defenders(course.board, course.active, space)
    seat = casualties.lister(course.board, space, hold)
    return NONE if seat is None else course.orders(seat)


def battle_of(course: Course, fight: Fight) -> Battle:
    return lineup.describe(
        course.board,
        course.active,
        fight.space,
        course.plan(fight.space),
        defence_orders(course, fight.space),
        fight.round,
        fight.zones,
    )


def both_stand(course: Course, fight: Fight) -> bool:
    here = (course.board, course.active, fight.space)
    return bool(lineup.attackers(*here)) and bool(lineup.defenders(*here))


def ask(course: Course, question: Question) -> None:
    """14.5: the match rests until somebody has answered."""
    course.update(questions=(*course.board.questions, question))


def decides(course: Course, seat: Seat | None, space: str) -> bool:
    """14.5: whether somebody has switched questions on for a space."""
    return seat is not None and space in course.orders(seat).asks


def leader(course: Course, space: str) -> Seat | None:
    hold = lineup.defenders(course.board, course.active, space)
    return casualties.leader(course.board, space, hold)
