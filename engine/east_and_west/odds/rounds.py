"""The rounds of a battle, computed or thrown, from the first shot to the last.

Every round leads from one pair of standings to others with fewer units, so each pair is looked at
once, the fullest first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from engine.east_and_west.battle import Battle, Reach
from engine.east_and_west.odds.ranks import (
    NEGLIGIBLE,
    SIDES,
    Chances,
    Ranks,
    Standing,
    binomial,
    convolved,
)

Verdict = Literal["wins", "loses", "empties", "stands"]
DEAR = 10
Pair = tuple[Standing, Standing]
End = tuple[Standing, Standing, Verdict]


# --- rounds, computed -----------------------------------------------------------------------------


def computed(battle: Battle, attacker: Ranks, defender: Ranks) -> dict[End, float]:
    """The chances of all endings."""
    start = _after_bombardment(battle, attacker, defender)
    if battle.round == 1 and _is_first_special(attacker, defender):
        start = _first_round(start, attacker, defender)
    if attacker.is_plain and defender.is_plain and not attacker.has_sneaks:
        return _computed_plainly(start, attacker, defender)
    return _computed_in_classes(start, attacker, defender)


def _after_bombardment(battle: Battle, attacker: Ranks, defender: Ranks) -> dict[Pair, float]:
    """7.6: hits on whatever the defender gives first."""
    chances: Chances = {(0,) * len(defender.reaches): 1.0}
    for number, dice in battle.bombardment:
        at = defender.reaches.index("any")
        chances = convolved(chances, at, binomial(dice, number), defender.left(defender.fresh))
    return _gathered(
        ((attacker.fresh, defender.after(defender.fresh, hits)), chance)
        for hits, chance in chances.items()
    )


def _is_first_special(attacker: Ranks, defender: Ranks) -> bool:
    """Whether round 1 differs from the others: by its numbers, or since nobody dives before it."""
    forces = (*attacker.side.forces, *defender.side.forces)
    return defender.has_submarines or any(force.opening != force.number for force in forces)


def _first_round(start: dict[Pair, float], attacker: Ranks, defender: Ranks) -> dict[Pair, float]:
    """Round 1 by its own numbers; who cannot fight at all does not even begin; 7.11."""
    return _gathered(
        (after, part * chance)
        for pair, part in start.items()
        for after, chance in _fought(pair, attacker, defender, first=True).items()
    )


def _fought(pair: Pair, attacker: Ranks, defender: Ranks, first: bool = False) -> dict[Pair, float]:
    """7.7: where one round leads; a battle that is over or idle stays where it is."""
    ours, theirs = pair
    if not attacker.left(ours) or not defender.left(theirs) or _is_idle(pair, attacker, defender):
        return {pair: 1.0}
    found: dict[Pair, float] = {}
    sneaks = attacker.volley(ours, first, True, defender, defender.left(theirs))
    for sneaked, chance in sneaks.items():
        hit = defender.after(theirs, sneaked)
        main = attacker.volley(ours, first, False, defender, defender.left(hit))
        fire = defender.volley(hit, first, False, attacker, attacker.left(ours))
        for hits, part in main.items():
            there = defender.after(hit, hits)
            for returned, last in fire.items():
                share = chance * part * last
                if share > NEGLIGIBLE:
                    to = (attacker.after(ours, returned), there)
                    found[to] = found.get(to, 0.0) + share
    return found


def _is_idle(pair: Pair, attacker: Ranks, defender: Ranks) -> bool:
    """7.11: nobody left can hit anybody."""
    ours, theirs = pair
    return not any(
        shooter.can_hit(standing, target, aim)
        for shooter, standing, target, aim in (
            (attacker, ours, defender, theirs),
            (defender, theirs, attacker, ours),
        )
    )


def _computed_in_classes(
    start: dict[Pair, float], attacker: Ranks, defender: Ranks
) -> dict[End, float]:
    """The pair with most units first: whatever leads to it has been looked at."""
    waiting: dict[int, dict[Pair, float]] = {}
    ends: dict[End, float] = {}

    def hand_on(pair: Pair, chance: float) -> None:
        left = attacker.left(pair[0]) + defender.left(pair[1])
        there = waiting.setdefault(left, {})
        there[pair] = there.get(pair, 0.0) + chance

    for pair, chance in start.items():
        hand_on(pair, chance)
    while waiting:
        for pair, chance in waiting.pop(max(waiting)).items():
            verdict = _verdict(pair, attacker, defender)
            if verdict is not None:
                ends[(*pair, verdict)] = ends.get((*pair, verdict), 0.0) + chance
                continue
            led = _fought(pair, attacker, defender)
            stays = led.pop(pair, 0.0)
            for after, part in led.items():
                hand_on(after, chance * part / (1 - stays))
    return ends


def _verdict(pair: Pair, attacker: Ranks, defender: Ranks) -> Verdict | None:
    """How a battle has ended; None: it goes on."""
    ours, theirs = pair
    if not attacker.left(ours):
        return "loses" if defender.left(theirs) else "empties"
    if not defender.left(theirs):
        return "wins"
    if _is_idle(pair, attacker, defender):
        return "stands"
    return "wins" if defender.is_diving(theirs) else None


def _computed_plainly(
    start: dict[Pair, float], attacker: Ranks, defender: Ranks
) -> dict[End, float]:
    """The same where one number tells a standing: rows of plain numbers, and nothing looked up.

    `mass[ours][theirs]` is the chance to come by there; rounds lead to the right and down.
    """
    most_a, most_d = len(attacker.side.losses), len(defender.side.losses)
    mass = [[0.0] * (most_d + 1) for _ in range(most_a + 1)]
    for ((ours,), (theirs,)), chance in start.items():
        mass[ours][theirs] += chance
    shots, fire = _plain_volleys(attacker), _plain_volleys(defender)
    dives = [defender.is_diving((taken,)) for taken in range(most_d)]
    ends: dict[End, float] = {}
    for ours in range(most_a):
        row = mass[ours]
        for theirs in range(most_d):
            chance = row[theirs]
            if chance <= NEGLIGIBLE:
                continue
            hits = _capped(shots[ours], most_d - theirs)
            back = _capped(fire[theirs], most_a - ours)
            stays = hits[0] * back[0]
            if stays == 1 or dives[theirs]:
                ends[(ours,), (theirs,), "stands" if stays == 1 else "wins"] = chance
                continue
            chance /= 1 - stays
            reached = [(at, chance * part) for at, part in enumerate(hits, theirs)]
            for down, part in enumerate(back, ours):
                below = mass[down]
                for at, share in reached:
                    below[at] += part * share
    return ends | _swept(mass)


def _swept(mass: list[list[float]]) -> dict[End, float]:
    """The last column and the last row: one side has lost everything."""
    *rows, last = mass
    *fallen, both = last
    ends: dict[End, float] = {}
    for ours, row in enumerate(rows):
        ends[(ours,), (len(fallen),), "wins"] = row[-1]
    for theirs, chance in enumerate(fallen):
        ends[(len(rows),), (theirs,), "loses"] = chance
    ends[(len(rows),), (len(fallen),), "empties"] = both
    return {end: chance for end, chance in ends.items() if chance}


def _plain_volleys(side: Ranks) -> list[list[float]]:
    """Chances of 0, 1, 2 … hits, for each number of hits that the side has taken."""
    dice: dict[int, int] = {}
    for force in side.side.forces:
        dice[force.number] = dice.get(force.number, 0) + force.count
    volleys = []
    for gone, instead in side.changes[0]:
        chances = [1.0]
        for number, count in dice.items():
            if number and count:
                chances = _folded(chances, binomial(count, number))
        volleys.append(chances)
        dice[gone.number] -= 1
        if instead is not None:
            dice[instead.number] = dice.get(instead.number, 0) + 1
    return volleys


def _folded(one: Sequence[float], other: Sequence[float]) -> list[float]:
    found = [0.0] * (len(one) + len(other) - 1)
    for i, p in enumerate(one):
        for j, q in enumerate(other):
            found[i + j] += p * q
    return found


def _capped(chances: list[float], most: int) -> list[float]:
    """Hits beyond those that can be taken are void."""
    if len(chances) <= most + 1:
        return chances
    return [*chances[:most], sum(chances[most:])]


# --- rounds, thrown -------------------------------------------------------------------------------


def thrown(battle: Battle, attacker: Ranks, defender: Ranks, below: Callable[[int], int]) -> End:
    ours, theirs = attacker.fresh, defender.fresh
    shells: Counter[tuple[int, Reach]] = Counter()
    for number, dice in battle.bombardment:
        shells[number, "any"] += dice
    theirs = defender.after(theirs, _throw(shells, defender, below))
    first = battle.round == 1
    while True:
        verdict = _verdict((ours, theirs), attacker, defender)
        is_unfought = first and verdict == "wins" and defender.left(theirs)
        if verdict is not None and not is_unfought:
            return ours, theirs, verdict
        sneak = _throw(attacker.dice(ours, first, True), defender, below)
        hit = defender.after(theirs, sneak)
        main = _throw(attacker.dice(ours, first, False), defender, below)
        back = _throw(defender.dice(hit, first, False), attacker, below)
        ours, theirs = attacker.after(ours, back), defender.after(hit, main)
        first = False


def _throw(
    dice: Counter[tuple[int, Reach]], foe: Ranks, below: Callable[[int], int]
) -> tuple[int, ...]:
    hits = [0] * len(foe.reaches)
    for (number, reach), count in dice.items():
        at = foe.reaches.index(reach)
        hits[at] += sum(below(SIDES) < number for _ in range(count))
    return tuple(hits)


def _gathered(chances: Iterable[tuple[Pair, float]]) -> dict[Pair, float]:
    found: dict[Pair, float] = {}
    for pair, chance in chances:
        found[pair] = found.get(pair, 0.0) + chance
    return found


def steps(attacker: Ranks, defender: Ranks) -> int:
    """A rough count of what computing would take; where there are classes, each step is dear."""
    number = 1 if attacker.is_plain and defender.is_plain else DEAR
    for side in (attacker, defender):
        for places in side.places:
            number *= (len(places) + 1) ** 2
    return number // 4
