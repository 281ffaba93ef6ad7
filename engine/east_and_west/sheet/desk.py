"""What a sheet is made from: the match as one power sees it, and what the address asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from engine.abilities import Heard, nothing_heard
from engine.core import Event, Seat
from engine.east_and_west.board import Board
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.queries import own_units
from engine.east_and_west.reach.context import MoveContext, move_context
from engine.east_and_west.secrecy import imagine, view
from engine.east_and_west.sheet.outlook import Fought, battles, last_attack, last_defence
from engine.east_and_west.standing import Standing
from engine.east_and_west.state import State
from engine.east_and_west.view import View


class Desk:
    """One power, one stage, one state: that of now, or as it may be when the stage is reached.

    Where it is not shown to anybody, only its forms are asked for: links and odds are left out.
    """

    def __init__(
        self,
        state: State,
        power: Seat,
        stage: str,
        asks: Mapping[str, str],
        heard: Heard = nothing_heard,
        is_ahead: bool = False,
        is_shown: bool = True,
    ) -> None:
        self.state, self.power, self.stage, self.asks = state, power, stage, asks
        self._heard, self.is_ahead, self.is_shown = heard, is_ahead, is_shown

    @property
    def board(self) -> Board:
        return self.state.board

    @property
    def orders(self) -> Standing:
        return self.state.orders(self.power)

    @property
    def at(self) -> str:
        """The space that is chosen, if it is one."""
        asked = self.asks.get("at", "")
        return asked if asked in atlas().spaces else ""

    @property
    def to(self) -> str:
        asked = self.asks.get("to", "")
        return asked if asked in atlas().spaces else ""

    @cached_property
    def own_spaces(self) -> list[str]:
        """Where the power has units."""
        return [s for s in sorted(self.board.units) if own_units(self.board, self.power, s)]

    @cached_property
    def context(self) -> MoveContext:
        return move_context(self.state, self.power)

    @cached_property
    def told(self) -> Sequence[Event]:
        """What the power was told lately, looked up once."""
        return self._heard()

    @cached_property
    def _fought(self) -> list[Fought]:
        return battles(self.told)

    @property
    def last_attack(self) -> Fought | None:
        return last_attack(self._fought, self.power)

    @property
    def last_defence(self) -> Fought | None:
        return last_defence(self._fought, self.power)

    def link(self, **asks: str) -> tuple[tuple[str, str], ...]:
        """An address of this stage."""
        own = {"for": self.asks.get("for", ""), **asks}
        return ("stage", self.stage), *((name, value) for name, value in own.items() if value)

    def filled(self, names: Mapping[str, int]) -> dict[str, int]:
        """Numbers that were filled in and looked at, none above what is possible."""
        found = {}
        for name, most in names.items():
            said = self.asks.get(name, "")
            if said.isascii() and said.isdigit() and len(said) < 4:
                found[name] = min(most, int(said))
        return found


def seen_by(state: State, seat: Seat) -> tuple[View, State]:
    """A view of the seat, and a state with nothing in it that the seat may not know."""
    seen = view(state, seat)
    return seen, imagine(seen)


def power_of(seen: View, wish: str = "") -> Seat | None:
    """For whom a seat speaks: a power that was asked for, else the one at turn or next."""
    return next((power for power in seen.powers if power == wish), seen.power)
