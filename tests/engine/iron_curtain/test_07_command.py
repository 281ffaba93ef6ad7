"""Chapter 7 of RULES.md: commanding cubes."""

import pytest

from engine.core import Seat
from engine.iron_curtain.board import Commanding, PlayCard
from engine.iron_curtain.deck import USA, USSR
from engine.iron_curtain.state import State
from engine.iron_curtain.table import Tableau
from tests.engine.iron_curtain.tables import (
    asked,
    cubes,
    held,
    labels,
    play,
    refuses,
    state,
    step,
    table,
    told,
    words,
)

EXAMPLE_C = (
    "europe s19 1/1",
    "poland r19",
    "south_africa t19 2/0",
    "zaire u19 0/1",
    "algeria u20 1/0",
)


def example_c(mover: Seat) -> State:
    """Example C with the card on its place C; it lies beside South Africa and Algeria only."""
    position = state(*EXAMPLE_C, mover=mover, **held(mover, "vietnam"))
    return play(position, "play vietnam t20")


def accessible(laid: Tableau, side: Seat) -> tuple[str, ...]:
    return laid.layout.names(laid.accessible(side))


def test_7_1_example_c_the_ussr_reaches_all_cards_except_the_new_one() -> None:
    """T3; Example C of the English and French rulebooks."""
    position = play(example_c(USSR), "command")
    reached = ("europe", "poland", "south_africa", "zaire", "algeria")
    assert accessible(position.table, USSR) == reached
    assert asked(position) == Commanding(USSR, "vietnam", 4, reached)
    assert words(position, USSR, "cube") == list(reached)


def test_7_1_example_c_the_us_would_reach_the_new_card_too() -> None:
    """T3; Example C: the USA has access to all cards, the new one as well."""
    position = play(example_c(USA), "decline")
    assert words(position, USA, "cube") == [c.card for c in position.table]


def test_7_3_example_c_the_us_locks_south_africa_and_nothing_else_is_locked() -> None:
    """T3; Example C: the USA controls (German: dominiert) South Africa."""
    laid = example_c(USSR).table
    assert [c.card for c in laid if laid.cost(USSR, c.card) == 2] == ["south_africa"]
    assert [c.card for c in laid if laid.cost(USA, c.card) == 2] == []


def test_7_3_the_german_command_example() -> None:
    """T4: two points for the first cube on South Africa, one for the second, one on Algeria."""
    position = play(example_c(USSR), "command")
    first = step(position, "cube south_africa")
    second = step(first.state, "cube south_africa")
    third = step(second.state, "cube algeria")
    assert told(first) == ["USSR puts a cube on South Africa for two points."]
    assert told(second) == ["USSR puts a cube on South Africa."]
    assert told(third) == ["USSR puts a cube on Algeria."]
    assert [asked(s.state).points for s in (first, second)] == [2, 1]  # type: ignore[union-attr]
    assert cubes(third.state, "south_africa", "algeria", "vietnam") == ["2/2", "1/1", "0/0"]
    assert third.state.supplies == (position.supplies[0], position.supplies[1] - 3)
    assert asked(third.state) == PlayCard(USA)


def test_7_2_no_cube_goes_to_vietnam_at_any_moment_of_the_german_example() -> None:
    """T4: no reach at the start, and no chaining over South Africa or Algeria."""
    message = (
        "no cube can go to vietnam; cubes can go to algeria, europe, poland, south_africa, zaire"
    )
    position = play(example_c(USSR), "command")
    for line in ("cube south_africa", "cube south_africa", "done"):
        refuses(position, "cube vietnam", message)
        assert "vietnam" not in words(position, USSR, "cube")
        position = play(position, line)


def test_7_1_reach_is_taken_after_the_opponents_event() -> None:
    """A7: Egypt takes the last USSR cube off, so the USSR reaches nothing through it."""
    position = state("iran t19 0/1", "europe s19 1/1", mover=USSR, ussr="egypt")
    position = play(position, "play egypt u19", "event", "remove iran")
    assert asked(position) == Commanding(USSR, "egypt", 2, ("iran", "europe"))


def test_7_1_cubes_of_the_other_side_give_no_reach() -> None:
    laid = table("europe s19 1/0", "poland t19 0/1", "italy u19", "iran s21 0/1")
    assert accessible(laid, USA) == ("europe", "poland")
    assert accessible(laid, USSR) == ("europe", "poland", "italy", "iran")


@pytest.mark.parametrize(
    ("there", "usa", "ussr"),
    [("0/0", 1, 1), ("1/0", 1, 1), ("2/0", 1, 2), ("3/1", 1, 2), ("0/2", 2, 1), ("1/4", 2, 1)],
)
def test_7_3_a_cube_costs_two_where_the_opponent_leads_by_two(
    there: str, usa: int, ussr: int
) -> None:
    laid = table(f"poland t19 {there}")
    assert (laid.cost(USA, "poland"), laid.cost(USSR, "poland")) == (usa, ussr)


def test_7_3_the_price_is_shown_and_one_point_does_not_buy_a_cube_for_two() -> None:
    position = state("europe s19 1/1", "poland t19 3/0", mover=USSR, ussr="brazil")
    position = play(position, "play brazil s18", "command")
    assert labels(position, USSR, "cube") == ["Europe", "Poland, for two points", "Brazil"]
    position = play(position, "cube brazil")
    assert words(position, USSR, "cube") == ["europe", "brazil"]
    refuses(
        position,
        "cube poland",
        "poland costs 2 points, because the opponent leads there by two; you have 1",
    )


def test_7_3_a_lead_of_three_still_costs_two_after_one_cube() -> None:
    position = state("europe s19 1/1", "poland t19 4/0", mover=USSR, ussr="vietnam")
    position = play(position, "play vietnam s18", "command", "cube poland")
    done = step(position, "cube poland")
    assert told(done)[0] == "USSR puts a cube on Poland for two points."
    assert cubes(done.state, "poland") == ["4/2"]
    assert asked(done.state) == PlayCard(USA)


def test_7_7_one_point_and_only_locked_cards_in_reach_places_nothing() -> None:
    """T20: Italy's one point, all that is in reach is locked, the new card out of reach."""
    position = state("europe s19 3/1", "france t19 2/0", mover=USSR, ussr="italy")
    position = play(position, "play italy u19")
    done = step(position, "command")
    assert told(done) == ["USSR commands up to 1 cube with Italy.", "USSR cannot place any cubes."]
    assert asked(done.state) == PlayCard(USA)
    assert cubes(done.state, "europe", "france", "italy") == ["3/1", "2/0", "0/0"]


def test_7_7_a_side_without_a_cube_on_the_table_commands_nothing() -> None:
    """A24."""
    position = state("europe s19 1/0", mover=USSR, ussr="brazil")
    done = step(play(position, "play brazil t19"), "command")
    assert told(done) == [
        "USSR commands up to 2 cubes with Brazil.",
        "USSR cannot place any cubes.",
    ]
    assert asked(done.state) == PlayCard(USA)


def test_7_4_fewer_cubes_than_allowed_are_enough() -> None:
    position = play(state(mover=USA, usa="poland"), "play poland t19", "command", "cube poland")
    done = step(position, "done")
    assert told(done) == ["USA stops here."]
    assert cubes(done.state, "poland", "europe") == ["1/0", "1/1"]
    assert done.state.supplies == (22, 23)
    assert asked(done.state) == PlayCard(USSR)


def test_7_4_no_cube_at_all_is_allowed() -> None:
    position = play(state(mover=USA, usa="poland"), "play poland t19", "command", "done")
    assert position.supplies == (23, 23)
    assert asked(position) == PlayCard(USSR)


def test_7_8_cubes_may_be_spread_or_heaped() -> None:
    start = play(state(mover=USA, usa="poland"), "play poland t19", "command")
    heaped = play(start, "cube poland", "cube poland", "cube poland")
    spread = play(start, "cube europe", "cube Polen", "cube Europa")
    assert cubes(heaped, "europe", "poland") == ["1/1", "3/0"]
    assert cubes(spread, "europe", "poland") == ["3/1", "1/0"]
    assert heaped.supplies == spread.supplies == (20, 23)


def test_7_5_a_cube_for_two_points_takes_one_cube_from_the_supply() -> None:
    position = state("europe s19 1/1", "poland t19 2/0", mover=USSR, ussr="brazil")
    position = play(position, "play brazil s18", "command", "cube poland")
    assert position.supplies == (21, 22)
    assert cubes(position, "poland") == ["2/1"]
    assert asked(position) == PlayCard(USA)


@pytest.mark.parametrize("line", ["event", "command", "decline", "remove europe", "first usa"])
def test_7_4_only_cubes_or_the_end_are_asked_during_a_command(line: str) -> None:
    position = play(state(mover=USA, usa="poland"), "play poland t19", "command")
    refuses(position, line, f"{line!r} is not asked now; write: cube CARD or done")


@pytest.mark.parametrize("card", ["japan", "atlantis"])
def test_7_1_a_cube_needs_a_card_on_the_table(card: str) -> None:
    position = play(state(mover=USA, usa="poland"), "play poland t19", "command")
    refuses(position, f"cube {card}", f"no cube can go to {card}; cubes can go to europe, poland")


# --- 7.6: an empty supply -------------------------------------------------------------------------


def empty_supply(*more: str) -> State:
    """All 24 USSR cubes lie on the table; the USSR commands two cubes with Brazil."""
    laid = ("europe s19 1/20", "poland t19 0/4", *more)
    return play(state(*laid, mover=USSR, ussr="brazil"), "play brazil s18", "command")


def test_7_6_a_cube_may_be_taken_from_another_card() -> None:
    """T21."""
    position = empty_supply()
    assert position.supplies[1] == 0
    done = step(position, "shift poland brazil")
    assert told(done) == ["USSR moves a cube of USSR from Poland to Brazil."]
    assert cubes(done.state, "europe", "poland", "brazil") == ["1/20", "0/3", "0/1"]
    assert done.state.supplies == position.supplies
    assert asked(done.state) == Commanding(USSR, "brazil", 1, ("europe", "poland", "brazil"))


def test_7_6_the_orders_of_an_empty_supply() -> None:
    position = empty_supply()
    assert words(position, USSR) == ["shift", "done"]
    assert labels(position, USSR)[0] == "Your supply is empty: move one of your cubes"
    assert words(position, USSR, "shift") == ["europe", "poland"]
    assert words(position, USSR, "shift", "poland") == ["europe", "brazil"]
    assert labels(position, USSR, "shift", "poland") == ["onto Europe", "onto Brazil"]
    for wrong in (("cube",), ("shift", "brazil"), ("shift", "iran"), ("shift", "poland", "europe")):
        assert words(position, USSR, *wrong) == []


def test_7_6_a_cube_that_is_taken_up_for_two_points_is_told_as_such() -> None:
    """7.3 holds for cubes from other cards too; the next one costs one point, and says so."""
    laid = ("europe s19 3/1", "poland t19 0/23")
    position = play(state(*laid, mover=USSR, ussr="algeria"), "play algeria s18", "command")

    assert labels(position, USSR, "shift", "poland")[0] == "onto Europe, for two points"
    first = step(position, "shift poland europe")
    assert told(first) == ["USSR moves a cube of USSR from Poland to Europe for two points."]
    assert labels(first.state, USSR, "shift", "poland")[0] == "onto Europe"
    second = step(first.state, "shift poland europe")
    assert told(second)[0] == "USSR moves a cube of USSR from Poland to Europe."


def test_7_6_it_is_optional() -> None:
    position = play(empty_supply(), "done")
    assert cubes(position, "europe", "poland", "brazil") == ["1/20", "0/4", "0/0"]


def test_7_6_the_supply_comes_first() -> None:
    position = play(state(mover=USA, usa="poland"), "play poland t19", "command")
    refuses(position, "shift europe poland", "your supply is not empty; write: cube poland")


def test_7_6_a_plain_cube_is_refused_with_the_way_to_go() -> None:
    refuses(
        empty_supply(),
        "cube brazil",
        "your supply is empty; write: shift CARD brazil, with a card from: europe, poland",
    )


def test_7_6_a_plain_cube_that_no_card_could_give_is_refused_with_what_can_be_done() -> None:
    """All cubes lie on Europe, so none can be moved onto Europe."""
    position = state("europe s19 1/24", mover=USSR, ussr="brazil")
    position = play(position, "play brazil s18", "command")
    refuses(
        position,
        "cube europe",
        "your supply is empty; write: shift CARD europe, with a card from: no card",
    )


def test_7_6_the_us_picks_up_its_own_cubes_likewise() -> None:
    position = state("europe s19 20/2", "italy t19 4/0", "iran r19 0/3", mover=USA, usa="poland")
    position = play(position, "play poland s18", "command")
    refuses(
        position,
        "cube poland",
        "your supply is empty; write: shift CARD poland, with a card from: europe, italy",
    )
    refuses(position, "shift iran poland", "no cube can leave iran; cubes can leave europe, italy")
    done = step(position, "shift italy poland")
    assert told(done) == ["USA moves a cube of USA from Italy to Poland."]
    assert cubes(done.state, "italy", "poland") == ["3/0", "1/0"]


def test_7_6_one_cube_in_the_supply_is_not_an_empty_supply() -> None:
    position = state("europe s19 1/23", mover=USSR, ussr="brazil")
    position = play(position, "play brazil s18", "command")
    refuses(position, "shift europe brazil", "your supply is not empty; write: cube brazil")
    assert words(position, USSR) == ["cube", "done"]


def test_7_6_all_cubes_on_one_card_leave_none_to_give_to_it() -> None:
    position = state("europe s19 1/24", mover=USSR, ussr="brazil")
    position = play(position, "play brazil s18", "command")
    refuses(position, "shift europe europe", "no cube can leave europe; cubes can leave no card")


def test_7_6_source_and_target_differ() -> None:
    refuses(
        empty_supply(),
        "shift poland poland",
        "no cube can leave poland; cubes can leave europe",
    )


def test_7_6_a_card_without_an_own_cube_gives_none() -> None:
    position = empty_supply("italy s20 2/0")
    refuses(
        position, "shift italy brazil", "no cube can leave italy; cubes can leave europe, poland"
    )
    refuses(position, "shift iran brazil", "no cube can leave iran; cubes can leave europe, poland")


def test_7_6_the_target_must_be_in_reach() -> None:
    position = state("europe s19 0/24", "iran s21 1/0", mover=USSR, ussr="brazil")
    position = play(position, "play brazil s18", "command")
    refuses(position, "shift europe iran", "no cube can go to iran; cubes can go to brazil, europe")


def test_7_6_when_only_one_card_can_take_a_cube_it_gives_none() -> None:
    position = state("europe s19 0/24", "iran s21 1/0", mover=USSR, ussr="brazil")
    position = play(position, "play brazil s18", "command")
    assert words(position, USSR, "shift") == ["europe"]
    assert words(position, USSR, "shift", "europe") == ["brazil"]
    moved = play(position, "shift europe brazil")
    assert words(moved, USSR, "shift") == ["europe", "brazil"]


def test_7_6_a_cube_placed_before_may_be_picked_up_again_and_reach_stays() -> None:
    """Section 8.7 and A20."""
    position = state("europe s19 0/23", "poland t19 0/1", "italy u19", mover=USSR, ussr="vietnam")
    position = play(position, "play vietnam s18", "command", "shift poland italy")
    assert cubes(position, "poland", "italy") == ["0/0", "0/1"]
    position = play(position, "shift italy poland", "shift europe italy")
    assert cubes(position, "europe", "poland", "italy") == ["0/22", "0/1", "0/1"]
    assert asked(position).points == 1  # type: ignore[union-attr]


def test_7_6_a_pick_up_may_raise_the_price_of_the_card_it_leaves() -> None:
    """Section 8.7: Poland goes from 2/1 to 2/0, so going back costs two."""
    position = state("europe s19 0/23", "poland t19 2/1", mover=USSR, ussr="brazil")
    position = play(position, "play brazil s18", "command", "shift poland brazil")
    refuses(
        position,
        "shift europe poland",
        "poland costs 2 points, because the opponent leads there by two; you have 1",
    )
    assert words(position, USSR, "shift", "europe") == ["brazil"]


def test_7_6_a_pick_up_for_two_points_spends_both() -> None:
    position = state("europe s19 0/24", "poland t19 2/0", mover=USSR, ussr="brazil")
    position = play(position, "play brazil s18", "command", "shift europe poland")
    assert cubes(position, "europe", "poland") == ["0/23", "2/1"]
    assert asked(position) == PlayCard(USA)


def test_7_6_the_last_cube_of_the_supply_and_then_a_pick_up() -> None:
    position = state("europe s19 1/23", mover=USSR, ussr="brazil")
    position = play(position, "play brazil s18", "command", "cube brazil")
    assert position.supplies == (23, 0)
    assert words(position, USSR) == ["shift", "done"]
    position = play(position, "shift europe brazil")
    assert cubes(position, "europe", "brazil") == ["1/22", "0/2"]


def test_7_7_an_empty_supply_and_one_card_only_places_nothing() -> None:
    """All USSR cubes lie on Europe, and Europe is all that one point reaches."""
    position = state(
        "europe s19 1/24", "france t19 2/0", "poland r19 2/0", mover=USSR, ussr="italy"
    )
    position = play(position, "play italy u19")
    done = step(position, "command")
    assert told(done) == ["USSR commands up to 1 cube with Italy.", "USSR cannot place any cubes."]
