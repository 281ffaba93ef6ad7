"""A side of a battle with its hits in order: what is left of it, what it fires, what falls on it.

A side takes its hits in a fixed order, so where it stands is told by how many it has taken. Hits
of a narrow reach (7.8) pass over what they cannot touch; then a side is told by one such number for
each class of units that the same hits can fall on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import comb

from msgspec import Struct

from engine.east_and_west.battle import REACHES, Battle, Force, Loss, Reach, Side
from engine.east_and_west.data.arsenal import SUBMARINE

SIDES = 6
NEGLIGIBLE = 1e-13
"""Probabilities below this are left out; the answer is exact to some ten digits."""

Standing = tuple[int, ...]
"""Hits taken, class by class."""
Chances = dict[tuple[int, ...], float]
"""Of hits, reach by reach."""


class Left(Struct, frozen=True, order=True):
    """Units that are left of a side."""

    owner: str
    kind: str
    count: int
    damaged: int = 0
    """How many of them are damaged battleships."""


class Shooter(Struct, frozen=True):
    number: int
    opening: int
    reach: Reach
    sneaks: bool


class Ranks:
    """A side with its hits in order, sorted into classes by what can fall on them."""

    def __init__(self, side: Side, foe: Side, may_sneak: bool) -> None:
        self.side, self.may_sneak = side, may_sneak
        self.has_sneaks = may_sneak and any(force.sneaks for force in side.forces)
        self.doubles = {(force.owner, force.kind) for force in side.forces if force.hits > 1}
        self.has_submarines = any(force.kind == SUBMARINE for force in side.forces)
        used = {force.reach for force in foe.forces if force.count} | {"any"}
        self.reaches = tuple(reach for reach in REACHES if reach in used)
        touched = [
            tuple(side.can_be(loss, reach) for reach in self.reaches) for loss in side.losses
        ]
        self.classes = sorted(set(touched))
        self.places = [
            [at for at, hit in enumerate(touched) if hit == kind] for kind in self.classes
        ]
        self.fresh: Standing = (0,) * len(self.classes)
        self.changes = self._changes()
        self._dice: dict[tuple[Standing, bool, bool], Counter[tuple[int, Reach]]] = {}
        self._after: dict[tuple[Standing, tuple[int, ...]], Standing] = {}
        self._volleys: dict[tuple[Standing, bool, bool, int], Chances] = {}

    # --- what fires -------------------------------------------------------------------------------

    def _changes(self) -> list[list[tuple[Shooter, Shooter | None]]]:
        """Class by class, hit by hit: whose dice are gone, and whose come instead."""
        sound = {at: force.count for at, force in enumerate(self.side.forces)}
        worn = dict.fromkeys(sound, 0)
        by_place = [self._change(loss, sound, worn) for loss in self.side.losses]
        return [[by_place[at] for at in places] for places in self.places]

    def _change(
        self, loss: Loss, sound: dict[int, int], worn: dict[int, int]
    ) -> tuple[Shooter, Shooter | None]:
        """What one hit does; among equal units the damaged and the weakest go first."""
        forces = self.side.forces
        alike = [at for at, force in enumerate(forces) if fits(force, loss)]
        if not loss.is_damage:
            at = next((at for at in alike if worn[at]), None)
            if at is not None:
                worn[at] -= 1
                return self._worn(forces[at]), None
        at = min(
            (at for at in alike if sound[at] and (forces[at].hits > 1 or not loss.is_damage)),
            key=lambda at: (forces[at].hits, forces[at].number, forces[at].opening),
        )
        sound[at] -= 1
        if not loss.is_damage:
            return self._sound(forces[at]), None
        worn[at] += 1
        return self._sound(forces[at]), self._worn(forces[at])

    def _sound(self, force: Force) -> Shooter:
        return Shooter(force.number, force.opening, force.reach, self.may_sneak and force.sneaks)

    def _worn(self, force: Force) -> Shooter:
        return Shooter(force.worn, force.worn, force.reach, False)

    def dice(self, standing: Standing, first: bool, sneak: bool) -> Counter[tuple[int, Reach]]:
        """Dice of a volley, by the number rolled against and the reach."""
        key = standing, first, sneak
        if key not in self._dice:
            shooters: Counter[Shooter] = Counter()
            for force in self.side.forces:
                shooters[self._sound(force)] += force.count
            for taken, changes in zip(standing, self.changes, strict=True):
                for gone, instead in changes[:taken]:
                    shooters[gone] -= 1
                    if instead is not None:
                        shooters[instead] += 1
            found: Counter[tuple[int, Reach]] = Counter()
            for shooter, count in shooters.items():
                if shooter.sneaks == sneak and count:
                    found[shooter.opening if first else shooter.number, shooter.reach] += count
            self._dice[key] = +Counter({key: n for key, n in found.items() if key[0]})
        return self._dice[key]

    def volley(
        self, standing: Standing, first: bool, sneak: bool, foe: Ranks, most: int
    ) -> Chances:
        """Chances of hits on a foe that can take so many, reach by reach of that foe."""
        key = standing, first, sneak, most
        if key not in self._volleys:
            chances: Chances = {(0,) * len(foe.reaches): 1.0}
            for (number, reach), count in self.dice(standing, first, sneak).items():
                at = foe.reaches.index(reach)
                chances = convolved(chances, at, binomial(count, number), most)
            self._volleys[key] = chances
        return self._volleys[key]

    def can_hit(self, standing: Standing, foe: Ranks, aim: Standing) -> bool:
        """Whether any of its dice can fall on what is left of a foe."""
        left = foe.remaining(aim)
        return any(
            foe.side.can_be(loss, reach)
            for sneak in (True, False)
            for _, reach in self.dice(standing, False, sneak)
            for loss in left
        )

    # --- what is hit ------------------------------------------------------------------------------

    def left(self, standing: Standing) -> int:
        return len(self.side.losses) - sum(standing)

    def after(self, standing: Standing, hits: tuple[int, ...]) -> Standing:
        """Hits are taken, the narrowest reach first; what fits no unit is void; 7.8."""
        key = standing, hits
        if key not in self._after:
            taken = list(standing)
            for at, number in enumerate(hits):
                for _ in range(number):
                    open_classes = [
                        (self.places[i][taken[i]], i)
                        for i, touched in enumerate(self.classes)
                        if touched[at] and taken[i] < len(self.places[i])
                    ]
                    if not open_classes:
                        break
                    taken[min(open_classes)[1]] += 1
            self._after[key] = tuple(taken)
        return self._after[key]

    def remaining(self, standing: Standing) -> list[Loss]:
        """Hits that it can still take."""
        return [
            self.side.losses[at]
            for taken, places in zip(standing, self.places, strict=True)
            for at in places[taken:]
        ]

    def units(self, standing: Standing) -> tuple[Left, ...]:
        whole: dict[tuple[str, str], int] = {}
        sound: dict[tuple[str, str], int] = {}
        for loss in self.remaining(standing):
            counts, whose = sound if loss.is_damage else whole, (loss.owner, loss.kind)
            counts[whose] = counts.get(whose, 0) + 1
        return tuple(
            Left(*whose, n, n - sound.get(whose, 0) if whose in self.doubles else 0)
            for whose, n in sorted(whole.items())
        )

    def is_diving(self, standing: Standing) -> bool:
        """14.2 no. 4: nothing but submarines is left."""
        if not self.has_submarines:
            return False
        left = self.remaining(standing)
        return bool(left) and all(loss.kind == SUBMARINE for loss in left)

    @property
    def is_plain(self) -> bool:
        """Every hit can fall on every unit."""
        return len(self.classes) == 1 and all(self.classes[0])


def ranks_of(battle: Battle) -> tuple[Ranks, Ranks]:
    return (
        Ranks(battle.attacker, battle.defender, may_sneak=True),
        Ranks(battle.defender, battle.attacker, may_sneak=False),
    )


def fits(force: Force, loss: Loss) -> bool:
    return (force.owner, force.kind) == (loss.owner, loss.kind)


@lru_cache(maxsize=1_000)
def binomial(dice: int, number: int) -> tuple[float, ...]:
    """Chances of 0, 1, 2 … hits with so many dice."""
    p = min(number, SIDES) / SIDES
    return tuple(comb(dice, k) * p**k * (1 - p) ** (dice - k) for k in range(dice + 1))


def convolved(chances: Chances, at: int, more: Sequence[float], most: int) -> Chances:
    """With more hits of one reach; what is above `most` counts as that."""
    found: Chances = {}
    for hits, chance in chances.items():
        for number, part in enumerate(more):
            share = chance * part
            if share > NEGLIGIBLE:
                key = (*hits[:at], min(most, hits[at] + number), *hits[at + 1 :])
                found[key] = found.get(key, 0.0) + share
    return found
