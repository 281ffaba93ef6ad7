"""Battles thrown by the million: the rules of chapter 7 written down once more, for many at a time.

Nothing here is shared with the calculator: units are columns of a table, battles are its rows, and
every die is thrown.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from engine.east_and_west.battle import Battle, Side
from engine.east_and_west.data.arsenal import ARMOURED, SUBMARINE, kinds

Table = Any
"""An array: a row for each battle, a column for each hit that a side can take."""
AIR, SEA = "air", "sea"


class Column(NamedTuple):
    """One hit that a side can take, and the unit behind it."""

    owner: str
    kind: str
    is_damage: bool
    number: int
    opening: int
    worn: int
    twin: int
    """For a battleship that can be damaged: the column of that; -1 for all others."""
    is_sheltered: bool

    @property
    def group(self) -> str:
        return kinds()[self.kind].group


def columns(side: Side) -> list[Column]:
    waiting: dict[tuple[str, str], list[int]] = {}
    found: list[Column] = []
    left = {
        (force.owner, force.kind): force for force in side.forces
    }  # units of one kind are alike in these battles
    for at, loss in enumerate(side.losses):
        force = left[loss.owner, loss.kind]
        twin = -1
        if loss.is_damage:
            waiting.setdefault((loss.owner, loss.kind), []).append(at)
        elif waiting.get((loss.owner, loss.kind)):
            twin = waiting[loss.owner, loss.kind].pop(0)
        found.append(
            Column(
                loss.owner,
                loss.kind,
                loss.is_damage,
                force.number,
                force.opening,
                force.worn,
                twin,
                force.is_sheltered,
            )
        )
    return found


class Tally(NamedTuple):
    """Shares of all battles, and average losses in units of attacker and defender."""

    wins: float
    loses: float
    empties: float
    stands: float
    lost: tuple[float, float]


def throw(battle: Battle, battles: int, seed: int) -> Tally:
    dice = np.random.default_rng(seed)
    ours, theirs = columns(battle.attacker), columns(battle.defender)
    a = np.ones((battles, len(ours)), dtype=bool)
    d = np.ones((battles, len(theirs)), dtype=bool)
    _salvo(battle, ours, a, dice)
    for number, count in battle.bombardment:
        hits = (dice.integers(1, 7, (battles, count)) <= number).sum(axis=1)
        _take(d, np.ones(len(theirs), dtype=bool), hits)
    going, first = np.ones(battles, dtype=bool), True
    dived = np.zeros(battles, dtype=bool)
    while going.any():
        at = np.flatnonzero(going)
        x, y = a[at], d[at]
        alive = (
            x.any(axis=1)
            & y.any(axis=1)
            & (_bites(x, ours, y, theirs) | _bites(y, theirs, x, ours))
        )
        going[at[~alive]] = False
        at, x, y = at[alive], x[alive], y[alive]
        if not len(at):
            break
        _volley(x, ours, y, theirs, first, dice, sneaks=True)
        fire = _hits(y, theirs, first, dice)
        _volley(x, ours, y, theirs, first, dice, sneaks=False)
        _land(x, ours, fire)
        a[at], d[at], first = x, y, False
        gone_under = y.any(axis=1) & ~y[:, [c.kind != SUBMARINE for c in theirs]].any(axis=1)
        under = at[
            gone_under & x.any(axis=1) & (_bites(x, ours, y, theirs) | _bites(y, theirs, x, ours))
        ]
        dived[under], going[under] = True, False
    won, lost = a.any(axis=1), d.any(axis=1)
    return Tally(
        wins=float((won & (~lost | dived)).mean()),
        loses=float((~won & lost).mean()),
        empties=float((~won & ~lost).mean()),
        stands=float((won & lost & ~dived).mean()),
        lost=(_lost_units(a, ours), _lost_units(d, theirs)),
    )


def _lost_units(table: Table, side: list[Column]) -> float:
    whole = [not column.is_damage for column in side]
    return float((~table[:, whole]).sum(axis=1).mean())


def _salvo(battle: Battle, side: list[Column], table: Table, dice: Any) -> None:
    """One die for each target; aircraft are chosen by price, armour is hit by its own die."""
    if battle.salvo == "armor":
        for at, column in enumerate(side):
            if column.kind in ARMOURED:
                table[:, at] &= dice.integers(1, 7, len(table)) > 1
    if battle.salvo == "aircraft":
        flying = sorted(
            (at for at, column in enumerate(side) if column.group == AIR),
            key=lambda at: kinds()[side[at].kind].cost,
        )
        hits = (dice.integers(1, 7, (len(table), len(flying))) == 1).sum(axis=1)
        for rank, at in enumerate(flying):
            table[:, at] &= rank >= hits


def _hits(table: Table, side: list[Column], first: bool, dice: Any) -> dict[str, Table]:
    """Hits of all units that stand, by reach."""
    return _counted(table, side, first, dice, [True] * len(side))


def _counted(
    table: Table, side: list[Column], first: bool, dice: Any, firing: list[bool]
) -> dict[str, Table]:
    found: dict[str, Table] = {}
    for at, column in enumerate(side):
        if column.is_damage or not firing[at]:
            continue
        number = np.full(len(table), column.opening if first else column.number)
        if column.twin >= 0:
            number = np.where(table[:, column.twin], number, column.worn)
        hit = table[:, at] & (dice.integers(1, 7, len(table)) <= number)
        reach = "ships" if column.kind == SUBMARINE else AIR if column.group == AIR else "any"
        found[reach] = found.get(reach, 0) + hit.astype(int)
    return found


def _volley(
    x: Table,
    ours: list[Column],
    y: Table,
    theirs: list[Column],
    first: bool,
    dice: Any,
    sneaks: bool,
) -> None:
    creeping = [column.kind in (SUBMARINE, "special-forces") for column in ours]
    firing = creeping if sneaks else [not creeps for creeps in creeping]
    _land(y, theirs, _counted(x, ours, first, dice, firing))


def _land(table: Table, side: list[Column], hits: dict[str, Table]) -> None:
    """The narrowest reach first."""
    for reach in ("ships", AIR, "any"):
        if reach in hits:
            _take(table, np.array([_fits(column, reach) for column in side]), hits[reach])


def _fits(column: Column, reach: str) -> bool:
    if reach == "ships":
        return column.group == SEA
    return reach == "any" or not column.is_sheltered


def _take(table: Table, fits: Table, hits: Table) -> None:
    """Each battle loses so many of its first units that fit."""
    eligible = table & fits
    rank = np.cumsum(eligible, axis=1)
    table &= ~(eligible & (rank <= np.asarray(hits)[:, None]))


def _bites(x: Table, ours: list[Column], y: Table, theirs: list[Column]) -> Table:
    """Whether somebody here can hit somebody there, from the second round on."""
    can = np.zeros(len(x), dtype=bool)
    for at, column in enumerate(ours):
        if column.is_damage:
            continue
        number = np.full(len(x), column.number)
        if column.twin >= 0:
            number = np.where(x[:, column.twin], number, column.worn)
        reach = "ships" if column.kind == SUBMARINE else AIR if column.group == AIR else "any"
        targets = np.array([_fits(other, reach) for other in theirs])
        can |= x[:, at] & (number > 0) & (y & targets).any(axis=1)
    return can
