"""Random matches: do they end, do they replay, do they keep their secrets?"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from engine.audit import audit
from engine.chance import QuickDice, digest
from engine.core import Event, GameError, Json, Seat, Setup
from engine.game import Game
from engine.replay import MatchFile, Recorder, write_match

LONGEST = 2_000
"""Orders after which a match counts as endless."""


class Plan(NamedTuple):
    game: Game[Any, Any, Any]
    setup: Setup
    games: int
    seed: str | None
    checked: bool


class Rehearsed(NamedTuple):
    """What one random match showed."""

    winners: tuple[Seat, ...]
    orders: int
    facts: Counter[str]
    file: MatchFile


def run(plan: Plan, save: Path | None) -> int:
    wins: Counter[str] = Counter()
    facts: Counter[str] = Counter()
    orders = 0
    for number in range(plan.games):
        match = rehearse(plan, number)
        wins.update(match.winners)
        facts += match.facts
        orders += match.orders
        _progress(number + 1, plan.games)
        if save and number == plan.games - 1:
            save.write_bytes(write_match(match.file))
    _summary(plan, wins, facts, orders)
    return 0


def rehearse(plan: Plan, number: int) -> Rehearsed:
    """Play one match by random choice at every word; GameError names the match that fails."""
    name = f"{plan.seed or 'pbem'}-{number}"
    try:
        return _play(plan, name)
    except (GameError, AssertionError) as error:
        raise GameError(f"match {name}: {error}") from error


def _play(plan: Plan, name: str) -> Rehearsed:
    game, choice = plan.game, QuickDice(name.encode())
    seats = game.seats(plan.setup)
    table = Recorder(game, plan.setup, name, digest("rehearsal", name), [""] * len(seats))
    facts: Counter[str] = Counter()
    while waiting := game.waiting_on(table.state):
        if len(table.entries) > LONGEST:
            raise GameError(f"not over after {LONGEST} orders")
        seat = sorted(waiting)[choice.below(len(waiting))]
        if plan.checked:
            check_secrets(game, table.state, (*seats, None), choice)
        events = table.play(seat, random_order(game, table.state, seat, choice))
        facts.update(_countable(event) for event in events)
    if plan.checked:
        _check_whole(game, table)
    outcome = game.outcome(table.state)
    assert outcome is not None, "nobody is asked, yet the match is not over"
    del facts[""]
    return Rehearsed(outcome.winners, len(table.entries) - 1, facts, table.file())


def random_order(game: Game[Any, Any, Any], state: Any, seat: Seat, choice: QuickDice) -> str:
    """A legal order, chosen word by word."""
    words: tuple[str, ...] = ()
    while True:
        offered = game.options(state, seat, words)
        option = offered[choice.below(len(offered))]
        words = (*words, option.word)
        if option.action is not None:
            return " ".join(words)


def check_secrets(
    game: Game[Any, Any, Any], state: Any, seats: tuple[Seat | None, ...], dice: QuickDice
) -> None:
    """Dealing the hidden parts anew must change nothing that a seat sees or may do."""
    faults = game.check(state)
    assert not faults, f"unsound state: {faults}"
    for seat in seats:
        other = game.resample_hidden(state, seat, dice)
        assert game.view(other, seat) == game.view(state, seat), f"the view of {seat} leaks"
        if seat is not None:
            same = game.options(other, seat) == game.options(state, seat)
            assert same, f"the options of {seat} leak"


def _check_whole(game: Game[Any, Any, Any], table: Recorder) -> None:
    state: Json = table.state
    assert audit(table.file())[-1].state == state, "the replay ends elsewhere"
    assert game.load(game.dump(state)) == state, "the dump loads another state"


def _countable(event: Event) -> str:
    """Region scorings, for the summary: message and region, in English."""
    region = event.text.params.get("region")
    if region is None:
        return ""
    words = event.text.msgid.partition(":")[0]
    return words.replace("{region}", str(getattr(region, "en", region)))


def _progress(done: int, games: int) -> None:
    """A bar on a terminal; plain lines at every tenth elsewhere."""
    if sys.stderr.isatty():
        filled = 40 * done // games
        end = "\n" if done == games else ""
        print(f"\r[{'#' * filled:<40}] {done}/{games}", end=end, file=sys.stderr, flush=True)
    elif done == games or done % max(1, games // 10) == 0:
        print(f"{done}/{games} games", file=sys.stderr)


def _summary(plan: Plan, wins: Counter[str], facts: Counter[str], orders: int) -> None:
    games = "1 game" if plan.games == 1 else f"{plan.games} games"
    print(f"{games} of {plan.game.title.en}, {orders / plan.games:.1f} orders each")
    for seat in plan.game.seats(plan.setup):
        share = wins[seat] / plan.games
        print(f"  {plan.game.seat_name(seat).en:<6} won {wins[seat]:>6}  {share:6.1%}")
    for fact, times in sorted(facts.items()):
        print(f"  {fact}: {times / plan.games:6.1%} of games")
