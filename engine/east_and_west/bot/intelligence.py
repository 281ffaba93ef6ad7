"""Spies and research of a stand-in player: each job and attempt weighed in money."""

from __future__ import annotations

from collections.abc import Mapping

from engine.core import Seat
from engine.east_and_west import queries
from engine.east_and_west.board import Board, Job
from engine.east_and_west.bot.draft import Draft
from engine.east_and_west.course.espionage import REACH, Spy
from engine.east_and_west.course.research import Accept, Research, counter, next_step
from engine.east_and_west.course.treasury import purse
from engine.east_and_west.data.arsenal import (
    BOMBER,
    CATEGORIES,
    FIGHTER,
    FULL,
    SPY,
    SUBMARINE,
    Category,
    kinds,
    technologies,
)
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import ALLIANCES, MINOR, POWERS, are_enemies
from engine.east_and_west.forces import count

WEIGHTS: Mapping[tuple[Category, int], int] = {
    ("armor", 1): 6,
    ("aircraft", 1): 5,
    ("infantry", 1): 3,
    ("aircraft", 2): 4,
    ("armor", 3): 4,
    ("infantry", 3): 3,
    ("submarine", 1): 2,
}
"""How useful steps are; others 1."""
HALF_WAY = 3
"""What speaks for a category with half a step: success is twice as likely; 5.4."""
PAID = 8
"""How useful a category must be for an attempt against money: good, and half the way is done."""
SHARE = 6
"""Of the money, the part that goes into such attempts: one in so many."""
SETTLES = 5
"""Rounds before the end after which nobody pays for knowledge any more."""
YEARS = 3
"""For how many turns an income counts."""
SAVED = 1
"""How many attempts a theft is worth: money and lands go before knowledge."""
FULL_WEIGHT = 6
"""How useful the most useful step is."""
USEFUL_STEPS = {"aircraft": (BOMBER, FIGHTER), "submarine": (SUBMARINE,)}
"""Categories that are worth more to whoever has many of these."""
MANY = 4
"""How many of them make a step more useful by one."""


def intelligence(draft: Draft) -> None:
    for category in CATEGORIES:
        draft.give(Accept(category))
    for _ in range(draft.board.powers[draft.seat].spies):
        any(draft.give(Spy(job)) for job in _jobs(draft))
    best = sorted(CATEGORIES, key=lambda category: (-_use(draft, category), category))
    any(draft.give(Research(category, is_free=True)) for category in best)
    if "research" in draft.skills:
        _pay(draft, best)


# --- spies ----------------------------------------------------------------------------------------


def _jobs(draft: Draft) -> list[Job]:
    """What a spy could do, the most useful first; twice the same only at an alliance."""
    given = draft.board.turn.jobs
    jobs = _courts(draft)
    if "spies" in draft.skills:
        jobs |= _thefts(draft) | _hunts(draft)
    left = [job for job in jobs if job.target in ALLIANCES or job not in given]
    return sorted(left, key=lambda job: (-jobs[job], job.kind, job.target))


def _courts(draft: Draft) -> dict[Job, float]:
    """Whom a spy may win over."""
    board = draft.board
    minor = [land for land, owner in board.owners.items() if owner == MINOR]
    return {
        **{Job("diplomacy", land): _bride(board, land) for land in minor},
        **{
            Job("diplomacy", alliance): _shift(board, draft.seat, alliance)
            for alliance in board.influence
        },
    }


def _bride(board: Board, land: str) -> float:
    troops = sum(kinds()[group.kind].cost * group.count for group in board.at(land))
    return YEARS * queries.value(board, land) + troops / 2


def _shift(board: Board, seat: Seat, alliance: str) -> float:
    """What one step of a marker changes, for either side; steps without money count a little."""
    printed, at = atlas().alliances[alliance], board.influence[alliance]
    to = max(-4, min(4, at + REACH[seat]))
    before, after = printed.income[abs(at)], printed.income[abs(to)]
    return YEARS * abs(after - before) + 1.0 * (to != at)


def _thefts(draft: Draft) -> dict[Job, float]:
    """4.4: what the step would cost in attempts, as far as it is useful."""
    return {
        Job("theft", category): SAVED
        * technologies()[category].price
        * min(1.0, _weight(draft, category) / FULL_WEIGHT)
        for category in CATEGORIES
    }


def _hunts(draft: Draft) -> dict[Job, float]:
    """4.5: the enemy has to buy his spy again, if he has the money to spare."""
    hunted = [power for power in POWERS if are_enemies(draft.seat, power)]
    return {
        Job("counter", power): kinds()[SPY].cost / 2
        for power in hunted
        if draft.board.powers[power].spies
    }


# --- research -------------------------------------------------------------------------------------


def _use(draft: Draft, category: Category) -> int:
    is_half = counter(draft.board, draft.seat, category) % 2
    return _weight(draft, category) + HALF_WAY * is_half


def _weight(draft: Draft, category: Category) -> int:
    """How useful the next step is, to whom has what it makes better."""
    step = next_step(draft.board, draft.seat, category)
    weight = WEIGHTS.get((category, step), 1)
    if "research" not in draft.skills or category not in USEFUL_STEPS:
        return weight
    own = [
        group
        for space in draft.board.units
        for group in queries.own_units(draft.board, draft.seat, space)
    ]
    return weight + min(MANY, count(own, *USEFUL_STEPS[category]) // MANY)


def _pay(draft: Draft, best: list[Category]) -> None:
    """5.3: for what is most useful, while it can still be used."""
    left = purse(draft.board) // SHARE
    if draft.board.round + SETTLES > draft.board.variant.rounds:
        return
    for category in best:
        price = technologies()[category].price
        if _use(draft, category) < PAID or counter(draft.board, draft.seat, category) >= FULL:
            continue
        if price <= left and draft.give(Research(category)):
            left -= price
