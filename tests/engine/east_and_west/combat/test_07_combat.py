"""Chapter 7: the order of battles, salvoes, bombardment, rounds, the end, capture, raids."""

from __future__ import annotations

from typing import Any

import pytest

from engine.core import Language, Seat
from engine.east_and_west.board import Flight, Group, Load, Variant
from engine.east_and_west.movement.conquest import capture
from engine.east_and_west.standing import Plan, Standing, Target
from engine.east_and_west.state import State
from tests.engine.east_and_west.battles import at_war, fought, is_over, landing, raided
from tests.engine.east_and_west.kit import (
    GAME,
    cash,
    course,
    marked,
    order,
    owner,
    play,
    state,
    told,
    units,
)

WEST = "west-germany"


# --- 7.1, 7.2: which battles ----------------------------------------------------------------------


def test_7_1_raids_before_sea_battles_before_land_battles() -> None:
    war = at_war(
        "france we 1 infantry ussr 1 bomber*2!raiding",
        "west-germany we 1 infantry ussr 1 armor!attacking",
        "italy-sea-zone we 1 transport ussr 1 cruiser!attacking",
        at="west-germany italy-sea-zone",
        turn={"raids": ("france",)},
    )
    done = fought(war, [5, 2, 6, 3, 6])
    heard = told(done)
    orders = [
        next(n for n, line in enumerate(heard) if line.startswith(start))
        for start in ("Bombs on", "Battle of Italy", "Battle of West Germany")
    ]
    assert orders == sorted(orders)
    assert is_over(done.state)


def test_7_1_battles_of_a_group_by_the_alphabet_or_in_the_order_of_the_attacker() -> None:
    war = at_war(
        "west-germany we 1 infantry ussr 1 armor!attacking",
        "norway we 1 infantry ussr 1 armor!attacking",
        at="west-germany norway",
    )
    assert told(fought(war, [3, 6, 3, 6]))[0].startswith("Battle of Norway")
    war = play(war, "ussr", "plan west-germany first")
    assert told(fought(war, [3, 6, 3, 6]))[0].startswith("Battle of West Germany")


def test_7_2_guns_alone_do_not_defend_but_shoot_at_aircraft() -> None:
    war = at_war(
        "west-germany we 1 aa-gun ussr 1 bomber*2!attacking!carrying 1 infantry!attacking!dropped",
        at=WEST,
    )
    done = fought(war, [6])
    assert owner(done.state, WEST) == "ussr"
    assert told(done)[0] == ("Western Europe, anti-aircraft fire at 1 in West Germany: 6, hits: 0")


def test_7_2_nothing_is_rolled_for_a_land_that_is_simply_taken() -> None:
    position = state("east-germany ussr 1 infantry", "poland ussr 1 infantry")
    position = play(position, "ussr", "move east-germany west-germany 1 infantry")
    assert owner(order(position, "ussr", "done", []).state, WEST) == "ussr"


def test_7_3_a_whole_battle_from_the_orders_on() -> None:
    position = state(
        "east-germany ussr 3 infantry 1 armor", "west-germany we 2 infantry", "france we 1 armor"
    )
    position = play(position, "ussr", "move east-germany west-germany 3 infantry 1 armor")
    done = order(position, "ussr", "done", [3, 1, 6, 6, 2, 5])
    assert told(done) == [
        "Battle of West Germany: USSR attacks with 1 armor, 3 infantry against 2 infantry",
        "West Germany, round 1",
        "USSR, 1 armor at 3: 3, hits: 1",
        "USSR, 3 infantry at 1: 1 6 6, hits: 1",
        "Western Europe loses 2 infantry",
        "Western Europe, 2 infantry at 2: 2 5, hits: 1",
        "USSR loses 1 infantry",
        "End of the battle of West Germany after 1 round; attacker: 1 armor, 2 infantry,"
        " lost 2 IPC; defender: nobody, lost 6 IPC",
        "USSR takes West Germany from Western Europe",
    ]
    assert units(done.state, WEST) == "ussr 2 infantry 1 armor"
    assert done.state.board.turn.captured == (WEST,)


# --- 7.4: anti-aircraft fire ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "USSR takes Iran, until now neutral"),
        ("de", "UdSSR erobert Iran, bisher neutral"),
        ("fr", "URSS\u00a0: conquête, Iran (jusque-là neutre)"),
    ],
)
def test_7_11_a_neutral_is_taken_from_nobody(language: Language, words: str) -> None:
    going = course(state())
    capture(going, "iran", Seat("ussr"))
    (event,) = going.events
    assert GAME.say(event.text, language) == words


def test_7_4_aircraft_lost_to_guns_take_no_part() -> None:
    war = at_war(
        "west-germany we 1 infantry 1 aa-gun ussr 1 fighter*2!attacking 1 infantry!attacking",
        at=WEST,
    )
    done = fought(war, [1, 1, 6])
    assert units(done.state, WEST) == "ussr 1 infantry 1 aa-gun"


def test_7_4_the_attacker_loses_the_cheapest_aircraft_unless_his_plan_says_otherwise() -> None:
    placed = "west-germany we 1 infantry 1 aa-gun ussr 1 fighter*2!attacking 1 bomber*2!attacking"
    done = fought(at_war(placed, at=WEST), [1, 6, 4, 6])
    assert units(done.state, WEST, "ussr") == "1 bomber"
    done = fought(at_war(placed, at=WEST, plan=Plan(losses=("bomber",))), [1, 6, 3, 6])
    assert units(done.state, WEST, "ussr") == "1 fighter"


def test_7_4_a_paratrooper_is_lost_with_his_bomber() -> None:
    war = at_war(
        "west-germany we 1 infantry 1 aa-gun ussr 2 bomber*2!attacking!carrying"
        " 2 infantry!attacking!dropped",
        at=WEST,
    )
    done = fought(war, [1, 6, 6, 6, 1, 6])
    assert units(done.state, WEST) == "ussr 1 infantry 1 aa-gun 1 bomber"


def test_7_4_who_carries_does_not_fight_and_cannot_be_hit() -> None:
    war = at_war(
        "west-germany we 1 infantry ussr 1 bomber*2!attacking!carrying"
        " 1 infantry!attacking!dropped",
        at=WEST,
    )
    done = fought(war, [6, 2])
    assert units(done.state, WEST) == "ussr 1 bomber we 1 infantry"


def test_7_4_guns_of_neutrals_fire_too() -> None:
    war = at_war("sweden neutral 1 infantry 1 aa-gun ussr 1 bomber*2!attacking", at="sweden")
    done = fought(war, [6, 4, 6])
    assert told(done)[1] == "Sweden, anti-aircraft fire at 1 in Sweden: 6, hits: 0"


def test_7_4_overflight_land_by_land_before_all_battles() -> None:
    war = at_war(
        "france we 1 infantry ussr 2 fighter*3!attacking",
        "west-germany we 1 aa-gun",
        "italy we 1 aa-gun",
        at="france",
        turn={"flights": (Flight("fighter", 2, "france", ("west-germany", "italy"), "poland"),)},
    )
    done = fought(war, [1, 6, 1])
    assert told(done)[0] == (
        "Western Europe, anti-aircraft fire at 1 in West Germany: 1 6, hits: 1"
    )
    assert units(done.state, "france") == "we 1 infantry"


def test_7_4_overflight_can_be_switched_off() -> None:
    war = at_war(
        "france we 1 infantry ussr 1 fighter*3!attacking",
        "west-germany we 1 aa-gun",
        at="france",
        variant=Variant(aa_overflight=False),
        turn={"flights": (Flight("fighter", 1, "france", ("west-germany",), "poland"),)},
    )
    assert units(fought(war, [3, 6]).state, "france") == "ussr 1 fighter"


def test_7_4_overflight_hits_who_flew_there_and_their_load() -> None:
    war = at_war(
        "france we 1 infantry ussr 1 bomber*3!attacking!carrying 1 infantry!attacking!dropped"
        " 1 bomber*3!attacking",
        "west-germany we 1 aa-gun",
        at="france",
        turn={"flights": (Flight("bomber", 1, "france", ("west-germany",), "poland", "carrying"),)},
    )
    done = fought(war, [1, 4, 6])
    assert units(done.state, "france") == "ussr 1 bomber"


# --- 7.5: anti-tank fire --------------------------------------------------------------------------

PAK = {"we": {"armor": 4}}


def test_7_5_each_die_belongs_to_a_unit_heavy_armor_first() -> None:
    war = at_war(
        "west-germany we 1 infantry 1 aa-gun ussr 1 special-forces!attacking 1 armor!attacking"
        " 1 heavy-armor!attacking 1 howitzer!attacking",
        at=WEST,
        techs=PAK,
    )
    done = fought(war, [6, 1, 6, 6, 6, 4, 6])
    assert told(done)[1] == (
        "Western Europe, anti-tank fire at 1 on 1 heavy armor, 1 armor, 1 special forces in this"
        " order: 6 1 6, hits: 1"
    )
    assert told(done)[2] == "USSR loses 1 armor"


def test_7_5_either_aircraft_or_armour_by_the_larger_value() -> None:
    placed = "west-germany we 1 infantry 2 aa-gun ussr {} fighter*2!attacking 3 armor!attacking"
    few = told(fought(at_war(placed.format(1), at=WEST, techs=PAK), [6, 6, 6, 3, 3, 3, 3, 6]))
    assert "anti-tank fire" in few[1]
    many = told(fought(at_war(placed.format(2), at=WEST, techs=PAK), [6, 6, 3, 3, 3, 3, 3, 6]))
    assert "anti-aircraft fire" in many[1]


@pytest.mark.parametrize(
    ("wish", "is_armour"),
    [("aircraft", False), ("armor", True), ("number", True), ("value", False)],
)
def test_7_5_14_2_3_standing_order_for_the_guns(wish: Target, is_armour: bool) -> None:
    war = at_war(
        "west-germany we 1 infantry 1 aa-gun ussr 1 bomber*2!attacking 2 armor!attacking",
        at=WEST,
        techs=PAK,
        standing={"we": Standing(guns={"": wish})},
    )
    dice = [6, 6] if is_armour else [6]
    heard = told(fought(war, [*dice, 4, 3, 3, 6]))
    assert ("anti-tank" in heard[1]) is is_armour


def test_7_5_needs_the_technology() -> None:
    war = at_war("west-germany we 1 infantry 1 aa-gun ussr 1 armor!attacking", at=WEST)
    fought(war, [3, 6])


# --- 7.6: bombardment -----------------------------------------------------------------------------


def test_7_6_bombardment_comes_first_and_its_victims_do_not_fire() -> None:
    war = at_war(
        "norway we 2 infantry ussr 1 infantry!attacking!landed!spent",
        "barents-sea ussr 1 battleship 1 cruiser 1 transport!spent",
        at="norway",
        landings=["barents-sea"],
    )
    done = fought(war, [4, 2])
    assert told(done)[1:5] == [
        "Bombardment of Norway",
        "USSR, 1 battleship at 4: 4, hits: 1",
        "USSR, 1 cruiser at 2: 2, hits: 1",
        "Western Europe loses 2 infantry",
    ]
    assert owner(done.state, "norway") == "ussr"


def test_7_6_submarines_bombard_at_2_with_cruise_missiles() -> None:
    war = at_war(
        "norway we 1 infantry ussr 1 infantry!attacking!landed!spent",
        "barents-sea ussr 1 submarine 1 transport!spent",
        at="norway",
        landings=["barents-sea"],
        techs={"ussr": {"submarine": 6}},
    )
    done = fought(war, [2])
    assert "USSR, 1 submarine at 2: 2, hits: 1" in told(done)
    assert owner(done.state, "norway") == "ussr"


@pytest.mark.parametrize(
    "ships", ["1 battleship!damaged", "1 submarine", "1 carrier", "1 transport"]
)
def test_7_6_who_does_not_bombard(ships: str) -> None:
    war = at_war(
        "norway we 1 infantry ussr 1 infantry!attacking!landed!spent",
        f"barents-sea ussr {ships}",
        at="norway",
        landings=["barents-sea"],
    )
    assert owner(fought(war, [1, 6]).state, "norway") == "ussr"


def test_7_6_ships_that_fought_at_sea_do_not_bombard() -> None:
    war = at_war(
        "norway we 1 infantry",
        "barents-sea we 1 transport ussr 1 battleship!attacking 1 transport!attacking[1 infantry]",
        at="barents-sea norway",
        landings=["barents-sea"],
        turn={"landings": (landing("barents-sea", "norway", Load("ussr", "infantry")),)},
    )
    done = fought(war, [4, 6, 1, 6])
    assert owner(done.state, "norway") == "ussr"
    assert "Bombardment" not in " ".join(told(done))


def test_7_6_an_allys_ships_do_not_bombard() -> None:
    war = at_war(
        "karelia ussr 1 infantry uk 1 infantry!attacking!landed!spent",
        "barents-sea usa 2 battleship uk 1 transport!spent",
        at="karelia",
        landings=["barents-sea"],
        power="uk",
    )
    fought(war, [1, 6])


def test_7_6_the_plan_can_forbid_it() -> None:
    war = at_war(
        "norway we 1 infantry ussr 1 infantry!attacking!landed!spent",
        "barents-sea ussr 1 battleship",
        at="norway",
        landings=["barents-sea"],
        plan=Plan(holds_fire=True),
    )
    fought(war, [1, 6])


def test_7_6_ships_of_one_zone_bombard_one_land() -> None:
    war = at_war(
        "norway we 1 infantry ussr 1 infantry!attacking!landed!spent",
        "west-germany we 1 infantry ussr 1 infantry!attacking!landed!spent",
        "north-sea ussr 1 cruiser",
        at="norway west-germany",
        landings=["north-sea"],
    )
    done = fought(war, [2, 1, 6])
    assert (owner(done.state, "norway"), owner(done.state, WEST)) == ("ussr", "ussr")


# --- 7.7: a round ---------------------------------------------------------------------------------


def test_7_7_who_is_hit_in_the_main_attack_still_fires() -> None:
    war = at_war("west-germany we 1 infantry ussr 1 infantry!attacking", at=WEST)
    assert units(fought(war, [1, 2]).state, WEST) == ""


def test_7_7_who_is_hit_by_the_sneak_attack_does_not() -> None:
    war = at_war(
        "west-germany we 2 infantry ussr 1 special-forces!attacking 1 infantry!attacking", at=WEST
    )
    done = fought(war, [2, 1, 6])
    assert "Western Europe, 1 infantry at 2: 6, hits: 0" in told(done)


def test_14_6_dice_from_the_strongest_to_the_weakest() -> None:
    war = at_war(
        "west-germany we 1 infantry 1 fighter 1 bomber 1 heavy-armor ussr 1 infantry!attacking"
        " 1 fighter*2!attacking 1 bomber*2!attacking 1 armor!attacking",
        at=WEST,
        plan=Plan(after=1, to="east-germany"),
        entries=["east-germany"],
    )
    heard = told(fought(war, [6] * 8))
    rolls = [line.split(":")[0] for line in heard if " at " in line]
    assert rolls == [
        "USSR, 1 bomber at 4",
        "USSR, 1 armor at 3",
        "USSR, 1 fighter at 3",
        "USSR, 1 infantry at 1",
        "Western Europe, 1 fighter at 4",
        "Western Europe, 1 heavy armor at 3",
        "Western Europe, 1 infantry at 2",
        "Western Europe, 1 bomber at 1",
    ]


# --- 7.9: retreat ---------------------------------------------------------------------------------


def two_ways(plan: Plan) -> State:
    return fought(
        at_war(
            "west-germany we 3 infantry ussr 3 infantry!attacking 1 fighter*2!attacking",
            "poland ussr 1 infantry",
            at=WEST,
            entries=["east-germany", "poland"],
            plan=plan,
        ),
        [6, 6, 6, 6, 6, 6, 2],
    ).state


def test_7_9_all_retreat_to_one_space_from_which_somebody_came() -> None:
    done = two_ways(Plan(after=1, to="east-germany"))
    assert units(done, "east-germany") == "ussr 2 infantry"
    assert units(done, WEST) == "ussr 1 fighter we 3 infantry"


def test_7_9_without_a_wish_where_most_own_units_are() -> None:
    done = two_ways(Plan(after=1))
    assert units(done, "poland") == "ussr 3 infantry"


def test_7_9_who_retreated_does_not_move_again() -> None:
    done = two_ways(Plan(after=1, to="east-germany"))
    assert marked(done, "east-germany") == [Group("ussr", "infantry", 2, marks=("spent",))]


def test_7_9_no_retreat_to_a_land_that_is_not_friendly() -> None:
    war = at_war(
        "west-germany we 1 infantry ussr 1 armor*2!attacking",
        at=WEST,
        entries=["east-germany"],
        owners={"east-germany": "we"},
        plan=Plan(after=1),
    )
    assert owner(fought(war, [6, 6, 3, 6]).state, WEST) == "ussr"


def test_7_9_who_landed_and_who_fights_beside_them_cannot_retreat() -> None:
    war = at_war(
        "norway we 1 infantry ussr 1 infantry!attacking!landed!spent 1 armor!attacking",
        at="norway",
        entries=["karelia"],
        landings=["barents-sea"],
        plan=Plan(after=1),
    )
    assert units(fought(war, [6, 6, 6, 3, 6, 6]).state, "norway") == "ussr 1 infantry 1 armor"


def test_7_9_in_a_landing_aircraft_break_off_alone_if_the_plan_says_so() -> None:
    war = at_war(
        "norway we 1 infantry ussr 1 infantry!attacking!landed!spent 1 bomber*2!attacking",
        at="norway",
        landings=["barents-sea"],
        plan=Plan(after=1, air_leaves=True),
    )
    done = fought(war, [6, 6, 6, 6, 2])
    assert units(done.state, "norway") == "ussr 1 bomber we 1 infantry"
    stays = at_war(
        "norway we 1 infantry ussr 1 infantry!attacking!landed!spent 1 bomber*2!attacking",
        at="norway",
        landings=["barents-sea"],
        plan=Plan(after=1),
    )
    assert owner(fought(stays, [6, 6, 6, 4, 6, 6]).state, "norway") == "ussr"


def test_7_9_paratroops_alone_do_not_retreat() -> None:
    war = at_war(
        "west-germany we 1 infantry ussr 1 infantry!attacking!dropped!spent",
        at=WEST,
        plan=Plan(after=1),
    )
    assert owner(fought(war, [6, 6, 1, 6]).state, WEST) == "ussr"


def test_7_9_paratroops_retreat_with_land_units() -> None:
    war = at_war(
        "west-germany we 1 infantry ussr 1 infantry!attacking!dropped!spent 1 armor!attacking",
        at=WEST,
        entries=["east-germany"],
        plan=Plan(after=1),
    )
    done = fought(war, [6, 6, 6])
    assert units(done.state, "east-germany") == "ussr 1 infantry 1 armor"


def test_7_9_aircraft_alone_simply_leave() -> None:
    war = at_war(
        "west-germany we 1 infantry ussr 1 fighter*2!attacking", at=WEST, plan=Plan(after=1)
    )
    done = fought(war, [6, 6])
    assert marked(done.state, WEST) == [
        Group("ussr", "fighter", used=2),
        Group("we", "infantry"),
    ]


def test_7_9_the_defender_never_retreats() -> None:
    war = at_war("west-germany we 1 infantry ussr 2 armor!attacking", at=WEST)
    assert units(fought(war, [6, 6, 6, 3, 6, 6]).state, "france") == ""


# --- 7.11, 7.12: the end --------------------------------------------------------------------------


def test_7_11_both_sides_gone_the_land_keeps_its_owner() -> None:
    war = at_war("west-germany we 1 infantry ussr 1 armor!attacking", at=WEST)
    done = fought(war, [3, 2])
    assert owner(done.state, WEST) == "we"


def test_7_11_the_factory_goes_with_the_land() -> None:
    war = at_war("france we 1 infantry ussr 1 armor!attacking", at="france", power="ussr")
    done = fought(war, [3, 6])
    assert "france" in done.state.board.factories
    assert "france" not in done.state.board.turn.factories


def test_7_12_an_ally_frees_a_land() -> None:
    war = at_war(
        "west-germany ussr 1 infantry 1 aa-gun 1 atomic-bomb uk 1 armor!attacking",
        at=WEST,
        owners={WEST: "ussr"},
        power="uk",
    )
    done = fought(war, [3, 6])
    assert owner(done.state, WEST) == "we"
    assert units(done.state, WEST) == "uk 1 armor we 1 aa-gun 1 atomic-bomb"
    assert "United Kingdom frees West Germany from USSR; it belongs to Western Europe again" in (
        told(done)
    )


def test_7_12_what_was_never_an_allys_belongs_to_the_conqueror() -> None:
    war = at_war("poland ussr 1 infantry uk 1 armor!attacking", at="poland", power="uk")
    assert owner(fought(war, [3, 6]).state, "poland") == "uk"


def test_7_12_home_is_also_what_joined_peacefully() -> None:
    war = at_war(
        "sweden ussr 1 infantry uk 1 armor!attacking",
        at="sweden",
        power="uk",
        owners={"sweden": "ussr"},
        homes={"sweden": "usa"},
    )
    assert owner(fought(war, [3, 6]).state, "sweden") == "usa"


def test_7_12_the_ussr_takes_back_its_own() -> None:
    war = at_war(
        "poland uk 1 infantry ussr 1 armor!attacking", at="poland", owners={"poland": "uk"}
    )
    assert owner(fought(war, [3, 6]).state, "poland") == "ussr"


# --- 7.14: strategic bombing ----------------------------------------------------------------------


def test_7_14_the_owner_pays_what_the_bombers_roll() -> None:
    position = raided("france", "france we 2 infantry ussr 2 bomber*3!raiding")
    done = fought(position, [6, 4])
    assert cash(done.state, "we") == 40
    assert "Bombs on the factory in France: 6 4; Western Europe pays 10" in told(done)


def test_7_14_never_more_than_he_has() -> None:
    position = raided("france", "france we 2 infantry ussr 2 bomber*3!raiding", cash={"we": 7})
    assert cash(fought(position, [6, 4]).state, "we") == 0


def test_7_14_guns_shoot_first() -> None:
    position = raided("france", "france we 1 aa-gun ussr 2 bomber*3!raiding")
    done = fought(position, [1, 6, 5])
    assert cash(done.state, "we") == 45
    assert units(done.state, "france", "ussr") == "1 bomber"


def test_7_14_raid_and_battle_in_one_land_have_a_salvo_each() -> None:
    war = at_war(
        "france we 1 infantry 1 aa-gun ussr 1 bomber*3!raiding 1 fighter*3!attacking"
        " 1 armor!attacking",
        at="france",
        turn={"raids": ("france",)},
    )
    done = fought(war, [6, 3, 6, 3, 3, 6])
    assert sum("anti-aircraft" in line for line in told(done)) == 2
    assert cash(done.state, "we") == 47


def test_7_14_raiders_take_no_part_in_the_battle() -> None:
    war = at_war(
        "france we 1 infantry ussr 1 bomber*3!raiding 1 infantry!attacking",
        at="france",
        turn={"raids": ("france",)},
    )
    done = fought(war, [1, 6, 2])
    assert units(done.state, "france") == "ussr 1 bomber we 1 infantry"


# --- 8.11: landings after a sea battle ------------------------------------------------------------


FLEET = "1 cruiser!attacking 1 transport!attacking[2 infantry]"


def assault(ships: str = FLEET, **changes: Any) -> State:
    return at_war(
        "norway we 1 infantry",
        f"barents-sea we 1 transport ussr {ships}",
        at="barents-sea norway",
        landings=["barents-sea"],
        turn={"landings": (landing("barents-sea", "norway", Load("ussr", "infantry", 2)),)},
        **changes,
    )


def test_8_11_the_landing_follows_when_the_zone_is_won() -> None:
    done = fought(assault(), [2, 6, 1, 6, 6])
    assert units(done.state, "norway") == "ussr 2 infantry"
    assert units(done.state, "barents-sea") == "ussr 1 transport 1 cruiser"


def test_8_11_who_sinks_does_not_land() -> None:
    done = fought(assault(), [2, 1])
    assert units(done.state, "norway") == "we 1 infantry"
    assert units(done.state, "barents-sea") == "ussr 1 cruiser"


def test_8_11_without_the_zone_there_is_no_landing() -> None:
    """A transport alone cannot win it, and is sunk at last."""
    done = fought(assault("1 transport!attacking[2 infantry]"), [6, 1])
    assert units(done.state, "norway") == "we 1 infantry"
    assert owner(done.state, "norway") == "we"


def test_8_11_retreating_transports_keep_their_troops() -> None:
    done = fought(assault(entries=["north-sea"], plan=Plan(after=1)), [6, 6])
    ship = next(group for group in marked(done.state, "north-sea") if group.kind == "transport")
    assert ship.cargo == (Load("ussr", "infantry", 2),)
    assert units(done.state, "norway") == "we 1 infantry"
    assert "The landing in Norway does not take place: Barents Sea is not held" in told(done)
