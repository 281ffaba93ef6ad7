"""Small changes of a state, the telling of a step, and what refusals have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from msgspec import Struct
from msgspec.structs import replace

from engine.core import Event, IllegalAction, Name, Param, Seat, Text
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
from engine.iron_curtain.deck import USA
from engine.iron_curtain.grid import Cell, cell_name
from engine.iron_curtain.state import State


class Telling:
    """What a step tells: its events so far, and whether a secret came out."""

    __slots__ = ("events", "final")

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.final = False

    def everybody(self, msgid: str, **params: Param) -> None:
        self.events.append(Event(Text(msgid, params)))

    def only(self, seat: Seat, msgid: str, **params: Param) -> None:
        self.events.append(Event(Text(msgid, params), (seat,)))


class Untold(Telling):
    """For whoever only wants to know what an order leads to."""

    def everybody(self, msgid: str, **params: Param) -> None:
        pass

    def only(self, seat: Seat, msgid: str, **params: Param) -> None:
        pass


UNTOLD = Untold()


def pop(state: State) -> State:
    return replace(state, stack=state.stack[:-1])


def swap(state: State, frame: Frame) -> State:
    return replace(state, stack=(*state.stack[:-1], frame))


def supplies(state: State, side: Seat, change: int) -> tuple[int, int]:
    usa, ussr = state.supplies
    return (usa + change, ussr) if side == USA else (usa, ussr + change)


def card_name(state: State, card: str) -> Name:
    return state.variant.deck.cards[card].name


def called(state: State, word: str) -> str:
    """A card by id or by any of its names; an unknown word stays as it is."""
    deck = state.variant.deck
    return word if word in deck.cards else deck.card_called(word) or word


def cells_named(cells: Sequence[Cell]) -> str:
    return ", ".join(map(cell_name, cells)) or "no cell"


# --- refusals -------------------------------------------------------------------------------------

_ASKED_FOR: dict[type[Struct], Text] = {
    ChooseFirst: Text("first usa or first ussr"),
    PlayCard: Text("play CARD CELL"),
    UseCard: Text("event or command"),
    Answer: Text("event or decline"),
    Commanding: Text("cube CARD or done"),
    Infiltrating: Text("cube CARD or done"),
    Removing: Text("remove CARD or done"),
    Gathering: Text("shift CARD CARD or done"),
    Relocating: Text("relocate CARD CELL or done"),
}


def refuse(frame: Frame, action: act.Action) -> NoReturn:
    raise IllegalAction(
        "'{order}' is not asked now; write: {form}",
        order=act.notate(action),
        form=_ASKED_FOR[type(frame)],
    )


def cannot_leave(card: str, allowed: Sequence[str]) -> IllegalAction:
    return IllegalAction(
        "no cube can leave {card}; cubes can leave {cards}", card=card, cards=listed(allowed)
    )


def listed(cards: Sequence[str]) -> Param:
    return ", ".join(cards) or Text("no card")
