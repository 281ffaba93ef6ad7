"""How a battle will end: every outcome with its probability, computed, not thrown.

A battle with too many ways to go is thrown many times instead, and the answer says so.

Not looked at: retreats, and questions to players. Defending submarines that are left alone submerge
at the end of a round, as they do without an order; 14.2 no. 4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from engine.chance import quick_stream
from engine.east_and_west.battle import SALVO, Battle, Loss, Side
from engine.east_and_west.data.arsenal import ARMOURED, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import USSR
from engine.east_and_west.odds.ranks import NEGLIGIBLE, Left, Ranks, binomial, fits, ranks_of
from engine.east_and_west.odds.rounds import Verdict, computed, steps, thrown

MOST_STEPS = 15_000_000
"""Pairs of standings times volleys, above which battles are thrown instead."""
THROWN = 20_000
DAMAGE_VALUE = 10
"""6.9: what a hit on a sound battleship costs."""


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
    worlds = [(world, chance, *ranks_of(world)) for world, chance in _after_salvo(battle)]
    if sum(steps(attacker, defender) for _, _, attacker, defender in worlds) > MOST_STEPS:
        return simulated(battle, THROWN)
    ends = _Ends(battle)
    for world, chance, attacker, defender in worlds:
        for (ours, theirs, verdict), part in computed(world, attacker, defender).items():
            ends.add(attacker.units(ours), defender.units(theirs), verdict, part * chance)
    return ends.summed(0)


def win_chance(battle: Battle) -> float:
    """How likely the attacker is to be the only one left."""
    return odds(battle).wins


def simulated(battle: Battle, battles: int, seed: bytes = b"odds") -> Odds:
    """The same by throwing so many battles; the same seed gives the same answer."""
    below, ends = quick_stream(seed), _Ends(battle)
    worlds = [(world, chance, *ranks_of(world)) for world, chance in _after_salvo(battle)]
    for _ in range(battles):
        world, attacker, defender = _drawn(worlds, below(_GRAIN) / _GRAIN)
        ours, theirs, verdict = thrown(world, attacker, defender, below)
        ends.add(attacker.units(ours), defender.units(theirs), verdict, 1 / battles)
    return ends.summed(battles)


_GRAIN = 60_000
"""How finely a world after a salvo is drawn."""


def _drawn(
    worlds: Sequence[tuple[Battle, float, Ranks, Ranks]], at: float
) -> tuple[Battle, Ranks, Ranks]:
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
    for hits, chance in enumerate(binomial(len(flying), SALVO)):
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
    chances = [list(enumerate(binomial(count, SALVO))) for count in each.values()]
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
            (at for at, force in enumerate(forces) if fits(force, loss) and force.count),
            key=lambda at: forces[at].number,
        )
        forces[at] = replace(forces[at], count=forces[at].count - 1)
    kept = tuple(force for force in forces if force.count)
    return replace(battle, attacker=Side(kept, tuple(losses)), salvo="", carrying=())


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


def _is_air(loss: Loss) -> bool:
    return kinds()[loss.kind].is_air


def _price(loss: Loss) -> int:
    return _cost(loss.owner, loss.kind)


def _cost(owner: str, kind: str) -> int:
    printed = kinds()[kind]
    return printed.cost_ussr if owner == USSR and printed.cost_ussr else printed.cost
