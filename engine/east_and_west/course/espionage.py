"""4: spies and their three jobs."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from engine.core import IllegalAction, Option, Seat, Text
from engine.east_and_west.board import Board, Group, Job
from engine.east_and_west.course import neutrals
from engine.east_and_west.course.research import (
    advance,
    category_name,
    next_step,
)
from engine.east_and_west.data.arsenal import CATEGORIES, INFANTRY, Category, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.lexicon import Words
from engine.east_and_west.data.powers import (
    ALLIANCES,
    CHINA,
    MINOR,
    NATO,
    POWER_NAMES,
    POWERS,
    UK,
    USSR,
    are_enemies,
)
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import change, mark
from engine.east_and_west.queries import income, is_enemy, knows
from engine.east_and_west.state import State

SUCCESS, SUCCESS_IN_SPY_VS_SPY = 1, 2
REVOLTING = 1
"""4.7: the printed value of lands that may revolt."""
REACH = {USSR: 1, **dict.fromkeys(NATO, -1)}
"""In which direction a success moves a marker."""


class Spy(Struct, frozen=True):
    """What one spy is to do."""

    job: Job


class SpyVerb:
    word = "spy"
    action = Spy

    def parse(self, words: Words) -> Spy:
        match words.word("diplomacy", "theft", "counter", "free", "steal", "espionage"):
            case "diplomacy":
                target = words.alliance() if words.fits_alliance() else words.space()
                return Spy(Job("diplomacy", target))
            case "counter":
                return Spy(Job("counter", "" if words.is_over else words.power()))
            case "free":
                return Spy(Job("free", words.power()))
        return Spy(Job("theft", words.category()))

    def notate(self, action: Spy) -> str:
        return f"{action.job.kind} {action.job.target}".rstrip()

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> tuple[Option[Any], ...]:
        board = state.board
        if prefix:
            return self._targets(board, seat, prefix)
        found = tuple(
            Option[Any](kind, label)
            for kind, label in _KINDS.items()
            if self._targets(board, seat, (kind,))
        )
        hunt = Job("counter")
        if seat != USSR and why_not(board, seat, hunt) is None:
            found += (Option("counter", Text("counter-espionage"), Spy(hunt)),)
        return found

    def _targets(
        self, board: Board, seat: Seat, prefix: tuple[str, ...]
    ) -> tuple[Option[Any], ...]:
        jobs = {
            "diplomacy": lambda: [Job("diplomacy", key) for key in _courted(board, seat)],
            "theft": lambda: [Job("theft", category) for category in CATEGORIES],
            "counter": lambda: [Job("counter", power) for power in _hunted(seat)],
            "free": lambda: [Job("free", power) for power in _hunted(seat)],
        }
        if len(prefix) != 1 or prefix[0] not in jobs:
            return ()
        return tuple(
            Option(job.target, Text("{target}", {"target": _target_name(job)}), Spy(job))
            for job in jobs[prefix[0]]()
            if why_not(board, seat, job) is None
        )

    def do(self, course: Course, seat: Seat, action: Spy) -> None:
        reason = why_not(course.board, seat, action.job)
        if reason is not None:
            raise reason
        course.update_turn(jobs=(*course.turn.jobs, action.job))


_KINDS = {
    "diplomacy": Text("diplomacy"),
    "theft": Text("theft of a technology"),
    "counter": Text("counter-espionage"),
    "free": Text("whom the free counter-espionage hunts"),
}


def most_spies(board: Board, power: Seat) -> int:
    """4.1, 4.7: how many may be in service."""
    return (2 if power == USSR else 1) * (2 if board.variant.spy_vs_spy else 1)


# --- what a spy may do ----------------------------------------------------------------------------


def why_not(board: Board, seat: Seat, job: Job) -> IllegalAction | None:
    """What forbids a job before any die."""
    if job.kind == "free":
        return _why_not_hunt_free(board, seat, job.target)
    busy = sum(given.kind != "free" for given in board.turn.jobs)
    if busy >= board.powers[seat].spies:
        return IllegalAction(
            "no spy is free (spies: {number}, with a job: {busy}); spies are bought in production",
            number=board.powers[seat].spies,
            busy=busy,
        )
    match job.kind:
        case "diplomacy":
            return _why_not_court(board, seat, job.target)
        case "theft":
            return _why_not_steal(board, seat, _category(job))
    return _why_not_hunt(board, seat, job.target)


def _courted(board: Board, seat: Seat) -> list[str]:
    """Where diplomacy could be of use."""
    revolting = [key for key in board.owners if _may_revolt(board, seat, key)]
    minor = [key for key, owner in board.owners.items() if owner == MINOR]
    return [*ALLIANCES, *minor, *revolting]


def _hunted(seat: Seat) -> tuple[Seat, ...]:
    """For NATO there is nobody to choose."""
    return NATO if seat == USSR else ()


def _may_revolt(board: Board, seat: Seat, land: str) -> bool:
    """4.7: an enemy land with a printed value of 1."""
    is_small = atlas().spaces[land].value == REVOLTING
    return board.variant.revolts and is_small and is_enemy(board, seat, land)


def _why_not_court(board: Board, seat: Seat, target: str) -> IllegalAction | None:
    """4.3, 4.7"""
    name = _place_name(target)
    if target in ALLIANCES:
        if target not in board.influence:
            return IllegalAction("{alliance} exists no longer", alliance=name)
        if target == CHINA and seat in NATO and seat != UK and not board.variant.china_any_nato:
            return IllegalAction("of NATO only the United Kingdom may influence China")
        if not neutrals.can_shift(board, target, REACH[seat]):
            return IllegalAction("{alliance} is on your side entirely", alliance=name)
        return None
    if board.owners.get(target) == MINOR or _may_revolt(board, seat, target):
        return None
    if board.variant.revolts:
        return IllegalAction("{land} is no neutral state, and no enemy land worth 1", land=name)
    return IllegalAction(
        "{land} is no neutral state; diplomacy works on those, on China, Arab League and OAS",
        land=name,
    )


def _why_not_steal(board: Board, seat: Seat, category: Category) -> IllegalAction | None:
    """4.4: the next full step, if an enemy has it."""
    step = next_step(board, seat, category)
    if any(are_enemies(seat, power) and knows(board, power, category, step) for power in POWERS):
        return None
    return IllegalAction(
        "no enemy has the step in {category} that you lack", category=category_name(category)
    )


def _why_not_hunt(board: Board, seat: Seat, target: str) -> IllegalAction | None:
    """4.5"""
    if target and not are_enemies(seat, target):
        return IllegalAction("{power} is no enemy", power=POWER_NAMES[Seat(target)])
    if victim(board, seat, target) is None:
        return IllegalAction("there is no such spy to hunt")
    return None


def _why_not_hunt_free(board: Board, seat: Seat, target: str) -> IllegalAction | None:
    """4.6"""
    if seat != USSR:
        return IllegalAction("only the USSR has a free counter-espionage roll")
    return _why_not_hunt(board, seat, target)


def victim(board: Board, seat: Seat, target: str) -> Seat | None:
    """4.5, 19: the power named, or the one with the largest income, that has a spy."""
    having = [
        power
        for power in POWERS
        if are_enemies(seat, power) and board.powers[power].spies and target in ("", power)
    ]
    return max(having, key=lambda power: income(board, power)) if having else None


# --- the dice -------------------------------------------------------------------------------------


def roll_jobs(course: Course) -> None:
    """4.2, 19: one die a spy in the order given, then the free Soviet one."""
    jobs = course.turn.jobs
    working = [job for job in jobs if job.kind != "free"]
    for number, job in enumerate(working, 1):
        _roll(course, job, f"spy {number}")
    if course.active == USSR:
        target = next((job.target for job in reversed(jobs) if job.kind == "free"), "")
        if victim(course.board, USSR, target) is None:
            target = ""
        _roll(course, Job("counter", target), "free counter-espionage")


def _roll(course: Course, job: Job, why: str) -> None:
    """A job that has nothing to gain any more is not rolled for."""
    if not _can_gain(course.board, course.active, job):
        return
    (face,) = course.roll(1, why)
    course.tell(
        "{power}, {job}: {face}", power=POWER_NAMES[course.active], job=job_text(job), face=face
    )
    is_easy = course.board.variant.spy_vs_spy
    if face <= (SUCCESS_IN_SPY_VS_SPY if is_easy else SUCCESS):
        _succeed(course, job)


def _can_gain(board: Board, seat: Seat, job: Job) -> bool:
    match job.kind:
        case "diplomacy":
            return _why_not_court(board, seat, job.target) is None
        case "theft":
            return _why_not_steal(board, seat, _category(job)) is None
    return victim(board, seat, job.target) is not None


def _succeed(course: Course, job: Job) -> None:
    match job.kind:
        case "diplomacy":
            _win_over(course, job.target)
        case "theft":
            _steal(course, _category(job))
        case _:
            _catch(course, job.target)


def _win_over(course: Course, target: str) -> None:
    """4.3"""
    power = course.active
    if target in ALLIANCES:
        neutrals.shift(course, target, REACH[power])
    elif course.board.owners[target] == MINOR:
        neutrals.join(course, target, power)
        course.announce("{land} joins {power}", land=_place_name(target), power=POWER_NAMES[power])
    else:
        _revolt(course, target)


def _revolt(course: Course, land: str) -> None:
    """4.7: troops leave the game; guns, bombs and factory change hands; one infantry appears."""
    power = course.active

    def changed(group: Group) -> Group | None:
        if kinds()[group.kind].fights:
            return None
        return mark(replace(group, owner=power), "spent")

    course.set_units(change(course.board.units, land, changed))
    course.set_owner(land, power)
    course.put(land, Group(power, INFANTRY, marks=("spent",)))
    course.announce(
        "{land} revolts and joins {power}", land=_place_name(land), power=POWER_NAMES[power]
    )


def _steal(course: Course, category: Category) -> None:
    """4.4: it counts at once and works from the next own turn on."""
    power, step = course.active, next_step(course.board, course.active, category)
    pending = course.board.powers[power].pending
    course.update_power(power, pending=(*pending, (category, step)))
    advance(course, power, category, 2 * step)
    course.tell("Stolen: it can be used from the next turn on")


def _catch(course: Course, target: str) -> None:
    """4.5"""
    caught = victim(course.board, course.active, target)
    assert caught is not None
    course.update_power(caught, spies=course.board.powers[caught].spies - 1)
    course.announce("A spy of {power} is caught", power=POWER_NAMES[caught])


# --- words ----------------------------------------------------------------------------------------


def _category(job: Job) -> Category:
    return next(category for category in CATEGORIES if category == job.target)


def _place_name(target: str) -> Any:
    known = atlas().alliances
    return known[target].names if target in known else atlas().spaces[target].names


def _target_name(job: Job) -> Any:
    if job.kind == "diplomacy":
        return _place_name(job.target)
    return category_name(_category(job)) if job.kind == "theft" else POWER_NAMES[Seat(job.target)]


def job_text(job: Job) -> Text:
    if not job.target:
        return Text("counter-espionage")
    target = {"target": _target_name(job)}
    if job.kind == "diplomacy":
        return Text("diplomacy in {target}", target)
    if job.kind == "theft":
        return Text("theft in {target}", target)
    return Text("counter-espionage against {target}", target)


VERBS = (SpyVerb(),)
