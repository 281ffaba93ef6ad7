"""What a context has found out belongs to its state and its power, and to no other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from engine.core import Seat
from engine.east_and_west.movement.shipping import room_for
from engine.east_and_west.reach.context import MoveContext, move_context
from engine.east_and_west.reach.landing import home
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import play, state, words

USSR, WE, USA = Seat("ussr"), Seat("we"), Seat("usa")


def front() -> State:
    return state(
        "poland ussr 3 infantry 1 bomber",
        "baltic-sea ussr 1 transport",
        "west-germany we 2 infantry",
    )


def test_one_state_is_asked_of_one_context() -> None:
    position = front()
    assert move_context(position, USSR) is move_context(position, USSR)


def test_an_equal_state_has_a_context_of_its_own() -> None:
    first, second = front(), front()
    assert first == second
    assert move_context(first, USSR).state is first
    assert move_context(second, USSR).state is second


def test_each_power_has_a_context_of_its_own() -> None:
    position = front()
    assert move_context(position, USSR).starts == ("baltic-sea", "poland")
    assert move_context(position, WE).starts == ("west-germany",)
    assert move_context(position, USSR).starts == ("baltic-sea", "poland")


def test_an_order_leaves_nothing_of_the_context_before_it() -> None:
    position = front()
    before = move_context(position, USSR)
    assert [group.count for group in before.movable("poland") if group.kind == "infantry"] == [3]
    moved = play(position, "ussr", "move poland west-germany 2 infantry")
    after = move_context(moved, USSR)
    assert [group.count for group in after.movable("poland") if group.kind == "infantry"] == [1]
    assert after.declared == {"west-germany"}
    assert before.declared == frozenset()


def test_going_back_to_a_state_finds_what_was_there() -> None:
    position = front()
    at_first = words(position, "ussr", "move", "poland", "west-germany")
    moved = play(position, "ussr", "move poland west-germany 2 infantry")
    assert words(moved, "ussr", "move", "poland", "west-germany") == ["1"]
    assert words(position, "ussr", "move", "poland", "west-germany") == at_first == ["1", "2", "3"]


def test_threads_that_ask_of_different_states_get_their_own() -> None:
    positions = [front() for _ in range(4)]

    def ask(position: State) -> bool:
        return all(move_context(position, USSR).state is position for _ in range(5_000))

    with ThreadPoolExecutor(len(positions)) as threads:
        assert all(threads.map(ask, positions))


def test_how_far_units_get_is_kept_for_each_start_and_group() -> None:
    position = state("poland ussr 2 infantry 1 fighter", "romania ussr 2 infantry")
    context = move_context(position, USSR)
    fighter, infantry = context.movable("poland")
    assert (fighter.kind, infantry.kind) == ("fighter", "infantry")
    for _ in range(2):
        assert context.reach("poland", infantry)["poland"] == 0
        assert context.reach("romania", infantry)["romania"] == 0
        assert max(context.reach("poland", infantry).values()) == 1
        assert max(context.reach("poland", fighter).values()) == 4
        assert max(context.reach("poland", fighter, 1).values()) == 5


def test_a_land_that_opens_shortens_the_way_home() -> None:
    far = MoveContext(state(power="usa"), USA)
    near = MoveContext(state(power="usa", owners={"poland": "usa"}), USA)
    assert home(far, "bomber")["poland"] > 0
    assert home(near, "bomber")["poland"] == 0
    assert home(far, "bomber")["poland"] > 0


def test_the_room_of_a_ship_depends_on_its_cargo() -> None:
    position = state(
        "france we 4 infantry 1 armor",
        "bay-of-biscay we 1 transport",
        "north-sea we 1 transport[1 infantry]",
        power="we",
    )
    context = MoveContext(position, WE)
    assert room_for(context, "france", "bay-of-biscay", WE) == {"infantry": 2, "armor": 1}
    assert room_for(context, "france", "north-sea", WE) == {"infantry": 1}
    assert room_for(context, "france", "bay-of-biscay", WE) == {"infantry": 2, "armor": 1}


def test_what_is_kept_is_what_a_fresh_context_would_find() -> None:
    position = front()
    kept = move_context(position, USSR)
    words(position, "ussr", "move", "poland")
    fresh = MoveContext(position, USSR)
    assert kept.starts == fresh.starts
    assert kept.transports == fresh.transports
    assert [kept.movable(space) for space in kept.starts] == [
        fresh.movable(space) for space in kept.starts
    ]
