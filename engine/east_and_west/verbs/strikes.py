"""11.3, 11.6: declaring atomic attacks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from engine.core import IllegalAction, Option, Seat, Text
from engine.east_and_west import queries
from engine.east_and_west.board import Board, Group, Strike
from engine.east_and_west.data.arsenal import (
    AA_GUN,
    ATOMIC_BOMB,
    BOMBER,
    BOMBS,
    HYDROGEN_BOMB,
    kinds,
)
from engine.east_and_west.data.atlas import ICE_CAP, atlas
from engine.east_and_west.data.lexicon import Words
from engine.east_and_west.data.powers import POWER_NAMES
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import count
from engine.east_and_west.reach import routes
from engine.east_and_west.reach.context import move_context
from engine.east_and_west.reach.landing import Flyer
from engine.east_and_west.reach.obstacles import obstacle
from engine.east_and_west.report import space_name
from engine.east_and_west.state import State
from engine.east_and_west.verbs.plans import branch

RANGE = 3
"""11.6: of a missile, in spaces of any kind."""
MISSILE = "missile"


class StrikeOrder(Struct, frozen=True, omit_defaults=True):
    start: str
    target: str
    bomb: str = ATOMIC_BOMB
    by_missile: bool = False


class StrikeVerb:
    word = "strike"
    action = StrikeOrder

    # --- reading and writing ----------------------------------------------------------------------

    def parse(self, words: Words) -> StrikeOrder:
        start, target = words.space(), words.space()
        bomb, by_missile = ATOMIC_BOMB, False
        while not words.is_over:
            if words.next_is(MISSILE, "missiles"):
                words.skip()
                by_missile = True
                continue
            bomb = words.kind()
            if bomb not in BOMBS:
                raise words.misfit(bomb, "atomic-bomb | hydrogen-bomb | missile")
        return StrikeOrder(start, target, bomb, by_missile)

    def notate(self, action: StrikeOrder) -> str:
        means = [MISSILE, action.bomb] if action.by_missile else [action.bomb]
        return " ".join([action.start, action.target, *means])

    # --- offering ---------------------------------------------------------------------------------

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> tuple[Option[Any], ...]:
        if not prefix:
            return tuple(
                Option(land, Text("from {space}", {"space": space_name(land)}))
                for land in sorted(_lands_with_bombs(state.board, seat))
                if next(possible_strikes(state, seat, land), None) is not None
            )
        orders = possible_strikes(state, seat, prefix[0])
        paths = [(self.notate(order).split(), order) for order in orders]
        if len(prefix) == 1:
            targets = dict.fromkeys(path[1] for path, _ in paths)
            return tuple(
                Option(target, Text("on {space}", {"space": space_name(target)}))
                for target in targets
            )
        return branch(prefix, [(path, _means(path[-1]), order) for path, order in paths])

    # --- doing ------------------------------------------------------------------------------------

    def do(self, course: Course, seat: Seat, action: StrikeOrder) -> None:
        _require_bomb(course.board, seat, action)
        if (reason := why_no_target(course.board, seat, action.target)) is not None:
            raise reason
        way = _require_way(course.state, seat, action)
        course.tell(
            "{power}: atomic attack, {start} - {target}",
            power=POWER_NAMES[seat],
            start=space_name(action.start),
            target=space_name(action.target),
        )
        course.update_turn(
            strikes=(
                *course.turn.strikes,
                Strike(
                    action.bomb,
                    action.start,
                    action.target,
                    "missile" if action.by_missile else "bomber",
                    len(way),
                    _guns(course.state, seat, way),
                ),
            )
        )


def _free(board: Board, seat: Seat, land: str, kind: str) -> int:
    """How many have nothing to do yet: bombers not moved, bombs not told off for a strike."""
    ready = [
        group
        for group in queries.own_units(board, seat, land)
        if group.kind == kind and not group.marks and not group.used
    ]
    own = [strike for strike in board.turn.strikes if strike.start == land]
    if kind == BOMBER:
        return count(ready) - sum(strike.by == "bomber" for strike in own)
    return count(ready) - sum(strike.bomb == kind for strike in own)


def _lands_with_bombs(board: Board, seat: Seat) -> Iterator[str]:
    for land, groups in board.units.items():
        if any(group.kind in BOMBS and group.owner == seat for group in groups):
            yield land


def _free_bombs(board: Board, seat: Seat, land: str) -> list[str]:
    return [bomb for bomb in BOMBS if _free(board, seat, land, bomb) > 0]


# --- what is required -----------------------------------------------------------------------------


def _require_bomb(board: Board, seat: Seat, action: StrikeOrder) -> None:
    """11.1, 11.4, 11.6"""
    if not queries.knows(board, seat, "nuclear", 1):
        raise IllegalAction("you cannot use a bomb without the fission bomb technology")
    if board.round <= board.powers[seat].banned_until and not board.variant.nuclear_winter:
        raise IllegalAction(
            "after the detonation you use no bombs before round {round}",
            round=board.powers[seat].banned_until + 1,
        )
    names = {"bomb": kinds()[action.bomb].names, "land": space_name(action.start)}
    if action.bomb == HYDROGEN_BOMB and not queries.knows(board, seat, "nuclear", 3):
        raise IllegalAction("you cannot use a hydrogen bomb without its technology")
    if _free(board, seat, action.start, action.bomb) < 1:
        raise IllegalAction("you have no {bomb} in {land} that could be used", **names)
    if action.by_missile:
        _require_gun(board, seat, action.start)
    elif _free(board, seat, action.start, BOMBER) < 1:
        raise IllegalAction("no bomber of yours in {land} can carry the {bomb}", **names)


def _require_gun(board: Board, seat: Seat, land: str) -> None:
    """11.6: one bomb a gun."""
    if not queries.knows(board, seat, "nuclear", 2):
        raise IllegalAction("without ballistic missiles you need a bomber")
    fired = sum(s.start == land and s.by == "missile" for s in board.turn.strikes)
    if fired >= count(queries.own_units(board, seat, land), AA_GUN):
        raise IllegalAction(
            "a missile needs an AA gun of yours in {land} that has not fired one in this turn",
            land=space_name(land),
        )


def why_no_target(board: Board, seat: Seat, target: str) -> IllegalAction | None:
    """11.3, 8.9, 16.34"""
    if not is_target(board, seat, target):
        return IllegalAction(
            "{space} is no target: it must be held or occupied by the enemy, or be a neutral that"
            " you may attack",
            space=space_name(target),
        )
    turn = board.turn
    fought = {*turn.raids, *(attack.space for attack in turn.attacks)}
    if target in fought and not board.variant.nuclear_winter:
        return IllegalAction(
            "{space} is attacked conventionally in this turn; one or the other",
            space=space_name(target),
        )
    return None


def is_target(board: Board, seat: Seat, space: str) -> bool:
    if space == ICE_CAP:
        return False
    if atlas().is_land(space) and queries.may_attack(board, seat, space):
        return True
    is_own = queries.is_friendly(board, seat, space)
    return not is_own and any(kinds()[g.kind].fights for g in queries.enemies(board, seat, space))


def _require_way(state: State, seat: Seat, action: StrikeOrder) -> routes.Way:
    """The way of the bomber; a missile has none."""
    if action.by_missile:
        if atlas().distances([action.start])[action.target] > RANGE:
            raise IllegalAction("a missile flies {range:# space|# spaces} at most", range=RANGE)
        return ()
    way = flight(state, seat, action.start, action.target)
    if way is None:
        raise _why_no_flight(state, seat, action.start, action.target)
    return way


def _why_no_flight(state: State, seat: Seat, start: str, target: str) -> IllegalAction:
    """8.13, 8.7: something lies in the way, or there is no way home."""
    terrain, bomber = move_context(state, seat), Group(seat, BOMBER)
    terms = routes.by_air(terrain, is_combat=True)
    is_near = bool(routes.ways(start, target, terrain.points(bomber), terms))
    found = None if is_near else obstacle(terrain, start, target, bomber, terms, ())
    return found or IllegalAction(
        "the bomber cannot fly to {space} and land somewhere after it", space=space_name(target)
    )


def flight(state: State, seat: Seat, start: str, target: str) -> routes.Way | None:
    """11.3, 8.7: the way over the fewest guns, then the shortest, that leaves a way home."""
    context = move_context(state, seat)
    points = queries.movement(state.board, seat, BOMBER)
    found = routes.ways(start, target, points, routes.by_air(context, is_combat=True))
    for _, way in sorted(found, key=lambda item: (item[0], len(item[1]))):
        if context.promise.holds_with(Flyer(target, BOMBER, points - len(way))):
            return way
    return None


def _guns(state: State, seat: Seat, way: routes.Way) -> tuple[str, ...]:
    guns = move_context(state, seat).guns
    return tuple(land for land in way[:-1] if land in guns)


# --- what is offered ------------------------------------------------------------------------------


def possible_strikes(state: State, seat: Seat, start: str) -> Iterator[StrikeOrder]:
    """Every order from a land that can be carried out."""
    board = state.board
    for bomb in _free_bombs(board, seat, start):
        for by_missile in (False, True):
            try:
                _require_bomb(board, seat, StrikeOrder(start, start, bomb, by_missile))
            except IllegalAction:
                continue
            for target in _targets(state, seat, start, by_missile):
                yield StrikeOrder(start, target, bomb, by_missile)


def _targets(state: State, seat: Seat, start: str, by_missile: bool) -> Iterator[str]:
    """In reach; the shortest way leaves most points for the flight home."""
    if by_missile:
        near = [key for key, far in atlas().distances([start]).items() if far <= RANGE]
    else:
        context = move_context(state, seat)
        points = queries.movement(state.board, seat, BOMBER)
        reach = routes.distances(start, points, routes.by_air(context, is_combat=True))
        near = [
            key
            for key, far in reach.items()
            if context.promise.holds_with(Flyer(key, BOMBER, points - far))
        ]
    for target in sorted(near):
        if why_no_target(state.board, seat, target) is None:
            yield target


def _means(bomb: str) -> Text:
    return Text("{bomb}", {"bomb": kinds()[bomb].names})


VERBS = (StrikeVerb(),)
