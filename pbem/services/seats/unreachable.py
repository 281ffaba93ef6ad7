"""Who cannot be reached: marked when mail servers refuse letters again, until one takes a letter.

Whose letters come back, though a mail server had taken them, is marked too: by one that came back
for good, or by three within a week. Then it means nothing that one is taken: the player has to come
by a link, to reply, or to confirm an address.

The mark stands at the player, so it goes for all of his seats. Others are told that it is so, never
why and never an address; moderators hear of it once a day at most. What is asked of somebody who
can be reached again, and was never told, begins anew: with a letter and with all of its time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from peewee import fn

from pbem.db.models import Match, MatchSeat, Outbox, Player
from pbem.db.reading import changed, column, value
from pbem.db.store import execute, hold_free_matches, marks, rows
from pbem.deadlines import DAY, HOUR
from pbem.services.players import staff_alerts
from pbem.services.records import addresses, letter_queue
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
from pbem.services.time import alarms, clocks

REFUSALS = 2
"""So often a letter is refused for good before its reader is marked: the first may be a mistake."""
MOST_ASKED = 3
"""Letters about one turn: servers that take others, and none of these, do not like what it says."""
MOST_SOFT = 3
SOFT_WITHIN = 7 * DAY
"""So many letters may come back in so long, each perhaps for a passing reason: a full mailbox."""
ASK_AFTER = 6 * HOUR
"""From a letter that came back so to the next one about the same turn."""
PATIENCE = 3 * DAY
"""From the mark to the question to the others how to go on."""


def since(player: int | None) -> int | None:
    """Since when a player cannot be reached; None while letters arrive."""
    marked: int | None = value(Player.select(Player.unreachable_since).where(Player.id == player))
    return marked


def among(match: MatchRecord) -> set[int]:
    """The numbers of the seats of a match whose players cannot be reached.

    Every page of a match asks, so the statement is written by hand.
    """
    found = rows(
        "SELECT seat.number FROM seat JOIN player ON player.id = seat.player_id"
        " WHERE seat.match_id = ? AND player.unreachable_since IS NOT NULL",
        match.id,
    )
    return {number for (number,) in found}


# --- the mark ------------------------------------------------------------------------------------


def _is_refused() -> Any:
    """For good by a mail server; or given up, while our own one has taken letters to others."""
    other = Outbox.alias()
    taken = other.select(other.id).where(
        other.state == "sent", other.next_at >= Outbox.created_at, other.player != Outbox.player
    )
    return (Outbox.refusals >= REFUSALS) | fn.EXISTS(taken)


def note_refused(letters: Sequence[int], now: int) -> None:
    """These letters were refused again, or given up: who should have read them is marked."""
    for player in _players_of(letters, Player.unreachable_since.is_null() & _is_refused()):
        marked = Player.update(unreachable_since=now).where(
            Player.id == player, Player.unreachable_since.is_null()
        )
        if changed(marked):
            _tell_of(player, now)


def note_returned(player: int, failure: str, now: int) -> None:
    """A letter has come back: its reader is marked, or a turn is told of once more, later."""
    if failure != "hard" and addresses.came_back(player, now - SOFT_WITHIN) < MOST_SOFT:
        _ask_anew(player, now, ASK_AFTER)
        return
    was_reached = since(player) is None
    Player.update(
        unreachable_since=fn.COALESCE(Player.unreachable_since, now),
        returns_since=fn.COALESCE(Player.returns_since, now),
    ).where(Player.id == player).execute()
    if was_reached:
        _tell_of(player, now)


def note_taken(letters: Sequence[int], now: int) -> None:
    """A mail server has taken these letters: who was marked, or was not told of a turn, is back.

    Not so whose letters come back after they were taken.

    By hand, as every batch of letters asks (`make bench`, row "draining").
    """
    for (player,) in rows(
        "SELECT DISTINCT player.id FROM outbox JOIN player ON player.id = outbox.player_id"
        f" WHERE outbox.id IN ({marks(letters)}) AND player.returns_since IS NULL"
        " AND (player.unreachable_since IS NOT NULL"
        " OR EXISTS (SELECT 1 FROM outbox dead JOIN turn ON turn.id = dead.turn"
        " WHERE dead.player_id = player.id AND dead.state = 'dead' AND dead.kind = 'turn'"
        " AND turn.closed_seq IS NULL)) ORDER BY player.id",
        *letters,
    ):
        reached(player, now)
        _ask_anew(player, now)


def _players_of(letters: Sequence[int], which: Any) -> list[int]:
    """Whose letters these are, of those players of whom something is true."""
    if not letters:
        return []
    found = Outbox.select(Player.id).distinct().join(Player, on=Outbox.player == Player.id)
    return column(found.where(Outbox.id.in_(letters), which).order_by(Player.id))


def reached(player: int | None, now: int) -> None:
    """A letter was taken, or the player came by a link or confirmed an address: the mark goes.

    Or has replied, or said that letters arrive.

    Every move asks, so the first statement is written by hand (`make bench`, row "move").
    """
    cleared = execute(
        "UPDATE player SET unreachable_since = NULL, returns_since = NULL"
        " WHERE id = ? AND unreachable_since IS NOT NULL",
        player,
    )
    if not cleared or player is None:
        return
    Outbox.update(next_at=now).where(
        Outbox.player == player, Outbox.state == "queued", Outbox.refusals > 0
    ).execute()
    _ask_anew(player, now)
    for held in _held(player):
        if held.match.status == LIVE:
            letter_queue.queue(_to_others(held, "reachable"), now)


def _ask_anew(player: int, now: int, after: int = 0) -> None:
    """Turns that a player was never told of begin anew; in a pause, with all of their time.

    Whoever comes here holds a match and the player already, so that no other match can be waited
    for: one that somebody else holds just now has its turn at the next tick.
    """
    untold = [turn for turn in _begun_turns(player) if not _was_told(player, turn)]
    free = hold_free_matches(turn.match for turn in untold)
    for turn in untold:
        if turn.match in free:
            clocks.time_anew(turn, now)
            _ask_again(turn, now, after)
    if any(turn.match not in free for turn in untold):
        alarms.arm(alarms.UNTOLD, player, now)


def ask_untold(player: int, now: int) -> None:
    """What could not be asked anew when the player was reached, because others held the match."""
    alarms.disarm(alarms.UNTOLD, player)
    _ask_anew(player, now)


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
    found = Outbox.select(Outbox.state).where(
        Outbox.match == turn.match, Outbox.turn == turn.id, Outbox.player == player
    )
    states = column(found)
    return len(states) >= MOST_ASKED or not {"queued", "leased", "sent"}.isdisjoint(states)


def _ask_again(turn: TurnRecord, now: int, after: int) -> None:
    match = get_match(turn.match)
    about = {"from": turn.opened_seq, "seq": match.head_seq}
    key = f"{turn.id}:again:{now}"
    letter = letter_queue.to_seat(match, match.seat(turn.seat), "turn", key, turn.id, **about)
    if after:
        letter = letter._replace(stream=f"{letter_queue.PUT_OFF}{letter.stream}")
    letter_queue.queue([letter], now, now + after)


# --- telling -------------------------------------------------------------------------------------


class _Held(NamedTuple):
    """A seat of a player."""

    match: MatchRecord
    seat: SeatRecord


def _held(player: int) -> Iterator[_Held]:
    found = MatchSeat.select(MatchSeat.match).distinct().join(Match)
    found = found.where(MatchSeat.player == player, Match.status.in_([LIVE, FORMING]))
    for match_id in sorted(column(found)):
        match = get_match(match_id)
        yield from [_Held(match, seat) for seat in match.seats if seat.player == player]


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
