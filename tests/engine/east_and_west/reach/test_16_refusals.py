"""A move that is refused says what lies in its way, not only that there is none."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.east_and_west.board import Variant
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import refuses, state


@pytest.mark.parametrize("stop", ["operations", "logistics"])
@pytest.mark.parametrize(
    ("start", "target", "kind", "message"),
    [
        (
            "black-sea",
            "cyprus-sea-zone",
            "cruiser",
            "the Dardanelles; your side must have held Turkey",
        ),
        (
            "azores-sea-zone",
            "mediterranean",
            "carrier",
            "the Strait of Gibraltar; your side must have held Gibraltar",
        ),
        (
            "caribbean-sea",
            "colombia-sea-zone",
            "submarine",
            "the Panama Canal; your side must have held Panama",
        ),
    ],
)
def test_8_12_a_closed_passage_is_named(
    start: str, target: str, kind: str, message: str, stop: str
) -> None:
    prey = {"operations": f"{target} uk 1 transport"}
    position = state(f"{start} ussr 1 {kind}", *([prey[stop]] if stop in prey else []), stop=stop)
    refuses(
        position,
        "ussr",
        f"move {start} {target} 1 {kind}",
        f"{kind}: no passage through {message} since the turn began",
    )


def test_8_12_what_opens_suez_is_said() -> None:
    at_sea = "red-sea ussr 1 cruiser"
    line = "move red-sea cyprus-sea-zone 1 cruiser"
    refuses(
        state(at_sea, stop="logistics", influence={"arab": -1}),
        "ussr",
        line,
        "cruiser: no passage through the Suez Canal; the Arab League must not lean to the other"
        " side, or your side must have held Egypt and Jordan since the turn began",
    )


def test_8_12_what_opens_suez_without_the_league() -> None:
    position = state("red-sea ussr 1 cruiser", stop="logistics")
    lands = ("egypt", "iraq", "jordan", "saudi-arabia", "syria")
    position = without_league(position, lands)
    refuses(
        position,
        "ussr",
        "move red-sea cyprus-sea-zone 1 cruiser",
        "cruiser: no passage through the Suez Canal; your side must have held Egypt and Jordan"
        " since the turn began",
    )


def without_league(position: State, lands: tuple[str, ...]) -> State:
    board = position.board
    owners = {**board.owners, **dict.fromkeys(lands, "we")}
    influence = {key: at for key, at in board.influence.items() if key != "arab"}
    return replace(position, board=replace(board, owners=owners, influence=influence))


def test_17_the_oresund_if_agreed() -> None:
    refuses(
        state("baltic-sea ussr 1 cruiser", stop="logistics", variant=Variant(baltic_strait=True)),
        "ussr",
        "move baltic-sea north-sea 1 cruiser",
        "cruiser: no passage through the Oresund; your side must have held West Germany since the"
        " turn began",
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "move barents-sea polar-ice-cap 1 cruiser",
            "cruiser: only submarines with nuclear power go",
        ),
        (
            "move barents-sea polar-ice-cap 1 submarine",
            "submarine: only submarines with nuclear power go",
        ),
    ],
)
def test_8_9_the_ice_is_named(line: str, message: str) -> None:
    position = state("barents-sea ussr 1 cruiser 1 submarine", stop="logistics")
    refuses(position, "ussr", line, f"{message} under the ice")


def test_8_9_nobody_goes_back_under_it() -> None:
    position = state(
        "barents-sea ussr 1 submarine*1!surfaced",
        stop="logistics",
        techs={"ussr": {"submarine": 4}},
    )
    refuses(
        position,
        "ussr",
        "move barents-sea polar-ice-cap 1 submarine",
        "submarine: units that began the turn under the ice cannot go back there",
    )


def test_8_3_enemy_ships_in_the_way_are_named() -> None:
    fleet = ("barents-sea ussr 1 cruiser", "irish-sea uk 1 transport")
    refuses(
        state(*fleet, "north-atlantic-1 uk 1 transport"),
        "ussr",
        "move barents-sea north-atlantic-1 1 cruiser",
        "cruiser: enemy ships in Irish Sea are in the way",
    )
    for target in ("irish-sea", "north-atlantic-1"):
        refuses(
            state(*fleet, stop="logistics"),
            "ussr",
            f"move barents-sea {target} 1 cruiser",
            "cruiser: enemy ships in Irish Sea are in the way",
        )


def test_8_13_neutral_airspace_is_named_on_the_way_home() -> None:
    refuses(
        state("turkmenistan ussr 1 fighter*2", stop="logistics", owners={"iraq": "ussr"}),
        "ussr",
        "move turkmenistan iraq 1 fighter",
        "fighter: Iran is neutral; nobody flies over it",
    )


def test_8_13_neutral_airspace_is_named() -> None:
    position = state("turkmenistan ussr 1 fighter", "persian-gulf uk 1 cruiser")
    refuses(
        position,
        "ussr",
        "move turkmenistan persian-gulf 1 fighter via iran",
        "fighter: Iran is neutral; nobody flies over it",
    )


def test_8_13_neutral_land_is_named() -> None:
    refuses(
        state("karelia ussr 1 heavy-armor", "sweden we 1 infantry", owners={"sweden": "we"}),
        "ussr",
        "move karelia sweden 1 heavy-armor via finland",
        "heavy armor: Finland is neutral and in the way",
    )


def test_8_9_aircraft_do_not_cross_the_ice() -> None:
    refuses(
        state(
            "barents-sea ussr 1 carrier 1 fighter*2",
            "chukchi-sea ussr 1 carrier",
            stop="logistics",
        ),
        "ussr",
        "move barents-sea chukchi-sea 1 fighter",
        "fighter: aircraft do not cross the ice",
    )


def test_8_3_enemy_land_and_units_in_the_way_are_named() -> None:
    refuses(
        state("poland ussr 1 infantry 1 armor", "west-germany we 1 infantry"),
        "ussr",
        "move poland france 1 armor",
        "armor: enemy units in West Germany are in the way",
    )
    refuses(
        state("poland ussr 1 howitzer"),
        "ussr",
        "move poland france 1 howitzer",
        "howitzer: West Germany is enemy land and in the way",
    )
    refuses(
        state(
            "ukraine ussr 1 armor",
            owners={"poland": "we", "greece": "ussr", "romania": "we"},
            stop="logistics",
        ),
        "ussr",
        "move ukraine east-germany 1 armor",
        "armor: Poland is enemy land and in the way",
    )


def test_8_1_what_is_simply_too_far_is_so() -> None:
    refuses(
        state("barents-sea ussr 1 cruiser", "red-sea uk 1 cruiser"),
        "ussr",
        "move barents-sea red-sea 1 cruiser",
        "cruiser: no way from Barents Sea to Red Sea with 2 movement points",
    )


def test_11_3_a_strike_says_what_lies_under_its_way() -> None:
    position = state(
        "india uk 1 bomber 1 atomic-bomb",
        "east-germany ussr 1 infantry",
        power="uk",
        techs={"uk": {"nuclear": 2}},
    )
    refuses(
        position,
        "uk",
        "strike india east-germany",
        "bomber: Iran is neutral; nobody flies over it",
    )
