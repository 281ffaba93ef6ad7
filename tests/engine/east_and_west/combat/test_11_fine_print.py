"""Chapter 11 to the letter: every sentence, and which bomb, bomber or unit exactly."""

from __future__ import annotations

from typing import Any

from engine.core import Seat
from engine.east_and_west.board import Fallout, Group, Luck, Strike
from engine.east_and_west.state import State
from tests.engine.east_and_west.battles import strikes
from tests.engine.east_and_west.kit import Script, marked, order, owner, play, state, told, units

BOMBS = {"usa": {"nuclear": 2}, "ussr": {"nuclear": 2, "armor": 2}}
NORMAL = [3, 4]
"""Two dice without complications."""
LINE = "strike west-germany poland"
ARMY = "poland ussr 8 infantry 2 fighter"


def base(*more: str, stock: str = "1 bomber 1 atomic-bomb", **changes: Any) -> State:
    changes.setdefault("techs", BOMBS)
    return state(f"west-germany usa {stock}", *more, power="usa", **changes)


def soviet(*more: str) -> State:
    position = state(
        "poland ussr 1 bomber 1 atomic-bomb", "west-germany we 3 infantry", *more, techs=BOMBS
    )
    return play(position, "ussr", "strike poland west-germany")


# --- 11.4: complications --------------------------------------------------------------------------


def test_11_4_3_a_malfunction_is_one_bombs_alone() -> None:
    position = play(base(ARMY, stock="2 bomber 2 atomic-bomb"), "usa", LINE, LINE)
    done = order(position, "usa", "done", [1, 2, *NORMAL, 6])
    assert told(done) == [
        "USA, atomic attack on Poland, complications: 1 2",
        "The bomb malfunctions",
        "USA, atomic attack on Poland, complications: 3 4",
        "The bomb on Poland does not explode",
        "USA: atomic bomb on Poland",
        "USSR loses 5 infantry",
        "Escape of the bomber, lost on 1: 6",
    ]


def test_11_4_9_university_protests_are_told() -> None:
    done = order(play(base(ARMY), "usa", LINE), "usa", "done", [4, 5])
    assert told(done) == [
        "USA, atomic attack on Poland, complications: 4 5",
        "University protests: the bomb for Poland is not used in this turn",
    ]
    done = order(soviet(), "ussr", "done", [4, 5, 6])
    assert told(done)[1] == "University protests: the USSR ignores them"


def test_11_4_9_no_other_bomb_goes_instead() -> None:
    position = play(base(ARMY, stock="2 bomber 2 atomic-bomb"), "usa", LINE)
    done = order(position, "usa", "done", [4, 5])
    assert units(done.state, "poland") == "ussr 8 infantry 2 fighter"
    assert marked(done.state, "west-germany") == [
        Group("usa", "atomic-bomb"),
        Group("usa", "atomic-bomb", marks=("spent",)),
        Group("usa", "bomber"),
        Group("usa", "bomber", marks=("spent",)),
    ]


def test_11_4_protests_are_told() -> None:
    done = order(play(base(ARMY), "usa", LINE), "usa", "done", [1, 3, 6])
    assert told(done)[1:3] == [
        "Arab League protests against the atomic attack",
        "Arab League: the influence moves from 0 to +1; plus is the USSR",
    ]


# --- 13.8, 19: a protest calls back who had access ------------------------------------------------

GUESTS = "syria arab 1 infantry ussr 3 armor"
COMPLAINT = [1, 3]
"""The Arab League protests."""


def test_13_8_a_land_taken_on_the_way_is_given_up_with_its_gun() -> None:
    position = state(
        "poland ussr 1 bomber 1 atomic-bomb",
        "west-germany we 3 infantry",
        "turkey we 1 aa-gun",
        GUESTS,
        techs=BOMBS,
        influence={"arab": 2},
    )
    position = play(position, "ussr", "move syria turkey 1 armor", "strike poland west-germany")
    assert owner(position, "turkey") == "ussr"
    done = order(position, "ussr", "done", [*COMPLAINT, 6])
    assert owner(done.state, "turkey") == "we"
    assert units(done.state, "turkey") == "we 1 aa-gun"
    assert done.state.board.turn.captured == ()
    assert units(done.state, "russia") == "ussr 3 armor"
    assert "3 units of USSR have to leave Syria and go to Russia" in told(done)


def test_13_8_only_those_are_called_back_who_left_that_land() -> None:
    """Infantry from Georgia fights on alone; the armor from Syria has never come."""
    position = state(
        "poland ussr 1 bomber 1 atomic-bomb",
        "west-germany we 3 infantry",
        "turkey we 1 infantry",
        "georgia ussr 2 infantry 1 armor",
        GUESTS,
        techs=BOMBS,
        influence={"arab": 2},
    )
    position = play(
        position,
        "ussr",
        "move georgia turkey 1 infantry 1 armor",
        "move syria turkey 2 armor",
        "strike poland west-germany",
    )
    done = order(position, "ussr", "done", [*COMPLAINT, 6, 3, 6, 6])
    assert "Battle of Turkey: USSR attacks with 1 armor, 1 infantry against 1 infantry" in told(
        done
    )
    assert owner(done.state, "turkey") == "ussr"
    assert marked(done.state, "russia") == [Group("ussr", "armor", 3)]


def test_13_8_who_is_still_a_friend_calls_nobody_back() -> None:
    """From 3 to 2 the League still pays the USSR."""
    position = state(
        "poland ussr 1 bomber 1 atomic-bomb",
        "west-germany we 3 infantry",
        GUESTS,
        techs=BOMBS,
        influence={"arab": 3},
    )
    position = play(position, "ussr", "move syria turkey 1 armor", "strike poland west-germany")
    done = order(position, "ussr", "done", [*COMPLAINT, 6])
    assert owner(done.state, "turkey") == "ussr"
    assert units(done.state, "syria", "ussr") == "2 armor"


# --- 11.5: guns -----------------------------------------------------------------------------------


def test_11_5_a_bomber_that_is_shot_down_is_lost_alone() -> None:
    position = play(base(ARMY, "poland ussr 1 aa-gun", stock="3 bomber 3 atomic-bomb"), "usa", LINE)
    done = order(position, "usa", "done", [*NORMAL, 1])
    assert told(done)[1:] == [
        "USSR, anti-aircraft fire at 1 in Poland: 1, hits: 1",
        "The bomber on its way to Poland is shot down with its bomb",
        "USA loses 1 bomber",
    ]
    assert units(done.state, "west-germany") == "usa 2 bomber 2 atomic-bomb"
    assert units(done.state, "poland") == "ussr 8 infantry 1 aa-gun 2 fighter"
    luck = done.state.board.powers[Seat("ussr")].luck
    assert luck == Luck(dice=1, hits=1, expected=0.166667, value=15)


def test_7_4_a_bomber_shot_down_on_its_way_takes_its_bomb_and_no_other_along() -> None:
    position = strikes(
        base("poland ussr 1 aa-gun", "orel ussr 2 infantry", stock="2 bomber 2 atomic-bomb"),
        Strike("atomic-bomb", "west-germany", "orel", points=3, guns=("poland",)),
        Strike("atomic-bomb", "west-germany", "orel", points=3, guns=("poland",)),
    )
    done = order(position, "usa", "done", [*NORMAL, *NORMAL, 1, 6, 6])
    assert units(done.state, "west-germany") == ""
    assert marked(done.state, "orel") == [Group("usa", "bomber", used=3)]
    assert told(done)[2:5] == [
        "USSR, anti-aircraft fire at 1 in Poland: 1, hits: 1",
        "The bomber on its way to Orel is shot down with its bomb",
        "USA loses 1 bomber",
    ]


def test_7_4_the_guns_of_the_next_land_fire_when_those_of_the_first_are_gone() -> None:
    position = strikes(
        base("belarus ussr 1 aa-gun", "orel ussr 2 infantry"),
        Strike("atomic-bomb", "west-germany", "orel", points=3, guns=("poland", "belarus")),
    )
    done = order(position, "usa", "done", [*NORMAL, 1])
    assert told(done)[1] == "USSR, anti-aircraft fire at 1 in Belarus: 1, hits: 1"
    assert units(done.state, "west-germany") == ""


def test_7_4_no_other_bomber_takes_the_place_of_one_that_was_shot_down() -> None:
    position = strikes(
        base("poland ussr 1 aa-gun", "orel ussr 2 infantry", stock="2 bomber 2 atomic-bomb"),
        Strike("atomic-bomb", "west-germany", "orel", points=3, guns=("poland",)),
    )
    done = order(position, "usa", "done", [*NORMAL, 1])
    assert units(done.state, "west-germany") == "usa 1 bomber 1 atomic-bomb"
    assert units(done.state, "orel") == "ussr 2 infantry"


def test_11_4_2_troops_come_off_ships_that_are_laden_alike() -> None:
    position = state(
        "poland ussr 1 bomber 1 atomic-bomb 4 infantry",
        "baltic-sea ussr 3 transport",
        "turkey we 1 infantry",
        techs=BOMBS,
    )
    position = play(position, "ussr", "strike poland turkey", "load poland baltic-sea 4 infantry")
    done = order(position, "ussr", "done", [1, 1])
    assert "USSR loses 1 bomber, 4 infantry" in told(done)
    assert units(done.state, "baltic-sea") == "ussr 3 transport"
    assert all(ship.cargo == () for ship in marked(done.state, "baltic-sea"))


def test_11_4_2_a_detonation_from_its_first_word_to_its_last() -> None:
    """A hydrogen bomb beside it goes off too and counts for two."""
    position = base(
        ARMY,
        "west-germany we 20 infantry",
        stock="1 bomber 1 atomic-bomb 1 hydrogen-bomb",
        round=3,
    )
    done = order(play(position, "usa", LINE), "usa", "done", [1, 1])
    assert told(done) == [
        "USA, atomic attack on Poland, complications: 1 1",
        "Detonation: an atomic bomb of USA goes off in West Germany",
        "USA uses no atomic bombs before round 5",
        "Western Europe loses 15 infantry",
    ]
    assert units(done.state, "west-germany") == "usa 1 bomber we 5 infantry"
    assert done.state.board.fallout == (Fallout("west-germany", 3, Seat("usa")),)


def test_11_4_2_paratroops_come_back_with_their_aircraft() -> None:
    """19 on 11.4: a detonation in the land they left."""
    position = base(
        "east-germany ussr 1 infantry",
        "poland ussr 2 infantry",
        stock="2 bomber 1 atomic-bomb 1 infantry",
    )
    position = play(position, "usa", "drop west-germany east-germany 1", LINE)
    done = order(position, "usa", "done", [1, 1])
    assert units(done.state, "east-germany") == "ussr 1 infantry"


def test_11_7_4_stored_bombs_go_off_each_by_its_own_die() -> None:
    """One atomic bomb of two and the hydrogen bomb: with the bomb dropped that is four."""
    position = base("poland ussr 30 infantry 2 atomic-bomb 1 hydrogen-bomb")
    dice = Script([*NORMAL, 1, 6, 1, 6])
    done = order(play(position, "usa", LINE), "usa", "done", dice=dice)
    assert told(done)[1:4] == [
        "USA: atomic bomb on Poland",
        "Bombs stored in Poland, going off on 1: 1 6 1",
        "USSR loses 20 infantry",
    ]
    assert units(done.state, "poland") == "usa 1 bomber ussr 10 infantry 1 atomic-bomb"
    assert [why for why, _ in dice.asked] == [
        "turn 4: strike 1 complication",
        "turn 4: strike 1 poland stored bombs",
        "turn 4: strike 1 escape",
    ]


def test_11_5_who_does_not_escape_is_one_bomber() -> None:
    position = play(base(ARMY, stock="2 bomber 2 atomic-bomb"), "usa", LINE, LINE)
    done = order(position, "usa", "done", [*NORMAL, *NORMAL, 6, 1])
    assert told(done)[-2:] == ["Escape of the bomber, lost on 1: 1", "USA loses 1 bomber"]
    assert marked(done.state, "poland") == [Group("usa", "bomber", used=1)]
