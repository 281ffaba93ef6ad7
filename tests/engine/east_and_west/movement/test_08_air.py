"""8.7: aircraft, their way, the promise that they can land, carriers; 7.4 overflight, 6.10, 5.9."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.core import Seat
from engine.east_and_west.board import Attack, Flight, Group, Load, Variant
from engine.east_and_west.reach.context import MoveContext
from engine.east_and_west.reach.decks import decks_at, fit
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import (
    marked,
    order,
    owner,
    play,
    refuses,
    state,
    told,
    units,
    words,
)

LONG_RANGE = {"ussr": {"aircraft": 4}}
HELICOPTERS = {"ussr": {"aircraft": 6}}
NOWHERE = "{}: no place to land would be in reach after {}"


def captured(position: State, *lands: str) -> State:
    turn = replace(position.board.turn, captured=lands)
    return replace(position, board=replace(position.board, turn=turn))


# --- 8.7: out and home ----------------------------------------------------------------------------


def test_8_7_aircraft_fly_into_a_battle() -> None:
    position = state("poland ussr 2 fighter", "west-germany we 1 infantry")
    position = play(position, "ussr", "move poland west-germany 2 fighter")
    (flying,) = [g for g in marked(position, "west-germany") if g.owner == "ussr"]
    assert (flying.used, flying.marks) == (1, ("attacking",))
    assert position.board.turn.attacks == (Attack("west-germany"),)


def test_8_7_out_and_home_must_fit_the_range() -> None:
    position = state("east-germany ussr 1 fighter", "united-kingdom uk 1 infantry")
    refuses(
        position,
        "ussr",
        "move east-germany united-kingdom 1 fighter",
        NOWHERE.format("fighter", "United Kingdom"),
    )


def test_5_9_long_range_takes_fighters_to_london_and_back() -> None:
    position = state(
        "east-germany ussr 1 fighter", "united-kingdom uk 1 infantry", techs=LONG_RANGE
    )
    position = play(position, "ussr", "move east-germany united-kingdom 1 fighter")
    assert units(position, "united-kingdom", "ussr") == "1 fighter"


def test_8_7_a_bomber_goes_further() -> None:
    position = state("east-germany ussr 1 bomber", "united-kingdom uk 1 infantry")
    assert words(position, "ussr", "move", "east-germany") == ["united-kingdom"]


def test_8_1_out_of_range() -> None:
    position = state("east-germany ussr 1 fighter", "quebec uk 1 infantry")
    refuses(
        position,
        "ussr",
        "move east-germany quebec 1 fighter",
        "fighter: no way from East Germany to Quebec with 4 movement points",
    )


def test_8_7_the_landing_place_may_be_another_than_the_start() -> None:
    position = state("ukraine ussr 1 fighter", "west-germany we 1 infantry")
    position = play(position, "ussr", "move ukraine west-germany 1 fighter")
    assert marked(position, "west-germany")[0].used == 2


def test_8_7_a_land_of_an_alliance_that_pays_is_a_landing_place() -> None:
    position = state(
        "sinkiang ussr 1 fighter",
        "burma uk 1 infantry",
        owners={"kazakhstan": "we", "turkmenistan": "we", "mongolia": "we"},
    )
    assert "burma" in words(position, "ussr", "move", "sinkiang")


def test_7_2_aircraft_do_not_fight_for_a_land_without_combat_units() -> None:
    position = state("poland ussr 1 fighter", "west-germany we 1 aa-gun")
    refuses(
        position,
        "ussr",
        "move poland west-germany 1 fighter",
        "West Germany has no units that aircraft could fight",
    )


def test_8_7_aircraft_attack_ships() -> None:
    position = state("karelia ussr 1 fighter", "barents-sea usa 1 cruiser")
    position = play(position, "ussr", "move karelia barents-sea 1 fighter")
    assert position.board.turn.attacks == (Attack("barents-sea"),)


def test_5_9_aircraft_do_not_attack_submarines_with_snorkel() -> None:
    forces = ("karelia ussr 1 fighter", "barents-sea usa 1 submarine")
    assert words(state(*forces), "ussr", "move", "karelia") == ["barents-sea"]
    refuses(
        state(*forces, techs={"usa": {"submarine": 2}}),
        "ussr",
        "move karelia barents-sea 1 fighter",
        "nothing in Barents Sea can be attacked by aircraft",
    )


def test_8_9_nothing_flies_over_the_ice() -> None:
    position = state(
        "karelia ussr 1 fighter", "polar-ice-cap usa 1 submarine", techs={"usa": {"submarine": 4}}
    )
    assert "move" not in words(position, "ussr")


def test_8_13_neutral_airspace_is_closed() -> None:
    position = state("finland ussr 1 fighter", "norway we 1 infantry", owners={"finland": "ussr"})
    assert "norway" in words(position, "ussr", "move", "finland")
    position = state("georgia ussr 1 fighter", "pakistan uk 1 infantry")
    line = "move georgia pakistan 1 fighter via iran"
    refuses(position, "ussr", line, "fighter: Iran is neutral; nobody flies over it")


def test_8_13_the_neutral_that_is_attacked_is_entered() -> None:
    position = state("georgia ussr 1 fighter", "iran neutral 1 infantry")
    position = play(position, "ussr", "move georgia iran 1 fighter")
    assert position.board.turn.attacked == ("iran",)


def test_11_7_aircraft_under_emp_do_not_move() -> None:
    position = state("poland ussr 1 fighter!grounded", "west-germany we 1 infantry")
    refuses(
        position,
        "ussr",
        "move poland west-germany 1 fighter",
        "of the fighters in Poland only 0 can move now, not 1",
    )


# --- 8.6, 8.7: home -------------------------------------------------------------------------------


def test_8_7_points_of_both_phases_add_up() -> None:
    position = state("west-germany we 1 fighter*3", power="we", stop="logistics")
    assert "france" in words(position, "we", "move", "west-germany")
    refuses(
        position,
        "we",
        "move west-germany portugal 1 fighter",
        "fighter: no way from West Germany to Portugal with one movement point",
    )


def test_8_6_aircraft_fly_over_enemy_land_after_the_battles() -> None:
    position = state("east-germany ussr 1 fighter", stop="logistics")
    line = "move east-germany yugoslavia 1 fighter via west-germany"
    position = play(position, "ussr", line)
    assert position.board.turn.flights == ()


def test_8_6_they_do_not_land_there() -> None:
    position = state("east-germany ussr 1 fighter", stop="logistics")
    refuses(
        position,
        "ussr",
        "move east-germany west-germany 1 fighter",
        "West Germany is not friendly",
    )


def test_6_6_no_landing_in_a_land_captured_in_this_turn() -> None:
    position = state(
        "poland ussr 1 fighter 1 bomber", stop="logistics", owners={"west-germany": "ussr"}
    )
    refuses(
        captured(position, "west-germany"),
        "ussr",
        "move poland west-germany 1 fighter",
        "fighter cannot land in West Germany, which was captured in this turn",
    )


def test_12_5_helicopters_land_there_and_are_helpless() -> None:
    position = state(
        "poland ussr 1 fighter 1 bomber",
        stop="logistics",
        owners={"west-germany": "ussr"},
        techs=HELICOPTERS,
    )
    position = captured(position, "west-germany")
    refuses(
        position,
        "ussr",
        "move poland west-germany 1 bomber",
        "bomber cannot land in West Germany, which was captured in this turn",
    )
    position = play(position, "ussr", "move poland west-germany 1 fighter", "done")
    assert marked(position, "west-germany") == [Group("ussr", "fighter", marks=("helpless",))]


def test_12_5_helicopters_may_count_on_a_land_to_be_captured() -> None:
    forces = ("iceland ussr 1 fighter", "azores uk 1 infantry")
    held = {"iceland": "ussr"}
    refuses(
        state(*forces, owners=held, techs=LONG_RANGE),
        "ussr",
        "move iceland azores 1 fighter",
        NOWHERE.format("fighter", "Azores"),
    )
    position = state(*forces, owners=held, techs=HELICOPTERS)
    position = play(position, "ussr", "move iceland azores 1 fighter")
    assert units(position, "azores", "ussr") == "1 fighter"


# --- 6.10, 8.7: carriers --------------------------------------------------------------------------

FAR_OUT = "north-atlantic-2"
"""A fighter that is there reaches no Soviet land."""
PREY = "antilles-sea-zone usa 1 transport"


def test_8_7_a_carrier_is_a_landing_place() -> None:
    position = state(f"{FAR_OUT} ussr 1 carrier 2 fighter", PREY)
    position = play(position, "ussr", f"move {FAR_OUT} antilles-sea-zone 2 fighter")
    assert units(position, "antilles-sea-zone", "ussr") == "2 fighter"


def test_8_7_without_a_carrier_there_is_none() -> None:
    position = state("north-atlantic-1 ussr 1 fighter", PREY)
    refuses(
        position,
        "ussr",
        "move north-atlantic-1 antilles-sea-zone 1 fighter",
        NOWHERE.format("fighter", "Antilles Sea Zone"),
    )


def test_8_7_a_carrier_may_come_to_meet_them() -> None:
    position = state(
        "irish-sea ussr 1 carrier 1 fighter", "caribbean-sea usa 1 transport", techs={}
    )
    reached = words(position, "ussr", "move", "irish-sea")
    assert reached == ["caribbean-sea"]
    position = state(
        "irish-sea ussr 1 carrier 1 fighter",
        "caribbean-sea usa 1 transport",
        "north-atlantic-1 uk 1 cruiser",
        "bay-of-biscay uk 1 cruiser",
        "quebec-sea-zone uk 1 cruiser",
    )
    assert "caribbean-sea" not in words(position, "ussr", "move", "irish-sea")


def test_8_7_a_carrier_that_has_to_win_a_zone_first_may_meet_them_there() -> None:
    position = state(
        "irish-sea ussr 1 carrier 1 fighter 1 cruiser",
        "caribbean-sea usa 1 transport",
        "north-atlantic-1 uk 1 cruiser",
        "bay-of-biscay uk 1 cruiser",
        "quebec-sea-zone uk 1 cruiser",
    )
    position = play(position, "ussr", "move irish-sea quebec-sea-zone 1 cruiser")
    assert "caribbean-sea" in words(position, "ussr", "move", "irish-sea")


def test_8_7_only_as_many_as_have_room_fly_out() -> None:
    position = state(
        f"{FAR_OUT} ussr 1 carrier", "iceland ussr 3 fighter", PREY, owners={"iceland": "ussr"}
    )
    flown = words(position, "ussr", "move", "iceland", "antilles-sea-zone")
    assert flown == ["1", "2"]
    refuses(
        position,
        "ussr",
        "move iceland antilles-sea-zone 3 fighter",
        NOWHERE.format("fighter", "Antilles Sea Zone"),
    )


def test_8_7_aircraft_on_board_keep_their_room() -> None:
    position = state(
        f"{FAR_OUT} ussr 1 carrier 2 fighter",
        "iceland ussr 1 fighter",
        PREY,
        owners={"iceland": "ussr"},
    )
    flown = words(position, "ussr", "move", "iceland")
    assert flown == ["antilles-sea-zone"]
    position = state(
        f"{FAR_OUT} ussr 1 carrier 2 fighter*3",
        "iceland ussr 1 fighter",
        PREY,
        owners={"iceland": "ussr"},
    )
    assert "move" not in words(position, "ussr") or "iceland" not in words(position, "ussr", "move")


def test_8_7_one_carrier_cannot_be_in_two_places() -> None:
    position = state(
        "south-atlantic ussr 1 carrier 2 fighter*2",
        "rio-de-janeiro-sea-zone usa 1 transport",
        "south-georgia-sea-zone uk 1 transport",
    )
    west = "move south-atlantic rio-de-janeiro-sea-zone 1 fighter"
    east = "move south-atlantic south-georgia-sea-zone 1 fighter"
    assert units(play(position, "ussr", west, east), "south-atlantic") == "ussr 1 carrier"
    position = state(
        "south-atlantic ussr 1 carrier 2 fighter*3",
        "rio-de-janeiro-sea-zone usa 1 transport",
        "south-georgia-sea-zone uk 1 transport",
    )
    refuses(
        play(position, "ussr", west),
        "ussr",
        east,
        "fighter: no place to land would be in reach after South Georgia Sea Zone",
    )


def test_8_7_a_carrier_must_not_go_where_nobody_can_follow() -> None:
    position = state(
        "south-atlantic ussr 1 carrier 1 fighter*2",
        "gulf-of-guinea we 1 transport",
        "falkland-islands-sea-zone uk 1 transport",
        "angola-sea-zone uk 1 cruiser",
    )
    moved = play(position, "ussr", "move south-atlantic gulf-of-guinea 1 carrier")
    assert units(moved, "gulf-of-guinea", "ussr") == "1 carrier"
    stuck = state("south-atlantic ussr 1 carrier 1 fighter*4", "gulf-of-guinea we 1 transport")
    refuses(
        stuck,
        "ussr",
        "move south-atlantic gulf-of-guinea 1 carrier",
        "after this move not all aircraft could land any more",
    )
    assert "move" not in words(stuck, "ussr")


def test_8_7_a_carrier_that_has_moved_does_not_come_to_meet_them() -> None:
    prey = "rio-de-janeiro-sea-zone usa 1 transport"
    way = ("move", "antilles-sea-zone", "rio-de-janeiro-sea-zone", "1")
    fresh = state("antilles-sea-zone ussr 1 carrier 1 fighter*3", prey)
    assert words(fresh, "ussr", *way) == ["carrier", "fighter"]
    moved = state("antilles-sea-zone ussr 1 carrier*1 1 fighter*3", prey)
    assert words(moved, "ussr", *way) == ["carrier"]


def test_8_7_option_the_zone_of_the_carrier_costs_nothing() -> None:
    forces = ("irish-sea we 1 carrier", "france we 1 fighter*4")
    position = state(*forces, power="we", stop="logistics")
    assert "move" not in words(position, "we") or "france" not in words(position, "we", "move")
    position = state(*forces, power="we", stop="logistics", variant=Variant(carrier_zone_free=True))
    refuses(
        position,
        "we",
        "move france irish-sea 1 fighter",
        "of the fighters in France only 0 can move now, not 1",
    )
    position = state(
        "irish-sea we 1 carrier",
        "west-germany we 1 fighter*2",
        power="we",
        stop="logistics",
        variant=Variant(carrier_zone_free=True),
    )
    position = play(position, "we", "move west-germany irish-sea 1 fighter")
    assert [g.used for g in marked(position, "irish-sea") if g.kind == "fighter"] == [3]


@pytest.mark.parametrize(
    ("carriers", "aircraft", "is_room"),
    [
        ("1 carrier", ["fighter"] * 2, True),
        ("1 carrier", ["fighter"] * 3, False),
        ("1 carrier", ["bomber"], False),
        ("1 nuclear-carrier", ["fighter"] * 3, True),
        ("1 nuclear-carrier", ["fighter"] * 4, False),
        ("1 nuclear-carrier", ["fighter", "bomber"], True),
        ("1 nuclear-carrier", ["fighter", "fighter", "bomber"], False),
        ("1 nuclear-carrier", ["bomber", "bomber"], False),
        ("1 nuclear-carrier 1 carrier", ["fighter"] * 3 + ["bomber"], True),
        ("2 nuclear-carrier", ["fighter", "fighter", "bomber", "bomber"], True),
    ],
)
def test_6_10_room_on_carriers(carriers: str, aircraft: list[str], is_room: bool) -> None:
    position = state(f"irish-sea we {carriers}", power="we")
    assert fit(decks_at(position, Seat("we"), "irish-sea"), aircraft) == is_room


def test_6_10_a_bomber_lands_on_a_nuclear_carrier() -> None:
    position = state(
        "irish-sea we 1 nuclear-carrier 1 carrier",
        "france we 2 bomber",
        power="we",
        stop="logistics",
    )
    assert words(position, "we", "move", "france", "irish-sea") == ["1"]


def test_6_10_aircraft_land_on_the_carrier_of_an_ally() -> None:
    position = state("irish-sea uk 1 carrier", "france we 1 fighter", power="we", stop="logistics")
    position = play(position, "we", "move france irish-sea 1 fighter", "done")
    assert units(position, "irish-sea") == "uk 1 carrier we 1 fighter"


def test_14_2_an_ally_may_keep_its_decks_for_itself() -> None:
    position = state(
        "irish-sea uk 1 carrier",
        "france we 1 fighter",
        power="we",
        stop="logistics",
        refusals=((Seat("uk"), Seat("we")),),
    )
    refuses(
        position,
        "we",
        "move france irish-sea 1 fighter",
        "no carrier in Irish Sea has room for fighter",
    )


def test_6_10_they_go_with_it_in_the_turn_of_the_ally() -> None:
    position = state("irish-sea uk 1 carrier we 1 fighter", power="uk", stop="logistics")
    position = play(position, "uk", "move irish-sea iceland-sea-zone 1 carrier")
    assert units(position, "iceland-sea-zone") == "uk 1 carrier we 1 fighter"
    assert units(position, "irish-sea") == ""


def test_6_10_into_a_battle_they_ride_as_cargo() -> None:
    position = state(
        "irish-sea uk 1 carrier we 1 fighter",
        "barents-sea ussr 1 transport",
        power="uk",
    )
    position = play(position, "uk", "move irish-sea barents-sea 1 carrier")
    (carrier,) = [g for g in marked(position, "barents-sea") if g.owner == "uk"]
    assert carrier.cargo == (Load("we", "fighter"),)
    position = play(position, "uk", "done", faces=[1, 6])
    position = play(position, "uk", "done")
    assert units(position, "barents-sea") == "uk 1 carrier we 1 fighter"


def test_6_10_aircraft_of_the_enemy_do_not_ride() -> None:
    position = state(
        "irish-sea uk 1 carrier ussr 1 carrier 2 fighter",
        "barents-sea ussr 1 transport",
        power="uk",
    )
    position = play(position, "uk", "move irish-sea barents-sea 1 carrier")
    assert units(position, "irish-sea") == "ussr 2 fighter 1 carrier"


def test_6_10_they_fly_in_their_own_turn() -> None:
    position = state(
        "irish-sea uk 1 carrier we 1 fighter", "barents-sea ussr 1 transport", power="we"
    )
    position = play(position, "we", "move irish-sea barents-sea 1 fighter")
    assert units(position, "barents-sea", "we") == "1 fighter"


def test_6_10_own_aircraft_go_with_their_carrier_without_a_battle() -> None:
    position = state("irish-sea uk 1 carrier 2 fighter", power="uk", stop="logistics")
    position = play(position, "uk", "move irish-sea iceland-sea-zone 1 carrier")
    assert units(position, "iceland-sea-zone") == "uk 2 fighter 1 carrier"
    refuses(
        position,
        "uk",
        "move iceland-sea-zone iceland 1 fighter",
        "of the fighters in Iceland Sea Zone only 0 can move now, not 1",
    )


def test_6_10_those_that_are_named_go_along() -> None:
    position = state("irish-sea uk 2 carrier 2 fighter", power="uk", stop="logistics")
    stay = play(position, "uk", "move irish-sea iceland-sea-zone 1 carrier")
    assert units(stay, "irish-sea") == "uk 2 fighter 1 carrier"
    position = play(position, "uk", "move irish-sea iceland-sea-zone 1 carrier 1 fighter")
    assert units(position, "iceland-sea-zone") == "uk 1 fighter 1 carrier"


def test_11_7_aircraft_under_emp_ride_too() -> None:
    position = state("irish-sea uk 1 carrier 1 fighter!grounded", power="uk", stop="logistics")
    position = play(position, "uk", "move irish-sea iceland-sea-zone 1 carrier")
    assert units(position, "iceland-sea-zone") == "uk 1 fighter 1 carrier"


def test_6_10_in_the_combat_move_own_aircraft_take_off() -> None:
    position = state("irish-sea uk 1 carrier 1 fighter", "barents-sea ussr 1 transport", power="uk")
    position = play(position, "uk", "move irish-sea barents-sea 1 carrier")
    assert units(position, "irish-sea") == "uk 1 fighter"


def test_3_no_landing_on_a_carrier_placed_in_this_turn() -> None:
    position = state(
        "irish-sea we 1 carrier!spent", "france we 1 fighter", power="we", stop="logistics"
    )
    refuses(
        position,
        "we",
        "move france irish-sea 1 fighter",
        "no carrier in Irish Sea has room for fighter",
    )


# --- 7.4: guns on the way -------------------------------------------------------------------------


def test_7_4_the_way_over_a_gun_is_written_down() -> None:
    position = state(
        "east-germany ussr 1 fighter", "west-germany we 1 aa-gun", "france we 1 infantry"
    )
    position = play(position, "ussr", "move east-germany france 1 fighter")
    assert position.board.turn.flights == (
        Flight("fighter", 1, "france", ("west-germany",), "east-germany"),
    )


def test_7_4_a_longer_way_without_guns_is_better_if_it_still_leads_home() -> None:
    position = state(
        "east-germany ussr 1 fighter",
        "west-germany we 1 aa-gun",
        "france we 1 infantry",
        techs=LONG_RANGE,
    )
    position = play(position, "ussr", "move east-germany france 1 fighter")
    (flight,) = position.board.turn.flights
    assert flight.guns == ()
    assert [g.used for g in marked(position, "france") if g.owner == "ussr"] == [3]


def test_7_4_a_given_way_is_taken_guns_or_not() -> None:
    position = state(
        "east-germany ussr 1 fighter",
        "west-germany we 1 aa-gun",
        "france we 1 infantry",
        techs=LONG_RANGE,
    )
    line = "move east-germany france 1 fighter via west-germany"
    position = play(position, "ussr", line)
    assert position.board.turn.flights[0].guns == ("west-germany",)


def test_7_4_the_gun_of_the_target_fires_in_the_battle() -> None:
    position = state("poland ussr 1 fighter", "west-germany we 1 aa-gun 1 infantry")
    position = play(position, "ussr", "move poland west-germany 1 fighter")
    assert position.board.turn.flights[0].guns == ()


def test_7_4_option_no_guns_on_the_way() -> None:
    position = state(
        "east-germany ussr 1 fighter",
        "west-germany we 1 aa-gun",
        "france we 1 infantry",
        variant=Variant(aa_overflight=False),
    )
    position = play(position, "ussr", "move east-germany france 1 fighter")
    assert position.board.turn.flights[0].guns == ()


# --- 8.7, 19: the end of the turn -----------------------------------------------------------------


def test_8_7_without_an_order_aircraft_fly_home() -> None:
    position = state("ukraine ussr 1 fighter", "west-germany we 1 infantry")
    position = play(position, "ussr", "move ukraine west-germany 1 fighter", "done", faces=[1, 6])
    done = order(position, "ussr", "done")
    assert units(done.state, "ukraine") == "ussr 1 fighter"
    assert "USSR: a fighter over West Germany lands: Ukraine" in told(done)


def test_8_7_else_to_the_nearest_place() -> None:
    position = state("west-germany ussr 1 fighter*3", stop="logistics")
    position = play(position, "ussr", "done")
    assert units(position, "east-germany") == "ussr 1 fighter"


def test_8_7_without_any_place_they_are_lost() -> None:
    position = state("north-atlantic-2 ussr 1 fighter*2", stop="logistics")
    done = order(position, "ussr", "done")
    assert units(done.state, "north-atlantic-2") == ""
    assert "USSR: a fighter over North Atlantic 2 finds no place to land and is lost" in told(done)


def test_11_7_under_emp_none_flies_home() -> None:
    position = state("baltic-sea ussr 1 fighter!grounded 1 fighter", stop="logistics")
    position = play(position, "ussr", "done")
    everywhere = [group for groups in position.board.units.values() for group in groups]
    assert sum(group.count for group in everywhere if group.kind == "fighter") == 1


def test_8_7_decks_are_kept_for_those_that_reach_no_land() -> None:
    position = state(
        f"{FAR_OUT} ussr 1 carrier",
        "north-atlantic-1 ussr 1 fighter",
        "quebec-sea-zone ussr 2 fighter*3",
        stop="logistics",
    )
    position = play(position, "ussr", "done")
    assert units(position, FAR_OUT) == "ussr 2 fighter 1 carrier"
    everywhere = [group for groups in position.board.units.values() for group in groups]
    assert sum(group.count for group in everywhere if group.kind == "fighter") == 3


def test_8_7_who_rests_on_a_deck_keeps_it() -> None:
    position = state("north-atlantic-2 ussr 1 carrier 2 fighter 1 fighter*4", stop="logistics")
    position = play(position, "ussr", "done")
    assert units(position, "north-atlantic-2") == "ussr 2 fighter 1 carrier"


def test_8_7_aircraft_of_allies_are_left_alone() -> None:
    position = state("irish-sea uk 1 carrier we 2 fighter", power="uk", stop="logistics")
    position = play(position, "uk", "done")
    assert units(position, "irish-sea") == "uk 1 carrier we 2 fighter"


def test_8_7_aircraft_over_a_land_that_was_captured_go_home() -> None:
    position = state("poland ussr 1 fighter 1 infantry", "west-germany we 1 infantry")
    position = play(
        position,
        "ussr",
        "move poland west-germany 1 fighter 1 infantry",
        "done",
        faces=[1, 6, 6],
    )
    assert owner(position, "west-germany") == "ussr"
    position = play(position, "ussr", "done")
    assert units(position, "west-germany") == "ussr 1 infantry"
    assert units(position, "poland") == "ussr 1 fighter"


def test_8_7_an_attack_on_an_alliance_must_not_strand_aircraft() -> None:
    position = state("sinkiang ussr 1 fighter*3", "burma uk 1 infantry", "qinghai ussr 1 infantry")
    position = replace(
        position,
        board=replace(
            position.board,
            owners={
                land: "we" if held == "ussr" else held
                for land, held in position.board.owners.items()
            },
        ),
    )
    refuses(
        position,
        "ussr",
        "attack sinkiang",
        "after this move not all aircraft could land any more",
    )
    assert "attack" not in words(position, "ussr")


def test_8_7_the_promise_is_kept_by_carriers_that_take_different_ways() -> None:
    position = state(
        "north-atlantic-2 ussr 2 carrier 4 fighter",
        "rio-de-janeiro-sea-zone usa 1 transport",
        "gulf-of-mexico usa 1 transport",
    )
    front = MoveContext(position, Seat("ussr"))
    assert front.promise.holds()
    position = play(
        position,
        "ussr",
        "move north-atlantic-2 rio-de-janeiro-sea-zone 2 fighter",
        "move north-atlantic-2 gulf-of-mexico 2 fighter",
    )
    assert MoveContext(position, Seat("ussr")).promise.holds()
