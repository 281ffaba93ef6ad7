"""14a.10: a word in advance for one power, by a person who holds several."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from engine.core import IllegalAction, Option, Seat, Text
from engine.east_and_west.data import seating
from engine.east_and_west.data.lexicon import Words
from engine.east_and_west.data.powers import POWER_NAMES
from engine.east_and_west.execution import Course
from engine.east_and_west.orders.headings import HEADINGS
from engine.east_and_west.orders.verb import Verb
from engine.east_and_west.state import State


class For(Struct, frozen=True):
    power: Seat
    order: str
    """Canonical."""


class ForVerb:
    word = "for"
    action = For

    def __init__(
        self, verbs: tuple[Verb, ...], parse: Callable[[str], Any], notate: Callable[[Any], str]
    ) -> None:
        self._verbs, self._parse, self._notate = verbs, parse, notate

    def parse(self, words: Words) -> For:
        power = words.power()
        if words.is_over:
            raise words.wrong("for POWER standing ... | for POWER then ... | for POWER forget ...")
        return For(power, self._notate(self._parse(words.rest())))

    def notate(self, action: For) -> str:
        return f"{action.power} {action.order}"

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> tuple[Option[Any], ...]:
        """Nothing where a person has one power, whose orders need no name."""
        own = seating.together(state.board.variant.nato, seat)
        if len(own) == 1:
            return ()
        match prefix:
            case ():
                return tuple(
                    Option(power, Text("{power}", {"power": POWER_NAMES[power]})) for power in own
                )
            case (power,) if power in own:
                return tuple(
                    Option(verb.word, HEADINGS[verb.word])
                    for verb in self._verbs
                    if verb.offer(state, Seat(power), ())
                )
            case (power, word, *rest) if power in own:
                return self._further(state, Seat(power), word, tuple(rest))
        return ()

    def _further(
        self, state: State, power: Seat, word: str, prefix: tuple[str, ...]
    ) -> tuple[Option[Any], ...]:
        offered = next((v.offer(state, power, prefix) for v in self._verbs if v.word == word), ())
        return tuple(
            option
            if option.action is None
            else replace(option, action=For(power, self._notate(option.action)))
            for option in offered
        )

    def do(self, course: Course, seat: Seat, action: For) -> None:
        if action.power not in seating.together(course.board.variant.nato, seat):
            raise IllegalAction("{power} is not yours to order", power=POWER_NAMES[action.power])
        meant = self._parse(action.order)
        verb = next(verb for verb in self._verbs if verb.action is type(meant))
        verb.do(course, action.power, meant)
