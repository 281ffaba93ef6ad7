"""What can be ordered now, as a tree of words; and what the clock plays for the absent."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from engine.core import Option, Seat
from engine.east_and_west.orders.headings import HEADINGS
from engine.east_and_west.orders.registry import ANSWERS, ANY_TIME, SEARCHING, STOPS
from engine.east_and_west.orders.verb import Verb
from engine.east_and_west.state import State
from engine.east_and_west.verbs.answers import default_answer
from engine.east_and_west.verbs.done import Done

Choices = tuple[Option[Any], ...]


def options(state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
    if state.board.asked != seat:
        return ()
    verbs = ANSWERS if state.board.questions else STOPS[state.board.turn.stop]
    return _among(verbs, state, seat, prefix)


def any_time(state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
    """Standing orders and orders for later, of any power while the match lasts."""
    if state.board.result is not None:
        return ()
    return _among(ANY_TIME, state, seat, prefix)


def _among(verbs: tuple[Verb, ...], state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
    if not prefix:
        offered = (_first_word(verb, state, seat) for verb in verbs)
        return tuple(option for option in offered if option is not None)
    return next(
        (verb.offer(state, seat, prefix[1:]) for verb in verbs if verb.word == prefix[0]), ()
    )


def _first_word(verb: Verb, state: State, seat: Seat) -> Option[Any] | None:
    """The verb itself; an order without further words is a leaf already."""
    if (searching := SEARCHING.get(verb.word)) is not None:
        is_possible = searching.is_possible(state, seat)
        return Option(verb.word, HEADINGS[verb.word]) if is_possible else None
    offered = verb.offer(state, seat, ())
    if not offered:
        return None
    if offered[0].word == "":
        return replace(offered[0], word=verb.word)
    return Option(verb.word, HEADINGS[verb.word])


def default_action(state: State, seat: Seat) -> Any | None:
    """14.7: nothing is bought or moved; whoever is asked something gets the usual answer."""
    if state.board.asked != seat:
        return None
    if not state.board.questions:
        return Done()
    return default_answer(state)
