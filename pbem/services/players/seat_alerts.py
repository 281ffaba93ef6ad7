"""Letters to players who want to hear of free seats: for each game they chose, at most one a day.

What is free is looked up when the letter is written, so one letter tells of all.
"""

from __future__ import annotations

from collections.abc import Collection

from pbem.db.models import Outbox, Player, SeatAlert
from pbem.db.reading import column, value
from pbem.db.store import writing
from pbem.deadlines import DAY
from pbem.services.players import blocks
from pbem.services.records import letter_queue
from pbem.services.records.match_rows import FORMING, OPEN, PRIVATE, MatchRecord
from pbem.services.records.player_rows import get_player

LETTER = "seat_alert"
MOST_TOLD = 500
"""Players who are written to about one match."""


def games_of(player: int) -> set[str]:
    """The games whose free seats a player wants to hear of."""
    return set(column(SeatAlert.select(SeatAlert.game).where(SeatAlert.player == player)))


def choose(player: int, games: Collection[str]) -> None:
    """These games and no others; none stops the letters."""
    with writing():
        SeatAlert.delete().where(SeatAlert.player == player).execute()
        for game in sorted(set(games)):
            SeatAlert.insert(player=player, game=game).execute()


def tell(match: MatchRecord, now: int) -> None:
    """A match waits for players: owe the letters of today, or of tomorrow to who has had one."""
    if match.visibility == PRIVATE:
        return
    if match.status != FORMING or not any(seat.status == OPEN for seat in match.seats):
        return
    seated = [seat.player for seat in match.seats if seat.player is not None]
    for player in _interested(match, seated):
        host = match.creator
        if not (blocks.has_blocked(player, host) or blocks.any_has_blocked(seated, player)):
            _queue(player, now)


def _interested(match: MatchRecord, seated: list[int]) -> list[int]:
    found = (
        SeatAlert.select(SeatAlert.player)
        .distinct()
        .join(Player, on=SeatAlert.player == Player.id)
        .where(
            SeatAlert.game == match.game_name,
            Player.confirmed_at.is_null(False),
            Player.banned_at.is_null(),
            SeatAlert.player.not_in(seated),
        )
    )
    return column(found.order_by(SeatAlert.player).limit(MOST_TOLD))


def _queue(player: int, now: int) -> None:
    day, epoch = now // DAY, get_player(player).epoch
    letter = letter_queue.to_player(player, epoch, LETTER, str(day))
    known = value(Outbox.select(Outbox.state).where(Outbox.dedupe == letter.key))
    if known in (None, letter_queue.QUEUED, letter_queue.LEASED):
        letter_queue.queue([letter], now)
        return
    tomorrow = letter_queue.to_player(player, epoch, LETTER, str(day + 1))
    later = f"{letter_queue.PUT_OFF}{LETTER}/{player}"
    letter_queue.queue([tomorrow._replace(stream=later)], now, (day + 1) * DAY)
