"""Threats with their odds, and the means of a power."""

from __future__ import annotations

from engine.core import Seat
from engine.east_and_west.board import Variant
from engine.east_and_west.briefing.threats import BUDGET, EXACT, threats
from engine.east_and_west.combat.scenario import arranged
from engine.east_and_west.odds.calculator import odds
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import GAME, board, new_match, play, state

UK, USSR, WE = Seat("uk"), Seat("ussr"), Seat("we")


def test_a_threat_has_the_exact_odds_of_everything_that_can_come() -> None:
    position = board("east-germany ussr 5 infantry 2 armor", "west-germany we 4 infantry", power=WE)
    (threat,) = threats(position, WE)
    wanted = odds(arranged(USSR, {"infantry": 5, "armor": 2}, WE, {"infantry": 4})).captures
    assert (threat.land, threat.foe) == ("west-germany", USSR)
    assert dict(threat.units) == {"infantry": 5, "armor": 2}
    assert threat.is_exact
    assert threat.chance == wanted


def test_guns_and_allies_defend_too() -> None:
    bare = board("east-germany ussr 3 infantry 3 fighter", "west-germany we 2 infantry", power=WE)
    held = board(
        "east-germany ussr 3 infantry 3 fighter",
        "west-germany we 2 infantry 1 aa-gun usa 2 infantry",
        power=WE,
    )
    assert threats(held, WE)[0].chance < threats(bare, WE)[0].chance


def test_a_land_without_units_is_lost_to_whoever_comes() -> None:
    position = board("east-germany ussr 1 infantry", power=WE)
    (threat,) = threats(position, WE)
    assert (threat.land, threat.chance, threat.is_held) == ("west-germany", 1.0, False)


def test_aircraft_alone_take_nothing() -> None:
    assert threats(board("poland ussr 5 bomber", "france we 1 infantry", power=WE), WE) == []


def test_infantry_comes_over_the_sea_where_no_ship_is_in_the_way() -> None:
    ships = "barents-sea ussr 1 transport[2 infantry]"
    free = board(ships, "united-kingdom uk 1 infantry", power=UK)
    assert {threat.land for threat in threats(free, UK)} >= {"united-kingdom"}
    guards = "north-sea uk 1 cruiser", "irish-sea uk 1 cruiser"
    kept = board(ships, *guards, "united-kingdom uk 1 infantry", power=UK)
    assert "united-kingdom" not in {threat.land for threat in threats(kept, UK)}


def test_of_several_enemies_the_worst_is_told() -> None:
    position = board(
        "france we 1 infantry uk 9 infantry 2 armor",
        "west-germany ussr 2 infantry",
        owners={"west-germany": "ussr"},
        power=USSR,
    )
    found = {threat.land: threat for threat in threats(position, USSR)}
    assert found["west-germany"].foe == UK


def test_what_is_worth_more_comes_first() -> None:
    position = board(
        "east-germany ussr 9 infantry",
        "west-germany we 1 infantry",
        "yugoslavia ussr 9 infantry 3 armor",
        "italy we 1 infantry",
        owners={"east-germany": "ussr", "yugoslavia": "ussr"},
        power=WE,
    )
    lands = [threat.land for threat in threats(position, WE)]
    assert lands.index("italy") < lands.index("west-germany")


def test_a_huge_battle_is_guessed() -> None:
    position = board("east-germany ussr 60 infantry", "west-germany we 40 infantry", power=WE)
    (threat,) = threats(position, WE)
    assert EXACT < 60 * 40 < BUDGET
    assert not threat.is_exact


def test_spent_units_of_the_turn_before_are_rested_by_then() -> None:
    """The enemy has just moved; his next turn counts."""
    position = board("east-germany ussr 5 infantry!spent", "west-germany we 1 infantry", power=WE)
    assert threats(position, WE)


def said(position: State, seat: str = "we") -> list[list[str]]:
    view = GAME.view(position, Seat(seat))
    return [
        [GAME.say(text) for text in (chapter.title, *chapter.lines)]
        for chapter in GAME.situation(view)
    ]


def test_the_situation_in_words() -> None:
    position = state(
        "east-germany ussr 5 infantry 2 armor",
        "west-germany we 4 infantry",
        "france we 1 atomic-bomb",
        power="we",
        stop="intelligence",
        cash={"we": 31},
        techs={"we": {"aircraft": 1, "ship": 2}},
        spies={"we": 2},
    )
    threatened, means = said(position)
    assert threatened[0] == "Threats before your next turn"
    assert threatened[1] == (
        "West Germany: USSR can bring 2 armor, 5 infantry; chance to take it 97%."
    )
    assert threatened[2].startswith("No danger for the other ")
    assert means[0] == "Your means"
    assert means[1].startswith("31 IPC, enough for 10 infantry, 6 armor or 2 fighters; income ")
    assert "Western Europe, half a step made: Jet propulsion." in means
    assert means[-2:] == ["Bombs: 1 atomic bomb.", "Spies: 2."]


def test_the_money_of_the_mobilisation_is_told_apart() -> None:
    position = new_match()
    _, means = said(position, "ussr")
    assert means[1:3] == [
        "Now, for the mobilisation: 20 IPC, enough for 10 infantry, 4 armor or 1 fighter. What is "
        "left stays in your treasury.",
        "48 IPC, enough for 24 infantry, 9 armor or 4 fighters; income 52 IPC a turn.",
    ]
    _, later = said(play(position, "ussr", "done"), "ussr")
    assert later[1].startswith("68 IPC, enough for ")


def test_without_threats_it_says_so() -> None:
    threatened, _ = said(state(power="we", stop="intelligence"))
    assert threatened[1:] == ["No enemy can reach a land of yours."]


def test_who_holds_several_powers_is_told_which_is_meant() -> None:
    position = state(
        "east-germany ussr 5 infantry",
        power="we",
        stop="intelligence",
        variant=Variant(nato="we+uk,usa"),
    )
    titles = [chapter[0] for chapter in said(position, "we-uk")]
    assert titles == [
        "Western Europe: threats before its next turn",
        "Western Europe: its means",
        "United Kingdom: threats before its next turn",
        "United Kingdom: its means",
    ]


def test_a_spectator_has_no_situation() -> None:
    assert GAME.situation(GAME.view(state(), None)) == ()
