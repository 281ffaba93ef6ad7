"""How a battle will go, at a glance: mean hits round by round, for those who weigh many of them.

Within six percent or so on land, which is enough to choose what to look at; `odds` knows exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import erf, sqrt
from typing import NamedTuple

SIDES = 6
MOST_ROUNDS = 30
EDGE = 0.4
"""What the attacker needs more: nobody may be left."""
SPREAD = 1.05
"""How far battles stray from the mean, for each root of the units in them; fitted to `odds`."""


class Arm(NamedTuple):
    """Units of one kind in a guess."""

    price: int
    number: int
    """Each hits with this or less."""
    units: int


def chance(attackers: Iterable[Arm], defenders: Iterable[Arm]) -> float:
    """About how likely the attackers are to be the only ones left; the cheapest are lost first."""
    ours, theirs = _powers(attackers), _powers(defenders)
    if not theirs[1:]:
        return 1.0 if ours[1:] else 0.0
    lost, beaten, units = 0.0, 0.0, len(ours) + len(theirs) - 2
    for _ in range(MOST_ROUNDS):
        hits, hurt = _power(ours, lost) / SIDES, _power(theirs, beaten) / SIDES
        lost, beaten = lost + hurt, beaten + hits
        if lost >= len(ours) - 1 or beaten >= len(theirs) - 1:
            break
    left, held = len(ours) - 1 - lost, len(theirs) - 1 - beaten
    margin = left - held - EDGE
    return 0.5 * (1 + erf(margin / (SPREAD * sqrt(units) * sqrt(2))))


def _powers(arms: Iterable[Arm]) -> Sequence[int]:
    """The sum of the numbers of all that are left after each hit."""
    lost_first = sorted(arm for arm in arms if arm.units > 0)
    numbers = [arm.number for arm in lost_first for _ in range(arm.units)]
    powers = [sum(numbers)]
    for number in numbers:
        powers.append(powers[-1] - number)
    return powers


def _power(powers: Sequence[int], lost: float) -> float:
    whole = int(lost)
    if whole >= len(powers) - 1:
        return 0.0
    part = lost - whole
    return powers[whole] * (1 - part) + powers[whole + 1] * part
