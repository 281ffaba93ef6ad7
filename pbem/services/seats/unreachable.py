"""Who cannot be reached: marked when mail servers refuse letters again, until one takes a letter.

The mark stands at the player, so it goes for all of his seats. Others are told that it is so, never
why and never an address; moderators hear of it once a day at most. What is asked of somebody who
can be reached again, and was never told, begins anew: with a letter and with all of its time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pbem.db.store import execute, row, rows
from pbem.deadlines import DAY
from pbem.services.players import staff_alerts
from pbem.services.records import letter_queue
from pbem.services.records.match_rows import (
    FORMING,
    JOINED,
    LIVE,
    MatchRecord,
    SeatRecord,
    TurnRecord,
    get_match,
    open_turns,
)
from pbem.services.records.player_rows import find_player
from pbem.services.time import clocks

REFUSALS = 2
"""So often a letter is refused for good before its reader is marked: the first may be a mistake."""
MOST_ASKED = 3
"""Letters about one turn: servers that take others, and none of these, do not like what it says."""
PATIENCE = 3 * DAY
"""From the mark to the question to the others how to go on."""


def since(player: int | None) -> int | None:
    """Since when a player cannot be reached; None while letters arrive."""
    found = row("SELECT unreachable_since FROM player WHERE id = ?", player)
    return found[0] if found else None


def among(match: MatchRecord) -> set[int]:
    """The numbers of the seats of a match whose players cannot be reached."""
    found = rows(
        "SELECT s.number FROM seat s JOIN player p ON p.id = s.player_id"
        " WHERE s.match_id = ? AND p.unreachable_since IS NOT NULL",
        match.id,
    )
    return {number for (number,) in found}


# --- the mark ------------------------------------------------------------------------------------


_IS_REFUSED = (
    f"(o.refusals >= {REFUSALS} OR EXISTS (SELECT 1 FROM outbox s WHERE s.state = 'sent'"
    " AND s.next_at >= o.created_at AND s.player_id <> o.player_id))"
)
"""For good by a mail server; or given up, while our own one has taken letters to others."""
_IS_UNTOLD = (
    "EXISTS (SELECT 1 FROM outbox d JOIN turn t ON t.id = d.turn AND t.closed_seq IS NULL"
    " WHERE d.player_id = p.id AND d.state = 'dead' AND d.kind = 'turn')"
)
"""Whether a letter about an open turn was given up."""


def note_refused(letters: Sequence[int], now: int) -> None:
    """These letters were refused again, or given up: who should have read them is marked."""
    for player in _players_of(letters, f"p.unreachable_since IS NULL AND {_IS_REFUSED}"):
        marked = execute(
            "UPDATE player SET unreachable_since = ? WHERE id = ? AND unreachable_since IS NULL",
            now,
            player,
        )
        if marked:
            _tell_of(player, now)


def note_taken(letters: Sequence[int], now: int) -> None:
    """A mail server has taken these letters."""
    for player in _players_of(letters, f"(p.unreachable_since IS NOT NULL OR {_IS_UNTOLD})"):
        reached(player, now)
        _ask_anew(player, now)


def _players_of(letters: Sequence[int], which: str) -> list[int]:
    """Whose letters these are, of those players of whom something is true."""
    if not letters:
        return []
    marks = ", ".join(["?"] * len(letters))
    found = rows(
        "SELECT DISTINCT p.id FROM outbox o JOIN player p ON p.id = o.player_id"
        f" WHERE o.id IN ({marks}) AND {which} ORDER BY p.id",
        *letters,
    )
    return [player for (player,) in found]


def reached(player: int | None, now: int) -> None:
    """A letter was taken, or the player came by a link or confirmed an address: the mark goes."""
    cleared = execute(
        "UPDATE player SET unreachable_since = NULL WHERE id = ? AND unreachable_since IS NOT NULL",
        player,
    )
    if not cleared or player is None:
        return
    execute(
        "UPDATE outbox SET next_at = ? WHERE player_id = ? AND state = 'queued' AND refusals > 0",
        now,
        player,
    )
    _ask_anew(player, now)
    for held in _held(player):
        if held.match.status == LIVE:
            letter_queue.queue(_to_others(held, "reachable"), now)


def _ask_anew(player: int, now: int) -> None:
    """Turns that a player was never told of begin anew; in a pause, with all of their time."""
    for turn in _begun_turns(player):
        if not _was_told(player, turn):
            clocks.time_anew(turn, now)
            _ask_again(turn, now)


def _begun_turns(player: int) -> list[TurnRecord]:
    """The open turns of a player whose clocks have started, though a pause may stop them."""
    return [
        turn
        for held in _held(player)
        for turn in open_turns(held.match.id)
        if turn.seat == held.seat.number
        and turn.started_at is not None
        and held.match.status == LIVE
    ]


def _was_told(player: int, turn: TurnRecord) -> bool:
    """Whether a letter about a turn was taken, or still waits to be, or was given up too often."""
    found = row(
        "SELECT COUNT(*), SUM(CASE WHEN state IN ('queued', 'leased', 'sent') THEN 1 ELSE 0 END)"
        " FROM outbox WHERE match_id = ? AND turn = ? AND player_id = ?",
        turn.match,
        turn.id,
        player,
    )
    return found is not None and (found[0] >= MOST_ASKED or bool(found[1]))


def _ask_again(turn: TurnRecord, now: int) -> None:
    match = get_match(turn.match)
    about = {"from": turn.opened_seq, "seq": match.head_seq}
    key = f"{turn.id}:again:{now}"
    letter_queue.queue(
        [letter_queue.to_seat(match, match.seat(turn.seat), "turn", key, turn.id, **about)], now
    )


# --- telling -------------------------------------------------------------------------------------


class _Held(NamedTuple):
    """A seat of a player."""

    match: MatchRecord
    seat: SeatRecord


def _held(player: int) -> Iterator[_Held]:
    found = rows(
        "SELECT s.match_id, s.number FROM seat s JOIN match m ON m.id = s.match_id"
        " WHERE s.player_id = ? AND m.status IN (?, ?) ORDER BY s.id",
        player,
        LIVE,
        FORMING,
    )
    for match_id, number in found:
        match = get_match(match_id)
        yield _Held(match, match.seat(number))


def _tell_of(player: int, now: int) -> None:
    seats = list(_held(player))
    for held in seats:
        what = "unreachable" if held.match.status == LIVE else "not_invited"
        letter_queue.queue(_to_others(held, what), now)
    if any(held.match.status == LIVE for held in seats):
        staff_alerts.tell_of_unreachable(now)


def _to_others(held: _Held, what: str) -> list[letter_queue.QueuedLetter]:
    """Once in a turn, however often it changes."""
    match, seat = held
    asked = [turn.id for turn in open_turns(match.id)]
    key = f"{what}:{seat.number}:{seat.player}:{max(asked, default=0)}"
    return [
        letter_queue.to_seat(match, other, "away", key, by=seat.number, what=what)
        for other in match.seats
        if other.status == JOINED and other.player not in (None, seat.player)
    ]


def is_so(what: str, player: int | None) -> bool:
    """Whether what was to be told of a player still is so."""
    found = find_player(player) if player is not None else None
    return found is not None and (since(found.id) is None) == (what == "reachable")
