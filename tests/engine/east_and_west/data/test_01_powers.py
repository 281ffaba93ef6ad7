"""1: powers, sides, neutrals."""

from __future__ import annotations

from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import (
    ALLIANCES,
    MINOR,
    NATO,
    POWERS,
    UK,
    USA,
    USSR,
    WE,
    are_enemies,
    are_friends,
    side,
)
from engine.east_and_west.queries import is_enemy, is_friendly, is_neutral
from tests.engine.east_and_west.kit import GAME, board, order, state, waiting

MINOR_NEUTRALS = {
    "spain",
    "ireland",
    "switzerland",
    "sweden",
    "finland",
    "rio-de-oro",
    "ethiopia",
    "iran",
    "afghanistan",
    "tibet",
    "thailand",
    "sumatra",
    "java",
    "borneo-and-celebes",
    "cyprus",
}


def test_1_1_the_ussr_stands_alone_against_three() -> None:
    assert GAME.seats({}) == POWERS == (USSR, WE, UK, USA)
    assert side(USSR) == (USSR,)
    assert side(UK) == NATO == (WE, UK, USA)


def test_1_2_the_turns_go_from_east_to_west_and_a_round_has_four() -> None:
    position = state(stop="logistics")
    seen = [(1, USSR)]
    while len(seen) < 5:
        position = order(position, waiting(position), "done", faces=[]).state
        if position.board.turn.stop == "intelligence":
            seen.append((position.board.round, waiting(position)))
    assert seen == [(1, USSR), (1, WE), (1, UK), (1, USA), (2, USSR)]


def test_1_3_three_alliances_of_seven_five_and_eight_lands() -> None:
    assert {key: len(atlas().members(key)) for key in ALLIANCES} == {
        "china": 7,
        "arab": 5,
        "oas": 8,
    }


def test_1_4_fifteen_minor_neutrals_and_cyprus_is_worth_nothing() -> None:
    found = {key for key in atlas().lands if atlas().spaces[key].owner == MINOR}
    assert found == MINOR_NEUTRALS
    assert atlas().spaces["cyprus"].value == 0
    assert board().at("cyprus") == ()


def test_1_5_friend_enemy_and_neutral() -> None:
    assert are_friends(WE, USA)
    assert are_enemies(USSR, UK)
    assert not are_friends(USSR, "china")
    assert not are_enemies(USSR, "china")
    here = board(owners={"poland": "we"})
    assert is_friendly(here, UK, "france")
    assert is_enemy(here, USSR, "poland")
    assert is_neutral(here, "spain")
    assert not is_friendly(here, USSR, "spain")
    assert not is_enemy(here, USSR, "manchuria")
    assert not is_neutral(here, "north-sea")


def test_1_6_powers_of_one_side_never_are_enemies() -> None:
    assert not any(are_enemies(one, other) for one in NATO for other in NATO)
