"""Atomic bombs of a stand-in player: where they fall, when one is built, where they wait; 11.

A bomb takes the five cheapest units of a space and costs a bomber often enough. So it is meant for
fleets and small dear stacks, and for garrisons after which an ally walks in; not for trenches.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from engine.core import Seat
from engine.east_and_west import queries
from engine.east_and_west.battle import SALVO
from engine.east_and_west.board import Board, Group
from engine.east_and_west.bot.draft import Draft
from engine.east_and_west.bot.guess import SIDES
from engine.east_and_west.bot.offensive import WORTH, prize
from engine.east_and_west.combat import casualties, lineup
from engine.east_and_west.combat.nuclear import ESCAPE, PROTESTS, UNITS, VALUE, power_of
from engine.east_and_west.course.espionage import REACH
from engine.east_and_west.course.placement import factory_room
from engine.east_and_west.data.arsenal import (
    AA_GUN,
    ATOMIC_BOMB,
    BOMBER,
    BOMBS,
    HYDROGEN_BOMB,
    kinds,
)
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWERS, USSR, are_friends
from engine.east_and_west.forces import count
from engine.east_and_west.movement.airborne import bomb_targets, bombs_to_fly
from engine.east_and_west.movement.moving import most
from engine.east_and_west.reach.context import move_context
from engine.east_and_west.verbs.aircraft import FlyBomb
from engine.east_and_west.verbs.moves import Move
from engine.east_and_west.verbs.strikes import RANGE, StrikeOrder

ENOUGH = 9.0
"""What a bomb must promise, or it waits for something better."""
PROFIT = 4.0
"""What it must promise beyond its price to be built."""
NEARER = 2.0
"""How much better a place must be for a bomb to be taken there."""
MOST_STRIKES = 6
SAFE = 0.1
"""Up to this risk bombs stay in a land."""
OPENING = 0.5
"""How likely an ally walks into a land that a bomb has emptied."""


class Means(NamedTuple):
    """How a bomb is brought to its target."""

    bomb: str
    by_missile: bool = False


# --- strikes --------------------------------------------------------------------------------------


def strike(draft: Draft) -> frozenset[str]:
    """Declare what is worth a bomb, the best first; the spaces that are struck."""
    if "bombs" not in draft.skills or not queries.knows(draft.board, draft.seat, "nuclear", 1):
        return frozenset()
    for start in sorted(draft.board.units):
        for means in _loaded(draft, start):
            if len(draft.board.turn.strikes) < MOST_STRIKES:
                _strike_from(draft, start, means)
    return frozenset(one.target for one in draft.board.turn.strikes)


def _loaded(draft: Draft, start: str) -> Iterator[Means]:
    """Bombs of a land one by one, and what takes them away."""
    own = queries.own_units(draft.board, draft.seat, start)
    bombers, guns = count(own, BOMBER), _launchers(draft.board, draft.seat, start)
    for bomb in (HYDROGEN_BOMB, ATOMIC_BOMB):
        for _ in range(count(own, bomb)):
            if guns:
                guns -= 1
                yield Means(bomb, by_missile=True)
            elif bombers:
                bombers -= 1
                yield Means(bomb)


def _launchers(board: Board, seat: Seat, land: str) -> int:
    """11.6"""
    own = queries.own_units(board, seat, land)
    return count(own, AA_GUN) if queries.knows(board, seat, "nuclear", 2) else 0


def _strike_from(draft: Draft, start: str, means: Means) -> None:
    reach = RANGE if means.by_missile else queries.movement(draft.board, draft.seat, BOMBER)
    fought = {attack.space for attack in draft.board.turn.attacks}
    targets = [
        (worth, target)
        for target, worth in _gains(draft, start, reach, means).items()
        if worth >= ENOUGH and target not in fought
    ]
    for _, target in sorted(targets, key=lambda one: (-one[0], one[1])):
        before = draft.mark()
        if draft.give(StrikeOrder(start, target, means.bomb, means.by_missile)):
            under_way = len(draft.board.turn.strikes[-1].guns)
            if _gain(draft, target, means, under_way) >= ENOUGH:
                return
            draft.back(before)


def _gains(draft: Draft, start: str, reach: int, means: Means) -> dict[str, float]:
    """What a bomb from a land would bring at each space so near, guns on the way aside."""
    struck = {one.target for one in draft.board.turn.strikes}
    near = atlas().distances([start])
    return {
        target: _gain(draft, target, means)
        for target in draft.board.units
        if near[target] <= reach
        and target not in struck
        and queries.enemies(draft.board, draft.seat, target)
        and not queries.is_friendly(draft.board, draft.seat, target)
        and not queries.is_neutral(draft.board, target)
    }


# --- what it brings -------------------------------------------------------------------------------


def _gain(draft: Draft, target: str, means: Means, guns_on_the_way: int = 0) -> float:
    """11.4-11.7 in money: what is destroyed, less the bomber, the protests and the accidents."""
    board, seat = draft.board, draft.seat
    guns = guns_on_the_way + bool(lineup.guns(board, seat, target))
    arrives = (1 - SALVO / SIDES) ** guns
    explodes = 1 - sum(_chance(board, fault) for fault in _faults(seat))
    gain = explodes * arrives * _damage(draft, target, means.bomb) - _outcry(board, seat)
    if means.by_missile:
        return gain
    escapes = arrives * (1 - ESCAPE / SIDES)
    return gain - (1 - escapes) * kinds()[BOMBER].cost


def _damage(draft: Draft, target: str, bomb: str) -> float:
    """The cheapest units go; what an ally gains who walks in after it; the income of a turn."""
    board, strength = draft.board, power_of(bomb)
    there = [
        group
        for group in board.at(target)
        if kinds()[group.kind].fights and not are_friends(draft.seat, group.owner)
    ]
    losses = casualties.in_order(board, there, is_total=True)
    hit = losses[: UNITS * strength]
    killed = float(sum(casualties.price(board, loss.owner, loss.kind) for loss in hit))
    if not atlas().is_land(target):
        return killed
    poorer = min(VALUE * strength, queries.value(board, target))
    is_empty = len(losses) <= len(hit) and _has_heir(board, draft.seat, target)
    return killed + poorer + OPENING * is_empty * prize(board, target)


def _has_heir(board: Board, seat: Seat, land: str) -> bool:
    """Whether an ally that moves later in the round stands beside a land."""
    later = POWERS[POWERS.index(seat) + 1 :]
    return any(
        kinds()[group.kind].is_ground and kinds()[group.kind].attack
        for near in atlas().neighbours[land]
        for ally in later
        if are_friends(seat, ally)
        for group in queries.own_units(board, ally, near)
    )


def _chance(board: Board, result: str) -> float:
    """11.4, 11.8: how likely two dice bring a complication."""
    if board.variant.nuclear_winter:
        return 0.0
    sums = [one + other for one, other in product(range(1, SIDES + 1), repeat=2)]
    return sum(atlas().complications[total] == result for total in sums) / len(sums)


def _faults(seat: Seat) -> tuple[str, ...]:
    stopped = () if seat == USSR else ("university-protests",)
    return ("detonation", "malfunction", *stopped)


def _outcry(board: Board, seat: Seat) -> float:
    """What the protests of alliances cost, in income of some turns."""
    cost = 0.0
    for result, alliances in PROTESTS.items():
        for alliance in alliances:
            if (at := board.influence.get(alliance)) is not None:
                paid = atlas().alliances[alliance].income
                to = max(-4, min(4, at - REACH[seat]))
                cost += _chance(board, result) * WORTH * abs(paid[abs(at)] - paid[abs(to)])
    return cost


# --- building and keeping -------------------------------------------------------------------------


def wish(draft: Draft) -> str | None:
    """11.1: the bomb that is worth its price, if a bomber waits somewhere near enough a target."""
    board, seat = draft.board, draft.seat
    if "bombs" not in draft.skills or not queries.can_build(board, seat, ATOMIC_BOMB):
        return None
    held = sum(count(queries.own_units(board, seat, land), *BOMBS) for land in board.units)
    bases = [land for land in board.units if count(queries.own_units(board, seat, land), BOMBER)]
    rooms = sum(factory_room(board, land) for land in board.turn.factories)
    if held >= (len(bases) if board.variant.nuclear_winter else 1) or not rooms:
        return None
    able = [bomb for bomb in (HYDROGEN_BOMB, ATOMIC_BOMB) if queries.can_build(board, seat, bomb)]
    return next((bomb for bomb in able if _is_worth_it(draft, bases, bomb)), None)


def _is_worth_it(draft: Draft, bases: list[str], bomb: str) -> bool:
    best = max((_best_from(draft, base, bomb) for base in bases), default=0.0)
    return best >= queries.price(draft.board, draft.seat, bomb) + PROFIT


def _best_from(draft: Draft, base: str, bomb: str) -> float:
    """The best that a bomber could do from a land to which it comes back."""
    reach = queries.movement(draft.board, draft.seat, BOMBER) // 2
    return max(_gains(draft, base, reach, Means(bomb)).values(), default=0.0)


def deploy(draft: Draft) -> None:
    """11.2: bombs go with a bomber to where they can be used, and out of danger."""
    if "bombs" not in draft.skills or not queries.knows(draft.board, draft.seat, "nuclear", 1):
        return
    for start in sorted(draft.board.units):
        own = queries.own_units(draft.board, draft.seat, start)
        for bomb in BOMBS:
            if atlas().is_land(start) and _fresh(own, bomb):
                _bring(draft, start, bomb)


def _fresh(groups: list[Group], kind: str) -> bool:
    return any(group.kind == kind and not group.marks and not group.used for group in groups)


def _bring(draft: Draft, start: str, bomb: str) -> None:
    context = move_context(draft.state, draft.seat)
    if bomb not in bombs_to_fly(context, start):
        _call_bomber(draft, start)
        return
    sight = draft.sight

    def rank(land: str) -> tuple[bool, float]:
        return sight.risk(land, sight.garrison(land)) > SAFE, -_best_from(draft, land, bomb)

    here = rank(start)
    goal = min(bomb_targets(context, start), key=lambda land: (*rank(land), land), default=start)
    there = rank(goal)
    if there[0] < here[0] or (there[0] == here[0] and there[1] < here[1] - NEARER):
        draft.give(FlyBomb(start, goal, bomb))


def _call_bomber(draft: Draft, land: str) -> None:
    """A bomb without a bomber is none: the next one that is free and in reach comes."""
    if count(queries.own_units(draft.board, draft.seat, land), BOMBER):
        return
    for start in sorted(draft.board.units):
        own = queries.own_units(draft.board, draft.seat, start)
        if count(own, BOMBER) > draft.on_call(start):
            able = most(move_context(draft.state, draft.seat), start, land)
            if BOMBER in able.get(land, {}) and draft.give(Move(start, land, ((BOMBER, 1),))):
                return
