"""8: ships, canals and straits, the ice cap, transports and amphibious assaults; 6.7, 6.9, 5.9."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from engine.core import Seat
from engine.east_and_west.board import Attack, Group, Landing, Load, Variant
from engine.east_and_west.movement.shipping import Ship, fits, stow
from engine.east_and_west.state import State
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
    words,
)

SNORKEL = {"ussr": {"submarine": 2}}
NUCLEAR = {"ussr": {"submarine": 4}}


def ship(position: State, zone: str, kind: str) -> Group:
    """The one group of a kind in a zone."""
    (found,) = [group for group in marked(position, zone) if group.kind == kind]
    return found


# --- 8.2, 8.3: battles at sea ---------------------------------------------------------------------


def test_8_3_ships_go_into_a_battle() -> None:
    position = state("barents-sea ussr 2 cruiser", "irish-sea uk 1 submarine")
    position = play(position, "ussr", "move barents-sea irish-sea 2 cruiser")
    assert ship(position, "irish-sea", "cruiser").marks == ("attacking",)
    assert position.board.turn.attacks == (Attack("irish-sea", ("barents-sea",)),)


def test_8_3_ships_stop_where_enemy_ships_are() -> None:
    position = state(
        "barents-sea ussr 1 cruiser", "irish-sea uk 1 transport", "bay-of-biscay we 1 transport"
    )
    assert words(position, "ussr", "move", "barents-sea") == ["irish-sea"]


def test_8_3_round_them_they_may_go() -> None:
    position = state(
        "barents-sea ussr 1 cruiser",
        "iceland-sea-zone usa 1 transport",
        "quebec-sea-zone uk 1 transport",
    )
    reached = words(position, "ussr", "move", "barents-sea")
    assert reached == ["iceland-sea-zone", "quebec-sea-zone"]


def test_8_2_without_a_battle_ships_wait_for_the_non_combat_move() -> None:
    position = state("barents-sea ussr 1 cruiser")
    refuses(
        position,
        "ussr",
        "move barents-sea irish-sea 1 cruiser",
        "Irish Sea: no battle and no landing there; other ships move in the non-combat move",
    )


def test_8_1_ships_stay_at_sea() -> None:
    position = state("barents-sea ussr 1 cruiser", "norway we 1 infantry")
    refuses(
        position,
        "ussr",
        "move barents-sea norway 1 cruiser",
        "cruiser cannot go to Norway; troops go on board with load and ashore with land",
    )


def test_6_9_a_damaged_battleship_does_not_attack() -> None:
    position = state("barents-sea ussr 1 battleship!damaged", "irish-sea uk 1 transport")
    refuses(
        position,
        "ussr",
        "move barents-sea irish-sea 1 battleship",
        "a damaged battleship may not attack",
    )


def test_6_9_of_two_battleships_the_sound_one_attacks() -> None:
    position = state(
        "barents-sea ussr 1 battleship 1 battleship!damaged", "irish-sea uk 1 transport"
    )
    position = play(position, "ussr", "move barents-sea irish-sea 1 battleship")
    assert ship(position, "barents-sea", "battleship").marks == ("damaged",)


def test_6_9_a_damaged_battleship_moves_away() -> None:
    position = state("barents-sea ussr 1 battleship 1 battleship!damaged", stop="logistics")
    position = play(position, "ussr", "move barents-sea irish-sea 1 battleship damaged")
    assert ship(position, "irish-sea", "battleship").has("damaged")


def test_16_27_ships_among_enemies_may_attack_where_they_are() -> None:
    position = state("north-sea ussr 1 cruiser uk 1 cruiser")
    position = play(position, "ussr", "attack north-sea")
    assert position.board.turn.attacks == (Attack("north-sea"),)
    assert [g.marks for g in marked(position, "north-sea") if g.owner == "ussr"] == [("attacking",)]


def test_16_27_they_may_leave_after_the_battles() -> None:
    position = state("north-sea ussr 1 cruiser uk 1 cruiser", stop="logistics")
    position = play(position, "ussr", "move north-sea barents-sea 1 cruiser")
    assert units(position, "barents-sea") == "ussr 1 cruiser"


def test_16_27_they_need_not_attack() -> None:
    position = state("north-sea ussr 1 cruiser uk 1 cruiser")
    position = play(position, "ussr", "done")
    assert units(position, "north-sea") == "uk 1 cruiser ussr 1 cruiser"


def test_8_11_when_others_come_into_battle_all_own_ships_there_fight() -> None:
    position = state("north-sea ussr 1 cruiser uk 1 transport", "barents-sea ussr 1 submarine")
    position = play(
        position, "ussr", "move barents-sea north-sea 1 submarine", "done", faces=[6, 1, 6]
    )
    assert units(position, "north-sea") == "ussr 1 submarine 1 cruiser"


def test_5_9_a_submarine_with_snorkel_need_not_join() -> None:
    position = state(
        "north-sea ussr 1 submarine uk 1 transport",
        "barents-sea ussr 1 cruiser",
        techs=SNORKEL,
    )
    position = play(position, "ussr", "move barents-sea north-sea 1 cruiser", "done", faces=[1, 6])
    assert ship(position, "north-sea", "submarine") == Group("ussr", "submarine")


def test_8_5_ships_move_in_one_of_the_two_phases() -> None:
    position = state("barents-sea ussr 1 cruiser", "irish-sea uk 1 transport")
    position = play(position, "ussr", "move barents-sea irish-sea 1 cruiser", "done", faces=[1, 6])
    refuses(
        position,
        "ussr",
        "move irish-sea barents-sea 1 cruiser",
        "of the cruisers in Irish Sea only 0 can move now, not 1",
    )


def test_8_5_in_the_non_combat_move_a_ship_may_go_step_by_step() -> None:
    position = state("barents-sea ussr 1 cruiser", stop="logistics")
    position = play(
        position,
        "ussr",
        "move barents-sea irish-sea 1 cruiser",
        "move irish-sea north-sea 1 cruiser",
    )
    refuses(
        position,
        "ussr",
        "move north-sea baltic-sea 1 cruiser",
        "of the cruisers in North Sea only 0 can move now, not 1",
    )


def test_8_6_not_into_zones_with_enemy_ships() -> None:
    position = state("barents-sea ussr 1 cruiser", "irish-sea uk 1 transport", stop="logistics")
    reached = words(position, "ussr", "move", "barents-sea")
    assert "irish-sea" not in reached and "bay-of-biscay" not in reached
    assert "north-sea" in reached


def test_19_neutral_ships_block_nobody() -> None:
    position = state("sea-of-okhotsk ussr 1 cruiser", "sea-of-japan china 1 transport")
    assert "move" not in words(position, "ussr")
    position = state(
        "sea-of-okhotsk ussr 1 cruiser", "sea-of-japan china 1 transport", stop="logistics"
    )
    assert "sea-of-japan" in words(position, "ussr", "move", "sea-of-okhotsk")


def test_11_3_ships_pass_a_bombed_zone_but_do_not_stop_there() -> None:
    position = state("barents-sea ussr 1 cruiser", stop="logistics")
    turn = replace(position.board.turn, bombed=("irish-sea",))
    position = replace(position, board=replace(position.board, turn=turn))
    reached = words(position, "ussr", "move", "barents-sea")
    assert "irish-sea" not in reached and "bay-of-biscay" in reached


# --- 5.9, 8.9, 16.26: submarines ------------------------------------------------------------------


def test_16_26_a_lone_submarine_stops_ships() -> None:
    position = state("barents-sea ussr 1 cruiser", "irish-sea uk 1 submarine", stop="logistics")
    assert "irish-sea" not in words(position, "ussr", "move", "barents-sea")


def test_16_26_unless_that_was_agreed() -> None:
    agreed = Variant(ignore_subs=True)
    forces = ("barents-sea ussr 1 cruiser", "irish-sea uk 1 submarine")
    position = state(*forces, stop="logistics", variant=agreed)
    assert "irish-sea" in words(position, "ussr", "move", "barents-sea")


def test_16_26_a_submarine_can_be_attacked_all_the_same() -> None:
    agreed = Variant(ignore_subs=True)
    forces = ("barents-sea ussr 1 cruiser", "irish-sea uk 1 submarine")
    position = state(*forces, variant=agreed)
    position = play(position, "ussr", "move barents-sea irish-sea 1 cruiser")
    assert position.board.turn.attacks == (Attack("irish-sea", ("barents-sea",)),)


def test_5_9_a_submarine_without_snorkel_is_stopped() -> None:
    position = state("barents-sea ussr 1 submarine", "irish-sea uk 1 cruiser", stop="logistics")
    assert "bay-of-biscay" not in words(position, "ussr", "move", "barents-sea")


def test_5_9_with_a_snorkel_it_passes_and_stays() -> None:
    position = state(
        "barents-sea ussr 1 submarine", "irish-sea uk 1 cruiser", stop="logistics", techs=SNORKEL
    )
    reached = words(position, "ussr", "move", "barents-sea")
    assert "irish-sea" in reached and "bay-of-biscay" in reached


def test_5_9_with_a_snorkel_it_passes_to_a_battle() -> None:
    forces = (
        "barents-sea ussr 1 submarine",
        "irish-sea uk 1 cruiser",
        "bay-of-biscay we 1 cruiser",
    )
    assert words(state(*forces), "ussr", "move", "barents-sea") == ["irish-sea"]
    position = state(*forces, techs=SNORKEL)
    assert words(position, "ussr", "move", "barents-sea") == ["bay-of-biscay", "irish-sea"]


def test_5_9_a_nuclear_submarine_goes_three_zones() -> None:
    position = state("barents-sea ussr 1 submarine", stop="logistics", techs=NUCLEAR)
    position = play(position, "ussr", "move barents-sea north-atlantic-2 1 submarine")
    assert ship(position, "north-atlantic-2", "submarine").used == 3


def test_8_9_only_nuclear_submarines_go_under_the_ice() -> None:
    forces = "barents-sea ussr 1 submarine 1 cruiser"
    position = state(forces, stop="logistics", techs=SNORKEL)
    assert "polar-ice-cap" not in words(position, "ussr", "move", "barents-sea")
    position = state(forces, stop="logistics", techs=NUCLEAR)
    assert words(position, "ussr", "move", "barents-sea", "polar-ice-cap", "1") == ["submarine"]


def test_8_9_the_ice_is_one_space_on_the_way() -> None:
    position = state("barents-sea ussr 1 submarine", stop="logistics", techs=NUCLEAR)
    position = play(position, "ussr", "move barents-sea chukchi-sea 1 submarine")
    assert ship(position, "chukchi-sea", "submarine").used == 2


def test_8_9_who_began_under_the_ice_does_not_go_back() -> None:
    position = state("polar-ice-cap ussr 1 submarine", stop="logistics", techs=NUCLEAR)
    position = play(position, "ussr", "move polar-ice-cap barents-sea 1 submarine")
    refuses(
        position,
        "ussr",
        "move barents-sea polar-ice-cap 1 submarine",
        "submarine: units that began the turn under the ice cannot go back there",
    )


def test_8_9_who_began_under_the_ice_leaves_it_without_an_order() -> None:
    position = state(
        "polar-ice-cap ussr 1 submarine",
        "baffin-and-hudson-bay uk 1 cruiser",
        stop="logistics",
        techs=NUCLEAR,
    )
    position = play(position, "ussr", "done")
    assert units(position, "polar-ice-cap") == ""
    assert units(position, "barents-sea") == "ussr 1 submarine"


def test_8_9_who_has_just_come_stays_under_the_ice() -> None:
    position = state("barents-sea ussr 1 submarine", stop="logistics", techs=NUCLEAR)
    position = play(position, "ussr", "move barents-sea polar-ice-cap 1 submarine", "done")
    assert marked(position, "polar-ice-cap") == [Group("ussr", "submarine")]


def test_8_9_submarines_are_attacked_under_the_ice_by_their_like() -> None:
    position = state(
        "barents-sea ussr 1 submarine 1 cruiser",
        "polar-ice-cap usa 1 submarine",
        techs=NUCLEAR,
    )
    assert words(position, "ussr", "move", "barents-sea", "polar-ice-cap", "1") == ["submarine"]


# --- 8.12: canals and straits ---------------------------------------------------------------------


def passes(position: State, power: str, start: str, target: str) -> bool:
    return target in words(position, power, "move", start)


def at_sea(zone: str, kind: str, power: str = "ussr", **changes: Any) -> State:
    return state(f"{zone} {power} 1 {kind}", power=power, stop="logistics", **changes)


def test_8_12_the_dardanelles_are_closed_to_surface_ships() -> None:
    assert not passes(at_sea("black-sea", "cruiser"), "ussr", "black-sea", "cyprus-sea-zone")
    assert not passes(at_sea("black-sea", "cruiser"), "ussr", "black-sea", "italy-sea-zone")


def test_8_12_submarines_pass_straits() -> None:
    assert passes(at_sea("black-sea", "submarine"), "ussr", "black-sea", "cyprus-sea-zone")


def test_8_12_who_holds_turkey_since_the_turn_began_passes() -> None:
    held = at_sea("black-sea", "cruiser", owners={"turkey": "ussr"})
    assert passes(held, "ussr", "black-sea", "italy-sea-zone")
    taken = at_sea("black-sea", "cruiser", owners={"turkey": "ussr"}, held={"turkey": "we"})
    assert not passes(taken, "ussr", "black-sea", "italy-sea-zone")


def test_8_12_an_ally_may_hold_it() -> None:
    assert passes(
        at_sea("azores-sea-zone", "cruiser", "we"), "we", "azores-sea-zone", "mediterranean"
    )


def test_8_12_gibraltar() -> None:
    lost = {"gibraltar": "ussr"}
    assert not passes(
        at_sea("azores-sea-zone", "cruiser", "usa", owners=lost),
        "usa",
        "azores-sea-zone",
        "mediterranean",
    )
    assert passes(
        at_sea("azores-sea-zone", "submarine", "usa", owners=lost),
        "usa",
        "azores-sea-zone",
        "mediterranean",
    )


def test_8_12_panama_is_closed_to_all_ships_of_the_other_side() -> None:
    for kind in ("cruiser", "submarine"):
        assert passes(
            at_sea("caribbean-sea", kind, "uk"), "uk", "caribbean-sea", "colombia-sea-zone"
        )
        assert not passes(
            at_sea("caribbean-sea", kind), "ussr", "caribbean-sea", "colombia-sea-zone"
        )


@pytest.mark.parametrize(
    ("power", "marker", "is_open"),
    [("ussr", 0, True), ("usa", 0, True), ("ussr", -1, False), ("usa", -1, True)]
    + [("ussr", 1, True), ("usa", 1, False)],
)
def test_8_12_suez_goes_by_the_favour_of_the_arab_league(
    power: str, marker: int, is_open: bool
) -> None:
    for kind in ("cruiser", "submarine"):
        position = at_sea("cyprus-sea-zone", kind, power, influence={"arab": marker})
        assert passes(position, power, "cyprus-sea-zone", "red-sea") == is_open


def _without_league(position: State) -> State:
    influence = {key: at for key, at in position.board.influence.items() if key != "arab"}
    owners = {**position.board.owners}
    for land in ("egypt", "jordan", "iraq", "syria", "saudi-arabia"):
        if owners[land] == "arab":
            owners[land] = "we"
    turn = replace(position.board.turn, owners=owners)
    board = replace(position.board, influence=influence, owners=owners, turn=turn)
    return replace(position, board=board)


def test_8_12_without_the_league_suez_goes_by_egypt_and_jordan() -> None:
    both = _without_league(at_sea("cyprus-sea-zone", "cruiser", "usa"))
    assert passes(both, "usa", "cyprus-sea-zone", "red-sea")
    one = at_sea("cyprus-sea-zone", "cruiser", "usa", owners={"egypt": "ussr"})
    assert not passes(_without_league(one), "usa", "cyprus-sea-zone", "red-sea")
    theirs = at_sea("cyprus-sea-zone", "cruiser", owners={"egypt": "ussr"})
    assert not passes(_without_league(theirs), "ussr", "cyprus-sea-zone", "red-sea")


def test_8_12_the_baltic_is_closed_only_if_that_was_agreed() -> None:
    agreed = Variant(baltic_strait=True)
    assert passes(at_sea("baltic-sea", "cruiser"), "ussr", "baltic-sea", "north-sea")
    position = at_sea("baltic-sea", "cruiser", variant=agreed)
    assert not passes(position, "ussr", "baltic-sea", "north-sea")
    position = at_sea("baltic-sea", "submarine", variant=agreed)
    assert passes(position, "ussr", "baltic-sea", "north-sea")


# --- 6.7: loads -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("vessel", "load", "is_room"),
    [
        ("transport", "2 infantry", True),
        ("transport", "3 infantry", False),
        ("transport", "1 infantry 1 special-forces", True),
        ("transport", "1 armor", True),
        ("transport", "1 heavy-armor", True),
        ("transport", "1 aa-gun", True),
        ("transport", "1 howitzer", True),
        ("transport", "1 atomic-bomb", True),
        ("transport", "1 armor 1 infantry", False),
        ("transport", "2 armor", False),
        ("large-transport", "3 infantry", True),
        ("large-transport", "4 infantry", False),
        ("large-transport", "2 infantry 1 armor", True),
        ("large-transport", "3 infantry 1 armor", False),
        ("large-transport", "1 infantry 1 special-forces 1 armor", True),
        ("large-transport", "2 armor", True),
        ("large-transport", "2 armor 1 infantry", False),
        ("large-transport", "2 howitzer", True),
        ("large-transport", "1 howitzer 1 aa-gun", True),
        ("large-transport", "1 atomic-bomb 1 hydrogen-bomb", True),
        ("large-transport", "1 howitzer 1 infantry", False),
        ("large-transport", "1 heavy-armor 1 infantry", True),
        ("large-transport", "1 heavy-armor 2 infantry", False),
        ("large-transport", "1 heavy-armor 1 armor", False),
    ],
)
def test_6_7_what_a_ship_takes(vessel: str, load: str, is_room: bool) -> None:
    parts = load.split()
    cargo = [Load("we", kind, int(n)) for n, kind in zip(parts[::2], parts[1::2], strict=True)]
    assert fits(vessel, cargo) == is_room


def test_6_7_units_are_spread_over_ships_so_that_all_fit() -> None:
    ships: list[Ship] = [("large-transport", ()), ("large-transport", ())]
    found = stow(ships, [("we", "armor")] * 2 + [("we", "infantry")] * 4)
    assert found == [(Load("we", "armor"), Load("we", "infantry", 2))] * 2
    assert stow(ships, [("we", "armor")] * 2 + [("we", "infantry")] * 5) is None


# --- 8.10: on board and ashore --------------------------------------------------------------------


def test_8_10_units_go_on_board_and_with_the_ship() -> None:
    position = state(
        "france we 3 infantry", "bay-of-biscay we 1 transport", power="we", stop="logistics"
    )
    position = play(
        position,
        "we",
        "load france bay-of-biscay 2 infantry",
        "move bay-of-biscay azores-sea-zone 1 transport",
        "land azores-sea-zone portugal 2 infantry",
    )
    assert units(position, "portugal") == "we 2 infantry"
    assert units(position, "azores-sea-zone") == "we 1 transport"
    assert ship(position, "azores-sea-zone", "transport").cargo == ()


def test_8_10_only_at_the_coast() -> None:
    position = state(
        "france we 3 infantry", "azores-sea-zone we 1 transport", power="we", stop="logistics"
    )
    refuses(
        position,
        "we",
        "load france azores-sea-zone 2 infantry",
        "France has no coast at Azores Sea Zone",
    )


def test_8_10_not_more_than_there_is_room() -> None:
    position = state(
        "france we 3 infantry", "bay-of-biscay we 1 transport", power="we", stop="logistics"
    )
    refuses(
        position,
        "we",
        "load france bay-of-biscay 3 infantry",
        "the ships of Western Europe in Bay of Biscay have no room for all of that",
    )


def test_8_10_not_among_enemy_ships() -> None:
    position = state(
        "france we 2 infantry",
        "bay-of-biscay we 1 transport ussr 1 submarine",
        power="we",
        stop="logistics",
    )
    refuses(
        position,
        "we",
        "load france bay-of-biscay 2 infantry",
        "no loading among enemy ships: Bay of Biscay",
    )


def test_8_10_a_unit_that_moved_does_not_go_on_board() -> None:
    position = state(
        "france we 1 armor*1", "bay-of-biscay we 1 transport", power="we", stop="logistics"
    )
    refuses(
        position,
        "we",
        "load france bay-of-biscay 1 armor",
        "France, armor: ready to go on board 0, not 1",
    )


def test_8_10_who_went_ashore_does_not_move_on() -> None:
    position = state("bay-of-biscay we 1 transport[1 armor]", power="we", stop="logistics")
    position = play(position, "we", "land bay-of-biscay france 1 armor")
    refuses(
        position,
        "we",
        "move france italy 1 armor",
        "of the armor in France only 0 can move now, not 1",
    )


def test_8_10_a_ship_loads_on_its_way_in_two_lands_at_most() -> None:
    position = state(
        "united-kingdom uk 1 infantry",
        "norway uk 2 infantry",
        "karelia uk 1 infantry",
        "north-sea uk 1 large-transport",
        power="uk",
        stop="logistics",
        techs={"uk": {"ship": 2}},
        owners={"karelia": "uk"},
    )
    position = play(
        position,
        "uk",
        "load united-kingdom north-sea 1 infantry",
        "load norway north-sea 1 infantry",
        "move north-sea barents-sea 1 large-transport",
    )
    refuses(
        position,
        "uk",
        "load karelia barents-sea 1 infantry",
        "a ship loads in two lands at most; those of United Kingdom in Barents Sea have done so",
    )
    play(position, "uk", "load norway barents-sea 1 infantry")


def test_8_10_after_unloading_a_ship_stays() -> None:
    position = state(
        "bay-of-biscay we 1 transport[2 infantry]",
        "portugal we 1 infantry",
        power="we",
        stop="logistics",
    )
    play(position, "we", "land bay-of-biscay france 2 infantry")
    position = play(position, "we", "land bay-of-biscay france 1 infantry")
    refuses(
        position,
        "we",
        "move bay-of-biscay irish-sea 1 transport",
        "of the transports in Bay of Biscay only 0 can move now, not 1",
    )
    refuses(
        position,
        "we",
        "load portugal bay-of-biscay 1 infantry",
        "the transports of Western Europe in Bay of Biscay have ended their move",
    )


def test_8_10_without_a_battle_a_ship_unloads_in_two_lands() -> None:
    position = state("bay-of-biscay we 1 transport[2 infantry]", power="we", stop="logistics")
    position = play(
        position,
        "we",
        "land bay-of-biscay france 1 infantry",
        "land bay-of-biscay portugal 1 infantry",
    )
    assert units(position, "portugal") == "we 1 infantry"


def test_8_10_but_not_in_three() -> None:
    position = state(
        "italy-sea-zone we 1 large-transport[3 infantry]",
        power="we",
        stop="logistics",
        owners={"yugoslavia": "we"},
    )
    position = play(
        position,
        "we",
        "land italy-sea-zone italy 1 infantry",
        "land italy-sea-zone greece 1 infantry",
    )
    refuses(
        position,
        "we",
        "land italy-sea-zone yugoslavia 1 infantry",
        "Italy Sea Zone, infantry: ready to go ashore 0, not 1",
    )
    play(position, "we", "land italy-sea-zone greece 1 infantry")


def test_8_10_a_bridge_needs_no_move() -> None:
    position = state(
        "italy we 2 infantry", "italy-sea-zone we 1 transport", power="we", stop="logistics"
    )
    position = play(
        position,
        "we",
        "load italy italy-sea-zone 2 infantry",
        "land italy-sea-zone greece 2 infantry",
    )
    assert units(position, "greece") == "we 2 infantry"


def test_8_10_units_may_stay_on_board_over_turns() -> None:
    position = state(
        "italy we 2 infantry", "italy-sea-zone we 1 transport", power="we", stop="logistics"
    )
    position = play(position, "we", "load italy italy-sea-zone 2 infantry", "done")
    assert marked(position, "italy-sea-zone") == [
        Group("we", "transport", cargo=(Load("we", "infantry", 2),))
    ]


def test_6_5_guns_and_bombs_go_on_board_without_a_battle_only() -> None:
    forces = ("italy we 1 aa-gun 1 atomic-bomb", "italy-sea-zone we 2 transport")
    assert "load" not in words(state(*forces, power="we"), "we")
    position = state(*forces, power="we", stop="logistics")
    position = play(
        position,
        "we",
        "load italy italy-sea-zone 1 aa-gun 1 atomic-bomb",
        "land italy-sea-zone greece 1 aa-gun 1 atomic-bomb",
    )
    assert units(position, "greece") == "we 1 aa-gun 1 atomic-bomb"


def test_8_10_the_ships_of_an_ally_take_units_too() -> None:
    position = state(
        "italy usa 2 infantry", "italy-sea-zone we 1 transport", power="usa", stop="logistics"
    )
    refuses(
        position,
        "usa",
        "load italy italy-sea-zone 2 infantry",
        "USA has no transport in Italy Sea Zone",
    )
    position = play(position, "usa", "load italy italy-sea-zone 2 infantry onto we")
    assert ship(position, "italy-sea-zone", "transport").cargo == (Load("usa", "infantry", 2),)


def test_8_10_such_units_are_moved_in_the_turn_of_the_ally() -> None:
    forces = "italy-sea-zone we 1 transport[usa 2 infantry]"
    position = state(forces, power="usa", stop="logistics")
    refuses(
        position,
        "usa",
        "move italy-sea-zone malta-sea-zone 1 transport",
        "USA has 0 transports in Italy Sea Zone, not 1",
    )
    position = state(forces, power="we", stop="logistics")
    position = play(position, "we", "move italy-sea-zone malta-sea-zone 1 transport")
    refuses(
        position,
        "we",
        "land malta-sea-zone libya 2 infantry",
        "Malta Sea Zone, infantry: ready to go ashore 0, not 2",
    )


def test_8_10_and_land_in_their_own() -> None:
    position = state("malta-sea-zone we 1 transport[usa 2 infantry]", power="usa", stop="logistics")
    position = play(position, "usa", "land malta-sea-zone libya 2 infantry")
    assert units(position, "libya") == "usa 2 infantry"


def test_14_2_an_ally_may_refuse() -> None:
    position = state(
        "italy usa 2 infantry",
        "italy-sea-zone we 1 transport",
        power="usa",
        stop="logistics",
        refusals=((Seat("we"), Seat("usa")),),
    )
    refuses(
        position,
        "usa",
        "load italy italy-sea-zone 2 infantry onto we",
        "Western Europe takes nobody on board",
    )


def test_8_10_the_other_side_takes_nobody() -> None:
    line = "load italy italy-sea-zone 2 infantry onto ussr"
    position = state("italy usa 2 infantry", power="usa", stop="logistics")
    refuses(position, "usa", line, "USSR takes nobody on board")
    position = state(
        "italy usa 2 infantry", "italy-sea-zone ussr 1 transport", power="usa", stop="logistics"
    )
    refuses(position, "usa", line, "no loading among enemy ships: Italy Sea Zone")


def test_8_10_loaded_ships_go_first_and_empty_ones_when_that_is_said() -> None:
    forces = "italy-sea-zone we 1 transport 1 transport[2 infantry]"
    position = state(forces, power="we", stop="logistics")
    first = play(position, "we", "move italy-sea-zone malta-sea-zone 1 transport")
    assert ship(first, "malta-sea-zone", "transport").cargo
    empty = play(position, "we", "move italy-sea-zone malta-sea-zone 1 transport empty")
    assert not ship(empty, "malta-sea-zone", "transport").cargo


def test_8_10_the_cargo_of_a_ship_that_goes_can_be_named() -> None:
    forces = "italy-sea-zone we 1 transport[1 armor] 1 transport[2 infantry]"
    position = state(forces, power="we", stop="logistics")
    gone = play(position, "we", "move italy-sea-zone malta-sea-zone 1 transport 1 armor")
    assert ship(gone, "malta-sea-zone", "transport").cargo == (Load("we", "armor"),)
    refuses(
        position,
        "we",
        "move italy-sea-zone malta-sea-zone 1 transport 1 howitzer",
        "no ship in Italy Sea Zone has that on board",
    )
    refuses(
        position,
        "we",
        "move italy-sea-zone malta-sea-zone 2 infantry",
        "say which ships carry them: move ZONE ZONE 1 transport 2 infantry",
    )


def test_load_is_offered_onto_ships_of_allies() -> None:
    position = state(
        "italy usa 1 infantry", "italy-sea-zone we 1 transport", power="usa", stop="logistics"
    )
    assert list(lines(position, "usa", "load")) == ["load italy italy-sea-zone 1 infantry onto we"]


# --- 8.11: amphibious assaults --------------------------------------------------------------------


def test_8_11_troops_attack_from_the_sea() -> None:
    position = state("north-sea ussr 1 transport[2 infantry]", "norway we 1 infantry")
    position = play(position, "ussr", "land north-sea norway 2 infantry")
    (troops,) = [g for g in marked(position, "norway") if g.owner == "ussr"]
    assert troops.marks == ("attacking", "landed", "spent")
    assert position.board.turn.attacks == (Attack("norway", landings=("north-sea",)),)


def test_8_11_from_two_zones_into_one_land() -> None:
    position = state(
        "north-sea ussr 1 transport[2 infantry]",
        "barents-sea ussr 1 transport[1 armor]",
        "norway we 1 infantry",
    )
    position = play(
        position, "ussr", "land north-sea norway 2 infantry", "land barents-sea norway 1 armor"
    )
    assert position.board.turn.attacks == (Attack("norway", landings=("north-sea", "barents-sea")),)


def test_8_11_an_empty_coast_is_taken_at_once() -> None:
    position = state("north-sea ussr 1 transport[2 infantry]")
    position = play(position, "ussr", "land north-sea norway 1 infantry")
    assert owner(position, "norway") == "ussr"
    assert marked(position, "norway") == [Group("ussr", "infantry", marks=("spent",))]


def test_8_10_in_an_assault_all_cargo_of_a_ship_lands_in_one_land() -> None:
    position = state(
        "north-sea ussr 1 transport[2 infantry]", "norway we 1 infantry", "france we 1 infantry"
    )
    position = play(position, "ussr", "land north-sea norway 1 infantry")
    refuses(
        position,
        "ussr",
        "land north-sea france 1 infantry",
        "North Sea, infantry: ready to go ashore 0, not 1",
    )
    position = play(position, "ussr", "land north-sea norway 1 infantry")
    assert units(position, "norway", "ussr") == "2 infantry"


def test_8_11_friends_are_no_aim_of_an_assault() -> None:
    position = state("baltic-sea ussr 1 transport[2 infantry]")
    refuses(
        position,
        "ussr",
        "land baltic-sea poland 2 infantry",
        "Poland cannot be attacked; to friends units go ashore in the non-combat move",
    )


def test_8_2_transports_with_troops_sail_to_a_hostile_coast() -> None:
    position = state("karelia ussr 2 infantry", "barents-sea ussr 1 transport 1 cruiser")
    assert "move" not in words(position, "ussr") or "barents-sea" not in words(
        position, "ussr", "move"
    )
    position = play(
        position,
        "ussr",
        "load karelia barents-sea 2 infantry",
        "move barents-sea north-sea 1 transport",
        "land north-sea united-kingdom 2 infantry",
    )
    assert owner(position, "united-kingdom") == "ussr"


def test_8_2_escorts_follow_the_transports() -> None:
    position = state(
        "barents-sea ussr 1 transport[2 infantry] 1 cruiser", "united-kingdom uk 1 infantry"
    )
    refuses(
        position,
        "ussr",
        "move barents-sea north-sea 1 cruiser",
        "North Sea: no battle and no landing there; other ships move in the non-combat move",
    )
    position = play(position, "ussr", "move barents-sea north-sea 1 transport 1 cruiser")
    assert units(position, "north-sea") == "ussr 1 transport 1 cruiser"
    position = play(position, "ussr", "land north-sea united-kingdom 2 infantry")
    assert position.board.turn.attacks[0].landings == ("north-sea",)


def test_6_10_a_carrier_goes_as_escort_and_not_alone() -> None:
    position = state(
        "barents-sea ussr 1 transport[2 infantry] 1 carrier", "united-kingdom uk 1 infantry"
    )
    refuses(
        position,
        "ussr",
        "move barents-sea north-sea 1 carrier",
        "North Sea: no battle and no landing there; other ships move in the non-combat move",
    )
    position = play(position, "ussr", "move barents-sea north-sea 1 carrier 1 transport")
    assert units(position, "north-sea") == "ussr 1 transport 1 carrier"


def test_8_11_where_enemy_ships_lie_a_sea_battle_comes_first() -> None:
    position = state(
        "barents-sea ussr 1 transport[2 infantry] 1 cruiser",
        "north-sea uk 1 transport",
        "united-kingdom uk 1 infantry",
    )
    position = play(
        position,
        "ussr",
        "move barents-sea north-sea 1 transport 1 cruiser",
        "land north-sea united-kingdom 1 infantry",
        "land north-sea united-kingdom 1 infantry",
    )
    turn = position.board.turn
    assert [attack.space for attack in turn.attacks] == ["north-sea", "united-kingdom"]
    assert turn.landings == (
        Landing("north-sea", "united-kingdom", (Load("ussr", "infantry", 2),)),
    )
    assert units(position, "united-kingdom", "ussr") == ""
    refuses(
        position,
        "ussr",
        "land north-sea united-kingdom 1 infantry",
        "North Sea, infantry: ready to go ashore 0, not 1",
    )


def test_8_11_the_landing_follows_a_won_sea_battle() -> None:
    position = state(
        "barents-sea ussr 1 transport[2 infantry] 1 cruiser",
        "north-sea uk 1 transport",
        "united-kingdom uk 1 infantry",
    )
    position = play(
        position,
        "ussr",
        "move barents-sea north-sea 1 transport 1 cruiser",
        "land north-sea united-kingdom 2 infantry",
        "done",
        faces=[1, 6, 1, 6, 6],
    )
    assert owner(position, "united-kingdom") == "ussr"


def test_8_11_among_enemy_ships_the_sea_battle_has_to_be_declared() -> None:
    position = state(
        "north-sea ussr 1 transport[2 infantry] 1 cruiser uk 1 transport",
        "norway we 1 infantry",
    )
    refuses(
        position,
        "ussr",
        "land north-sea norway 2 infantry",
        "the enemy ships have to be fought first; order: attack north-sea",
    )
    position = play(position, "ussr", "attack north-sea", "land north-sea norway 2 infantry")
    assert position.board.turn.landings[0].zone == "north-sea"


def test_8_11_nothing_is_offered_among_enemy_ships_before_the_battle_is_declared() -> None:
    position = state(
        "north-sea ussr 2 transport[1 infantry] uk 1 transport",
        "norway ussr 1 infantry",
        "france we 1 infantry",
        owners={"norway": "ussr"},
    )
    assert not {"land", "load"} & {*words(position, "ussr")}
    assert "land" in words(play(position, "ussr", "attack north-sea"), "ussr")


def test_8_11_troops_assault_from_the_ship_of_an_ally() -> None:
    position = state(
        "baltic-sea we 1 transport[usa 2 infantry]", "poland ussr 1 infantry", power="usa"
    )
    position = play(position, "usa", "land baltic-sea poland 2 infantry")
    assert units(position, "poland", "usa") == "2 infantry"
    assert ship(position, "baltic-sea", "transport").marks == ()


def test_8_10_what_is_left_on_board_may_land_among_friends_afterwards() -> None:
    position = state("north-sea ussr 1 transport[2 infantry]")
    position = play(
        position,
        "ussr",
        "land north-sea norway 1 infantry",
        "done",
        "land north-sea norway 1 infantry",
    )
    assert units(position, "norway") == "ussr 2 infantry"


def test_11_3_no_landing_where_a_bomb_falls() -> None:
    position = state("north-sea ussr 1 transport[2 infantry]", "norway we 1 infantry")
    turn = replace(position.board.turn, bombed=("norway",))
    position = replace(position, board=replace(position.board, turn=turn))
    refuses(
        position,
        "ussr",
        "land north-sea norway 2 infantry",
        "Norway is the target of a bomb in this turn",
    )


def test_8_10_loading_is_told() -> None:
    position = state("italy we 2 infantry", "italy-sea-zone we 1 transport", power="we")
    done = order(position, "we", "load italy italy-sea-zone 2 infantry")
    assert done.events[0].text.in_("en") == (
        "Western Europe: 2 infantry on board, Italy - Italy Sea Zone"
    )


# --- 8.2: an assault that nobody makes is no combat move ------------------------------------------


def test_8_2_without_a_landing_transport_and_escort_have_not_sailed() -> None:
    position = state(
        "barents-sea ussr 1 transport[2 infantry] 1 cruiser", "united-kingdom uk 1 infantry"
    )
    position = play(position, "ussr", "move barents-sea north-sea 1 transport 1 cruiser")
    done = order(position, "ussr", "done")
    assert told(done)[0] == (
        "USSR: nobody goes ashore from North Sea; still in Barents Sea: 1 cruiser, 1 transport"
    )
    assert marked(done.state, "barents-sea") == [
        Group("ussr", "cruiser"),
        Group("ussr", "transport", cargo=(Load("ussr", "infantry", 2),)),
    ]
    assert units(done.state, "north-sea") == ""


def test_8_5_they_may_still_move_without_a_battle() -> None:
    position = state("barents-sea ussr 1 transport[2 infantry]", "united-kingdom uk 1 infantry")
    position = play(
        position,
        "ussr",
        "move barents-sea north-sea 1 transport",
        "done",
        "move barents-sea iceland-sea-zone 1 transport",
    )
    assert units(position, "iceland-sea-zone") == "ussr 1 transport"


def test_8_2_escorts_of_a_transport_that_lay_there_go_back_as_well() -> None:
    position = state(
        "north-sea ussr 1 transport[2 infantry]", "barents-sea ussr 1 cruiser", "norway we 1 armor"
    )
    position = play(position, "ussr", "move barents-sea north-sea 1 cruiser", "done")
    assert units(position, "barents-sea") == "ussr 1 cruiser"
    assert units(position, "north-sea") == "ussr 1 transport"


def test_8_2_who_lands_somewhere_stays_with_all_escorts() -> None:
    position = state("barents-sea ussr 1 transport[2 infantry] 1 cruiser")
    position = play(
        position,
        "ussr",
        "move barents-sea north-sea 1 transport 1 cruiser",
        "land north-sea united-kingdom 1 infantry",
        "done",
    )
    assert units(position, "north-sea") == "ussr 1 transport 1 cruiser"
    refuses(
        position,
        "ussr",
        "move north-sea barents-sea 1 cruiser",
        "of the cruisers in North Sea only 0 can move now, not 1",
    )


def test_8_2_the_whole_voyage_is_void_however_many_orders_it_took() -> None:
    position = state("barents-sea ussr 1 transport[2 infantry]", "united-kingdom uk 1 infantry")
    position = play(
        position,
        "ussr",
        "move barents-sea irish-sea 1 transport",
        "move irish-sea bay-of-biscay 1 transport",
        "done",
    )
    assert marked(position, "barents-sea") == [
        Group("ussr", "transport", cargo=(Load("ussr", "infantry", 2),))
    ]


def test_8_10_a_ship_that_loaded_on_its_way_goes_back_no_further() -> None:
    """Otherwise the troops would have been carried where they never were."""
    position = state(
        "barents-sea ussr 1 transport[1 infantry]",
        "ireland ussr 1 infantry",
        "united-kingdom uk 1 infantry",
        owners={"ireland": "ussr"},
    )
    position = play(
        position,
        "ussr",
        "move barents-sea irish-sea 1 transport",
        "load ireland irish-sea 1 infantry",
        "move irish-sea north-sea 1 transport",
        "done",
    )
    transport = ship(position, "irish-sea", "transport")
    assert (transport.used, transport.cargo) == (1, (Load("ussr", "infantry", 2),))
    play(position, "ussr", "move irish-sea bay-of-biscay 1 transport")
    refuses(
        position,
        "ussr",
        "move irish-sea azores-sea-zone 1 transport",
        "transport: no way from Irish Sea to Azores Sea Zone with one movement point",
    )


def test_8_2_a_ship_that_goes_on_into_a_battle_stays_in_it() -> None:
    position = state(
        "barents-sea ussr 1 transport[2 infantry]",
        "united-kingdom uk 1 infantry",
        "north-sea uk 1 transport",
    )
    position = play(
        position,
        "ussr",
        "move barents-sea irish-sea 1 transport",
        "move irish-sea north-sea 1 transport",
        "done",
        faces=[1],
    )
    assert units(position, "north-sea") == "uk 1 transport"
