"""East & West: random play beside the `diplomacy` engine, storing, growth, exact odds."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import msgspec
from diplomacy import Game as Diplomacy

from engine.chance import QuickDice
from engine.core import Seat
from engine.east_and_west.bot.stand_in import orders
from engine.east_and_west.combat.scenario import arranged
from engine.east_and_west.data.arsenal import kinds
from engine.east_and_west.data.powers import USSR, WE
from engine.east_and_west.game import EastAndWest
from engine.east_and_west.odds.calculator import odds
from tests.bench.engine_speed import leaf
from tests.bench.measuring import Ratio, compare

GAME = EastAndWest()
DECISIONS, PHASES = 150, 12
ROUNDS, MIDDLE = 6, 3
STORED = 20
"""How often a state is stored in one stretch."""
COMPUTED = 10
"""How often odds are computed in one stretch."""
NAIVE = 100
"""Battles thrown one by one that count as one computation."""
ATTACKERS = {"infantry": 12, "armor": 5, "fighter": 3}
DEFENDERS = {"infantry": 12, "armor": 4, "fighter": 2}


# --- random play ----------------------------------------------------------------------------------


def decisions() -> list[Ratio]:
    return [
        compare(
            "East & West: one random decision (options + apply) beside one phase of `diplomacy`",
            _random_play(),
            _phases(by_order=False),
            "at least 3",
        ),
        compare(
            "East & West: one random decision (options + apply) beside one order of `diplomacy`",
            _random_play(),
            _phases(by_order=True),
            "reported",
        ),
    ]


def _random_play() -> Callable[[], int]:
    """Matches one after another, so many decisions in each stretch."""
    dice = QuickDice(b"bench")
    state = GAME.new_game({}, dice).state

    def play() -> int:
        nonlocal state
        for _ in range(DECISIONS):
            if not GAME.waiting_on(state):
                state = GAME.new_game({}, dice).state
            (seat,) = GAME.waiting_on(state)
            state = GAME.apply(state, seat, leaf(GAME, state, seat, dice), dice).state
        return DECISIONS

    return play


def _phases(by_order: bool) -> Callable[[], int]:
    """Every power gives every unit one of its possible orders, and the phase is adjudicated."""
    chance, game = random.Random(7), Diplomacy()

    def play() -> int:
        nonlocal game
        given = 0
        for _ in range(PHASES):
            if game.is_game_done:
                game = Diplomacy()
            possible = game.get_all_possible_orders()
            for power in game.powers:
                places = [place for place in game.get_orderable_locations(power) if possible[place]]
                game.set_orders(power, [chance.choice(possible[place]) for place in places])
                given += len(places)
            game.process()
        return given if by_order else PHASES

    return play


# --- a match of stand-in players ------------------------------------------------------------------


class Moment(NamedTuple):
    """A stop of a match, and what its player ordered there."""

    state: Any
    seat: Seat
    orders: list[Any]


@cache
def _match() -> dict[int, list[Moment]]:
    """The stops of a match, round by round."""
    dice = QuickDice(b"bench match")
    state = GAME.new_game({"rounds": str(ROUNDS)}, dice).state
    found: dict[int, list[Moment]] = {}
    while waiting := GAME.waiting_on(state):
        (seat,) = waiting
        given = orders(GAME.view(state, seat), seat)
        if state.board.turn.stop != "mobilisation":
            found.setdefault(state.board.round, []).append(Moment(state, seat, given))
        for action in given:
            state = GAME.apply(state, seat, action, dice).state
    return found


def storing() -> list[Ratio]:
    """What is put away and taken out again as JSON, beside the bare data."""
    state = _match()[MIDDLE][0].state
    data = msgspec.json.decode(GAME.dump(state))

    def ours() -> int:
        for _ in range(STORED):
            GAME.load(GAME.dump(state))
        return STORED

    def plain() -> int:
        for _ in range(STORED):
            json.loads(json.dumps(data))
        return STORED

    def bare() -> int:
        for _ in range(STORED):
            msgspec.json.decode(msgspec.json.encode(data))
        return STORED

    what = "East & West: a state of round 3 stored and loaded beside the same data with"
    return [
        compare(f"{what} json", ours, plain, "at least 1"),
        compare(f"{what} msgspec", ours, bare, "reported"),
    ]


def growth() -> list[Ratio]:
    """The last round beside the first: a ratio of 0.5 means twice the time."""
    first, last = _match()[1], _match()[ROUNDS]
    what = f"East & West, stand-in play, round {ROUNDS} beside round 1:"
    return [
        compare(f"{what} options", _looking(last), _looking(first), "at least 0.5"),
        compare(f"{what} apply", _acting(last), _acting(first), "at least 0.5"),
        compare(f"{what} a whole turn", _turns(last), _turns(first), "reported"),
    ]


def _looking(moments: list[Moment]) -> Callable[[], int]:
    """The first two words of every order that is possible at each stop."""

    def look() -> int:
        for moment in moments:
            for option in GAME.options(moment.state, moment.seat):
                if option.action is None:
                    GAME.options(moment.state, moment.seat, (option.word,))
        return len(moments)

    return look


def _acting(moments: list[Moment]) -> Callable[[], int]:
    """All orders of a round; each counts the same."""
    dice = QuickDice(b"bench acting")

    def act() -> int:
        done = 0
        for moment in moments:
            state = moment.state
            for action in moment.orders:
                state, done = GAME.apply(state, moment.seat, action, dice).state, done + 1
        return done

    return act


def _turns(moments: list[Moment]) -> Callable[[], int]:
    """What a stand-in player thinks, stop by stop."""

    def think() -> int:
        for moment in moments:
            orders(GAME.view(moment.state, moment.seat), moment.seat)
        return len({moment.seat for moment in moments})

    return think


# --- odds -----------------------------------------------------------------------------------------


def exact_odds() -> list[Ratio]:
    battle = arranged(USSR, ATTACKERS, WE, DEFENDERS)

    def ours() -> int:
        for _ in range(COMPUTED):
            assert odds(battle).is_exact
        return COMPUTED

    def naive() -> int:
        chance = random.Random(11)
        for _ in range(NAIVE):
            _thrown(chance)
        return 1

    return [
        compare(
            f"East & West: exact odds of 20 against 18 units beside {NAIVE} thrown battles",
            ours,
            naive,
            "at least 1",
        )
    ]


def _thrown(chance: random.Random) -> bool:
    """One battle, die by die; whether the attacker wins."""
    ours = sorted(kinds()[kind].attack for kind, n in ATTACKERS.items() for _ in range(n))
    theirs = sorted(kinds()[kind].defence for kind, n in DEFENDERS.items() for _ in range(n))
    while ours and theirs:
        hits = sum(chance.randint(1, 6) <= number for number in ours)
        hurt = sum(chance.randint(1, 6) <= number for number in theirs)
        ours, theirs = ours[hurt:], theirs[hits:]
    return bool(ours)
