"""What a stand-in player buys, and where it is placed."""

from __future__ import annotations

from collections import Counter

from engine.east_and_west import queries
from engine.east_and_west.board import Board
from engine.east_and_west.bot import atomic
from engine.east_and_west.bot.appraisal import ABOARD, OVERSEAS
from engine.east_and_west.bot.draft import Draft
from engine.east_and_west.course.neutrals import Reinforce, reinforcements
from engine.east_and_west.course.placement import Place, factory_room, levy_room
from engine.east_and_west.course.production import Buy, Repair, most_to_buy
from engine.east_and_west.course.treasury import purse
from engine.east_and_west.data.arsenal import (
    ARMOR,
    FIGHTER,
    HEAVY_ARMOR,
    INFANTRY,
    SPY,
    TRANSPORT,
    TRANSPORTS,
    kinds,
)
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWERS, USSR
from engine.east_and_west.forces import count

RICH = 25
"""Money from which a spy or a repair is bought, too."""
TRANSPORTS_WANTED = 3
MOST_SHIPS, SHIPS_A_TURN, SHIP_FOR_INCOME = 4, 1, 10
"""Transports in all, in one turn, and one for so much income."""
NEAR, FAR = 3, OVERSEAS + 4
"""How far from the front infantry is raised at once, and with money to spare."""
YEARS = 3
"""For how many turns an income counts."""


# --- buying ---------------------------------------------------------------------------------------


def buy(draft: Draft, beaten: frozenset[str] = frozenset()) -> None:
    """Infantry where it is needed, a spy, then what attacks, then what can be raised near."""
    if draft.board.turn.stop == "mobilisation":
        _purchase(draft, INFANTRY, 0, _wanted(draft, beaten))
    else:
        _repair(draft)
        _purchase(draft, INFANTRY, 0, _wanted(draft, beaten))
        if purse(draft.board) >= RICH and not draft.board.powers[draft.seat].spies:
            _purchase(draft, SPY, 0, 1)
        if bomb := atomic.wish(draft):
            _purchase(draft, bomb, 0, 1)
        if "landings" in draft.skills:
            _expedition(draft)
        else:
            _ships(draft)
        _machines(draft)
    _purchase(draft, INFANTRY, 0, _room(draft, 0, NEAR))
    _purchase(draft, FIGHTER, 0, _factory_rooms(draft))
    _purchase(draft, INFANTRY, 0, _room(draft, NEAR + 1, FAR))


def _purchase(draft: Draft, kind: str, kept: int, number: int) -> None:
    """As many as are wanted and can be paid, so much money being kept."""
    price = queries.price(draft.board, draft.seat, kind)
    able = min(most_to_buy(draft.board, draft.seat, kind), (purse(draft.board) - kept) // price)
    if number > 0 and able > 0:
        draft.give(Buy(((kind, min(number, able)),)))


def _repair(draft: Draft) -> None:
    for zone in sorted(draft.board.units):
        if purse(draft.board) >= RICH and not atlas().is_land(zone):
            draft.give(Repair(zone))


def _wanted(draft: Draft, beaten: frozenset[str]) -> int:
    """Infantry that threatened lands lack."""
    sight = draft.sight
    return sum(
        sight.shortage(land, levy_room(draft.board, land), beaten) for land in _own(draft.board)
    )


def _own(board: Board) -> list[str]:
    return [land for land, owner in board.owners.items() if owner == board.turn.power]


def _ships(draft: Draft) -> None:
    """Transports, for a power none of whose factories has a road to the front."""
    board, sight = draft.board, draft.sight
    if any(sight.front[land] < OVERSEAS for land in board.turn.factories):
        return
    if _sailing(draft) < TRANSPORTS_WANTED:
        _purchase(draft, TRANSPORT, RICH, 1)


def _sailing(draft: Draft) -> int:
    """Own transports, wherever they are."""
    return sum(
        count(queries.own_units(draft.board, draft.seat, space), *TRANSPORTS)
        for space in draft.board.units
        if not atlas().is_land(space)
    )


def _expedition(draft: Draft) -> None:
    """Ships, and troops to fill them, where a factory has the sea between itself and the front."""
    ports = draft.sight.ports
    if not ports:
        return
    income = queries.income(draft.board, draft.seat)
    lacking = min(MOST_SHIPS, income // SHIP_FOR_INCOME) - _sailing(draft)
    _purchase(draft, TRANSPORT, RICH, min(lacking, SHIPS_A_TURN))
    _purchase(draft, INFANTRY, 0, _boarding(draft) - _hand(draft)[INFANTRY])


def _boarding(draft: Draft) -> int:
    """Infantry that the ships could take from home beside what waits there."""
    waiting = sum(draft.sight.spare(land)[INFANTRY] for land in draft.sight.ports)
    ships = _sailing(draft) + _hand(draft)[TRANSPORT]
    return max(0, ABOARD * ships - waiting)


def _machines(draft: Draft) -> None:
    """Armor where a road leads to the front, for half of the money."""
    board, sight = draft.board, draft.sight
    lands = board.turn.factories
    roads = sum(factory_room(board, land) for land in lands if sight.front[land] < OVERSEAS)
    tank = HEAVY_ARMOR if queries.can_build(board, draft.seat, HEAVY_ARMOR) else ARMOR
    _purchase(draft, tank, purse(board) // 2, roads)


def _factory_rooms(draft: Draft) -> int:
    """What factories can still build beside what is in hand."""
    held = sum(n for kind, n in _hand(draft).items() if kind not in (INFANTRY, SPY))
    rooms = [factory_room(draft.board, land) for land in draft.board.turn.factories]
    return sum(rooms) - held


def _room(draft: Draft, nearest: int, farthest: int) -> int:
    """Infantry that can be raised so far from the front."""
    sight, board = draft.sight, draft.board
    lands = [land for land in _own(board) if nearest <= sight.front[land] <= farthest]
    rooms = sum(levy_room(board, land) for land in lands)
    return rooms - (_hand(draft)[INFANTRY] if nearest == 0 else 0)


# --- placing --------------------------------------------------------------------------------------


def place(draft: Draft) -> None:
    """Infantry where it is lacking, then all the rest as near to the front as it goes."""
    if draft.seat == USSR and draft.board.turn.stop == "logistics":
        draft.give(Reinforce(max(1, reinforcements(draft.board))))
    for land in sorted(_own(draft.board), key=lambda land: (-_rank(draft, land), land)):
        sight = draft.sight
        most = min(levy_room(draft.board, land), _hand(draft)[INFANTRY])
        if lacking := sight.shortage(land, most):
            draft.give(Place(land, ((INFANTRY, lacking),)))
    for kind in sorted(_hand(draft), key=lambda kind: (kind == INFANTRY, kind)):
        if kind == INFANTRY and "landings" in draft.skills:
            _muster(draft)
        _place_near(draft, kind)


def _muster(draft: Draft) -> None:
    """Infantry for the ships waits where they come to load."""
    for land in draft.sight.ports:
        room = levy_room(draft.board, land) + factory_room(draft.board, land)
        if number := min(room, _hand(draft)[INFANTRY], _boarding(draft)):
            draft.give(Place(land, ((INFANTRY, number),)))


def _rank(draft: Draft, land: str) -> float:
    """Capitals first, then by value."""
    space = atlas().spaces[land]
    return 100.0 * (space.capital in POWERS) + space.value


def _hand(draft: Draft) -> Counter[str]:
    return Counter(draft.board.powers[draft.seat].hand)


def _place_near(draft: Draft, kind: str) -> None:
    front = draft.sight.front
    if kinds()[kind].is_ship:
        zones = {zone for land in draft.board.turn.factories for zone in atlas().zones(land)}
        any(draft.give(Place(zone, ((kind, _hand(draft)[kind]),))) for zone in sorted(zones))
        return
    for land in sorted(_own(draft.board), key=lambda land: (front[land], land)):
        room = factory_room(draft.board, land)
        room += levy_room(draft.board, land) if kind == INFANTRY else 0
        if number := min(room, _hand(draft)[kind]):
            draft.give(Place(land, ((kind, number),)))
