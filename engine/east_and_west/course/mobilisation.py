"""2.5: what the USSR makes of the money for its mobilisation; see research, buy and place."""

from __future__ import annotations

from engine.east_and_west.course.placement import enlist_spies, place_rest
from engine.east_and_west.course.treasury import refund
from engine.east_and_west.data.powers import POWER_NAMES
from engine.east_and_west.execution import Course


def finish(course: Course) -> None:
    """Units are placed, spies serve at once, and what is left goes to the treasury."""
    place_rest(course)
    enlist_spies(course)
    left = course.turn.fund
    course.update_turn(fund=0)
    refund(course, left)
    course.tell(
        "{power} keeps {left} IPC of its mobilisation", power=POWER_NAMES[course.active], left=left
    )
