"""Stones, the example of engine/README.md, by the numbers of its RULES.md."""

from __future__ import annotations

import ast
import inspect

import pytest

from engine.chance import ScriptedDice, SealedDice
from engine.core import LANGUAGES, BadNotation, BadSetup, NotYourTurn
from tests.engine.messages import ERRORS, SPACE_THAT_BREAKS, TRANSLATED, fields, spoken_in
from tests.games.stones import game as stones
from tests.games.stones.game import BLUE, RED, TEXTS, Hide, State, Stones

GAME = Stones()


def played(*rounds: tuple[int, int, int]) -> State:
    """The match after rounds in which Red and Blue hid so many and the die fell so."""
    state = GAME.new_game({}, SealedDice()).state
    for red, blue, die in rounds:
        state = GAME.apply(state, RED, Hide(red), SealedDice()).state
        state = GAME.apply(state, BLUE, Hide(blue), ScriptedDice([die])).state
    return state


@pytest.mark.parametrize(
    ("red", "blue", "die", "points"),
    [
        (3, 1, 4, (2, 0)),
        (3, 1, 3, (0, 2)),
        (1, 2, 6, (0, 1)),
        (1, 2, 1, (1, 0)),
        (2, 2, 5, (0, 0)),
    ],
)
def test_3_the_die_says_which_number_wins(
    red: int, blue: int, die: int, points: tuple[int, int]
) -> None:
    assert played((red, blue, die)).board.points == points


def test_4_more_points_win_after_three_rounds_and_equal_points_are_a_draw() -> None:
    assert GAME.outcome(played((3, 1, 6), (3, 1, 6))) is None
    won = GAME.outcome(played((3, 1, 6), (3, 1, 6), (2, 2, 6)))
    assert won is not None and won.winners == (RED,)
    drawn = GAME.outcome(played((3, 1, 6), (1, 3, 6), (2, 2, 6)))
    assert drawn is not None and drawn.winners == ()


def test_2_nobody_hides_twice_in_a_round() -> None:
    state = GAME.apply(played(), BLUE, Hide(2), SealedDice()).state
    assert GAME.waiting_on(state) == {RED}
    with pytest.raises(NotYourTurn, match="you have hidden your stones"):
        GAME.apply(state, BLUE, Hide(3), SealedDice())


def test_what_is_no_order_or_option_is_refused() -> None:
    with pytest.raises(BadNotation, match="'hide 4' is no order; write: hide 1, hide 2 or hide 3"):
        GAME.parse("hide 4")
    with pytest.raises(BadSetup, match="there are no options"):
        GAME.new_game({"rounds": "5"}, SealedDice())


def test_every_message_has_its_german_and_french() -> None:
    module = ast.parse(inspect.getsource(stones))
    spoken = spoken_in([module], {"Text", *ERRORS}) | {
        "{side} is to hide one, two or three stones."
    }
    assert set(TEXTS) == set(LANGUAGES) - {"en"}
    for language in TRANSLATED:
        assert set(TEXTS[language]) == spoken
        for msgid, translation in TEXTS[language].items():
            assert fields(msgid) == fields(translation)
    assert not [text for text in TEXTS["fr"].values() if SPACE_THAT_BREAKS.search(text)]
