"""10: how a match ends."""

from __future__ import annotations

from typing import Literal

from engine.core import Outcome, Seat, Text
from engine.east_and_west.board import Board
from engine.east_and_west.data import seating
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import NATO, NATO_NAME, POWER_NAMES, USSR, are_enemies, side
from engine.east_and_west.execution import Course
from engine.east_and_west.queries import income

WASHINGTON, LONDON, PARIS = "eastern-united-states", "united-kingdom", "france"
WINNING_INCOME = 90
LOSING_INCOME = 15
FAST_INCOME = 72
SOVIET_FACTORIES = ("karelia", "ukraine", "eastern-siberia", "russia")
FACTORIES_TO_HOLD = 2


def check_round(course: Course) -> None:
    """10: at the end of a round; after the last one agreed nobody has won."""
    if not course.board.variant.fast_game:
        _check_standard(course)
    if course.board.result is None and course.board.round >= course.board.variant.rounds:
        _end(
            course,
            (),
            Text("the last of {rounds:# round|# rounds} is over", {"rounds": course.board.round}),
        )


def _check_standard(course: Course) -> None:
    earned = {"income": income(course.board, USSR)}
    if _holds_capitals(course.board):
        _end(course, (USSR,), Text("the USSR holds Washington and London or Paris"))
    elif earned["income"] >= WINNING_INCOME:
        _end(course, (USSR,), Text("the USSR has an income of {income}", earned))
    elif earned["income"] < LOSING_INCOME:
        _end(course, NATO, Text("the USSR has an income of only {income}", earned))


def _holds_capitals(board: Board) -> bool:
    held = [land for land in (WASHINGTON, LONDON, PARIS) if board.owners[land] == USSR]
    return WASHINGTON in held and len(held) > 1


def check_fast(course: Course, moment: Literal["start", "end"]) -> None:
    """10 `fast_game`: at the start and at the end of a Soviet turn."""
    if not course.board.variant.fast_game:
        return
    if moment == "start":
        _check_soviet_start(course)
    else:
        _check_soviet_end(course)


def _check_soviet_start(course: Course) -> None:
    board, earned = course.board, income(course.board, USSR)
    for land in (WASHINGTON, LONDON, PARIS):
        if board.owners[land] == USSR:
            name = atlas().spaces[land].names
            _end(course, (USSR,), Text("the USSR has held {land} for a round", {"land": name}))
            return
    if earned >= FAST_INCOME:
        _end(course, (USSR,), Text("the USSR has an income of {income}", {"income": earned}))


def _check_soviet_end(course: Course) -> None:
    """What NATO held before the Soviet turn and holds after it."""
    before, now = course.turn.owners, course.board.owners
    held = tuple(
        atlas().spaces[land].names
        for land in SOVIET_FACTORIES
        if are_enemies(USSR, before[land]) and are_enemies(USSR, now[land])
    )
    if len(held) >= FACTORIES_TO_HOLD:
        _end(course, NATO, Text("NATO has held {lands} for a Soviet turn", {"lands": held}))


def surrender(course: Course, power: Seat) -> None:
    """10: a side gives up when all its players say so, each for all powers he holds."""
    nato = course.board.variant.nato
    agreed = {*course.board.surrendering, *seating.together(nato, power)}
    course.update(surrendering=tuple(seat for seat in course.board.powers if seat in agreed))
    holder = seating.SEAT_NAMES[seating.seat_of(nato, power)]
    course.announce("{power} wants to surrender", power=holder)
    if agreed.issuperset(side(power)):
        winners = NATO if power == USSR else (USSR,)
        name = POWER_NAMES[USSR] if power == USSR else NATO_NAME
        _end(course, winners, Text("{side} surrenders", {"side": name}))


def _end(course: Course, winners: tuple[Seat, ...], reason: Text) -> None:
    course.update(result=Outcome(winners, reason))
    if not winners:
        course.announce("The match is drawn: {reason}", reason=reason)
        return
    name = POWER_NAMES[USSR] if winners == (USSR,) else NATO_NAME
    course.announce("{side} wins: {reason}", side=name, reason=reason)
