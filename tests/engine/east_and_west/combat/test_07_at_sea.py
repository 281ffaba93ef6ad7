"""Chapter 7 at sea: who may be hit, submarines that leave, battles that end for lack of effect."""

from __future__ import annotations

from engine.east_and_west.board import Group, Load
from engine.east_and_west.standing import Diving, Plan, Standing
from tests.engine.east_and_west.battles import at_war, fought, is_over, landing
from tests.engine.east_and_west.kit import marked, owner, told, units

SEA = "italy-sea-zone"


# --- 7.8: who may be hit --------------------------------------------------------------------------


def test_7_8_submarines_hit_ships_only() -> None:
    """The hit falls on the carrier, though the fighter is cheaper."""
    war = at_war("italy-sea-zone we 1 carrier 1 fighter ussr 1 submarine!attacking", at=SEA)
    done = fought(war, [2, 4])
    assert "Western Europe loses 1 carrier" in told(done)


def test_7_8_submarines_do_not_roll_against_aircraft_alone() -> None:
    """Nobody is left whom the submarine can hit; the fighter hits it."""
    war = at_war("malta-sea-zone uk 1 fighter ussr 1 submarine!attacking", at="malta-sea-zone")
    done = fought(war, [6, 4])
    assert units(done.state, "malta-sea-zone") == ""
    assert "submarine at" not in " ".join(told(done))


def test_7_8_hits_of_submarines_that_fit_nobody_are_void() -> None:
    war = at_war("italy-sea-zone we 1 carrier 2 fighter ussr 2 submarine!attacking", at=SEA)
    done = fought(war, [2, 2, 4, 4])
    assert "1 hit fits no unit" in told(done)


def test_7_8_aircraft_do_not_hit_submarines_with_a_snorkel() -> None:
    war = at_war(
        "italy-sea-zone we 1 submarine 1 cruiser ussr 1 bomber*3!attacking",
        at=SEA,
        techs={"we": {"submarine": 2}},
        standing={"we": Standing(submarines={"": Diving("stay")})},
    )
    done = fought(war, [4, 6])
    assert "Western Europe loses 1 cruiser" in told(done)
    assert units(done.state, SEA) == "ussr 1 bomber we 1 submarine"


def test_7_8_without_a_snorkel_they_do() -> None:
    war = at_war("italy-sea-zone we 1 submarine 1 cruiser ussr 1 bomber*3!attacking", at=SEA)
    assert "Western Europe loses 1 submarine" in told(fought(war, [4, 6, 4, 6]))


def test_7_8_an_allys_snorkel_does_not_help() -> None:
    war = at_war(
        "italy-sea-zone we 1 submarine uk 1 submarine ussr 1 bomber*3!attacking",
        at=SEA,
        techs={"we": {"submarine": 2}},
        standing={
            "we": Standing(submarines={"": Diving("stay")}),
            "uk": Standing(submarines={"": Diving("stay")}),
        },
    )
    done = fought(war, [4])
    assert units(done.state, SEA) == "ussr 1 bomber we 1 submarine"


def test_7_8_narrow_hits_are_taken_first() -> None:
    """A submarine's hit takes the ship; the battleship's takes the fighter."""
    war = at_war(
        "italy-sea-zone ussr 1 carrier!attacking 1 fighter*1!attacking uk 1 submarine 1 battleship",
        at=SEA,
    )
    done = fought(war, [6, 6, 4, 2])
    assert units(done.state, SEA, "ussr") == ""


def test_7_8_units_on_board_are_not_in_the_battle() -> None:
    war = at_war("italy-sea-zone we 1 transport[2 infantry] ussr 1 cruiser!attacking", at=SEA)
    done = fought(war, [2, 6])
    assert units(done.state, SEA) == "ussr 1 cruiser"


def test_7_1_neutral_ships_take_no_part() -> None:
    war = at_war("italy-sea-zone we 1 transport arab 1 transport ussr 1 cruiser!attacking", at=SEA)
    done = fought(war, [2, 6])
    assert units(done.state, SEA) == "arab 1 transport ussr 1 cruiser"


def test_1_6_ships_of_the_attackers_allies_take_no_part() -> None:
    war = at_war(
        "italy-sea-zone ussr 1 cruiser uk 1 cruiser!attacking usa 1 battleship", at=SEA, power="uk"
    )
    done = fought(war, [2, 3])
    assert units(done.state, SEA) == "usa 1 battleship"


# --- 7.9: retreat at sea --------------------------------------------------------------------------


def test_7_9_ships_retreat_to_a_zone_free_of_enemies() -> None:
    placed = "italy-sea-zone we 1 battleship ussr 1 cruiser!attacking 1 submarine!attacking"
    war = at_war(placed, at=SEA, entries=["malta-sea-zone"], plan=Plan(after=1))
    done = fought(war, [6, 6, 6])
    assert units(done.state, "malta-sea-zone") == "ussr 1 submarine 1 cruiser"
    assert all(group.has("spent") for group in marked(done.state, "malta-sea-zone"))


def test_7_9_not_among_enemy_ships() -> None:
    war = at_war(
        "italy-sea-zone we 1 transport ussr 1 cruiser!attacking",
        "malta-sea-zone uk 1 transport",
        at=SEA,
        entries=["malta-sea-zone"],
        plan=Plan(after=1),
    )
    assert units(fought(war, [6, 6, 2, 6]).state, SEA) == "ussr 1 cruiser"


# --- 7.10: submarines leave -----------------------------------------------------------------------


def test_7_10_a_defending_submarine_submerges_when_it_is_alone() -> None:
    """14.2 no. 4: the default."""
    war = at_war(
        "italy-sea-zone we 1 submarine 1 transport ussr 1 battleship!attacking",
        at=SEA,
        standing={"we": Standing(losses={"": ("transport",)})},
    )
    done = fought(war, [4, 6, 6])
    assert marked(done.state, SEA) == [
        Group("ussr", "battleship", used=2, marks=("spent",)),
        Group("we", "submarine", marks=("submerged",)),
    ]
    assert is_over(done.state)


def test_7_10_it_stays_beside_other_ships() -> None:
    war = at_war(
        "italy-sea-zone we 1 submarine 1 cruiser ussr 1 battleship!attacking",
        at=SEA,
        plan=Plan(after=2),
        entries=["malta-sea-zone"],
    )
    done = fought(war, [6, 6, 6, 6, 6, 6])
    assert units(done.state, SEA) == "we 1 submarine 1 cruiser"


def test_7_10_submerge_after_so_many_rounds() -> None:
    war = at_war(
        "italy-sea-zone we 2 submarine 1 cruiser ussr 2 battleship!attacking",
        at=SEA,
        standing={"we": Standing(submarines={SEA: Diving("submerge-after", 2)})},
    )
    done = fought(war, [6] * 5 + [6] * 5 + [4, 6, 6])
    assert "Western Europe: 2 submarines submerge" in told(done)
    assert units(done.state, SEA) == "ussr 2 battleship we 2 submarine"


def test_7_10_retreat_to_a_free_zone() -> None:
    war = at_war(
        "italy-sea-zone we 1 submarine ussr 1 battleship!attacking",
        at=SEA,
        standing={"we": Standing(submarines={SEA: Diving("retreat", zone="malta-sea-zone")})},
    )
    done = fought(war, [6, 6])
    assert marked(done.state, "malta-sea-zone") == [Group("we", "submarine")]


def test_7_10_no_retreat_among_enemies() -> None:
    war = at_war(
        "italy-sea-zone we 1 submarine ussr 1 battleship!attacking",
        "malta-sea-zone ussr 1 cruiser",
        at=SEA,
        standing={"we": Standing(submarines={SEA: Diving("retreat", zone="malta-sea-zone")})},
    )
    done = fought(war, [6, 6, 4, 6])
    assert units(done.state, SEA) == "ussr 1 battleship"


def test_7_10_attacking_submarines_stay_unless_the_plan_says_otherwise() -> None:
    placed = "italy-sea-zone we 1 cruiser ussr 1 submarine!attacking"
    assert units(fought(at_war(placed, at=SEA), [6, 6, 2]).state, SEA) == "ussr 1 submarine"
    plan = Plan(submarines=Diving("submerge-after"))
    done = fought(at_war(placed, at=SEA, plan=plan), [6, 6])
    assert units(done.state, SEA) == "ussr 1 submarine we 1 cruiser"
    away = Plan(submarines=Diving("retreat", zone="mediterranean"))
    done = fought(at_war(placed, at=SEA, plan=away), [6, 6])
    assert units(done.state, "mediterranean") == "ussr 1 submarine"


def test_7_10_submarines_do_not_slip_through_a_canal() -> None:
    war = at_war(
        "red-sea we 1 submarine ussr 1 battleship!attacking",
        at="red-sea",
        standing={"we": Standing(submarines={"": Diving("retreat", zone="cyprus-sea-zone")})},
    )
    assert units(fought(war, [6, 6, 4, 6]).state, "red-sea") == "ussr 1 battleship"


def test_7_10_a_submerged_submarine_does_not_hinder_a_landing() -> None:
    war = at_war(
        "norway we 1 infantry",
        "barents-sea we 1 submarine ussr 1 cruiser!attacking 1 transport!attacking[1 infantry]",
        at="barents-sea norway",
        landings=["barents-sea"],
        turn={"landings": (landing("barents-sea", "norway", Load("ussr", "infantry")),)},
    )
    done = fought(war, [6, 6, 1, 6])
    assert owner(done.state, "norway") == "ussr"


# --- 7.11: no effect ------------------------------------------------------------------------------


def test_7_11_submarines_with_snorkel_and_aircraft_cannot_hit_each_other() -> None:
    war = at_war(
        "italy-sea-zone we 2 submarine ussr 2 bomber*3!attacking",
        at=SEA,
        techs={"we": {"submarine": 2}},
    )
    done = fought(war, [])
    assert units(done.state, SEA) == "ussr 2 bomber we 2 submarine"
    assert is_over(done.state)


def test_7_11_transports_of_the_attacker_can_still_be_hit() -> None:
    """19: a battle ends only if really nobody can hit anybody."""
    war = at_war("italy-sea-zone we 1 transport ussr 1 transport!attacking", at=SEA)
    assert units(fought(war, [2, 3, 1]).state, SEA) == "we 1 transport"


def test_7_11_fighters_without_snorkel_before_them_hunt_submarines() -> None:
    war = at_war(
        "italy-sea-zone we 1 submarine ussr 1 fighter*2!attacking",
        at=SEA,
        standing={"we": Standing(submarines={"": Diving("stay")})},
    )
    assert units(fought(war, [6, 3]).state, SEA) == "ussr 1 fighter"


def test_7_6_a_zone_in_which_somebody_fought_is_remembered() -> None:
    war = at_war("italy-sea-zone we 1 transport ussr 1 cruiser!attacking", at=SEA)
    assert fought(war, [2, 6]).state.board.turn.fought == (SEA,)
