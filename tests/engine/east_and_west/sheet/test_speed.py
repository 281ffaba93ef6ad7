"""What a sheet costs, beside what the same page asks of the engine without it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import perf_counter

from engine.chance import QuickDice
from engine.core import Seat
from engine.east_and_west.sheet import outlook
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import GAME, new_match, play
from tests.engine.east_and_west.rich import enriched

MOST = 5
"""Times the view, the verbs that are possible, and the first words behind each of them."""
RUNS = 7
ANN = Seat("ussr")


def fastest(work: Callable[[], object]) -> float:
    """Without odds that are known from the last time."""
    found = []
    for _ in range(RUNS):
        outlook.foretold.cache_clear()
        began = perf_counter()
        work()
        found.append(perf_counter() - began)
    return min(found)


def without_a_sheet(position: State) -> None:
    """A verb alone says no more than that there is something; a sheet shows what."""
    GAME.view(position, ANN)
    for option in GAME.options(position, ANN):
        GAME.options(position, ANN, (option.word,))


def test_a_sheet_costs_little_beside_options_and_view() -> None:
    """Every stage, with fleets of everybody in each other's way and nothing chosen yet."""
    position = enriched(play(new_match(), "ussr", "done"), QuickDice(b"speed"))
    dice = QuickDice(b"speed")
    position = GAME.apply(position, ANN, GAME.parse("done"), dice).state
    assert position.board.turn.stop == "operations"
    bare = fastest(partial(without_a_sheet, position))
    for stage in ("purchases", "attack", "battles", "moves", "placement", "standing", "later"):
        cost = fastest(partial(GAME.sheet, position, ANN, {"stage": stage}))
        assert cost < MOST * bare, f"{stage}: {1000 * cost:.1f} ms, bare {1000 * bare:.1f} ms"
