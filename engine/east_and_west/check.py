"""What can be wrong with a state: what every legal course of play keeps."""

from __future__ import annotations

from collections.abc import Iterator

from engine.east_and_west import world
from engine.east_and_west.arsenal import BOMBS, CATEGORIES, FACTORY, FULL, SPY, kinds
from engine.east_and_west.atlas import ICE_CAP, atlas
from engine.east_and_west.board import Board, Group
from engine.east_and_west.forces import merged
from engine.east_and_west.havens import fits
from engine.east_and_west.phases.espionage import most_spies
from engine.east_and_west.powers import ALLIANCES, MINOR, NATO, POWERS, USSR
from engine.east_and_west.state import State

WARSAW_PACT = (USSR,)
OWNERS = {*POWERS, *ALLIANCES, MINOR}
FURTHEST = 4
_NOT_ON_THE_BOARD = (FACTORY, SPY)


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
    if group.used > world.movement(board, group.owner, group.kind, non_combat=True):
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
    if group.cargo and not kind.is_ship:
        yield f"{group.kind} has cargo"
    if group.cargo != tuple(sorted(group.cargo)) or any(load.count < 1 for load in group.cargo):
        yield f"cargo of {group.kind} is {group.cargo}"


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
    if board.turn.power not in POWERS:
        yield f"it is the turn of {board.turn.power}"
    if board.questions and board.result is None and board.questions[-1].seat not in POWERS:
        yield f"{board.questions[-1].seat} is asked"
    is_about_battle = any(question.kind != "share" for question in board.questions)
    if board.result is None and is_about_battle != (state.combat is not None):
        yield "a battle rests although nobody is asked, or somebody is asked about none"
    if board.turn.stop == "intelligence" and any(
        group.marks and {*group.marks} & {"attacking", "raiding", "carrying", "submerged"}
        for groups in board.units.values()
        for group in groups
    ):
        yield "a unit still fights although a new turn has begun"
    if board.turn.stop in ("intelligence", "mobilisation"):
        yield from _aircraft_in_the_air(board)


def _aircraft_in_the_air(board: Board) -> Iterator[str]:
    """8.7: between turns every aircraft stands on land or on a carrier of its side."""
    zones = {zone: board.at(zone) for zone, space in atlas().spaces.items() if not space.is_land}
    for zone, groups in zones.items():
        for together in (WARSAW_PACT, NATO):
            if not fits([g for g in groups if g.owner in together]):
                yield f"{zone}: the carriers of {together[0]} and its allies are too full"
