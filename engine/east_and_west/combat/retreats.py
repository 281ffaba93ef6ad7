"""7.9, 7.10: where units that break off a battle can go."""

from __future__ import annotations

from collections.abc import Iterable

from engine.core import Seat
from engine.east_and_west import queries
from engine.east_and_west.board import Board, Group
from engine.east_and_west.data.atlas import ICE_CAP, atlas
from engine.east_and_west.reach.terrain import Terrain
from engine.east_and_west.state import State


def is_open(state: State, power: Seat, space: str, entry: str, leaving: Iterable[Group]) -> bool:
    """7.9: whether all units together can go back to a space from which some of them came."""
    board = state.board
    if atlas().is_land(space):
        return atlas().is_land(entry) and queries.may_stay(board, power, entry)
    terrain = Terrain(state, power)
    return (
        atlas().is_water(entry)
        and not queries.enemy_ships(board, power, entry)
        and all(may_sail(terrain, space, entry, ship) for ship in leaving)
    )


def may_sail(terrain: Terrain, zone: str, entry: str, ship: Group) -> bool:
    """8.9, 8.12: under the ice and through straits and canals only who may go there anyway."""
    if entry == ICE_CAP and not terrain.may_dive(ship):
        return False
    return terrain.passes(zone, entry, ship.kind)


def exits(board: Board, seat: str, zone: str) -> tuple[str, ...]:
    """7.10, 19: adjacent sea zones free of enemy ships; nobody slips through a canal."""
    return tuple(
        near
        for near in atlas().neighbours[zone]
        if atlas().spaces[near].kind == "sea"
        and atlas().passages.get((zone, near)) not in ("suez", "panama")
        and not queries.enemy_ships(board, seat, near)
    )
