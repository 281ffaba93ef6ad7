"""Quartet: a small game for four, to try what Iron Curtain with its two seats cannot show.

The seats speak in turn, a number from 1 to 3 each, until somebody brings the sum to the goal and
wins; north and south are allies, as are east and west. Whoever is absent says 1, except in `stern`
matches, where nothing is said for the absent.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from engine.abilities import Alliances
from engine.core import (
    BadNotation,
    Dice,
    Event,
    IllegalAction,
    Language,
    Name,
    NotYourTurn,
    Option,
    Outcome,
    Seat,
    Setup,
    Step,
    Text,
)
from engine.game import Game

SEATS = tuple(Seat(name) for name in ("north", "east", "south", "west"))
ALLY = {SEATS[0]: SEATS[2], SEATS[1]: SEATS[3], SEATS[2]: SEATS[0], SEATS[3]: SEATS[1]}


class State(Struct, frozen=True):
    said: tuple[int, ...] = ()
    goal: int = 40
    stern: bool = False

    @property
    def total(self) -> int:
        return sum(self.said)


class Quartet(Game[State, int, State], Alliances[State]):
    name = "quartet"
    title = Name("Quartet", "Quartett", "Quatuor")
    rules_version = 1
    style = ""

    def seats(self, setup: Setup) -> tuple[Seat, ...]:
        return SEATS

    def seat_name(self, seat: Seat) -> Name:
        return Name(seat.title(), seat.title(), seat.title())

    def new_game(self, setup: Setup, dice: Dice) -> Step[State]:
        return Step(State(goal=int(setup.get("goal", 40)), stern=bool(setup.get("stern"))))

    def waiting_on(self, state: State) -> frozenset[Seat]:
        if state.total >= state.goal:
            return frozenset()
        return frozenset({SEATS[len(state.said) % 4]})

    def outcome(self, state: State) -> Outcome | None:
        if state.total < state.goal:
            return None
        winner = SEATS[(len(state.said) - 1) % 4]
        return Outcome((winner, ALLY[winner]), Text("The goal is reached."))

    def options(
        self, state: State, seat: Seat, prefix: tuple[str, ...] = ()
    ) -> tuple[Option[int], ...]:
        if seat not in self.waiting_on(state) or prefix:
            return ()
        return tuple(Option(str(n), Text("say {n}", {"n": n}), n) for n in (1, 2, 3))

    def apply(self, state: State, seat: Seat, action: int, dice: Dice) -> Step[State]:
        if seat not in self.waiting_on(state):
            raise NotYourTurn("it is not your turn")
        if action not in (1, 2, 3):
            raise IllegalAction("say 1, 2 or 3")
        done = msgspec.structs.replace(state, said=(*state.said, action))
        said = Event(Text("{seat} says {n}.", {"seat": self.seat_name(seat), "n": action}))
        return Step(done, (said,))

    def allies(self, seat: Seat) -> tuple[Seat, ...]:
        return (ALLY[seat],)

    def plans(self, view: State) -> tuple[str, ...]:
        return ()

    def default_action(self, state: State, seat: Seat) -> int | None:
        return None if state.stern else 1

    def view(self, state: State, seat: Seat | None) -> State:
        return state

    def closed(self, view: State) -> State:
        return view

    def imagine(self, view: State, dice: Dice) -> State:
        return view

    def render(
        self, view: State, width: int = 72, language: Language = "en", news: bool = True
    ) -> str:
        return f"Sum {view.total} of {view.goal}"

    def narrate(self, view: State, language: Language = "en", news: bool = True) -> str:
        return f"The sum is {view.total}."

    def draw(self, view: State, language: Language = "en") -> str:
        return "<svg xmlns='http://www.w3.org/2000/svg'/>"

    def say(self, text: Text, language: Language = "en") -> str:
        params: dict[str, Any] = {
            key: value.in_(language) if isinstance(value, Name) else value
            for key, value in text.params.items()
        }
        return text.msgid.format_map(params)

    def notate(self, action: int) -> str:
        return str(action)

    def parse(self, text: str) -> int:
        if not text.isdecimal():
            raise BadNotation("say 1, 2 or 3")
        return int(text)

    def dump(self, state: State) -> str:
        return msgspec.json.encode(state).decode()

    def load(self, text: str) -> State:
        return msgspec.json.decode(text, type=State)

    def rules_text(self, language: Language = "en") -> str:
        return "# Quartet\n"
