"""What every game promises about its rules: a host that knows `Rules` can hold any match."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic

from engine.core import A, Choice, Dice, Name, Option, Outcome, S, Seat, Setup, Step, V


class Rules(ABC, Generic[S, A, V]):
    """A stateless object; a state is a value and nothing is ever mutated."""

    @property
    @abstractmethod
    def name(self) -> str:
        """How the registry, addresses of pages and match files call the game."""

    @property
    @abstractmethod
    def title(self) -> Name: ...

    @property
    @abstractmethod
    def rules_version(self) -> int:
        """Raised whenever an old log would no longer lead to the same states."""

    # --- before a match ---------------------------------------------------------------------------

    def choices(self) -> tuple[Choice, ...]:
        """The options a new match may set, in `setup`, by name."""
        return ()

    @abstractmethod
    def seats(self, setup: Setup) -> tuple[Seat, ...]: ...

    def seatings(self) -> tuple[Choice, ...]:
        """Those of its choices that decide which seats there are."""
        return tuple(
            choice
            for choice in self.choices()
            if len({self.seats({choice.name: value}) for value, _ in choice.values}) > 1
        )

    def all_seats(self) -> tuple[Seat, ...]:
        """Those of every seating."""
        found = [
            seat
            for choice in self.seatings()
            for value, _ in choice.values
            for seat in self.seats({choice.name: value})
        ]
        return tuple(dict.fromkeys((*self.seats({}), *found)))

    @abstractmethod
    def seat_name(self, seat: Seat) -> Name: ...

    # --- its course -------------------------------------------------------------------------------

    @abstractmethod
    def new_game(self, setup: Setup, dice: Dice) -> Step[S]: ...

    @abstractmethod
    def waiting_on(self, state: S) -> frozenset[Seat]:
        """Empty when the match is over, several when seats choose at once."""

    @abstractmethod
    def options(self, state: S, seat: Seat, prefix: tuple[str, ...] = ()) -> tuple[Option[A], ...]:
        """The next words after `prefix`; the words on the way to a leaf are its notation."""

    @abstractmethod
    def apply(self, state: S, seat: Seat, action: A, dice: Dice) -> Step[S]: ...

    @abstractmethod
    def default_action(self, state: S, seat: Seat) -> A | None:
        """What the clock plays for the absent."""

    @abstractmethod
    def outcome(self, state: S) -> Outcome | None: ...

    # --- what is hidden ---------------------------------------------------------------------------

    @abstractmethod
    def view(self, state: S, seat: Seat | None) -> V:
        """All that a seat may know; None is a spectator."""

    @abstractmethod
    def closed(self, view: V) -> V:
        """The view when people ended the match, by giving up or agreeing: it asks nobody."""

    @abstractmethod
    def imagine(self, view: V, dice: Dice) -> S:
        """A state that looks like `view`, its hidden parts dealt at random."""

    def resample_hidden(self, state: S, seat: Seat | None, dice: Dice) -> S:
        """Another state that `seat` cannot tell from this one."""
        return self.imagine(self.view(state, seat), dice)

    # --- written down -----------------------------------------------------------------------------

    @abstractmethod
    def notate(self, action: A) -> str: ...

    @abstractmethod
    def parse(self, text: str) -> A: ...

    @abstractmethod
    def dump(self, state: S) -> str:
        """A state as JSON."""

    @abstractmethod
    def load(self, text: str) -> S: ...

    def essence(self, state: S) -> S:
        """The state without the words that only tell of it, such as news.

        Two matches whose states have the same essence go on in the same way: whoever compares
        states compares this, since a later version may word its messages otherwise.
        """
        return state

    def check(self, state: S) -> list[str]:
        """What is wrong with a state; empty when it is sound."""
        return []
