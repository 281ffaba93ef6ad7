"""Partners for practice: they know a view, never a state, and imagine what it hides.

Random plays anything, Greedy what looks best at once, Planner what looks best some turns later.
The same seed and the same views give the same orders, so a practice match can be replayed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol

from engine.chance import QuickDice, digest
from engine.core import A, Game, NotYourTurn, S, Seat, V

LOOKS = 1_500
"""How many states a Planner looks at for a decision, more or less; some 40 microseconds each."""
HORIZON = 2
"""How often the turn goes to another seat before a sample is judged."""
CANDIDATES = 16
"""How many orders a Planner samples, of those that look best at once."""
REPLIES = 20
"""How many orders are looked at for each decision inside a sample."""
LONGEST = 30
"""How many decisions a sample may take."""
SOONER = 0.995
"""A win is worth more before the turn goes to another seat, a defeat is worse."""


class Sparring(Protocol):
    """Chooses one of the orders that a seat may give."""

    def choose(self, game: Game[S, A, V], view: V, seat: Seat) -> A: ...


def leaves(game: Game[S, A, V], state: S, seat: Seat, prefix: tuple[str, ...] = ()) -> list[A]:
    """Every finished action of the options tree, in its order."""
    found: list[A] = []
    for option in game.options(state, seat, prefix):
        if option.action is not None:
            found.append(option.action)
        else:
            found += leaves(game, state, seat, (*prefix, option.word))
    return found


class _Seeded:
    """Fresh dice for each decision, all of them told by one seed."""

    def __init__(self, seed: str) -> None:
        self._seed, self._decisions = seed, 0

    def _dice(self) -> QuickDice:
        self._decisions += 1
        return QuickDice(digest("pbem/sparring/v1", self._seed, self._decisions))


class Random(_Seeded):
    """Any legal order."""

    def choose(self, game: Game[S, A, V], view: V, seat: Seat) -> A:
        dice = self._dice()
        found = _orders(game, game.imagine(view, dice), seat)
        return found[dice.below(len(found))]


class Greedy(_Seeded):
    """The order after which one imagined state looks best; the first of equals."""

    def choose(self, game: Game[S, A, V], view: V, seat: Seat) -> A:
        rehearsal = _Rehearsal(game, self._dice())
        world = game.imagine(view, rehearsal.dice)
        return rehearsal.ranked(world, seat, _orders(game, world, seat))[0]


class Planner(_Seeded):
    """The order that does best over many imagined states, each carried on greedily for a while.

    Sequential halving: every world is tried with all orders that are left, and after an equal
    share of the looks the worse half of them is dropped.
    """

    def __init__(self, seed: str, looks: int = LOOKS, horizon: int = HORIZON) -> None:
        super().__init__(seed)
        self._looks, self._horizon = looks, horizon

    def choose(self, game: Game[S, A, V], view: V, seat: Seat) -> A:
        rehearsal = _Rehearsal(game, self._dice())
        world = game.imagine(view, rehearsal.dice)
        ranked = rehearsal.ranked(world, seat, _orders(game, world, seat))
        left = [_Candidate(action) for action in ranked[:CANDIDATES]]
        rounds = (len(left) - 1).bit_length()
        for number in range(1, rounds + 1):
            self._compare(rehearsal, view, seat, left, self._looks * number // rounds)
            left.sort(key=lambda candidate: -candidate.worth)
            del left[(len(left) + 1) // 2 :]
            if rehearsal.looks >= self._looks:
                break
        return left[0].action

    def _compare(
        self,
        rehearsal: _Rehearsal[S, A, V],
        view: V,
        seat: Seat,
        left: Sequence[_Candidate[A]],
        until: int,
    ) -> None:
        """Try all that are left in one world, and in more until so many states were looked at."""
        while True:
            world = rehearsal.game.imagine(view, rehearsal.dice)
            for candidate in left:
                candidate.worth += rehearsal.sample(world, seat, candidate.action, self._horizon)
            if rehearsal.looks >= until:
                return


class _Candidate(Generic[A]):
    """An order that may be chosen, and the sum of its samples."""

    __slots__ = ("action", "worth")

    def __init__(self, action: A) -> None:
        self.action, self.worth = action, 0.0


class _Rehearsal(Generic[S, A, V]):
    """One decision being thought over: its game, its dice, and how many states were looked at."""

    def __init__(self, game: Game[S, A, V], dice: QuickDice) -> None:
        self.game, self.dice, self.looks = game, dice, 0

    def after(self, state: S, seat: Seat, action: A) -> S:
        self.looks += 1
        return self.game.apply(state, seat, action, self.dice).state

    def ranked(self, state: S, seat: Seat, actions: Sequence[A]) -> list[A]:
        """The actions by the prospect right after them, best first; equals keep their order."""
        if len(actions) == 1:
            return list(actions)
        prospect = self.game.prospect
        worths = [prospect(self.after(state, seat, action), seat) for action in actions]
        return [actions[i] for i in sorted(range(len(actions)), key=lambda i: -worths[i])]

    def sample(self, state: S, seat: Seat, action: A, horizon: int) -> float:
        """What an action leads to when every seat goes on greedily until the horizon."""
        state, mover, handovers = self.after(state, seat, action), seat, 0
        for _ in range(LONGEST):
            waiting = self.game.waiting_on(state)
            if not waiting:
                break
            if mover not in waiting:
                mover, handovers = min(waiting), handovers + 1
            if handovers >= horizon:
                break
            state = self.after(state, mover, self.reply(state, mover))
        return float(self.game.prospect(state, seat) * SOONER**handovers)

    def reply(self, state: S, seat: Seat) -> A:
        """The greedy order among some of the legal ones."""
        found = _orders(self.game, state, seat)
        if len(found) > REPLIES:
            found = list(self.dice.shuffle(found, "replies"))[:REPLIES]
        return self.ranked(state, seat, found)[0]


def _orders(game: Game[S, A, V], state: S, seat: Seat) -> list[A]:
    found = leaves(game, state, seat)
    if not found:
        raise NotYourTurn("nothing is asked of {seat}", seat=seat)
    return found
