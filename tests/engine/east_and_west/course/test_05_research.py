"""5: research, and half steps between allies."""

from __future__ import annotations

from typing import Any

import pytest

from engine.east_and_west.board import Gift, Variant
from engine.east_and_west.course import turns
from engine.east_and_west.course.research import result
from engine.east_and_west.data.powers import UK, USA, USSR, WE
from engine.east_and_west.queries import defence, knows, movement
from engine.east_and_west.standing import Standing
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import (
    GAME,
    board,
    cash,
    course,
    lines,
    marked,
    order,
    play,
    refuses,
    state,
    told,
    waiting,
    words,
)


def researching(power: str = USA, **changes: Any) -> State:
    return state(power=power, stop="intelligence", **changes)


# --- 5.1 to 5.5: attempts -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("category", "price"),
    [
        ("submarine", 3),
        ("ship", 3),
        ("infantry", 4),
        ("armor", 5),
        ("aircraft", 5),
        ("nuclear", 6),
    ],
)
def test_5_1_prices(category: str, price: int) -> None:
    position = play(researching(WE), WE, f"research {category}")
    assert cash(position, WE) == 50 - price


def test_5_1_no_credit() -> None:
    refuses(researching(WE, cash={WE: 2}), WE, "research ship", "this costs 3 and you can spend 2")


def test_5_3_six_attempts_but_one_in_each_category() -> None:
    position = play(
        researching(WE),
        WE,
        *(f"research {category}" for category in ("nuclear", "armor", "ship", "submarine")),
        "research aircraft",
        "research infantry",
    )
    assert cash(position, WE) == 50 - 26
    refuses(
        position,
        WE,
        "research armor",
        "you have made an attempt in Armor; one in each category is allowed in a turn",
    )


def test_5_3_the_ussr_and_the_usa_have_one_free_attempt() -> None:
    for power in (USSR, USA):
        position = play(researching(power), power, "research free nuclear")
        assert cash(position, power) == 50
        refuses(
            position,
            power,
            "research free armor",
            "you have made your free attempt in this turn",
        )
        refuses(
            position,
            power,
            "research nuclear",
            "you have made an attempt in Nuclear weapons; one in each category is allowed "
            "in a turn",
        )
        play(position, power, "research armor")


def test_5_3_western_europe_and_the_uk_have_none() -> None:
    for power in (WE, UK):
        refuses(
            researching(power),
            power,
            "research free armor",
            "only the USSR and the USA have a free attempt",
        )


def test_5_3_a_new_turn_brings_a_new_free_attempt() -> None:
    position = play(researching(USA), USA, "research free ship", "done", faces=[6])
    run = course(position)
    turns.begin(run, USA)
    assert run.turn.attempts == ()


@pytest.mark.parametrize(
    ("at", "face", "to"),
    [
        (0, 1, 2),
        (1, 1, 2),
        (2, 1, 4),
        (3, 1, 4),
        (4, 1, 6),
        (5, 1, 6),
        (0, 2, 1),
        (1, 2, 2),
        (2, 2, 3),
        (5, 2, 6),
        (0, 3, 0),
        (3, 6, 3),
    ],
)
def test_5_4_a_one_is_a_full_step_a_two_half_a_step(at: int, face: int, to: int) -> None:
    position = researching(UK, techs={UK: {"ship": at}})
    position = play(position, UK, "research ship", "done", faces=[face])
    assert position.board.powers[UK].research.get("ship", 0) == to


def test_5_4_half_a_step_after_a_full_one_is_told_as_progress() -> None:
    position = play(researching(UK, techs={UK: {"ship": 4}}), UK, "research ship")
    step = order(position, UK, "done", faces=[2])
    assert told(step)[1] == "United Kingdom makes progress in Ships"


def test_5_4_nothing_is_researched_beyond_the_last_step() -> None:
    position = researching(UK, techs={UK: {"ship": 6}})
    refuses(position, UK, "research ship", "there is nothing left to research in Ships")
    assert "ship" not in words(position, UK, "research")


def test_5_5_attempts_are_paid_first_and_rolled_in_a_fixed_order() -> None:
    position = play(researching(WE), WE, "research nuclear", "research ship")
    assert cash(position, WE) == 41
    step = order(position, WE, "done", faces=[2, 1])
    assert step.state.board.powers[WE].research == {"ship": 1, "nuclear": 2}
    assert told(step)[:4] == [
        "Western Europe rolls a 2 for Ships",
        "Western Europe makes progress in Ships",
        "Western Europe rolls a 1 for Nuclear weapons",
        "Western Europe gains Fission bomb",
    ]


def test_5_8_in_a_tech_war_more_faces_succeed() -> None:
    war = board(variant=Variant(tech_war=True))
    assert [result(war, 0, face) for face in range(1, 7)] == [2, 2, 1, 1, 0, 0]
    assert [result(war, 1, face) for face in range(1, 7)] == [2, 2, 2, 2, 1, 1]
    position = researching(UK, variant=Variant(tech_war=True))
    position = play(position, UK, "research ship", "done", faces=[2])
    assert position.board.powers[UK].research == {"ship": 2}


# --- 5.6, 5.9: effects ----------------------------------------------------------------------------


def test_5_6_a_new_step_works_at_once_for_all_units() -> None:
    position = researching(WE, techs={WE: {"aircraft": 2}})
    assert movement(position.board, WE, "fighter") == 4
    position = play(position, WE, "research aircraft", "done", faces=[1])
    assert movement(position.board, WE, "fighter") == 6
    assert movement(position.board, WE, "bomber") == 8


def test_5_9_jets_defend_at_five() -> None:
    position = researching("we", techs={WE: {"aircraft": 1}})
    position = play(position, WE, "research aircraft", "done", faces=[2])
    position = state("france we 1 fighter", techs={WE: {"aircraft": 2}})
    assert defence(position.board, marked(position, "france")[0]) == 5


@pytest.mark.parametrize(
    ("category", "step", "kind", "message"),
    [
        ("infantry", 1, "special-forces", "to buy special forces you need Special forces"),
        ("armor", 1, "heavy-armor", "to buy heavy armor you need Heavy armor"),
        ("armor", 3, "howitzer", "to buy howitzer you need Howitzer"),
        ("ship", 1, "large-transport", "to buy large transport you need Large transports"),
        ("ship", 2, "nuclear-carrier", "to buy nuclear carrier you need Nuclear carriers"),
        ("nuclear", 1, "atomic-bomb", "to buy atomic bomb you need Fission bomb"),
        ("nuclear", 3, "hydrogen-bomb", "to buy hydrogen bomb you need Hydrogen bomb"),
    ],
)
def test_5_6_new_unit_types_are_bought_when_their_step_is_known(
    category: Any, step: int, kind: str, message: str
) -> None:
    before = state(power=UK, techs={UK: {category: 2 * step - 1}})
    refuses(before, UK, f"buy 1 {kind}", message)
    play(state(power=UK, techs={UK: {category: 2 * step}}), UK, f"buy 1 {kind}")


def test_5_9_apc_for_non_combat_moves_only() -> None:
    here = board(techs={UK: {"infantry": 6}})
    assert movement(here, UK, "infantry") == 1
    assert movement(here, UK, "infantry", non_combat=True) == 3


def test_5_9_nuclear_submarines_move_three() -> None:
    assert movement(board(techs={UK: {"submarine": 4}}), UK, "submarine") == 3


# --- 5.7: sharing ---------------------------------------------------------------------------------


def sharing(
    at: int = 0, giver_at: int = 2, receiver: str = UK, first: str = USA, **changes: Any
) -> State:
    """A receiver at the beginning of its turn, and the first power of NATO with ships step 1."""
    firsts = {f"ship {step}": first for step in range(1, giver_at // 2 + 1)}
    return researching(
        receiver,
        techs={first: {"ship": giver_at}, receiver: {"ship": at}},
        firsts=changes.pop("firsts", firsts),
        **changes,
    )


def ships(position: State, power: Any) -> int:
    return position.board.powers[power].research.get("ship", 0)


def test_5_7_the_first_of_nato_gives_half_a_step() -> None:
    step = order(play(sharing(), UK, "accept ship"), UK, "done", faces=[])
    assert ships(step.state, UK) == 1
    assert step.state.board.gifts == (Gift("ship", 1, UK),)
    assert "USA gives United Kingdom half a step towards Large transports" in told(step)


def test_5_7_it_comes_before_the_rolls() -> None:
    position = play(sharing(), UK, "accept ship", "research ship", "done", faces=[2])
    assert ships(position, UK) == 2
    assert knows(position.board, UK, "ship", 1)


def test_5_7_from_an_intermediate_step_it_leads_to_the_full_one() -> None:
    position = play(sharing(at=1), UK, "accept ship", "done", faces=[])
    assert knows(position.board, UK, "ship", 1)
    assert position.board.firsts["ship 1"] == USA


def test_5_7_once_for_each_step_and_receiver() -> None:
    position = sharing(gifts=(Gift("ship", 1, UK),))
    refuses(position, UK, "accept ship", "nobody can give you half a step in Ships")
    play(sharing(gifts=(Gift("ship", 1, WE),)), UK, "accept ship")
    twice = play(sharing(), UK, "accept ship")
    refuses(twice, UK, "accept ship", "you have accepted half a step in Ships")


def test_5_7_only_towards_the_receivers_next_step() -> None:
    play(sharing(at=3, giver_at=4), UK, "accept ship")
    refuses(
        sharing(at=2, giver_at=2), UK, "accept ship", "nobody can give you half a step in Ships"
    )
    refuses(
        sharing(at=6, giver_at=6), UK, "accept ship", "nobody can give you half a step in Ships"
    )
    position = play(sharing(at=0, giver_at=4), UK, "accept ship", "done", faces=[])
    assert position.board.gifts == (Gift("ship", 1, UK),)


def test_5_7_only_who_was_first_gives_it_on() -> None:
    position = researching(UK, techs={USA: {"ship": 2}, WE: {"ship": 2}}, firsts={"ship 1": UK})
    refuses(position, UK, "accept ship", "nobody can give you half a step in Ships")


def test_5_7_not_nuclear_technology() -> None:
    position = researching(UK, techs={USA: {"nuclear": 2}}, firsts={"nuclear 1": USA})
    refuses(position, UK, "accept nuclear", "nobody can give you half a step in Nuclear weapons")


def test_5_7_not_to_the_ussr() -> None:
    refuses(sharing(receiver=USSR), USSR, "accept ship", "nobody can give you half a step in Ships")


def test_5_7_the_first_holder_is_noted_at_research() -> None:
    position = play(researching(WE), WE, "research ship", "done", faces=[1])
    assert position.board.firsts == {"ship 1": WE}
    position = researching(UK, techs={WE: {"ship": 2}}, firsts={"ship 1": WE})
    position = play(position, UK, "research ship", "done", faces=[1])
    assert position.board.firsts == {"ship 1": WE}


def test_5_7_the_first_holder_is_noted_at_theft() -> None:
    position = researching(WE, techs={USSR: {"armor": 2}}, spies={WE: 1})
    position = play(position, WE, "spy theft armor", "done", faces=[1])
    assert position.board.firsts == {"armor 1": WE}


def test_5_7_a_stolen_step_is_given_on_when_it_works() -> None:
    position = sharing(first=WE)
    run = course(position)
    run.update_power(WE, pending=(("ship", 1),))
    refuses(run.state, UK, "accept ship", "nobody can give you half a step in Ships")


def test_5_7_what_the_ussr_gains_makes_nobody_first() -> None:
    position = play(researching(USSR), USSR, "research ship", "done", faces=[1])
    assert position.board.firsts == {}


def test_5_7_a_power_may_refuse() -> None:
    position = sharing(standing={USA: Standing(share={UK: "never"})})
    step = order(play(position, UK, "accept ship"), UK, "done", faces=[])
    assert ships(step.state, UK) == 0
    assert step.state.board.gifts == ()
    assert told(step) == ["USA does not share Large transports with United Kingdom"]


def test_5_7_a_power_may_want_to_be_asked_between_espionage_and_research() -> None:
    position = sharing(standing={USA: Standing(share={UK: "ask"})})
    position = play(position, UK, "accept ship", "research ship", "done", faces=[])
    assert waiting(position) == USA
    assert ships(position, UK) == 0
    position = play(position, USA, "share yes", faces=[2])
    assert ships(position, UK) == 2
    assert position.board.turn.stop == "operations"
    assert waiting(position) == UK


def test_5_7_the_asked_power_may_say_no() -> None:
    position = sharing(standing={USA: Standing(share={UK: "ask"})})
    position = play(position, UK, "accept ship", "done", faces=[])
    position = play(position, USA, "share no", faces=[])
    assert ships(position, UK) == 0
    assert position.board.turn.stop == "operations"


def test_5_7_two_allies_are_asked_one_after_the_other() -> None:
    position = researching(
        UK,
        techs={USA: {"ship": 2}, WE: {"armor": 2}},
        firsts={"ship 1": USA, "armor 1": WE},
        standing={USA: Standing(share={UK: "ask"}), WE: Standing(share={UK: "ask"})},
    )
    position = play(position, UK, "accept ship", "accept armor", "done", faces=[])
    assert waiting(position) == USA
    position = play(position, USA, "share yes", faces=[])
    assert waiting(position) == WE
    position = play(position, WE, "share yes", faces=[])
    assert position.board.powers[UK].research == {"ship": 1, "armor": 1}
    assert position.board.turn.stop == "operations"


def test_5_7_a_gift_made_idle_by_a_theft_is_not_given() -> None:
    position = researching(
        UK,
        techs={USA: {"ship": 2}, USSR: {"ship": 2}},
        firsts={"ship 1": USA},
        spies={UK: 1},
    )
    position = play(position, UK, "accept ship", "spy theft ship", "done", faces=[1])
    assert ships(position, UK) == 2
    assert position.board.gifts == ()


def test_5_7_5_4_no_attempt_that_the_gift_makes_idle() -> None:
    position = sharing(at=5, giver_at=6)
    accepted = play(position, UK, "accept ship")
    refuses(accepted, UK, "research ship", "there is nothing left to research in Ships")
    tried = play(position, UK, "research ship")
    refuses(tried, UK, "accept ship", "with half a step more your attempt in Ships would be wasted")


# --- words ----------------------------------------------------------------------------------------


def test_5_what_is_offered_can_be_ordered() -> None:
    position = sharing(receiver=WE, cash={WE: 4})
    offered = [line for line in lines(position, WE) if line != "done"]
    assert {"accept ship", "research submarine", "research infantry"} <= {*offered}
    assert "research armor" not in offered
    for line in offered:
        assert GAME.notate(GAME.parse(line)) == line
        order(position, WE, line)


def test_5_free_may_stand_behind() -> None:
    assert GAME.notate(GAME.parse("research aircraft free")) == "research free aircraft"
    assert "research free aircraft" in list(lines(researching(USA), USA))
