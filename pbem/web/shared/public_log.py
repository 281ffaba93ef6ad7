"""What spectators may notice of a match, kept from one page to the next.

Orders that are given in secret are entries too, and any number of them shows nothing. So that
nobody can make public pages slow by them, a process replays each entry once and goes on from there.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any, NamedTuple

from engine.core import Event
from engine.log import Entry
from pbem.services.match import match_log
from pbem.services.records.match_rows import OVER, MatchRecord

MOST_KEPT = 16
"""Matches of which something is kept; those that were not asked for go first."""


class Noticed(NamedTuple):
    """An entry that a spectator can notice, what it told, and the state after it."""

    entry: Entry
    events: tuple[Event, ...]
    state: Any


class _Kept(NamedTuple):
    timeline: int
    last: int
    """The newest entry that was looked at."""
    state: Any
    """After it."""
    seen: Any
    """What a spectator saw last."""
    noticed: tuple[Noticed, ...]


class PublicLogs:
    """The public logs of some matches of one database; a rewind begins one anew."""

    def __init__(self) -> None:
        self._kept, self._lock = OrderedDict[str, _Kept](), Lock()

    def of(self, match: MatchRecord) -> tuple[Noticed, ...]:
        with self._lock:
            kept = self._kept.get(match.id)
        if kept is not None and not _is_before(kept, match):
            kept = None
        kept = _gone_on(match, kept)
        with self._lock:
            self._kept[match.id] = kept
            self._kept.move_to_end(match.id)
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return kept.noticed


def _is_before(kept: _Kept, match: MatchRecord) -> bool:
    return kept.timeline == match.timeline and kept.last <= match.head_seq


def _gone_on(match: MatchRecord, kept: _Kept | None) -> _Kept:
    """What is kept, with the entries that have come since."""
    if kept is None:
        kept = _Kept(match.timeline, -1, None, None, ())
    state, seen, noticed = kept.state, kept.seen, list(kept.noticed)
    for one in match_log.played(match, kept.last, state=state):
        state = one.state
        events = tuple(event for event in one.events if event.heard_by(None))
        view = seen if one.state is None else match.game.view(one.state, None)
        is_open = match.status == OVER and one.state is None  # what is not kept is in its file
        if one.entry.kind == "action" and not events and view == seen and not is_open:
            continue
        seen = view
        noticed.append(Noticed(one.entry, events, one.state))
    return _Kept(match.timeline, match.head_seq, state, seen, tuple(noticed))
