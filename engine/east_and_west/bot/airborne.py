"""Aircraft that do not simply fight: paratroops where nobody walks to, and raids on factories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from engine.core import Seat
from engine.east_and_west import queries
from engine.east_and_west.battle import SALVO
from engine.east_and_west.board import Board
from engine.east_and_west.bot.draft import Draft
from engine.east_and_west.bot.guess import SIDES
from engine.east_and_west.bot.offensive import (
    GOOD,
    available,
    declare_all,
    is_alliance,
    opposition,
    outlook,
    pays,
    prize,
    send,
)
from engine.east_and_west.combat import lineup
from engine.east_and_west.data.arsenal import BOMBER, FIGHTER, INFANTRY, kinds
from engine.east_and_west.movement import airborne
from engine.east_and_west.reach.context import move_context
from engine.east_and_west.verbs.aircraft import Drop, Raid

BURNT = 3.5
"""What a bomber costs the owner of a factory, on average; 7.14."""
PROFIT = 1.0
"""What a raid must promise, for each bomber."""
LANDING = 2.0
"""What a drop on an empty land must promise."""


class Lift(NamedTuple):
    """Aircraft that could carry infantry from a land."""

    start: str
    kind: str
    number: int


# --- paratroops -----------------------------------------------------------------------------------


def drop(draft: Draft, attacked: frozenset[str]) -> frozenset[str]:
    """12: paratroops alone or with aircraft that fight; the lands that are attacked."""
    if "paratroops" not in draft.skills:
        return frozenset()
    return declare_all(draft, _drop_zones(draft), _jump, attacked)


def _drop_zones(draft: Draft) -> list[str]:
    """Lands in reach that are worth it and not attacked yet, the weakest first."""
    context = move_context(draft.state, draft.seat)
    lands = {land for start in draft.board.units for land in _reach(draft, start)}
    worthy = [
        land
        for land in lands
        if prize(draft.board, land)
        and land not in context.declared
        and not is_alliance(draft.board, land)
    ]
    return sorted(
        worthy, key=lambda land: (_strength(draft, land), -prize(draft.board, land), land)
    )


def _reach(draft: Draft, start: str) -> set[str]:
    context = move_context(draft.state, draft.seat)
    return {land for kind in (BOMBER, FIGHTER) for land in airborne.drops(context, start, kind)}


def _strength(draft: Draft, land: str) -> int:
    return sum(arm.number * arm.units for arm in opposition(draft, land))


def _lifts(draft: Draft, target: str, chosen: frozenset[str]) -> Iterator[Lift]:
    """Infantry must be spared; a bomber that waits beside a bomb carries nobody."""
    context, sight = move_context(draft.state, draft.seat), draft.sight
    for start in sorted(draft.board.units):
        for kind in (BOMBER, FIGHTER):
            able = airborne.drops(context, start, kind).get(target, 0)
            able -= draft.on_call(start) if kind == BOMBER else 0
            if able > 0 and (free := sight.spare(start, chosen | {target})[INFANTRY]):
                yield Lift(start, kind, min(able, free))


def _jump(draft: Draft, target: str, chosen: frozenset[str]) -> bool:
    """As few as do: each aircraft that carries one does not fight."""
    lifts = list(_lifts(draft, target, chosen))
    if not lifts:
        return False
    if not opposition(draft, target):
        return _take_empty(draft, target, lifts, chosen)
    most = sum(lift.number for lift in lifts)
    return any(_join(draft, target, lifts, number, chosen) for number in _numbers(most))


def _numbers(most: int) -> list[int]:
    """How many jump: a few tries are enough."""
    return sorted({min(n, most) for n in (1, 2, most)})


def _take_empty(draft: Draft, target: str, lifts: list[Lift], chosen: frozenset[str]) -> bool:
    """12.2: one is enough, if he gets past the guns and is not thrown out again at once."""
    lift = min(lifts, key=lambda lift: (kinds()[lift.kind].cost, lift.start))
    before = draft.mark()
    if not draft.give(Drop(lift.start, target, 1, lift.kind)):
        return False
    sight = draft.sight
    price = queries.price(draft.board, draft.seat, INFANTRY)
    guard = sight.arm(queries.own_units(draft.board, draft.seat, target)[0], 1)
    risk = sight.risk(target, [guard._replace(number=kinds()[INFANTRY].defence)], chosen | {target})
    past = (1 - SALVO / SIDES) ** _guns(draft, target)
    gain = past * (prize(before[0].board, target) * (1 - risk / 2) - risk * price)
    gain -= (1 - past) * (price + kinds()[lift.kind].cost)
    if gain > LANDING:
        return True
    draft.back(before)
    return False


def _join(
    draft: Draft, target: str, lifts: list[Lift], number: int, chosen: frozenset[str]
) -> bool:
    """So many jump, and whatever else can reach the land fights."""
    before, left = draft.mark(), number
    for lift in lifts:
        some = min(left, lift.number)
        if some and draft.give(Drop(lift.start, target, some, lift.kind)):
            left -= some
    others: Counter[str] = Counter()
    if left < number:
        going = available(draft, target, chosen | {target})
        for units in going.values():
            others += units
        others[INFANTRY] += number - left
        if outlook(draft, target, others) >= GOOD - 0.1:
            for start, units in sorted(going.items()):
                send(draft, start, target, units)
            if pays(draft, target, before[0].board, chosen, _flak(draft, target, number - left)):
                return True
    draft.back(before)
    return False


def _flak(draft: Draft, target: str, carriers: int) -> float:
    """7.4: what guns cost among aircraft that carry somebody."""
    lost = 1 - (1 - SALVO / SIDES) ** _guns(draft, target)
    return carriers * lost * (kinds()[BOMBER].cost + kinds()[INFANTRY].cost)


def _guns(draft: Draft, target: str) -> int:
    """Salvoes that the last flight to a land has to pass."""
    over = [flight.guns for flight in draft.board.turn.flights if flight.target == target]
    there = bool(lineup.guns(draft.board, draft.seat, target))
    return (len(over[-1]) if over else 0) + there


# --- raids ----------------------------------------------------------------------------------------


def raid(draft: Draft) -> None:
    """7.14: bombers that have nothing better to do burn money, where guns do not make it dear."""
    if "raids" not in draft.skills:
        return
    for start in sorted(draft.board.units):
        context = move_context(draft.state, draft.seat)
        reach = airborne.raids(context, start)
        for target in sorted(reach, key=lambda land: (-_purse(draft.board, land), land)):
            if _bomb(draft, start, target, reach[target]):
                break


def _purse(board: Board, land: str) -> int:
    """What its owner can still lose, beside what others are to burn already."""
    flying = sum(f.count for f in board.turn.flights if f.target == land and f.role == "raiding")
    return board.powers[Seat(board.owners[land])].cash - int(flying * BURNT)


def _bomb(draft: Draft, start: str, target: str, able: int) -> bool:
    number = min(able - draft.on_call(start), int(_purse(draft.board, target) / BURNT))
    before = draft.mark()
    if number < 1 or not draft.give(Raid(start, target, number)):
        return False
    past = (1 - SALVO / SIDES) ** _guns(draft, target)
    if past * BURNT - (1 - past) * kinds()[BOMBER].cost >= PROFIT:
        return True
    draft.back(before)
    return False
