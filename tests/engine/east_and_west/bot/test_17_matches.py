"""Matches of four stand-in players: legal orders, short turns, and an end."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from engine.chance import QuickDice, digest
from engine.core import Outcome, Seat
from engine.east_and_west.bot.draft import MOST_ORDERS
from engine.east_and_west.bot.stand_in import orders
from engine.east_and_west.game import CHOICES
from engine.east_and_west.state import State
from engine.sparring import Random
from tests.engine.east_and_west.kit import GAME

KEPT = ("nato", "rounds", "fast_game")
EVERYTHING = {choice.name: "on" for choice in CHOICES if choice.name not in KEPT}
LONGEST = 2.0
"""Seconds of the processor for a stop; a whole turn takes a quarter of that at most as a rule."""


def stops(seed: str, setup: dict[str, str]) -> Iterator[State]:
    """A match, stop by stop, checked; the last is over."""
    dice = QuickDice(digest("test_17_matches", seed))
    now = GAME.new_game(setup, dice).state
    while waiting := GAME.waiting_on(now):
        (seat,) = waiting
        now = _played(now, seat, dice)
        assert GAME.check(now) == []
        yield now


def _played(now: State, seat: Seat, dice: QuickDice) -> State:
    before = time.process_time()
    given = orders(GAME.view(now, seat), seat)
    assert time.process_time() - before < LONGEST, f"{seat} in round {now.board.round}"
    assert len(given) <= MOST_ORDERS + 1
    for action in given:
        now = GAME.apply(now, seat, action, dice).state
    return now


def ending(seed: str, setup: dict[str, str]) -> Outcome:
    *_, last = stops(seed, setup)
    outcome = GAME.outcome(last)
    assert outcome is not None
    return outcome


@pytest.mark.whole
def test_17_a_fast_game_comes_to_a_victory() -> None:
    assert ending("fast", {"fast_game": "on"}).winners


@pytest.mark.whole
def test_17_it_plays_a_seat_with_several_powers() -> None:
    ending("one for all", {"rounds": "2", "nato": "we+uk+usa"})


@pytest.mark.whole
@pytest.mark.parametrize("seed", range(2))
def test_17_with_every_option_it_plays_to_the_end(seed: int) -> None:
    ending(f"everything {seed}", {"rounds": "4", **EVERYTHING})


@pytest.mark.whole
@pytest.mark.parametrize("seed", range(4))
def test_17_it_takes_over_wherever_chance_has_left_a_match(seed: int) -> None:
    """A missing player leaves any position behind, in the middle of a turn, too."""
    dice = QuickDice(digest("test_17_matches", "left", seed))
    now = GAME.new_game({"rounds": "9", **(EVERYTHING if seed % 2 else {})}, dice).state
    wild = Random(f"left {seed}")
    for _ in range(120):
        (seat,) = GAME.waiting_on(now)
        now = GAME.apply(now, seat, wild.choose(GAME, GAME.view(now, seat), seat), dice).state
    for _ in range(13):
        (seat,) = GAME.waiting_on(now)
        now = _played(now, seat, dice)
        assert GAME.check(now) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_17_whole_matches_come_to_an_end(seed: int) -> None:
    ending(f"whole {seed}", {})


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_17_whole_fast_games_come_to_an_end(seed: int) -> None:
    ending(f"fast {seed}", {"fast_game": "on"})
