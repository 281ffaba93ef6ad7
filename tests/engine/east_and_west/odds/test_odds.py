"""14: the odds of battles, by hand, by a million throws, and by the game itself."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import pytest

from engine.chance import QuickDice
from engine.core import BadNotation, Seat
from engine.east_and_west.battle import Battle
from engine.east_and_west.combat.scenario import Known, arranged, read_known, read_units
from engine.east_and_west.data.powers import UK, USA, USSR, WE
from engine.east_and_west.odds import calculator
from engine.east_and_west.odds.calculator import Odds, odds, simulated
from tests.engine.east_and_west.kit import GAME, order, state
from tests.engine.east_and_west.odds import thrown
from tests.engine.refusals import exactly

SIXTH, THIRD, HALF = Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)
THROWN = 1_000_000
THROWN_AT_ONCE = 20_000


def battle(
    ours: str,
    theirs: str,
    known: Known | None = None,
    at_sea: bool = False,
    is_landing: bool = False,
    attacker: Seat = USSR,
    defender: Seat = WE,
) -> Battle:
    return arranged(
        attacker, read_units(ours), defender, read_units(theirs), known, at_sea, is_landing
    )


def exact(*said: object, **more: object) -> Odds:
    found = odds(battle(*said, **more))  # type: ignore[arg-type]
    assert found.is_exact
    assert found.wins + found.loses + found.empties + found.stands == pytest.approx(1)
    assert sum(ending.chance for ending in found.endings) == pytest.approx(1)
    return found


# --- by hand --------------------------------------------------------------------------------------


def duel(attack: Fraction, defence: Fraction) -> tuple[float, float, float]:
    """One unit against one, until a round in which somebody is hit."""
    somebody = 1 - (1 - attack) * (1 - defence)
    return (
        float(attack * (1 - defence) / somebody),
        float(defence * (1 - attack) / somebody),
        float(attack * defence / somebody),
    )


@pytest.mark.parametrize(
    ("ours", "theirs", "attack", "defence"),
    [
        ("1 infantry", "1 infantry", SIXTH, THIRD),
        ("1 infantry", "1 armor", SIXTH, THIRD),
        ("1 armor", "1 infantry", HALF, THIRD),
        ("1 heavy armor", "1 heavy armor", 2 * THIRD, HALF),
        ("1 fighter", "1 fighter", HALF, 2 * THIRD),
        ("1 bomber", "1 infantry", 2 * THIRD, THIRD),
        ("1 howitzer", "1 howitzer", 2 * THIRD, SIXTH),
    ],
)
def test_one_against_one(ours: str, theirs: str, attack: Fraction, defence: Fraction) -> None:
    found = exact(ours, theirs)
    assert (found.wins, found.loses, found.empties) == pytest.approx(duel(attack, defence))
    _, loses, empties = duel(attack, defence)
    assert found.lost_units[0] == pytest.approx(loses + empties)


def test_infantry_against_infantry_is_a_quarter() -> None:
    found = exact("1 infantry", "1 infantry")
    assert (found.wins, found.loses, found.empties) == pytest.approx((1 / 4, 5 / 8, 1 / 8))
    assert found.captures == found.wins
    assert found.lost_value == pytest.approx((2 * 3 / 4, 3 * 3 / 8))


def test_two_against_one() -> None:
    """First no hit or one hit at all, then what is left."""
    p, q = SIXTH, THIRD
    two = 1 - (1 - p) ** 2
    somebody = 1 - (1 - two) * (1 - q)
    single_wins = p * (1 - q) / (1 - (1 - p) * (1 - q))
    wins = (two * (1 - q) + two * q + (1 - two) * q * single_wins) / somebody
    assert exact("2 infantry", "1 infantry").wins == pytest.approx(float(wins))


def test_aircraft_alone_win_and_take_nothing() -> None:
    found = exact("2 fighters", "1 infantry")
    assert found.wins > 0.5
    assert found.captures == 0


def test_a_ground_unit_is_kept_to_take_the_land() -> None:
    found = exact("1 infantry 1 fighter", "1 infantry")
    lost_one = [e for e in found.endings if not e.defender and len(e.attacker) == 1]
    assert {units.kind for ending in lost_one for units in ending.attacker} == {"infantry"}
    assert found.captures == found.wins


def test_sneaking_units_are_not_answered() -> None:
    """7.7a: special forces hit at 2; only if they miss is there a return fire at 2."""
    p, q = THIRD, THIRD
    wins = p / (1 - (1 - p) * (1 - q))
    found = exact("1 special forces", "1 infantry")
    assert (found.wins, found.empties) == pytest.approx((float(wins), 0))


def test_a_battleship_takes_two_hits_and_attacks_no_more_when_damaged() -> None:
    """6.9: damaged it does not fire; the transport fires on at 1 until it is sunk."""
    p, q = 2 * THIRD, SIXTH
    somebody = 1 - (1 - p) * (1 - q)
    found = exact("1 battleship", "1 transport", at_sea=True)
    assert found.wins == pytest.approx(float(p / somebody))
    assert found.loses == pytest.approx(float((1 - p) * q / somebody))


def test_a_defending_battleship_fires_on() -> None:
    found = exact("3 cruisers", "1 battleship", at_sea=True)
    weaker = exact("3 cruisers", "1 cruiser", at_sea=True)
    assert found.loses > weaker.loses
    damaged = [e.defender[0].damaged for e in found.endings if e.defender]
    assert set(damaged) == {0, 1}


def test_guns_shoot_before_the_first_round() -> None:
    """7.4: one die, and then a duel."""
    wins, _, _ = duel(HALF, THIRD)
    assert exact("1 fighter", "1 infantry 1 aa gun").wins == pytest.approx(5 / 6 * wins)


def test_anti_tank_guns_shoot_at_armour() -> None:
    """7.5"""
    wins, _, _ = duel(HALF, THIRD)
    found = exact("1 armor", "1 infantry 1 aa gun", {WE: {"armor": 2}})
    assert found.wins == pytest.approx(5 / 6 * wins)


def test_ships_bombard_before_a_landing_and_marines_come_at_two() -> None:
    """7.6, 5.9"""
    wins, _, _ = duel(SIXTH, THIRD)
    found = exact("1 infantry 1 cruiser", "1 infantry", is_landing=True)
    assert found.wins == pytest.approx(1 / 3 + 2 / 3 * wins)
    first_wins = THIRD * (1 - THIRD)
    nothing = (1 - THIRD) * (1 - THIRD)
    marines = float(first_wins) + float(nothing) * wins
    found = exact("1 infantry", "1 infantry", {USSR: {"infantry": 2}}, is_landing=True)
    assert found.wins == pytest.approx(marines)


def test_aircraft_cannot_hit_submarines_with_snorkels() -> None:
    """7.8, 7.11: they do not hit each other either, and the battle ends without a die."""
    found = exact("3 fighters", "2 submarines", {WE: {"submarine": 1}}, at_sea=True)
    assert found.stands == 1
    assert exact("3 fighters", "2 submarines", at_sea=True).stands == 0


def test_submarines_that_are_left_alone_submerge() -> None:
    """14.2 no. 4: after one round."""
    found = exact("2 cruisers", "1 submarine", at_sea=True)
    survives = (2 / 3) ** 2
    escaped = sum(e.chance for e in found.endings if e.attacker and e.defender)
    assert found.stands == 0
    assert escaped == pytest.approx(survives)
    assert found.wins == pytest.approx(1)


# --- by throwing ----------------------------------------------------------------------------------

VARIED: list[dict[str, object]] = [
    {"ours": ours, "theirs": theirs}
    for ours, theirs in (
        ("3 infantry", "2 infantry"),
        ("6 infantry 2 armor", "5 infantry 1 armor"),
        ("10 infantry 6 armor 3 fighters 1 bomber", "11 infantry 4 armor 3 fighters"),
        ("4 heavy armor 2 fighters", "8 infantry"),
        ("8 infantry 2 howitzers", "4 infantry 2 armor 1 fighter"),
        ("5 special forces", "5 infantry"),
        ("2 special forces 4 infantry 1 armor", "3 special forces 2 armor"),
        ("2 fighters 1 bomber", "3 infantry"),
        ("1 infantry 4 bombers", "6 infantry 1 fighter"),
        ("12 infantry", "3 fighters 2 bombers"),
        ("5 armor 5 infantry 2 fighters", "4 infantry 1 armor 1 aa gun"),
        ("3 fighters 3 bombers", "4 infantry 2 aa guns"),
        ("2 infantry 1 fighter", "1 bomber 1 aa gun"),
        ("1 infantry", "4 infantry"),
        ("7 armor", "1 infantry 5 fighters"),
        ("2 howitzers 1 heavy armor", "2 howitzers 2 infantry"),
        ("9 infantry 1 bomber", "3 heavy armor 1 infantry"),
        ("1 special forces 1 bomber", "2 armor"),
        ("4 fighters 1 infantry", "2 fighters 2 infantry 1 aa gun"),
        ("15 infantry", "10 infantry"),
        ("6 heavy armor 6 infantry", "6 armor 6 infantry 1 bomber"),
    )
]
VARIED += [
    {
        "ours": "4 armor 2 heavy armor 2 special forces",
        "theirs": theirs,
        "known": {WE: {"armor": 2}},
    }
    for theirs in ("5 infantry 1 aa gun", "3 armor 2 fighters 1 aa gun", "6 infantry")
]
VARIED += [
    {"ours": ours, "theirs": "4 infantry 2 fighters", "known": {WE: {"aircraft": 1}}}
    for ours in ("6 armor", "3 infantry 3 fighters", "5 heavy armor 1 bomber")
]
VARIED += [
    {"ours": ours, "theirs": theirs, "known": known, "is_landing": True}
    for ours, theirs in (
        ("4 infantry 1 battleship", "3 infantry"),
        ("2 infantry 2 armor 2 cruisers", "4 infantry 1 fighter"),
        ("6 infantry 1 fighter 1 battleship 2 submarines", "4 infantry 1 armor 1 aa gun"),
    )
    for known in ({}, {USSR: {"infantry": 2, "submarine": 3}})
]
VARIED += [
    {"ours": ours, "theirs": theirs, "known": known, "at_sea": True, "defender": UK}
    for ours, theirs in (
        ("3 submarines", "2 transports 1 cruiser"),
        ("2 submarines 2 cruisers 2 fighters", "2 transports 2 submarines 1 battleship"),
        ("2 battleships 1 cruiser", "1 battleship 2 cruisers 1 transport"),
        ("3 fighters 1 bomber", "1 carrier 2 fighters 1 submarine"),
        ("1 carrier 2 fighters 2 submarines", "3 submarines 1 cruiser"),
        ("4 submarines", "4 submarines"),
        ("2 cruisers 1 transport", "2 submarines 1 large transport"),
        ("1 battleship 1 submarine 1 bomber", "2 cruisers 1 submarine"),
    )
    for known in (
        {},
        {UK: {"submarine": 1, "ship": 3}},
        {USSR: {"submarine": 1}, UK: {"aircraft": 1}},
    )
]
VARIED = list({repr(battle(**said)): said for said in VARIED}.values())[:50]  # type: ignore[arg-type]


def test_there_are_fifty_varied_battles() -> None:
    assert len(VARIED) == 50
    assert sum("at_sea" in said for said in VARIED) >= 15


def agrees(found: Odds, said: dict[str, object], battles: int, seed: int) -> None:
    """Within three standard errors, each of the four verdicts; losses within one percent."""
    tally = thrown.throw(battle(**said), battles, seed)  # type: ignore[arg-type]
    pairs = {
        "wins": (found.wins, tally.wins),
        "loses": (found.loses, tally.loses),
        "empties": (found.empties, tally.empties),
        "stands": (found.stands, tally.stands),
    }
    for name, (chance, share) in pairs.items():
        error = sqrt(max(chance * (1 - chance), 1e-12) / battles)
        assert abs(chance - share) <= 3 * error + 1e-9, (name, said, chance, share, error)
    spread = 4 / sqrt(battles) * 10
    assert found.lost_units == pytest.approx(tally.lost, abs=spread)


@pytest.mark.parametrize("number", range(0, 50, 7))
def test_computed_and_thrown_battles_agree(number: int) -> None:
    agrees(exact(**VARIED[number]), VARIED[number], THROWN_AT_ONCE, number)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(50))
def test_computed_battles_agree_with_a_million_thrown(number: int) -> None:
    agrees(exact(**VARIED[number]), VARIED[number], THROWN, number)


def test_thrown_odds_say_so_and_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    said = VARIED[1]
    computed = exact(**said)
    monkeypatch.setattr(calculator, "MOST_STEPS", 10)
    monkeypatch.setattr(calculator, "THROWN", 5_000)
    found = odds(battle(**said))  # type: ignore[arg-type]
    assert not found.is_exact
    assert found.battles == calculator.THROWN
    assert found.wins == pytest.approx(computed.wins, abs=0.03)
    assert found.lost_units == pytest.approx(computed.lost_units, abs=0.1)


def test_the_same_seed_throws_the_same() -> None:
    one = battle("3 infantry", "2 infantry")
    assert simulated(one, 100, b"a") == simulated(one, 100, b"a")
    assert simulated(one, 100, b"a") != simulated(one, 100, b"b")


@pytest.mark.whole
def test_the_game_itself_fights_such_battles() -> None:
    """The rules as they are played give what was computed."""
    position = state(
        "poland ussr 4 infantry 2 armor 1 fighter",
        "west-germany we 4 infantry 1 fighter 1 aa-gun",
    )
    position = order(
        position, "ussr", "move poland west-germany 4 infantry 2 armor 1 fighter"
    ).state
    found = exact("4 infantry 2 armor 1 fighter", "4 infantry 1 fighter 1 aa gun")
    games, taken = 400, 0
    for seed in range(games):
        done = GAME.apply(position, USSR, GAME.parse("done"), QuickDice(b"odds %d" % seed))
        taken += done.state.board.owners["west-germany"] == USSR
    error = sqrt(found.captures * (1 - found.captures) / games)
    assert abs(found.captures - taken / games) <= 3 * error


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not finished; expected: units with their numbers, such as 3 infantry 1 armor"),
        ("infantry x", "'infantry x' ends before 'x'"),
        ("0 infantry", "'0' in '0 infantry' does not fit; expected: 1-999"),
        ("101 infantry", "at most 100 units on a side"),
        ("1 spy", "spy takes no part in a battle"),
        ("1 factory", "factory takes no part in a battle"),
        ("3 zeppelins", "'zeppelins' in '3 zeppelins' does not fit; expected: a kind of unit"),
    ],
)
def test_what_is_no_army_is_refused(text: str, message: str) -> None:
    with pytest.raises(BadNotation, match=exactly(message)):
        read_units(text)


def test_friends_do_not_fight_and_ships_do_not_walk() -> None:
    with pytest.raises(BadNotation, match="no enemies"):
        battle("1 infantry", "1 infantry", attacker=UK, defender=USA)
    with pytest.raises(BadNotation, match="ships fight at sea"):
        battle("1 cruiser 1 infantry", "1 infantry")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ussr armor", "'ussr armor' is not finished; expected: 0-999"),
        ("ussr armor 4", "steps are 1, 2 and 3"),
        (
            "nobody armor 1",
            "'nobody' in 'nobody armor 1' does not fit; expected: ussr | we | uk | usa",
        ),
        (
            "ussr sword 1",
            "'sword' in 'ussr sword 1' does not fit; "
            "expected: submarine | ship | infantry | armor | aircraft | nuclear",
        ),
    ],
)
def test_what_is_no_knowledge_is_refused(text: str, message: str) -> None:
    with pytest.raises(BadNotation, match=exactly(message)):
        read_known(text)


def test_knowledge_is_read() -> None:
    assert read_known("ussr armor=2") == (USSR, "armor", 2)
