"""What happened, in a few lines: battles as stories, new units in one line, no moves."""

from __future__ import annotations

import ast

import pytest

from engine.core import Event, Language, Name, Seat, Step, Text
from engine.east_and_west import report
from engine.east_and_west.briefing import chronicle
from engine.east_and_west.combat.fight import NOBODY
from engine.east_and_west.standing import Standing
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import GAME, course, order, state
from tests.engine.east_and_west.test_texts import HOME, SPEAKERS, spoken_in_source
from tests.engine.messages import spoken_in

KNOWN = {
    report.TURN,
    report.PLACES,
    chronicle.RECEIVES,
    *chronicle.ROUTINE,
    *chronicle.OF_BATTLES,
    report.BEGINS,
    report.ENDS,
    *report.CAPTURES,
}


def lines(before: State, *done: Step[State], language: Language = "en") -> list[str]:
    """Titles and lines as Western Europe reads them."""
    view = GAME.view(before, Seat("we"))
    events = [event for step in done for event in step.events if event.heard_by(Seat("we"))]
    return [
        GAME.say(text, language)
        for chapter in GAME.retold(view, events)
        for text in (chapter.title, *chapter.lines)
    ]


@pytest.mark.whole
def test_every_message_that_is_looked_for_is_told_somewhere() -> None:
    assert sorted(KNOWN - spoken_in_source()) == []


@pytest.mark.whole
def test_what_is_announced_to_the_absent_is_never_routine() -> None:
    modules = [ast.parse(path.read_text("utf-8")) for path in sorted(HOME.rglob("*.py"))]
    announced = spoken_in(iter(modules), {"announce"})
    assert len(announced) > 15
    assert announced & chronicle.ROUTINE == set()
    assert "announce" in SPEAKERS


def test_a_battle_is_told_with_losses_of_both_sides_and_luck() -> None:
    position = state("east-germany ussr 3 infantry 1 armor", "west-germany we 2 infantry")
    moved = order(position, "ussr", "move east-germany west-germany 3 infantry 1 armor")
    done = order(moved.state, "ussr", "done", faces=[6, 1, 1, 6, 1, 6])
    assert lines(position, moved, done) == [
        "Round 1: USSR",
        "West Germany taken from Western Europe (4 against 2). Losses: USSR 1 infantry (2 IPC);"
        " Western Europe 2 infantry (6 IPC). Luck in hits: USSR +1.0, Western Europe +0.3.",
    ]


def test_numbers_have_the_comma_of_the_language() -> None:
    position = state("east-germany ussr 3 infantry 1 armor", "west-germany we 2 infantry")
    moved = order(position, "ussr", "move east-germany west-germany 3 infantry 1 armor")
    done = order(moved.state, "ussr", "done", faces=[6, 1, 1, 6, 1, 6])
    assert "UdSSR +1,0, Westeuropa +0,3" in lines(position, done, language="de")[1]


def test_an_attack_that_fails_is_beaten_off() -> None:
    position = state("east-germany ussr 1 infantry", "west-germany we 2 infantry")
    moved = order(position, "ussr", "move east-germany west-germany 1 infantry")
    done = order(moved.state, "ussr", "done", faces=[6, 1, 6])
    told = lines(position, moved, done)[1]
    assert told.startswith("West Germany (1 against 2): the attack was beaten off.")
    assert "Losses: USSR 1 infantry (2 IPC); the defender none." in told


def test_a_land_without_defenders_is_taken_without_a_battle() -> None:
    position = state("east-germany ussr 1 infantry")
    moved = order(position, "ussr", "move east-germany west-germany 1 infantry")
    done = order(moved.state, "ussr", "done")
    assert lines(position, moved, done)[1:] == ["USSR takes West Germany from Western Europe."]


def test_a_neutral_that_was_fought_for_is_taken_from_nobody() -> None:
    events = [
        told(report.BEGINS, space=GERMANY, power=USSR, attackers=(), defenders=()),
        told(
            report.ENDS,
            space=GERMANY,
            rounds=1,
            attackers=(Name("1 armor", "", ""),),
            lost=0,
            defenders=(NOBODY,),
            destroyed=3,
        ),
        told(report.TAKES_NEUTRAL, power=USSR, land=GERMANY),
    ]
    position = state("east-germany ussr 1 infantry")
    chapters = GAME.retold(GAME.view(position, Seat("ussr")), events)
    said = [GAME.say(line, "en") for chapter in chapters for line in chapter.lines]
    assert any(line.startswith("West Germany taken") for line in said), said
    assert not any("from" in line for line in said)


def test_a_battle_whose_beginning_was_told_before_goes_on() -> None:
    """Somebody was asked in the middle of it."""
    events = [
        told(report.ROUND, space=GERMANY, round=2),
        told(report.VOLLEY, power=USSR, units=(), number=3, faces="1 1 6", hits=2),
        told(
            report.ENDS,
            space=GERMANY,
            rounds=2,
            attackers=(Name("1 armor", "", ""),),
            lost=2,
            defenders=(NOBODY,),
            destroyed=9,
        ),
    ]
    (chapter,) = GAME.retold(QUIET, events)
    assert GAME.say(chapter.lines[0]) == (
        "West Germany: won, but not taken. Losses: USSR none; the defender none."
        " Luck in hits: USSR +0.5, the defender 0."
    )


def test_new_units_and_income_are_a_line_each() -> None:
    france = Name("France", "Frankreich", "France")
    power = Name("Western Europe", "Westeuropa", "Europe de l'Ouest")
    infantry = Name("infantry", "Infanterie", "infanterie")
    fighter = Name("fighter", "Jäger", "chasseur")
    events = [
        told(report.PLACES, power=power, number=2, kind=infantry, space=france),
        told(report.PLACES, power=power, number=3, kind=infantry, space=france),
        told(report.PLACES, power=power, number=2, kind=fighter, space=france),
        told(chronicle.RECEIVES, power=power, income=25, cash=27),
    ]
    (chapter,) = GAME.retold(QUIET, events)
    assert list(map(GAME.say, chapter.lines)) == [
        "New: France 5 infantry, 2 fighters.",
        "Income 25 IPC, 27 in hand.",
    ]


def test_a_turn_that_has_only_begun_is_no_chapter() -> None:
    begun = told(report.TURN, round=2, power=Name("USA", "USA", "USA"))
    assert GAME.retold(QUIET, [begun]) == ()


def test_moves_are_not_told() -> None:
    position = state("poland ussr 3 infantry", stop="logistics")
    moved = order(position, "ussr", "move poland belarus 3 infantry")
    assert moved.events
    assert lines(position, moved) == []


USSR = Name("USSR", "UdSSR", "URSS")
QUIET = GAME.view(state(), Seat("we"))
GERMANY = Name("West Germany", "Westdeutschland", "Allemagne de l'Ouest")


def told(message: str, **params: object) -> Event:
    return Event(Text(message, params))  # type: ignore[arg-type]


def test_a_course_tells_what_the_chronicle_reads() -> None:
    begun = course(state("poland ussr 1 infantry"))
    begun.announce("{power} fights on", power=USSR)
    (chapter,) = GAME.retold(None, begun.events)
    assert GAME.say(chapter.title) == "Before the first round."
    assert list(map(GAME.say, chapter.lines)) == ["USSR fights on."]


def test_a_battle_that_waits_for_an_answer_is_not_over_and_then_told_to_its_end() -> None:
    position = state(
        "east-germany ussr 6 infantry 2 armor",
        "west-germany we 3 infantry 1 armor",
        standing={"we": Standing(asks=("west-germany",))},
    )
    moved = order(position, "ussr", "move east-germany west-germany 6 infantry 2 armor")
    asked = order(moved.state, "ussr", "done", faces=[1, 6, 1, 6, 6, 6, 6, 6])
    assert lines(moved.state, asked)[1] == "West Germany (8 against 4): the battle is not over."
    answered = order(asked.state, "we", "lose infantry 2", faces=[1, 6, 6, 6, *([1] * 9)])
    (chapter,) = GAME.retold(GAME.view(asked.state, Seat("we")), answered.events)
    first = GAME.say(chapter.lines[0])
    assert first.startswith(
        "West Germany taken from Western Europe. Losses: USSR 3 infantry (6 IPC)"
    )
    assert "Western Europe 1 armor, 3 infantry" in first
