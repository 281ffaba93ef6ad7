"""What one seat may know: from a state to its view, and back to a state that looks the same."""

from __future__ import annotations

from engine.core import Seat
from engine.east_and_west.data import seating
from engine.east_and_west.standing import NONE
from engine.east_and_west.state import State
from engine.east_and_west.view import View


def view(state: State, seat: Seat | None) -> View:
    own = seating.powers(state.board.variant.nato, seat)
    return View(
        seat=seat if own else None,
        board=state.board,
        combat=state.combat,
        said={power: state.orders(power) for power in own if state.orders(power) != NONE},
    )


def imagine(view: View) -> State:
    """A state that looks exactly like `view`: as if nobody else had said anything in advance."""
    return State(view.board, view.combat, view.said)
