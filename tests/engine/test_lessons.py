"""Remarks for beginners and strengths of the computer, in every game that has them."""

from __future__ import annotations

from typing import Any

import pytest

from engine.chance import QuickDice, digest
from engine.core import LANGUAGES, Text
from engine.east_and_west.briefing import lessons as of_east_and_west
from engine.game import Game
from engine.iron_curtain.draw import lessons as of_iron_curtain
from engine.iron_curtain.strengths import SLIPS
from engine.registry import GAMES
from engine.sparring import Lessons, Planner, Strengths, leaves
from engine.terminal.rehearsal import random_order

REMARKS = {
    "iron_curtain": [one for one in vars(of_iron_curtain).values() if isinstance(one, Text)],
    "east_and_west": [one for one in vars(of_east_and_west).values() if isinstance(one, Text)],
}
LONGEST = 240
"""Characters that somebody reads beside a board."""


def seen_in(game: Game[Any, Any, Any], matches: int, orders: int) -> set[str]:
    """The remarks of random matches, as whoever is asked sees them."""
    assert isinstance(game, Lessons)
    found = set[str]()
    for number in range(matches):
        dice = QuickDice(digest("lessons", number))
        state = game.new_game({}, dice).state
        for _ in range(orders):
            if not (waiting := game.waiting_on(state)):
                break
            seat = min(waiting)
            found |= {text.msgid for text in game.lessons(game.view(state, seat))}
            order = random_order(game, state, seat, dice)
            state = game.apply(state, seat, game.parse(order), dice).state
    return found


@pytest.mark.parametrize(("name", "matches", "orders"), [("iron_curtain", 12, 60)])
def test_every_remark_has_its_moment(name: str, matches: int, orders: int) -> None:
    assert seen_in(GAMES[name], matches, orders) == {text.msgid for text in REMARKS[name]}


@pytest.mark.parametrize("name", REMARKS)
def test_there_are_some_and_they_are_short_in_every_language(name: str) -> None:
    game, remarks = GAMES[name], REMARKS[name]
    assert 8 <= len(remarks) <= 12
    for language in LANGUAGES:
        said = [game.say(text, language) for text in remarks]
        assert len(set(said)) == len(remarks)
        assert max(map(len, said)) <= LONGEST
    assert not {game.say(text, "de") for text in remarks} & {text.msgid for text in remarks}


@pytest.mark.parametrize("name", REMARKS)
def test_only_who_is_asked_is_taught(name: str) -> None:
    game = GAMES[name]
    assert isinstance(game, Lessons)
    state = game.new_game({}, QuickDice(b"only")).state
    (asked,) = game.waiting_on(state)
    assert game.lessons(game.view(state, asked))
    for other in [None, *(seat for seat in game.seats({}) if seat != asked)]:
        assert game.lessons(game.view(state, other)) == ()
    assert game.lessons(game.closed(game.view(state, asked))) == ()


def test_each_stop_of_east_and_west_is_explained() -> None:
    game = GAMES["east_and_west"]
    assert isinstance(game, Lessons)
    state, dice, taught = game.new_game({}, QuickDice(b"stops")).state, QuickDice(b"dice"), set()
    for _ in range(40):
        (seat,) = game.waiting_on(state)
        remarks = game.lessons(game.view(state, seat))
        assert remarks or state.board.round > 2
        taught |= {text.msgid for text in remarks}
        state = game.apply(state, seat, game.default_action(state, seat), dice).state
    left = {text.msgid for text in REMARKS["east_and_west"]} - taught
    assert left == {of_east_and_west.QUESTION.msgid}
    assert game.lessons(game.view(state, min(game.waiting_on(state)))) == ()


def test_strengths_have_names_and_words() -> None:
    game = GAMES["iron_curtain"]
    assert isinstance(game, Strengths)
    assert [one.name for one in game.strengths()] == ["easy", "medium", "hard"]
    for language in LANGUAGES:
        assert len({game.say(one.label, language) for one in game.strengths()}) == 3


def test_who_slips_gives_any_legal_order() -> None:
    game = GAMES["iron_curtain"]
    state = game.new_game({}, QuickDice(b"slips")).state
    (seat,) = game.waiting_on(state)
    state = game.apply(state, seat, game.parse(f"first {seat}"), QuickDice(b"slips")).state
    view, orders = game.view(state, seat), leaves(game, state, seat)
    assert len(orders) > 10

    def found(slips: int) -> set[str]:
        partners = [Planner(str(n), looks=1, horizon=0, slips=slips) for n in range(150)]
        return {game.notate(one.choose(game, view, seat)) for one in partners}

    assert found(100) == {game.notate(order) for order in orders}
    assert len(found(0)) < len(found(SLIPS)) < len(orders)


def test_an_unknown_strength_is_the_usual_one() -> None:
    game = GAMES["iron_curtain"]
    assert isinstance(game, Strengths)
    state = game.new_game({}, QuickDice(b"unknown")).state
    (seat,) = game.waiting_on(state)
    view = game.view(state, seat)
    chosen = [
        game.notate(one.choose(game, view, seat))
        for one in (game.partner("seed", ""), game.partner("seed", "?"), game.stand_in("seed"))
    ]
    assert len(set(chosen)) == 1
