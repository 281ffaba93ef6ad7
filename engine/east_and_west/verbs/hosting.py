"""14.2 no. 8: whether the units of an ally may come on board. Everybody may know it."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from engine.core import IllegalAction, Option, Seat, Text
from engine.east_and_west.data.lexicon import Words
from engine.east_and_west.data.powers import NATO, POWER_NAMES, are_friends
from engine.east_and_west.execution import Course
from engine.east_and_west.state import State


class Host(Struct, frozen=True):
    """Said in the own turn; it holds until something else is said."""

    guest: Seat
    is_welcome: bool


class HostVerb:
    word = "host"
    action = Host

    def parse(self, words: Words) -> Host:
        guest = words.power()
        return Host(guest, words.word("always", "never") == "always")

    def notate(self, action: Host) -> str:
        return f"{action.guest} {'always' if action.is_welcome else 'never'}"

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> tuple[Option[Any], ...]:
        """The opposite of what holds now."""
        allies = [power for power in NATO if seat in NATO and power != seat]
        if not prefix:
            return tuple(Option(p, Text("{power}", {"power": POWER_NAMES[p]})) for p in allies)
        if len(prefix) > 1 or prefix[0] not in allies:
            return ()
        guest = Seat(prefix[0])
        if (seat, guest) in state.board.refusals:
            return (Option("always", Text("allowed on board again"), Host(guest, True)),)
        return (Option("never", Text("no longer allowed on board"), Host(guest, False)),)

    def do(self, course: Course, seat: Seat, action: Host) -> None:
        if action.guest == seat or not are_friends(action.guest, seat):
            raise IllegalAction("{power} is no ally of yours", power=POWER_NAMES[action.guest])
        others = {pair for pair in course.board.refusals if pair != (seat, action.guest)}
        refused = set() if action.is_welcome else {(seat, action.guest)}
        course.update(refusals=tuple(sorted(others | refused)))
        course.tell(
            "{power} takes units of {guest} on board"
            if action.is_welcome
            else "{power} takes no units of {guest} on board",
            power=POWER_NAMES[seat],
            guest=POWER_NAMES[action.guest],
        )


VERBS = (HostVerb(),)
