"""Time passing in tests: letters leave without a mail server, ticks follow our own clock."""

from __future__ import annotations

from typing import Any

import msgspec

from pbem.db.store import execute, rows, writing
from pbem.deadlines import Clock
from pbem.services.moderation import merging
from pbem.services.operations.ticking import Ticked, Ticker
from pbem.services.records.match_rows import TurnRecord, find_turn, open_turns
from pbem.services.self_service import address_changes
from pbem.services.self_service.address_changes import WAITS
from pbem.services.time import clocks


def hand_over(now: int) -> None:
    """Every letter that waits is taken by the mail server."""
    with writing():
        letters = [number for (number,) in rows("SELECT id FROM outbox WHERE state = 'queued'")]
        if letters:
            clocks.hold_waiting_matches(letters)
            execute("UPDATE outbox SET state = 'sent', sent_at = ? WHERE state = 'queued'", now)
            clocks.start_of_letters(letters, now)


def long_told(change: int, now: int) -> None:
    """The old address of a change was told three days ago, and has not objected."""
    with writing():
        execute(
            "UPDATE outbox SET state = 'sent', sent_at = ? WHERE dedupe LIKE ?",
            now - WAITS,
            f"account:%:change:{change}",
        )
        execute("UPDATE address_change SET asked_at = ? WHERE id = ?", now - WAITS, change)


def confirm_address(change: int, now: int) -> None:
    """The new address is confirmed when the old one has had its time."""
    long_told(change, now)
    address_changes.confirm(change, now)


def let_merge(gone: int, now: int) -> None:
    """Who goes has had three days, and has not objected."""
    change = address_changes.waiting(gone, now)
    assert change is not None
    assert change.is_merger
    long_told(change.id, now)
    with writing():
        merging.come_into_force(change.id, now)


def agree(match: str, **agreed: Any) -> None:
    """Give a match another clock, before its first letter has left."""
    clock = Clock(**agreed)
    with writing():
        text = msgspec.json.encode(clock).decode()
        execute("UPDATE match SET clock = ? WHERE id = ?", text, match)
        seconds = clock.bank or clock.per_move
        execute(
            "UPDATE turn SET budget = ?, allowed = ? WHERE match_id = ?", seconds, seconds, match
        )


class Days:
    """A worker and its two clocks."""

    def __init__(self, now: int) -> None:
        self.now, self.monotonic, self.ticker = now, 1000.0, Ticker()

    def tick(self) -> Ticked:
        return self.ticker.tick(self.now, self.monotonic)

    def passes(self, seconds: int, step: int = 300) -> list[Ticked]:
        """Time goes by, looked at every few minutes; letters leave as they come."""
        ticked, end = [], self.now + seconds
        while self.now < end:
            gone = min(step, end - self.now)
            self.now, self.monotonic = self.now + gone, self.monotonic + gone
            ticked.append(self.tick())
            hand_over(self.now)
        return ticked

    def leap(self) -> Ticked:
        """All the ticks up to the next alarm; those before it find nothing."""
        ((at,),) = rows("SELECT MIN(at) FROM due")
        gone = max(1, (at or self.now) - self.now)
        self.now, self.monotonic = self.now + gone, self.monotonic + gone
        execute("UPDATE heartbeat SET ticked_at = ?", self.now - 1)
        return self.tick()

    def stands_still(self, seconds: int) -> None:
        """Nobody looks for a while: a server that is down."""
        self.now, self.monotonic = self.now + seconds, self.monotonic + seconds
        self.ticker = Ticker()

    def jumps(self, seconds: int) -> None:
        """Somebody sets the wall clock."""
        self.now += seconds


def open_turn(match: str) -> TurnRecord:
    (turn,) = open_turns(match)
    return turn


def again(turn: TurnRecord) -> TurnRecord:
    found = find_turn(turn.id)
    assert found is not None
    return found


def kinds(after: int = 0) -> list[str]:
    """The kinds of the letters owed, in order."""
    return [kind for (kind,) in rows("SELECT kind FROM outbox WHERE id > ? ORDER BY id", after)]


def newest_letter() -> int:
    ((number,),) = rows("SELECT COALESCE(MAX(id), 0) FROM outbox")
    return int(number)


def armed(kind: str = "turn") -> dict[str, int]:
    return dict(rows("SELECT subject, at FROM due WHERE kind = ?", kind))
