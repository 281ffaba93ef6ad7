"""What the stand-in player has learnt: for each skill a position in which it uses it, and one in
which it sensibly does not."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from engine.chance import SealedDice
from engine.core import Seat
from engine.east_and_west.board import Variant
from engine.east_and_west.bot import draft
from engine.east_and_west.bot.draft import ALL_SKILLS, Skill
from engine.east_and_west.bot.stand_in import orders
from engine.east_and_west.data.arsenal import kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import MINOR, USSR
from engine.east_and_west.standing import Plan, Standing
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import GAME, order, play, state

FLEET = "sea-of-okhotsk ussr 2 cruiser 2 submarine 1 transport"
BOMBED = {"usa": {"nuclear": 2}}


def said(position: State, seat: str, without: Iterable[Skill] = ()) -> list[str]:
    """What it orders; every line is carried out, so it is legal."""
    given = orders(GAME.view(position, Seat(seat)), Seat(seat), ALL_SKILLS - {*without})
    for action in given[:-1]:
        position = order(position, seat, GAME.notate(action)).state
    return [GAME.notate(action) for action in given]


def soviet(*lands: str) -> dict[str, str]:
    """Owners: the USSR holds these lands and no others, so that there is nothing else to take."""
    printed = {key for key, space in atlas().spaces.items() if space.owner == USSR}
    return {**dict.fromkeys(sorted(printed), "we"), **dict.fromkeys(lands, "ussr")}


def verbs(lines: list[str]) -> set[str]:
    return {line.split()[0] for line in lines}


# --- 11: atomic bombs -----------------------------------------------------------------------------


def test_11_a_bomb_falls_on_a_fleet() -> None:
    position = state(
        "japan usa 1 bomber 1 atomic-bomb 3 infantry",
        FLEET,
        power="usa",
        techs=BOMBED,
        cash={"usa": 0},
    )
    assert "strike japan sea-of-okhotsk atomic-bomb" in said(position, "usa")
    assert "strike" not in verbs(said(position, "usa", ["bombs"]))


def test_11_a_bomb_is_not_wasted_on_a_trench() -> None:
    """Five infantry of twenty are not worth it; the bomber beside the bomb waits, too."""
    position = state(
        "japan usa 1 bomber 1 atomic-bomb 3 infantry",
        "north-korea ussr 20 infantry",
        power="usa",
        techs=BOMBED,
        cash={"usa": 0},
    )
    assert verbs(said(position, "usa")) == {"done"}


def test_11_4_nobody_strikes_whom_the_universities_have_stopped() -> None:
    position = state(
        "japan usa 1 bomber!spent 1 atomic-bomb!spent 3 infantry",
        FLEET,
        power="usa",
        techs=BOMBED,
        cash={"usa": 0},
    )
    assert "strike" not in verbs(said(position, "usa"))


def test_11_6_a_missile_needs_no_bomber() -> None:
    position = state(
        "japan usa 1 aa-gun 1 atomic-bomb 3 infantry",
        FLEET,
        power="usa",
        techs={"usa": {"nuclear": 4}},
        cash={"usa": 0},
    )
    assert "strike japan sea-of-okhotsk missile atomic-bomb" in said(position, "usa")


def test_11_1_a_bomb_is_built_for_a_target_and_not_without_one() -> None:
    base = "japan usa 1 bomber 6 infantry"
    assert "buy 1 atomic-bomb" in said(
        state(base, FLEET, power="usa", techs=BOMBED, cash={"usa": 40}), "usa"
    )
    lonely = state(base, "sea-of-okhotsk ussr 1 submarine", power="usa", techs=BOMBED)
    assert "buy 1 atomic-bomb" not in said(lonely, "usa")
    armed = state(f"{base} 1 atomic-bomb!spent", FLEET, power="usa", techs=BOMBED, cash={"usa": 40})
    assert "buy 1 atomic-bomb" not in said(armed, "usa"), "one is enough"


def test_11_2_a_bomb_is_flown_to_where_it_can_be_used() -> None:
    position = state(
        "eastern-united-states usa 1 bomber 1 atomic-bomb 2 infantry",
        "alaska usa 3 infantry",
        FLEET,
        power="usa",
        stop="logistics",
        techs=BOMBED,
    )
    (flight,) = [line for line in said(position, "usa") if line.startswith("fly-bomb")]
    goal = flight.split()[2]
    assert atlas().distances([goal])["sea-of-okhotsk"] <= kinds()["bomber"].movement // 2


def test_11_2_a_bomber_comes_to_a_bomb_and_stays_beside_it() -> None:
    apart = state(
        "western-united-states usa 1 atomic-bomb 2 infantry",
        "eastern-united-states usa 1 bomber 2 infantry",
        power="usa",
        stop="logistics",
        techs=BOMBED,
    )
    assert "move eastern-united-states western-united-states 1 bomber" in said(apart, "usa")
    together = state(
        "western-united-states usa 1 atomic-bomb 1 bomber 2 infantry",
        power="usa",
        stop="logistics",
        techs=BOMBED,
    )
    assert not [line for line in said(together, "usa") if "bomber" in line]


# --- 7.14: raids ----------------------------------------------------------------------------------


def test_7_14_an_idle_bomber_raids_a_factory_without_guns() -> None:
    position = state(
        "norway uk 2 bomber 4 infantry",
        "karelia ussr 20 infantry",
        power="uk",
        owners=soviet("karelia"),
    )
    assert "raid norway karelia 2" in said(position, "uk")
    assert "raid" not in verbs(said(position, "uk", ["raids"]))


def test_7_14_guns_and_an_empty_purse_keep_bombers_at_home() -> None:
    guarded = state(
        "norway uk 2 bomber 4 infantry",
        "karelia ussr 20 infantry 1 aa-gun",
        power="uk",
        owners=soviet("karelia"),
    )
    assert "raid" not in verbs(said(guarded, "uk"))
    poor = state(
        "norway uk 2 bomber 4 infantry",
        "karelia ussr 20 infantry",
        power="uk",
        owners=soviet("karelia"),
        cash={"ussr": 5},
    )
    assert "raid norway karelia 1" in said(poor, "uk"), "one burns all there is"


# --- 12: paratroops -------------------------------------------------------------------------------


def test_12_2_paratroops_take_an_empty_land_beyond_the_sea() -> None:
    position = state("united-kingdom uk 1 bomber 8 infantry", power="uk", owners=soviet("norway"))
    assert "drop united-kingdom norway 1" in said(position, "uk")
    assert "drop" not in verbs(said(position, "uk", ["paratroops"]))


def test_12_2_nobody_jumps_where_he_is_thrown_out_at_once() -> None:
    position = state(
        "united-kingdom uk 1 bomber 8 infantry",
        "karelia ussr 9 infantry 2 armor",
        power="uk",
        owners=soviet("norway", "karelia"),
    )
    assert "drop" not in verbs(said(position, "uk"))


def test_12_1_fighters_clear_a_land_and_paratroops_take_it() -> None:
    position = state(
        "united-kingdom uk 2 bomber 8 infantry 5 fighter",
        "norway ussr 1 infantry",
        power="uk",
        owners=soviet("norway"),
    )
    lines = said(position, "uk")
    assert any(line.startswith("drop united-kingdom norway") for line in lines)
    assert any(line.startswith("move united-kingdom norway") for line in lines)


def test_12_1_who_has_to_stay_does_not_jump() -> None:
    position = state("united-kingdom uk 1 bomber 2 infantry", power="uk", owners=soviet("norway"))
    assert "drop" not in verbs(said(position, "uk"))


# --- 5.3: research against money ------------------------------------------------------------------


def test_5_3_a_rich_power_pays_for_the_second_half_of_a_step() -> None:
    rich = state(power="uk", stop="intelligence", techs={"uk": {"armor": 1}}, cash={"uk": 40})
    assert "research armor" in said(rich, "uk")
    assert "research" not in verbs(said(rich, "uk", ["research"]))


@pytest.mark.parametrize(
    ("money", "at", "round"), [(12, 1, 1), (40, 0, 1), (40, 1, 28)], ids=["poor", "far", "late"]
)
def test_5_3_money_is_not_spent_on_what_comes_too_late(money: int, at: int, round: int) -> None:
    position = state(
        power="uk",
        stop="intelligence",
        round=round,
        techs={"uk": {"armor": at}},
        cash={"uk": money},
    )
    assert "research" not in verbs(said(position, "uk"))


def test_5_9_who_has_many_fighters_wants_jets_first() -> None:
    position = state(
        "france usa 12 fighter 20 infantry", power="usa", stop="intelligence", techs=BOMBED
    )
    assert "research free aircraft" in said(position, "usa")
    assert "research free armor" in said(position, "usa", ["research"])


# --- 4: spies -------------------------------------------------------------------------------------


def test_4_4_a_spy_steals_when_there_is_nobody_to_win_over() -> None:
    courted = {land: "uk" for land, space in atlas().spaces.items() if space.owner == MINOR}
    alone = state(
        power="uk",
        stop="intelligence",
        spies={"uk": 1},
        owners=courted,
        techs={"ussr": {"armor": 2}},
        influence={"china": -4, "arab": -4, "oas": -4},
    )
    assert "spy theft armor" in said(alone, "uk")
    courting = state(
        "spain neutral 4 infantry 1 armor 1 fighter",
        power="uk",
        stop="intelligence",
        spies={"uk": 1},
        techs={"ussr": {"armor": 2}},
    )
    assert "spy diplomacy spain" in said(courting, "uk")


def test_4_5_a_spy_hunts_another_when_nothing_is_left_to_steal() -> None:
    courted = {land: "uk" for land, space in atlas().spaces.items() if space.owner == MINOR}
    position = state(
        power="uk",
        stop="intelligence",
        spies={"uk": 1, "ussr": 1},
        owners=courted,
        influence={"china": -4, "arab": -4, "oas": -4},
    )
    assert "spy counter ussr" in said(position, "uk")


# --- 8.11: landings -------------------------------------------------------------------------------


def test_8_11_a_lost_land_is_taken_back_from_two_zones_away() -> None:
    position = state(
        "gulf-of-mexico usa 3 transport 1 cruiser",
        "eastern-united-states usa 9 infantry",
        "france ussr 1 infantry",
        power="usa",
        owners=soviet("france"),
        cash={"usa": 0},
    )
    lines = said(position, "usa")
    (landing,) = [line for line in lines if line.startswith("land ")]
    zone = landing.split()[1]
    assert landing.split()[2] == "france"
    assert f"move gulf-of-mexico {zone} 1 cruiser" in lines, "it bombards; 7.6"
    assert "land" not in verbs(said(position, "usa", ["landings"]))


def test_8_11_ships_of_two_harbours_land_together() -> None:
    position = state(
        "irish-sea uk 1 transport",
        "iceland-sea-zone uk 1 transport",
        "united-kingdom uk 6 infantry 4 fighter",
        "iceland uk 4 infantry",
        "norway ussr 4 infantry",
        power="uk",
        owners={**soviet("norway"), "iceland": "uk"},
        cash={"uk": 0},
    )
    landings = [line for line in said(position, "uk") if line.startswith("land ")]
    assert len(landings) == 2
    assert {line.split()[2] for line in landings} == {"norway"}


def test_8_11_nobody_lands_before_a_strong_garrison() -> None:
    position = state(
        "gulf-of-mexico usa 3 transport 1 cruiser",
        "eastern-united-states usa 9 infantry",
        "france ussr 9 infantry 2 armor",
        power="usa",
        owners=soviet("france"),
        cash={"usa": 0},
    )
    assert verbs(said(position, "usa")) == {"done"}


def test_8_10_a_power_overseas_buys_ships_and_who_sails_in_them() -> None:
    bare = state("eastern-united-states usa 2 infantry", power="usa", cash={"usa": 50})
    lines = said(bare, "usa")
    assert "buy 1 transport" in lines
    shipped = state(
        "eastern-united-states usa 2 infantry",
        "gulf-of-mexico usa 6 transport",
        power="usa",
        cash={"usa": 40},
    )
    assert not [line for line in said(shipped, "usa") if "transport" in line]
    raised = [line for line in said(shipped, "usa") if line.startswith("buy")]
    assert "buy 10 infantry" in raised, "what is left after the spy"


def test_8_10_empty_ships_go_where_most_troops_wait() -> None:
    position = state(
        "baffin-and-hudson-bay uk 3 transport",
        "ontario uk 1 infantry",
        "united-kingdom uk 12 infantry",
        power="uk",
        stop="logistics",
    )
    (move,) = [line for line in said(position, "uk") if line.startswith("move baffin")]
    assert move.split()[2] in atlas().zones("united-kingdom")


# --- 14.5: answers --------------------------------------------------------------------------------


def asked_to_retreat(ours: str, theirs: str, faces: list[int]) -> State:
    position = state(
        f"east-germany ussr {ours}",
        "poland ussr 1 infantry",
        f"west-germany we {theirs}",
        standing={"ussr": Standing(plans={"west-germany": Plan(asks=True)})},
    )
    position = play(position, "ussr", f"move east-germany west-germany {ours}")
    return order(position, "ussr", "done", faces=faces).state


def test_14_5_a_battle_that_is_lost_is_broken_off() -> None:
    asked = asked_to_retreat("2 armor", "4 infantry", [6, 6, 6, 6, 6, 6])
    assert said(asked, "ussr") == ["retreat east-germany"]


def test_14_5_a_battle_that_goes_well_is_fought_on() -> None:
    asked = asked_to_retreat("5 armor", "1 infantry", [6, 6, 6, 6, 6, 6])
    assert said(asked, "ussr") == ["fight"]


# --- it always comes to an end --------------------------------------------------------------------


def test_17_who_has_tried_enough_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    position = GAME.new_game({}, SealedDice()).state
    monkeypatch.setattr(draft, "MOST_TRIES", 0)
    assert said(position, "ussr") == ["done"]
    monkeypatch.setattr(draft, "MOST_TRIES", 100)
    monkeypatch.setattr(draft, "MOST_ORDERS", 1)
    assert len(said(position, "ussr")) == 2


def test_17_nuclear_winter_lets_bombs_and_troops_go_together() -> None:
    """11.8: cheap bombs without complications."""
    position = state(
        "japan usa 1 bomber 6 infantry",
        FLEET,
        power="usa",
        techs=BOMBED,
        cash={"usa": 40},
        variant=Variant(nuclear_winter=True),
    )
    assert "buy 1 atomic-bomb" in said(position, "usa")
