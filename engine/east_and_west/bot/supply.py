"""What a stand-in player does with spies, research and money."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from engine.core import Seat
from engine.east_and_west import queries
from engine.east_and_west.board import Board, Job
from engine.east_and_west.bot.appraisal import OVERSEAS
from engine.east_and_west.bot.draft import Draft
from engine.east_and_west.course.espionage import REACH, Spy
from engine.east_and_west.course.neutrals import Reinforce, reinforcements
from engine.east_and_west.course.placement import Place, factory_room, levy_room
from engine.east_and_west.course.production import Buy, Repair, most_to_buy
from engine.east_and_west.course.research import Accept, Research, counter, next_step
from engine.east_and_west.course.treasury import purse
from engine.east_and_west.data.arsenal import (
    ARMOR,
    CATEGORIES,
    FIGHTER,
    HEAVY_ARMOR,
    INFANTRY,
    SPY,
    TRANSPORT,
    TRANSPORTS,
    Category,
    kinds,
)
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import ALLIANCES, MINOR, POWERS, USSR

RICH = 25
"""Money from which a spy or a repair is bought, too."""
WEIGHTS: Mapping[tuple[Category, int], int] = {
    ("armor", 1): 6,
    ("aircraft", 1): 5,
    ("infantry", 1): 3,
    ("aircraft", 2): 4,
    ("armor", 3): 4,
    ("infantry", 3): 3,
    ("submarine", 1): 2,
}
"""How useful steps are; others 1."""
HALF_WAY = 3
"""What speaks for a category with half a step."""
TRANSPORTS_WANTED = 3
NEAR, FAR = 3, OVERSEAS + 4
"""How far from the front infantry is raised at once, and with money to spare."""
YEARS = 3
"""For how many turns an income counts."""


# --- espionage and research -----------------------------------------------------------------------


def intelligence(draft: Draft) -> None:
    for category in CATEGORIES:
        draft.give(Accept(category))
    for _ in range(draft.board.powers[draft.seat].spies):
        courted = [job.target for job in draft.board.turn.jobs]
        targets = [t for t in _courts(draft) if t in ALLIANCES or t not in courted]
        any(draft.give(Spy(Job("diplomacy", target))) for target in targets)
    best = sorted(CATEGORIES, key=lambda category: (-_use(draft, category), category))
    any(draft.give(Research(category, is_free=True)) for category in best)


def _courts(draft: Draft) -> list[str]:
    """Whom a spy should win over, the best first."""
    board = draft.board
    minor = [land for land, owner in board.owners.items() if owner == MINOR]
    courts = {
        **{land: float(_bride(board, land)) for land in minor},
        **{alliance: _shift(board, draft.seat, alliance) for alliance in board.influence},
    }
    return sorted(courts, key=lambda target: (-courts[target], target))


def _bride(board: Board, land: str) -> float:
    troops = sum(kinds()[group.kind].cost * group.count for group in board.at(land))
    return YEARS * queries.value(board, land) + troops / 2


def _shift(board: Board, seat: Seat, alliance: str) -> float:
    """What one step of a marker changes, for either side; steps without money count a little."""
    printed, at = atlas().alliances[alliance], board.influence[alliance]
    to = max(-4, min(4, at + REACH[seat]))
    before, after = printed.income[abs(at)], printed.income[abs(to)]
    return YEARS * abs(after - before) + 1.0 * (to != at)


def _use(draft: Draft, category: Category) -> int:
    step = next_step(draft.board, draft.seat, category)
    is_half = counter(draft.board, draft.seat, category) % 2
    return WEIGHTS.get((category, step), 1) + HALF_WAY * is_half


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
    sailing = sum(
        group.count
        for space in board.units
        for group in queries.own_units(board, draft.seat, space)
        if group.kind in TRANSPORTS
    )
    if sailing < TRANSPORTS_WANTED:
        _purchase(draft, TRANSPORT, RICH, 1)


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
        _place_near(draft, kind)


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
