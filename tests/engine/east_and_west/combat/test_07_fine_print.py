"""Chapter 7 to the letter: exact numbers, who exactly is lost, what dice are for, what is said."""

from __future__ import annotations

import pytest

from engine.core import Seat
from engine.east_and_west.battle import Loss
from engine.east_and_west.board import Flight, Group, Landing, Load, Luck
from engine.east_and_west.combat import casualties, lineup
from engine.east_and_west.standing import Diving, Plan, Standing, Target
from tests.engine.east_and_west.battles import answered, at_war, fought, question, raided
from tests.engine.east_and_west.kit import (
    Script,
    board,
    course,
    groups,
    marked,
    order,
    owner,
    state,
    told,
    units,
)

WEST = "west-germany"
ANTI_TANK = {"we": {"armor": 4}}
"""Western Europe knows anti-tank fire; 7.5."""


# --- 8.11: landings -------------------------------------------------------------------------------


def test_8_11_only_as_many_come_ashore_as_were_to() -> None:
    war = at_war(
        "baltic-sea ussr 2 transport[2 infantry]",
        "west-germany we 1 infantry",
        at=WEST,
        landings=("baltic-sea",),
        turn={"landings": (Landing("baltic-sea", WEST, (Load("ussr", "infantry", 3),)),)},
    )
    done = fought(war, [1, 6, 6, 6])
    assert units(done.state, WEST) == "ussr 3 infantry"
    assert marked(done.state, "baltic-sea") == [
        Group("ussr", "transport", 1, marks=("spent",)),
        Group("ussr", "transport", 1, marks=("spent",), cargo=(Load("ussr", "infantry", 1),)),
    ]


def test_8_11_what_else_is_on_board_stays_there() -> None:
    war = at_war(
        "baltic-sea ussr 1 large-transport[2 infantry+1 armor]",
        "west-germany we 1 infantry",
        at=WEST,
        landings=("baltic-sea",),
        turn={"landings": (Landing("baltic-sea", WEST, (Load("ussr", "armor", 1),)),)},
    )
    done = fought(war, [3, 6])
    assert units(done.state, WEST) == "ussr 1 armor"
    assert marked(done.state, "baltic-sea") == [
        Group("ussr", "large-transport", 1, marks=("spent",), cargo=(Load("ussr", "infantry", 2),))
    ]


def test_8_11_a_ship_that_lands_nobody_is_free_to_move() -> None:
    war = at_war(
        "baltic-sea ussr 3 transport[1 infantry]",
        "west-germany we 1 infantry",
        at=WEST,
        landings=("baltic-sea",),
        turn={"landings": (Landing("baltic-sea", WEST, (Load("ussr", "infantry", 1),)),)},
    )
    done = fought(war, [1, 6])
    assert marked(done.state, "baltic-sea") == [
        Group("ussr", "transport", 1, marks=("spent",)),
        Group("ussr", "transport", 2, cargo=(Load("ussr", "infantry", 1),)),
    ]


def test_8_11_who_is_left_lands_when_others_have_sunk() -> None:
    war = at_war(
        "baltic-sea ussr 1 transport[2 infantry]",
        "west-germany we 1 infantry",
        at=WEST,
        landings=("baltic-sea",),
        turn={"landings": (Landing("baltic-sea", WEST, (Load("ussr", "infantry", 4),)),)},
    )
    assert units(fought(war, [1, 6, 6]).state, WEST) == "ussr 2 infantry"


# --- 7.10: submarines -----------------------------------------------------------------------------


def test_7_10_attacking_submarines_that_retreat_are_spent_and_attack_no_more() -> None:
    war = at_war(
        "north-sea uk 2 cruiser ussr 1 submarine*1!attacking 2 submarine!attacking",
        at="north-sea",
        plan=Plan(submarines=Diving("retreat", zone="barents-sea")),
    )
    done = fought(war, [6, 6, 6, 6, 6])
    assert marked(done.state, "barents-sea") == [
        Group("ussr", "submarine", 1, used=2, marks=("spent",)),
        Group("ussr", "submarine", 2, marks=("spent",)),
    ]
    assert told(done)[-3:-1] == [
        "USSR: 1 submarine retreats to Barents Sea",
        "USSR: 2 submarines retreat to Barents Sea",
    ]


def test_7_10_defending_submarines_that_retreat_are_free_in_their_own_turn() -> None:
    war = at_war(
        "north-sea uk 2 submarine ussr 2 cruiser!attacking",
        at="north-sea",
        standing={"uk": Standing(submarines={"": Diving("retreat", zone="irish-sea")})},
    )
    done = fought(war, [6, 6, 6, 6])
    assert marked(done.state, "irish-sea") == [Group("uk", "submarine", 2)]
    assert "United Kingdom: 2 submarines retreat to Irish Sea" in told(done)


def test_7_10_submerged_submarines_have_left_the_battle() -> None:
    war = at_war(
        "north-sea uk 1 cruiser ussr 2 submarine!attacking",
        at="north-sea",
        plan=Plan(submarines=Diving("submerge-alone")),
    )
    done = fought(war, [6, 6, 6])
    assert [(g.kind, g.marks) for g in marked(done.state, "north-sea") if g.owner == "ussr"] == [
        ("submarine", ("spent", "submerged"))
    ]


def test_7_10_attacking_submarines_are_not_alone_beside_a_cruiser() -> None:
    war = at_war(
        "north-sea uk 1 cruiser ussr 1 submarine!attacking 1 cruiser!attacking",
        at="north-sea",
        plan=Plan(submarines=Diving("submerge-alone"), after=1, to="barents-sea"),
        entries=("barents-sea",),
    )
    done = fought(war, [6, 6, 6])
    assert units(done.state, "barents-sea") == "ussr 1 submarine 1 cruiser"


def test_7_6_a_submerged_submarine_does_not_bombard() -> None:
    war = at_war(
        "baltic-sea ussr 1 transport 1 submarine!submerged",
        "west-germany we 1 infantry ussr 1 infantry!attacking!landed!spent",
        at=WEST,
        landings=("baltic-sea",),
        techs={"ussr": {"submarine": 6}},
    )
    done = fought(war, [1, 6])
    assert units(done.state, WEST) == "ussr 1 infantry"


# --- 7.4, 7.5: guns -------------------------------------------------------------------------------


def test_7_4_with_a_bomber_the_infantry_it_carries_is_lost_and_no_other() -> None:
    war = at_war(
        "west-germany we 1 infantry 1 aa-gun ussr 1 bomber*1!attacking!carrying"
        " 1 infantry!attacking!dropped!spent 1 infantry*1!attacking",
        at=WEST,
    )
    done = fought(war, [1, 1, 6])
    assert told(done)[1:4] == [
        "Western Europe, anti-aircraft fire at 1 in West Germany: 1, hits: 1",
        "USSR loses 1 infantry",
        "USSR loses 1 bomber",
    ]
    assert Group("ussr", "infantry", 1, used=1) in marked(done.state, WEST)


def test_7_4_of_equal_aircraft_one_that_carries_nobody_is_lost_first() -> None:
    war = at_war(
        "west-germany we 1 infantry 1 aa-gun ussr 1 bomber*1!attacking!carrying"
        " 1 bomber*2!attacking 1 infantry!attacking!dropped!spent",
        at=WEST,
    )
    done = fought(war, [1, 6, 1, 6])
    assert marked(done.state, WEST) == [
        Group("ussr", "aa-gun", marks=("spent",)),
        Group("ussr", "bomber", used=1),
        Group("ussr", "infantry", marks=("spent",)),
    ]


def test_7_5_a_hit_destroys_one_unit() -> None:
    war = at_war(
        "west-germany we 1 infantry 1 aa-gun ussr 3 heavy-armor!attacking 2 armor!attacking",
        at=WEST,
        techs=ANTI_TANK,
    )
    done = fought(war, [1, 6, 1, 6, 1, 1, 6, 6])
    assert told(done)[1:3] == [
        "Western Europe, anti-tank fire at 1 on 3 heavy armor, 2 armor in this order:"
        " 1 6 1 6 1, hits: 3",
        "USSR loses 2 heavy armor, 1 armor",
    ]
    assert units(done.state, WEST, "ussr") == "1 armor 1 heavy-armor 1 aa-gun"


def test_7_5_anti_tank_dice_are_in_the_books() -> None:
    war = at_war(
        "west-germany we 1 aa-gun 1 infantry ussr 3 armor!attacking", at=WEST, techs=ANTI_TANK
    )
    done = fought(war, [1, 6, 6, 3, 6, 6])
    luck = done.state.board.powers[Seat("we")].luck
    assert luck == Luck(dice=4, hits=1, expected=0.833333, value=5, expected_value=1.666667)


def test_7_4_14_3_the_owner_of_the_land_fires_though_an_ally_has_more_guns() -> None:
    war = at_war(
        "west-germany we 1 infantry 1 aa-gun uk 2 aa-gun ussr 1 fighter!attacking", at=WEST
    )
    done = fought(war, [6, 3, 6])
    assert told(done)[1] == "Western Europe, anti-aircraft fire at 1 in West Germany: 6, hits: 0"


@pytest.mark.parametrize(
    ("wish", "flying", "rolling", "is_armour"),
    [
        ("number", "2 fighter*1!attacking", "1 heavy-armor!attacking", False),
        ("number", "1 fighter*1!attacking", "1 heavy-armor!attacking", False),
        ("number", "1 fighter*1!attacking", "2 armor!attacking", True),
        ("value", "1 fighter*1!attacking", "2 heavy-armor!attacking", True),
        ("value", "1 bomber*1!attacking", "3 armor!attacking", False),
    ],
)
def test_14_2_3_what_the_guns_shoot_at(
    wish: Target, flying: str, rolling: str, is_armour: bool
) -> None:
    """Among equals, and three armor are worth a bomber, it is the aircraft."""
    position = state(f"{WEST} we 1 infantry 1 aa-gun ussr {flying} {rolling}", techs=ANTI_TANK)
    target = lineup.salvo(position.board, "ussr", WEST, wish)
    assert target == ("armor" if is_armour else "aircraft")


def test_14_2_3_the_owner_of_the_land_says_it_though_an_ally_has_more_guns() -> None:
    position = state("west-germany we 1 aa-gun uk 2 aa-gun")
    assert lineup.gunner(position.board, "ussr", WEST) == "we"


# --- 7.6: bombardment -----------------------------------------------------------------------------


def test_7_6_ships_of_a_quiet_zone_bombard_though_those_of_another_fought() -> None:
    war = at_war(
        "baltic-sea ussr 1 transport 1 cruiser",
        "north-sea ussr 1 transport 1 battleship",
        "west-germany we 2 infantry ussr 1 infantry!attacking!landed!spent",
        at=WEST,
        landings=("baltic-sea", "north-sea"),
        turn={"fought": ("baltic-sea",)},
    )
    done = fought(war, [1, 1, 6])
    assert told(done)[1:3] == [
        "Bombardment of West Germany",
        "USSR, 1 battleship at 4: 1, hits: 1",
    ]
    assert not [line for line in told(done) if "cruiser" in line]


# --- 7.8: losses ----------------------------------------------------------------------------------


def test_14_2_1_against_ground_units_the_last_of_the_ground_is_not_kept() -> None:
    war = at_war("west-germany we 1 infantry 1 fighter ussr 1 armor!attacking", at=WEST)
    done = fought(war, [3, 6, 1])
    assert units(done.state, WEST) == "we 1 fighter"


def test_6_9_a_damaged_battleship_is_the_first_to_sink() -> None:
    run = course(state("north-sea uk 1 battleship 1 battleship!damaged"))
    casualties.strike_off(run, "north-sea", [Loss("uk", "battleship")], lambda group: True)
    assert marked(run.state, "north-sea") == [Group("uk", "battleship")]


def test_6_9_damage_goes_to_a_sound_battleship() -> None:
    run = course(state("north-sea uk 1 battleship 1 battleship!damaged"))
    damage = Loss("uk", "battleship", is_damage=True)
    casualties.strike_off(run, "north-sea", [damage], lambda group: True)
    assert marked(run.state, "north-sea") == [Group("uk", "battleship", 2, marks=("damaged",))]


@pytest.mark.parametrize(
    ("fleet", "hits", "is_choice"),
    [
        ("1 infantry 1 armor", 1, True),
        ("1 infantry 1 armor", 2, False),
        ("1 infantry 1 armor", 0, False),
        ("2 infantry", 1, False),
        ("1 battleship", 1, False),
        ("1 battleship 1 transport", 1, True),
        ("1 battleship 1 transport", 2, True),
        ("1 battleship!damaged 1 battleship", 1, True),
        ("2 battleship", 1, False),
        ("2 battleship", 2, True),
    ],
)
def test_14_5_when_there_is_anything_to_choose(fleet: str, hits: int, is_choice: bool) -> None:
    losses = casualties.in_order(board(), groups(f"north-sea uk {fleet}")[1])
    assert casualties.has_choice(losses, hits) is is_choice


# --- 7.9: retreat ---------------------------------------------------------------------------------


def test_7_9_a_retreat_is_told() -> None:
    war = at_war(
        "west-germany we 3 infantry ussr 2 infantry!attacking",
        at=WEST,
        entries=("poland",),
        plan=Plan(after=1),
    )
    assert told(fought(war, [6, 6, 6, 6, 6]))[-2] == "USSR retreats to Poland"


def test_7_9_aircraft_leave_and_the_others_fight_on_until_hits_fit_nobody() -> None:
    war = at_war(
        "west-germany we 3 infantry ussr 1 fighter*1!attacking 1 infantry!attacking!landed!spent",
        at=WEST,
        landings=("baltic-sea",),
        plan=Plan(after=1, air_leaves=True),
    )
    done = fought(war, [6, 6, 6, 6, 6, 6, 1, 1, 1])
    assert told(done)[5:10] == [
        "USSR: the aircraft leave the battle",
        "West Germany, round 2",
        "USSR, 1 infantry at 1: 6, hits: 0",
        "Western Europe, 3 infantry at 2: 1 1 1, hits: 3",
        "2 hits fit no unit",
    ]
    assert marked(done.state, WEST)[0] == Group("ussr", "fighter", used=1)


def test_7_9_paratroops_that_retreat_are_infantry_again() -> None:
    war = at_war(
        "west-germany we 3 infantry ussr 1 infantry!attacking!dropped!spent 1 infantry*1!attacking",
        at=WEST,
        entries=("poland",),
        plan=Plan(after=1, asks=True),
    )
    rest = answered(fought(war, [6, 6, 6, 6, 6]).state, "retreat poland")
    assert marked(rest.state, "poland") == [
        Group("ussr", "infantry", marks=("spent",)),
        Group("ussr", "infantry", used=1, marks=("spent",)),
    ]


def test_7_9_whoever_is_asked_is_told_all_ways_out() -> None:
    war = at_war(
        "west-germany we 3 infantry ussr 2 infantry!attacking",
        at=WEST,
        entries=("poland", "east-germany"),
        plan=Plan(asks=True),
    )
    asked = question(fought(war, [6, 6, 6, 6, 6]).state)
    assert (asked.kind, asked.seat, asked.space) == ("retreat", "ussr", WEST)
    assert asked.data == {"ways": ("poland", "east-germany")}


# --- 7.11: capture --------------------------------------------------------------------------------


def test_6_5_a_gun_that_was_the_conquerors_already_is_not_captured() -> None:
    """16.30: a guest attacks his hosts; his gun may still move."""
    war = at_war(
        "syria arab 1 infantry 1 aa-gun ussr 1 aa-gun 1 armor!attacking",
        at="syria",
        turn={"attacked": ("syria",)},
    )
    done = fought(war, [3, 6])
    assert owner(done.state, "syria") == "ussr"
    assert [group for group in marked(done.state, "syria") if group.kind == "aa-gun"] == [
        Group("ussr", "aa-gun"),
        Group("ussr", "aa-gun", marks=("spent",)),
    ]


# --- 7.4: overflight ------------------------------------------------------------------------------


def test_7_4_each_flight_faces_the_guns_of_its_own_way() -> None:
    war = at_war(
        "france we 1 infantry ussr 1 fighter*3!attacking 1 bomber*3!attacking",
        "west-germany we 1 aa-gun",
        "italy we 1 aa-gun",
        at="france",
        turn={
            "flights": (
                Flight("fighter", 1, "france", ("west-germany",), "poland"),
                Flight("bomber", 1, "france", ("italy",), "yugoslavia"),
            )
        },
    )
    done = fought(war, [6, 1, 3, 6])
    assert told(done)[:3] == [
        "Western Europe, anti-aircraft fire at 1 in West Germany: 6, hits: 0",
        "Western Europe, anti-aircraft fire at 1 in Italy: 1, hits: 1",
        "USSR loses 1 bomber",
    ]


def test_7_4_a_gun_that_is_gone_lets_pass_and_the_next_one_fires() -> None:
    war = at_war(
        "france we 1 infantry ussr 3 fighter*3!attacking",
        "italy we 1 aa-gun",
        "switzerland we 1 aa-gun",
        at="france",
        turn={
            "flights": (
                Flight("fighter", 3, "france", ("west-germany", "italy", "switzerland"), "poland"),
            )
        },
        owners={"switzerland": "we"},
    )
    done = fought(war, [1, 1, 6, 6, 3, 6])
    assert told(done)[:4] == [
        "Western Europe, anti-aircraft fire at 1 in Italy: 1 1 6, hits: 2",
        "USSR loses 2 fighters",
        "Western Europe, anti-aircraft fire at 1 in Switzerland: 6, hits: 0",
        "Battle of France: USSR attacks with 1 fighter against 1 infantry",
    ]


def test_7_4_who_was_missed_is_shot_at_again() -> None:
    war = at_war(
        "france we 1 infantry ussr 3 fighter*3!attacking",
        "west-germany we 1 aa-gun",
        "italy we 1 aa-gun",
        at="france",
        turn={"flights": (Flight("fighter", 3, "france", ("west-germany", "italy"), "poland"),)},
    )
    done = fought(war, [6, 6, 6, 1, 6, 6, 3, 3, 6])
    assert told(done)[:2] == [
        "Western Europe, anti-aircraft fire at 1 in West Germany: 6 6 6, hits: 0",
        "Western Europe, anti-aircraft fire at 1 in Italy: 1 6 6, hits: 1",
    ]


def test_7_4_when_all_are_lost_nobody_shoots_any_more() -> None:
    war = at_war(
        "france we 1 infantry ussr 1 fighter*3!attacking",
        "west-germany we 1 aa-gun",
        "italy we 1 aa-gun",
        at="france",
        turn={"flights": (Flight("fighter", 1, "france", ("west-germany", "italy"), "poland"),)},
    )
    done = fought(war, [1])
    assert units(done.state, "france") == "we 1 infantry"


def test_7_4_raiders_and_fighters_over_one_land_are_shot_at_apart() -> None:
    war = at_war(
        "france we 1 infantry ussr 1 bomber*3!attacking 1 bomber*2!raiding",
        "west-germany we 1 aa-gun",
        at="france",
        turn={
            "raids": ("france",),
            "flights": (Flight("bomber", 1, "france", ("west-germany",), "poland", "raiding"),),
        },
    )
    done = fought(war, [1, 4, 6])
    assert marked(done.state, "france") == [Group("ussr", "bomber", 1, used=3)]


# --- 7.14: raids ----------------------------------------------------------------------------------


def test_7_14_a_raid_from_its_first_word_to_its_last() -> None:
    position = raided("france", "france we 1 aa-gun ussr 3 bomber*2!raiding")
    done = fought(position, [1, 6, 6, 4, 5])
    assert told(done) == [
        "USSR bombs the factory in France",
        "Western Europe, anti-aircraft fire at 1 in France: 1 6 6, hits: 1",
        "USSR loses 1 bomber",
        "Bombs on the factory in France: 4 5; Western Europe pays 9",
    ]
    luck = done.state.board.powers[Seat("we")].luck
    assert luck == Luck(dice=3, hits=1, expected=0.5, value=15)


def test_7_14_no_bomber_left_no_damage() -> None:
    position = raided("france", "france we 1 aa-gun ussr 1 bomber*2!raiding")
    assert told(fought(position, [1]))[-1] == "USSR loses 1 bomber"


def test_7_14_without_a_factory_there_is_nothing_to_pay() -> None:
    position = raided("france", "france we 1 infantry ussr 1 bomber*2!raiding", factories=())
    assert told(fought(position, [])) == ["USSR bombs the factory in France"]


# --- 14.6: what dice are for ----------------------------------------------------------------------


def test_14_6_every_roll_says_what_it_is_for() -> None:
    war = at_war(
        "west-germany we 1 infantry 1 aa-gun ussr 1 armor!attacking",
        "norway we 1 infantry 1 aa-gun ussr 1 fighter!attacking",
        "italy we 1 aa-gun ussr 1 bomber*2!raiding",
        at="west-germany norway",
        techs=ANTI_TANK,
        turn={"raids": ("italy",)},
    )
    dice = Script([6, 4, 6, 3, 6, 6, 1, 6])
    order(war, "ussr", "done", dice=dice)
    assert [why for why, _ in dice.asked] == [
        "turn 1: raid italy guns",
        "turn 1: raid italy",
        "turn 1: battle norway guns",
        "turn 1: battle norway 1 attack",
        "turn 1: battle norway 1 defence",
        "turn 1: battle west-germany guns",
        "turn 1: battle west-germany 1 attack",
        "turn 1: battle west-germany 1 defence",
    ]
