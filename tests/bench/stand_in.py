"""What the skills of the stand-in player of East & West are worth, and how often each side wins.

python -m tests.bench.stand_in --matches 10 --rounds 12
python -m tests.bench.stand_in --matches 10 --fast-game

Every pairing plays the same seeds. `all` has every skill, `none` only marches, sails and flies.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from multiprocessing import Pool

from msgspec import Struct

from engine.chance import QuickDice, digest
from engine.core import Seat
from engine.east_and_west import queries
from engine.east_and_west.bot.draft import ALL_SKILLS, Skill
from engine.east_and_west.bot.stand_in import orders
from engine.east_and_west.data.powers import NATO, USSR
from engine.east_and_west.game import EastAndWest

GAME = EastAndWest()
PLAYERS: dict[str, frozenset[Skill]] = {
    "all": ALL_SKILLS,
    "none": frozenset(),
    **{f"no {skill}": ALL_SKILLS - {skill} for skill in sorted(ALL_SKILLS)},
}


class Played(Struct, frozen=True):
    """One match."""

    winner: str
    """Of the two sides, or nobody."""
    rounds: int
    lead: int
    """Soviet income less that of NATO, at the end."""
    longest_turn: float
    """Seconds of the processor that one power has thought in one turn."""
    verbs: Counter[str]


def play(east: str, west: str, setup: dict[str, str], number: int) -> Played:
    dice = QuickDice(digest("pbem/bench/stand-in", number))
    now = GAME.new_game(setup, dice).state
    thought: Counter[int] = Counter()
    verbs: Counter[str] = Counter()
    while waiting := GAME.waiting_on(now):
        (seat,) = waiting
        before = time.process_time()
        given = orders(GAME.view(now, seat), seat, PLAYERS[east if seat == USSR else west])
        thought[now.board.turn_number] += int(1000 * (time.process_time() - before))
        for action in given:
            verbs[_side(seat) + " " + GAME.notate(action).split()[0]] += 1
            now = GAME.apply(now, seat, action, dice).state
        assert GAME.check(now) == []
    outcome = GAME.outcome(now)
    assert outcome is not None, "nobody is waited for, so the match is over"
    return Played(
        winner=_side(outcome.winners[0]) if outcome.winners else "nobody",
        rounds=now.board.round,
        lead=queries.income(now.board, USSR) - sum(queries.income(now.board, p) for p in NATO),
        longest_turn=max(thought.values()) / 1000,
        verbs=verbs,
    )


def _side(seat: Seat) -> str:
    return "USSR" if seat == USSR else "NATO"


def report(east: str, west: str, played: Sequence[Played], is_wordy: bool) -> None:
    matches = len(played)
    won = Counter(match.winner for match in played)
    wins = ", ".join(f"{side} {won[side]}" for side in ("USSR", "NATO", "nobody"))
    lead = sum(match.lead for match in played) / matches
    rounds = sum(match.rounds for match in played) / matches
    slow = max(match.longest_turn for match in played)
    print(f"USSR {east}, NATO {west}: {wins} of {matches};", end=" ")
    print(f"rounds {rounds:.1f}, Soviet lead in income {lead:+.1f}, longest turn {slow:.2f} s")
    if is_wordy:
        verbs = sum((match.verbs for match in played), Counter[str]())
        print("  " + ", ".join(f"{verb} {n / matches:.1f}" for verb, n in sorted(verbs.items())))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.stand_in")
    parser.add_argument("--matches", type=int, default=10, help="of each pairing")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--fast-game", action="store_true")
    parser.add_argument("--each", action="store_true", help="each skill left out, too")
    parser.add_argument("--verbs", action="store_true", help="how often each order is given")
    asked = parser.parse_args()
    setup = {"rounds": str(asked.rounds), **({"fast_game": "on"} if asked.fast_game else {})}
    pairings = [("none", "none"), ("all", "none"), ("none", "all"), ("all", "all")]
    if asked.each:
        less = [name for name in PLAYERS if name.startswith("no ")]
        pairings += [("none", name) for name in less] + [(name, "none") for name in less]
    with Pool(asked.jobs) as pool:
        for east, west in pairings:
            one_match = partial(play, east, west, setup)
            report(east, west, pool.map(one_match, range(asked.matches), 1), asked.verbs)


if __name__ == "__main__":
    main()
