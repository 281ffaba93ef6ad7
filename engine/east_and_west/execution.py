"""One order being carried out: the match as it becomes, the dice, and what happened."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from engine.core import Dice, Event, Param, Seat, Text
from engine.east_and_west.board import Board, Group, Headline, Power, Turn
from engine.east_and_west.forces import Units, put, take
from engine.east_and_west.standing import NO_PLAN, Plan, Standing
from engine.east_and_west.state import State

TURNS_TOLD = 4


class Course:
    """Lives for one `apply`; the states it goes through are values like any other."""

    def __init__(self, state: State, dice: Dice) -> None:
        self.state, self.dice = state, dice
        self.events: list[Event] = []
        self.has_rolled = False

    @property
    def board(self) -> Board:
        return self.state.board

    @property
    def turn(self) -> Turn:
        return self.board.turn

    @property
    def active(self) -> Seat:
        return self.board.turn.power

    def orders(self, seat: Seat) -> Standing:
        return self.state.orders(seat)

    def plan(self, space: str) -> Plan:
        """What the active power has said about a battle."""
        return self.orders(self.active).plans.get(space, NO_PLAN)

    # --- changes ----------------------------------------------------------------------------------

    def update(self, **changes: Any) -> None:
        """Change fields of the board."""
        self.state = replace(self.state, board=replace(self.board, **changes))

    def update_turn(self, **changes: Any) -> None:
        self.update(turn=replace(self.turn, **changes))

    def update_power(self, power: Seat, **changes: Any) -> None:
        changed: Power = replace(self.board.powers[power], **changes)
        self.update(powers={**self.board.powers, power: changed})

    def set_units(self, units: Units) -> None:
        self.update(units=units)

    def put(self, space: str, *groups: Group) -> None:
        self.set_units(put(self.board.units, space, *groups))

    def take(self, space: str, group: Group, count: int | None = None) -> None:
        self.set_units(take(self.board.units, space, group, count))

    def set_owner(self, land: str, owner: str) -> None:
        self.update(owners={**self.board.owners, land: owner})

    # --- dice and words ---------------------------------------------------------------------------

    def roll(self, count: int, why: str, sides: int = 6) -> tuple[int, ...]:
        """`why` must be new in this turn's order: name phase, space, round and what is rolled for.

        The number of the turn goes before it: one order can lead into the next turns; 14.1.
        """
        self.has_rolled = True
        named = f"turn {self.board.turn_number}: {why}"
        return self.dice.roll(sides, count, named) if count else ()

    def tell(self, message: str, /, **params: Param) -> None:
        """For the report of this order: every die, every loss."""
        self.events.append(Event(Text(message, params)))

    def tell_only(self, seat: Seat, message: str, /, **params: Param) -> None:
        self.events.append(Event(Text(message, params), (seat,)))

    def announce(self, message: str, /, **params: Param) -> None:
        """What somebody should know who was away for some turns, too."""
        self.tell(message, **params)
        told = Headline(self.board.turn_number, Text(message, params))
        recent = self.board.turn_number - TURNS_TOLD
        kept = tuple(line for line in self.board.headlines if line.turn > recent)
        self.update(headlines=(*kept, told))
