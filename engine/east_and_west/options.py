"""What can be ordered now, as a tree of words; and what the clock plays for the absent."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from engine.core import Option, Seat, Text
from engine.east_and_west.actions import ANSWERS, ANY_TIME, STOPS
from engine.east_and_west.done import Done
from engine.east_and_west.phases.answers import default_answer
from engine.east_and_west.powers import POWERS
from engine.east_and_west.rules import asked
from engine.east_and_west.state import State
from engine.east_and_west.verbs import Verb

Choices = tuple[Option[Any], ...]

LABELS = {
    "spy": Text("Put a spy on a job"),
    "research": Text("Pay for an attempt in a category"),
    "accept": Text("Take half a step that an ally offers"),
    "buy": Text("Buy units"),
    "repair": Text("Repair battleships"),
    "move": Text("Move units"),
    "load": Text("Load units onto a ship"),
    "land": Text("Land units from a ship"),
    "drop": Text("Carry infantry by air"),
    "raid": Text("Bomb a factory"),
    "attack": Text("Attack where units already are"),
    "strike": Text("Attack with an atomic weapon"),
    "fly-bomb": Text("Fly a bomb to a friendly land"),
    "plan": Text("Say how an attack is to be fought"),
    "place": Text("Place what was bought"),
    "reinforce": Text("Send Chinese infantry to North Korea"),
    "host": Text("Say whether units of an ally may come on board"),
    "surrender": Text("Offer surrender"),
    "fight-on": Text("Take back the offer to surrender"),
    "lose": Text("Choose what is lost"),
    "stay": Text("Stay"),
    "submerge": Text("Submerge"),
    "retreat": Text("Retreat"),
    "fight": Text("Fight on"),
    "target": Text("Choose what the gun shoots at"),
    "share": Text("Share the technology?"),
    "standing": Text("Say in advance how others' attacks are met"),
    "then": Text("Give an order for a later stop"),
    "forget": Text("Drop orders for later"),
}


def options(state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
    if asked(state.board) != seat:
        return ()
    verbs = ANSWERS if state.board.questions else STOPS[state.board.turn.stop]
    return _among(verbs, state, seat, prefix)


def any_time(state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
    """Standing orders and orders for later, of any seat while the match lasts."""
    if state.board.result is not None or seat not in POWERS:
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
    offered = verb.offer(state, seat, ())
    if not offered:
        return None
    if offered[0].word == "":
        return replace(offered[0], word=verb.word)
    return Option(verb.word, LABELS[verb.word])


def default_action(state: State, seat: Seat) -> Any | None:
    """14.7: nothing is bought or moved; whoever is asked something gets the usual answer."""
    if asked(state.board) != seat:
        return None
    if not state.board.questions:
        return Done()
    return default_answer(state)
