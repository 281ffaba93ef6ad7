"""Random play over whole matches with all options mixed, and what must balance at every order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from engine.chance import QuickDice, SealedDice
from engine.core import Option, Seat, Step
from engine.east_and_west import queries
from engine.east_and_west.board import Board, Group
from engine.east_and_west.combat import agenda, fight, retreats
from engine.east_and_west.course.production import Buy, Repair
from engine.east_and_west.course.research import Research
from engine.east_and_west.data.arsenal import INFANTRY, SPY, SUBMARINE, kinds, technologies
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import ALLIANCES, CHINA, MINOR, POWER_NAMES, POWERS, USSR
from engine.east_and_west.game import catalogue
from engine.east_and_west.movement import moving, recall
from engine.east_and_west.reach.terrain import Terrain
from engine.east_and_west.standing import Diving, Plan, Standing
from engine.east_and_west.state import State
from tests.engine.east_and_west.battles import at_war, fought
from tests.engine.east_and_west.kit import GAME
from tests.engine.east_and_west.rich import enriched

LONGEST = 20_000
Tree = Callable[[State, Seat, tuple[str, ...]], tuple[Option[Any], ...]]
SELDOM = 10
"""One of so many decisions is preceded by a standing order of somebody."""
END = 10
"""One of so many decisions ends a stop; others do so only when nothing else is left."""
GARRISON = 11
REPAIR = 10


class Moved(NamedTuple):
    before: State
    seat: Seat
    action: Any
    step: Step[State]

    @property
    def line(self) -> str:
        return GAME.notate(self.action)


def random_match(seed: int, rounds: int, is_rich: bool = False) -> Iterator[Moved]:
    """A match of orders drawn from the tree of options, all options of the match drawn as well."""
    choice = QuickDice(b"random play %d" % seed)
    setup = {c.name: c.values[choice.below(len(c.values))][0] for c in GAME.choices()}
    agreed = {**setup, "nato": "we,uk,usa", "rounds": str(rounds)}
    state = GAME.new_game(agreed, choice).state
    if is_rich:
        state = enriched(state, choice)
        assert GAME.check(state) == []
    for _ in range(LONGEST):
        waiting = sorted(GAME.waiting_on(state))
        if not waiting:
            return
        if choice.below(SELDOM) == 0:
            state = with_standing_order(state, POWERS[choice.below(len(POWERS))], choice)
        action = random_order(state, waiting[0], choice, is_rich)
        step = GAME.apply(state, waiting[0], action, choice)
        yield Moved(state, waiting[0], action, step)
        state = step.state
    pytest.fail(f"the match with seed {seed} does not end")


def with_standing_order(state: State, seat: Seat, choice: QuickDice) -> State:
    """Such as to be asked, so that battles rest and go on."""
    action = drawn(GAME.any_time, state, seat, choice, ("standing",))
    return GAME.apply(state, seat, action, SealedDice()).state


def random_order(state: State, seat: Seat, choice: QuickDice, is_naval: bool = False) -> Any:
    """Naval: ships are moved more often than they would be by chance."""
    if is_naval and choice.below(2) == 0 and (ships := fleets(state, seat)):
        return drawn(GAME.options, state, seat, choice, ("move", ships[choice.below(len(ships))]))
    if choice.below(END) == 0:
        return GAME.default_action(state, seat)
    return drawn(GAME.options, state, seat, choice)


def fleets(state: State, seat: Seat) -> list[str]:
    """Zones from which something can be moved."""
    offered = GAME.options(state, seat, ())
    if not any(option.word == "move" for option in offered):
        return []
    return [o.word for o in GAME.options(state, seat, ("move",)) if atlas().is_water(o.word)]


def drawn(
    tree: Tree, state: State, seat: Seat, choice: QuickDice, words: tuple[str, ...] = ()
) -> Any:
    while True:
        offered = tree(state, seat, words)
        assert offered, f"{seat} has no choice after {words}"
        offered = tuple(o for o in offered if o.word != "done") or offered
        option: Option[Any] = offered[choice.below(len(offered))]
        if option.action is not None:
            return option.action
        words = (*words, option.word)


# --- what must balance ----------------------------------------------------------------------------


def census(board: Board) -> Counter[str]:
    """All units of everybody by kind: on the board, on ships, in hand; spies too."""
    found: Counter[str] = Counter()
    for groups in board.units.values():
        for group in groups:
            found[group.kind] += group.count
            for load in group.cargo:
                found[load.kind] += load.count * group.count
    for power in board.powers.values():
        found.update(power.hand)
        found[SPY] += power.spies
    return found


def factories(board: Board) -> int:
    in_hand = sum(power.hand.get("factory", 0) for power in board.powers.values())
    return len(board.factories) + in_hand


def bought(action: Any) -> Counter[str]:
    return Counter(dict(action.units)) if isinstance(action, Buy) else Counter()


def raised(moved: Moved) -> int:
    """13.9, 4.7: infantry that may appear by itself: the Chinese garrison, and revolts."""
    before = moved.before.board
    if not moved.step.final:
        return 0
    if before.turn.stop == "intelligence":
        return sum(job.kind == "diplomacy" for job in before.turn.jobs)
    is_soviet_placement = before.turn.stop == "logistics" and before.turn.power == USSR
    at_home = sum(
        group.count
        for group in before.at("manchuria")
        if group.owner == CHINA and group.kind == INFANTRY
    )
    return max(0, GARRISON - at_home) if is_soviet_placement else 0


def check_units(moved: Moved) -> None:
    """Units appear by purchase, the Chinese refill and revolts alone."""
    before, after = census(moved.before.board), census(moved.step.state.board)
    appeared = after - before - bought(moved.action)
    allowed = Counter({INFANTRY: raised(moved)})
    assert not appeared - allowed, f"{moved.line}: {appeared} appeared"
    built = bought(moved.action)["factory"]
    assert factories(moved.step.state.board) <= factories(moved.before.board) + built
    if isinstance(moved.action, Buy):
        assert after == before + bought(moved.action)


def check_owners(moved: Moved) -> None:
    """No order outside a battle or a phase of spies changes whose a unit is."""
    if moved.step.final:
        return
    before, after = by_owner(moved.before.board), by_owner(moved.step.state.board)
    captured = set(moved.step.state.board.turn.captured) - set(moved.before.board.turn.captured)
    if captured:
        return
    grown = {owner: after[owner] - before[owner] for owner in after}
    expected = {moved.seat: bought(moved.action)}
    for owner, units in grown.items():
        assert units == expected.get(Seat(owner), Counter()), f"{moved.line}: {owner} has {units}"


def by_owner(board: Board) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {owner: Counter() for owner in (*POWERS, *ALLIANCES, MINOR)}
    for groups in board.units.values():
        for group in groups:
            found[group.owner][group.kind] += group.count
            for load in group.cargo:
                found[load.owner][load.kind] += load.count * group.count
    for seat, power in board.powers.items():
        found[seat].update(power.hand)
    return found


def check_money(moved: Moved) -> None:
    """Every IPC that comes or goes is paid for something."""
    before, after = moved.before.board, moved.step.state.board
    change = {seat: money(after, seat) - money(before, seat) for seat in POWERS}
    mine = change.pop(before.turn.power)
    if not moved.step.final or before.turn.stop != "operations":
        assert not any(change.values()), f"{moved.line}: others' money changes by {change}"
    assert all(lost <= 0 for lost in change.values())
    if isinstance(moved.action, Buy):
        prices = {kind: queries.price(before, moved.seat, kind) for kind in kinds()}
        assert mine == -sum(n * prices[kind] for kind, n in moved.action.units)
    elif isinstance(moved.action, Research):
        assert mine == -(0 if moved.action.is_free else price_of(moved.action.category))
    elif isinstance(moved.action, Repair):
        assert mine < 0 and mine % REPAIR == 0
    elif moved.step.final:
        check_money_at_the_end_of_a_stop(moved, mine, sum(change.values()))
    else:
        assert mine == 0, f"{moved.line}: money changes by {mine}"


def check_money_at_the_end_of_a_stop(moved: Moved, mine: int, others: int) -> None:
    before = moved.before.board
    match before.turn.stop:
        case "logistics":
            assert mine == queries.income(before, before.turn.power)
        case "intelligence":
            paid = sum(price_of(a.category) for a in before.turn.attempts if not a.is_free)
            assert 0 <= mine <= paid
        case "operations":
            assert mine == 0
            assert others == 0 or before.turn.raids
        case "mobilisation":
            assert mine == 0


def money(board: Board, seat: Seat) -> int:
    """The treasury, and for the USSR what is left of the mobilisation."""
    fund = board.turn.fund if seat == board.turn.power else 0
    return board.powers[seat].cash + fund


def price_of(category: Any) -> int:
    return technologies()[category].price


def check_movement(moved: Moved) -> None:
    """A move takes each unit as far as the board says it is, and never beyond its allowance."""
    if not moved.line.startswith("move "):
        return
    _, origin, target, *_ = moved.line.split()
    before, after = moved.before.board, moved.step.state.board
    far = atlas().distances([origin])[target]
    is_late = before.turn.stop == "logistics"
    for kind, number in moved.action.units:
        gained = spent(after, moved.seat, kind) - spent(before, moved.seat, kind)
        allowance = queries.movement(before, moved.seat, kind, non_combat=is_late)
        free = free_steps(before, kind)
        assert far <= allowance + free, f"{moved.line}: {far} spaces"
        assert number * (far - free) <= gained, f"{moved.line}: {gained} points"
        assert gained <= number * allowance


def free_steps(board: Board, kind: str) -> int:
    """8.7: with `carrier_zone_free` the last step of an aircraft may cost nothing."""
    return int(board.variant.carrier_zone_free and kinds()[kind].is_air)


def spent(board: Board, owner: Seat, kind: str) -> int:
    """Movement points that all units of a kind have used."""
    return sum(
        group.count * group.used
        for groups in board.units.values()
        for group in groups
        if group.owner == owner and group.kind == kind
    )


Places = Mapping[tuple[str, str], frozenset[str]]


def places(board: Board) -> Places:
    """Where each owner has units of each kind."""
    found: dict[tuple[str, str], set[str]] = {}
    for space, groups in board.units.items():
        for group in groups:
            found.setdefault((group.owner, group.kind), set()).add(space)
    return {key: frozenset(spaces) for key, spaces in found.items()}


def check_turn(power: Seat, start: Board, end: Board, joined: bool, havens: frozenset[str]) -> None:
    """Over both phases no ship or aircraft has come further than its movement.

    7.9: all ships retreat together to where one of them came from, which may be one space more.
    7.10: submarines leave a battle for any neighbouring zone, whatever points they have used.
    """
    began = places(start)
    for (owner, kind), spaces in places(end).items():
        if owner != power or not (kinds()[kind].is_ship or kinds()[kind].is_air) or joined:
            continue
        reach = queries.movement(end, power, kind) + free_steps(end, kind)
        far = sailed(start, power, kind, began.get((owner, kind), frozenset()))
        for space in spaces:
            is_new = any(g.kind == kind and is_placed(g) for g in end.at(space))
            has_fled = kinds()[kind].is_ship and space in havens
            is_near = far.get(space, 99) <= reach + has_fled
            assert is_near or is_new, f"{power} {kind} in {space} came too far"


def sailed(board: Board, power: Seat, kind: str, began: frozenset[str]) -> Mapping[str, int]:
    """How far it is for units of a kind; 8.9, 8.12: surface ships go by open water only."""
    if not kinds()[kind].is_ship or kind == SUBMARINE:
        return atlas().distances(began)
    terrain = Terrain(State(board), power)
    far, edge = dict.fromkeys(began, 0), sorted(began)
    while edge:
        here = edge.pop(0)
        for near in atlas().neighbours[here]:
            is_sea = atlas().spaces[near].kind == "sea"
            if near not in far and is_sea and terrain.passes(here, near, kind):
                far[near] = far[here] + 1
                edge.append(near)
    return far


def is_placed(group: Group) -> bool:
    return group.has("spent") and group.used == 0


REACHED = (
    "Battle of {space}",
    "{power}: {bomb} on {target}",
    "The bomb on {target}",
    "The bomber on",
    "The missile on",
)
"""How reports begin that tell of somebody who came to a space to fight."""


def reached(moved: Moved) -> set[str]:
    """Spaces in which somebody fought, or that were taken, while an order was carried out."""
    told = {
        key
        for event in moved.step.events
        if event.text.msgid.startswith(REACHED)
        for key, space in atlas().spaces.items()
        if space.names in event.text.params.values()
    }
    return told | {*moved.before.board.turn.captured, *moved.step.state.board.turn.captured}


FLED = ("{power} retreats to", "{power}: {units} {count:retreats|retreat} to")
"""How reports begin that tell of a retreat."""


def fled(moved: Moved) -> frozenset[str]:
    """Spaces to which the power at turn retreated while an order was carried out."""
    power = POWER_NAMES[moved.before.board.turn.power]
    return frozenset(
        key
        for event in moved.step.events
        if event.text.msgid.startswith(FLED) and event.text.params["power"] == power
        for key, space in atlas().spaces.items()
        if space.names in event.text.params.values()
    )


def check_neutrals(moved: Moved, fought: set[str]) -> None:
    """13.6: after battles neutrals join somebody only because of somebody who reached them."""
    before, after = moved.before.board, moved.step.state.board
    if before.turn.stop != "operations" or after.turn.stop == "operations":
        return
    for land, held in before.owners.items():
        if held in POWERS or after.owners[land] == held:
            continue
        state = {land} if held == MINOR else {*atlas().members(held)}
        assert state & fought, f"{moved.line}: {land} joins {after.owners[land]} for nothing"


def play_through(seed: int, rounds: int, is_rich: bool = False) -> int:
    """Play and check a match; how many turns it had."""
    start: Board | None = None
    turns = 0
    last: Moved | None = None
    fought: set[str] = set()
    havens = frozenset[str]()
    for moved in random_match(seed, rounds, is_rich):
        before, after = moved.before.board, moved.step.state.board
        assert GAME.check(moved.step.state) == [], f"{moved.line} in seed {seed}"
        check_units(moved)
        check_owners(moved)
        check_money(moved)
        check_movement(moved)
        fought |= reached(moved)
        havens |= fled(moved)
        check_neutrals(moved, fought)
        if before.turn.stop == "intelligence" and moved.step.final:
            start = after
        if after.turn_number != before.turn_number:
            turns += 1
            fought = set()
            if start is not None:
                is_shaken = dict(start.influence) != dict(after.influence)
                check_turn(before.turn.power, start, before, is_shaken, havens)
            havens = frozenset()
        last = moved
    assert last is not None
    assert GAME.outcome(last.step.state) is not None
    return turns


@pytest.mark.parametrize("beginning", [*REACHED, *FLED])
def test_the_game_tells_what_random_play_listens_for(beginning: str) -> None:
    assert any(msgid.startswith(beginning) for msgid in catalogue()["de"])


def test_7_9_random_play_hears_of_ships_that_break_off() -> None:
    placed = "italy-sea-zone we 1 battleship ussr 1 cruiser!attacking"
    war = at_war(placed, at="italy-sea-zone", entries=["malta-sea-zone"], plan=Plan(after=1))
    assert fled(ended(war, [6, 6])) == {"malta-sea-zone"}


def test_7_10_random_play_hears_of_attacking_submarines_that_leave() -> None:
    away = Plan(submarines=Diving("retreat", zone="mediterranean"))
    placed = "italy-sea-zone we 1 cruiser ussr 1 submarine*2!attacking"
    war = at_war(placed, at="italy-sea-zone", plan=away)
    assert fled(ended(war, [6, 6])) == {"mediterranean"}


def test_7_10_defending_submarines_that_leave_take_nobody_further() -> None:
    away = Standing(submarines={"": Diving("retreat", zone="mediterranean")})
    placed = "italy-sea-zone we 1 submarine ussr 1 cruiser!attacking"
    war = at_war(placed, at="italy-sea-zone", standing={"we": away})
    assert fled(ended(war, [6, 6])) == frozenset()


def ended(war: State, faces: list[int]) -> Moved:
    """The stop of the attacker ends with these dice."""
    return Moved(war, war.board.turn.power, GAME.parse("done"), fought(war, faces))


mixed = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
)


@pytest.mark.whole
@settings(mixed, max_examples=3)
@given(seed=st.integers(0, 10**6))
def test_random_matches_balance(seed: int) -> None:
    play_through(seed, rounds=2)


@pytest.mark.whole
@settings(mixed, max_examples=2, phases=(Phase.generate,))
@given(seed=st.integers(0, 10**6))
def test_rich_matches_balance(seed: int) -> None:
    play_through(seed, rounds=1, is_rich=True)


@pytest.mark.slow
@pytest.mark.timeout(3_600)
def test_two_thousand_turns_balance() -> None:
    seed = turns = 0
    while turns < 2_000:
        turns += play_through(seed, rounds=10)
        seed += 1


@pytest.mark.slow
@pytest.mark.timeout(3_600)
def test_a_thousand_rich_turns_balance() -> None:
    seed = turns = 0
    while turns < 1_000:
        turns += play_through(seed, rounds=2, is_rich=True)
        seed += 1


BROKEN: dict[str, tuple[tuple[Any, str, Any], ...]] = {
    "13": (
        (agenda, "forget_unmade", lambda *_: None),
        (fight, "forget_attack", lambda *_: None),
        (recall, "forget_attack", lambda *_: None),
    ),
    "14": ((retreats, "may_sail", lambda *_: True),),
    "15": ((moving, "go_below", lambda *_: None),),
}
"""What makes random play fail: attacks that are called off, closed waters, guests on carriers."""


@pytest.mark.slow
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("rule", BROKEN)
def test_random_play_finds_a_broken_rule(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name, instead in BROKEN[rule]:
        monkeypatch.setattr(module, name, instead)
    with pytest.raises(AssertionError):
        for seed in range(100):
            play_through(seed, rounds=1, is_rich=True)
