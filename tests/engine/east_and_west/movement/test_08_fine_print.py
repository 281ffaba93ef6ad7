"""Chapter 8 to the letter: how many units leave and arrive, on which ship, and what is said."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.east_and_west.board import Attack, Group, Landing, Load, Variant
from tests.engine.east_and_west.kit import (
    lines,
    marked,
    order,
    owner,
    play,
    refuses,
    state,
    told,
    units,
)

# --- 8.10: on board -------------------------------------------------------------------------------


def test_8_10_who_goes_on_board_has_left_the_land() -> None:
    position = state(
        "poland ussr 2 infantry!spent 4 infantry 2 armor", "baltic-sea ussr 3 transport"
    )
    done = order(position, "ussr", "load poland baltic-sea 3 infantry 1 armor")
    assert marked(done.state, "poland") == [
        Group("ussr", "armor", 1),
        Group("ussr", "infantry", 1),
        Group("ussr", "infantry", 2, marks=("spent",)),
    ]
    assert told(done) == ["USSR: 3 infantry, 1 armor on board, Poland - Baltic Sea"]
    on_board = [load for ship in marked(done.state, "baltic-sea") for load in ship.cargo]
    assert sorted((load.kind, load.count) for load in on_board) == [
        ("armor", 1),
        ("infantry", 1),
        ("infantry", 2),
    ]


def test_8_10_a_ship_that_is_half_full_is_filled_first() -> None:
    position = state(
        "poland ussr 1 infantry",
        "baltic-sea ussr 1 transport 1 transport[1 infantry] 1 large-transport",
    )
    position = play(position, "ussr", "load poland baltic-sea 1 infantry")
    assert marked(position, "baltic-sea") == [
        Group("ussr", "large-transport"),
        Group("ussr", "transport"),
        Group("ussr", "transport", cargo=(Load("ussr", "infantry", 2),), loaded=("poland",)),
    ]


def test_8_10_a_small_ship_is_taken_before_a_large_one() -> None:
    position = state("poland ussr 1 armor", "baltic-sea ussr 1 transport 1 large-transport")
    position = play(position, "ussr", "load poland baltic-sea 1 armor")
    assert marked(position, "baltic-sea") == [
        Group("ussr", "large-transport"),
        Group("ussr", "transport", cargo=(Load("ussr", "armor", 1),), loaded=("poland",)),
    ]


def test_8_10_as_many_are_offered_as_have_room() -> None:
    position = state("poland ussr 5 infantry 2 armor", "baltic-sea ussr 1 transport[1 infantry]")
    assert list(lines(position, "ussr", "load")) == ["load poland baltic-sea 1 infantry"]
    position = state("poland ussr 5 infantry 2 armor", "baltic-sea ussr 2 transport")
    assert sorted(lines(position, "ussr", "load")) == [
        "load poland baltic-sea 1 armor",
        "load poland baltic-sea 1 infantry",
        "load poland baltic-sea 2 armor",
        "load poland baltic-sea 2 infantry",
        "load poland baltic-sea 3 infantry",
        "load poland baltic-sea 4 infantry",
    ]
    position = state("poland ussr 1 infantry", "baltic-sea ussr 2 transport")
    assert list(lines(position, "ussr", "load")) == ["load poland baltic-sea 1 infantry"]


def test_8_11_a_landing_that_waits_for_the_sea_battle_is_declared_from_its_zone() -> None:
    position = state(
        "baltic-sea ussr 1 cruiser 1 transport[2 infantry] we 1 transport",
        "west-germany we 1 infantry",
    )
    position = play(
        position, "ussr", "attack baltic-sea", "land baltic-sea west-germany 2 infantry"
    )
    assert Attack("west-germany", (), ("baltic-sea",)) in position.board.turn.attacks


def test_8_10_only_who_is_there_goes_on_board() -> None:
    refuses(
        state("poland ussr 1 infantry 1 infantry*1 3 armor", "baltic-sea ussr 4 transport"),
        "ussr",
        "load poland baltic-sea 2 infantry",
        "Poland, infantry: ready to go on board 1, not 2",
    )


def test_6_7_special_forces_take_the_room_of_infantry() -> None:
    position = state("poland ussr 2 special-forces", "baltic-sea ussr 1 transport[1 infantry]")
    play(position, "ussr", "load poland baltic-sea 1 special-forces")
    refuses(
        position,
        "ussr",
        "load poland baltic-sea 2 special-forces",
        "the ships of USSR in Baltic Sea have no room for all of that",
    )


# --- 8.10, 8.11: ashore ---------------------------------------------------------------------------


def test_8_10_who_goes_ashore_has_left_the_ship() -> None:
    position = state("baltic-sea ussr 3 transport[2 infantry]", stop="logistics")
    done = order(position, "ussr", "land baltic-sea poland 3 infantry")
    assert told(done) == ["USSR: 3 infantry ashore, Baltic Sea - Poland"]
    assert marked(done.state, "poland") == [Group("ussr", "infantry", 3, marks=("spent",))]
    empty = Group("ussr", "transport", marks=("spent",), shore=("poland",))
    assert marked(done.state, "baltic-sea") == [
        Group("ussr", "transport", cargo=(Load("ussr", "infantry", 2),)),
        empty,
        replace(empty, cargo=(Load("ussr", "infantry", 1),)),
    ]


def test_8_10_who_is_on_board_can_go_ashore_and_no_more() -> None:
    position = state(
        "baltic-sea ussr 2 transport[2 infantry] 1 transport[1 infantry] 1 transport[1 armor]",
        stop="logistics",
    )
    offered = [line for line in lines(position, "ussr", "land") if " poland " in line]
    assert offered == [
        "land baltic-sea poland 1 armor",
        *(f"land baltic-sea poland {number} infantry" for number in range(1, 6)),
    ]
    refuses(
        position,
        "ussr",
        "land baltic-sea poland 6 infantry",
        "Baltic Sea, infantry: ready to go ashore 5, not 6",
    )
    refuses(
        position,
        "ussr",
        "land baltic-sea poland 1 howitzer",
        "Baltic Sea, howitzer: ready to go ashore 0, not 1",
    )


def test_8_10_where_nobody_goes_ashore() -> None:
    position = state("baltic-sea ussr 1 transport[2 infantry]", stop="logistics")
    refuses(
        position, "ussr", "land baltic-sea italy 1 infantry", "Italy has no coast at Baltic Sea"
    )
    refuses(position, "ussr", "land baltic-sea norway 1 infantry", "Norway is not friendly")


def test_8_11_who_waits_for_the_sea_battle_waits_on_his_own_ship() -> None:
    """Two orders for one coast: the second finds other ships than the first."""
    position = state(
        "baltic-sea ussr 1 cruiser 3 transport[2 infantry] 1 transport[1 armor] we 1 transport",
        "west-germany we 1 infantry",
    )
    position = play(
        position,
        "ussr",
        "attack baltic-sea",
        "land baltic-sea west-germany 2 infantry",
        "land baltic-sea west-germany 1 infantry 1 armor",
    )
    riders = Load("ussr", "infantry", 2)
    bound = Group("ussr", "transport", marks=("attacking", "spent"), shore=("west-germany",))
    assert [group for group in marked(position, "baltic-sea") if group.kind == "transport"] == [
        Group("ussr", "transport", marks=("attacking",), cargo=(riders,)),
        replace(bound, cargo=(Load("ussr", "armor", 1),)),
        replace(bound, count=2, cargo=(riders,)),
        Group("we", "transport"),
    ]
    loads = (Load("ussr", "armor", 1), Load("ussr", "infantry", 3))
    assert position.board.turn.landings == (Landing("baltic-sea", "west-germany", loads),)
    offered = [line for line in lines(position, "ussr", "land") if "west-germany" in line]
    assert offered == [f"land baltic-sea west-germany {number} infantry" for number in range(1, 4)]


def test_8_11_an_escort_may_come_when_all_are_ashore() -> None:
    position = state(
        "baltic-sea ussr 1 transport[2 infantry]",
        "north-sea ussr 2 cruiser",
        "west-germany we 1 infantry",
    )
    position = play(position, "ussr", "land baltic-sea west-germany 2 infantry")
    escorted = play(position, "ussr", "move north-sea baltic-sea 1 cruiser")
    assert units(escorted, "baltic-sea") == "ussr 1 transport 1 cruiser"
    refuses(
        position,
        "ussr",
        "move north-sea irish-sea 1 cruiser",
        "Irish Sea: no battle and no landing there; other ships move in the non-combat move",
    )


@pytest.mark.parametrize("cargo", ["we 2 infantry", "1 aa-gun"])
def test_8_2_only_own_troops_that_can_attack_make_an_assault(cargo: str) -> None:
    position = state(
        f"irish-sea usa 1 transport[{cargo}]",
        "norway ussr 1 infantry",
        power="usa",
        owners={"norway": "ussr"},
    )
    refuses(
        position,
        "usa",
        "move irish-sea north-sea 1 transport",
        "North Sea: no battle and no landing there; other ships move in the non-combat move",
    )


# --- why not --------------------------------------------------------------------------------------


def test_8_6_what_is_too_far_is_not_called_captured() -> None:
    position = state(
        "orel ussr 1 infantry",
        "kamchatka ussr 1 fighter*2",
        stop="logistics",
        owners={"france": "ussr"},
        held={"france": "we"},
        turn={"captured": ("france",)},
        techs={"ussr": {"aircraft": 6}},
    )
    refuses(
        position,
        "ussr",
        "move orel france 1 infantry",
        "infantry: no way from Orel to France with one movement point",
    )
    refuses(
        position,
        "ussr",
        "move kamchatka france 1 fighter",
        "fighter: no way from Kamchatka to France with 4 movement points",
    )


def test_8_4_a_blitz_that_ends_among_friends_has_to_be_ordered_by_its_way() -> None:
    position = state("poland ussr 1 armor")
    refuses(
        position,
        "ussr",
        "move poland yugoslavia 1 armor",
        "Yugoslavia is friendly; move there in the non-combat move",
    )
    position = play(position, "ussr", "move poland yugoslavia 1 armor via west-germany")
    assert owner(position, "west-germany") == "ussr"


def test_8_2_all_of_an_order_go_into_an_empty_land() -> None:
    """Though the first of them take it; whoever is ordered there later finds a land of friends."""
    position = state(
        "poland ussr 4 infantry 2 armor 1 fighter",
        "baltic-sea ussr 1 transport[2 infantry] 1 transport[1 armor]",
        owners={"west-germany": "we"},
    )
    taken = play(position, "ussr", "move poland west-germany 3 infantry 2 armor")
    assert units(taken, "west-germany") == "ussr 3 infantry 2 armor"
    assert owner(taken, "west-germany") == "ussr"
    refuses(
        taken,
        "ussr",
        "move poland west-germany 1 infantry",
        "West Germany is taken already; others follow in the non-combat move",
    )
    refuses(
        position,
        "ussr",
        "move poland west-germany 3 infantry 1 fighter",
        "West Germany has no units that aircraft could fight",
    )
    landed = play(position, "ussr", "land baltic-sea west-germany 2 infantry 1 armor", "done")
    assert units(landed, "west-germany") == "ussr 2 infantry 1 armor"


def test_8_what_is_said_to_moves_without_sense() -> None:
    refuses(
        state("poland ussr 1 armor"),
        "ussr",
        "move poland poland 1 armor",
        "a move leads from one space to another",
    )
    position = state("baltic-sea ussr 1 transport[1 infantry] 1 cruiser", stop="logistics")
    refuses(
        position,
        "ussr",
        "move baltic-sea north-sea 1 infantry",
        "say which ships carry them: move ZONE ZONE 1 transport 2 infantry",
    )
    for cargo in ("1 armor", "2 infantry"):
        refuses(
            position,
            "ussr",
            f"move baltic-sea north-sea 1 transport {cargo}",
            "no ship in Baltic Sea has that on board",
        )


def test_7_10_a_submerged_submarine_is_no_target() -> None:
    position = state(
        "north-sea uk 1 submarine!submerged",
        "barents-sea ussr 1 cruiser",
        "norway ussr 1 fighter",
        owners={"norway": "ussr"},
    )
    refuses(
        position,
        "ussr",
        "move barents-sea north-sea 1 cruiser",
        "North Sea: no battle and no landing there; other ships move in the non-combat move",
    )
    refuses(
        position,
        "ussr",
        "move norway north-sea 1 fighter",
        "nothing in North Sea can be attacked by aircraft",
    )


def test_13_4_nato_does_not_attack_its_hosts() -> None:
    position = state(
        "turkey we 1 infantry", "syria arab 1 infantry", power="we", influence={"arab": -2}
    )
    refuses(position, "we", "move turkey syria 1 infantry", "Western Europe may not attack Syria")


# --- 6.10, 8.7: carriers --------------------------------------------------------------------------


def test_6_10_who_has_flown_does_not_ride() -> None:
    position = state(
        "barents-sea usa 1 carrier 1 fighter 1 fighter*1 1 cruiser", power="usa", stop="logistics"
    )
    position = play(position, "usa", "move barents-sea iceland-sea-zone 1 carrier 2 fighter")
    assert marked(position, "iceland-sea-zone") == [
        Group("usa", "carrier", used=1),
        Group("usa", "fighter", marks=("spent",)),
        Group("usa", "fighter", used=2),
    ]
    assert units(position, "barents-sea") == "usa 1 cruiser"


def test_6_10_who_may_not_fly_is_not_named_beside_a_carrier() -> None:
    position = state(
        "barents-sea usa 2 carrier 1 fighter 1 fighter!spent 1 cruiser",
        power="usa",
        stop="logistics",
    )
    refuses(
        position,
        "usa",
        "move barents-sea iceland-sea-zone 1 carrier 2 fighter",
        "of the fighters in Barents Sea only 0 can move now, not 1",
    )


@pytest.mark.parametrize("held", ["stunned", "grounded", "spent"])
def test_8_7_11_7_2_who_cannot_fly_needs_his_carrier(held: str) -> None:
    war = "irish-sea ussr 1 transport"
    line = "move barents-sea irish-sea 1 carrier"
    position = state(f"barents-sea usa 1 carrier 1 fighter!{held}", war, power="usa")
    refuses(position, "usa", line, "after this move not all aircraft could land any more")
    position = state(f"barents-sea usa 2 carrier 1 fighter!{held}", war, power="usa")
    position = play(position, "usa", line)
    assert units(position, "barents-sea") == "usa 1 fighter 1 carrier"


def test_8_7_as_many_carriers_are_offered_as_can_be_spared() -> None:
    position = state(
        "barents-sea usa 2 carrier 1 fighter!stunned", "irish-sea ussr 1 transport", power="usa"
    )
    offered = [line for line in lines(position, "usa", "move", "barents-sea") if "carrier" in line]
    assert offered == ["move barents-sea irish-sea 1 carrier"]


def test_8_7_what_is_offered_leaves_a_deck_to_those_who_are_out() -> None:
    """After one has gone west, the carrier has to go there, too."""
    position = state(
        "south-atlantic usa 1 carrier 2 fighter*3",
        "rio-de-janeiro-sea-zone ussr 1 transport",
        "gulf-of-guinea ussr 1 transport",
        power="usa",
    )
    east = "move south-atlantic gulf-of-guinea 1 fighter"
    assert east in list(lines(position, "usa", "move", "south-atlantic"))
    position = play(position, "usa", "move south-atlantic rio-de-janeiro-sea-zone 1 fighter")
    assert east not in list(lines(position, "usa", "move", "south-atlantic"))
    refuses(
        position,
        "usa",
        east,
        "fighter: no place to land would be in reach after Gulf of Guinea",
    )


def test_6_10_not_more_land_than_have_room() -> None:
    position = state("irish-sea we 2 carrier", "france we 6 fighter", power="we", stop="logistics")
    done = play(position, "we", "move france irish-sea 4 fighter")
    assert units(done, "irish-sea") == "we 4 fighter 2 carrier"
    refuses(
        position,
        "we",
        "move france irish-sea 5 fighter",
        "no carrier in Irish Sea has room for fighter",
    )
    offered = list(lines(position, "we", "move", "france", "irish-sea"))
    assert offered == [f"move france irish-sea {number} fighter" for number in range(1, 5)]


def test_6_10_who_rides_on_a_carrier_has_taken_its_room() -> None:
    position = state(
        "irish-sea uk 2 carrier[we 1 fighter]", "france we 4 fighter", power="we", stop="logistics"
    )
    play(position, "we", "move france irish-sea 2 fighter")
    refuses(
        position,
        "we",
        "move france irish-sea 3 fighter",
        "no carrier in Irish Sea has room for fighter",
    )


def test_6_10_ships_that_go_along_do_not_make_room() -> None:
    position = state(
        "iceland-sea-zone usa 1 carrier",
        "barents-sea usa 1 cruiser 1 nuclear-carrier 5 fighter",
        power="usa",
        stop="logistics",
    )
    offered = [
        line
        for line in lines(position, "usa", "move", "barents-sea", "iceland-sea-zone")
        if "fighter" in line
    ]
    assert offered == [
        f"move barents-sea iceland-sea-zone {number} fighter" for number in range(1, 3)
    ]


@pytest.mark.parametrize(
    ("decks", "most"),
    [
        ("uk 1 carrier", 2),
        ("uk 1 carrier[we 1 fighter]", 1),
        ("uk 1 carrier we 1 fighter", 1),
        ("uk 2 carrier we 2 fighter", 2),
        ("uk 1 nuclear-carrier", 3),
        ("uk 1 nuclear-carrier[we 1 bomber]", 1),
    ],
)
def test_8_7_so_many_fly_out_as_decks_have_room(decks: str, most: int) -> None:
    """From the Solomons over the South Pacific a fighter does not come back to land."""
    position = state(
        "solomon-islands uk 4 fighter",
        f"south-pacific-1 {decks}",
        "south-pacific-2 ussr 1 transport",
        power="uk",
    )
    offered = list(lines(position, "uk", "move", "solomon-islands", "south-pacific-2"))
    assert offered == [
        f"move solomon-islands south-pacific-2 {number} fighter" for number in range(1, most + 1)
    ]


def test_8_7_a_bomber_counts_on_nuclear_carriers_only() -> None:
    line = "move solomon-islands south-pacific-2 1 bomber"
    prey, flying = "south-pacific-2 ussr 1 transport", "solomon-islands uk 1 bomber*3"
    play(state(flying, "south-pacific-1 uk 1 nuclear-carrier", prey, power="uk"), "uk", line)
    refuses(
        state(flying, "south-pacific-1 uk 1 carrier", prey, power="uk"),
        "uk",
        line,
        "bomber: no place to land would be in reach after South Pacific 2",
    )


def test_8_7_a_carrier_in_a_battle_does_not_come_to_meet_them() -> None:
    prey = "caribbean-sea usa 1 transport"
    way = ("move", "antilles-sea-zone", "caribbean-sea")
    free = state("antilles-sea-zone ussr 1 carrier 1 fighter*3", prey)
    assert "fighter" in [line.split()[-1] for line in lines(free, "ussr", *way)]
    bound = state("antilles-sea-zone ussr 1 carrier!attacking 1 fighter*3 usa 1 transport", prey)
    assert list(lines(bound, "ussr", "move")) == []


def test_8_7_option_the_zone_of_a_deck_that_waits_costs_nothing() -> None:
    line = "move solomon-islands south-pacific-2 1 fighter"
    forces = (
        "solomon-islands uk 1 fighter*1",
        "south-pacific-1 usa 1 carrier",
        "south-pacific-2 ussr 1 transport",
    )
    refuses(
        state(*forces, power="uk"),
        "uk",
        line,
        "fighter: no place to land would be in reach after South Pacific 2",
    )
    play(state(*forces, power="uk", variant=Variant(carrier_zone_free=True)), "uk", line)


# --- 8.9, 8.10: the end of a turn -----------------------------------------------------------------


def test_8_10_a_ship_that_has_unloaded_takes_nobody_on_board() -> None:
    position = state(
        "poland ussr 1 infantry",
        "baltic-sea ussr 1 transport!spent 1 transport[1 armor]",
        stop="logistics",
    )
    assert list(lines(position, "ussr", "load")) == []
    refuses(
        position,
        "ussr",
        "load poland baltic-sea 1 infantry",
        "the ships of USSR in Baltic Sea have no room for all of that",
    )


def test_3_what_ships_did_is_forgotten_at_the_end_of_the_turn() -> None:
    position = state(
        "baltic-sea ussr 1 transport[2 infantry]",
        "polar-ice-cap ussr 1 submarine",
        stop="logistics",
        techs={"ussr": {"submarine": 4}},
    )
    position = play(
        position,
        "ussr",
        "land baltic-sea poland 2 infantry",
        "move polar-ice-cap barents-sea 1 submarine",
    )
    assert marked(position, "barents-sea") == [
        Group("ussr", "submarine", used=1, marks=("surfaced",))
    ]
    position = play(position, "ussr", "done", faces=[])
    assert marked(position, "barents-sea") == [Group("ussr", "submarine")]
    assert marked(position, "baltic-sea") == [Group("ussr", "transport")]


def test_8_9_who_began_under_the_ice_comes_out_where_nobody_is() -> None:
    position = state(
        "polar-ice-cap ussr 1 submarine*1 2 submarine",
        "baffin-and-hudson-bay usa 1 cruiser",
        stop="logistics",
        techs={"ussr": {"submarine": 4}},
    )
    done = order(position, "ussr", "done", [])
    assert told(done)[0] == "USSR: 2 submarines, out from under the ice: Barents Sea"
    assert units(done.state, "barents-sea") == "ussr 2 submarine"
    assert units(done.state, "polar-ice-cap") == "ussr 1 submarine"


# --- 11.3: what a bomb is for, nobody else enters -------------------------------------------------


def test_11_3_nobody_enters_a_land_that_a_bomb_is_for() -> None:
    position = state(
        "poland ussr 1 armor 1 bomber",
        "baltic-sea ussr 1 transport[1 infantry]",
        turn={"bombed": ("west-germany", "france", "norway")},
    )
    struck = ("west-germany", "norway")
    assert [line for line in lines(position, "ussr", "land") if line.split()[2] in struck] == []
    assert "raid poland france 1" not in list(lines(position, "ussr", "raid"))
    refuses(
        position,
        "ussr",
        "raid poland france 1",
        "France has no enemy factory that may be bombed",
    )
    refuses(
        position,
        "ussr",
        "land baltic-sea norway 1 infantry",
        "Norway is the target of a bomb in this turn",
    )


def test_8_4_11_3_no_blitz_through_a_land_that_a_bomb_is_for() -> None:
    line = "move poland france 1 armor"
    assert owner(play(state("poland ussr 1 armor"), "ussr", line), "west-germany") == "ussr"
    refuses(
        state("poland ussr 1 armor", turn={"bombed": ("west-germany",)}),
        "ussr",
        line,
        "armor: West Germany, on the way, is the target of a bomb",
    )
