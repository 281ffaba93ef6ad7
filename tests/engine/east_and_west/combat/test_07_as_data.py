"""A battle as plain data, as whoever computes odds sees it."""

from __future__ import annotations

import pytest

from engine.core import Seat
from engine.east_and_west import battle as b
from engine.east_and_west.battle import Battle, Force, Loss, Shot, Side
from engine.east_and_west.combat import lineup
from engine.east_and_west.odds import calculator
from engine.east_and_west.standing import NO_PLAN, Plan
from tests.engine.east_and_west.battles import at_war

WEST = "west-germany"


def described(*placements: str, at: str = WEST, round: int = 1, **changes: object) -> Battle:
    war = at_war(*placements, at=at, **changes)  # type: ignore[arg-type]
    plan = war.orders(Seat("ussr")).plans.get(at, NO_PLAN)
    zones = war.board.turn.attacks[0].landings
    return lineup.describe(war.board, "ussr", at, plan, round=round, zones=zones)


def test_forces_numbers_and_losses() -> None:
    found = described(
        "italy-sea-zone we 1 battleship 1 battleship!damaged 1 submarine"
        " ussr 1 battleship!attacking 1 submarine!attacking",
        at="italy-sea-zone",
        techs={"we": {"submarine": 2}},
    )
    assert found.attacker.forces == (
        Force("ussr", "battleship", 1, 4, 4, hits=2, worn=0),
        Force("ussr", "submarine", 1, 2, 2),
    )
    assert found.defender.forces == (
        Force("we", "battleship", 1, 4, 4),
        Force("we", "battleship", 1, 4, 4, hits=2, worn=4),
        Force("we", "submarine", 1, 2, 2, is_sheltered=True),
    )
    assert found.defender.losses == (
        Loss("we", "battleship", is_damage=True),
        Loss("we", "submarine"),
        Loss("we", "battleship"),
        Loss("we", "battleship"),
    )
    assert (found.attacker.count, found.attacker.power) == (2, 6)


def test_what_comes_before_the_first_round() -> None:
    placed = (
        "norway we 1 infantry 1 aa-gun ussr 1 infantry!attacking!landed!spent"
        " 1 bomber*2!attacking!carrying 1 fighter*2!attacking",
        "north-sea ussr 1 battleship 2 cruiser",
    )
    found = described(*placed, at="norway", landings=["north-sea"])
    assert found.salvo == "aircraft"
    assert found.carrying == (("bomber", 1),)
    assert found.bombardment == ((4, 1), (2, 2))
    later = described(*placed, at="norway", landings=["north-sea"], round=2)
    assert (later.salvo, later.carrying, later.bombardment) == ("", (), ())
    quiet = described(*placed, at="norway", landings=["north-sea"], plan=Plan(holds_fire=True))
    assert quiet.bombardment == ()


def test_marines_have_another_number_in_the_first_round() -> None:
    found = described(
        "norway we 1 infantry ussr 2 infantry!attacking!landed!spent 1 infantry!attacking",
        at="norway",
        techs={"ussr": {"infantry": 4}},
    )
    assert b.main_attack(found) == (
        Shot(2, "ussr", "infantry", 2),
        Shot(1, "ussr", "infantry", 1),
    )


def test_who_fires_when_and_at_what() -> None:
    found = described(
        "italy-sea-zone we 1 cruiser 1 fighter 1 submarine"
        " ussr 1 submarine!attacking 1 bomber*2!attacking 1 transport!attacking",
        at="italy-sea-zone",
    )
    assert b.sneak_attack(found) == (Shot(2, "ussr", "submarine", 1, "ships"),)
    assert b.main_attack(found) == (Shot(4, "ussr", "bomber", 1, "no-submarines"),)
    assert b.return_fire(found) == (
        Shot(4, "we", "fighter", 1, "no-submarines"),
        Shot(3, "we", "cruiser", 1),
        Shot(2, "we", "submarine", 1, "ships"),
    )
    assert not b.is_idle(found)


def test_a_side_that_cannot_be_hit_is_not_fired_at() -> None:
    planes = Side((Force("uk", "fighter", 1, 0, 0),), (Loss("uk", "fighter"),))
    boats = Side((Force("ussr", "submarine", 2, 2, 2),), (Loss("ussr", "submarine"),) * 2)
    found = Battle("italy-sea-zone", attacker=boats, defender=planes)
    assert b.sneak_attack(found) == ()
    assert b.is_idle(found)


def test_a_description_carries_only_data() -> None:
    import msgspec

    found = described("west-germany we 2 infantry ussr 3 armor!attacking")
    assert msgspec.json.decode(msgspec.json.encode(found), type=Battle) == found


def test_odds_of_one_against_one() -> None:
    """An armor against an infantry: each round it hits with a half, and is hit with a third."""
    found = described("west-germany we 1 infantry ussr 1 armor!attacking", round=2)
    assert calculator.win_chance(found) == pytest.approx((1 / 2 * 2 / 3) / (1 - 1 / 2 * 2 / 3))
