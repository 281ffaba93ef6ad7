"""2: the board as it stands before the first order."""

from __future__ import annotations

from engine.core import Seat
from engine.east_and_west.board import Board, Group, Power, Turn, Variant
from engine.east_and_west.data.arsenal import Category
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWERS, UK, USA, USSR, WE, is_power
from engine.east_and_west.forces import merged

TREASURIES = {USSR: 48, WE: 32, UK: 33, USA: 43}
USSR_WITH_CHINESE_MONEY = 52
MOBILISATION = 20
ARMOR_1: dict[Category, int] = {"armor": 2}
NUCLEAR_1: dict[Category, int] = {"nuclear": 2}


def new_board(variant: Variant) -> Board:
    """Everything in its place, the USSR about to mobilise."""
    owners = {land: atlas().spaces[land].owner for land in atlas().lands}
    factories = tuple(sorted(land for land in atlas().lands if atlas().spaces[land].factory))
    return Board(
        variant=variant,
        round=1,
        turn_number=0,
        turn=_mobilisation(owners, factories),
        owners=owners,
        homes={land: owner for land, owner in owners.items() if is_power(owner)},
        factories=factories,
        units=_units(),
        powers={power: _power(power, variant) for power in POWERS},
        influence={key: alliance.start for key, alliance in atlas().alliances.items()},
        firsts={"nuclear 1": USA},
    )


def _mobilisation(owners: dict[str, str], factories: tuple[str, ...]) -> Turn:
    """2.5: a turn of the USSR that consists of spending what it is given."""
    own = tuple(land for land, owner in owners.items() if owner == USSR)
    return Turn(
        power=USSR,
        stop="mobilisation",
        owners=owners,
        factories=tuple(land for land in factories if land in own),
        levies=own,
        fund=MOBILISATION,
    )


def _power(power: Seat, variant: Variant) -> Power:
    """2.2, 2.3, 11.8: treasury and what is known."""
    cash = TREASURIES[power]
    known: dict[Category, int] = {}
    if power == USSR:
        cash = USSR_WITH_CHINESE_MONEY if variant.ussr_start_52 else cash
        known = ARMOR_1 | (NUCLEAR_1 if variant.nuclear_winter else {})
    if power == USA:
        known = dict(NUCLEAR_1)
    return Power(cash=cash, research=known)


def _units() -> dict[str, tuple[Group, ...]]:
    found: dict[str, list[Group]] = {}
    for owner, spaces in atlas().forces.items():
        for space, numbers in spaces.items():
            groups = [Group(owner, kind, count) for kind, count in numbers.items()]
            found.setdefault(space, []).extend(groups)
    return {space: merged(groups) for space, groups in found.items()}
