"""13: neutrals."""

from __future__ import annotations

from typing import Any

import pytest

from engine.east_and_west.board import Board
from engine.east_and_west.course import neutrals
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import UK, USA, USSR, WE
from engine.east_and_west.execution import Course
from engine.east_and_west.queries import has_access, income, may_attack, may_stay, pays
from engine.east_and_west.standing import Standing
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import (
    GAME,
    board,
    cash,
    course,
    lines,
    order,
    owner,
    play,
    refuses,
    state,
    told,
    units,
)


def after_shift(position: State, alliance: str, steps: int) -> Board:
    run = course(position)
    neutrals.shift(run, alliance, steps)
    assert GAME.check(run.state) == []
    return run.board


def after_attack(
    *placements: str, attacked: tuple[str, ...], power: str = USSR, **changes: Any
) -> Board:
    """The end of the combat phase of a power that attacked neutral lands."""
    position = state(*placements, power=power, **changes)
    run = course(position)
    run.update_turn(attacked=attacked)
    neutrals.after_combat(run)
    assert GAME.check(run.state) == []
    return run.board


# --- 13.1, 13.2: influence ------------------------------------------------------------------------


@pytest.mark.parametrize(("at", "paid"), [(0, 0), (1, 0), (2, 4), (3, 8), (4, 16)])
def test_13_1_what_china_pays(at: int, paid: int) -> None:
    assert pays(board(influence={"china": at}), "china")[1] == paid
    assert pays(board(influence={"china": -at}), "china")[1] == paid


@pytest.mark.parametrize("alliance", ["arab", "oas"])
@pytest.mark.parametrize(("at", "paid"), [(0, 0), (1, 0), (2, 3), (3, 6), (4, 12)])
def test_13_1_what_the_others_pay(alliance: str, at: int, paid: int) -> None:
    assert pays(board(influence={alliance: at}), alliance)[1] == paid


@pytest.mark.parametrize(("alliance", "west"), [("china", UK), ("arab", WE), ("oas", USA)])
def test_13_2_whom_they_pay(alliance: str, west: str) -> None:
    assert pays(board(influence={alliance: 3}), alliance)[0] == USSR
    assert pays(board(influence={alliance: -3}), alliance)[0] == west


def test_13_2_the_contribution_comes_with_the_own_income() -> None:
    position = state(power=WE, stop="logistics", influence={"arab": -2})
    assert cash(order(position, WE, "done", faces=[]).state, WE) == 50 + 32 + 3


def test_13_2_arab_from_minus_one_to_minus_two_pays_western_europe() -> None:
    here = after_shift(state(), "arab", -1)
    assert income(here, WE) == 32
    here = after_shift(State(here), "arab", -1)
    assert income(here, WE) == 35


def test_13_1_a_marker_stays_at_the_end_of_its_track() -> None:
    assert after_shift(state(influence={"oas": 4}), "oas", 1).influence["oas"] == 4
    assert after_shift(state(influence={"oas": -4}), "oas", -2).influence["oas"] == -4
    assert after_shift(state(influence={"oas": -3}), "oas", -2).influence["oas"] == -4


def test_13_1_an_alliance_that_is_no_more_has_no_marker() -> None:
    run = course(state())
    run.update(influence={"china": 2})
    neutrals.shift(run, "arab", 1)
    assert run.board.influence == {"china": 2}
    assert run.events == []


def heard(run: Course) -> list[str]:
    return [GAME.say(event.text) for event in run.events]


def test_13_what_happens_to_neutrals_is_told_and_stays_in_the_headlines() -> None:
    run = course(
        state(
            "sinkiang ussr 2 infantry 1 armor",
            "manchuria china 8 infantry",
            "north-korea china 6 infantry",
            "kazakhstan ussr 1 infantry",
            influence={"china": 2},
        )
    )
    neutrals.shift(run, "china", -1)
    assert heard(run) == [
        "China: the influence moves from +2 to +1; plus is the USSR",
        "3 units of USSR have to leave Sinkiang and go to Kazakhstan",
        "6 Chinese infantry return from North Korea",
    ]
    assert [GAME.say(line.text) for line in run.board.headlines] == heard(run)
    neutrals.shift(run, "china", -2)
    assert heard(run)[-1] == "China: the influence moves from +1 to -1; plus is the USSR"
    neutrals.shift(run, "china", 1)
    assert heard(run)[-1] == "China: the influence moves from -1 to 0; plus is the USSR"


def test_13_6_broken_alliances_and_joined_states_are_told() -> None:
    run = course(state("spain neutral 1 infantry", owners={"iraq": "ussr"}, held={"iraq": "arab"}))
    run.update_turn(attacked=("iraq", "spain"))
    neutrals.after_combat(run)
    assert heard(run) == [
        "Arab League was attacked and exists no longer; 4 lands join Western Europe",
        "Spain was attacked and joins Western Europe",
    ]


# --- 13.3: access ---------------------------------------------------------------------------------


def test_13_3_the_paid_power_alone_has_access() -> None:
    here = board(influence={"china": 2, "oas": -2, "arab": 0})
    assert has_access(here, USSR, "sinkiang")
    assert not has_access(here, UK, "sinkiang")
    assert has_access(here, USA, "brazil")
    assert not has_access(here, WE, "brazil")
    assert not may_stay(here, USSR, "egypt")
    assert not has_access(board(influence={"china": 1}), USSR, "sinkiang")


# --- 13.4, 13.5: who may attack -------------------------------------------------------------------


def test_13_4_the_ussr_may_attack_any_neutral() -> None:
    for land in ("spain", "iran", "manchuria", "egypt", "brazil", "cyprus"):
        assert may_attack(board(), USSR, land)


def test_13_5_nato_attacks_an_alliance_only_when_it_pays_the_ussr_everything() -> None:
    assert may_attack(board(influence={"china": 4}), UK, "manchuria")
    for at in (3, 0, -4):
        assert not may_attack(board(influence={"china": at}), UK, "manchuria")


def test_13_5_nato_never_attacks_a_minor_neutral_unless_it_is_soviet() -> None:
    assert not may_attack(board(), UK, "spain")
    assert may_attack(board(owners={"spain": "ussr"}), UK, "spain")


# --- 13.6: consequences ---------------------------------------------------------------------------


def test_13_6_an_attack_on_iraq_alone_gives_the_rest_to_western_europe() -> None:
    here = after_attack(
        "iraq ussr 1 infantry*1",
        "egypt arab 4 infantry 1 armor 1 fighter 1 aa-gun",
        "syria arab 2 infantry",
        attacked=("iraq",),
        owners={"iraq": "ussr"},
        held={"iraq": "arab"},
    )
    assert owner(here, "iraq") == USSR
    for land in ("egypt", "syria", "jordan", "saudi-arabia"):
        assert owner(here, land) == WE
        assert here.homes[land] == WE
    assert units(here, "egypt") == "we 4 infantry 1 armor 1 aa-gun 1 fighter"
    assert "arab" not in here.influence
    assert "egypt" in here.factories
    assert income(here, WE) == 32 + 10
    assert "iraq" not in here.homes


def test_13_6_also_the_attacked_land_itself_if_it_held() -> None:
    here = after_attack("iraq arab 1 infantry", attacked=("iraq",))
    assert owner(here, "iraq") == WE
    assert units(here, "iraq") == "we 1 infantry"


@pytest.mark.parametrize(
    ("land", "alliance", "west"),
    [("hunan", "china", UK), ("mexico", "oas", USA), ("syria", "arab", WE)],
)
def test_13_6_each_alliance_has_its_protector(land: str, alliance: str, west: str) -> None:
    here = after_attack(f"{land} {alliance} 1 infantry", attacked=(land,))
    assert owner(here, land) == west
    assert set(here.influence) == {"china", "arab", "oas"} - {alliance}


def test_13_6_an_alliance_attacked_by_nato_joins_the_ussr() -> None:
    here = after_attack(
        "hunan uk 1 infantry*1",
        "manchuria china 11 infantry",
        "north-korea ussr 5 infantry china 6 infantry",
        power=UK,
        attacked=("hunan",),
        owners={"hunan": "uk"},
        held={"hunan": "china"},
        influence={"china": 4},
    )
    assert owner(here, "manchuria") == USSR
    assert units(here, "manchuria") == "ussr 11 infantry"
    assert units(here, "north-korea") == "ussr 11 infantry"
    assert owner(here, "hunan") == UK


def test_13_6_ships_change_sides_with_their_alliance() -> None:
    here = after_attack("sea-of-japan china 1 transport", attacked=("hunan",))
    assert units(here, "sea-of-japan") == "uk 1 transport"


def test_13_6_guests_of_the_attacker_have_to_leave_what_was_not_captured() -> None:
    here = after_attack(
        "sinkiang china 1 infantry ussr 2 armor",
        "hunan china 1 infantry",
        attacked=("hunan",),
        influence={"china": 2},
    )
    assert owner(here, "sinkiang") == UK
    assert units(here, "sinkiang") == "uk 1 infantry"
    assert sum(units(here, land) == "ussr 2 armor" for land in here.owners) == 1


def test_13_6_aircraft_that_attacked_fly_home_later() -> None:
    here = after_attack("hunan china 1 infantry ussr 1 fighter*2!attacking", attacked=("hunan",))
    assert units(here, "hunan") == "uk 1 infantry ussr 1 fighter"


def test_13_6_guests_of_the_protector_stay() -> None:
    here = after_attack(
        "egypt arab 1 infantry we 2 infantry", attacked=("syria",), influence={"arab": -2}
    )
    assert units(here, "egypt") == "we 3 infantry"


def test_13_6_a_minor_neutral_that_held_joins_the_nearest_power() -> None:
    here = after_attack("spain neutral 2 infantry", attacked=("spain",))
    assert owner(here, "spain") == WE
    assert units(here, "spain") == "we 2 infantry"
    assert here.homes["spain"] == WE
    assert owner(here, "iran") == "neutral"


def test_13_6_a_captured_minor_neutral_stays_with_the_conqueror() -> None:
    here = after_attack(
        "spain ussr 1 infantry*1",
        attacked=("spain",),
        owners={"spain": "ussr"},
        held={"spain": "neutral"},
    )
    assert owner(here, "spain") == USSR


def test_13_6_the_nearest_counts_all_spaces_and_ties_go_in_turn_order() -> None:
    assert neutrals.protector(board(), "ireland") == UK
    assert neutrals.protector(board(), "sweden") == WE
    assert neutrals.protector(board(), "iran") == WE
    assert neutrals.protector(board(), "afghanistan") == UK
    every = {key: USSR for key, held in board().owners.items() if held in (WE, UK, USA)}
    assert neutrals.protector(board(owners={**every, "guam": USA}), "spain") == USA
    assert neutrals.protector(board(owners=every), "spain") is None


def test_13_6_two_attacked_states_go_their_ways() -> None:
    here = after_attack(
        "finland neutral 1 infantry", "iraq arab 1 infantry", attacked=("finland", "iraq")
    )
    assert owner(here, "finland") in (WE, UK, USA)
    assert owner(here, "iraq") == WE
    assert here.influence == {"china": 2, "oas": -1}


def test_13_6_a_whole_alliance_captured_exists_no_longer() -> None:
    lands = dict.fromkeys(("egypt", "syria", "jordan", "iraq", "saudi-arabia"), USSR)
    here = after_attack(attacked=tuple(lands), owners=lands, held=dict.fromkeys(lands, "arab"))
    assert "arab" not in here.influence
    assert all(owner(here, land) == USSR for land in lands)


def test_13_6_nothing_happens_without_an_attack() -> None:
    position = state("iraq arab 1 infantry")
    run = course(position)
    neutrals.after_combat(run)
    assert run.state == position


def test_13_6_a_joined_land_is_held_by_its_new_owner_from_his_next_turn_on() -> None:
    position = state("iraq arab 1 infantry", stop="logistics")
    run: Course = course(position)
    run.update_turn(attacked=("iraq",))
    neutrals.after_combat(run)
    after = order(run.state, USSR, "done", faces=[]).state
    assert after.board.turn.power == WE
    assert "egypt" in after.board.turn.factories


# --- 13.8: losing access --------------------------------------------------------------------------


def test_13_8_china_from_two_to_one_sends_soviet_units_home() -> None:
    position = state(
        "sinkiang china 1 infantry ussr 2 infantry 1 fighter 1 aa-gun",
        "kazakhstan ussr 2 infantry",
        "sea-of-japan ussr 1 cruiser",
        influence={"china": 2},
    )
    assert income(position.board, USSR) == 52
    here = after_shift(position, "china", -1)
    assert units(here, "sinkiang") == "china 1 infantry"
    assert units(here, "kazakhstan") == "ussr 4 infantry 1 aa-gun 1 fighter"
    assert units(here, "sea-of-japan") == "ussr 1 cruiser"
    assert income(here, USSR) == 48


def test_13_8_as_long_as_it_pays_units_stay() -> None:
    here = after_shift(state("sinkiang ussr 2 infantry", influence={"china": 3}), "china", -1)
    assert units(here, "sinkiang") == "ussr 2 infantry"


def test_13_8_the_nearest_land_at_the_border_wins_over_a_larger_stack() -> None:
    position = state("sinkiang ussr 1 armor", "north-korea ussr 9 infantry", influence={"china": 2})
    here = after_shift(position, "china", -1)
    assert units(here, "north-korea") == "ussr 9 infantry"


def test_13_8_among_equals_most_own_units_then_the_alphabet() -> None:
    position = state("sinkiang ussr 1 armor", "mongolia ussr 5 infantry", influence={"china": 2})
    assert units(after_shift(position, "china", -1), "mongolia") == "ussr 5 infantry 1 armor"
    position = state("sinkiang ussr 1 armor", influence={"china": 2})
    assert units(after_shift(position, "china", -1), "kazakhstan") == "ussr 1 armor"


def test_13_8_the_owner_may_prefer_one_of_the_equals() -> None:
    position = state(
        "sinkiang ussr 1 armor",
        "kazakhstan ussr 5 infantry",
        influence={"china": 2},
        standing={USSR: Standing(refuge={"china": "turkmenistan"})},
    )
    assert units(after_shift(position, "china", -1), "turkmenistan") == "ussr 1 armor"
    far = state(
        "sinkiang ussr 1 armor",
        influence={"china": 2},
        standing={USSR: Standing(refuge={"china": "north-korea"})},
    )
    assert units(after_shift(far, "china", -1), "north-korea") == ""


def test_13_8_units_of_nato_leave_too_also_to_an_ally() -> None:
    position = state("manchuria uk 2 infantry", power=USSR, influence={"china": -2})
    here = after_shift(position, "china", 1)
    assert units(here, "manchuria") == ""
    (refuge,) = [land for land in here.owners if units(here, land) == "uk 2 infantry"]
    assert owner(here, refuge) in (WE, UK, USA)


def test_13_8_without_a_border_the_capital() -> None:
    beside = {
        near
        for land in ("egypt", "syria", "jordan", "iraq", "saudi-arabia")
        for near in atlas().neighbours[land]
    }
    friendly = {land: USSR for land in beside if board().owners.get(land) in (WE, UK, USA)}
    position = state("egypt we 1 armor", owners=friendly, influence={"arab": -2})
    assert units(after_shift(position, "arab", 1), "france") == "we 1 armor"
    lost = {**friendly, "france": USSR}
    here = after_shift(state("egypt we 1 armor", owners=lost, influence={"arab": -2}), "arab", 1)
    (refuge,) = [land for land in here.owners if units(here, land) == "we 1 armor"]
    assert owner(here, refuge) == WE


def test_13_8_without_any_own_land_they_are_lost() -> None:
    every = {key: USSR for key, held in board().owners.items() if held in (WE, UK, USA)}
    here = after_shift(state("egypt we 1 armor", owners=every, influence={"arab": -2}), "arab", 1)
    assert not any(group.owner == WE for there in here.units.values() for group in there)
    assert [GAME.say(line.text) for line in here.headlines][-1] == (
        "A unit of Western Europe in Egypt has nowhere to go and is lost"
    )


def test_13_8_units_on_an_attack_are_no_guests() -> None:
    position = state(
        "sinkiang china 1 infantry ussr 3 infantry*1!attacking 1 armor!attacking",
        influence={"china": 2},
    )
    here = after_shift(position, "china", -1)
    assert units(here, "sinkiang", USSR) == "3 infantry"
    assert units(here, "kazakhstan") == "ussr 1 armor"


# --- 13.9: Chinese troops in North Korea ----------------------------------------------------------


def korea(**changes: Any) -> State:
    return state(
        "manchuria china 11 infantry 1 armor",
        "north-korea ussr 5 infantry",
        **{"stop": "logistics", **changes},
    )


def test_13_9_up_to_six_go_to_north_korea() -> None:
    position = play(korea(), USSR, "reinforce 4")
    assert units(position, "north-korea") == "china 4 infantry ussr 5 infantry"
    assert units(position, "manchuria") == "china 7 infantry 1 armor"
    refuses(
        position,
        USSR,
        "reinforce 3",
        "3 Chinese infantry cannot go to North Korea; up to 2 can",
    )
    position = play(position, USSR, "reinforce 2")
    assert position.board.turn.reinforced == 6
    assert list(lines(position, USSR, "reinforce")) == []


def test_13_9_manchuria_is_refilled_in_the_soviet_placement() -> None:
    position = play(korea(), USSR, "reinforce 6")
    step = order(position, USSR, "done", faces=[])
    position = step.state
    assert "6 Chinese infantry are raised in Manchuria" in told(step)
    assert units(position, "manchuria") == "china 11 infantry 1 armor"
    assert units(position, "north-korea") == "china 6 infantry ussr 5 infantry"


def test_13_9_a_single_missing_infantry_is_raised() -> None:
    position = play(korea(), USSR, "reinforce 1", "done", faces=[])
    assert units(position, "manchuria") == "china 11 infantry 1 armor"


def test_13_9_a_full_garrison_is_not_spoken_of() -> None:
    step = order(korea(), USSR, "done", faces=[])
    assert not any("Chinese" in line for line in told(step))
    moved = order(korea(), USSR, "reinforce 2")
    assert told(moved) == ["2 Chinese infantry go to North Korea"]


def test_13_9_manchuria_is_not_refilled_when_china_does_not_pay_or_others_move() -> None:
    position = state("manchuria china 5 infantry", stop="logistics", influence={"china": 1})
    position = order(position, USSR, "done", faces=[]).state
    assert units(position, "manchuria") == "china 5 infantry"
    position = state("manchuria china 5 infantry", power=WE, stop="logistics")
    assert units(order(position, WE, "done", faces=[]).state, "manchuria") == "china 5 infantry"


def test_13_9_manchuria_is_not_refilled_when_china_is_no_more() -> None:
    position = state("manchuria ussr 1 infantry", stop="logistics", owners={"manchuria": USSR})
    run = course(position)
    run.update(influence={})
    neutrals.refill(run)
    assert units(run.board, "manchuria") == "ussr 1 infantry"


def test_13_9_only_while_china_pays_the_ussr() -> None:
    refuses(
        korea(influence={"china": 1}),
        USSR,
        "reinforce 1",
        "China sends infantry only while it pays the USSR",
    )
    refuses(
        korea(influence={"china": -3}),
        USSR,
        "reinforce 1",
        "China sends infantry only while it pays the USSR",
    )
    assert list(lines(korea(influence={"china": 1}), USSR, "reinforce")) == []


def test_13_9_only_while_the_ussr_holds_north_korea() -> None:
    position = state("manchuria china 11 infantry", stop="logistics", owners={"north-korea": USA})
    refuses(
        position,
        USSR,
        "reinforce 1",
        "China sends infantry only while the USSR holds North Korea",
    )
    assert list(lines(position, USSR, "reinforce")) == []


def test_13_9_only_the_ussr_and_at_least_one() -> None:
    refuses(
        korea(), USSR, "reinforce 0", "0 Chinese infantry cannot go to North Korea; up to 6 can"
    )
    position = state("manchuria china 11 infantry", power=UK, stop="logistics")
    refuses(position, UK, "reinforce 1", "only the USSR sends Chinese infantry to North Korea")
    assert list(lines(position, UK, "reinforce")) == []


def test_13_9_they_return_when_china_stops_paying_and_more_than_eleven_are_discarded() -> None:
    position = state(
        "manchuria china 8 infantry 1 armor",
        "north-korea ussr 5 infantry china 6 infantry",
        influence={"china": 2},
    )
    here = after_shift(position, "china", -1)
    assert units(here, "north-korea") == "ussr 5 infantry"
    assert units(here, "manchuria") == "china 11 infantry 1 armor"


def test_13_9_fewer_than_eleven_all_return() -> None:
    position = state(
        "manchuria china 4 infantry", "north-korea china 3 infantry", influence={"china": 2}
    )
    assert units(after_shift(position, "china", -1), "manchuria") == "china 7 infantry"


def test_13_9_they_go_home_before_the_ussr_attacks_china() -> None:
    position = state("manchuria china 8 infantry", "north-korea ussr 1 armor china 3 infantry")
    run = course(position)
    run.update_turn(attacked=("sinkiang",))
    neutrals.before_combat(run)
    assert units(run.board, "north-korea") == "ussr 1 armor"
    assert units(run.board, "manchuria") == "china 11 infantry"


def test_13_9_an_attack_on_somebody_else_leaves_them_there() -> None:
    run = course(state("north-korea ussr 1 armor china 3 infantry"))
    run.update_turn(attacked=("iraq",))
    neutrals.before_combat(run)
    assert units(run.board, "north-korea") == "china 3 infantry ussr 1 armor"


def test_13_9_what_is_offered_can_be_ordered() -> None:
    offered = list(lines(korea(), USSR, "reinforce"))
    assert offered == [f"reinforce {number}" for number in range(1, 7)]
    for line in offered:
        order(korea(), USSR, line)
