"""A battle of the board as plain data: who takes part, with what, and who is lost first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from engine.core import Seat
from engine.east_and_west import queries
from engine.east_and_west.battle import Battle, Force, Loss, Party, Salvo, Shot, Side
from engine.east_and_west.board import Board, Group
from engine.east_and_west.combat import casualties
from engine.east_and_west.data.arsenal import (
    AA_GUN,
    ARMOURED,
    BATTLESHIP,
    CRUISER,
    SUBMARINE,
    kinds,
)
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import are_enemies, is_power
from engine.east_and_west.standing import NO_PLAN, NONE, Plan, Standing, Target

BOMBARDING = (BATTLESHIP, CRUISER)


# --- who takes part -------------------------------------------------------------------------------


def is_attacking(group: Group) -> bool:
    """7.8: in the battle; who carries, raids or has submerged is not."""
    away = ("carrying", "raiding", "submerged")
    return (
        group.has("attacking")
        and kinds()[group.kind].fights
        and not any(mark in away for mark in group.marks)
    )


def attackers(board: Board, power: str, space: str) -> list[Group]:
    return [group for group in queries.own_units(board, power, space) if is_attacking(group)]


def defenders(board: Board, power: str, space: str) -> list[Group]:
    """Who stands against a power in a space and has not submerged."""
    return [group for group in queries.defenders(board, power, space) if not group.has("submerged")]


def party(board: Board, power: str, space: str, which: Party) -> list[Group]:
    return (attackers if which == "attacker" else defenders)(board, power, space)


# --- guns -----------------------------------------------------------------------------------------


def guns(board: Board, power: str, land: str) -> list[Group]:
    """AA guns of the other side, or of the neutral that is attacked; 7.4."""
    return [
        group
        for group in board.at(land)
        if group.kind == AA_GUN and (are_enemies(power, group.owner) or not is_power(group.owner))
    ]


def gunner(board: Board, power: str, land: str) -> Seat | None:
    """Who decides what they shoot at; nobody for neutral ones."""
    return casualties.leader(board, land, guns(board, power, land))


def radar(board: Board, power: str, zone: str) -> list[Group]:
    """5.9: defending cruisers of powers with radar."""
    return [
        group
        for group in defenders(board, power, zone)
        if group.kind == CRUISER and queries.knows(board, group.owner, "ship", 3)
    ]


def aircraft(board: Board, power: str, space: str) -> list[Group]:
    """7.4: what is shot at in a battle: all that flies there, except on a raid."""
    return [
        group
        for group in queries.own_units(board, power, space)
        if kinds()[group.kind].is_air and group.has("attacking") and not group.has("raiding")
    ]


def armour(board: Board, power: str, space: str) -> list[Group]:
    """7.5: what anti-tank fire is aimed at, in the order of the dice."""
    found = [group for group in attackers(board, power, space) if group.kind in ARMOURED]
    return sorted(found, key=lambda group: (ARMOURED.index(group.kind), group))


def salvoes(board: Board, power: str, space: str) -> tuple[Salvo, ...]:
    """7.4, 7.5: what the guns or the radar of the defender can shoot at."""
    if atlas().is_water(space):
        can_fire, can_pierce = bool(radar(board, power, space)), False
    else:
        there = guns(board, power, space)
        can_fire = bool(there)
        can_pierce = any(queries.knows(board, gun.owner, "armor", 2) for gun in there)
    found: list[Salvo] = []
    if can_fire and aircraft(board, power, space):
        found.append("aircraft")
    if can_pierce and armour(board, power, space):
        found.append("armor")
    return tuple(found)


def salvo(board: Board, power: str, space: str, wish: Target = "value") -> Salvo:
    """14.2 no. 3: the target of the salvo; by default what is worth more."""
    possible = salvoes(board, power, space)
    if len(possible) < 2:
        return possible[0] if possible else ""
    if wish == "aircraft" or wish == "armor":
        return wish
    flying, rolling = aircraft(board, power, space), armour(board, power, space)
    if wish == "number":
        return "armor" if _number(rolling) > _number(flying) else "aircraft"
    return "armor" if _worth(board, rolling) > _worth(board, flying) else "aircraft"


def _number(groups: Iterable[Group]) -> int:
    return sum(group.count for group in groups)


def _worth(board: Board, groups: Iterable[Group]) -> int:
    return sum(casualties.price(board, group.owner, group.kind) * group.count for group in groups)


# --- bombardment ----------------------------------------------------------------------------------


def bombardment(
    board: Board, power: str, zones: Iterable[str], fired: Sequence[str] = ()
) -> tuple[Shot, ...]:
    """7.6: the ships of the landing zones that have neither fought nor fired in this turn."""
    shots: Counter[tuple[int, str, str]] = Counter()
    for zone in zones:
        if zone in board.turn.fought or zone in fired:
            continue
        for group in queries.own_units(board, power, zone):
            if number := _shells(board, group):
                shots[number, group.owner, group.kind] += group.count
    return tuple(
        Shot(*key, count) for key, count in sorted(shots.items(), key=lambda item: -item[0][0])
    )


def _shells(board: Board, group: Group) -> int:
    if group.has("submerged"):
        return 0
    has_missiles = group.kind == SUBMARINE and queries.knows(board, group.owner, "submarine", 3)
    return queries.attack(board, group) if group.kind in BOMBARDING or has_missiles else 0


# --- the whole battle -----------------------------------------------------------------------------


def describe(
    board: Board,
    power: str,
    space: str,
    plan: Plan = NO_PLAN,
    defence: Standing = NONE,
    round: int = 1,
    zones: Sequence[str] = (),
) -> Battle:
    """A battle as it stands; what is not known of the defender's orders is left at its default."""
    attack, hold = attackers(board, power, space), defenders(board, power, space)
    is_before = round == 1
    carrying: Counter[str] = Counter()
    for group in aircraft(board, power, space):
        carrying[group.kind] += 0 if is_attacking(group) else group.count
    shells = () if plan.holds_fire else bombardment(board, power, zones)
    return Battle(
        space=space,
        attacker=Side(
            forces(board, attack, "attacker"),
            attacking_losses(board, space, attack, plan),
        ),
        defender=Side(
            forces(board, hold, "defender"),
            defending_losses(board, space, hold, attack, defence),
        ),
        round=round,
        salvo=salvo(board, power, space, gun_order(defence, space)) if is_before else "",
        carrying=tuple(sorted((+carrying).items())) if is_before else (),
        bombardment=tuple((shot.number, shot.count) for shot in shells) if is_before else (),
    )


def forces(board: Board, groups: Iterable[Group], which: Party) -> tuple[Force, ...]:
    """Groups without what does not matter in a battle."""
    counts: Counter[Force] = Counter()
    for group in groups:
        counts[_force(board, group, which)] += group.count
    return tuple(
        Force(f.owner, f.kind, count, f.number, f.opening, f.hits, f.worn, f.is_sheltered)
        for f, count in sorted(counts.items())
    )


def _force(board: Board, group: Group, which: Party) -> Force:
    is_sound = group.kind == BATTLESHIP and not group.has("damaged")
    number, opening, worn = queries.defence(board, group), queries.defence(board, group), 0
    if which == "attacker":
        number, opening = queries.attack(board, group), queries.attack(board, group, True)
    elif is_sound:
        worn = number
    return Force(
        group.owner,
        group.kind,
        0,
        number,
        opening,
        hits=2 if is_sound else 1,
        worn=worn,
        is_sheltered=group.kind == SUBMARINE and queries.knows(board, group.owner, "submarine", 1),
    )


def attacking_losses(
    board: Board, space: str, groups: Sequence[Group], plan: Plan
) -> tuple[Loss, ...]:
    """14.1: by the plan; without one a ground unit is kept to the last, to take the land."""
    wants_land = atlas().is_land(space) and not plan.losses and plan.strafe is None
    return casualties.in_order(
        board, groups, plan.losses, keeps_ground=plan.keeps_ground or wants_land
    )


def defending_losses(
    board: Board, space: str, groups: Sequence[Group], foes: Sequence[Group], orders: Standing
) -> tuple[Loss, ...]:
    """14.2 no. 1, 14.3, 14.4; against aircraft alone a ground unit is kept to the last."""
    listed = casualties.filed(orders, space)
    is_air_raid = bool(foes) and all(kinds()[group.kind].is_air for group in foes)
    return casualties.in_order(
        board,
        groups,
        listed,
        spares_neutrals=orders.spares_chinese,
        keeps_ground=is_air_raid and not listed,
    )


def gun_order(orders: Standing, land: str) -> Target:
    return orders.guns.get(land) or orders.guns.get("", "value")
