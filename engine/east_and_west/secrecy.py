"""What one seat may know: from a state to its view, and back to a state that looks the same."""

from __future__ import annotations

from engine.core import Seat
from engine.east_and_west.data.powers import POWERS
from engine.east_and_west.standing import NONE
from engine.east_and_west.state import State
from engine.east_and_west.view import View


def view(state: State, seat: Seat | None) -> View:
    seated = seat if seat in POWERS else None
    return View(
        seat=seated,
        board=state.board,
        combat=state.combat,
        standing=state.orders(seated) if seated else NONE,
    )


def imagine(view: View) -> State:
    """A state that looks exactly like `view`: as if nobody else had said anything in advance."""
    said = {view.seat: view.standing} if view.seat and view.standing != NONE else {}
    return State(view.board, view.combat, said)
