"""Reminders: one letter to a player that gathers all matches that wait for him."""

from __future__ import annotations

from collections.abc import Sequence

from pbem import deadlines
from pbem.db.models import Entry, Match, MatchSeat
from pbem.services.records import letter_queue
from pbem.services.records.match_rows import LIVE, TurnRecord
from pbem.services.records.player_rows import PlayerRecord, find_player
from pbem.services.time import alarms, clocks


def remind(player: PlayerRecord, reasons: Sequence[TurnRecord], now: int) -> None:
    """Owe one letter because of these turns; it will tell of whatever else waits.

    Its key names the deadline, so that a moved one is reminded of anew and no other twice.
    """
    first = min(reasons, key=lambda turn: (turn.deadline_at, turn.id))
    key = f"{first.id}:{first.deadline_at}:{now}"
    turns = [turn.id for turn in reasons]
    letter = letter_queue.to_player(
        player.id, player.epoch, "reminder", key, turns=turns, digest=False
    )
    letter_queue.queue([letter], now)


def is_away(player: int, now: int) -> bool:
    return any(span.start <= now < span.end for span in clocks.absences_of(player))


def arm_digest(player_id: int, now: int) -> None:
    """Set the alarm for a player's daily letter, or none if there is to be none."""
    player = find_player(player_id)
    if player is None or player.digest_hour is None or not player.reminders:
        alarms.disarm(alarms.DIGEST, player_id)
        return
    at = deadlines.next_hour(now, player.digest_hour, player.zone)
    alarms.arm(alarms.DIGEST, player_id, at)


def digest(player_id: int, now: int) -> None:
    """The daily letter, when something waits; then the alarm for the next."""
    player = find_player(player_id)
    if player is not None and player.digest_hour is not None and player.reminders:
        turns = [] if is_away(player.id, now) else clocks.running_turns(player.id)
        if turns or _has_news(player.id, now):
            letter = letter_queue.to_player(
                player.id,
                player.epoch,
                "reminder",
                f"digest:{now}",
                turns=[turn.id for turn in turns],
                digest=True,
            )
            letter_queue.queue([letter], now)
    arm_digest(player_id, now)


def _has_news(player: int, now: int) -> bool:
    """Whether anything happened since yesterday in the matches of a player."""
    played = MatchSeat.select(MatchSeat.match).join(Match)
    played = played.where(MatchSeat.player == player, Match.status == LIVE)
    news = Entry.select().where(Entry.match.in_(played), Entry.at > now - deadlines.DAY)
    return bool(news.exists())
