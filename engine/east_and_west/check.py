"""What can be wrong with a state: what every legal course of play keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from engine.core import Seat
from engine.east_and_west import queries
from engine.east_and_west.board import Board, Group, Load, Mark
from engine.east_and_west.course.espionage import most_spies
from engine.east_and_west.course.neutrals import NORTH_KOREA
from engine.east_and_west.data.arsenal import (
    BOMBS,
    CARRIERS,
    CATEGORIES,
    FACTORY,
    FULL,
    SPY,
    TRANSPORTS,
    kinds,
)
from engine.east_and_west.data.atlas import ICE_CAP, atlas
from engine.east_and_west.data.powers import ALLIANCES, CHINA, MINOR, NATO, POWERS, USSR
from engine.east_and_west.data.seating import SEATINGS
from engine.east_and_west.forces import merged
from engine.east_and_west.movement import shipping
from engine.east_and_west.movement.havens import fits
from engine.east_and_west.state import State

WARSAW_PACT = (USSR,)
OWNERS = {*POWERS, *ALLIANCES, MINOR}
FURTHEST = 4
_NOT_ON_THE_BOARD = (FACTORY, SPY)
_OF_A_BATTLE: frozenset[Mark] = frozenset(
    ("attacking", "raiding", "carrying", "landed", "dropped", "submerged", "surfaced")
)


def faults(state: State) -> list[str]:
    board = state.board
    return [
        *_lands(board),
        *_spaces(board),
        *_powers(board),
        *_influence(board),
        *_course(state),
    ]


def _lands(board: Board) -> Iterator[str]:
    if sorted(board.owners) != sorted(atlas().lands):
        yield "the lands that have an owner are not the lands of the board"
    for land, owner in board.owners.items():
        if owner not in OWNERS:
            yield f"{land} belongs to {owner}"
        elif owner in ALLIANCES and owner not in board.influence:
            yield f"{land} belongs to {owner}, which is no more"
    if list(board.factories) != sorted({*board.factories} & {*atlas().lands}):
        yield "the list of factories is not sorted, or names something twice, or no land"
    for fallout in board.fallout:
        if fallout.loss < 1 or not atlas().is_land(fallout.land):
            yield f"fallout of {fallout.loss} in {fallout.land}"


def _spaces(board: Board) -> Iterator[str]:
    for space, groups in board.units.items():
        if space not in atlas().spaces:
            yield f"units in {space}, which is nowhere"
            continue
        if not groups or groups != merged(groups):
            yield f"the units in {space} are not gathered and sorted"
        for group in groups:
            yield from (f"{space}: {fault}" for fault in _group(board, space, group))


def _group(board: Board, space: str, group: Group) -> Iterator[str]:
    kind = kinds().get(group.kind)
    if kind is None or group.kind in _NOT_ON_THE_BOARD:
        yield f"{group.kind} is no unit"
        return
    if group.owner not in OWNERS:
        yield f"{group.kind} of {group.owner}"
    if group.count < 1 or group.used < 0:
        yield f"{group.count} {group.kind} that used {group.used}"
    if group.used > queries.movement(board, group.owner, group.kind, non_combat=True):
        yield f"{group.owner} {group.kind} moved {group.used} spaces"
    if group.marks != tuple(sorted(set(group.marks))):
        yield f"marks of {group.kind} are {group.marks}"
    if group.has("damaged") and group.kind != "battleship":
        yield f"a damaged {group.kind}"
    if kind.is_ship and atlas().is_land(space):
        yield f"{group.kind} on land"
    if space == ICE_CAP and group.kind != "submarine":
        yield f"{group.kind} under the ice"
    if (kind.is_ground or group.kind in BOMBS) and atlas().is_water(space):
        yield f"{group.kind} swims"
    if space == ICE_CAP and not queries.knows(board, group.owner, "submarine", 2):
        yield f"{group.kind} of {group.owner} under the ice without nuclear power"
    if group.cargo and not _has_room(group):
        yield f"{group.kind} has cargo {_in_words(group.cargo)}"
    if group.cargo != tuple(sorted(group.cargo)) or any(load.count < 1 for load in group.cargo):
        yield f"cargo of {group.kind} is {group.cargo}"


def _has_room(ship: Group) -> bool:
    """6.7, 6.10: whether a ship can have all of that on board."""
    if any(load.kind not in kinds() for load in ship.cargo):
        return False
    if ship.kind in TRANSPORTS:
        is_troops = all(_is_troop(load.kind) for load in ship.cargo)
        return is_troops and shipping.fits(ship.kind, ship.cargo)
    is_aircraft = all(kinds()[load.kind].is_air for load in ship.cargo)
    return ship.kind in CARRIERS and is_aircraft and fits([*_unpacked(replace(ship, count=1))])


def _is_troop(kind: str) -> bool:
    return kinds()[kind].is_ground or kind in BOMBS


def _in_words(cargo: Iterable[Load]) -> str:
    return ", ".join(f"{load.owner} {load.count} {load.kind}" for load in cargo)


def _unpacked(group: Group) -> Iterator[Group]:
    """Ships, and beside them what they carry."""
    yield group
    for load in group.cargo:
        yield Group(load.owner, load.kind, load.count * group.count)


def _powers(board: Board) -> Iterator[str]:
    if tuple(board.powers) != POWERS:
        yield f"the powers are {', '.join(board.powers)}"
    for seat, power in board.powers.items():
        if power.cash < 0:
            yield f"{seat} has {power.cash} IPC"
        if any(c not in CATEGORIES or not 0 <= n <= FULL for c, n in power.research.items()):
            yield f"{seat} stands at {power.research}"
        if not 0 <= power.spies <= most_spies(board, seat):
            yield f"{seat} has {power.spies} spies"
        if any(kind not in kinds() or count < 1 for kind, count in power.hand.items()):
            yield f"{seat} holds {power.hand}"


def _influence(board: Board) -> Iterator[str]:
    for alliance, position in board.influence.items():
        if alliance not in ALLIANCES or abs(position) > FURTHEST:
            yield f"{alliance} stands at {position}"
        is_whole = all(board.owners.get(land) == alliance for land in atlas().members(alliance))
        if not is_whole and board.turn.stop != "operations":
            yield f"{alliance} exists without all its lands"


def _course(state: State) -> Iterator[str]:
    board = state.board
    if board.variant.nato not in SEATINGS:
        yield f"NATO is played by {board.variant.nato}"
    if board.turn.power not in POWERS:
        yield f"it is the turn of {board.turn.power}"
    if board.questions and board.result is None and board.questions[-1].seat not in POWERS:
        yield f"{board.questions[-1].seat} is asked"
    is_about_battle = any(question.kind != "share" for question in board.questions)
    if board.result is None and is_about_battle != (state.combat is not None):
        yield "a battle rests although nobody is asked, or somebody is asked about none"
    if board.turn.stop == "intelligence":
        yield from _left_over(board)
    if board.turn.stop != "operations":
        yield from _strangers(board)
    if state.combat is None:
        yield from _aircraft_in_the_air(board)


def _left_over(board: Board) -> Iterator[str]:
    """What a turn leaves behind and no other may find."""
    every = [group for groups in board.units.values() for group in groups]
    if any({*group.marks} & _OF_A_BATTLE for group in every):
        yield "a unit still fights although a new turn has begun"
    if any(group.sailed or group.shore or group.loaded for group in every):
        yield "a ship is still on its voyage although a new turn has begun"
    if any(group.kind in CARRIERS and group.cargo for group in every):
        yield "aircraft are still below deck although a new turn has begun"


def _strangers(board: Board) -> Iterator[str]:
    """1.5, 13.3: outside of battles units stand among friends, or where they are paid to stand."""
    for space, groups in board.units.items():
        for group in groups if space in board.owners else ():
            if group.kind not in kinds():
                continue
            is_flying = kinds()[group.kind].is_air and board.turn.stop == "logistics"
            if group.owner in OWNERS and not is_flying and not _may_stand(board, group, space):
                yield f"{group.kind} of {group.owner} in {space}, a land of {board.owners[space]}"


def _may_stand(board: Board, group: Group, land: str) -> bool:
    if group.owner in POWERS:
        return queries.may_stay(board, Seat(group.owner), land)
    is_sent = (group.owner, land) == (CHINA, NORTH_KOREA)
    return board.owners.get(land) == group.owner or is_sent


def _aircraft_in_the_air(board: Board) -> Iterator[str]:
    """8.7, 6.10: outside of battles aircraft stand on land or on a carrier of their side.

    Only those of the power at turn may still be on their way.
    """
    is_between = board.turn.stop in ("intelligence", "mobilisation")
    zones = {zone: board.at(zone) for zone, space in atlas().spaces.items() if not space.is_land}
    for zone, groups in zones.items():
        for together in (WARSAW_PACT, NATO):
            there = [
                one
                for group in groups
                if group.owner in together
                for one in _unpacked(group)
                if one.kind in kinds()
                and (is_between or one.owner != board.turn.power or one.kind in CARRIERS)
            ]
            if not fits(there):
                yield f"{zone}: the carriers of {together[0]} and its allies are too full"
