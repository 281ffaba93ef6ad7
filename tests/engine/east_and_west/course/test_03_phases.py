"""3: the phases of a turn and what is put in order when it begins and ends."""

from __future__ import annotations

from engine.east_and_west.board import Fallout
from engine.east_and_west.course import turns
from engine.east_and_west.data.powers import UK, USA, USSR, WE
from engine.east_and_west.queries import knows, movement, value
from tests.engine.east_and_west.kit import (
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


def test_3_every_phase_may_be_left_empty() -> None:
    position = state(power=WE, stop="intelligence")
    stops = []
    while waiting(position) == WE:
        stops.append(position.board.turn.stop)
        position = order(position, WE, "done", faces=[]).state
    assert stops == ["intelligence", "operations", "logistics"]
    assert waiting(position) == UK


def test_3_no_phase_is_taken_back() -> None:
    position = state(power=USA, stop="operations")
    refuses(
        position,
        USA,
        "research armor",
        "`research` is not possible now (production and combat move); "
        "possible: buy, repair, move, load, land, drop, raid, attack, strike, fly-bomb, "
        "plan, host, surrender, fight-on, done",
    )
    refuses(
        state(power=USA, stop="logistics"),
        USA,
        "buy 1 infantry",
        "`buy` is not possible now (non-combat move and placement); "
        "possible: move, load, land, drop, fly-bomb, place, reinforce, host, surrender, "
        "fight-on, done",
    )
    refuses(
        state(power=USA, stop="intelligence"),
        USA,
        "buy 1 infantry",
        "`buy` is not possible now (espionage and research); possible: spy,"
        " research, accept, host, surrender, fight-on, done",
    )


def test_3_a_turn_begins_with_what_the_power_holds_now() -> None:
    position = state(power=USSR, stop="logistics", owners={"italy": "ussr", "iran": "we"})
    position = order(position, USSR, "done", faces=[]).state
    turn = position.board.turn
    assert turn.power == WE
    assert turn.owners == position.board.owners
    assert turn.factories == ("france",)
    assert turn.levies == ()


def test_3_b_movement_is_restored_and_marks_of_one_turn_go() -> None:
    position = state(
        "poland ussr 2 armor*1 1 infantry!spent",
        "baltic-sea ussr 1 submarine!submerged 1 battleship!damaged!spent",
        "france we 1 aa-gun!spent",
        stop="logistics",
    )
    position = order(position, USSR, "done", faces=[]).state
    assert [group.used for group in marked(position, "poland")] == [0, 0]
    assert [group.marks for group in marked(position, "poland")] == [(), ()]
    assert [group.marks for group in marked(position, "baltic-sea")] == [("damaged",), ()]
    assert marked(position, "france")[0].marks == ()


def test_3_b_cargo_stays_on_board() -> None:
    position = state("baltic-sea ussr 1 transport*2[2 infantry]", stop="logistics")
    position = order(position, USSR, "done", faces=[]).state
    assert marked(position, "baltic-sea")[0].cargo[0].count == 2
    assert marked(position, "baltic-sea")[0].used == 0


def test_3_c_a_stolen_technology_works_from_the_own_next_turn() -> None:
    position = state(power=USSR, stop="logistics", techs={WE: {"armor": 2}, UK: {"armor": 2}})
    powers = dict(position.board.powers)
    run = course(position)
    for thief in (WE, UK):
        run.update_power(thief, pending=(("armor", 1),))
    assert powers[WE].pending == ()
    turns.end_logistics(run)
    assert knows(run.board, WE, "armor", 1)
    assert not knows(run.board, UK, "armor", 1)


def test_3_d_fighters_have_their_defence_again() -> None:
    position = state("greece we 1 fighter!helpless", "italy uk 1 fighter!helpless", power=USSR)
    run = course(position)
    turns.begin(run, WE)
    assert marked(run.board, "greece")[0].marks == ()
    assert marked(run.board, "italy")[0].marks == ("helpless",)


def test_3_e_a_bombed_land_recovers_when_the_attacker_begins_again() -> None:
    position = state(
        power=USA, stop="logistics", fallout=(Fallout("italy", 1, USSR), Fallout("poland", 1, UK))
    )
    assert value(position.board, "italy") == 3
    position = order(position, USA, "done", faces=[]).state
    assert value(position.board, "italy") == 4
    assert value(position.board, "poland") == 2
    assert position.board.fallout == (Fallout("poland", 1, UK),)


def test_3_f_emp_keeps_aircraft_on_the_ground_for_the_owners_turn_alone() -> None:
    run = course(state("greece we 1 fighter!stunned", "italy uk 1 bomber!stunned"))
    turns.begin(run, WE)
    assert marked(run.board, "greece")[0].marks == ("grounded",)
    assert marked(run.board, "italy")[0].marks == ("stunned",)
    turns.end_logistics(run)
    assert marked(run.board, "greece")[0].marks == ()
    assert marked(run.board, "italy")[0].marks == ("grounded",)


def test_3_8_7_aircraft_without_a_place_to_land_are_lost_at_the_end() -> None:
    position = state("coral-sea we 1 fighter*4", power=WE, stop="logistics")
    position = order(position, WE, "done", faces=[]).state
    assert marked(position, "coral-sea") == []


def test_3_lands_for_the_levy_are_those_owned_when_production_begins() -> None:
    position = state(power=WE, stop="intelligence", owners={"spain": "we", "greece": "ussr"})
    position = order(position, WE, "done", faces=[]).state
    assert "spain" in position.board.turn.levies
    assert "greece" not in position.board.turn.levies


def test_3_the_turn_number_counts_turns_of_all_powers() -> None:
    position = state(power=USA, stop="logistics", round=2)
    assert position.board.turn_number == 8
    step = order(position, USA, "done", faces=[])
    assert (step.state.board.round, step.state.board.turn_number) == (3, 9)
    assert told(step)[-1] == "Round 3: USSR"


def test_3_orders_wait_for_the_end_of_their_stop() -> None:
    position = play(state(power=USA, stop="intelligence"), USA, "research free ship")
    assert [attempt.is_free for attempt in position.board.turn.attempts] == [True]
    assert position.board.powers[USA].research == {}
    assert order(position, USA, "done", faces=[1]).final


def test_3_movement_and_stops_of_a_whole_turn() -> None:
    position = state(power=WE, stop="intelligence", techs={WE: {"submarine": 3}})
    position = play(position, WE, "research submarine", "done", faces=[2])
    assert movement(position.board, WE, "submarine") == 3
    assert "buy" in words(position, WE)
    assert cash(position, WE) == 47
    assert "buy 9 armor" in list(lines(position, WE, "buy"))
