"""Which lands could be attacked before their owner moves again, by what, and how that would end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from engine.core import Seat
from engine.east_and_west import queries
from engine.east_and_west.battle import Battle
from engine.east_and_west.board import Board, Group, Mark, Turn
from engine.east_and_west.bot import guess
from engine.east_and_west.bot.guess import Arm
from engine.east_and_west.combat import lineup
from engine.east_and_west.data.arsenal import AA_GUN, INFANTRY, TRANSPORTS, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import NATO, USSR
from engine.east_and_west.odds.calculator import odds
from engine.east_and_west.reach.context import MoveContext
from engine.east_and_west.reach.destinations import targets
from engine.east_and_west.state import State

ABOARD = 2
"""Infantry on a transport."""
EXACT = 1_500
"""Pairs of units up to which a battle is computed; a larger one is guessed."""
BUDGET = 6_000
"""The same for all battles of a letter."""
LASTING: tuple[Mark, ...] = ("damaged", "stunned", "helpless")
CAPITAL, FACTORY, LAND = 30, 12, 3
"""What is at stake in a land, in IPC: land by its value, and the units in it by their prices."""


class Threat(NamedTuple):
    """The strongest attack that one enemy could make on a land."""

    land: str
    foe: Seat
    units: Mapping[str, int]
    """All that could come; elsewhere it would be missing."""
    chance: float
    """That the land is lost."""
    is_exact: bool
    is_held: bool
    """Whether anybody stands there."""
    stake: int


def threats(board: Board, power: Seat) -> list[Threat]:
    """Lands of a power that an enemy can enter, the most precious losses first."""
    found = [
        _Attack(board, foe, land, units)
        for foe in ((USSR,) if power in NATO else NATO)
        for land, units in _reaching(board, foe).items()
        if queries.is_own(board, power, land)
    ]
    worst: dict[str, _Attack] = {}
    for attack in sorted(found, key=lambda attack: attack.guessed):
        worst[attack.land] = attack
    left, judged = BUDGET, list[Threat]()
    for attack in sorted(worst.values(), key=lambda attack: -attack.guessed * attack.stake):
        size = attack.size
        is_exact = size <= min(EXACT, left)
        left -= size if is_exact else 0
        judged.append(attack.judged(is_exact))
    return sorted(judged, key=lambda threat: (-threat.chance * threat.stake, threat.land))


# --- who could come -------------------------------------------------------------------------------


def _reaching(board: Board, foe: Seat) -> dict[str, Counter[str]]:
    """By land: units that an enemy could bring there in the combat move of his next turn."""
    context = MoveContext(State(_at_turn(board, foe)), foe)
    found: dict[str, Counter[str]] = {}
    for space in context.board.units:
        for group in context.movable(space):
            for land, units in _from(context, space, group):
                found.setdefault(land, Counter()).update(units)
    return {land: units for land, units in found.items() if _has_ground(units)}


def _at_turn(board: Board, foe: Seat) -> Board:
    """The board as if an enemy were to attack now, rested."""
    units = {space: tuple(map(_rested, groups)) for space, groups in board.units.items()}
    turn = Turn(foe, "operations", owners=board.owners)
    return replace(board, units=units, questions=(), turn=turn)


def _rested(group: Group) -> Group:
    marks = tuple(mark for mark in group.marks if mark in LASTING)
    return replace(group, used=0, marks=marks, loaded=(), shore=(), sailed=())


def _from(context: MoveContext, space: str, group: Group) -> Iterator[tuple[str, Counter[str]]]:
    if group.kind in TRANSPORTS:
        yield from _landings(context, space, group)
    elif not kinds()[group.kind].is_ship and group.kind != AA_GUN:
        for land, _ in targets(context, space, group):
            if atlas().is_land(land):
                yield land, Counter({group.kind: group.count})


def _landings(context: MoveContext, zone: str, ships: Group) -> Iterator[tuple[str, Counter[str]]]:
    """Infantry that is on board or waits ashore, where no enemy ship is in the way."""
    aboard = sum(load.count for load in ships.cargo) * ships.count
    ashore = sum(
        group.count
        for land in atlas().coasts(zone)
        for group in queries.own_units(context.board, context.power, land)
        if group.kind == INFANTRY
    )
    troops = min(ABOARD * ships.count, aboard + ashore)
    if not troops:
        return
    free = [near for near in context.reach(zone, ships) if near not in context.blocked]
    for land in sorted({land for near in free for land in atlas().coasts(near)}):
        if land in context.assailable:
            yield land, Counter({INFANTRY: troops})


def _has_ground(units: Mapping[str, int]) -> bool:
    """Aircraft alone take nothing."""
    return any(kinds()[kind].is_ground for kind in units)


# --- how it would end -----------------------------------------------------------------------------


class _Attack:
    """Everything that could come, put against everything that stands there."""

    def __init__(self, board: Board, foe: Seat, land: str, units: Mapping[str, int]) -> None:
        self.board, self.foe, self.land, self.units = board, foe, land, units
        self.holding = queries.defenders(board, foe, land)
        self.guessed = guess.chance(self._attackers(), map(self._defender, self.holding))

    def _attackers(self) -> Iterator[Arm]:
        for kind, number in self.units.items():
            price = queries.price(self.board, self.foe, kind)
            yield Arm(price, kinds()[kind].attack, number)

    def _defender(self, group: Group) -> Arm:
        number = queries.defence(self.board, group)
        return Arm(_price(self.board, group), number, group.count)

    @property
    def size(self) -> int:
        return sum(self.units.values()) * sum(group.count for group in self.holding)

    @property
    def stake(self) -> int:
        space = atlas().spaces[self.land]
        worth = LAND * queries.value(self.board, self.land)
        worth += FACTORY * (self.land in self.board.factories)
        worth += CAPITAL * (space.capital is not None)
        return worth + sum(_price(self.board, group) * group.count for group in self.holding)

    def judged(self, is_exact: bool) -> Threat:
        chance = odds(self._battle()).captures if is_exact and self.holding else self.guessed
        known = is_exact or not self.holding
        is_held = bool(self.holding)
        return Threat(self.land, self.foe, self.units, chance, known, is_held, self.stake)

    def _battle(self) -> Battle:
        coming = tuple(
            Group(self.foe, kind, number, marks=("attacking",))
            for kind, number in self.units.items()
        )
        there = tuple(sorted((*map(_rested, self.board.at(self.land)), *coming)))
        board = replace(self.board, units={**self.board.units, self.land: there})
        return lineup.describe(board, self.foe, self.land)


def _price(board: Board, group: Group) -> int:
    owner = Seat(group.owner) if group.owner in board.powers else USSR
    return queries.price(board, owner, group.kind)
