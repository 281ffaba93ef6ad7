"""Battles gathered from what was told, with every die."""

from __future__ import annotations

import pytest

from engine.core import Event, Text
from engine.east_and_west import report
from engine.east_and_west.briefing import battle_log
from engine.east_and_west.game import catalogue
from tests.engine.east_and_west.battles import at_war, fought
from tests.engine.east_and_west.kit import GAME
from tests.engine.east_and_west.test_random_play import random_match

WAR = at_war("west-germany we 2 infantry ussr 3 infantry!attacking", at="west-germany")
DICE = [1, 6, 6, 2, 5, 1, 6, 6]


def said(events: tuple[Event, ...], *places: int) -> list[str]:
    return [GAME.say(events[place].text) for place in places]


def test_a_battle_has_its_opening_its_rounds_and_its_result() -> None:
    events = fought(WAR, DICE).events
    (battle,) = GAME.battles(events)
    assert battle.space == "west-germany"
    (opening,) = said(events, battle.opening)
    assert opening.startswith("Battle of West Germany: USSR attacks with 3 infantry against")
    first, second = battle.parts
    assert first.heading is not None and second.heading is not None
    assert said(events, first.heading, second.heading) == [
        "West Germany, round 1",
        "West Germany, round 2",
    ]
    assert said(events, *first.told) == [
        "USSR, 3 infantry at 1: 1 6 6, hits: 1",
        "Western Europe loses 1 infantry",
        "Western Europe, 2 infantry at 2: 2 5, hits: 1",
        "USSR loses 1 infantry",
    ]
    end, taken = said(events, *battle.result)
    assert end.startswith("End of the battle of West Germany after 2 rounds")
    assert taken == "USSR takes West Germany from Western Europe"
    assert battle.story is not None
    assert GAME.say(battle.story) == (
        "West Germany taken from Western Europe (3 against 2). Losses: USSR 1 infantry (2 IPC);"
        " Western Europe 2 infantry (6 IPC). Luck in hits: USSR +1.2, Western Europe 0."
    )


def test_of_a_battle_that_is_not_over_there_is_what_was_told() -> None:
    events = fought(WAR, DICE).events
    (whole,) = GAME.battles(events)
    assert whole.parts[1].heading is not None
    (part,) = GAME.battles(events[: whole.parts[1].heading])
    assert (part.parts, part.result) == (whole.parts[:1], ())
    assert part.story is not None
    assert GAME.say(part.story).startswith("West Germany (3 against 2): the battle is not over.")


def test_what_belongs_to_no_battle_is_in_none() -> None:
    assert GAME.battles([Event(Text("The bomb malfunctions"))]) == ()


@pytest.mark.whole
@pytest.mark.parametrize("seed", [3, 4])
def test_every_die_of_battles_is_in_one_account(seed: int) -> None:
    events = [event for moved in random_match(120, seed) for event in moved.step.events]
    found = [
        number
        for battle in GAME.battles(events)
        for number in (
            battle.opening,
            *(line for part in battle.parts for line in part.told),
            *battle.result,
        )
    ]
    rolled = [
        number for number, event in enumerate(events) if {"faces", "hits"} <= set(event.text.params)
    ]
    assert len(rolled) > 10
    assert set(rolled) <= set(found)
    assert len(found) == len(set(found))


def test_all_it_listens_to_is_said_by_the_game() -> None:
    heard = {
        *battle_log._PLACE,
        *battle_log._HEADINGS,
        *battle_log._RESULTS,
        *battle_log._OF_SHOTS,
        report.TAKES,
        report.FREES,
    }
    assert heard <= set(catalogue()["de"])
