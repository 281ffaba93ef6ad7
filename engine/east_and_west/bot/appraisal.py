"""What a power reads off the board: who threatens what, what has to stay, where the front is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from typing import NamedTuple

from engine.core import Seat
from engine.east_and_west import queries
from engine.east_and_west.board import Board, Group
from engine.east_and_west.bot import guess
from engine.east_and_west.bot.guess import Arm
from engine.east_and_west.data.arsenal import BLITZING, INFANTRY, TRANSPORTS, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import NATO, POWERS, are_enemies, are_friends, side

FAR = 50
"""Farther than any way on the board."""
OVERSEAS = 10
"""What a land counts farther that no road leads to."""
SAIL = 2
"""Zones that a transport goes before it lands."""
ABOARD = 2
"""Infantry on a transport."""
BIG = 3
"""The value from which a land is worth a garrison that holds."""
CAPITAL_RISK, BIG_RISK, SMALL_RISK = 0.1, 0.35, 0.6
"""Up to which chance of the enemy a garrison is enough."""
HOPELESS = 0.85
"""Above this chance of the enemy a small land is left to a rear guard."""


class Danger(NamedTuple):
    """Enemy units that could attack somewhere in their next turn."""

    foe: Seat
    start: str
    kind: str
    units: int


class Appraisal:
    """One board as one power sees it; every question is answered once."""

    def __init__(self, board: Board, power: Seat) -> None:
        self.board, self.power = board, power
        self.foes = NATO if side(power) != NATO else tuple(p for p in POWERS if p not in NATO)

    # --- who could come ---------------------------------------------------------------------------

    @cached_property
    def dangers(self) -> Mapping[str, list[Danger]]:
        """By land: all enemy units that could be there in their next turn."""
        found: dict[str, list[Danger]] = {}
        for space, groups in self.board.units.items():
            for group in groups:
                if not are_enemies(self.power, group.owner):
                    continue
                for land, danger in self._reach(space, group):
                    found.setdefault(land, []).append(danger)
        return found

    def _reach(self, space: str, group: Group) -> Iterator[tuple[str, Danger]]:
        foe, kind = Seat(group.owner), kinds()[group.kind]
        if group.kind in TRANSPORTS:
            yield from self._landings(space, group)
        elif kind.is_air:
            far = queries.movement(self.board, foe, group.kind) // 2 + 1
            for land in _around(space, far):
                if atlas().is_land(land):
                    yield land, Danger(foe, space, group.kind, group.count)
        elif kind.is_ground and kind.attack:
            for land in self._marches(space, group):
                yield land, Danger(foe, space, group.kind, group.count)

    def _marches(self, start: str, group: Group) -> set[str]:
        """Lands that ground units of an enemy can attack."""
        foe, blitzes = Seat(group.owner), group.kind in BLITZING
        found, edge = {start}, [start]
        for _ in range(queries.movement(self.board, foe, group.kind)):
            fresh = []
            for here in edge:
                for near in atlas().neighbours[here]:
                    if near in found or not atlas().is_land(near):
                        continue
                    is_open = queries.may_stay(self.board, foe, near)
                    if not (is_open or queries.is_enemy(self.board, foe, near)):
                        continue
                    found.add(near)
                    if is_open or (blitzes and not queries.defenders(self.board, foe, near)):
                        fresh.append(near)
            edge = fresh
        return found

    def _landings(self, zone: str, ships: Group) -> Iterator[tuple[str, Danger]]:
        """Infantry that is on board or waits ashore."""
        foe = Seat(ships.owner)
        aboard = sum(load.count for load in ships.cargo) * ships.count
        ashore = sum(
            group.count
            for land in atlas().coasts(zone)
            for group in queries.own_units(self.board, foe, land)
            if group.kind == INFANTRY
        )
        troops = min(ABOARD * ships.count, aboard + ashore)
        if not troops:
            return
        lands = {land for near in self._sea(zone, foe) for land in atlas().coasts(near)}
        for land in sorted(lands):
            yield land, Danger(foe, zone, INFANTRY, troops)

    def _sea(self, zone: str, foe: Seat) -> set[str]:
        found, edge = {zone}, [zone]
        for _ in range(SAIL):
            edge = [
                near
                for here in edge
                for near in atlas().neighbours[here]
                if near not in found
                and atlas().spaces[near].kind == "sea"
                and not queries.enemy_ships(self.board, foe, near)
            ]
            found.update(edge)
        return found

    def threat(self, land: str, beaten: frozenset[str] = frozenset()) -> list[Arm]:
        """The strongest attack that one enemy can make on a land, but for those beaten before."""
        attacks = [self._attack(foe, land, beaten) for foe in self.foes]
        return max(attacks, key=lambda arms: sum(arm.number * arm.units for arm in arms))

    def _attack(self, foe: Seat, land: str, beaten: frozenset[str]) -> list[Arm]:
        counts: Counter[str] = Counter()
        for danger in self.dangers.get(land, ()):
            if danger.foe == foe and danger.start not in beaten:
                counts[danger.kind] += danger.units
        if not any(kinds()[kind].is_ground for kind in counts):
            return []
        return [
            Arm(queries.price(self.board, foe, kind), kinds()[kind].attack, number)
            for kind, number in sorted(counts.items())
        ]

    # --- what holds -------------------------------------------------------------------------------

    def risk(
        self, land: str, garrison: Iterable[Arm], beaten: frozenset[str] = frozenset()
    ) -> float:
        """How likely an enemy would take a land from a garrison; nobody is beaten by nobody."""
        threat = self.threat(land, beaten)
        return guess.chance(threat, garrison) if threat else 0.0

    def garrison(self, land: str) -> list[Arm]:
        """All that would defend a land now, of allies, too."""
        return [
            self.arm(group)
            for group in self.board.at(land)
            if kinds()[group.kind].fights and not self._is_foe(group) and not group.has("attacking")
        ]

    def _is_foe(self, group: Group) -> bool:
        return are_enemies(self.power, group.owner)

    def arm(self, group: Group, count: int | None = None) -> Arm:
        number = queries.defence(self.board, group)
        owner = self.power if group.owner not in POWERS else Seat(group.owner)
        price = queries.price(self.board, owner, group.kind)
        return Arm(price, number, group.count if count is None else count)

    def bearable(self, land: str) -> float:
        """Up to which risk a land counts as held."""
        space = atlas().spaces[land]
        if space.capital is not None and are_friends(self.power, space.capital):
            return CAPITAL_RISK
        if land in self.board.factories or space.value >= BIG:
            return BIG_RISK
        return SMALL_RISK

    def spare(self, land: str, beaten: frozenset[str] = frozenset()) -> Counter[str]:
        """Own units that can leave a land, by kind, while the rest still holds it."""
        own = [g for g in queries.own_units(self.board, self.power, land) if self._counts(g)]
        units = [one for group in own for one in [group] * group.count]
        # Who is worth most on the defence for its price stays.
        units.sort(key=lambda g: (not kinds()[g.kind].is_ground, self._thrift(g), g.kind))
        free = units[self._needed(land, units, beaten) :]
        return Counter(group.kind for group in free)

    def _counts(self, group: Group) -> bool:
        return kinds()[group.kind].fights and not group.has("attacking")

    def _thrift(self, group: Group) -> float:
        return -queries.defence(self.board, group) / queries.price(
            self.board, self.power, group.kind
        )

    def _needed(self, land: str, units: list[Group], beaten: frozenset[str]) -> int:
        """How many of the units must stay, the first of them."""
        ground = sum(kinds()[group.kind].is_ground for group in units)
        guard = min(ground, self._guard(land))
        if not units or not self.threat(land, beaten):
            return guard
        allies = [
            self.arm(group)
            for group in self.board.at(land)
            if kinds()[group.kind].fights and not self._is_foe(group) and group.owner != self.power
        ]
        bearable = self.bearable(land)

        def risk(staying: int) -> float:
            arms = [*allies, *(self.arm(group, 1) for group in units[:staying])]
            return self.risk(land, arms, beaten)

        if risk(len(units)) > bearable:
            # It cannot be held: a capital is defended all the same, so is what is worth a fight.
            if bearable < SMALL_RISK or risk(len(units)) < HOPELESS:
                return len(units)
            return max(guard, min(1, ground))
        low, high = guard, len(units)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if risk(middle) <= bearable else (middle + 1, high)
        return max(low, min(1, ground))

    def _guard(self, land: str) -> int:
        """Capitals and factories are never left empty."""
        if not queries.is_own(self.board, self.power, land):
            return 0
        if atlas().spaces[land].capital is not None:
            return 2
        return int(land in self.board.factories or bool(self.dangers.get(land)))

    def shortage(self, land: str, most: int, beaten: frozenset[str] = frozenset()) -> int:
        """How many infantry more would hold a land; as many as possible for a capital, else none
        if even they do not help."""
        garrison, bearable = self.garrison(land), self.bearable(land)
        if most < 1 or not self.threat(land, beaten):
            return 0

        def risk(more: int) -> float:
            return self.risk(land, [*garrison, self._recruits(more)], beaten)

        if risk(most) > bearable:
            return most if bearable < SMALL_RISK else 0
        return next(more for more in range(most + 1) if risk(more) <= bearable)

    def _recruits(self, count: int) -> Arm:
        price = queries.price(self.board, self.power, INFANTRY)
        return Arm(price, kinds()[INFANTRY].defence, count)

    # --- the front --------------------------------------------------------------------------------

    @cached_property
    def front(self) -> Mapping[str, int]:
        """How far every land is from the nearest enemy land, by road or else over the sea."""
        hostile = [land for land in self.board.owners if self._is_hostile(land)]
        roads = self._roads(hostile)
        around = atlas().distances(hostile)
        return {
            land: roads[land] if land in roads else OVERSEAS + around.get(land, FAR)
            for land in self.board.owners
        }

    @cached_property
    def ports(self) -> tuple[str, ...]:
        """Own factories at the sea that no road joins to the front, the nearest to it first."""
        lands = [
            land
            for land in self.board.turn.factories
            if self.front[land] >= OVERSEAS
            and atlas().zones(land)
            and queries.is_own(self.board, self.power, land)
        ]
        return tuple(sorted(lands, key=lambda land: (self.front[land], land)))

    def _is_hostile(self, land: str) -> bool:
        return queries.is_enemy(self.board, self.power, land)

    def _roads(self, hostile: list[str]) -> dict[str, int]:
        found, edge = dict.fromkeys(hostile, 0), list(hostile)
        while edge:
            fresh = []
            for here in edge:
                for near in atlas().neighbours[here]:
                    if near not in found and self._is_open(near):
                        found[near] = found[here] + 1
                        fresh.append(near)
            edge = fresh
        return found

    def _is_open(self, land: str) -> bool:
        return atlas().is_land(land) and queries.may_stay(self.board, self.power, land)


@cache
def _around(start: str, far: int) -> tuple[str, ...]:
    """Spaces of any kind within so many steps."""
    found, edge = {start}, [start]
    for _ in range(far):
        edge = [
            near
            for here in dict.fromkeys(edge)
            for near in atlas().neighbours[here]
            if near not in found
        ]
        found.update(edge)
    return tuple(sorted(found))
