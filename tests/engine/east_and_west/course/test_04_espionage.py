"""4: spies."""

from __future__ import annotations

from typing import Any

import pytest

from engine.core import BadNotation
from engine.east_and_west.board import Fallout, Variant
from engine.east_and_west.data.powers import UK, USA, USSR, WE
from engine.east_and_west.queries import income, knows
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import (
    GAME,
    cash,
    course,
    labels,
    lines,
    marked,
    order,
    owner,
    play,
    refuses,
    room,
    state,
    told,
    units,
    words,
)
from tests.engine.refusals import exactly

JOBS = "diplomacy | theft | counter | free | steal | espionage"
CATEGORIES = "submarine | ship | infantry | armor | aircraft | nuclear"
SEATS = "ussr | we | uk | usa"
NO_NEUTRAL = "{} is no neutral state; diplomacy works on those, on China, Arab League and OAS"


def spying(*placements: str, power: str = UK, number: int = 1, **changes: Any) -> State:
    """A power with spies at the beginning of its turn."""
    spies = {power: number, **changes.pop("others", {})}
    return state(*placements, power=power, stop="intelligence", spies=spies, **changes)


# --- 4.1, 4.2: spies ------------------------------------------------------------------------------


@pytest.mark.parametrize(("power", "most"), [(USSR, 2), (WE, 1), (UK, 1), (USA, 1)])
def test_4_1_so_many_spies_may_be_in_service(power: str, most: int) -> None:
    position = state(power=power)
    play(position, power, f"buy {most} spy")
    refuses(position, power, f"buy {most + 1} spy", f"spies you may have in all: {most}")


def test_4_1_spies_in_service_and_in_hand_count_together() -> None:
    position = state(power=USSR, spies={USSR: 1})
    position = play(position, USSR, "buy 1 spy")
    refuses(position, USSR, "buy 1 spy", "spies you may have in all: 2")


def test_4_1_a_spy_costs_ten_and_serves_from_placement_on() -> None:
    position = play(state(power=WE), WE, "buy 1 spy")
    assert cash(position, WE) == 40
    assert position.board.powers[WE].spies == 0
    step = order(play(position, WE, "done", faces=[]), WE, "done", faces=[])
    assert "Western Europe now has 1 spy" in told(step)
    position = step.state
    assert position.board.powers[WE].spies == 1
    assert position.board.powers[WE].hand == {}


def test_4_2_every_spy_has_one_job() -> None:
    position = play(spying(number=1), UK, "spy diplomacy arab")
    busy = "no spy is free (spies: 1, with a job: 1); spies are bought in production"
    refuses(position, UK, "spy diplomacy oas", busy)
    refuses(
        state(power=WE, stop="intelligence"),
        WE,
        "spy diplomacy arab",
        "no spy is free (spies: 0, with a job: 0); spies are bought in production",
    )


def test_4_2_two_soviet_spies_may_work_on_the_same() -> None:
    position = play(
        spying(power=USSR, number=2),
        USSR,
        "spy diplomacy china",
        "spy diplomacy china",
        "done",
        faces=[1, 1],
    )
    assert position.board.influence["china"] == 4


@pytest.mark.parametrize("face", [2, 3, 4, 5, 6])
def test_4_2_only_a_one_succeeds_and_failure_costs_nothing(face: int) -> None:
    step = order(play(spying(), UK, "spy diplomacy arab"), UK, "done", faces=[face])
    assert step.state.board.influence["arab"] == 0
    assert step.state.board.powers[UK].spies == 1
    assert told(step) == [f"United Kingdom, diplomacy in Arab League: {face}"]


def test_4_2_the_dice_fall_in_the_order_given() -> None:
    position = spying(power=USSR, number=2)
    position = play(position, USSR, "spy diplomacy oas", "spy diplomacy arab", "done", faces=[5, 1])
    assert position.board.influence == {"china": 2, "arab": 1, "oas": -1}


# --- 4.3: diplomacy -------------------------------------------------------------------------------


def test_4_3_a_success_moves_the_marker_to_the_own_side() -> None:
    position = play(spying(power=USA), USA, "spy diplomacy oas", "done", faces=[1])
    assert position.board.influence["oas"] == -2
    assert income(position.board, USA) == 43 + 3
    position = play(spying(power=USSR), USSR, "spy diplomacy oas", "done", faces=[1])
    assert position.board.influence["oas"] == 0


def test_4_3_who_is_paid_does_not_depend_on_the_spy() -> None:
    position = spying(power=USA, influence={"arab": -1})
    position = play(position, USA, "spy diplomacy arab", "done", faces=[1])
    assert income(position.board, WE) == 32 + 3
    assert income(position.board, USA) == 43


@pytest.mark.parametrize("power", [WE, USA])
def test_4_3_of_nato_only_the_uk_works_on_china(power: str) -> None:
    refuses(
        spying(power=power),
        power,
        "spy diplomacy china",
        "of NATO only the United Kingdom may influence China",
    )
    position = play(spying(), UK, "spy diplomacy china", "done", faces=[1])
    assert position.board.influence["china"] == 1


def test_4_3_china_any_nato_opens_china_to_all() -> None:
    position = spying(power=USA, variant=Variant(china_any_nato=True))
    position = play(position, USA, "spy diplomacy china", "done", faces=[1])
    assert position.board.influence["china"] == 1


def test_4_3_nothing_is_left_to_win_at_the_end_of_the_track() -> None:
    position = spying(power=USSR, influence={"china": 4})
    refuses(position, USSR, "spy diplomacy china", "China is on your side entirely")
    assert "china" not in words(position, USSR, "spy", "diplomacy")


def test_4_3_a_second_spy_without_anything_left_to_win_is_not_rolled() -> None:
    position = spying(power=USSR, number=2, influence={"china": 3})
    position = play(position, USSR, "spy diplomacy china", "spy diplomacy china", "done", faces=[1])
    assert position.board.influence["china"] == 4


def test_4_3_an_alliance_that_is_no_more_cannot_be_won() -> None:
    position = spying(power=USSR)
    run = course(position)
    run.update(influence={"china": 2, "oas": -1})
    refuses(run.state, USSR, "spy diplomacy arab", "Arab League exists no longer")


def test_4_3_a_minor_neutral_joins_with_all_it_has() -> None:
    position = spying(
        "spain neutral 4 infantry 1 armor 1 fighter", power=WE, factories=["france", "spain"]
    )
    step = order(play(position, WE, "spy diplomacy spain"), WE, "done", faces=[1])
    assert owner(step.state, "spain") == WE
    assert units(step.state, "spain") == "we 4 infantry 1 armor 1 fighter"
    assert step.state.board.homes["spain"] == WE
    assert "spain" in step.state.board.factories
    assert income(step.state.board, WE) == 32 + 3
    assert "Spain joins Western Europe" in told(step)


def test_4_3_infantry_may_be_placed_there_in_the_same_turn() -> None:
    position = spying("iran neutral 2 infantry", power=UK)
    position = play(position, UK, "spy diplomacy iran", "done", faces=[1])
    position = play(position, UK, "buy 3 infantry", "done", faces=[])
    position = play(position, UK, "place iran 2 infantry")
    assert units(position, "iran") == "uk 4 infantry"
    refuses(
        position,
        UK,
        "place iran 1 infantry",
        room("Iran", 0, 0),
    )


def test_4_3_its_troops_may_be_used_in_the_same_turn() -> None:
    position = play(
        spying("iran neutral 2 infantry 1 armor"), UK, "spy diplomacy iran", "done", faces=[1]
    )
    assert all((group.used, group.marks) == (0, ()) for group in marked(position, "iran"))


def test_4_3_a_failed_mission_leaves_a_neutral_alone() -> None:
    position = play(
        spying("spain neutral 4 infantry"), UK, "spy diplomacy spain", "done", faces=[2]
    )
    assert owner(position, "spain") == "neutral"


def test_4_3_only_neutrals_can_be_courted() -> None:
    refuses(
        spying(),
        UK,
        "spy diplomacy poland",
        NO_NEUTRAL.format("Poland"),
    )
    refuses(
        spying(),
        UK,
        "spy diplomacy egypt",
        NO_NEUTRAL.format("Egypt"),
    )
    refuses(
        spying(),
        UK,
        "spy diplomacy north-sea",
        NO_NEUTRAL.format("North Sea"),
    )
    refuses(
        spying(owners={"spain": "we"}),
        UK,
        "spy diplomacy spain",
        NO_NEUTRAL.format("Spain"),
    )


def test_4_3_cyprus_can_be_won() -> None:
    position = play(spying(), UK, "spy diplomacy cyprus", "done", faces=[1])
    assert owner(position, "cyprus") == UK


# --- 4.4: theft -----------------------------------------------------------------------------------


def test_4_4_the_next_full_step_is_stolen_and_usable_from_the_next_turn() -> None:
    position = spying(power=USA, techs={USSR: {"armor": 4}, USA: {}})
    step = order(play(position, USA, "spy theft armor"), USA, "done", faces=[1])
    thief = step.state.board.powers[USA]
    assert thief.research == {"armor": 2}
    assert thief.pending == (("armor", 1),)
    assert not knows(step.state.board, USA, "armor", 1)
    assert told(step)[1:] == [
        "USA gains Heavy armor",
        "Stolen: it can be used from the next turn on",
    ]
    refuses(step.state, USA, "buy 1 heavy-armor", "to buy heavy armor you need Heavy armor")


def test_4_4_from_an_intermediate_step_it_is_the_same_full_step() -> None:
    position = spying(power=USA, techs={USSR: {"armor": 4}, USA: {"armor": 1}})
    position = play(position, USA, "spy theft armor", "done", faces=[1])
    assert position.board.powers[USA].research == {"armor": 2}


def test_4_4_an_enemy_must_own_exactly_that_step() -> None:
    message = "no enemy has the step in Armor that you lack"
    refuses(spying(techs={USSR: {"armor": 1}}), UK, "spy theft armor", message)
    refuses(spying(techs={USSR: {"armor": 2}, UK: {"armor": 2}}), UK, "spy theft armor", message)
    refuses(spying(techs={WE: {"armor": 6}}), UK, "spy theft armor", message)
    refuses(spying(techs={USSR: {"armor": 6}, UK: {"armor": 6}}), UK, "spy theft armor", message)


def test_4_4_nuclear_technology_may_be_stolen() -> None:
    position = spying(power=USSR, techs={USA: {"nuclear": 2}})
    position = play(position, USSR, "spy steal nuclear", "done", faces=[1])
    assert position.board.powers[USSR].research == {"nuclear": 2}


def test_4_4_two_thefts_in_one_category_give_two_steps() -> None:
    position = spying(power=USSR, number=2, techs={USA: {"ship": 4}})
    position = play(position, USSR, "spy theft ship", "spy theft ship", "done", faces=[1, 1])
    assert position.board.powers[USSR].research == {"ship": 4}
    assert position.board.powers[USSR].pending == (("ship", 1), ("ship", 2))


def test_4_4_5_2_a_stolen_step_counts_for_research_in_the_same_turn() -> None:
    position = spying(power=UK, techs={USSR: {"armor": 2}})
    position = play(position, UK, "spy theft armor", "research armor", "done", faces=[1, 2])
    assert position.board.powers[UK].research == {"armor": 3}


def test_4_4_5_4_an_attempt_made_idle_by_a_theft_is_not_paid() -> None:
    position = spying(power=UK, techs={USSR: {"armor": 6}, UK: {"armor": 4}})
    position = play(position, UK, "spy theft armor", "research armor")
    assert cash(position, UK) == 45
    position = play(position, UK, "done", faces=[1])
    assert cash(position, UK) == 50
    assert position.board.powers[UK].research == {"armor": 6}


# --- 4.5, 4.6: counter-espionage ------------------------------------------------------------------


def test_4_5_a_caught_spy_is_gone_and_may_be_bought_again() -> None:
    position = spying(others={USSR: 2})
    step = order(play(position, UK, "spy counter"), UK, "done", faces=[1])
    assert step.state.board.powers[USSR].spies == 1
    assert step.state.board.powers[UK].spies == 1
    assert "A spy of USSR is caught" in told(step)


def test_4_5_the_ussr_names_whose_spy_is_hunted() -> None:
    position = spying(power=USSR, others={WE: 1, USA: 1})
    position = play(position, USSR, "spy counter we", "done", faces=[1, 6])
    assert [position.board.powers[power].spies for power in (WE, USA)] == [0, 1]


def test_4_5_without_a_name_it_is_the_power_with_the_largest_income() -> None:
    position = spying(power=USSR, others={WE: 1, UK: 1})
    position = play(position, USSR, "spy counter", "done", faces=[1, 6])
    assert [position.board.powers[power].spies for power in (WE, UK)] == [1, 0]


def test_4_5_the_largest_income_counts_what_bombs_have_done() -> None:
    position = spying(
        power=USSR, others={WE: 1, UK: 1}, fallout=(Fallout("united-kingdom", 2, USSR),)
    )
    position = play(position, USSR, "spy counter", "done", faces=[1, 6])
    assert [position.board.powers[power].spies for power in (WE, UK)] == [0, 1]


def test_4_5_there_must_be_a_spy_to_hunt() -> None:
    refuses(spying(), UK, "spy counter", "there is no such spy to hunt")
    refuses(spying(others={WE: 1}), UK, "spy counter", "there is no such spy to hunt")
    refuses(spying(others={USSR: 1}), UK, "spy counter we", "Western Europe is no enemy")
    refuses(
        spying(power=USSR, others={WE: 1}), USSR, "spy counter usa", "there is no such spy to hunt"
    )


def test_4_6_the_free_soviet_roll_comes_last_and_needs_no_spy() -> None:
    position = state(power=USSR, stop="intelligence", spies={USA: 1})
    step = order(position, USSR, "done", faces=[1])
    assert step.state.board.powers[USA].spies == 0
    assert told(step) == ["USSR, counter-espionage: 1", "A spy of USA is caught"]


def test_4_6_without_a_nato_spy_it_is_not_rolled() -> None:
    order(state(power=USSR, stop="intelligence"), USSR, "done", faces=[])


def test_4_6_after_the_last_spy_was_caught_it_is_not_rolled() -> None:
    position = play(spying(power=USSR, others={UK: 1}), USSR, "spy counter uk", "done", faces=[1])
    assert position.board.powers[UK].spies == 0


def test_4_6_nato_has_no_free_roll() -> None:
    position = state(power=UK, stop="intelligence", spies={USSR: 2})
    order(position, UK, "done", faces=[])
    refuses(position, UK, "spy free ussr", "only the USSR has a free counter-espionage roll")


def test_4_6_the_ussr_may_name_whom_the_free_roll_hunts() -> None:
    position = state(power=USSR, stop="intelligence", spies={WE: 1, USA: 1})
    position = play(position, USSR, "spy free we", "done", faces=[1])
    assert [position.board.powers[power].spies for power in (WE, USA)] == [0, 1]


# --- 4.7: options ---------------------------------------------------------------------------------


def test_4_7_spy_vs_spy_succeeds_on_a_two_also_for_the_free_roll() -> None:
    variant = Variant(spy_vs_spy=True)
    position = spying(power=USSR, others={UK: 2}, variant=variant)
    position = play(position, USSR, "spy diplomacy arab", "done", faces=[2, 2])
    assert position.board.influence["arab"] == 1
    assert position.board.powers[UK].spies == 1


def test_4_7_spy_vs_spy_still_fails_on_a_three() -> None:
    position = spying(variant=Variant(spy_vs_spy=True))
    position = play(position, UK, "spy diplomacy arab", "done", faces=[3])
    assert position.board.influence["arab"] == 0


@pytest.mark.parametrize(("power", "most"), [(USSR, 4), (USA, 2)])
def test_4_7_spy_vs_spy_doubles_the_number_of_spies(power: str, most: int) -> None:
    position = state(power=power, variant=Variant(spy_vs_spy=True))
    play(position, power, f"buy {most} spy")
    refuses(position, power, f"buy {most + 1} spy", f"spies you may have in all: {most}")


def test_4_7_a_land_revolts() -> None:
    position = spying(
        "baltic-states ussr 4 infantry 1 armor 1 aa-gun",
        variant=Variant(revolts=True),
        factories=["baltic-states"],
    )
    step = order(play(position, UK, "spy diplomacy baltic-states"), UK, "done", faces=[1])
    assert owner(step.state, "baltic-states") == UK
    assert units(step.state, "baltic-states") == "uk 1 infantry 1 aa-gun"
    assert all(group.marks == ("spent",) for group in marked(step.state, "baltic-states"))
    assert "baltic-states" in step.state.board.factories
    assert "baltic-states" not in step.state.board.turn.factories
    assert "Baltic States revolts and joins United Kingdom" in told(step)


def test_4_7_all_troops_of_the_other_side_leave_the_game() -> None:
    position = spying(
        "algeria we 1 infantry usa 1 fighter", power=USSR, variant=Variant(revolts=True)
    )
    position = play(position, USSR, "spy diplomacy algeria", "done", faces=[1])
    assert units(position, "algeria") == "ussr 1 infantry"


def test_4_7_the_land_goes_to_the_spys_power_even_if_an_ally_owned_it_first() -> None:
    position = spying(
        "algeria ussr 1 infantry",
        power=USA,
        owners={"algeria": "ussr"},
        variant=Variant(revolts=True),
    )
    position = play(position, USA, "spy diplomacy algeria", "done", faces=[1])
    assert owner(position, "algeria") == USA


def test_4_7_only_lands_with_a_printed_value_of_one_revolt() -> None:
    position = spying(variant=Variant(revolts=True), fallout=(Fallout("karelia", 1, UK),))
    message = "{} is no neutral state, and no enemy land worth 1"
    refuses(position, UK, "spy diplomacy karelia", message.format("Karelia"))
    refuses(position, UK, "spy diplomacy algeria", message.format("Algeria"))
    refuses(
        spying(),
        UK,
        "spy diplomacy baltic-states",
        NO_NEUTRAL.format("Baltic States"),
    )
    assert "baltic-states" in words(position, UK, "spy", "diplomacy")


# --- words ----------------------------------------------------------------------------------------


def test_4_what_is_offered_can_be_ordered() -> None:
    position = spying(
        power=USSR, others={WE: 1}, techs={USA: {"nuclear": 2}}, variant=Variant(revolts=True)
    )
    offered = list(lines(position, USSR, "spy"))
    assert words(position, USSR, "spy") == ["diplomacy", "theft", "counter", "free"]
    assert words(position, USSR, "spy", "diplomacy", "china") == []
    assert words(position, USSR, "spy", "sleep") == []
    assert {"spy diplomacy china", "spy diplomacy spain", "spy diplomacy algeria"} <= {*offered}
    assert {"spy theft nuclear", "spy counter we", "spy free we"} <= {*offered}
    for line in offered:
        assert GAME.notate(GAME.parse(line)) == line
        order(position, USSR, line)


def test_4_nato_is_offered_counter_espionage_without_a_name() -> None:
    position = spying(others={USSR: 1}, techs={USSR: {"armor": 2}})
    assert words(position, UK, "spy") == ["diplomacy", "theft", "counter"]
    assert labels(position, UK, "spy", "theft") == ["Armor"]
    assert list(lines(position, UK, "spy", "counter")) == []


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("spy dip Arabische Liga", "spy diplomacy arab"),
        ("spy espionage Panzer", "spy theft armor"),
        ("spy diplomacy Spanien", "spy diplomacy spain"),
        ("spy counter westeuropa", "spy counter we"),
    ],
)
def test_4_orders_are_read_generously(typed: str, canonical: str) -> None:
    assert GAME.notate(GAME.parse(typed)) == canonical


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("spy", f"'spy' is not finished; expected: {JOBS}"),
        ("spy sleep", f"'sleep' in 'spy sleep' does not fit; expected: {JOBS}"),
        ("spy theft", f"'spy theft' is not finished; expected: {CATEGORIES}"),
        ("spy free", f"'spy free' is not finished; expected: {SEATS}"),
        ("spy counter mars", f"'mars' in 'spy counter mars' does not fit; expected: {SEATS}"),
    ],
)
def test_4_nonsense_is_refused(line: str, message: str) -> None:
    with pytest.raises(BadNotation, match=exactly(message)):
        GAME.parse(line)
