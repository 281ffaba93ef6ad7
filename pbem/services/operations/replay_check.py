"""Rehearsal of an upgrade: every match replayed under these rules, compared with what was kept.

A rehearsal is a row that is gone on with in slices, by `pbem replay-check` until its end or by a
worker that finds a wish; whoever finds that somebody else was faster leaves it alone. What is told
of a fault names match and entry, never an order: that may be hidden.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib import metadata
from typing import Any, Literal, NamedTuple

import msgspec
from peewee import fn

from engine.core import GameError
from engine.registry import GAMES
from pbem.db import models
from pbem.db.reading import changed, column, every, first, value
from pbem.db.store import writing
from pbem.errors import Stale
from pbem.services.match import match_log
from pbem.services.match.move_rows import Snapshot, newest_snapshot
from pbem.services.records import audit_log
from pbem.services.records.audit_log import COMMAND_LINE
from pbem.services.records.match_rows import LIVE, OVER, MatchRecord, get_match
from pbem.services.time import stalled_turns

AT_ONCE = 20
"""Matches between two looks at the watch."""
PATIENCE = 5.0
"""Seconds that a worker gives to it at a time."""
MOST_FOUND = 50
SUBJECT = "all matches"

What = Literal["rules", "refused", "differs", "changed", "broken", "idle"]


class Fault(NamedTuple):
    """The first entry at which a match is not what it was."""

    match: str
    entry: int
    what: What

    def __str__(self) -> str:
        return f"match {self.match}: {_FAULTS[self.what].format(entry=self.entry)}"


_FAULTS: dict[What, str] = {
    "rules": "it follows older rules, and stands otherwise under these after entry {entry}",
    "refused": "entry {entry} is not allowed by these rules",
    "differs": "the position after entry {entry} differs",
    "changed": "entry {entry} does not match its hash; someone has changed the log",
    "broken": "the rules crash at entry {entry}",
    "idle": "after entry {entry} its turn is waiting for nothing",
}


class Rehearsal(NamedTuple):
    id: int
    asked_at: int
    asked_by: str
    ended_at: int | None
    version: str
    upto: str
    total: int
    matches: int
    entries: int
    faults: int
    found: tuple[Fault, ...]


_rows = models.Rehearsal
_decode = msgspec.json.Decoder(tuple[Fault, ...]).decode


def _rehearsal(found: str, **columns: Any) -> Rehearsal:
    return Rehearsal(**columns, found=_decode(found))


def newest(most: int) -> list[Rehearsal]:
    return every(_rows.select().order_by(_rows.id.desc()).limit(most), _rehearsal)


def get(number: int) -> Rehearsal:
    found = first(_rows.select().where(_rows.id == number), _rehearsal)
    assert found is not None, "rehearsals are never removed"
    return found


def version() -> str:
    """Of this program and of the rules that it knows."""
    rules = ", ".join(f"{name} {game.rules_version}" for name, game in sorted(GAMES.items()))
    return f"pbem {metadata.version('pbem')}; {rules}"[:200]


# --- asking for one -------------------------------------------------------------------------------


def wish(actor: str, now: int) -> int:
    """Ask the worker for one; there is one at a time."""
    with writing():
        if wished() is not None:
            raise Stale("a replay check is already running")
        number = begin(actor, now)
        audit_log.record(actor, "rehearse", SUBJECT, "", "", {"rehearsal": number}, now)
        return number


def wished() -> int | None:
    """The oldest one that a worker should go on with."""
    oldest: int | None = value(
        _rows.select(fn.MIN(_rows.id)).where(
            _rows.ended_at.is_null(), _rows.asked_by != COMMAND_LINE
        )
    )
    return oldest


def begin(actor: str, now: int) -> int:
    new = _rows.insert(asked_at=now, asked_by=actor, version=version(), total=_total())
    return int(new.execute())


_has_log = models.Match.status.in_([LIVE, OVER])


def _total() -> int:
    return int(value(models.Match.select(fn.COUNT(models.Match.id)).where(_has_log)))


# --- going on -------------------------------------------------------------------------------------


def work_on_wishes(now: Callable[[], int]) -> None:
    """What a worker does now and then: one slice of the oldest wish."""
    number = wished()
    if number is not None:
        go_on(number, now)


def go_on(
    number: int,
    now: Callable[[], int],
    patience: float = PATIENCE,
    stopwatch: Callable[[], float] = time.monotonic,
) -> Rehearsal:
    """Replay matches until all are, or for so many seconds; how far it has come."""
    begun = stopwatch()
    _start_over_if_outdated(number)
    while True:
        before = get(number)
        if before.ended_at is not None or not _slice(before, now):
            return get(number)
        if stopwatch() - begun >= patience:
            return get(number)


def _start_over_if_outdated(number: int) -> None:
    """Half of it under one version and half under another would say nothing."""
    nothing = {"upto": "", "matches": 0, "entries": 0, "faults": 0, "found": "[]"}
    _rows.update(version=version(), total=_total(), **nothing).where(
        _rows.id == number, _rows.ended_at.is_null(), _rows.version != version()
    ).execute()


def _slice(before: Rehearsal, now: Callable[[], int]) -> bool:
    """A handful of matches; False when somebody else was faster."""
    match = models.Match
    further = match.select(match.id).where(match.id > before.upto, _has_log)
    found = column(further.order_by(match.id).limit(AT_ONCE))
    done = [replayed(get_match(each)) for each in found]
    faults = [one.fault for one in done if one.fault is not None]
    kept = [*before.found, *faults][:MOST_FOUND]
    moved = _rows.update(
        upto=found[-1] if found else before.upto,
        matches=_rows.matches + len(found),
        entries=_rows.entries + sum(one.entries for one in done),
        faults=_rows.faults + len(faults),
        found=msgspec.json.encode(kept).decode(),
        ended_at=now() if len(found) < AT_ONCE else None,
    ).where(
        _rows.id == before.id,
        _rows.upto == before.upto,
        _rows.version == before.version,
        _rows.ended_at.is_null(),
    )
    return changed(moved) == 1


class Replayed(NamedTuple):
    entries: int
    fault: Fault | None


def replayed(match: MatchRecord) -> Replayed:
    """A match from its log, compared with its newest snapshot; and whether it can go on.

    One that is over stays as it was when the rules have changed: only its chain is looked at.
    """
    found = _replayed(match)
    is_other = found.fault is not None and found.fault.what in ("refused", "differs", "broken")
    if is_other and found.fault is not None and match.is_outdated:
        fault = found.fault._replace(what="rules") if match.status == LIVE else None
        return found._replace(fault=fault)
    return found


def is_same(match: MatchRecord) -> bool:
    """Whether a match stands under these rules where it stood under those it was played by."""
    fault = _replayed(match).fault
    return fault is None or fault.what == "idle"


def _replayed(match: MatchRecord) -> Replayed:
    done = 0
    try:
        for what in _steps(match):
            if what is not None:
                return Replayed(done, Fault(match.id, done, what))
            done += 1
    except GameError:
        return Replayed(done, Fault(match.id, done, "refused"))
    except Exception:  # whatever the rules do with one match, the others are replayed too
        return Replayed(done, Fault(match.id, done, "broken"))
    is_idle = match.status == LIVE and stalled_turns.is_idle(match.id)
    return Replayed(done, Fault(match.id, match.head_seq, "idle") if is_idle else None)


def _steps(match: MatchRecord) -> Iterator[What | None]:
    """For each entry nothing, or what is wrong there."""
    kept, previous = newest_snapshot(match.id), ""
    for entry, state in match_log.replayed_states(match):
        if kept is not None and kept.seq == entry.seq and not _same(match, state, kept):
            yield "differs"
        yield None if match_log.is_linked(match, previous, entry) else "changed"
        previous = entry.hash


def _same(match: MatchRecord, state: object, kept: Snapshot) -> bool:
    """Whether a state is the kept one, in whatever words that tells what happened."""
    try:
        read = match_log.kept_state(match, kept)
    except Exception:  # whatever a game does with what it has not written itself
        return False
    return bool(match.game.essence(state) == match.game.essence(read))
