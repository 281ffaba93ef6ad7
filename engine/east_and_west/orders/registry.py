"""All orders of the game: which verb may be given when, and how a line of text becomes an order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.core import BadNotation
from engine.east_and_west.board import Stop
from engine.east_and_west.course import (
    espionage,
    neutrals,
    placement,
    production,
    research,
    surrender,
)
from engine.east_and_west.data.lexicon import Words
from engine.east_and_west.orders.delayed import delayed_verbs
from engine.east_and_west.orders.on_behalf import ForVerb
from engine.east_and_west.orders.verb import SearchingVerb, Verb
from engine.east_and_west.verbs import (
    aircraft,
    answers,
    hosting,
    moves,
    plans,
    shipping,
    standing,
    strikes,
)
from engine.east_and_west.verbs.done import DONE

_ALL: dict[str, Verb] = {
    verb.word: verb
    for room in (
        espionage,
        research,
        production,
        moves,
        shipping,
        aircraft,
        strikes,
        plans,
        placement,
        neutrals,
        hosting,
        surrender,
        answers,
        standing,
    )
    for verb in room.VERBS
}


def _pick(*words: str) -> tuple[Verb, ...]:
    return tuple(_ALL[word] for word in words)


_DIPLOMATIC = ("host", "surrender", "fight-on")
STOPS: dict[Stop, tuple[Verb, ...]] = {
    "mobilisation": (*_pick("research", "buy", "place", *_DIPLOMATIC), DONE),
    "intelligence": (*_pick("spy", "research", "accept", *_DIPLOMATIC), DONE),
    "operations": (
        *_pick("buy", "repair", "move", "load", "land", "drop", "raid", "attack", "strike"),
        *_pick("fly-bomb", "plan", *_DIPLOMATIC),
        DONE,
    ),
    "logistics": (
        *_pick("move", "load", "land", "drop", "fly-bomb", "place", "reinforce", *_DIPLOMATIC),
        DONE,
    ),
}
"""What the power at turn may order, by stop."""
ANSWERS: tuple[Verb, ...] = _pick("lose", "stay", "submerge", "retreat", "fight", "target", "share")
"""14.5: what somebody may say who is asked in the middle."""


def parse(text: str) -> Any:
    """The order that a line stands for; BadNotation says what would be right."""
    return _parse(text, VERBS)


def _parse_for_a_stop(text: str) -> Any:
    """The same, where an answer or a standing order would be out of place."""
    return _parse(text, _OF_STOPS)


def _parse(text: str, known: Mapping[str, Verb]) -> Any:
    words = Words(text)
    verb = _verb(words, text, known)
    action = verb.parse(words)
    words.end()
    return action


def notate(action: Any) -> str:
    verb = verb_of(action)
    return f"{verb.word} {verb.notate(action)}".rstrip()


def verb_of(action: Any) -> Verb:
    return _BY_TYPE[type(action)]


def is_any_time(action: Any) -> bool:
    return verb_of(action) in ANY_TIME


_AHEAD: dict[str, Stop] = {
    "spy": "intelligence",
    "research": "intelligence",
    "buy": "operations",
    "repair": "operations",
    "place": "logistics",
    "reinforce": "logistics",
    "host": "logistics",
}
"""14.1: orders that can be offered before their stop; moves depend too much on what happens."""


def _parse_in_advance(text: str) -> Any:
    return _parse(text, {verb.word: verb for verb in _IN_ADVANCE})


_IN_ADVANCE: tuple[Verb, ...] = (
    *_pick("standing"),
    *delayed_verbs(
        _parse_for_a_stop, notate, {word: (_ALL[word], stop) for word, stop in _AHEAD.items()}
    ),
)
ANY_TIME: tuple[Verb, ...] = (*_IN_ADVANCE, ForVerb(_IN_ADVANCE, _parse_in_advance, notate))
"""What a seat may say whether it is asked or not; nobody else learns of it."""

_OF_STOPS: dict[str, Verb] = {verb.word: verb for verbs in STOPS.values() for verb in verbs}
VERBS: dict[str, Verb] = _OF_STOPS | {verb.word: verb for verb in (*ANSWERS, *ANY_TIME)}
SEARCHING: dict[str, SearchingVerb] = {
    word: verb for word, verb in VERBS.items() if isinstance(verb, SearchingVerb)
}
_BY_TYPE: dict[type[Any], Verb] = {verb.action: verb for verb in VERBS.values()}

_SYNONYMS = {
    "espionage": "spy",
    "spion": "spy",
    "spioniere": "spy",
    "agent": "spy",
    "forsche": "research",
    "forschung": "research",
    "develop": "research",
    "recherche": "research",
    "accepte": "accept",
    "kaufe": "buy",
    "kauf": "buy",
    "build": "buy",
    "baue": "buy",
    "purchase": "buy",
    "achete": "buy",
    "repariere": "repair",
    "repare": "repair",
    "ziehe": "move",
    "zug": "move",
    "bewege": "move",
    "go": "move",
    "fly": "move",
    "sail": "move",
    "deplace": "move",
    "lade": "load",
    "embark": "load",
    "charge": "load",
    "lande": "land",
    "unload": "land",
    "debark": "land",
    "debarque": "land",
    "paradrop": "drop",
    "bombe": "strike",
    "nuke": "strike",
    "sbr": "raid",
    "greife": "attack",
    "attaque": "attack",
    "setze": "place",
    "put": "place",
    "deploy": "place",
    "pose": "place",
    "plane": "plan",
    "kapituliere": "surrender",
    "dann": "then",
    "puis": "then",
    "vergiss": "forget",
    "oublie": "forget",
    "fur": "for",
    "pour": "for",
    "fertig": "done",
    "ende": "done",
    "end": "done",
    "fini": "done",
    "pass": "done",
}


def _verb(words: Words, text: str, known: Mapping[str, Verb]) -> Verb:
    """By its word, a synonym, a beginning of it, or by what follows when it was left out."""
    typed = words.peek()
    word = _SYNONYMS.get(typed, typed)
    if word in known:
        words.skip()
        if word == "standing" and words.next_is("host"):
            return _verb(words, text, known)
        return known[word]
    left_out = _left_out(words, text)
    if left_out is not None and left_out.word in known:
        return left_out
    fitting = [word for word in known if len(typed) > 1 and word.startswith(typed)]
    if len(fitting) == 1:
        words.skip()
        return known[fitting[0]]
    verbs = ", ".join(fitting or known)
    if words.is_over:
        raise BadNotation("an empty line is no order; orders begin with {verbs}", verbs=verbs)
    raise BadNotation(
        "'{order}' is no order; orders begin with {verbs}", order=words.line, verbs=verbs
    )


SHORTEST_MOVE = 3


def _left_out(words: Words, text: str) -> Verb | None:
    """`3 infantry poland west-germany` is a move, and `3 infantry` alone a purchase."""
    if words.next_is_number() or words.fits_kind():
        ahead = Words(text)
        try:
            ahead.units()
        except BadNotation:
            return VERBS["move"]
        return VERBS["buy"] if ahead.is_over else VERBS["move"]
    is_long = len(text.split()) >= SHORTEST_MOVE
    return VERBS["move"] if is_long and words.fits_space() else None
