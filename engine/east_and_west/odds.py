"""How a battle will end: every outcome with its probability, computed, not thrown.

A side takes its hits in a fixed order, so where it stands is told by how many it has taken. Hits
of a narrow reach (7.8) pass over what they cannot touch; then a side is told by one such number for
each class of units that the same hits can fall on. Every round leads from one pair of standings to
others with fewer units, so each pair is looked at once, the fullest first. A battle with too many
pairs is thrown many times instead, and the answer says so.

Not looked at: retreats, and questions to players. Defending submarines that are left alone submerge
at the end of a round, as they do without an order; 14.2 no. 4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from math import comb
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from engine.chance import quick_stream
from engine.east_and_west.arsenal import ARMOURED, SUBMARINE, kinds
from engine.east_and_west.atlas import atlas
from engine.east_and_west.battle import (
    REACHES,
    SALVO,
    Battle,
    Force,
    Loss,
    Reach,
    Side,
)
from engine.east_and_west.powers import USSR

SIDES = 6
NEGLIGIBLE = 1e-13
"""Probabilities below this are left out; the answer is exact to some ten digits."""
MOST_STEPS = 3_000_000
"""Pairs of standings times volleys, above which battles are thrown instead."""
THROWN = 20_000
DAMAGE_VALUE = 10
"""6.9: what a hit on a sound battleship costs."""

Standing = tuple[int, ...]
"""Hits taken, class by class."""
Verdict = Literal["wins", "loses", "empties", "stands"]
Pair = tuple[Standing, Standing]
Chances = dict[tuple[int, ...], float]
"""Of hits, reach by reach."""


class Left(Struct, frozen=True, order=True):
    """Units that are left of a side."""

    owner: str
    kind: str
    count: int
    damaged: int = 0
    """How many of them are damaged battleships."""


class Ending(Struct, frozen=True):
    chance: float
    attacker: tuple[Left, ...]
    defender: tuple[Left, ...]


class Odds(Struct, frozen=True):
    wins: float
    """The attacker has units left and nobody stands against him."""
    loses: float
    """The defender has units left and the attacker has none."""
    empties: float
    """Nobody is left."""
    stands: float
    """Both have units left that cannot hit each other; 7.11."""
    captures: float
    """The attacker wins a land with at least one ground unit."""
    lost_units: tuple[float, float]
    """Expected losses of attacker and defender."""
    lost_value: tuple[float, float]
    """The same in money, at printed prices."""
    endings: tuple[Ending, ...]
    """The likeliest first."""
    battles: int = 0
    """How many were thrown; none: it was computed."""

    @property
    def is_exact(self) -> bool:
        return self.battles == 0


def odds(battle: Battle) -> Odds:
    """Computed where that is possible, thrown where it would take too long."""
    worlds = [(world, chance, *_ranks_of(world)) for world, chance in _after_salvo(battle)]
    if sum(_steps(attacker, defender) for _, _, attacker, defender in worlds) > MOST_STEPS:
        return simulated(battle, THROWN)
    ends = _Ends(battle)
    for world, chance, attacker, defender in worlds:
        for (ours, theirs, verdict), part in _computed(world, attacker, defender).items():
            ends.add(attacker.units(ours), defender.units(theirs), verdict, part * chance)
    return ends.summed(0)


def win_chance(battle: Battle) -> float:
    """How likely the attacker is to be the only one left."""
    return odds(battle).wins


def simulated(battle: Battle, battles: int, seed: bytes = b"odds") -> Odds:
    """The same by throwing so many battles; the same seed gives the same answer."""
    below, ends = quick_stream(seed), _Ends(battle)
    worlds = [(world, chance, *_ranks_of(world)) for world, chance in _after_salvo(battle)]
    for _ in range(battles):
        world, attacker, defender = _drawn(worlds, below(_GRAIN) / _GRAIN)
        ours, theirs, verdict = _thrown(world, attacker, defender, below)
        ends.add(attacker.units(ours), defender.units(theirs), verdict, 1 / battles)
    return ends.summed(battles)


_GRAIN = 60_000
"""How finely a world after a salvo is drawn."""


def _drawn(
    worlds: Sequence[tuple[Battle, float, _Ranks, _Ranks]], at: float
) -> tuple[Battle, _Ranks, _Ranks]:
    for world, chance, attacker, defender in worlds:
        at -= chance
        if at < 0:
            return world, attacker, defender
    world, _, attacker, defender = worlds[-1]
    return world, attacker, defender


# --- before the first round -----------------------------------------------------------------------


def _after_salvo(battle: Battle) -> Iterator[tuple[Battle, float]]:
    """7.4, 7.5: the battles that guns or radar leave, each with its chance."""
    if battle.salvo == "aircraft":
        yield from _after_flak(battle)
    elif battle.salvo == "armor":
        yield from _after_anti_tank(battle)
    else:
        yield battle, 1.0


def _after_flak(battle: Battle) -> Iterator[tuple[Battle, float]]:
    """The attacker chooses: the cheapest, and of equals those that carry nothing."""
    flying = [(_price(loss), 0, loss) for loss in battle.attacker.losses if _is_air(loss)]
    flying += [
        (kinds()[kind].cost, 1, Loss("", kind)) for kind, n in battle.carrying for _ in range(n)
    ]
    flying.sort()
    for hits, chance in enumerate(_binomial(len(flying), SALVO)):
        lost = [loss for _, carries, loss in flying[:hits] if not carries]
        yield _without(battle, lost), chance


def _after_anti_tank(battle: Battle) -> Iterator[tuple[Battle, float]]:
    """Each die belongs to one unit, so each kind has hits of its own."""
    rolling = [
        Loss(force.owner, force.kind)
        for kind in ARMOURED
        for force in battle.attacker.forces
        if force.kind == kind
        for _ in range(force.count)
    ]
    each = Counter(rolling)
    chances = [list(enumerate(_binomial(count, SALVO))) for count in each.values()]
    for drawn in product(*chances):
        chance, lost = 1.0, list[Loss]()
        for loss, (hits, part) in zip(each, drawn, strict=True):
            chance *= part
            lost += [loss] * hits
        if chance > NEGLIGIBLE:
            yield _without(battle, lost), chance


def _without(battle: Battle, lost: Sequence[Loss]) -> Battle:
    losses, forces = list(battle.attacker.losses), list(battle.attacker.forces)
    for loss in lost:
        losses.remove(loss)
        at = min(
            (at for at, force in enumerate(forces) if _fits(force, loss) and force.count),
            key=lambda at: forces[at].number,
        )
        forces[at] = replace(forces[at], count=forces[at].count - 1)
    kept = tuple(force for force in forces if force.count)
    return replace(battle, attacker=Side(kept, tuple(losses)), salvo="", carrying=())


def _fits(force: Force, loss: Loss) -> bool:
    return (force.owner, force.kind) == (loss.owner, loss.kind)


# --- a side ---------------------------------------------------------------------------------------


class _Shooter(Struct, frozen=True):
    number: int
    opening: int
    reach: Reach
    sneaks: bool


class _Ranks:
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

    def _changes(self) -> list[list[tuple[_Shooter, _Shooter | None]]]:
        """Class by class, hit by hit: whose dice are gone, and whose come instead."""
        sound = {at: force.count for at, force in enumerate(self.side.forces)}
        worn = dict.fromkeys(sound, 0)
        by_place = [self._change(loss, sound, worn) for loss in self.side.losses]
        return [[by_place[at] for at in places] for places in self.places]

    def _change(
        self, loss: Loss, sound: dict[int, int], worn: dict[int, int]
    ) -> tuple[_Shooter, _Shooter | None]:
        """What one hit does; among equal units the damaged and the weakest go first."""
        forces = self.side.forces
        alike = [at for at, force in enumerate(forces) if _fits(force, loss)]
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

    def _sound(self, force: Force) -> _Shooter:
        return _Shooter(force.number, force.opening, force.reach, self.may_sneak and force.sneaks)

    def _worn(self, force: Force) -> _Shooter:
        return _Shooter(force.worn, force.worn, force.reach, False)

    def dice(self, standing: Standing, first: bool, sneak: bool) -> Counter[tuple[int, Reach]]:
        """Dice of a volley, by the number rolled against and the reach."""
        key = standing, first, sneak
        if key not in self._dice:
            shooters: Counter[_Shooter] = Counter()
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
        self, standing: Standing, first: bool, sneak: bool, foe: _Ranks, most: int
    ) -> Chances:
        """Chances of hits on a foe that can take so many, reach by reach of that foe."""
        key = standing, first, sneak, most
        if key not in self._volleys:
            chances: Chances = {(0,) * len(foe.reaches): 1.0}
            for (number, reach), count in self.dice(standing, first, sneak).items():
                at = foe.reaches.index(reach)
                chances = _convolved(chances, at, _binomial(count, number), most)
            self._volleys[key] = chances
        return self._volleys[key]

    def can_hit(self, standing: Standing, foe: _Ranks, aim: Standing) -> bool:
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


def _ranks_of(battle: Battle) -> tuple[_Ranks, _Ranks]:
    return (
        _Ranks(battle.attacker, battle.defender, may_sneak=True),
        _Ranks(battle.defender, battle.attacker, may_sneak=False),
    )


# --- rounds, computed -----------------------------------------------------------------------------


def _computed(
    battle: Battle, attacker: _Ranks, defender: _Ranks
) -> dict[tuple[Standing, Standing, Verdict], float]:
    """The chances of all endings."""
    start = _after_bombardment(battle, attacker, defender)
    if battle.round == 1 and _is_first_special(attacker, defender):
        start = _first_round(start, attacker, defender)
    if attacker.is_plain and defender.is_plain and not attacker.has_sneaks:
        return _computed_plainly(start, attacker, defender)
    return _computed_in_classes(start, attacker, defender)


def _after_bombardment(battle: Battle, attacker: _Ranks, defender: _Ranks) -> dict[Pair, float]:
    """7.6: hits on whatever the defender gives first."""
    chances: Chances = {(0,) * len(defender.reaches): 1.0}
    for number, dice in battle.bombardment:
        at = defender.reaches.index("any")
        chances = _convolved(chances, at, _binomial(dice, number), defender.left(defender.fresh))
    return _gathered(
        ((attacker.fresh, defender.after(defender.fresh, hits)), chance)
        for hits, chance in chances.items()
    )


def _is_first_special(attacker: _Ranks, defender: _Ranks) -> bool:
    """Whether round 1 differs from the others: by its numbers, or since nobody dives before it."""
    forces = (*attacker.side.forces, *defender.side.forces)
    return defender.has_submarines or any(force.opening != force.number for force in forces)


def _first_round(start: dict[Pair, float], attacker: _Ranks, defender: _Ranks) -> dict[Pair, float]:
    """Round 1 by its own numbers; who cannot fight at all does not even begin; 7.11."""
    return _gathered(
        (after, part * chance)
        for pair, part in start.items()
        for after, chance in _fought(pair, attacker, defender, first=True).items()
    )


def _fought(
    pair: Pair, attacker: _Ranks, defender: _Ranks, first: bool = False
) -> dict[Pair, float]:
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


def _is_idle(pair: Pair, attacker: _Ranks, defender: _Ranks) -> bool:
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
    start: dict[Pair, float], attacker: _Ranks, defender: _Ranks
) -> dict[tuple[Standing, Standing, Verdict], float]:
    """The pair with most units first: whatever leads to it has been looked at."""
    waiting: dict[int, dict[Pair, float]] = {}
    ends: dict[tuple[Standing, Standing, Verdict], float] = {}

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


def _verdict(pair: Pair, attacker: _Ranks, defender: _Ranks) -> Verdict | None:
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
    start: dict[Pair, float], attacker: _Ranks, defender: _Ranks
) -> dict[tuple[Standing, Standing, Verdict], float]:
    """The same where one number tells a standing: rows of plain numbers, and nothing looked up.

    `mass[ours][theirs]` is the chance to come by there; rounds lead to the right and down.
    """
    most_a, most_d = len(attacker.side.losses), len(defender.side.losses)
    mass = [[0.0] * (most_d + 1) for _ in range(most_a + 1)]
    for ((ours,), (theirs,)), chance in start.items():
        mass[ours][theirs] += chance
    shots, fire = _plain_volleys(attacker), _plain_volleys(defender)
    dives = [defender.is_diving((taken,)) for taken in range(most_d)]
    ends: dict[tuple[Standing, Standing, Verdict], float] = {}
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


def _swept(mass: list[list[float]]) -> dict[tuple[Standing, Standing, Verdict], float]:
    """The last column and the last row: one side has lost everything."""
    *rows, last = mass
    *fallen, both = last
    ends: dict[tuple[Standing, Standing, Verdict], float] = {}
    for ours, row in enumerate(rows):
        ends[(ours,), (len(fallen),), "wins"] = row[-1]
    for theirs, chance in enumerate(fallen):
        ends[(len(rows),), (theirs,), "loses"] = chance
    ends[(len(rows),), (len(fallen),), "empties"] = both
    return {end: chance for end, chance in ends.items() if chance}


def _plain_volleys(side: _Ranks) -> list[list[float]]:
    """Chances of 0, 1, 2 … hits, for each number of hits that the side has taken."""
    dice: dict[int, int] = {}
    for force in side.side.forces:
        dice[force.number] = dice.get(force.number, 0) + force.count
    volleys = []
    for gone, instead in side.changes[0]:
        chances = [1.0]
        for number, count in dice.items():
            if number and count:
                chances = _folded(chances, _binomial(count, number))
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


def _thrown(
    battle: Battle, attacker: _Ranks, defender: _Ranks, below: Callable[[int], int]
) -> tuple[Standing, Standing, Verdict]:
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
    dice: Counter[tuple[int, Reach]], foe: _Ranks, below: Callable[[int], int]
) -> tuple[int, ...]:
    hits = [0] * len(foe.reaches)
    for (number, reach), count in dice.items():
        at = foe.reaches.index(reach)
        hits[at] += sum(below(SIDES) < number for _ in range(count))
    return tuple(hits)


# --- arithmetic -----------------------------------------------------------------------------------


@lru_cache(maxsize=1_000)
def _binomial(dice: int, number: int) -> tuple[float, ...]:
    """Chances of 0, 1, 2 … hits with so many dice."""
    p = min(number, SIDES) / SIDES
    return tuple(comb(dice, k) * p**k * (1 - p) ** (dice - k) for k in range(dice + 1))


def _convolved(chances: Chances, at: int, more: Sequence[float], most: int) -> Chances:
    """With more hits of one reach; what is above `most` counts as that."""
    found: Chances = {}
    for hits, chance in chances.items():
        for number, part in enumerate(more):
            share = chance * part
            if share > NEGLIGIBLE:
                key = (*hits[:at], min(most, hits[at] + number), *hits[at + 1 :])
                found[key] = found.get(key, 0.0) + share
    return found


def _gathered(chances: Iterable[tuple[Pair, float]]) -> dict[Pair, float]:
    found: dict[Pair, float] = {}
    for pair, chance in chances:
        found[pair] = found.get(pair, 0.0) + chance
    return found


def _steps(attacker: _Ranks, defender: _Ranks) -> int:
    """A rough count of what computing would take."""
    steps = 1
    for side in (attacker, defender):
        for places in side.places:
            steps *= (len(places) + 1) ** 2
    return steps // 4


def _is_air(loss: Loss) -> bool:
    return kinds()[loss.kind].is_air


def _price(loss: Loss) -> int:
    return _cost(loss.owner, loss.kind)


def _cost(owner: str, kind: str) -> int:
    printed = kinds()[kind]
    return printed.cost_ussr if owner == USSR and printed.cost_ussr else printed.cost


# --- the answer -----------------------------------------------------------------------------------


class _Ends:
    """Endings with their chances, added up."""

    def __init__(self, battle: Battle) -> None:
        self.battle = battle
        self.is_land = atlas().is_land(battle.space)
        self.chances: dict[tuple[tuple[Left, ...], tuple[Left, ...], Verdict], float] = {}

    def add(
        self, ours: tuple[Left, ...], theirs: tuple[Left, ...], verdict: Verdict, chance: float
    ) -> None:
        key = ours, theirs, verdict
        self.chances[key] = self.chances.get(key, 0.0) + chance

    def summed(self, battles: int) -> Odds:
        total = dict.fromkeys(("wins", "loses", "empties", "stands", "captures"), 0.0)
        start = [_left_at_start(self.battle.attacker), _left_at_start(self.battle.defender)]
        lost_units = [float(_units(side)) for side in start]
        lost_value = [float(_value(side)) for side in start]
        for (ours, theirs, verdict), chance in self.chances.items():
            total[verdict] += chance
            if verdict == "wins" and self.is_land and _has_ground(ours):
                total["captures"] += chance
            for at, left in enumerate((ours, theirs)):
                lost_units[at] -= chance * _units(left)
                lost_value[at] -= chance * _value(left)
        endings = sorted(
            (Ending(chance, ours, theirs) for (ours, theirs, _), chance in self.chances.items()),
            key=lambda ending: (-ending.chance, ending.attacker, ending.defender),
        )
        return Odds(
            wins=total["wins"],
            loses=total["loses"],
            empties=total["empties"],
            stands=total["stands"],
            captures=total["captures"],
            lost_units=(lost_units[0], lost_units[1]),
            lost_value=(lost_value[0], lost_value[1]),
            endings=tuple(endings),
            battles=battles,
        )


def _left_at_start(side: Side) -> tuple[Left, ...]:
    return tuple(Left(force.owner, force.kind, force.count) for force in side.forces)


def _has_ground(left: Sequence[Left]) -> bool:
    return any(kinds()[units.kind].is_ground for units in left)


def _units(left: Sequence[Left]) -> int:
    return sum(units.count for units in left)


def _value(left: Sequence[Left]) -> int:
    return sum(
        units.count * _cost(units.owner, units.kind) - units.damaged * DAMAGE_VALUE
        for units in left
    )
