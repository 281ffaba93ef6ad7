"""A match that begins late: rich powers that know much, with mixed fleets in each other's way.

The first rounds of a match from the printed start have no bombs, no guests on carriers and nobody
under the ice. Random play from here meets them at once.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from engine.chance import QuickDice
from engine.core import Seat
from engine.east_and_west.board import Board, Group, Load, Power
from engine.east_and_west.data.arsenal import CATEGORIES, Category
from engine.east_and_west.data.atlas import ICE_CAP, atlas
from engine.east_and_west.data.powers import NATO, POWERS, USSR
from engine.east_and_west.forces import merged
from engine.east_and_west.standing import Standing
from engine.east_and_west.state import State

SEAS = (
    "azores-sea-zone",
    "baffin-and-hudson-bay",
    "baltic-sea",
    "barents-sea",
    "black-sea",
    "chukchi-sea",
    "cyprus-sea-zone",
    "iceland-sea-zone",
    "irish-sea",
    "italy-sea-zone",
    "malta-sea-zone",
    "mediterranean",
    "north-atlantic-1",
    "north-sea",
    "red-sea",
)
"""Zones around straits, canals and the ice, near to each other."""
ARSENALS = {
    "karelia": USSR,
    "ukraine": USSR,
    "kazakhstan": USSR,
    "united-kingdom": Seat("uk"),
    "france": Seat("we"),
    "eastern-united-states": Seat("usa"),
}
"""Lands with bombs, bombers, guns and troops."""
GUESTS = ("sinkiang", "manchuria")
"""Chinese lands in which Soviet troops stand as long as China pays."""
CASH = 60


def enriched(state: State, choice: QuickDice) -> State:
    """The same match with money, technologies, fleets, bombs and many who want to be asked."""
    board = state.board
    board = replace(
        board,
        powers={seat: _wiser(power, choice) for seat, power in board.powers.items()},
    )
    units = {**_without_ships(board), **_fleets(board, choice)}
    for land, power in ARSENALS.items():
        units[land] = merged((*units.get(land, ()), *_arsenal(power)))
    for land in GUESTS:
        units[land] = merged(
            (*units.get(land, ()), Group(USSR, "infantry", 2), Group(USSR, "armor"))
        )
    board = replace(board, units={space: groups for space, groups in units.items() if groups})
    asking = {seat: _asking(board, seat) for seat in POWERS if choice.below(3)}
    return replace(state, board=board, standing=asking)


def _wiser(power: Power, choice: QuickDice) -> Power:
    research: dict[Category, int] = {category: choice.below(7) for category in CATEGORIES}
    research["submarine"], research["nuclear"] = 4 + choice.below(3), 2 + choice.below(5)
    return replace(power, cash=power.cash + CASH, research=research)


def _without_ships(board: Board) -> dict[str, tuple[Group, ...]]:
    return {space: groups for space, groups in board.units.items() if atlas().is_land(space)}


def _fleets(board: Board, choice: QuickDice) -> dict[str, tuple[Group, ...]]:
    under_ice = [Group(power, "submarine") for power in POWERS if choice.below(2)]
    found = {ICE_CAP: merged(under_ice)}
    for zone in SEAS:
        groups: list[Group] = []
        if choice.below(2):
            groups += _fleet(USSR, [USSR], choice)
        if choice.below(2):
            groups += _fleet(_one_of(NATO, choice), NATO, choice)
        if groups:
            found[zone] = merged(groups)
    return found


def _fleet(owner: Seat, friends: Sequence[Seat], choice: QuickDice) -> list[Group]:
    """Ships of a power with troops on board, and aircraft of whoever is a friend on its decks."""
    infantry = Load(_one_of(friends, choice), "infantry", 1 + choice.below(2))
    possible = [
        [Group(owner, "submarine", 1 + choice.below(2))],
        [Group(owner, "cruiser")],
        [Group(owner, "battleship")],
        [Group(owner, "transport", cargo=(infantry,))],
        [Group(owner, "carrier"), *(Group(_one_of(friends, choice), "fighter") for _ in range(2))],
        [Group(owner, "nuclear-carrier"), Group(_one_of(friends, choice), "bomber")],
    ]
    chosen = [part for part in possible if choice.below(2)] or possible[:1]
    return [group for part in chosen for group in part]


def _arsenal(power: Seat) -> list[Group]:
    return [
        Group(power, "atomic-bomb", 2),
        Group(power, "bomber", 2),
        Group(power, "aa-gun"),
        Group(power, "infantry", 2),
        Group(power, "armor"),
    ]


def _asking(board: Board, seat: Seat) -> Standing:
    """14.5: who wants to be asked wherever it has units, and wherever it could come to blows."""
    return Standing(asks=tuple(sorted({*SEAS, ICE_CAP, *ARSENALS, *GUESTS, *_near(board, seat)})))


def _near(board: Board, seat: Seat) -> set[str]:
    return {space for space, groups in board.units.items() if any(g.owner == seat for g in groups)}


def _one_of(powers: Sequence[Seat], choice: QuickDice) -> Seat:
    return powers[choice.below(len(powers))]
