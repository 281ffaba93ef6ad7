"""Words that are said to several people, to each in the own language and by the own clock.

What a moderator reads before an act, what players read about it and what the log keeps are the same
words; so they travel as a message with named parameters, and are said only where somebody reads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from babel.lists import format_list
from msgspec import Struct

from engine.core import Seat, examine
from pbem.i18n import filled, spoken
from pbem.plural import Counted
from pbem.services.records.match_rows import MatchRecord


class Sides(Struct, frozen=True, tag="sides"):
    """Seats by their names in the game."""

    seats: tuple[str, ...]


class When(Struct, frozen=True, tag="when"):
    """An instant; each reader has an own clock."""

    at: int


class Words(Struct, frozen=True):
    """A message of the catalogue with its parameters; a `Counted` one has the number as `num`."""

    message: str | Counted
    params: dict[str, str | int | Sides | When] = {}


def side(seat: Seat) -> Sides:
    return Sides((seat,))


def said(words: Words, match: MatchRecord | None, clock: Callable[[int], str]) -> str:
    """The words in the language being spoken; `clock` says an instant, a match names its sides."""
    params = {name: _said(value, match, clock) for name, value in words.params.items()}
    return filled(words.message, params)


def _said(
    value: str | int | Sides | When, match: MatchRecord | None, clock: Callable[[int], str]
) -> str | int:
    if isinstance(value, When):
        return clock(value.at)
    if isinstance(value, Sides):
        assert match is not None, "sides are those of a match"
        titles = [match.game.seat_name(Seat(name)).in_(spoken()) for name in value.seats]
        return format_list(titles, locale=spoken())
    return value


def packed(words: Words) -> Any:
    """As a letter that is owed keeps them."""
    return msgspec.to_builtins(words)


def unpacked(kept: Any) -> Words:
    return msgspec.convert(kept, Words)


examine(Words)
