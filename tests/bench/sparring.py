"""How strong the sparring partners are: every deal is played twice, with the sides swapped.

python -m tests.bench.sparring --games 400 --jobs 2
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing import Pool
from typing import Any

from msgspec import Struct

from engine.abilities import Sparring
from engine.chance import QuickDice, digest
from engine.core import Seat
from engine.game import Game
from engine.iron_curtain import strengths
from engine.registry import game_called
from engine.sparring import Greedy, Planner, Random

PARTNERS: dict[str, Callable[[str], Sparring]] = {
    "planner": Planner,
    "greedy": Greedy,
    "random": Random,
    "easy": partial(strengths.partner, strength="easy"),
    "medium": partial(strengths.partner, strength="medium"),
    "hard": partial(strengths.partner, strength="hard"),
}
DEMANDS = (
    ("planner", "random", 0.95),
    ("planner", "greedy", 0.65),
    ("greedy", "random", 0.0),
    ("medium", "easy", 0.65),
    ("hard", "medium", 0.65),
    ("hard", "easy", 0.8),
    ("easy", "random", 0.5),
)
SLOWEST = 1.0
"""Seconds that a decision may take."""


class Played(Struct, frozen=True):
    """One game: the seat of the partner that is measured, whether it won, and its times."""

    seat: Seat
    won: bool
    waits: tuple[float, ...]
    """Seconds on the wall for each decision."""
    works: tuple[float, ...]
    """Seconds of the processor for each decision."""


class Clocked:
    """A partner that is timed."""

    def __init__(self, partner: Sparring) -> None:
        self.partner = partner
        self.waits: list[float] = []
        self.works: list[float] = []

    def choose(self, game: Game[Any, Any, Any], view: Any, seat: Seat) -> Any:
        wall, work = time.perf_counter(), time.process_time()
        action = self.partner.choose(game, view, seat)
        self.waits.append(time.perf_counter() - wall)
        self.works.append(time.process_time() - work)
        return action


def play(game_name: str, one: str, other: str, number: int) -> Played:
    """Game `number`: deal number // 2, the measured partner on the one side or on the other."""
    game = game_called(game_name)
    deal, swapped = divmod(number, 2)
    seats = game.seats({})
    seat, opposite = seats if not swapped else seats[::-1]
    measured = Clocked(PARTNERS[one](f"{one} {number}"))
    partners: dict[Seat, Sparring] = {
        seat: measured,
        opposite: PARTNERS[other](f"against {other} {number}"),
    }
    dice = QuickDice(digest("pbem/bench/sparring", deal))
    state = game.new_game({}, dice).state
    while waiting := game.waiting_on(state):
        mover = min(waiting)
        action = partners[mover].choose(game, game.view(state, mover), mover)
        state = game.apply(state, mover, action, dice).state
    outcome = game.outcome(state)
    assert outcome is not None, "nobody is waited for, so the match is over"
    return Played(seat, seat in outcome.winners, tuple(measured.waits), tuple(measured.works))


def report(one: str, other: str, wanted: float, played: Sequence[Played]) -> bool:
    """Print the figures of a pairing and say whether they are what was asked for."""
    wins = sum(game.won for game in played)
    waits = [wait for game in played for wait in game.waits]
    works = [work for game in played for work in game.works]
    enough = wins >= wanted * len(played) and max(works) < SLOWEST
    print(f"{one} against {other}: {wins} of {len(played)} won, {wins / len(played):.1%}", end="")
    print(f" (at least {wanted:.0%} wanted)" if wanted else "")
    for seat in sorted({game.seat for game in played}):
        there = [game.won for game in played if game.seat == seat]
        print(f"  as {seat}: {sum(there)} of {len(there)}")
    print(f"  decisions: {len(works)}, {len(works) / len(played):.1f} a game")
    print(f"  processor time each: mean {sum(works) / len(works):.3f} s, max {max(works):.3f} s")
    print(f"  wall time each: mean {sum(waits) / len(waits):.3f} s, max {max(waits):.3f} s")
    print("  enough" if enough else "  NOT ENOUGH", flush=True)
    return enough


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.sparring")
    parser.add_argument("--games", type=int, default=400, help="games of each pairing, even")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--game", default="iron_curtain")
    parser.add_argument("--only", choices=[f"{a}-{b}" for a, b, _ in DEMANDS])
    asked = parser.parse_args()
    enough = True
    with Pool(asked.jobs) as pool:
        for one, other, wanted in DEMANDS:
            if asked.only in (None, f"{one}-{other}"):
                one_game = partial(play, asked.game, one, other)
                played = pool.map(one_game, range(asked.games + asked.games % 2), chunksize=1)
                enough &= report(one, other, wanted, played)
    return 0 if enough else 1


if __name__ == "__main__":
    raise SystemExit(main())
