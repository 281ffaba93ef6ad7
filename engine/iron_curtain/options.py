"""Legal orders as a tree over the words of the notation, and what the clock plays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.core import Option, Seat, Text
from engine.iron_curtain import actions as act
from engine.iron_curtain.board import (
    Answer,
    ChooseFirst,
    Commanding,
    Frame,
    Gathering,
    Infiltrating,
    PlayCard,
    Relocating,
    Removing,
    UseCard,
)
from engine.iron_curtain.deck import SIDE_NAMES, SIDES, USA, USSR, Deck, remembered
from engine.iron_curtain.events import cube_sources, cube_targets, needs_no_choice
from engine.iron_curtain.grid import Cell, cell_name, neighbours
from engine.iron_curtain.standing_orders import ALL, IN_WORDS, RULES, Rule, of_side
from engine.iron_curtain.state import State
from engine.iron_curtain.table import cells_to_move_to, cost, open_cells, sources, still_to_come

Choice = Option[act.Action]
Choices = tuple[Choice, ...]

FIRST: Choice = Option("first", Text("Choose who goes first"))
PLAY: Choice = Option("play", Text("Play a card"))
CUBE: Choice = Option("cube", Text("Place a cube"))
PICK_UP: Choice = Option("shift", Text("Your supply is empty: move one of your cubes"))
GATHER: Choice = Option("shift", Text("Move a cube"))
REMOVE: Choice = Option("remove", Text("Remove a cube"))
RELOCATE: Choice = Option("relocate", Text("Move a card"))
DONE: Choice = Option("done", Text("Stop here"), act.Done())
DECLINE: Choice = Option("decline", Text("Decline the event"), act.Decline())
FIRSTS: Choices = tuple(
    Option(side, Text("{side} goes first", {"side": SIDE_NAMES[side]}), act.First(side))
    for side in (USA, USSR)
)


def options(state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
    if state.result is not None:
        return ()
    frame = state.stack[-1]
    return _OFFERS[type(frame)](state, frame, prefix) if frame.seat == seat else ()


def _firsts(state: State, frame: ChooseFirst, prefix: tuple[str, ...]) -> Choices:
    if not prefix:
        return (FIRST,)
    return FIRSTS if prefix == ("first",) else ()


def _plays(state: State, frame: PlayCard, prefix: tuple[str, ...]) -> Choices:
    if not prefix:
        return _PLAY_ONLY
    hand, cards = state.hand(frame.seat), state.variant.deck.cards
    if prefix == ("play",):
        return tuple([_card_word(state.variant.deck, card) for card in hand])
    if len(prefix) == 2 and prefix[0] == "play" and prefix[1] in hand:
        card = prefix[1]
        cells = open_cells(state.table, state.deck, cards[card].region)
        return _cells(state, cells, act.Play, card)
    return ()


def _cells(
    state: State, cells: list[Cell], action: type[act.Play] | type[act.MoveCard], card: str
) -> Choices:
    """Cells by name; the label says which cards lie beside."""
    cards, found = state.variant.deck.cards, list[Choice]()
    names = {c.cell: cards[c.card].name for c in state.table if c.card != card}
    for cell in cells:
        name = cell_name(cell)
        around = tuple([names[beside] for beside in neighbours(cell) if beside in names])
        label = Text("{cell}, next to {cards}", {"cell": name, "cards": around})
        found.append(Option(name, label, action(card, cell)))
    return tuple(found)


def _uses(state: State, frame: UseCard | Answer, prefix: tuple[str, ...]) -> Choices:
    if prefix:
        return ()
    event, command = _use_words(state.variant.deck, frame.card)
    if isinstance(frame, Answer):
        return event, DECLINE
    return (event, command) if frame.has_event else (command,)


@remembered
def _use_words(deck: Deck, card: str) -> tuple[Choice, Choice]:
    name, text, points = deck.cards[card].name, deck.cards[card].text, deck.cards[card].command
    event = Text("Use the event of {card}: {text}", {"card": name, "text": text})
    command = Text(
        "Command up to {points:# cube|# cubes} with {card}", {"points": points, "card": name}
    )
    return (
        Option("event", event, act.UseEvent()),
        Option("command", command, act.UseCommand()),
    )


def _cubes(state: State, frame: Commanding | Infiltrating, prefix: tuple[str, ...]) -> Choices:
    empty = state.supply(frame.seat) < 1
    if not prefix:
        return _PICK_UP_OR_DONE if empty else _CUBE_OR_DONE
    if empty:
        return _pick_ups(state, frame, prefix)
    if prefix != ("cube",):
        return ()
    deck, side = state.variant.deck, frame.seat
    if isinstance(frame, Commanding):
        return tuple([_cube_word(deck, c.card, cost(c, side)) for c in cube_targets(state, frame)])
    return tuple([_cube_word(deck, c.card, 1) for c in cube_targets(state, frame)])


@remembered
def _cube_word(deck: Deck, card: str, points: int) -> Choice:
    msgid = "{card}, for two points" if points == 2 else "{card}"
    return Option(card, Text(msgid, {"card": deck.cards[card].name}), act.Cube(card))


@remembered
def _card_word(deck: Deck, card: str) -> Choice:
    return Option(card, Text("{card}", {"card": deck.cards[card].name}))


def _pick_ups(state: State, frame: Commanding | Infiltrating, prefix: tuple[str, ...]) -> Choices:
    """With an empty supply: first the card that gives a cube, then the card that takes it."""
    deck, side = state.variant.deck, frame.seat
    targets = cube_targets(state, frame)
    match prefix:
        case ("shift",):
            givers = sources(state, side, targets[0].card if len(targets) == 1 else "")
            return tuple([_card_word(deck, card) for card in givers])
        case ("shift", source) if source in sources(state, side, ""):
            is_paid = isinstance(frame, Commanding)
            return tuple(
                [
                    _shift_word(deck, source, taker.card, cost(taker, side) if is_paid else 1)
                    for taker in targets
                    if taker.card != source
                ]
            )
    return ()


def _shift_word(deck: Deck, source: str, target: str, points: int = 1) -> Choice:
    msgid = "onto {card}, for two points" if points == 2 else "onto {card}"
    return Option(target, Text(msgid, {"card": deck.cards[target].name}), act.Shift(source, target))


def _removals(state: State, frame: Removing, prefix: tuple[str, ...]) -> Choices:
    if not prefix:
        return REMOVE, DONE
    if prefix != ("remove",):
        return ()
    cards = state.deck.cards
    return tuple(
        [
            Option(card, Text("{card}", {"card": cards[card].name}), act.TakeOff(card))
            for card in cube_sources(state, frame)
        ]
    )


def _gatherings(state: State, frame: Gathering, prefix: tuple[str, ...]) -> Choices:
    deck = state.variant.deck
    match prefix:
        case ():
            return GATHER, DONE
        case ("shift",):
            return tuple([_card_word(deck, card) for card in cube_sources(state, frame)])
        case ("shift", source) if source in cube_sources(state, frame):
            return (_shift_word(deck, source, frame.card),)
    return ()


def _relocations(state: State, frame: Relocating, prefix: tuple[str, ...]) -> Choices:
    match prefix:
        case ():
            return RELOCATE, DONE
        case ("relocate",):
            movable = [c.card for c in state.table if cells_to_move_to(state, c.card)]
            return tuple([_card_word(state.variant.deck, card) for card in movable])
        case ("relocate", card):
            cells = cells_to_move_to(state, card)
            return _cells(state, cells, act.MoveCard, card)
    return ()


_PLAY_ONLY: Choices = (PLAY,)
_CUBE_OR_DONE: Choices = (CUBE, DONE)
_PICK_UP_OR_DONE: Choices = (PICK_UP, DONE)

_OFFERS: dict[type[Frame], Callable[[State, Any, tuple[str, ...]], Choices]] = {
    ChooseFirst: _firsts,
    PlayCard: _plays,
    UseCard: _uses,
    Answer: _uses,
    Commanding: _cubes,
    Infiltrating: _cubes,
    Removing: _removals,
    Gathering: _gatherings,
    Relocating: _relocations,
}


# --- at any time ---------------------------------------------------------------------------------

STANDING: Choice = Option("standing", Text("Auto-answers for your events"))
AS_IN_GENERAL = Text("default")


def any_time(state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
    """6.6: standing orders, each with what it says now."""
    if state.result is not None or seat not in SIDES:
        return ()
    match prefix:
        case ():
            return (STANDING,)
        case ("standing",):
            return _cards_with_rules(state, seat)
        case ("standing", card) if card == ALL or card in still_to_come(state, seat):
            return tuple([_rule_word(state.deck, card, rule) for rule in RULES])
    return ()


def _cards_with_rules(state: State, seat: Seat) -> Choices:
    orders, cards = of_side(state.standing, seat), state.deck.cards
    found: list[Choice] = [Option(ALL, Text("Default: {rule}", {"rule": IN_WORDS[orders.general]}))]
    for card in still_to_come(state, seat):
        own = orders.own_rule(card)
        now = IN_WORDS[own] if own else AS_IN_GENERAL
        found.append(Option(card, Text("{card}: {rule}", {"card": cards[card].name, "rule": now})))
    return tuple(found)


def _rule_word(deck: Deck, card: str, rule: Rule) -> Choice:
    label = _RULE_LABELS[rule]
    if rule == "use" and card != ALL:
        free = needs_no_choice(deck.cards[card])
        label = Text("Use the event" if free else "Ask me: the event needs a choice")
    return Option(rule, label, act.Standing(card, rule))


_RULE_LABELS: dict[Rule, Text] = {
    "use": Text("Use events that need no choice"),
    "ask": Text("Ask me"),
    "never": DECLINE.label,
}


# --- for the absent ------------------------------------------------------------------------------


def default_action(state: State, seat: Seat) -> act.Action | None:
    """For the absent: the card worth least, in its first place, and nothing that needs a will."""
    if state.result is not None or state.stack[-1].seat != seat:
        return None
    match state.stack[-1]:
        case ChooseFirst():
            return act.First(seat)
        case PlayCard():
            cards = state.deck.cards
            card = min(state.hand(seat), key=lambda held: (cards[held].command, held))
            return act.Play(card, open_cells(state.table, state.deck, cards[card].region)[0])
        case UseCard():
            return act.UseCommand()
        case Answer():
            return act.Decline()
    return act.Done()
