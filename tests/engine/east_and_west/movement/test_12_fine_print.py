"""12, 7.14, 11.2: to the letter: how many go, what they keep, what is said."""

from __future__ import annotations

from engine.east_and_west.board import Group, Variant
from tests.engine.east_and_west.kit import (
    lines,
    marked,
    order,
    refuses,
    state,
    told,
    units,
)

# --- 11.2: a bomb in a bomber ---------------------------------------------------------------------


def test_11_2_one_bomber_takes_one_bomb() -> None:
    position = state("alaska usa 2 bomber 3 atomic-bomb", power="usa", stop="logistics")
    done = order(position, "usa", "fly-bomb alaska japan atomic-bomb")
    assert units(done.state, "alaska") == "usa 1 bomber 2 atomic-bomb"
    assert marked(done.state, "japan") == [
        Group("usa", "atomic-bomb", 1, marks=("spent",)),
        Group("usa", "bomber", 1, used=4),
    ]
    assert told(done) == ["USA: a bomber takes an atomic bomb along, Alaska - Japan"]


def test_11_2_the_bomber_that_can_fly_farthest_takes_the_bomb() -> None:
    position = state("alaska usa 1 bomber*4 1 bomber 1 atomic-bomb", power="usa", stop="logistics")
    done = order(position, "usa", "fly-bomb alaska japan atomic-bomb")
    assert marked(done.state, "alaska") == [Group("usa", "bomber", 1, used=4)]
    assert "fly-bomb alaska japan atomic-bomb" in list(lines(position, "usa", "fly-bomb"))


def test_11_2_points_that_are_spent_are_spent() -> None:
    position = state("alaska usa 1 bomber*2 1 atomic-bomb", power="usa", stop="logistics")
    done = order(position, "usa", "fly-bomb alaska japan atomic-bomb")
    assert Group("usa", "bomber", 1, used=6) in marked(done.state, "japan")


def test_11_2_what_is_said_to_an_impossible_flight() -> None:
    position = state("alaska usa 1 bomber 1 atomic-bomb", power="usa", stop="logistics")
    refuses(
        position,
        "usa",
        "fly-bomb alaska japan hydrogen-bomb",
        "Alaska has no bomber and hydrogen bomb that could fly now",
    )
    refuses(
        position,
        "usa",
        "fly-bomb alaska kamchatka atomic-bomb",
        "a bomber cannot land in Kamchatka now",
    )
    refuses(
        position,
        "usa",
        "fly-bomb alaska south-africa atomic-bomb",
        "bomber: no way from Alaska to South Africa with 6 movement points",
    )


def test_11_2_a_land_captured_in_this_turn_is_no_place_for_a_bomber() -> None:
    position = state(
        "alaska usa 1 bomber 1 atomic-bomb",
        power="usa",
        stop="logistics",
        owners={"kamchatka": "usa"},
        held={"kamchatka": "ussr"},
        turn={"captured": ("kamchatka",)},
        techs={"usa": {"aircraft": 6}},
    )
    refuses(
        position,
        "usa",
        "fly-bomb alaska kamchatka atomic-bomb",
        "a bomber cannot land in Kamchatka now",
    )
    assert "fly-bomb alaska kamchatka atomic-bomb" not in list(lines(position, "usa", "fly-bomb"))


def test_11_2_no_flights_are_offered_in_the_combat_move() -> None:
    position = state("alaska usa 1 bomber 1 atomic-bomb", power="usa")
    assert list(lines(position, "usa", "fly-bomb")) == []


# --- 12: airborne infantry ------------------------------------------------------------------------


def test_12_1_each_bomber_takes_one_along_and_the_others_stay() -> None:
    position = state("poland ussr 3 bomber 4 infantry", "west-germany we 1 infantry")
    done = order(position, "ussr", "drop poland west-germany 2")
    assert units(done.state, "poland") == "ussr 2 infantry 1 bomber"
    assert units(done.state, "west-germany", "ussr") == "2 infantry 2 bomber"
    assert told(done) == ["USSR: 2 bombers with infantry on board, Poland - West Germany"]


def test_12_5_helicopters_carry_where_there_is_no_battle() -> None:
    position = state(
        "poland ussr 3 fighter 4 infantry", stop="logistics", techs={"ussr": {"aircraft": 6}}
    )
    done = order(position, "ussr", "drop poland orel 2 fighter")
    assert units(done.state, "poland") == "ussr 2 infantry 1 fighter"
    assert marked(done.state, "orel") == [
        Group("ussr", "fighter", 2, used=2),
        Group("ussr", "infantry", 2, marks=("spent",)),
    ]


def test_12_5_a_land_captured_in_this_turn_is_open_to_helicopters_and_not_to_bombers() -> None:
    position = state(
        "poland ussr 1 fighter 1 bomber 2 infantry",
        stop="logistics",
        owners={"west-germany": "ussr"},
        held={"west-germany": "we"},
        turn={"captured": ("west-germany",)},
        techs={"ussr": {"aircraft": 6}},
        variant=Variant(bomber_airlift=True),
    )
    order(position, "ussr", "drop poland west-germany 1 fighter")
    refuses(
        position,
        "ussr",
        "drop poland west-germany 1",
        "infantry cannot be carried by air to West Germany now",
    )


def test_12_1_without_any_bomber_none_can_take_off() -> None:
    refuses(
        state("poland ussr 1 infantry", "west-germany we 1 infantry"),
        "ussr",
        "drop poland west-germany 1",
        "Poland, bomber: ready to take off 0, not 1",
    )


# --- 7.14: raids ----------------------------------------------------------------------------------


def test_7_14_a_raid_is_told() -> None:
    position = state("poland ussr 3 bomber", "france we 1 infantry")
    done = order(position, "ussr", "raid poland france 2")
    assert told(done) == ["USSR: 2 bombers against the factory of France"]
    assert units(done.state, "poland") == "ussr 1 bomber"


def test_7_14_so_many_raiders_are_offered_as_can_land() -> None:
    """A nuclear carrier takes one bomber; there is no friendly land near Kamchatka."""
    lost = {land: "ussr" for land in state().board.owners if land != "hawaii"}
    for carriers in (1, 2):
        position = state(
            "hawaii usa 3 bomber",
            f"chukchi-sea usa {carriers} nuclear-carrier",
            power="usa",
            owners=lost,
            factories=("kamchatka",),
        )
        assert list(lines(position, "usa", "raid")) == [
            f"raid hawaii kamchatka {number}" for number in range(1, carriers + 1)
        ]
    empty = state("hawaii usa 3 bomber", power="usa", owners=lost, factories=("kamchatka",))
    assert list(lines(empty, "usa", "raid")) == []
