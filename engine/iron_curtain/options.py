"""Legal orders as a tree over the words of the notation, and what the clock plays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
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
from engine.iron_curtain.events import (
    cards_to_move,
    cells_for,
    cube_sources,
    cube_targets,
    needs_no_choice,
    pick_ups,
)
from engine.iron_curtain.grid import Cell, cell_name, neighbours
from engine.iron_curtain.layout import NO_CARDS
from engine.iron_curtain.standing_orders import ALL, IN_WORDS, RULES, Rule, of_side
from engine.iron_curtain.state import State, still_to_come

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
    deck, hand = state.variant.deck, state.hand(frame.seat)
    if prefix == ("play",):
        return _card_words(deck, hand)
    if len(prefix) == 2 and prefix[0] == "play" and prefix[1] in hand:
        card = prefix[1]
        cells = state.table.layout.open_cells(deck.region_of[card])
        return _cells(state, cells, act.Play, card)
    return ()


def _cells(
    state: State, cells: Sequence[Cell], action: type[act.Play] | type[act.MoveCard], card: str
) -> Choices:
    """Cells by name; the label says which cards lie beside."""
    cards, at, found = state.variant.deck.cards, state.table.layout.at, list[Choice]()
    for cell in cells:
        name = cell_name(cell)
        near = [at[beside] for beside in neighbours(cell) if beside in at]
        around = tuple([cards[other].name for other in near if other != card])
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
    return tuple([_cube_word(state.variant.deck, *taker) for taker in _takers(state, frame)])


def _takers(state: State, frame: Commanding | Infiltrating) -> list[tuple[str, int]]:
    """The cards that may take the next cube, each with what it costs."""
    bits = state.variant.deck.bits
    dear = state.table.dear(frame.seat) if isinstance(frame, Commanding) else NO_CARDS
    return [(card, 2 if dear & bits[card] else 1) for card in cube_targets(state, frame)]


@remembered
def _cube_word(deck: Deck, card: str, points: int) -> Choice:
    msgid = "{card}, for two points" if points == 2 else "{card}"
    return Option(card, Text(msgid, {"card": deck.cards[card].name}), act.Cube(card))


def _card_words(deck: Deck, cards: Iterable[str]) -> Choices:
    return tuple([_card_word(deck, card) for card in cards])


@remembered
def _card_word(deck: Deck, card: str) -> Choice:
    return Option(card, Text("{card}", {"card": deck.cards[card].name}))


def _pick_ups(state: State, frame: Commanding | Infiltrating, prefix: tuple[str, ...]) -> Choices:
    """With an empty supply: first the card that gives a cube, then the card that takes it."""
    deck, layout = state.variant.deck, state.table.layout
    takers, givers = _takers(state, frame), state.table.held(frame.seat)
    match prefix:
        case ("shift",):
            if len(takers) == 1:
                givers = pick_ups(state, frame.seat, takers[0][0])
            return _card_words(deck, layout.names(givers))
        case ("shift", source) if deck.bits.get(source, NO_CARDS) & givers:
            return tuple([_shift_word(deck, source, *t) for t in takers if t[0] != source])
    return ()


def _shift_word(deck: Deck, source: str, target: str, points: int = 1) -> Choice:
    msgid = "onto {card}, for two points" if points == 2 else "onto {card}"
    return Option(target, Text(msgid, {"card": deck.cards[target].name}), act.Shift(source, target))


def _removals(state: State, frame: Removing, prefix: tuple[str, ...]) -> Choices:
    if not prefix:
        return REMOVE, DONE
    if prefix != ("remove",):
        return ()
    return tuple([_removal(state.variant.deck, card) for card in cube_sources(state, frame)])


@remembered
def _removal(deck: Deck, card: str) -> Choice:
    return Option(card, Text("{card}", {"card": deck.cards[card].name}), act.TakeOff(card))


def _gatherings(state: State, frame: Gathering, prefix: tuple[str, ...]) -> Choices:
    deck = state.variant.deck
    match prefix:
        case ():
            return GATHER, DONE
        case ("shift",):
            return _card_words(deck, cube_sources(state, frame))
        case ("shift", source) if source in cube_sources(state, frame):
            return (_shift_word(deck, source, frame.card),)
    return ()


def _relocations(state: State, frame: Relocating, prefix: tuple[str, ...]) -> Choices:
    match prefix:
        case ():
            return RELOCATE, DONE
        case ("relocate",):
            return _card_words(state.variant.deck, cards_to_move(state, frame))
        case ("relocate", card):
            return _cells(state, cells_for(state, card), act.MoveCard, card)
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
            cells = state.table.layout.open_cells(cards[card].region)
            return act.Play(card, cells[0])
        case UseCard():
            return act.UseCommand()
        case Answer():
            return act.Decline()
    return act.Done()
