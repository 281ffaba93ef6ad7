"""The orders a player can give, and their notation: one line of lower-case words.

first usa · play vietnam s18 · event · command · decline · cube algeria · shift poland algeria
remove france · relocate cuba t20 · done · standing italy use
"""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from engine.core import BadNotation, Param, Seat, Text
from engine.iron_curtain.deck import SIDES, fold
from engine.iron_curtain.grid import Cell, cell_name, cell_named
from engine.iron_curtain.standing_orders import RULES, Rule
from engine.text import printable


class First(Struct, frozen=True, gc=False):
    """Who takes the first turn of the round."""

    side: Seat


class Play(Struct, frozen=True, gc=False):
    """Place a card of the hand on a cell."""

    card: str
    cell: Cell


class UseEvent(Struct, frozen=True, gc=False):
    """Use the event of the card just placed."""


class UseCommand(Struct, frozen=True, gc=False):
    """Use the command of the card just placed."""


class Decline(Struct, frozen=True, gc=False):
    """Leave the event unused that the opponent's card offers."""


class Cube(Struct, frozen=True, gc=False):
    """Place a cube of the supply."""

    card: str


class Shift(Struct, frozen=True, gc=False):
    """Move a cube from one card to another."""

    source: str
    target: str


class TakeOff(Struct, frozen=True, gc=False):
    """Take one of the opponent's cubes off a card."""

    card: str


class MoveCard(Struct, frozen=True, gc=False):
    """Move a face-up card with its cubes."""

    card: str
    cell: Cell


class Done(Struct, frozen=True, gc=False):
    """Place, move or remove no more."""


class Standing(Struct, frozen=True, gc=False):
    """Say in advance what becomes of the event of a card, or of `all` others."""

    card: str
    rule: Rule


Action = (
    First
    | Play
    | UseEvent
    | UseCommand
    | Decline
    | Cube
    | Shift
    | TakeOff
    | MoveCard
    | Done
    | Standing
)

_BARE: dict[str, Action] = {
    "event": UseEvent(),
    "command": UseCommand(),
    "decline": Decline(),
    "done": Done(),
}
_FORMS: dict[str, Param] = {
    "first": Text("first usa or first ussr"),
    "play": Text("play CARD CELL, for example: play vietnam s18"),
    "event": "event",
    "command": "command",
    "decline": "decline",
    "cube": Text("cube CARD, for example: cube algeria"),
    "shift": Text("shift CARD CARD, for example: shift poland algeria"),
    "remove": Text("remove CARD, for example: remove france"),
    "relocate": Text("relocate CARD CELL, for example: relocate cuba t20"),
    "done": "done",
    "standing": Text(
        "standing CARD use, ask or never, or all for CARD, for example: standing italy use"
    ),
}


@lru_cache(maxsize=4_096)
def notate(action: Action) -> str:
    match action:
        case First(side):
            return f"first {side}"
        case Play(card, cell):
            return f"play {card} {cell_name(cell)}"
        case UseEvent():
            return "event"
        case UseCommand():
            return "command"
        case Decline():
            return "decline"
        case Cube(card):
            return f"cube {card}"
        case Shift(source, target):
            return f"shift {source} {target}"
        case TakeOff(card):
            return f"remove {card}"
        case MoveCard(card, cell):
            return f"relocate {card} {cell_name(cell)}"
        case Done():
            return "done"
        case Standing(card, rule):
            return f"standing {card} {rule}"


def parse(text: str) -> Action:
    """The order a line stands for; case and blanks inside the name of a card do not matter."""
    words = text.lower().split()
    verb, rest = (words[0], words[1:]) if words else ("", [])
    action = _BARE.get(verb) if not rest else _parse_parts(verb, rest)
    if action is None:
        raise _no_order(text, verb)
    return action


def _parse_parts(verb: str, rest: list[str]) -> Action | None:
    match verb:
        case "first" if len(rest) == 1 and rest[0] in SIDES:
            return First(Seat(rest[0]))
        case "cube":
            card = _card(rest)
            return Cube(card) if card else None
        case "remove":
            card = _card(rest)
            return TakeOff(card) if card else None
        case "play" | "relocate":
            return _parse_placing(verb, rest)
        case "shift":
            return _parse_shift(rest)
        case "standing":
            return _parse_standing(rest)
    return None


def _parse_placing(verb: str, rest: list[str]) -> Action | None:
    card, cell = _card(rest[:-1]), cell_named(rest[-1])
    if not card or cell is None:
        return None
    return Play(card, cell) if verb == "play" else MoveCard(card, cell)


def _parse_shift(rest: list[str]) -> Action | None:
    """Two one-word cards, or names of several words with `to` between them."""
    at = rest.index("to") if "to" in rest else 1 if len(rest) == 2 else 0
    source, target = _card(rest[:at]), _card(rest[at + ("to" in rest) :])
    return Shift(source, target) if source and target else None


def _parse_standing(rest: list[str]) -> Action | None:
    card = _card(rest[:-1])
    rule = next((known for known in RULES if known == rest[-1]), None)
    return Standing(card, rule) if card and rule else None


def _card(words: list[str]) -> str | None:
    name = fold("_".join(words))
    return name if name.isidentifier() and name != "to" else None


def _no_order(text: str, verb: str) -> BadNotation:
    line = " ".join(text.split())
    order = line if len(line) <= 60 else line[:57] + "..."
    if verb in _FORMS:
        return BadNotation(
            "'{order}' is no order; write: {form}", order=printable(order), form=_FORMS[verb]
        )
    return BadNotation(
        "'{order}' is no order; orders begin with {verbs}",
        order=printable(order),
        verbs=", ".join(_FORMS),
    )
