"""11.3, 11.4: what atomic attacks leave to others: places to land, and troops on board."""

from __future__ import annotations

from engine.core import Step
from engine.east_and_west.board import Attack, Departure, Group, Load
from engine.east_and_west.data.arsenal import Category
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

FISSION: dict[str, dict[Category, int]] = {"ussr": {"nuclear": 2}}

# --- 8.7, 11.3: bombers with bombs have to land, too ----------------------------------------------

HOME = "kamchatka ussr 2 bomber 2 atomic-bomb"
DECK = "south-pacific-1 ussr 1 nuclear-carrier"
PREY = "galapagos-sea-zone usa 1 transport 1 cruiser"
STRIKE = "strike kamchatka galapagos-sea-zone"


def test_8_7_two_strikes_do_not_count_on_one_place_on_deck() -> None:
    position = play(state(HOME, DECK, PREY, techs=FISSION), "ussr", STRIKE)
    refuses(
        position,
        "ussr",
        STRIKE,
        "the bomber cannot fly to Galapagos Sea Zone and land somewhere after it",
    )
    assert "galapagos-sea-zone" not in words(position, "ussr", "strike", "kamchatka")


def test_8_7_a_conventional_attack_does_not_count_on_the_place_of_a_strike() -> None:
    other = "south-pacific-2 usa 1 transport"
    position = state(HOME, DECK, PREY, other, techs=FISSION)
    attack = "move kamchatka south-pacific-2 1 bomber"
    play(position, "ussr", attack)
    refuses(
        play(position, "ussr", STRIKE),
        "ussr",
        attack,
        "bomber: no place to land would be in reach after South Pacific 2",
    )


def test_8_7_the_deck_that_a_strike_counts_on_does_not_go_away() -> None:
    position = state(HOME, DECK, PREY, "new-zealand-sea-zone uk 1 transport", techs=FISSION)
    away = "move south-pacific-1 new-zealand-sea-zone 1 nuclear-carrier"
    assert units(play(position, "ussr", away), "south-pacific-1") == ""
    refuses(
        play(position, "ussr", STRIKE),
        "ussr",
        away,
        "after this move not all aircraft could land any more",
    )


def test_11_6_a_missile_needs_no_place_to_land() -> None:
    position = state(
        "kamchatka ussr 1 bomber 2 atomic-bomb 1 aa-gun",
        DECK,
        PREY,
        "alaska-sea-zone usa 1 transport",
        techs={"ussr": {"nuclear": 4}},
    )
    play(position, "ussr", "strike kamchatka alaska-sea-zone missile", STRIKE)


# --- 11.4: a detonation strikes troops that went on board -----------------------------------------

DETONATION = [1, 1]
ARSENAL = "poland ussr 1 bomber 1 atomic-bomb"
FAR_STRIKE = "strike poland turkey"
TURKEY = "turkey we 1 infantry"


def test_11_4_2_troops_on_board_were_still_ashore() -> None:
    position = state(f"{ARSENAL} 2 infantry", "baltic-sea ussr 1 transport", TURKEY, techs=FISSION)
    position = play(position, "ussr", FAR_STRIKE, "load poland baltic-sea 2 infantry")
    done = order(position, "ussr", "done", DETONATION)
    assert "USSR loses 1 bomber, 2 infantry" in told(done)
    assert marked(done.state, "baltic-sea")[0].cargo == ()


def test_11_4_2_who_was_on_board_before_is_not_struck() -> None:
    position = state(
        f"{ARSENAL} 1 infantry", "baltic-sea ussr 1 transport[1 infantry]", TURKEY, techs=FISSION
    )
    position = play(position, "ussr", FAR_STRIKE, "load poland baltic-sea 1 infantry")
    done = order(position, "ussr", "done", DETONATION)
    assert marked(done.state, "baltic-sea")[0].cargo == (Load("ussr", "infantry", 1),)


def test_11_4_2_who_is_in_the_land_goes_before_those_on_board() -> None:
    position = state(f"{ARSENAL} 6 infantry", "baltic-sea ussr 1 transport", TURKEY, techs=FISSION)
    position = play(position, "ussr", FAR_STRIKE, "load poland baltic-sea 2 infantry")
    done = order(position, "ussr", "done", DETONATION).state
    assert units(done, "poland") == "ussr 1 bomber"
    assert marked(done, "baltic-sea")[0].cargo == (Load("ussr", "infantry", 1),)


def test_11_4_2_a_voyage_does_not_save_them() -> None:
    """The transport has sailed, and the sea has to be won before they land."""
    position = state(
        f"{ARSENAL} 2 infantry",
        "baltic-sea ussr 1 transport 1 cruiser",
        "north-sea uk 1 transport",
        "united-kingdom uk 1 infantry",
        TURKEY,
        techs=FISSION,
    )
    position = play(
        position,
        "ussr",
        FAR_STRIKE,
        "load poland baltic-sea 2 infantry",
        "move baltic-sea north-sea 1 transport 1 cruiser",
        "land north-sea united-kingdom 2 infantry",
    )
    done = order(position, "ussr", "done", [*DETONATION, 1, 6])
    assert "USSR loses 1 bomber, 2 infantry" in told(done)
    assert units(done.state, "united-kingdom") == "uk 1 infantry"
    assert units(done.state, "north-sea") == "ussr 1 transport 1 cruiser"


def test_11_4_2_nor_does_a_landing_and_an_empty_coast_is_given_back() -> None:
    position = state(f"{ARSENAL} 2 infantry", "baltic-sea ussr 1 transport", TURKEY, techs=FISSION)
    position = play(
        position,
        "ussr",
        FAR_STRIKE,
        "load poland baltic-sea 2 infantry",
        "move baltic-sea north-sea 1 transport",
        "land north-sea norway 2 infantry",
    )
    assert owner(position, "norway") == "ussr"
    done = order(position, "ussr", "done", DETONATION).state
    assert (owner(done, "norway"), units(done, "norway")) == ("we", "")


def test_11_4_2_a_land_that_was_only_crossed_is_given_back_too() -> None:
    """Armor that blitzes through one empty land into another has been in neither."""
    position = state(f"{ARSENAL} 1 armor", TURKEY, techs=FISSION)
    position = play(position, "ussr", FAR_STRIKE, "move poland france 1 armor via west-germany")
    assert owner(position, "west-germany") == "ussr"
    done = order(position, "ussr", "done", DETONATION).state
    assert (owner(done, "west-germany"), owner(done, "france")) == ("we", "we")


def test_11_4_2_nor_does_a_second_order_save_them() -> None:
    position = state(f"{ARSENAL} 2 armor", "france we 1 infantry", TURKEY, techs=FISSION)
    position = play(
        position,
        "ussr",
        FAR_STRIKE,
        "move poland west-germany 2 armor",
        "move west-germany france 1 armor",
    )
    done = order(position, "ussr", "done", DETONATION)
    assert "USSR loses 1 bomber, 2 armor" in told(done)
    assert (owner(done.state, "west-germany"), units(done.state, "france")) == (
        "we",
        "we 1 infantry",
    )


def test_11_4_2_a_land_that_others_crossed_stays_taken() -> None:
    position = state(f"{ARSENAL} 1 armor", "east-germany ussr 1 armor", TURKEY, techs=FISSION)
    position = play(
        position,
        "ussr",
        FAR_STRIKE,
        "move poland west-germany 1 armor",
        "move east-germany france 1 armor via west-germany",
    )
    done = order(position, "ussr", "done", DETONATION).state
    assert (owner(done, "west-germany"), owner(done, "france")) == ("ussr", "ussr")


def test_7_6_without_troops_from_a_zone_its_ships_do_not_bombard() -> None:
    position = state(
        f"{ARSENAL} 2 infantry",
        "karelia ussr 1 armor",
        "baltic-sea ussr 1 transport 1 cruiser",
        "norway we 1 infantry",
        TURKEY,
        techs=FISSION,
        owners={"sweden": "ussr", "finland": "ussr"},
    )
    position = play(
        position,
        "ussr",
        FAR_STRIKE,
        "load poland baltic-sea 2 infantry",
        "move baltic-sea north-sea 1 transport 1 cruiser",
        "land north-sea norway 2 infantry",
        "move karelia norway 1 armor",
    )
    assert position.board.turn.attacks[0].landings == ("north-sea",)
    done = order(position, "ussr", "done", [*DETONATION, 1, 6])
    assert not [line for line in told(done) if "cruiser at" in line]
    assert owner(done.state, "norway") == "ussr"


def test_13_8_expelled_troops_that_went_on_board_have_not_moved() -> None:
    """19 on 11.4: China stops paying the USSR; who embarked in Manchuria leaves it by land."""
    position = state(
        ARSENAL,
        "manchuria ussr 2 infantry china 1 infantry",
        "sea-of-japan ussr 1 transport",
        "japan usa 1 infantry",
        "west-germany we 3 infantry",
        techs=FISSION,
    )
    position = play(
        position,
        "ussr",
        "strike poland west-germany",
        "load manchuria sea-of-japan 2 infantry",
        "land sea-of-japan japan 2 infantry",
    )
    assert position.board.turn.attacks == (Attack("japan", landings=("sea-of-japan",)),)
    done = order(position, "ussr", "done", [2, 3, 6])
    assert done.state.board.influence["china"] == 1
    assert units(done.state, "japan") == "usa 1 infantry"
    assert sum("2 units of USSR have to leave Manchuria" in line for line in told(done)) == 1
    (carrier,) = marked(done.state, "sea-of-japan")
    assert carrier.cargo == ()


def _expelled_on_board(manchuria: str, ships: int, loaded: int) -> Step[State]:
    """The USSR strikes Western Europe and loses Manchuria while its troops go on board there."""
    position = state(
        ARSENAL,
        f"manchuria {manchuria}",
        f"sea-of-japan ussr {ships} transport",
        "west-germany we 3 infantry",
        techs=FISSION,
    )
    position = play(
        position,
        "ussr",
        "strike poland west-germany",
        f"load manchuria sea-of-japan {loaded} infantry",
    )
    return order(position, "ussr", "done", [2, 3, 6])


def test_13_8_the_same_while_they_are_on_board() -> None:
    done = _expelled_on_board("ussr 2 infantry china 1 infantry", ships=1, loaded=2)
    assert sum("2 units of USSR have to leave Manchuria" in line for line in told(done)) == 1
    assert marked(done.state, "sea-of-japan") == [Group("ussr", "transport", loaded=("manchuria",))]


def test_13_8_from_several_ships_at_once() -> None:
    done = _expelled_on_board("ussr 3 infantry", ships=2, loaded=3)
    assert sum("3 units of USSR have to leave Manchuria" in line for line in told(done)) == 1
    assert all(ship.cargo == () for ship in marked(done.state, "sea-of-japan"))


def test_11_4_2_a_departure_by_sea_is_written_down_until_they_are_ashore() -> None:
    position = state("karelia ussr 2 infantry", "barents-sea ussr 1 transport", "norway we 1 armor")
    position = play(position, "ussr", "load karelia barents-sea 2 infantry")
    assert position.board.turn.departures == (Departure("karelia", "barents-sea", "infantry", 2),)
    position = play(position, "ussr", "land barents-sea norway 1 infantry")
    assert position.board.turn.departures == (
        Departure("karelia", "barents-sea", "infantry", 1),
        Departure("karelia", "norway", "infantry", 1, zone="barents-sea"),
    )
