"""Chapter 6 in battle: what is special about each kind of unit when it fights."""

from __future__ import annotations

import pytest

from engine.east_and_west.board import Group
from engine.east_and_west.standing import Standing
from tests.engine.east_and_west.battles import at_war, fought
from tests.engine.east_and_west.kit import marked, owner, told, units

WEST = "west-germany"


def losing(*kinds: str) -> Standing:
    return Standing(losses={"": kinds})


def test_6_1_infantry_attacks_at_1_and_defends_at_2() -> None:
    war = at_war("west-germany we 1 infantry ussr 2 infantry!attacking", at=WEST)
    done = fought(war, [2, 2, 3, 1, 2, 2])
    assert told(done)[2:6] == [
        "USSR, 2 infantry at 1: 2 2, hits: 0",
        "Western Europe, 1 infantry at 2: 3, hits: 0",
        "West Germany, round 2",
        "USSR, 2 infantry at 1: 1 2, hits: 1",
    ]
    assert units(done.state, WEST) == "ussr 1 infantry"


def test_6_2_special_forces_strike_first_and_their_victims_do_not_fire() -> None:
    war = at_war(
        "west-germany we 1 infantry ussr 1 special-forces!attacking 1 infantry!attacking", at=WEST
    )
    done = fought(war, [2])
    assert units(done.state, WEST) == "ussr 1 infantry 1 special-forces"
    assert owner(done.state, WEST) == "ussr"


def test_6_2_special_forces_roll_before_the_others() -> None:
    war = at_war(
        "west-germany we 2 infantry ussr 1 special-forces!attacking 1 heavy-armor!attacking",
        at=WEST,
    )
    done = fought(war, [2, 4, 6])
    assert "USSR, 1 special forces at 2: 2, hits: 1" in told(done)
    assert units(done.state, WEST) == "ussr 1 special-forces 1 heavy-armor"


def test_6_2_defending_special_forces_do_not_strike_first() -> None:
    """16.6: only the attacker does; they defend at 3, hit or not."""
    war = at_war("west-germany we 1 special-forces ussr 1 armor!attacking", at=WEST)
    done = fought(war, [3, 3])
    assert units(done.state, WEST) == ""
    assert owner(done.state, WEST) == "we"


@pytest.mark.parametrize(
    ("kind", "attack", "defence"),
    [("armor", 3, 2), ("heavy-armor", 4, 3), ("howitzer", 4, 1), ("special-forces", 2, 3)],
)
def test_6_3_6_4_values_of_ground_units(kind: str, attack: int, defence: int) -> None:
    war = at_war(f"west-germany we 1 {kind} ussr 1 {kind}!attacking", at=WEST)
    faces = [attack + 1, defence, attack]
    done = fought(war, faces[:2])
    assert units(done.state, WEST) == f"we 1 {kind}"
    done = fought(war, [attack, defence + 1] if kind != "special-forces" else [attack])
    assert units(done.state, WEST) == f"ussr 1 {kind}"


def test_6_4_howitzers_fire_in_every_round() -> None:
    war = at_war("west-germany we 2 infantry ussr 2 howitzer!attacking", at=WEST)
    done = fought(war, [4, 5, 3, 3, 5, 4, 3])
    assert told(done).count("USSR, 2 howitzers at 4: 5 4, hits: 1") == 1
    assert units(done.state, WEST) == "ussr 2 howitzer"


def test_6_5_a_gun_cannot_be_lost_and_falls_with_the_land() -> None:
    war = at_war("west-germany we 1 infantry 1 aa-gun ussr 2 armor!attacking", at=WEST)
    done = fought(war, [3, 3, 1])
    assert marked(done.state, WEST) == [
        Group("ussr", "aa-gun", marks=("spent",)),
        Group("ussr", "armor"),
    ]


def test_6_5_several_guns_shoot_like_one() -> None:
    war = at_war(
        "west-germany we 1 infantry 3 aa-gun ussr 2 fighter!attacking 1 armor!attacking", at=WEST
    )
    done = fought(war, [1, 6, 3, 6, 6])
    assert "Western Europe, anti-aircraft fire at 1 in West Germany: 1 6, hits: 1" in told(done)
    assert units(done.state, WEST) == "ussr 1 armor 3 aa-gun 1 fighter"


def test_6_6_aircraft_alone_do_not_capture() -> None:
    war = at_war("west-germany we 1 infantry ussr 1 bomber*3!attacking", at=WEST)
    done = fought(war, [4, 3])
    assert owner(done.state, WEST) == "we"
    assert units(done.state, WEST) == "ussr 1 bomber"


def test_6_6_aircraft_of_the_defender_have_to_be_beaten() -> None:
    war = at_war("west-germany we 1 fighter ussr 2 infantry!attacking", at=WEST)
    done = fought(war, [1, 6, 5])
    assert owner(done.state, WEST) == "ussr"


def test_6_6_bombers_defend_at_1_fighters_at_4() -> None:
    war = at_war("west-germany we 1 bomber 1 fighter ussr 3 infantry!attacking", at=WEST)
    done = fought(war, [6, 6, 6, 4, 1, 6, 4, 1])
    assert "Western Europe, 1 fighter at 4: 4, hits: 1" in told(done)
    assert "Western Europe, 1 bomber at 1: 1, hits: 1" in told(done)
    assert units(done.state, WEST) == "we 1 fighter 1 bomber"


def test_5_9_jets_defend_at_5() -> None:
    war = at_war(
        "west-germany we 1 fighter ussr 1 infantry!attacking",
        at=WEST,
        techs={"we": {"aircraft": 2}},
    )
    assert units(fought(war, [6, 5]).state, WEST) == "we 1 fighter"


def test_12_5_a_helpless_fighter_does_not_fire_but_can_be_lost() -> None:
    war = at_war("west-germany we 1 fighter!helpless ussr 1 infantry!attacking", at=WEST)
    assert owner(fought(war, [2, 1]).state, WEST) == "ussr"


def test_5_9_marines_attack_at_2_in_the_first_round_only() -> None:
    war = at_war(
        "norway we 3 infantry ussr 2 infantry!attacking!landed!spent",
        "barents-sea ussr 1 transport!spent",
        at="norway",
        landings=["barents-sea"],
        techs={"ussr": {"infantry": 4}},
    )
    done = fought(war, [2, 3, 6, 6, 6, 2, 1, 6, 6, 2, 1, 6])
    heard = told(done)
    assert "USSR, 2 infantry at 2: 2 3, hits: 1" in heard
    assert "USSR, 2 infantry at 1: 2 1, hits: 1" in heard
    assert owner(done.state, "norway") == "ussr"


def test_5_9_infantry_that_comes_by_land_is_no_marine() -> None:
    war = at_war(
        "norway we 1 infantry ussr 1 infantry!attacking",
        at="norway",
        techs={"ussr": {"infantry": 4}},
    )
    assert owner(fought(war, [2, 1]).state, "norway") == "we"


# --- ships ----------------------------------------------------------------------------------------

SEA = "italy-sea-zone"


def test_6_7_transports_do_not_attack_and_defend_at_1() -> None:
    war = at_war(
        "italy-sea-zone we 1 transport ussr 1 transport!attacking 1 cruiser!attacking", at=SEA
    )
    done = fought(war, [3, 1, 2, 2])
    assert told(done)[2:5] == [
        "USSR, 1 cruiser at 2: 3, hits: 0",
        "Western Europe, 1 transport at 1: 1, hits: 1",
        "USSR loses 1 transport",
    ]
    assert units(done.state, SEA) == "ussr 1 cruiser"


def test_6_7_cargo_sinks_with_its_transport() -> None:
    war = at_war(
        "italy-sea-zone we 1 transport[2 infantry] 1 cruiser ussr 2 battleship!attacking", at=SEA
    )
    done = fought(war, [4, 6, 6, 6, 4, 6, 6])
    assert units(done.state, SEA) == "ussr 2 battleship"


def test_6_7_empty_transports_go_first() -> None:
    war = at_war(
        "italy-sea-zone we 1 transport[2 infantry] 1 transport ussr 1 cruiser!attacking", at=SEA
    )
    done = fought(war, [2, 1, 1])
    assert marked(done.state, SEA)[-1].cargo != ()


def test_6_8_attacking_submarines_strike_first() -> None:
    war = at_war("italy-sea-zone we 1 cruiser ussr 1 submarine!attacking", at=SEA)
    assert units(fought(war, [2]).state, SEA) == "ussr 1 submarine"


def test_6_8_defending_submarines_do_not() -> None:
    war = at_war("italy-sea-zone we 1 submarine ussr 1 cruiser!attacking", at=SEA)
    assert units(fought(war, [2, 2]).state, SEA) == ""


def test_6_9_the_first_hit_only_damages_a_battleship() -> None:
    war = at_war("italy-sea-zone we 1 battleship ussr 2 cruiser!attacking", at=SEA)
    done = fought(war, [2, 6, 4, 2, 4])
    assert "Western Europe: 1 battleship is damaged" in told(done)
    assert units(done.state, SEA) == ""


def test_6_9_a_damaged_defender_goes_on_firing() -> None:
    war = at_war("italy-sea-zone we 1 battleship!damaged ussr 1 cruiser!attacking", at=SEA)
    done = fought(war, [3, 4])
    assert marked(done.state, SEA) == [Group("we", "battleship", marks=("damaged",))]


def test_6_9_a_damaged_attacker_does_not_fire_in_the_following_rounds() -> None:
    """16.7; the defender cannot be hit any more, but hits the attacker still."""
    war = at_war(
        "italy-sea-zone we 1 cruiser ussr 1 battleship!attacking 1 submarine!attacking", at=SEA
    )
    done = fought(war, [6, 6, 3, 2])
    heard = told(done)
    assert "USSR: 1 battleship is damaged" in heard
    assert "USSR, 1 submarine at 2: 2, hits: 1" in heard
    assert [line for line in heard if "battleship at" in line] == [
        "USSR, 1 battleship at 4: 6, hits: 0"
    ]


def test_6_9_two_hits_in_one_volley_sink_a_battleship() -> None:
    war = at_war("italy-sea-zone we 1 battleship ussr 2 battleship!attacking", at=SEA)
    assert units(fought(war, [4, 4, 6]).state, SEA) == "ussr 2 battleship"


def test_6_9_damage_is_taken_before_any_loss() -> None:
    war = at_war("italy-sea-zone we 1 battleship 1 transport ussr 1 battleship!attacking", at=SEA)
    done = fought(war, [4, 6, 6, 4, 6, 6, 4, 6])
    assert "Western Europe: 1 battleship is damaged" in told(done)
    assert units(done.state, SEA) == "ussr 1 battleship"


def test_5_9_radar_fires_once_however_many_cruisers() -> None:
    war = at_war(
        "italy-sea-zone we 2 cruiser uk 1 cruiser ussr 2 fighter*2!attacking",
        at=SEA,
        techs={"we": {"ship": 6}, "uk": {"ship": 6}},
        plan=None,
    )
    done = fought(war, [1, 1])
    assert told(done)[1:3] == [
        "Western Europe, anti-aircraft fire at 1 in Italy Sea Zone: 1 1, hits: 2",
        "USSR loses 2 fighters",
    ]


def test_5_9_radar_does_not_help_an_attacker() -> None:
    war = at_war(
        "italy-sea-zone we 1 fighter 1 carrier ussr 1 cruiser!attacking",
        at=SEA,
        techs={"ussr": {"ship": 6}},
    )
    done = fought(war, [6, 4, 6])
    assert "anti-aircraft" not in " ".join(told(done))


def test_6_10_carriers_attack_at_1_and_defend_at_3() -> None:
    war = at_war("italy-sea-zone we 1 carrier ussr 1 carrier!attacking", at=SEA)
    assert units(fought(war, [2, 3]).state, SEA) == "we 1 carrier"
    assert units(fought(war, [1, 4]).state, SEA) == "ussr 1 carrier"


# --- 8.8: carriers sunk ---------------------------------------------------------------------------


def test_8_8_fighters_land_on_another_carrier() -> None:
    war = at_war(
        "italy-sea-zone we 2 carrier 2 fighter ussr 1 battleship!attacking",
        at=SEA,
        standing={"we": losing("carrier")},
    )
    done = fought(war, [4, 4, 4, 6, 6])
    assert units(done.state, SEA) == "we 2 fighter 1 carrier"


def test_8_8_fighters_without_a_deck_are_lost() -> None:
    war = at_war(
        "italy-sea-zone we 1 carrier 2 fighter ussr 1 battleship!attacking",
        at=SEA,
        standing={"we": losing("carrier")},
    )
    done = fought(war, [4, 4, 4, 6])
    assert units(done.state, SEA) == ""
    assert any("no carrier is left for them" in line for line in told(done))


def test_8_8_fighters_land_on_a_friendly_island_in_the_zone() -> None:
    war = at_war(
        "malta-sea-zone uk 1 carrier 1 fighter ussr 1 battleship!attacking",
        at="malta-sea-zone",
        standing={"uk": losing("carrier")},
    )
    done = fought(war, [4, 4, 3])
    assert units(done.state, "malta-sea-zone") == ""
    assert units(done.state, "malta") == "uk 1 fighter"


def test_14_2_5_the_owner_says_which_island() -> None:
    zone = "iceland-sea-zone"
    placed = f"{zone} usa 1 carrier 1 fighter ussr 2 cruiser!attacking"
    usual = fought(at_war(placed, at=zone, standing={"usa": losing("carrier")}), [2, 6, 4, 3])
    assert units(usual.state, "greenland") == "usa 1 fighter"
    wish = Standing(losses={"": ("carrier",)}, havens={zone: ("iceland",)})
    done = fought(at_war(placed, at=zone, standing={"usa": wish}), [2, 6, 4, 3])
    assert units(done.state, "iceland") == "usa 1 fighter"


def test_8_8_an_island_of_the_enemy_is_no_haven() -> None:
    war = at_war(
        "malta-sea-zone uk 1 carrier 1 fighter ussr 1 battleship!attacking",
        at="malta-sea-zone",
        owners={"malta": "ussr"},
        standing={"uk": losing("carrier")},
    )
    assert units(fought(war, [4, 4, 3]).state, "malta") == ""


def test_8_8_fighters_fight_on_after_their_carrier_is_gone() -> None:
    war = at_war(
        "malta-sea-zone uk 1 carrier 1 fighter ussr 1 cruiser!attacking",
        at="malta-sea-zone",
        standing={"uk": losing("carrier")},
    )
    done = fought(war, [2, 6, 6, 6, 4])
    assert "United Kingdom, 1 fighter at 4: 4, hits: 1" in told(done)
    assert units(done.state, "malta") == "uk 1 fighter"
