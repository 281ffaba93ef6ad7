"""Questions to a board that several phases ask: who is where, whose, worth what, able to what."""

from __future__ import annotations

from engine.core import Seat
from engine.east_and_west.board import Board, Group
from engine.east_and_west.data.arsenal import (
    AA_GUN,
    ATOMIC_BOMB,
    BOMBER,
    BOMBS,
    FIGHTER,
    INFANTRY,
    SUBMARINE,
    Category,
    kinds,
)
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import USSR, are_enemies, are_friends, is_power

CHEAPER_BOMB = 12
WINTER_BOMB, CHEAPER_WINTER_BOMB = 10, 6
FULL_INFLUENCE = 4


# --- lands ----------------------------------------------------------------------------------------


def is_own(board: Board, power: Seat, land: str) -> bool:
    return board.owners.get(land) == power


def is_friendly(board: Board, power: Seat, land: str) -> bool:
    """1.5: a land of the own side."""
    return are_friends(power, board.owners.get(land, ""))


def is_enemy(board: Board, power: Seat, land: str) -> bool:
    return are_enemies(power, board.owners.get(land, ""))


def is_neutral(board: Board, land: str) -> bool:
    """A land of an alliance or a minor neutral, as long as it belongs to no power."""
    held = board.owners.get(land)
    return held is not None and not is_power(held)


def was_held(board: Board, power: Seat, land: str) -> bool:
    """Whether a side has held a land since the start of the turn."""
    return are_friends(power, board.turn.owners.get(land, "")) and is_friendly(board, power, land)


def value(board: Board, land: str) -> int:
    """9.4: as printed, less what bombs have done to it."""
    lost = sum(fallout.loss for fallout in board.fallout if fallout.land == land)
    return max(0, atlas().spaces[land].value - lost)


def land_income(board: Board, power: Seat) -> int:
    return sum(value(board, land) for land, held in board.owners.items() if held == power)


def income(board: Board, power: Seat) -> int:
    """9.8: what the lands and the alliances would pay now."""
    return land_income(board, power) + sum(
        paid
        for alliance in board.influence
        for payee, paid in [pays(board, alliance)]
        if payee == power
    )


# --- neutrals -------------------------------------------------------------------------------------


def pays(board: Board, alliance: str) -> tuple[Seat, int]:
    """13.1, 13.2: whom an alliance favours, and with how much; it may be nothing."""
    printed, position = atlas().alliances[alliance], board.influence.get(alliance, 0)
    return (USSR if position > 0 else printed.west), printed.income[abs(position)]


def has_access(board: Board, power: Seat, land: str) -> bool:
    """13.3: a land of an alliance that pays the power is as good as friendly to it."""
    alliance = board.owners.get(land, "")
    return alliance in board.influence and pays_power(board, power, alliance)


def pays_power(board: Board, power: Seat, alliance: str) -> bool:
    payee, paid = pays(board, alliance)
    return payee == power and paid > 0


def may_stay(board: Board, power: Seat, land: str) -> bool:
    return is_friendly(board, power, land) or has_access(board, power, land)


def may_attack(board: Board, power: Seat, land: str) -> bool:
    """An enemy land, or a neutral that this power may attack; 13.4, 13.5."""
    return land in board.owners and may_attack_owner(board, power, board.owners[land])


def may_attack_owner(board: Board, power: Seat, owner: str) -> bool:
    if is_power(owner):
        return are_enemies(power, owner)
    return power == USSR or board.influence.get(owner) == FULL_INFLUENCE


# --- units ----------------------------------------------------------------------------------------


def own_units(board: Board, power: str, space: str) -> list[Group]:
    return [group for group in board.at(space) if group.owner == power]


def enemies(board: Board, power: str, space: str) -> list[Group]:
    """Units of the other side; neutral troops are not among them."""
    return [group for group in board.at(space) if are_enemies(power, group.owner)]


def defenders(board: Board, power: str, space: str) -> list[Group]:
    """What would fight an attacker in a space: enemies, and on land the neutral that holds it."""
    return [
        group
        for group in board.at(space)
        if kinds()[group.kind].fights
        and (are_enemies(power, group.owner) or _defends_its_land(board, group, space))
    ]


def _defends_its_land(board: Board, group: Group, space: str) -> bool:
    """Also Chinese infantry in North Korea fights beside whoever holds the land; 13.9."""
    return atlas().is_land(space) and not is_power(group.owner)


def enemy_ships(board: Board, power: str, zone: str) -> list[Group]:
    """Ships that stop others and have to be fought; submerged ones do not; 8.3."""
    return [
        group
        for group in enemies(board, power, zone)
        if kinds()[group.kind].is_ship
        and not group.has("submerged")
        and not (board.variant.ignore_subs and group.kind == SUBMARINE)
    ]


def has_gun(board: Board, land: str) -> bool:
    return any(group.kind == AA_GUN for group in board.at(land))


# --- what a power can -----------------------------------------------------------------------------


def knows(board: Board, power: str, category: Category, step: int) -> bool:
    """Whether a step works for a power; a stolen one from its next turn on; neutrals know none."""
    if not is_power(power):
        return False
    holder = board.powers[Seat(power)]
    return holder.research.get(category, 0) >= 2 * step and (category, step) not in holder.pending


def can_build(board: Board, power: Seat, kind: str) -> bool:
    needs = kinds()[kind].needs
    return needs is None or knows(board, power, *needs)


def price(board: Board, power: Seat, kind: str) -> int:
    if kind in BOMBS:
        return _price_of_bomb(board, power, kind)
    printed = kinds()[kind]
    is_cheap = power == USSR and printed.cost_ussr is not None
    return printed.cost_ussr if is_cheap and printed.cost_ussr else printed.cost


def _price_of_bomb(board: Board, power: Seat, kind: str) -> int:
    """11.1, 11.8"""
    is_cheaper = kind == ATOMIC_BOMB and knows(board, power, "nuclear", 3)
    if board.variant.nuclear_winter:
        return CHEAPER_WINTER_BOMB if is_cheaper else WINTER_BOMB
    return CHEAPER_BOMB if is_cheaper else kinds()[kind].cost


def movement(board: Board, power: str, kind: str, non_combat: bool = False) -> int:
    """Points for a whole turn, technologies included; 5.9."""
    if kind == SUBMARINE and knows(board, power, "submarine", 2):
        return 3
    if kind == FIGHTER and knows(board, power, "aircraft", 2):
        return 6
    if kind == BOMBER and knows(board, power, "aircraft", 2):
        return 8
    if kind == INFANTRY and non_combat and knows(board, power, "infantry", 3):
        return 3
    return kinds()[kind].movement


def attack(board: Board, group: Group, is_first_round: bool = False) -> int:
    """What an attacking unit hits with; 5.9, 6.9."""
    if group.has("carrying") or group.has("raiding") or group.has("damaged"):
        return 0
    is_marine = group.kind == INFANTRY and group.has("landed") and is_first_round
    if is_marine and knows(board, group.owner, "infantry", 2):
        return 2
    return kinds()[group.kind].attack


def defence(board: Board, group: Group) -> int:
    if group.has("helpless"):
        return 0
    if group.kind == FIGHTER and knows(board, group.owner, "aircraft", 1):
        return 5
    return kinds()[group.kind].defence
