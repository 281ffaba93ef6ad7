"""Who cannot be reached: marked when mail servers refuse letters again, until one takes a letter.

The mark stands at the player, so it goes for all of his seats. Others are told that it is so, never
why and never an address; moderators hear of it once a day at most. What is asked of somebody who
can be reached again, and was never told, begins anew: with a letter and with all of its time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pbem.clock import DAY
from pbem.services import clocks, moderators, notices
from pbem.services.records import (
    FORMING,
    JOINED,
    LIVE,
    MatchRecord,
    SeatRecord,
    TurnRecord,
    find_player,
    get_match,
    open_turns,
)
from pbem.store import execute, row, rows

REFUSALS = 2
"""So often a letter is refused for good before its reader is marked: the first may be a mistake."""
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


def note_refused(letters: Sequence[int], now: int) -> None:
    """These letters were refused again, or given up: who should have read them is marked."""
    for player in _players_of(letters, "p.unreachable_since IS NULL"):
        marked = execute(
            "UPDATE player SET unreachable_since = ? WHERE id = ? AND unreachable_since IS NULL",
            now,
            player,
        )
        if marked:
            _tell_of(player, now)


def note_taken(letters: Sequence[int], now: int) -> None:
    """A mail server has taken these letters."""
    for player in _players_of(letters, "p.unreachable_since IS NOT NULL"):
        reached(player, now)


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
    for turn in clocks.running_turns(player):
        if not _was_told(player, turn):
            clocks.time_anew(turn, now)
            _ask_again(turn, now)
    for held in _held(player):
        if held.match.status == LIVE:
            notices.owe(_to_others(held, "reachable"), now)


def _was_told(player: int, turn: TurnRecord) -> bool:
    """Whether a letter about a turn was taken, or still waits to be."""
    found = row(
        "SELECT 1 FROM outbox WHERE match_id = ? AND turn = ? AND player_id = ?"
        " AND state IN ('queued', 'leased', 'sent')",
        turn.match,
        turn.id,
        player,
    )
    return found is not None


def _ask_again(turn: TurnRecord, now: int) -> None:
    match = get_match(turn.match)
    about = {"from": turn.opened_seq, "seq": match.head_seq}
    key = f"{turn.id}:again:{now}"
    notices.owe([notices.to_seat(match, match.seat(turn.seat), "turn", key, turn.id, **about)], now)


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
        notices.owe(_to_others(held, what), now)
    if any(held.match.status == LIVE for held in seats):
        moderators.tell_of_unreachable(now)


def _to_others(held: _Held, what: str) -> list[notices.Notice]:
    """Once in a turn, however often it changes."""
    match, seat = held
    asked = [turn.id for turn in open_turns(match.id)]
    key = f"{what}:{seat.number}:{seat.player}:{max(asked, default=0)}"
    return [
        notices.to_seat(match, other, "away", key, by=seat.number, what=what)
        for other in match.seats
        if other.status == JOINED and other.player not in (None, seat.player)
    ]


def is_so(what: str, player: int | None) -> bool:
    """Whether what was to be told of a player still is so."""
    found = find_player(player) if player is not None else None
    return found is not None and (since(found.id) is None) == (what == "reachable")
