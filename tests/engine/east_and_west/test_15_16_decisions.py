"""Chapters 15 and 16: where editions differ or rules are silent, one test for each decision."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.core import Seat
from engine.east_and_west import queries
from engine.east_and_west.board import Fallout, Variant
from engine.east_and_west.course import neutrals, victory
from engine.east_and_west.data.arsenal import CATEGORIES, Category
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import MINOR, NATO, UK, USA, USSR, WE
from engine.east_and_west.standing import Standing
from tests.engine.east_and_west.kit import (
    GAME,
    board,
    cash,
    course,
    income,
    lines,
    new_match,
    order,
    owner,
    play,
    refuses,
    room,
    state,
    told,
    units,
    waiting,
    words,
)

# --- 15 -------------------------------------------------------------------------------------------


def test_15_there_are_six_fields_of_research() -> None:
    assert len(CATEGORIES) == 6
    position = state(stop="intelligence", cash={"ussr": 26})
    for category in CATEGORIES:
        position = play(position, "ussr", f"research {category}")
    assert cash(position, "ussr") == 0


def test_15_a_1_on_half_a_step_reaches_the_full_step_and_no_more() -> None:
    position = state(stop="intelligence", techs={"ussr": {"ship": 3}})
    position = play(position, "ussr", "research ship", "done", faces=[1])
    assert position.board.powers[USSR].research["ship"] == 4


@pytest.mark.parametrize(("lost", "winners"), [(False, None), (True, NATO)])
def test_15_nato_wins_when_soviet_income_is_below_15_wherever_moscow_is(
    lost: bool, winners: tuple[Seat, ...] | None
) -> None:
    kept = {"russia", "east-germany", "poland"} if not lost else {"russia", "east-germany"}
    printed = [land for land in atlas().lands if atlas().spaces[land].owner == "ussr"]
    position = state(
        owners={land: "we" for land in printed if land not in kept}, influence={"china": 0}
    )
    assert income(position, "ussr") == (15 if not lost else 12)
    acting = course(position)
    victory.check_round(acting)
    result = acting.board.result
    assert (result.winners if result else None) == winners


def test_15_hydrogen_technology_makes_atomic_bombs_cheaper() -> None:
    assert queries.price(board(techs={"usa": {"nuclear": 4}}), USA, "atomic-bomb") == 20
    assert queries.price(board(techs={"usa": {"nuclear": 6}}), USA, "atomic-bomb") == 12


def test_15_revolts_are_an_option_of_their_own() -> None:
    spies = {"ussr": 1}
    both = Variant(spy_vs_spy=True)
    refuses(
        state(stop="intelligence", spies=spies, variant=both),
        "ussr",
        "spy diplomacy alaska",
        "Alaska is no neutral state; diplomacy works on those, on China, Arab League and OAS",
    )
    revolts = Variant(revolts=True)
    play(state(stop="intelligence", spies=spies, variant=revolts), "ussr", "spy diplomacy alaska")


def test_15_a_polar_passage_costs_one_point() -> None:
    position = state(
        "barents-sea ussr 1 submarine",
        stop="logistics",
        techs={"ussr": {"submarine": 4}},
    )
    after = play(position, "ussr", "move barents-sea chukchi-sea 1 submarine")
    (group,) = after.board.at("chukchi-sea")
    assert group.used == 2


def test_15_two_howitzers_fit_on_a_large_transport() -> None:
    position = state(
        "france we 3 howitzer",
        "bay-of-biscay we 1 large-transport",
        power="we",
        stop="logistics",
    )
    play(position, "we", "load france bay-of-biscay 2 howitzer")
    refuses(
        position,
        "we",
        "load france bay-of-biscay 3 howitzer",
        "the ships of Western Europe in Bay of Biscay have no room for all of that",
    )


# --- 16 -------------------------------------------------------------------------------------------


def test_16_1_the_ussr_begins_with_48() -> None:
    assert cash(new_match(), "ussr") == 48
    assert cash(new_match(ussr_start_52="on"), "ussr") == 52


def test_16_2_what_is_left_of_the_mobilisation_is_kept() -> None:
    assert cash(play(new_match(), "ussr", "done", faces=[]), "ussr") == 68


def test_16_3_attempts_in_the_mobilisation_have_no_limit() -> None:
    position = new_match()
    for _ in range(5):
        position = order(position, "ussr", "research infantry", faces=[6]).state
    refuses(position, "ussr", "research infantry", "this costs 4 and you can spend 0")


def test_16_4_one_marker_from_minus_4_to_plus_4() -> None:
    acting = course(state(influence={"oas": 3}))
    neutrals.shift(acting, "oas", 1)
    neutrals.shift(acting, "oas", 1)
    assert acting.board.influence["oas"] == 4
    neutrals.shift(acting, "oas", -9)
    assert acting.board.influence["oas"] == -4


def test_16_5_of_nato_only_the_uk_works_on_china() -> None:
    line = "spy diplomacy china"
    for power in ("we", "usa"):
        usual, opened = (
            state(power=power, stop="intelligence", spies={power: 1}, variant=variant)
            for variant in (Variant(), Variant(china_any_nato=True))
        )
        refuses(usual, power, line, "of NATO only the United Kingdom may influence China")
        play(opened, power, line)
    play(state(power="uk", stop="intelligence", spies={"uk": 1}), "uk", line)


def test_16_6_only_attacking_submarines_strike_first() -> None:
    """Both hit: the submarine that defends is lost to the attacker's and never fires."""
    position = state(
        "north-sea ussr 1 submarine", "baltic-sea uk 1 submarine", owners={"west-germany": "ussr"}
    )
    position = play(position, "ussr", "move north-sea baltic-sea 1 submarine")
    done = order(position, "ussr", "done", faces=[1])
    assert units(done.state, "baltic-sea") == "ussr 1 submarine"


def test_16_7_a_damaged_battleship_fires_no_more_in_its_attack_but_goes_on_defending() -> None:
    """Both are damaged in the first round; in the second only the attacker's is silent."""
    position = state("baltic-sea ussr 1 battleship 1 cruiser uk 1 battleship")
    position = play(position, "ussr", "attack baltic-sea")
    done = order(position, "ussr", "done", faces=[4, 6, 4, 1, 6])
    rolled = [line.split(":")[0] for line in told(done) if " at " in line and "hits" in line]
    assert rolled.count("USSR, 1 battleship at 4") == 1
    assert rolled.count("USSR, 1 cruiser at 2") == 2
    assert rolled.count("United Kingdom, 1 battleship at 4") == 2
    assert units(done.state, "baltic-sea") == "ussr 1 cruiser 1 battleship"


@pytest.mark.parametrize(
    ("faces", "left"), [([6, 1, 4, 6], "1 heavy-armor"), ([1, 6, 3, 6], "1 armor")]
)
def test_16_8_the_die_says_which_tank_is_lost_to_anti_tank_fire(
    faces: list[int], left: str
) -> None:
    """As chapter 19 has it: nobody chooses, and heavy armor comes first."""
    position = state(
        "east-germany ussr 1 heavy-armor 1 armor",
        "west-germany we 1 infantry 1 aa-gun",
        techs={"we": {"armor": 4}},
    )
    position = play(position, "ussr", "move east-germany west-germany 1 heavy-armor 1 armor")
    done = order(position, "ussr", "done", faces=faces)
    assert units(done.state, "west-germany") == f"ussr {left} 1 aa-gun"


def test_16_9_guns_fire_at_who_flies_over_them_and_the_way_keeps_off_them() -> None:
    placed = ("poland ussr 1 bomber", "west-germany we 1 aa-gun", "france we 1 infantry")
    usual = play(state(*placed), "ussr", "move poland france 1 bomber")
    assert [flight.guns for flight in usual.board.turn.flights] == [()]
    order(usual, "ussr", "done", faces=[4, 6])
    over = "move poland france 1 bomber via west-germany"
    shot = order(play(state(*placed), "ussr", over), "ussr", "done", faces=[1])
    assert units(shot.state, "france") == "we 1 infantry"
    agreed = state(*placed, variant=Variant(aa_overflight=False))
    assert not told(order(play(agreed, "ussr", over), "ussr", "done", faces=[4, 6]))[0].count(
        "fire"
    )


def test_16_10_no_levy_in_a_land_captured_in_this_turn() -> None:
    position = state("poland ussr 1 infantry", cash={"ussr": 20}, hand={"ussr": {"infantry": 9}})
    position = play(position, "ussr", "move poland west-germany 1 infantry", "done", faces=[])
    assert owner(position, "west-germany") == "ussr"
    refuses(
        position,
        "ussr",
        "place west-germany 1 infantry",
        room("West Germany", 0, 0),
    )


def test_16_11_ground_units_may_enter_a_land_captured_in_this_turn() -> None:
    position = state("poland ussr 2 infantry")
    position = play(position, "ussr", "move poland west-germany 1 infantry", "done", faces=[])
    position = play(position, "ussr", "move poland west-germany 1 infantry")
    assert units(position, "west-germany") == "ussr 2 infantry"


def test_16_12_a_space_is_not_attacked_with_and_without_bombs_in_one_turn() -> None:
    position = state(
        "poland ussr 1 bomber 1 atomic-bomb 2 infantry",
        "west-germany we 6 infantry",
        techs={"ussr": {"nuclear": 2}},
    )
    bombed = play(position, "ussr", "strike poland west-germany")
    refuses(
        bombed,
        "ussr",
        "move poland west-germany 2 infantry",
        "West Germany is the target of a bomb in this turn",
    )
    attacked = play(position, "ussr", "move poland west-germany 2 infantry")
    refuses(
        attacked,
        "ussr",
        "strike poland west-germany",
        "West Germany is attacked conventionally in this turn; one or the other",
    )


@pytest.mark.parametrize(
    ("faces", "left", "arab"),
    [
        ([1, 3, 6], "", 1),
        ([1, 2], "ussr 5 infantry", 0),
        ([4, 5], "ussr 5 infantry", 0),
        ([3, 4, 6], "", 0),
    ],
)
def test_16_13_a_protest_does_not_stop_the_attack_universities_and_duds_do(
    faces: list[int], left: str, arab: int
) -> None:
    position = state(
        "west-germany usa 1 bomber 1 atomic-bomb",
        "poland ussr 5 infantry",
        power="usa",
        techs={"usa": {"nuclear": 2}},
    )
    position = play(position, "usa", "strike west-germany poland", "done", faces=faces)
    assert units(position, "poland", "ussr") == left.removeprefix("ussr ")
    assert position.board.influence["arab"] == arab


def test_16_14_a_bombed_land_is_worth_less_until_the_attackers_next_turn() -> None:
    fallout = (Fallout("france", 1, USSR),)
    position = state(power="usa", stop="logistics", fallout=fallout)
    assert queries.value(position.board, "france") == 4
    position = play(position, "usa", "done", faces=[])
    assert position.board.turn.power == USSR
    assert queries.value(position.board, "france") == 5


def test_16_15_aircraft_under_emp_defend_as_usual_and_do_not_move() -> None:
    position = state(
        "poland ussr 1 bomber 1 atomic-bomb",
        "france we 5 infantry 1 fighter",
        techs={"ussr": {"nuclear": 2}},
    )
    position = play(position, "ussr", "strike poland france", "done", faces=[3, 4, 6])
    assert units(position, "france", "we") == "1 fighter"
    (stunned,) = [group for group in position.board.at("france") if group.owner == "we"]
    position = play(position, "ussr", "done")
    position = play(position, "we", "done", faces=[])
    refuses(
        play(position, "we", "done"),
        "we",
        "move france italy 1 fighter",
        "of the fighters in France only 0 can move now, not 1",
    )
    attacked = state("east-germany ussr 1 infantry")
    attacked = replace(
        attacked,
        board=replace(attacked.board, units={**attacked.board.units, "west-germany": (stunned,)}),
    )
    attacked = play(attacked, "ussr", "move east-germany west-germany 1 infantry")
    done = order(attacked, "ussr", "done", faces=[6, 4])
    assert "Western Europe, 1 fighter at 4: 4, hits: 1" in told(done)


def test_16_16_the_price_of_a_hydrogen_bomb() -> None:
    known: dict[str, dict[Category, int]] = {"ussr": {"nuclear": 6}}
    assert queries.price(board(techs=known), USSR, "hydrogen-bomb") == 20
    winter = board(techs=known, variant=Variant(nuclear_winter=True))
    assert queries.price(winter, USSR, "hydrogen-bomb") == 10
    assert queries.price(winter, USSR, "atomic-bomb") == 6


def test_16_17_guns_are_no_losses_of_a_bomb() -> None:
    position = state(
        "poland ussr 1 bomber 1 atomic-bomb",
        "west-germany we 2 infantry 1 aa-gun",
        techs={"ussr": {"nuclear": 2}},
    )
    position = play(position, "ussr", "strike poland west-germany")
    position = play(position, "ussr", "done", faces=[3, 4, 6, 6])
    assert units(position, "west-germany", "we") == "1 aa-gun"


def test_16_18_a_stored_bomb_explodes_on_a_1_without_a_chain() -> None:
    position = state(
        "poland ussr 1 bomber 1 atomic-bomb",
        "west-germany usa 12 infantry 2 atomic-bomb",
        techs={"ussr": {"nuclear": 2}},
    )
    position = play(position, "ussr", "strike poland west-germany")
    position = play(position, "ussr", "done", faces=[3, 4, 1, 6, 6])
    assert units(position, "west-germany", "usa") == "2 infantry 1 atomic-bomb"


def test_16_19_an_attacked_alliance_changes_sides_after_the_last_battle() -> None:
    """Western Europe is asked in the battle after that of Iraq; until then all is as it was."""
    position = state(
        "turkey ussr 1 infantry",
        "iraq arab 2 infantry",
        "east-germany ussr 2 infantry",
        "west-germany we 1 infantry 1 armor",
        owners={"turkey": "ussr"},
        standing={"we": Standing(asks=("west-germany",))},
    )
    position = play(
        position,
        "ussr",
        "move turkey iraq 1 infantry",
        "move east-germany west-germany 2 infantry",
    )
    asked = play(position, "ussr", "done", faces=[6, 2, 6, 1, 6])
    assert waiting(asked) == WE
    assert units(asked, "iraq") == "arab 2 infantry"
    assert {owner(asked, land) for land in atlas().members("arab")} == {"arab"}
    assert asked.board.influence["arab"] == 0
    over = play(asked, "we", "lose infantry", faces=[2, 2])
    assert {owner(over, land) for land in atlas().members("arab")} == {"we"}
    assert units(over, "iraq") == "we 2 infantry"


@pytest.mark.parametrize("alliance", ["china", "arab", "oas"])
def test_16_20_who_receives_an_alliance_that_the_ussr_attacks(alliance: str) -> None:
    land = atlas().members(alliance)[0]
    acting = course(state(turn={"attacked": (land,)}))
    neutrals.after_combat(acting)
    expected = {"china": "uk", "arab": "we", "oas": "usa"}[alliance]
    assert {owner(acting.board, member) for member in atlas().members(alliance)} == {expected}


def test_16_21_neutrals_are_not_flown_over() -> None:
    """Sweden and Finland lie between Karelia and Norway."""
    position = state("finland neutral 1 infantry", "karelia ussr 1 fighter", "norway we 1 infantry")
    after = play(position, "ussr", "move karelia norway 1 fighter")
    (group,) = [g for g in after.board.at("norway") if g.kind == "fighter"]
    assert group.used >= atlas().distances(["karelia"])["norway"]
    refuses(
        position,
        "ussr",
        "move karelia norway 1 fighter via finland",
        "fighter: Finland is neutral; nobody flies over it",
    )


def test_16_22_manchuria_is_cut_to_11() -> None:
    acting = course(
        state("north-korea china 6 infantry", "manchuria china 9 infantry", influence={"china": 2})
    )
    neutrals.shift(acting, "china", -1)
    assert units(acting.board, "manchuria") == "china 11 infantry"


@pytest.mark.parametrize(
    ("owners", "is_open"),
    [
        ({"egypt": "uk", "jordan": "ussr"}, False),
        ({"egypt": "ussr", "jordan": "ussr"}, True),
        ({"egypt": "uk", "jordan": "uk"}, False),
    ],
)
def test_16_23_suez_with_its_lands_on_different_sides_is_closed(
    owners: dict[str, str], is_open: bool
) -> None:
    others = dict.fromkeys(["iraq", "syria", "saudi-arabia"], "we")
    position = state("red-sea ussr 1 cruiser", stop="logistics", owners={**others, **owners})
    influence = {key: at for key, at in position.board.influence.items() if key != "arab"}
    acting = course(position)
    acting.update(influence=influence)
    line = "move red-sea cyprus-sea-zone 1 cruiser"
    if is_open:
        play(acting.state, "ussr", line)
    else:
        refuses(
            acting.state,
            "ussr",
            line,
            "cruiser: no passage through the Suez Canal; your side must have held Egypt and"
            " Jordan since the turn began",
        )


@pytest.mark.parametrize("holder", ["usa", "ussr"])
def test_16_24_panama_is_open_to_who_holds_it(holder: str) -> None:
    position = state(
        "caribbean-sea uk 1 cruiser", power="uk", stop="logistics", owners={"panama": holder}
    )
    line = "move caribbean-sea colombia-sea-zone 1 cruiser"
    if holder == "usa":
        play(position, "uk", line)
    else:
        refuses(
            position,
            "uk",
            line,
            "cruiser: no passage through the Panama Canal; your side must have held Panama "
            "since the turn began",
        )


def test_16_25_cyprus_is_simply_taken_by_a_soviet_landing_or_won_by_a_spy() -> None:
    assert atlas().spaces["cyprus"].owner == MINOR
    assert atlas().spaces["cyprus"].value == 0
    position = state("cyprus-sea-zone ussr 1 transport[1 infantry]")
    position = play(position, "ussr", "land cyprus-sea-zone cyprus 1 infantry", "done", faces=[])
    assert owner(position, "cyprus") == "ussr"
    spying = state(power="we", stop="intelligence", spies={"we": 1})
    spying = play(spying, "we", "spy diplomacy cyprus", "done", faces=[1])
    assert owner(spying, "cyprus") == "we"


def test_16_26_submarines_alone_stop_ships_unless_agreed_otherwise() -> None:
    placed = ("north-sea uk 1 cruiser", "iceland-sea-zone ussr 1 submarine")
    line = "move north-sea north-atlantic-1 1 cruiser"
    way = atlas().distances(["north-sea"])["north-atlantic-1"]
    stopping = state(*placed, power="uk", stop="logistics")
    passing = state(*placed, power="uk", stop="logistics", variant=Variant(ignore_subs=True))
    assert "iceland-sea-zone" not in words(stopping, "uk", "move", "north-sea")
    assert "iceland-sea-zone" in words(passing, "uk", "move", "north-sea")
    assert way >= 1 and line


def test_16_27_ships_beside_enemies_may_leave_or_attack_and_need_not() -> None:
    position = state("north-sea uk 1 cruiser ussr 1 submarine", power="uk")
    assert "attack" in words(position, "uk")
    quiet = play(position, "uk", "done", faces=[])
    assert units(quiet, "north-sea") == "uk 1 cruiser ussr 1 submarine"
    left = play(quiet, "uk", "move north-sea irish-sea 1 cruiser")
    assert units(left, "irish-sea") == "uk 1 cruiser"


def test_16_28_the_zone_of_the_carrier_counts_unless_agreed_otherwise() -> None:
    placed = ("irish-sea we 1 carrier", "west-germany we 1 fighter*3")
    line = "move west-germany irish-sea 1 fighter"
    assert atlas().distances(["west-germany"])["irish-sea"] == 2
    refuses(
        state(*placed, power="we", stop="logistics"),
        "we",
        line,
        "fighter: no way from West Germany to Irish Sea with one movement point",
    )
    agreed = Variant(carrier_zone_free=True)
    position = play(state(*placed, power="we", stop="logistics", variant=agreed), "we", line)
    assert units(position, "irish-sea") == "we 1 fighter 1 carrier"


def test_16_29_purchases_that_find_no_place_are_kept() -> None:
    position = state(stop="logistics", hand={"ussr": {"cruiser": 30}})
    position = play(position, "ussr", "done", faces=[])
    assert 0 < position.board.powers[USSR].hand["cruiser"] < 30


def test_16_30_soviet_troops_inside_an_alliance_attack_from_within() -> None:
    position = state(
        "sinkiang ussr 2 armor china 1 infantry",
        "manchuria china 3 infantry",
        influence={"china": 2},
    )
    position = play(position, "ussr", "attack sinkiang", "done", faces=[1, 1, 6])
    assert owner(position, "sinkiang") == "ussr"
    assert owner(position, "manchuria") == "uk"


def test_16_31_the_income_of_the_victory_of_90_is_that_of_the_moment() -> None:
    lands = [land for land in atlas().lands if atlas().spaces[land].owner in ("we", "uk")]
    position = state(power="usa", stop="logistics", owners=dict.fromkeys(lands, "ussr"))
    assert income(position, "ussr") >= 90
    done = order(position, "usa", "done", faces=[])
    outcome = GAME.outcome(done.state)
    assert outcome is not None
    assert outcome.winners == (USSR,)


def test_16_32_special_forces_ride_on_ships_as_infantry_and_are_not_dropped() -> None:
    position = state(
        "france we 3 special-forces 1 bomber",
        "bay-of-biscay we 1 transport",
        "east-germany ussr 1 infantry",
        power="we",
        stop="logistics",
        techs={"we": {"infantry": 2}},
    )
    play(position, "we", "load france bay-of-biscay 2 special-forces")
    refuses(
        position,
        "we",
        "load france bay-of-biscay 3 special-forces",
        "the ships of Western Europe in Bay of Biscay have no room for all of that",
    )
    dropping = state("france we 1 special-forces 1 bomber", "poland ussr 1 infantry", power="we")
    assert "drop" not in words(dropping, "we")


def test_16_33_a_missile_flies_over_three_spaces_of_any_kind() -> None:
    """From India to Russia there is no way of three spaces but over neutrals."""
    position = state(
        "india uk 1 aa-gun 1 atomic-bomb",
        "russia ussr 5 infantry",
        "poland ussr 1 infantry",
        power="uk",
        techs={"uk": {"nuclear": 4}},
    )
    near_russia = {key for key, far in atlas().distances(["russia"]).items() if far <= 2}
    assert near_russia & {*atlas().neighbours["india"]} == {"sinkiang"}
    assert queries.is_neutral(position.board, "sinkiang")
    refuses(position, "uk", "strike india poland missile", "a missile flies 3 spaces at most")
    position = play(position, "uk", "strike india russia missile", "done", faces=[3, 4])
    assert units(position, "russia") == ""


def test_16_34_the_own_side_is_not_bombed() -> None:
    position = state(
        "west-germany usa 1 bomber 1 atomic-bomb",
        "france we 1 infantry",
        power="usa",
        techs={"usa": {"nuclear": 2}},
    )
    refuses(
        position,
        "usa",
        "strike west-germany france",
        "France is no target: it must be held or occupied by the enemy, or be a neutral"
        " that you may attack",
    )
    refuses(
        position,
        "usa",
        "strike west-germany italy",
        "Italy is no target: it must be held or occupied by the enemy, or be a neutral "
        "that you may attack",
    )


def test_16_35_a_gift_is_taken_before_the_rolls_once_for_each_step() -> None:
    position = state(
        power="uk",
        stop="intelligence",
        techs={"we": {"ship": 2}},
        firsts={"ship 1": WE},
    )
    position = play(position, "uk", "accept ship", "done", faces=[])
    assert position.board.powers[UK].research["ship"] == 1
    assert [line for line in lines(position, "uk") if line.startswith("accept")] == []


def test_16_36_without_a_name_the_richest_power_with_a_spy_is_hunted() -> None:
    position = state(stop="intelligence", spies={"ussr": 1, "we": 1, "usa": 1})
    done = order(play(position, "ussr", "spy counter"), "ussr", "done", faces=[1, 6])
    assert done.state.board.powers[USA].spies == 0
    assert done.state.board.powers[WE].spies == 1
    assert told(done)


def test_16_37_the_uk_begins_with_one_battleship() -> None:
    fleet = [units(new_match(), zone, "uk") for zone in atlas().spaces]
    assert sum("battleship" in there for there in fleet) == 1
    assert units(new_match(), "irish-sea") == "uk 1 submarine 1 cruiser 1 battleship"


def test_16_38_fleets_lie_where_the_table_puts_them() -> None:
    position = new_match()
    for power, spaces in atlas().forces.items():
        for space, numbers in spaces.items():
            there = units(position, space, power)
            assert all(f"{count} {kind}" in there for kind, count in numbers.items())
