"""Chapter 13 to the letter: who exactly leaves, where to, what is said."""

from __future__ import annotations

from typing import Any

import pytest

from engine.core import Text
from engine.east_and_west.board import Board, Group
from engine.east_and_west.course import neutrals
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import UK, USSR
from engine.east_and_west.standing import Standing
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import (
    GAME,
    course,
    labels,
    leaf,
    marked,
    order,
    owner,
    play,
    state,
    told,
    units,
)

PAID: dict[str, Any] = {"influence": {"china": 2}}
"""China pays the USSR, and after one step to the West does so no more."""


def headline(here: Board) -> str:
    return GAME.say(here.headlines[-1].text)


def after_shift(position: State, alliance: str, steps: int) -> Board:
    run = course(position)
    neutrals.shift(run, alliance, steps)
    assert GAME.check(run.state) == []
    return run.board


def all_lost_but(*kept: str) -> dict[str, str]:
    """The Soviet lands are British, except some."""
    lands = state().board.owners
    return {land: UK for land, held in lands.items() if held == USSR and land not in kept}


# --- 13.8: losing access --------------------------------------------------------------------------


def test_13_8_who_came_to_attack_in_this_turn_is_no_guest() -> None:
    position = state(
        "sinkiang china 1 infantry ussr 1 armor*1!attacking",
        "hunan china 1 infantry ussr 1 infantry!attacking!landed!spent",
        "qinghai china 1 infantry ussr 2 infantry!attacking!dropped!spent",
        "manchuria china 1 infantry ussr 1 infantry",
        influence={"china": 2},
    )
    here = after_shift(position, "china", -1)
    assert units(here, "sinkiang", "ussr") == "1 armor"
    assert units(here, "hunan", "ussr") == "1 infantry"
    assert units(here, "qinghai", "ussr") == "2 infantry"
    assert units(here, "manchuria", "ussr") == ""


def test_13_8_whoever_leaves_attacks_nobody() -> None:
    """16.30: guests that were about to attack their hosts."""
    position = state("sinkiang china 1 infantry ussr 2 armor!attacking", influence={"china": 2})
    here = after_shift(position, "china", -1)
    (refuge,) = [land for land in here.owners if units(here, land) == "ussr 2 armor"]
    assert marked(here, refuge) == [Group("ussr", "armor", 2)]


def test_13_8_19_without_border_and_capital_the_owner_still_chooses() -> None:
    """Poland and Belarus are equally far from Egypt."""
    for wish in ("poland", "belarus"):
        position = state(
            "egypt arab 1 infantry ussr 1 armor",
            influence={"arab": 2},
            owners=all_lost_but("poland", "belarus", "kamchatka"),
            standing={USSR: Standing(refuge={"arab": wish})},
        )
        assert units(after_shift(position, "arab", -2), wish) == "ussr 1 armor"


def test_13_8_19_without_a_wish_to_where_most_own_units_are() -> None:
    for held in ("poland", "belarus"):
        position = state(
            "egypt arab 1 infantry ussr 1 armor",
            f"{held} ussr 2 infantry",
            influence={"arab": 2},
            owners=all_lost_but("poland", "belarus", "kamchatka"),
        )
        assert units(after_shift(position, "arab", -2), held) == "ussr 2 infantry 1 armor"


@pytest.mark.parametrize(
    ("guests", "said"),
    [
        ("1 armor", "A unit of USSR has to leave Sinkiang and goes to Kazakhstan"),
        ("2 armor", "2 units of USSR have to leave Sinkiang and go to Kazakhstan"),
    ],
)
def test_13_8_one_leaves_or_several(guests: str, said: str) -> None:
    position = state(
        f"sinkiang china 1 infantry ussr {guests}", "kazakhstan ussr 1 infantry", **PAID
    )
    assert headline(after_shift(position, "china", -1)) == said


@pytest.mark.parametrize(
    ("guests", "said"),
    [
        ("1 armor", "A unit of USSR in Egypt has nowhere to go and is lost"),
        ("3 armor", "3 units of USSR in Egypt have nowhere to go and are lost"),
    ],
)
def test_13_8_without_any_land_they_are_lost(guests: str, said: str) -> None:
    position = state(
        f"egypt arab 1 infantry ussr {guests}", owners=all_lost_but(), influence={"arab": 2}
    )
    here = after_shift(position, "arab", -1)
    assert headline(here) == said
    assert not [group for there in here.units.values() for group in there if group.owner == USSR]


# --- 13.6: an alliance breaks up ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (("egypt",), "one land joins Western Europe"),
        (("egypt", "iraq"), "2 lands join Western Europe"),
    ],
)
def test_13_6_what_is_left_of_an_alliance_joins(left: tuple[str, ...], said: str) -> None:
    taken = {land: USSR for land in atlas().members("arab") if land not in left}
    run = course(state(owners=taken, held=dict.fromkeys(taken, "arab")))
    run.update_turn(attacked=tuple(taken))
    neutrals.after_combat(run)
    assert headline(run.board) == f"Arab League was attacked and exists no longer; {said}"


# --- 13.9: Chinese troops -------------------------------------------------------------------------


def korea() -> State:
    return state(
        "north-korea ussr 1 infantry",
        "manchuria china 11 infantry",
        stop="logistics",
        owners={"north-korea": "ussr"},
        influence={"china": 2},
    )


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (1, "One Chinese infantry returns from North Korea"),
        (2, "2 Chinese infantry return from North Korea"),
    ],
)
def test_13_9_the_chinese_go_home_when_china_pays_no_more(number: int, said: str) -> None:
    position = state(
        f"north-korea china {number} infantry ussr 1 armor", "manchuria china 3 infantry", **PAID
    )
    here = after_shift(position, "china", -1)
    assert headline(here) == said
    assert units(here, "north-korea") == "ussr 1 armor"
    assert units(here, "manchuria") == f"china {3 + number} infantry"


@pytest.mark.parametrize(
    ("there", "said"),
    [
        (10, "One Chinese infantry is raised in Manchuria"),
        (9, "2 Chinese infantry are raised in Manchuria"),
    ],
)
def test_13_9_manchuria_is_filled_up_again(there: int, said: str) -> None:
    position = state(f"manchuria china {there} infantry", stop="logistics", **PAID)
    done = order(position, USSR, "done", [])
    assert told(done)[0] == said
    assert units(done.state, "manchuria") == "china 11 infantry"


def test_13_9_what_is_offered_for_north_korea() -> None:
    assert labels(korea(), USSR, "reinforce")[:2] == [
        "One Chinese infantry to North Korea",
        "2 Chinese infantry to North Korea",
    ]
    option = leaf(korea(), USSR, "reinforce 2")
    assert option.action == neutrals.Reinforce(2)
    assert GAME.notate(option.action) == "reinforce 2"
    assert option.label == Text("{number:One|#} Chinese infantry to North Korea", {"number": 2})
    assert told(order(korea(), USSR, "reinforce 1")) == ["One Chinese infantry goes to North Korea"]
    done = order(korea(), USSR, "reinforce 2")
    assert told(done) == ["2 Chinese infantry go to North Korea"]
    assert units(done.state, "north-korea") == "china 2 infantry ussr 1 infantry"
    assert units(done.state, "manchuria") == "china 9 infantry"


def test_13_8_who_retreated_to_an_alliance_that_breaks_up_leaves_with_the_others() -> None:
    """The armor came from Inner Mongolia and goes back there, while China joins the British."""
    position = state(
        "inner-mongolia ussr 2 armor china 1 infantry",
        "sichuan china 2 infantry",
    )
    position = play(
        position,
        "ussr",
        "attack sichuan",
        "move inner-mongolia sichuan 1 armor",
        "plan sichuan retreat after 1",
        "done",
        faces=[6, 6, 6],
    )
    assert owner(position, "inner-mongolia") == "uk"
    assert units(position, "inner-mongolia") == "uk 1 infantry"
    assert units(position, "mongolia") == "ussr 2 armor"
    assert GAME.check(position) == []
