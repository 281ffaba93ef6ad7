"""12: airborne troops; 7.14: raids; 11.2: bombs in bombers."""

from __future__ import annotations

from engine.east_and_west.board import Attack, Departure, Flight, Group, Variant
from tests.engine.east_and_west.kit import (
    lines,
    marked,
    owner,
    play,
    refuses,
    state,
    units,
    words,
)

HELICOPTERS = {"ussr": {"aircraft": 6}}


# --- 12.1-12.4: paratroops ------------------------------------------------------------------------


def test_12_1_a_bomber_carries_infantry_into_battle() -> None:
    position = state("poland ussr 2 bomber 3 infantry", "west-germany we 1 infantry")
    position = play(position, "ussr", "drop poland west-germany 2")
    own = [group for group in marked(position, "west-germany") if group.owner == "ussr"]
    assert own == [
        Group("ussr", "bomber", 2, used=1, marks=("attacking", "carrying")),
        Group("ussr", "infantry", 2, marks=("attacking", "dropped", "spent")),
    ]
    turn = position.board.turn
    assert turn.attacks == (Attack("west-germany"),)
    assert turn.flights == (Flight("bomber", 2, "west-germany", (), "poland", "carrying"),)
    assert Departure("poland", "west-germany", "infantry", 2) in turn.departures
    assert units(position, "poland") == "ussr 1 infantry"


def test_12_1_one_infantry_each() -> None:
    position = state("poland ussr 2 bomber 1 infantry", "west-germany we 1 infantry")
    refuses(
        position,
        "ussr",
        "drop poland west-germany 2",
        "Poland: 1 infantry can go on board, not 2",
    )


def test_12_1_one_bomber_each() -> None:
    position = state("poland ussr 1 bomber 3 infantry", "west-germany we 1 infantry")
    refuses(
        position,
        "ussr",
        "drop poland west-germany 2",
        "Poland, bomber: ready to take off 1, not 2",
    )


def test_12_1_from_the_start_land_of_both() -> None:
    position = state("poland ussr 1 bomber 1 infantry*1", "west-germany we 1 infantry")
    refuses(
        position, "ussr", "drop poland west-germany 1", "Poland: 0 infantry can go on board, not 1"
    )


def test_12_1_the_bomber_needs_a_way_home() -> None:
    position = state("poland ussr 1 bomber 1 infantry", "azores uk 1 infantry")
    refuses(
        position,
        "ussr",
        "drop poland azores 1",
        "bomber: no place to land would be in reach after Azores",
    )


def test_12_1_out_of_range() -> None:
    position = state("poland ussr 1 bomber 1 infantry", "hawaii usa 1 infantry")
    refuses(
        position,
        "ussr",
        "drop poland hawaii 1",
        "bomber: no way from Poland to Hawaii with 6 movement points",
    )


def test_12_2_not_to_friends() -> None:
    position = state("poland ussr 1 bomber 1 infantry")
    refuses(
        position,
        "ussr",
        "drop poland ukraine 1",
        "infantry cannot be carried by air to Ukraine now",
    )
    position = state("poland ussr 1 bomber 1 infantry", stop="logistics")
    refuses(position, "ussr", "drop poland ukraine 1", "bomber cannot carry infantry now")


def test_12_2_option_airlift() -> None:
    position = state(
        "poland ussr 1 bomber 1 infantry", stop="logistics", variant=Variant(bomber_airlift=True)
    )
    position = play(position, "ussr", "drop poland russia 1")
    assert units(position, "russia") == "ussr 1 infantry 1 bomber"
    refuses(
        position,
        "ussr",
        "move russia orel 1 infantry",
        "of the infantry in Russia only 0 can move now, not 1",
    )


def test_12_3_paratroops_alone_capture() -> None:
    position = state("poland ussr 1 bomber 1 infantry", "west-germany we 1 infantry")
    position = play(position, "ussr", "drop poland west-germany 1", "done", faces=[1, 6])
    assert owner(position, "west-germany") == "ussr"
    position = play(position, "ussr", "done")
    assert units(position, "poland") == "ussr 1 bomber"


def test_12_3_an_empty_land_falls_only_after_the_guns_have_fired() -> None:
    position = state("poland ussr 1 bomber 1 infantry", "west-germany we 1 aa-gun")
    position = play(position, "ussr", "drop poland west-germany 1")
    assert owner(position, "west-germany") == "we"
    shot = play(position, "ussr", "done", faces=[1])
    assert owner(shot, "west-germany") == "we"
    assert units(shot, "west-germany") == "we 1 aa-gun"
    missed = play(position, "ussr", "done", faces=[2])
    assert owner(missed, "west-germany") == "ussr"


def test_12_4_special_forces_are_not_dropped() -> None:
    position = state("poland ussr 1 bomber 1 special-forces", "west-germany we 1 infantry")
    refuses(
        position, "ussr", "drop poland west-germany 1", "Poland: 0 infantry can go on board, not 1"
    )


def test_12_1_a_neutral_is_attacked_by_a_drop() -> None:
    position = state("georgia ussr 1 bomber 1 infantry", "iran neutral 1 infantry")
    position = play(position, "ussr", "drop georgia iran 1")
    assert position.board.turn.attacked == ("iran",)


def test_12_1_drops_are_offered() -> None:
    position = state("poland ussr 1 bomber 3 infantry", "west-germany we 1 infantry")
    assert "drop poland west-germany 1" in list(lines(position, "ussr", "drop"))
    assert "drop poland west-germany 2" not in list(lines(position, "ussr", "drop"))


# --- 12.5: helicopters ----------------------------------------------------------------------------


def test_12_5_a_fighter_carries_only_with_helicopters() -> None:
    forces = ("poland ussr 1 fighter 1 infantry", "west-germany we 1 infantry")
    refuses(
        state(*forces),
        "ussr",
        "drop poland west-germany 1 fighter",
        "fighter cannot carry infantry now",
    )
    position = state(*forces, techs=HELICOPTERS)
    position = play(position, "ussr", "drop poland west-germany 1 fighter")
    assert Group("ussr", "fighter", used=1, marks=("attacking", "carrying")) in marked(
        position, "west-germany"
    )


def test_12_5_also_to_friends_without_a_battle() -> None:
    position = state("poland ussr 1 fighter 1 infantry", stop="logistics", techs=HELICOPTERS)
    position = play(position, "ussr", "drop poland russia 1 fighter")
    assert units(position, "russia") == "ussr 1 infantry 1 fighter"


def test_12_5_helicopters_are_offered_where_bombers_do_not_reach_enough() -> None:
    position = state(
        "poland ussr 1 fighter 1 infantry", "west-germany we 1 infantry", techs=HELICOPTERS
    )
    assert "drop poland west-germany 1 fighter" in list(lines(position, "ussr", "drop"))


def test_12_5_a_fighter_that_flew_carries_nobody() -> None:
    position = state("poland ussr 1 fighter*1 1 infantry", stop="logistics", techs=HELICOPTERS)
    refuses(
        position,
        "ussr",
        "drop poland russia 1 fighter",
        "Poland, fighter: ready to take off 0, not 1",
    )


# --- 7.14: raids ----------------------------------------------------------------------------------


def test_7_14_bombers_fly_against_a_factory() -> None:
    position = state("poland ussr 2 bomber", "france we 1 aa-gun")
    position = play(position, "ussr", "raid poland france 2")
    turn = position.board.turn
    assert turn.raids == ("france",)
    assert turn.attacks == ()
    assert turn.flights == (Flight("bomber", 2, "france", (), "poland", "raiding"),)
    assert Group("ussr", "bomber", 2, used=2, marks=("raiding",)) in marked(position, "france")


def test_7_14_only_against_a_factory() -> None:
    position = state("poland ussr 1 bomber")
    refuses(
        position,
        "ussr",
        "raid poland norway 1",
        "Norway has no enemy factory that may be bombed",
    )


def test_7_14_with_a_way_home() -> None:
    position = state("poland ussr 1 bomber")
    refuses(
        position,
        "ussr",
        "raid poland eastern-united-states 1",
        "bomber: no place to land would be in reach after Eastern United States",
    )


def test_7_14_a_raider_does_nothing_else() -> None:
    position = state("poland ussr 1 bomber", "france we 1 infantry")
    position = play(position, "ussr", "raid poland france 1")
    assert "move" not in words(position, "ussr")
    refuses(position, "ussr", "raid poland france 1", "Poland, bomber: ready to take off 0, not 1")


def test_7_14_raids_are_offered() -> None:
    position = state("poland ussr 2 bomber")
    assert "raid poland france 2" in list(lines(position, "ussr", "raid"))


# --- 11.2: a bomb in a bomber ---------------------------------------------------------------------


def test_11_2_a_bomber_takes_a_bomb_to_friends() -> None:
    position = state("alaska usa 1 bomber 1 atomic-bomb", power="usa", stop="logistics")
    position = play(position, "usa", "fly-bomb alaska japan atomic-bomb")
    assert units(position, "japan") == "usa 1 bomber 1 atomic-bomb"
    refuses(
        position,
        "usa",
        "fly-bomb japan okinawa atomic-bomb",
        "Japan has no bomber and atomic bomb that could fly now",
    )


def test_11_2_not_without_a_bomber_and_not_in_the_combat_move() -> None:
    position = state("alaska usa 1 fighter 1 atomic-bomb", power="usa", stop="logistics")
    refuses(
        position,
        "usa",
        "fly-bomb alaska japan atomic-bomb",
        "Alaska has no bomber and atomic bomb that could fly now",
    )
    position = state("alaska usa 1 bomber 1 atomic-bomb", power="usa")
    refuses(
        position,
        "usa",
        "fly-bomb alaska japan atomic-bomb",
        "Alaska has no bomber and atomic bomb that could fly now",
    )


def test_11_2_not_to_enemies_and_not_too_far() -> None:
    position = state("alaska usa 1 bomber 1 atomic-bomb", power="usa", stop="logistics")
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
    refuses(
        position,
        "usa",
        "fly-bomb alaska alaska atomic-bomb",
        "a move leads from one space to another",
    )


def test_11_2_bombs_to_fly_are_offered() -> None:
    position = state("alaska usa 1 bomber 1 hydrogen-bomb", power="usa", stop="logistics")
    assert "fly-bomb alaska japan hydrogen-bomb" in list(lines(position, "usa", "fly-bomb"))
