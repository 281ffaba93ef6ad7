"""Matches that wait for players: withdrawn by their hosts, or lapsed when their time is over.

The alarm of a match says when it lapses; it is armed when the match is made, and shown since.
"""

from __future__ import annotations

from pbem.db.store import writing
from pbem.errors import Refused, Stale
from pbem.services.match import joining
from pbem.services.records import letter_queue
from pbem.services.records.match_rows import FORMING, MatchRecord, find_match, lock_match
from pbem.services.time import alarms

LAPSED, WITHDRAWN = "lapsed", "withdrawn"


def lapses_at(match: MatchRecord) -> int | None:
    """Until when a match waits for players; None once it does not."""
    return alarms.armed_at(alarms.LAPSE, match.id) if match.status == FORMING else None


def withdraw(match_id: str, player: int, now: int) -> None:
    """The host does not want to play it any more; whoever has sat down already is told."""
    with writing():
        match = lock_match(match_id)
        if match.creator != player:
            raise Refused("only its host can withdraw a match")
        if match.status != FORMING:
            raise Stale("the match no longer waits for players, so it cannot be withdrawn")
        _call_off(match, WITHDRAWN, now, but=player)


def lapse(match_id: str, now: int) -> None:
    """The time of a match is over: unless it has begun, it is called off and its people told."""
    with writing():
        alarms.disarm(alarms.LAPSE, match_id)
        if find_match(match_id) is None:
            return
        match = lock_match(match_id)
        if match.status == FORMING:
            _call_off(match, LAPSED, now)


def _call_off(match: MatchRecord, why: str, now: int, but: int | None = None) -> None:
    joining.call_off(match, now)
    told = letter_queue.to_all_seats(match, "cancelled", why, why=why)
    letter_queue.queue([letter for letter in told if letter.player != but], now)
