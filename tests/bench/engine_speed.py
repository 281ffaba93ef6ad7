"""Random play of our engine beside python-chess, and what the board of a letter costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chess

from engine.chance import QuickDice
from engine.core import LANGUAGES, Seat
from engine.game import Game
from engine.iron_curtain.game import IronCurtain
from tests.bench.measuring import Ratio, compare

GAME = IronCurtain()
MATCHES, CHESS_GAMES, LONGEST_CHESS = 150, 15, 200


def decisions() -> list[Ratio]:
    return [
        compare(
            f"Iron Curtain: one random decision ({how}) beside python-chess",
            _matches(match),
            _chess_games(),
            aim,
        )
        for how, match, aim in (
            ("options word by word with labels + apply", _match, "at least 1"),
            ("all orders + apply", _match_of_orders, "at least 5"),
            ("all orders + rehearsed, as the planner does", _rehearsed_match, "at least 5"),
        )
    ]


def letters() -> list[Ratio]:
    return [
        compare(
            "Iron Curtain: view + render of one board beside one python-chess decision",
            _boards(),
            _chess_games(),
            "reported",
        )
    ]


def _matches(match: Callable[[QuickDice], int]) -> Callable[[], int]:
    number = 0

    def play() -> int:
        nonlocal number
        done = 0
        for _ in range(MATCHES):
            number += 1
            done += match(QuickDice(b"bench %d" % number))
        return done

    return play


def _match(dice: QuickDice) -> int:
    state, done = GAME.new_game({}, dice).state, 0
    while waiting := GAME.waiting_on(state):
        (seat,) = waiting
        state, done = GAME.apply(state, seat, leaf(GAME, state, seat, dice), dice).state, done + 1
    return done


def _match_of_orders(dice: QuickDice) -> int:
    state, done = GAME.new_game({}, dice).state, 0
    while waiting := GAME.waiting_on(state):
        (seat,) = waiting
        orders = GAME.orders(state, seat)
        state = GAME.apply(state, seat, orders[dice.below(len(orders))], dice).state
        done += 1
    return done


def _rehearsed_match(dice: QuickDice) -> int:
    state, done = GAME.new_game({}, dice).state, 0
    while waiting := GAME.waiting_on(state):
        (seat,) = waiting
        orders = GAME.orders(state, seat)
        state = GAME.rehearsed(state, seat, orders[dice.below(len(orders))])
        done += 1
    return done


def leaf(game: Game[Any, Any, Any], state: Any, seat: Seat, dice: QuickDice) -> Any:
    """A random order of those that the options lead to."""
    words: tuple[str, ...] = ()
    while True:
        offered = game.options(state, seat, words)
        option = offered[dice.below(len(offered))]
        if option.action is not None:
            return option.action
        words = (*words, option.word)


def _chess_games() -> Callable[[], int]:
    dice = QuickDice(b"chess")

    def play() -> int:
        done = 0
        for _ in range(CHESS_GAMES):
            board = chess.Board()
            while board.ply() < LONGEST_CHESS:
                moves = list(board.legal_moves)
                if not moves:
                    break
                board.push(moves[dice.below(len(moves))])
                done += 1
        return done

    return play


def _boards() -> Callable[[], int]:
    """Boards of late positions, the most there is to draw, for each reader and language."""
    states = [_late(QuickDice(b"board %d" % number)) for number in range(10)]

    def draw() -> int:
        for state in states:
            for seat in (*GAME.seats({}), None):
                for language in LANGUAGES:
                    GAME.render(GAME.view(state, seat), 72, language)
        return len(states) * 3 * len(LANGUAGES)

    return draw


def _late(dice: QuickDice) -> Any:
    state = before = GAME.new_game({}, dice).state
    while waiting := GAME.waiting_on(state):
        (seat,) = waiting
        before, state = state, GAME.apply(state, seat, leaf(GAME, state, seat, dice), dice).state
    return before
