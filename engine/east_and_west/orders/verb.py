"""What an order is made of: each verb knows how to read, write, offer and carry out its order."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from engine.core import Option, Seat
from engine.east_and_west.data.lexicon import Words
from engine.east_and_west.execution import Course
from engine.east_and_west.state import State


class Verb(Protocol):
    """One kind of order. The first word is the verb itself and is never among `words`."""

    @property
    def word(self) -> str: ...

    @property
    def action(self) -> type[Any]:
        """The frozen struct of such an order; no two verbs share one."""

    def parse(self, words: Words) -> Any:
        """An action; BadNotation says what would be right. Nothing is known of any match."""

    def notate(self, action: Any) -> str:
        """The canonical words after the verb, joined by single blanks; may be empty."""

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> tuple[Option[Any], ...]:
        """The next canonical words after `prefix`; leaves carry the action. Empty: nothing to do.

        Every leaf can be carried out; not everything that can be carried out must be a leaf.
        """

    def do(self, course: Course, seat: Seat, action: Any) -> None:
        """Carry it out, or raise IllegalAction before anything has changed."""


@runtime_checkable
class SearchingVerb(Verb, Protocol):
    """One whose orders are searched for all over the board: the first is found long before all."""

    def is_possible(self, state: State, seat: Seat) -> bool:
        """Whether `offer` has anything to begin with."""
