"""What was told on the page of a turn: lines, and battles to be unfolded."""

from __future__ import annotations

import pytest
from flask import Flask
from flask.testing import FlaskClient

from engine.core import Event, Text
from engine.log import Entry
from pbem.links import Links
from pbem.services.match.match_log import Told
from pbem.web.player.accounts import Account, Battle, Line, accounts
from tests.engine.east_and_west.battles import at_war, fought
from tests.pbem.four_powers import FourPowers

WAR = at_war("west-germany we 2 infantry ussr 3 infantry!attacking", at="west-germany")
FOUGHT = fought(WAR, [1, 6, 6, 2, 5, 1, 6, 6]).events
SECOND_ROUND = 5
"""Where it begins in what was told."""
OTHER = Event(Text("The bomb malfunctions"))


@pytest.fixture
def table(client: FlaskClient, links: Links) -> FourPowers:
    return FourPowers(client, links)


def told(table: FourPowers, app: Flask, *events: tuple[Event, ...]) -> list[Account]:
    """One entry for each."""
    log = [Told(Entry(seq, "action", "ussr", "done"), every) for seq, every in enumerate(events, 1)]
    with app.test_request_context():
        return accounts(table.match, log)


def test_a_battle_stands_between_what_was_told_before_and_after_it(
    table: FourPowers, app: Flask
) -> None:
    (one,) = told(table, app, (OTHER, OTHER, *FOUGHT, OTHER))
    before, battle, after = one.told
    assert before == Line("The bomb malfunctions", 2)
    assert after == Line("The bomb malfunctions", 1)
    assert isinstance(battle, Battle)
    assert battle.summary.startswith("West Germany taken from Western Europe (3 against 2). Losses")
    assert battle.opening.startswith("Battle of West Germany: USSR attacks with 3 infantry")
    assert [part.heading for part in battle.parts] == [
        "West Germany, round 1",
        "West Germany, round 2",
    ]
    assert battle.parts[0].lines[0] == "USSR, 3 infantry at 1: 1 6 6, hits: 1"
    assert battle.result[-1] == "USSR takes West Germany from Western Europe"


def test_a_battle_with_a_question_in_it_stands_whole_with_its_end(
    table: FourPowers, app: Flask
) -> None:
    halves = FOUGHT[: SECOND_ROUND + 1], FOUGHT[SECOND_ROUND + 1 :]
    (whole,) = told(table, app, FOUGHT)
    assert [one.battles for one in told(table, app, *halves)] == [whole.battles]


def test_an_entry_that_told_nothing_is_left_out(table: FourPowers, app: Flask) -> None:
    assert told(table, app, (), ()) == []
