"""Steady time: what a worker goes by while somebody sets the clock of the machine.

Letters wait, are tried again and given up, leases end, and clocks of turns start by this time. It
goes on as it did when the wall clock jumps, and follows the wall clock again as soon as that is
back, or as soon as the ticker has found it right; see `pbem.services.time.due`.
"""

from __future__ import annotations

from collections.abc import Callable

from pbem.services.time import clock_trust, heartbeat
from pbem.services.time.clock_trust import Tick
from pbem.services.time.heartbeat import Heartbeat


class SteadyTime:
    """Seconds since 1970 by the wall clock, as long as that can be believed."""

    def __init__(self, wall: Callable[[], int], passed: Callable[[], float]) -> None:
        """`passed` is a clock that nobody can set."""
        self._wall, self._passed = wall, passed
        self._known: Tick | None = None

    def __call__(self) -> int:
        this = Tick(self._wall(), self._passed())
        if self._known is None:
            self._known = _first(this)
        elif abs(this.jump(self._known)) <= clock_trust.JUMP or _is_found_right(this):
            self._known = this
        return self._known.now + int(this.monotonic - self._known.monotonic)


def _first(this: Tick) -> Tick:
    """What a worker that has just begun goes by: the wall clock, unless that is in doubt."""
    beat = heartbeat.heartbeat()
    if beat is None or beat.maintenance_since is not None or _is_usual(beat, this):
        return this
    return Tick(beat.ticked_at, this.monotonic)


def _is_usual(beat: Heartbeat, this: Tick) -> bool:
    """Whether it is no earlier than the last tick, and not weeks later."""
    silence = this.now - beat.ticked_at
    return (
        beat.suspect_since is None and -clock_trust.BACKWARDS <= silence <= clock_trust.LONGEST_DOWN
    )


def _is_found_right(this: Tick) -> bool:
    """Whether the newest tick was believed, and is of this time."""
    beat = heartbeat.heartbeat()
    return (
        beat is not None
        and beat.suspect_since is None
        and abs(this.now - beat.ticked_at) <= clock_trust.JUMP
    )
