"""The powers in numbers."""

from __future__ import annotations

from msgspec.structs import replace

from engine.core import LANGUAGES
from engine.east_and_west.board import Luck
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import USSR
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import GAME, state

LOADS = ("", "[1 infantry+we 1 armor]")


def amounts(position: State) -> dict[str, tuple[int, ...]]:
    return {figure.key: figure.amounts for figure in GAME.figures(GAME.view(position, None))}


def test_units_count_by_their_price_and_so_do_those_on_board() -> None:
    assert amounts(state())["units"] == (0, 0, 0, 0)
    position = state("poland ussr 2 infantry 1 fighter", "france we 1 armor")
    infantry, fighter, armor = 2, 12, 5
    assert amounts(position)["units"] == (2 * infantry + fighter, armor, 0, 0)
    sea = next(key for key, space in atlas().spaces.items() if not space.is_land)
    alone, laden = (amounts(state(f"{sea} uk 1 transport{load}"))["units"] for load in LOADS)
    assert [b - a for a, b in zip(alone, laden, strict=True)] == [0, armor, 3, 0]


def test_lands_and_income_follow_the_owner() -> None:
    before = state()
    owners = {**before.board.owners, "poland": "we"}
    after = replace(before, board=replace(before.board, owners=owners))
    lost, won = amounts(before), amounts(after)
    assert [b - a for a, b in zip(lost["lands"], won["lands"], strict=True)] == [-1, 1, 0, 0]
    worth = lost["income"][0] - won["income"][0]
    assert worth > 0
    assert won["income"][1] - lost["income"][1] == worth


def test_luck_and_technologies_have_a_row_for_each_power_in_each_language() -> None:
    position = state()
    ussr = replace(
        position.board.powers[USSR],
        luck=Luck(dice=10, hits=4, expected=2.5, value=12, expected_value=7.5),
        research={"aircraft": 2},
    )
    powers = {**position.board.powers, USSR: ussr}
    view = GAME.view(replace(position, board=replace(position.board, powers=powers)), None)
    luck, known = GAME.tables(view)
    assert luck.rows[0] == ("USSR", "10", "4", "2.5", "+1.5", "12", "7.5")
    assert "Jet propulsion" in known.rows[0]
    assert known.rows[1][1:] == ("-",) * 6
    german = GAME.tables(view, "de")[0]
    assert german.rows[0] == ("UdSSR", "10", "4", "2,5", "+1,5", "12", "7,5")
    for language in LANGUAGES:
        for table in GAME.tables(view, language):
            assert len(table.rows) == 4
            assert {len(row) for row in table.rows} == {len(table.heads)}


def test_parties_are_named_and_signed() -> None:
    assert [party.sign for party in GAME.parties()] == ["S", "E", "B", "A"]
    assert GAME.parties()[1].name.de == "Westeuropa"
