"""7.11, 7.12: a land changes hands, with all that cannot run away."""

from __future__ import annotations

from msgspec.structs import replace

from engine.core import Seat
from engine.east_and_west.board import Board, Group
from engine.east_and_west.data.arsenal import AA_GUN, BOMBS
from engine.east_and_west.data.powers import POWER_NAMES, are_friends
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import change, mark
from engine.east_and_west.report import is_owned, owner_name, space_name

_SPOILS = (AA_GUN, *BOMBS)


def capture(course: Course, land: str, power: Seat) -> None:
    """The land, its factory, guns and bombs go to the conqueror, or back to an ally's home."""
    loser, winner = course.board.owners[land], receiver(course.board, land, power)
    course.set_owner(land, winner)
    course.set_units(
        change(course.board.units, land, lambda group: _taken_over(group, winner, power))
    )
    if land not in course.turn.captured:
        course.update_turn(captured=(*course.turn.captured, land))
    if winner == power and not is_owned(loser):
        course.announce(
            "{power} takes {land}, until now neutral",
            power=POWER_NAMES[power],
            land=space_name(land),
        )
    elif winner == power:
        course.announce(
            "{power} takes {land} from {loser}",
            power=POWER_NAMES[power],
            land=space_name(land),
            loser=owner_name(loser, land),
        )
    else:
        course.announce(
            "{power} frees {land} from {loser}; it belongs to {owner} again",
            power=POWER_NAMES[power],
            land=space_name(land),
            loser=owner_name(loser, land),
            owner=POWER_NAMES[winner],
        )


def receiver(board: Board, land: str, power: Seat) -> Seat:
    """7.12: a land whose home owner is an ally goes back to it at once."""
    home = board.homes.get(land, "")
    return Seat(home) if are_friends(home, power) else power


def _taken_over(group: Group, winner: Seat, power: Seat) -> Group:
    """6.5, 11.2: what is captured does not move before its new owner's next turn."""
    if group.kind not in _SPOILS or are_friends(group.owner, power):
        return group
    return mark(replace(group, owner=winner), "spent")
