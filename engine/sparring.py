"""Practice: partners for any game, and what a game of its own offers to who plays the computer.

Partners know a view, never a state, and imagine what it hides. Random plays anything, Greedy what
looks best at once, Planner what looks best some turns later. The same seed and the same views give
the same orders, so a practice match can be replayed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Generic

from msgspec import Struct

from engine.abilities import Prospects, Rehearsals, Sparring, StandIns
from engine.chance import QuickDice, digest
from engine.core import A, NotYourTurn, S, Seat, Text, V
from engine.game import Game

LOOKS = 800
"""How many states a Planner looks at for a decision, more or less; some 20 microseconds each."""
HORIZON = 2
"""How often the turn goes to another seat before a sample is judged."""
CANDIDATES = 16
"""How many orders a Planner samples, of those that look best at once."""
REPLIES = 8
"""How many orders are looked at for each decision inside a sample: few, so that there are many
samples."""
LONGEST = 30
"""How many decisions a sample may take."""
MANY = 128
"""More legal orders than this are not looked at one by one: some of them are drawn, and nobody
plans beyond such a decision."""
DRAWN = 16
"""How many of them."""
LONG_LOOK = 50
"""What finding out that there are so many counts as, in looks."""
REMEMBERED = 16
"""How many views a partner remembers, so as not to go round in circles."""
SOONER = 0.995
"""A win is worth more before the turn goes to another seat, a defeat is worse."""


# --- abilities, as those of abilities.py ----------------------------------------------------------


class Strength(Struct, frozen=True):
    """How well a stand-in player plays."""

    name: str
    """For forms and rows."""
    label: Text


class Strengths(StandIns):
    """Has a stand-in player that can be asked to play better or worse."""

    @abstractmethod
    def strengths(self) -> tuple[Strength, ...]:
        """The weakest first."""

    @abstractmethod
    def partner(self, seed: str, strength: str) -> Sparring:
        """A player of one of these strengths; of none of them: the one of `stand_in`."""


class Lessons(ABC, Generic[V]):
    """Can explain its first turns to somebody who plays for the first time."""

    @abstractmethod
    def lessons(self, view: V) -> tuple[Text, ...]:
        """Remarks on what the seat of a view is asked, the most useful first.

        None to whom nothing is asked, and none once the first turns are over.
        """


# --- partners -------------------------------------------------------------------------------------


def leaves(game: Game[S, A, V], state: S, seat: Seat, prefix: tuple[str, ...] = ()) -> list[A]:
    """Every finished action of the options tree, in its order."""
    return list(_each_leaf(game, state, seat, prefix))


def _each_leaf(
    game: Game[S, A, V], state: S, seat: Seat, prefix: tuple[str, ...] = ()
) -> Iterator[A]:
    for option in game.options(state, seat, prefix):
        if option.action is not None:
            yield option.action
        else:
            yield from _each_leaf(game, state, seat, (*prefix, option.word))


def _drawn_leaf(game: Game[S, A, V], state: S, seat: Seat, dice: QuickDice) -> A:
    """One finished action, every next word being as likely as the others."""
    words: tuple[str, ...] = ()
    while True:
        offered = game.options(state, seat, words)
        option = offered[dice.below(len(offered))]
        if option.action is not None:
            return option.action
        words = (*words, option.word)


class _Seeded:
    """Fresh dice for each decision, all of them told by one seed."""

    def __init__(self, seed: str) -> None:
        self._seed, self._decisions = seed, 0
        self._met: list[Any] = []

    def _dice(self) -> QuickDice:
        self._decisions += 1
        return QuickDice(digest("pbem/sparring/v1", self._seed, self._decisions))

    def _usual(self, game: Game[S, A, V], world: S, view: V, seat: Seat) -> A | None:
        """What the clock would play, at a view met before: orders may lead round in a circle."""
        is_known = view in self._met
        self._met = [*self._met[1 - REMEMBERED :], view]
        return game.default_action(world, seat) if is_known else None


class Random(_Seeded):
    """Any legal order."""

    def choose(self, game: Game[S, A, V], view: V, seat: Seat) -> A:
        dice = self._dice()
        world = game.imagine(view, dice)
        found = _few_orders(game, world, seat)
        if len(found) > MANY:
            return _drawn_leaf(game, world, seat, dice)
        return found[dice.below(len(found))]


class Greedy(_Seeded):
    """The order after which one imagined state looks best; the first of equals."""

    def choose(self, game: Game[S, A, V], view: V, seat: Seat) -> A:
        rehearsal = _Rehearsal(game, self._dice())
        world = game.imagine(view, rehearsal.dice)
        if (usual := self._usual(game, world, view, seat)) is not None:
            return usual
        return rehearsal.ranked(world, seat, rehearsal.orders(world, seat))[0]


class Planner(_Seeded):
    """The order that does best over many imagined states, each carried on greedily for a while.

    Sequential halving: every world is tried with all orders that are left, and after an equal
    share of the looks the worse half of them is dropped. With very many orders it is Greedy. Of a
    hundred orders so many are `slips`: any legal one, as a beginner gives them.
    """

    def __init__(
        self, seed: str, looks: int = LOOKS, horizon: int = HORIZON, slips: int = 0
    ) -> None:
        super().__init__(seed)
        self._looks, self._horizon, self._slips = looks, horizon, slips

    def choose(self, game: Game[S, A, V], view: V, seat: Seat) -> A:
        rehearsal = _Rehearsal(game, self._dice())
        world = game.imagine(view, rehearsal.dice)
        if (usual := self._usual(game, world, view, seat)) is not None:
            return usual
        found = rehearsal.orders(world, seat)
        if self._slips and rehearsal.dice.below(100) < self._slips:
            return found[rehearsal.dice.below(len(found))]
        ranked = rehearsal.ranked(world, seat, found)
        if rehearsal.has_many(world, seat):
            return ranked[0]
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
        self._found: tuple[S, Seat, list[A]] | None = None
        self.prospect = game.prospect if isinstance(game, Prospects) else self._result
        self._led_to = game.rehearsed if isinstance(game, Rehearsals) else self._applied

    def _result(self, state: S, seat: Seat) -> float:
        """The prospect in a game that judges none: won, lost, or not yet known."""
        outcome = self.game.outcome(state)
        if outcome is None or not outcome.winners:
            return 0.0
        return 1.0 if seat in outcome.winners else -1.0

    def after(self, state: S, seat: Seat, action: A) -> S:
        self.looks += 1
        return self._led_to(state, seat, action)

    def _applied(self, state: S, seat: Seat, action: A) -> S:
        """The same in a game that tells of every order, rehearsed or not."""
        return self.game.apply(state, seat, action, self.dice).state

    def orders(self, state: S, seat: Seat) -> list[A]:
        """All legal orders, or of very many some, and what the clock would play."""
        found = self._few(state, seat)
        if len(found) <= MANY:
            return list(found)
        usual = self.game.default_action(state, seat)
        drawn = [] if usual is None else [usual]
        for _ in range(DRAWN):
            action = _drawn_leaf(self.game, state, seat, self.dice)
            if action not in drawn:
                drawn.append(action)
        return drawn

    def has_many(self, state: S, seat: Seat) -> bool:
        return len(self._few(state, seat)) > MANY

    def _few(self, state: S, seat: Seat) -> list[A]:
        """The orders of the state that was asked about last are kept."""
        if self._found is None or self._found[0] is not state or self._found[1] != seat:
            found = _few_orders(self.game, state, seat)
            self.looks += LONG_LOOK if len(found) > MANY else 0
            self._found = state, seat, found
        return self._found[2]

    def ranked(self, state: S, seat: Seat, actions: Sequence[A]) -> list[A]:
        """The actions by the prospect right after them, best first; equals keep their order."""
        if len(actions) == 1:
            return list(actions)
        worths = [self.prospect(self.after(state, seat, action), seat) for action in actions]
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
            if handovers >= horizon or self.has_many(state, mover):
                break
            state = self.after(state, mover, self.reply(state, mover))
        return float(self.prospect(state, seat) * SOONER**handovers)

    def reply(self, state: S, seat: Seat) -> A:
        """The greedy order among some of the legal ones."""
        found = self.orders(state, seat)
        if len(found) > REPLIES:
            found = list(self.dice.shuffle(found, "replies"))[:REPLIES]
        return self.ranked(state, seat, found)[0]


def _few_orders(game: Game[S, A, V], state: S, seat: Seat) -> list[A]:
    """All legal orders, or the first of them and one too many."""
    if isinstance(game, Rehearsals):
        found = list(game.orders(state, seat)[: MANY + 1])
    else:
        found = list(islice(_each_leaf(game, state, seat), MANY + 1))
    if not found:
        raise NotYourTurn("nothing is asked of {seat}", seat=seat)
    return found
