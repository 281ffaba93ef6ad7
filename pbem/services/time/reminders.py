"""Reminders: one letter to a player that gathers all matches that wait for him.

Who wants one letter a day gets all news in it, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem import deadlines
from pbem.db.models import Entry, Match, MatchSeat, Outbox
from pbem.db.reading import first
from pbem.services.records import letter_queue
from pbem.services.records.match_rows import LIVE, TurnRecord
from pbem.services.records.player_rows import PlayerRecord, find_player
from pbem.services.time import alarms, clocks

DAILY_KIND = "reminder"
LONGEST_LOOK = 3 * deadlines.DAY
"""How far back a daily letter looks after days without one."""


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
        before = _daily_before(player.id, now)
        gathered = player.news and _is_gathered(player.id, before)
        if turns or gathered or (player.news and _has_news(player.id, before)):
            letter = letter_queue.to_player(
                player.id,
                player.epoch,
                "reminder",
                f"digest:{now}",
                turns=[turn.id for turn in turns],
                digest=True,
                since=before.at,
                after=before.letter,
                gathered=gathered,
            )
            letter_queue.queue([letter], now)
    arm_digest(player_id, now)


class _Daily(NamedTuple):
    """The daily letter before: which one, and what it has told."""

    letter: int
    at: int


def _daily_before(player: int, now: int) -> _Daily:
    """As it is found; as if it had been yesterday, where there is none."""
    found = first(
        Outbox.select(Outbox.id.alias("letter"), Outbox.created_at.alias("at"))
        .where(
            Outbox.player == player,
            Outbox.kind == DAILY_KIND,
            Outbox.dedupe.startswith(f"{DAILY_KIND}:{player}:digest:"),
        )
        .order_by(Outbox.id.desc()),
        _Daily,
    )
    if found is None:
        return _Daily(0, now - deadlines.DAY)
    return found._replace(at=max(found.at, now - LONGEST_LOOK))


def _is_gathered(player: int, before: _Daily) -> bool:
    """Whether letters since then are to be a part of the daily one."""
    gathered = Outbox.select().where(
        Outbox.player == player,
        Outbox.id > before.letter,
        Outbox.state == letter_queue.SUPERSEDED,
        Outbox.last_error == letter_queue.GATHERED,
    )
    return bool(gathered.exists())


def _has_news(player: int, before: _Daily) -> bool:
    """Whether anything happened since then in the matches of a player."""
    played = MatchSeat.select(MatchSeat.match).join(Match)
    played = played.where(MatchSeat.player == player, Match.status == LIVE)
    news = Entry.select().where(Entry.match.in_(played), Entry.at > before.at)
    return bool(news.exists())
