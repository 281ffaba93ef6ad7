"""The combat move of a stand-in player: only battles that will probably be won, and pay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from engine.core import Seat
from engine.east_and_west import queries
from engine.east_and_west.battle import Battle
from engine.east_and_west.board import Board
from engine.east_and_west.bot import guess
from engine.east_and_west.bot.draft import Draft
from engine.east_and_west.bot.guess import Arm
from engine.east_and_west.combat import lineup
from engine.east_and_west.data.arsenal import (
    ARMOR,
    BOMBER,
    CARRIERS,
    FIGHTER,
    HEAVY_ARMOR,
    HOWITZER,
    INFANTRY,
    SPECIAL_FORCES,
    TRANSPORTS,
    kinds,
)
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import ALLIANCES
from engine.east_and_west.movement.moving import most
from engine.east_and_west.odds.calculator import Odds, odds, simulated
from engine.east_and_west.reach.context import move_context
from engine.east_and_west.verbs.moves import Move
from engine.east_and_west.verbs.plans import PlanOrder

GOOD = 0.7
"""The chance from which a battle is fought."""
GOOD_AGAINST_NEUTRALS = 0.85
"""13.6: a neutral that holds out joins the enemy."""
COMFORT = 0.95
"""Above this chance units are left at home."""
BREAK_OFF = 30
"""Percent: an attack whose chance falls below is broken off."""
MOST_ATTACKS = 10
MOST_AT_SEA = 14
"""Units in a sea battle; larger ones take long to compute."""
MOST_ON_LAND = 4_000
"""Pairs of units in a land battle, times what guns may leave; larger ones are thrown."""
THROWN = 400
DOUBT = 0.06
"""What such a battle must promise more."""
WORTH = 3
"""What a point of income is worth in units."""
PRIZE = 8
"""What a factory or a capital is worth besides."""
RELEASED = (BOMBER, FIGHTER, HEAVY_ARMOR, SPECIAL_FORCES, ARMOR, HOWITZER, INFANTRY)
"""In this order units are left at home that a battle does not need."""
Forces = Mapping[str, Counter[str]]
"""Units by where they stand and kind."""


class Candidate(NamedTuple):
    """An attack that may be made."""

    worth: float
    target: str
    forces: Forces


def attack(draft: Draft) -> frozenset[str]:
    """Declare what is worth it, the best first; the spaces that are attacked."""
    best_first = sorted(_candidates(draft), key=lambda one: (-one.worth, one.target))
    return declare_all(draft, [candidate.target for candidate in best_first], _declare)


def declare_all(
    draft: Draft,
    targets: Iterable[str],
    declare: Callable[[Draft, str, frozenset[str]], bool],
    attacked: frozenset[str] = frozenset(),
) -> frozenset[str]:
    """Attack one target after another until there are enough; those that it came to.

    `declare` is told what is attacked so far, and says whether it has attacked.
    """
    chosen = list(attacked)
    for target in targets:
        if len(chosen) < MOST_ATTACKS and declare(draft, target, frozenset(chosen)):
            chosen.append(target)
    return frozenset(chosen) - attacked


# --- what could be attacked -----------------------------------------------------------------------


def _candidates(draft: Draft) -> Iterator[Candidate]:
    """Targets in reach with all that could go there."""
    for target in sorted(_targets(draft)):
        forces = available(draft, target, frozenset({target}))
        worth = _worth(draft, target, forces)
        if worth > 0:
            yield Candidate(worth, target, forces)


def _targets(draft: Draft) -> set[str]:
    context = move_context(draft.state, draft.seat)
    return {
        target
        for start in draft.board.units
        for target in most(context, start)
        if not is_alliance(draft.board, target)
    }


def is_alliance(board: Board, space: str) -> bool:
    """13.6: to attack one of its lands gives all others to the enemy."""
    return board.owners.get(space) in ALLIANCES


def available(draft: Draft, target: str, beaten: frozenset[str]) -> Forces:
    """What can go to a target and is not needed where it stands."""
    context, sight = move_context(draft.state, draft.seat), draft.sight
    found: dict[str, Counter[str]] = {}
    for start in sorted(draft.board.units):
        able = most(context, start, target).get(target, {})
        if not able:
            continue
        free = sight.spare(start, beaten) if atlas().is_land(start) else Counter(able)
        free[BOMBER] -= draft.on_call(start)
        going = Counter({kind: min(n, free[kind]) for kind, n in able.items() if _fights(kind)})
        if +going:
            found[start] = +going
    return found


def _fights(kind: str) -> bool:
    """Transports and carriers are not risked in a battle of choice."""
    return kind not in (*TRANSPORTS, *CARRIERS) and kinds()[kind].fights


def _sum(forces: Forces) -> Counter[str]:
    return sum(forces.values(), Counter[str]())


def _arms(board: Board, power: Seat, units: Mapping[str, int]) -> list[Arm]:
    return [
        Arm(queries.price(board, power, kind), kinds()[kind].attack, number)
        for kind, number in units.items()
    ]


def opposition(draft: Draft, space: str) -> list[Arm]:
    defenders = queries.defenders(draft.board, draft.seat, space)
    return [draft.sight.arm(group) for group in defenders]


def outlook(draft: Draft, target: str, units: Mapping[str, int]) -> float:
    """A guess; a land needs somebody on foot to be taken."""
    if atlas().is_land(target) and not any(kinds()[kind].is_ground for kind in units):
        return 0.0
    defence = opposition(draft, target)
    return guess.chance(_arms(draft.board, draft.seat, units), defence)


def _worth(draft: Draft, target: str, forces: Forces) -> float:
    """What an attack with all of that gains, roughly; nothing if it is not good enough."""
    units = _sum(forces)
    chance = outlook(draft, target, units)
    if chance < GOOD - 0.1:
        return 0.0
    killed = sum(arm.price * arm.units for arm in opposition(draft, target))
    return chance * (prize(draft.board, target) + killed)


def prize(board: Board, space: str) -> float:
    """What a land is worth to whoever takes it."""
    if not atlas().is_land(space):
        return 0.0
    printed = atlas().spaces[space]
    extra = PRIZE * ((space in board.factories) + (printed.capital is not None))
    return WORTH * queries.value(board, space) + extra


def _threshold(board: Board, space: str) -> float:
    return GOOD_AGAINST_NEUTRALS if queries.is_neutral(board, space) else GOOD


# --- attacks by land and air ----------------------------------------------------------------------


def _declare(draft: Draft, target: str, chosen: frozenset[str]) -> bool:
    """Send what is needed, and see with exact odds whether it pays."""
    forces = available(draft, target, chosen | {target})
    if not forces or outlook(draft, target, _sum(forces)) < GOOD - 0.1:
        return False
    if not atlas().is_land(target) and _size(draft, target, forces) > MOST_AT_SEA:
        return False
    if not opposition(draft, target):
        return _walk_in(draft, target, forces)
    forces = _reduced(draft, target, forces)
    before = draft.mark()
    for start, units in sorted(forces.items()):
        send(draft, start, target, units)
    if pays(draft, target, before[0].board, chosen):
        if not is_large(lineup.describe(draft.board, draft.seat, target)):
            draft.give(PlanOrder(target, "odds", number=BREAK_OFF))
        return True
    draft.back(before)
    return False


def _size(draft: Draft, target: str, forces: Forces) -> int:
    defence = opposition(draft, target)
    return sum(_sum(forces).values()) + sum(arm.units for arm in defence)


def send(draft: Draft, start: str, target: str, units: Mapping[str, int]) -> None:
    """Together, or one kind after the other, or as many as can land again."""
    every = tuple(sorted(units.items()))
    if draft.give(Move(start, target, every)):
        return
    for kind, number in every:
        for some in range(number, 0, -1):
            if draft.give(Move(start, target, ((kind, some),))):
                break


def _walk_in(draft: Draft, target: str, forces: Forces) -> bool:
    """7.2: an empty land is taken by the cheapest unit on foot, if it is worth something."""
    if not atlas().is_land(target) or not prize(draft.board, target):
        return False
    walkers = [
        (queries.price(draft.board, draft.seat, kind), start, kind)
        for start, units in forces.items()
        for kind in units
        if kinds()[kind].is_ground
    ]
    return any(draft.give(Move(start, target, ((kind, 1),))) for _, start, kind in sorted(walkers))


def _reduced(draft: Draft, target: str, forces: Forces) -> Forces:
    """Without what the battle does not need; the dearest stay at home."""
    kept = {start: Counter(units) for start, units in forces.items()}
    for kind in RELEASED:
        for start in sorted(kept):
            low, high = 0, kept[start][kind]
            while low < high:
                kept[start][kind] = middle = (low + high) // 2
                is_enough = outlook(draft, target, +_sum(kept)) >= COMFORT
                low, high = (low, middle) if is_enough else (middle + 1, high)
            kept[start][kind] = low
    return {start: +units for start, units in kept.items() if +units}


def pays(
    draft: Draft, target: str, before: Board, chosen: frozenset[str], besides: float = 0.0
) -> bool:
    """Whether a battle as declared is probably won and worth its losses and what comes on top."""
    zones = [a.landings for a in draft.board.turn.attacks if a.space == target]
    if not zones:
        return False
    battle = lineup.describe(draft.board, draft.seat, target, zones=zones[0])
    if not battle.attacker.forces:
        return False
    found = simulated(battle, THROWN) if is_large(battle) else odds(battle)
    won = found.captures if atlas().is_land(target) else found.wins
    if won < _threshold(before, target) + (0.0 if found.is_exact else DOUBT):
        return False
    gain = won * prize(before, target) + found.lost_value[1] - found.lost_value[0]
    return gain - besides - _counterblow(draft, target, found, chosen) > 0


def is_large(battle: Battle) -> bool:
    """Whether computing would take long; 7.4, 7.5: every outcome of a salvo is a battle more."""
    worlds = 1
    for force in battle.attacker.forces if battle.salvo else ():
        is_shot = kinds()[force.kind].is_air if battle.salvo == "aircraft" else True
        worlds *= 1 + force.count if is_shot else 1
    return len(battle.attacker.losses) * len(battle.defender.losses) * worlds > MOST_ON_LAND


def _counterblow(draft: Draft, target: str, found: Odds, chosen: frozenset[str]) -> float:
    """What the enemy would take back: half of what is left there, for it costs him something."""
    if not atlas().is_land(target) or not found.endings:
        return 0.0
    left = next((e.attacker for e in found.endings if e.attacker and not e.defender), ())
    staying = [
        Arm(
            queries.price(draft.board, draft.seat, unit.kind),
            kinds()[unit.kind].defence,
            unit.count,
        )
        for unit in left
        if kinds()[unit.kind].is_ground
    ]
    risk = draft.sight.risk(target, staying, chosen | {target})
    held = sum(arm.price * arm.units for arm in staying)
    return risk * (held / 2 + WORTH * queries.value(draft.board, target) / 2)
