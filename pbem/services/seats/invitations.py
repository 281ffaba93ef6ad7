"""Invitations: the letter that asks somebody to take a seat."""

from __future__ import annotations

from pbem.services.players import bans, blocks, limits
from pbem.services.records import letter_queue
from pbem.services.records.match_rows import MatchRecord, SeatRecord
from pbem.services.records.player_rows import get_player


def queue(match: MatchRecord, seat: SeatRecord, player: int, now: int) -> None:
    """A letter about a seat; later for who has had enough of them today, and found till then.

    None to who has blocked the host; it looks as if nobody answered.
    """
    if bans.is_kept_out(player) or blocks.has_blocked(player, match.creator):
        return
    reader = get_player(player)
    act = "invite" if reader.confirmed_at is None else "invite_player"
    at = limits.place(act, reader.address, now)
    if at is None:
        return
    later = f"{letter_queue.PUT_OFF}{match.id}/{seat.number}/{player}"
    letter = letter_queue.QueuedLetter(
        kind="invitation",
        player=player,
        key=f"invitation:{match.id}:{seat.number}:{player}:{seat.epoch}:{reader.epoch}",
        stream=f"player/{player}" if at == now else later,
        epoch=seat.epoch,
        match=match.id,
        seat=seat.number,
    )
    letter_queue.queue([letter], now, at)
