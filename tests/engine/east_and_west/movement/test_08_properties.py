"""What holds for every move: borders, points, nothing lost and nothing won, aircraft come home."""

from __future__ import annotations

import random
from collections import Counter, deque
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.chance import SealedDice
from engine.core import Seat
from engine.east_and_west import queries
from engine.east_and_west.board import Board, Group, Power, Turn, Variant
from engine.east_and_west.course import neutrals, setup
from engine.east_and_west.data.arsenal import CATEGORIES, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import change, change_all, unmark
from engine.east_and_west.movement import conquest, moving
from engine.east_and_west.reach.decks import FlightDeck
from engine.east_and_west.reach.landing import settle
from engine.east_and_west.state import State
from engine.east_and_west.verbs.moves import Move
from tests.engine.east_and_west.kit import GAME, order

VERBS = ("move", "load", "land", "drop", "raid", "attack", "fly-bomb")
ORDERS = 12


def beginning(power: str, seed: int) -> State:
    """The start position in the operations of a power, with technologies as chance gives them."""
    chance = random.Random(seed)
    board = setup.new_board(
        Variant(
            carrier_zone_free=chance.random() < 0.3,
            bomber_airlift=chance.random() < 0.3,
            ignore_subs=chance.random() < 0.3,
            baltic_strait=chance.random() < 0.3,
        )
    )
    powers = {
        seat: Power(cash=50, research={c: 2 * chance.randrange(4) for c in CATEGORIES})
        for seat in board.powers
    }
    turn = Turn(power=Seat(power), stop="operations", owners=board.owners)
    return State(replace(board, powers=powers, turn=turn))


def a_line(position: State, power: str, chance: random.Random) -> str | None:
    """An order that is offered, or none."""
    prefix: tuple[str, ...] = ()
    seat = Seat(power)
    while True:
        offered = [o for o in GAME.options(position, seat, prefix) if prefix or o.word in VERBS]
        if not offered:
            assert not prefix, f"{prefix} leads nowhere"
            return None
        option = chance.choice(offered)
        prefix = (*prefix, option.word)
        if option.action is not None:
            return " ".join(prefix)


def counted(board: Board) -> Counter[str]:
    """All units by kind, also on board of ships."""
    found: Counter[str] = Counter()
    for groups in board.units.values():
        for group in groups:
            found[group.kind] += group.count
            for load in group.cargo:
                found[load.kind] += load.count * group.count
    return found


def distance(start: str, target: str, kind: str) -> int:
    """Fewest borders over what the unit can use at all, by a search of its own."""
    is_land, is_ship = kinds()[kind].is_ground or kind.endswith("bomb"), kinds()[kind].is_ship
    found, waiting = {start: 0}, deque([start])
    while waiting:
        here = waiting.popleft()
        for near in atlas().neighbours[here]:
            if near in found or (is_land and atlas().is_water(near)):
                continue
            if is_ship and atlas().is_land(near):
                continue
            found[near] = found[here] + 1
            waiting.append(near)
    return found[target]


def check_move(before: State, after: State, move: Move) -> None:
    """Every unit that came paid for the borders it crossed, and could."""
    power = before.board.turn.power
    free = before.board.variant.carrier_zone_free and before.board.turn.stop == "logistics"
    is_combat = before.board.turn.stop == "operations"
    riding = any(kind.endswith("carrier") for kind, _ in move.units) and not is_combat
    for kind, _ in move.units:
        came = Counter(_of(after.board, power, move.target, kind))
        came.subtract(Counter(_of(before.board, power, move.target, kind)))
        left = Counter(_of(before.board, power, move.start, kind))
        left.subtract(Counter(_of(after.board, power, move.start, kind)))
        far = distance(move.start, move.target, kind)
        gift = 1 if free and kinds()[kind].is_air and atlas().is_water(move.target) else 0
        if riding and kinds()[kind].is_air:
            continue
        paid = sum(used * n for used, n in came.items()) - sum(used * n for used, n in left.items())
        assert paid >= (far - gift) * dict(move.units)[kind]
        most = queries.movement(before.board, power, kind, non_combat=not is_combat)
        assert all(used <= most for used, n in came.items() if n > 0)


def _of(board: Board, power: str, space: str, kind: str) -> list[int]:
    return [
        group.used
        for group in queries.own_units(board, power, space)
        if group.kind == kind
        for _ in range(group.count)
    ]


def won(position: State) -> State:
    """As if every battle of the turn had been won without a loss."""
    course = Course(position, SealedDice())
    moving.end_operations_checks(course)
    power = course.active
    for attack in course.turn.attacks:
        foes = queries.defenders(course.board, power, attack.space)
        course.set_units(
            change(course.board.units, attack.space, lambda g, foes=foes: None if g in foes else g)  # type: ignore[misc]
        )
        troops = [
            group
            for group in queries.own_units(course.board, power, attack.space)
            if kinds()[group.kind].is_ground and group.has("attacking")
        ]
        if troops and atlas().is_land(attack.space):
            conquest.capture(course, attack.space, power)
    course.set_units(change_all(course.board.units, _unmarked))
    neutrals.after_combat(course)
    course.update_turn(stop="logistics", attacks=(), raids=(), landings=())
    return course.state


def _unmarked(group: Group) -> Group:
    return unmark(group, "attacking", "landed", "dropped", "carrying", "raiding")


@pytest.mark.parametrize("power", ["ussr", "we", "uk", "usa"])
@pytest.mark.parametrize("seed", range(2))
def test_moves_keep_to_borders_and_points_over_both_phases(power: str, seed: int) -> None:
    chance = random.Random(seed)
    position = beginning(power, seed)
    for stop in ("operations", "logistics"):
        if stop == "logistics":
            position = won(position)
        all_units = counted(position.board)
        for _ in range(ORDERS):
            line = a_line(position, power, chance)
            if line is None:
                break
            after = order(position, power, line).state
            assert counted(after.board) == all_units, line
            action = GAME.parse(line)
            if isinstance(action, Move):
                check_move(position, after, action)
            position = after


@pytest.mark.parametrize("power", ["ussr", "we", "uk", "usa"])
@pytest.mark.parametrize("seed", range(2, 4))
def test_whoever_wins_all_battles_loses_no_aircraft_from_land(power: str, seed: int) -> None:
    """8.7: carriers stay where they are, so only those whose carrier stayed can count on it."""
    chance = random.Random(seed)
    position = beginning(power, seed)
    position = replace(
        position,
        board=replace(
            position.board,
            units=change_all(
                position.board.units, lambda g: None if g.kind.endswith("carrier") else g
            ),
        ),
    )
    position = replace(
        position,
        board=replace(
            position.board,
            units={
                space: groups
                for space, groups in (
                    (space, tuple(g for g in groups if _can_rest(space, g)))
                    for space, groups in position.board.units.items()
                )
                if groups
            },
        ),
    )
    for _ in range(ORDERS):
        line = a_line(position, power, chance)
        if line is None:
            break
        position = order(position, power, line).state
    position = won(position)
    before = counted(position.board)
    course = Course(position, SealedDice())
    moving.lose_stranded(course)
    assert counted(course.board) == before


def _can_rest(space: str, group: Group) -> bool:
    return atlas().is_land(space) or not kinds()[group.kind].is_air


# --- the search for decks, against trying everything ----------------------------------------------

ZONES = ("a", "b", "c", "d")
zones = st.frozensets(st.sampled_from(ZONES), min_size=1, max_size=3)
decks = st.lists(
    st.builds(
        lambda kind, taken, where: FlightDeck(kind, taken, 0, where),
        st.sampled_from(["carrier", "nuclear-carrier"]),
        st.integers(0, 2),
        zones,
    ),
    max_size=3,
)
aircraft = st.lists(st.tuples(st.sampled_from(["fighter", "fighter", "bomber"]), zones), max_size=5)


@pytest.mark.whole
@given(decks, aircraft)
@settings(max_examples=150, deadline=None)
def test_decks_are_found_whenever_there_are_any(
    decks: list[FlightDeck], aircraft: list[tuple[str, frozenset[str]]]
) -> None:
    found = settle(aircraft, decks)
    assert (found is not None) == _by_trying(aircraft, decks)
    if found is not None:
        assert all(zone in reach for zone, (_, reach) in zip(found, aircraft, strict=True))


def _by_trying(aircraft: list[tuple[str, frozenset[str]]], decks: list[FlightDeck]) -> bool:
    """All places of all carriers, and all carriers for every aircraft."""
    for places in product(*(sorted(deck.zones) for deck in decks)):
        for chosen in product(range(len(decks)), repeat=len(aircraft)):
            if all(
                places[deck] in reach for deck, (_, reach) in zip(chosen, aircraft, strict=True)
            ) and all(_fits(decks[n], n, chosen, aircraft) for n in range(len(decks))):
                return True
    return not aircraft


def _fits(
    deck: FlightDeck,
    number: int,
    chosen: tuple[int, ...],
    aircraft: list[tuple[str, frozenset[str]]],
) -> bool:
    on_it = [kind for deck_of, (kind, _) in zip(chosen, aircraft, strict=True) if deck_of == number]
    rooms = 2 if deck.kind == "carrier" else 3
    bombers = on_it.count("bomber")
    if bombers and deck.kind == "carrier":
        return False
    return deck.taken + len(on_it) + bombers <= rooms or not on_it
