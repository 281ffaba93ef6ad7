"""6.10: aircraft of an ally on a carrier go where it goes, and sink with it when it attacks."""

from __future__ import annotations

from engine.core import Seat
from engine.east_and_west.board import Attack
from tests.engine.east_and_west.kit import lines, order, play, state, units

OPEN_SEA, BESIDE = "north-atlantic-1", "north-atlantic-2"
"""No land and so no island is near the first."""


def test_6_10_guests_of_a_carrier_that_attacks_where_it_lies_sink_with_it() -> None:
    position = state(f"{OPEN_SEA} usa 1 carrier uk 1 fighter ussr 1 cruiser", power="usa")
    done = order(play(position, "usa", f"attack {OPEN_SEA}"), "usa", "done", [6, 1]).state
    assert units(done, OPEN_SEA) == "ussr 1 cruiser"


def test_6_10_they_retreat_with_it() -> None:
    """The cruiser that came opens a way back for all."""
    position = state(
        f"{OPEN_SEA} usa 1 carrier uk 2 fighter ussr 1 cruiser",
        f"{BESIDE} usa 1 cruiser",
        power="usa",
    )
    position = play(
        position,
        "usa",
        f"move {BESIDE} {OPEN_SEA} 1 cruiser",
        f"plan {OPEN_SEA} retreat after 1",
        "done",
        faces=[6, 6, 6],
    )
    assert units(position, OPEN_SEA) == "ussr 1 cruiser"
    assert units(play(position, "usa", "done", faces=[]), BESIDE) == (
        "uk 2 fighter usa 1 cruiser 1 carrier"
    )


def test_6_10_who_has_a_deck_outside_of_the_battle_stays_on_it() -> None:
    position = state(
        f"{OPEN_SEA} usa 1 carrier uk 1 carrier 2 fighter we 1 fighter ussr 1 cruiser", power="usa"
    )
    done = order(play(position, "usa", f"attack {OPEN_SEA}"), "usa", "done", [6, 1]).state
    assert units(done, OPEN_SEA) == "uk 2 fighter 1 carrier ussr 1 cruiser"


def test_6_10_a_bomber_stays_where_its_only_hangar_is() -> None:
    position = state(
        f"{OPEN_SEA} usa 1 nuclear-carrier uk 1 carrier we 1 bomber 1 fighter ussr 1 cruiser",
        power="usa",
    )
    done = order(play(position, "usa", f"attack {OPEN_SEA}"), "usa", "done", [6, 1]).state
    assert units(done, OPEN_SEA) == "uk 1 carrier ussr 1 cruiser we 1 fighter"


def test_6_10_they_are_on_deck_again_when_the_turn_is_over() -> None:
    position = state(f"{OPEN_SEA} usa 1 carrier uk 1 fighter ussr 1 transport", power="usa")
    position = play(position, "usa", f"attack {OPEN_SEA}", "done", faces=[1, 6])
    done = play(position, "usa", "done", faces=[])
    assert units(done, OPEN_SEA) == "uk 1 fighter usa 1 carrier"
    assert not any(group.cargo for group in done.board.at(OPEN_SEA))


def test_6_10_own_aircraft_in_the_air_take_no_deck_from_a_guest() -> None:
    """Two American fighters have fought a sea battle; the carrier with guests comes for them."""
    position = state(
        f"{BESIDE} usa 1 carrier uk 2 fighter",
        f"{OPEN_SEA} usa 2 fighter*4",
        power="usa",
        stop="logistics",
    )
    moved = play(position, "usa", f"move {BESIDE} {OPEN_SEA} 1 carrier")
    assert units(moved, OPEN_SEA, "uk") == "2 fighter"
    done = play(moved, "usa", "done", faces=[])
    assert units(done, OPEN_SEA) == "uk 2 fighter usa 1 carrier"


def test_14_2_a_closed_carrier_keeps_the_aircraft_of_its_own_power() -> None:
    """The British deck is closed to the Americans, not to British fighters."""
    position = state(
        f"{BESIDE} usa 1 carrier uk 1 carrier 1 fighter",
        power="usa",
        stop="logistics",
        refusals=((Seat("uk"), Seat("usa")),),
    )
    moved = play(position, "usa", f"move {BESIDE} {OPEN_SEA} 1 carrier")
    assert units(moved, BESIDE) == "uk 1 fighter 1 carrier"


def test_14_2_guests_on_board_go_along_whoever_is_refused_by_now() -> None:
    """The carrier sails to one that is closed to its power; guests were left behind so."""
    position = state(
        f"{BESIDE} uk 1 carrier usa 1 fighter we 1 fighter",
        f"{OPEN_SEA} we 1 carrier 2 fighter",
        power="uk",
        stop="logistics",
        refusals=(
            (Seat("uk"), Seat("usa")),
            (Seat("uk"), Seat("we")),
            (Seat("we"), Seat("uk")),
        ),
    )
    moved = play(position, "uk", f"move {BESIDE} {OPEN_SEA} 1 carrier")
    assert units(moved, BESIDE) == ""
    assert units(moved, OPEN_SEA) == "uk 1 carrier usa 1 fighter we 3 fighter 1 carrier"


def test_8_7_what_is_offered_for_carriers_leaves_aircraft_a_place() -> None:
    """One of two carriers that have moved differently may go, not both."""
    position = state(
        f"{BESIDE} usa 1 nuclear-carrier 1 nuclear-carrier*1",
        f"{OPEN_SEA} ussr 1 transport",
        "irish-sea usa 1 fighter*4!attacking ussr 1 transport",
        power="usa",
        turn={"attacks": (Attack("irish-sea"),)},
    )
    for line in lines(position, "usa", "move", BESIDE):
        order(position, "usa", line)
