"""9.8: the income at the end of a turn."""

from __future__ import annotations

from engine.east_and_west.data.powers import POWER_NAMES
from engine.east_and_west.execution import Course
from engine.east_and_west.queries import income


def collect(course: Course) -> None:
    """9.8: the value of all own lands and what alliances pay."""
    power, paid = course.active, income(course.board, course.active)
    cash = course.board.powers[power].cash + paid
    course.update_power(power, cash=cash)
    course.tell(
        "{power} receives {income} IPC and has {cash}",
        power=POWER_NAMES[power],
        income=paid,
        cash=cash,
    )
