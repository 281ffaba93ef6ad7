"""Guests: they play the computer at once, without an address, and may leave one to go on by mail.

A guest is no row of the table of players but a seat with a status of its own. So nothing can be
written to a guest, nothing is known of one, and no clock runs; who has the link has the seat. What
a guest deserts ends by itself.
"""

from __future__ import annotations

import logging
import secrets
from typing import Any, NamedTuple

from peewee import fn

from engine.abilities import StandIns
from engine.core import Json, Seat
from engine.registry import GAMES
from pbem.db.models import Entry, Match, MatchSeat
from pbem.db.reading import column
from pbem.db.store import writing
from pbem.deadlines import DAY, MINUTE, Clock
from pbem.errors import Refused, Stale, TooOften, whereabouts
from pbem.services.match import matches
from pbem.services.match.joining import Joining
from pbem.services.match.matches import Wanted
from pbem.services.players import accounts, bans, limits
from pbem.services.players.limits import Asker
from pbem.services.records import epochs, letter_queue
from pbem.services.records.letter_queue import QueuedLetter
from pbem.services.records.match_rows import (
    GUEST,
    JOINED,
    LIVE,
    MatchRecord,
    SeatRecord,
    TurnRecord,
    find_match,
    get_match,
    lock_match,
    open_turns,
)
from pbem.services.seats import unreachable

log = logging.getLogger(__name__)

PATIENCE = 7 * DAY
"""After the last order, before a match of a guest is called off."""
KEPT = Clock(per_move=PATIENCE, policy="default")
"""Of a match that is kept: the computer claims no win."""
MOST_AT_ONCE = 2_000
"""Matches of guests that go on; each may keep the computer thinking."""
AGAIN = 30 * MINUTE


class Trial(NamedTuple):
    """What somebody wants to try: a game, a side (empty: any), and how strong the computer is."""

    game: str
    setup: dict[str, Json]
    seat: str = ""
    strength: str = ""


def start(trial: Trial, asker: Asker, now: int) -> str:
    """A match against the computer that begins at once; its id."""
    if trial.game not in GAMES:
        raise matches.no_game(trial.game)
    seats = _playable(trial)
    own = trial.seat or secrets.choice(seats)
    wanted = Wanted(
        game=trial.game,
        setup=trial.setup,
        pace=KEPT.pace,
        clock=KEPT,
        addresses={},
        machines=frozenset(seat for seat in seats if seat != own),
        guest=own,
        strength=trial.strength,
    )
    with writing():
        limits.ask("try", asker, now)
        if _all_live().count() >= MOST_AT_ONCE:
            raise TooOften(
                "too many people are trying games against the computer; try again in half an hour",
                wait=AGAIN,
            )
        return matches.create(wanted, now)


def _playable(trial: Trial) -> tuple[Seat, ...]:
    game = GAMES[trial.game]
    if not isinstance(game, StandIns):
        raise Refused("the computer cannot play this game; every seat needs a person")
    deciding = {choice.name for choice in game.seatings()}
    seats = game.seats({name: value for name, value in trial.setup.items() if name in deciding})
    if trial.seat and trial.seat not in seats:
        raise matches.no_seat(trial.seat, seats)
    return seats


def seat_of(match: MatchRecord) -> SeatRecord | None:
    """The seat of the guest; None where there is none, or none any more."""
    return next((seat for seat in match.seats if seat.status == GUEST), None)


def open_turn(match: MatchRecord) -> TurnRecord | None:
    """The turn in which the match waits for its guest; None while the computer thinks."""
    seat = seat_of(match)
    if seat is None or match.status != LIVE:
        return None
    return next((turn for turn in open_turns(match.id) if turn.seat == seat.number), None)


# --- going on by mail -----------------------------------------------------------------------------


def owe_letter(match_id: str, mail: str, language: str, now: int) -> None:
    """A letter by which the owner of an address takes over the seat of a guest."""
    with writing():
        match = find_match(match_id)
        seat = seat_of(match) if match is not None else None
        if match is None or seat is None or match.status != LIVE or bans.is_refused(mail):
            return
        if not limits.may_write("keep", mail, now, match.id):
            return
        player = accounts.known_or_new(mail, now, language)
        letter = QueuedLetter(
            kind="keep_match",
            player=player.id,
            key=f"keep_match:{match.id}:{player.id}:{player.epoch}:{now}",
            stream=f"player/{player.id}",
            epoch=seat.epoch,
            match=match.id,
            seat=seat.number,
        )
        letter_queue.queue([letter], now)


def keep(match_id: str, number: int, player: int, says: Joining, now: int) -> None:
    """The owner of an address goes on with the match of a guest: by mail, like any other.

    Links of the guest die; the draft stays, for it is the same person.
    """
    with writing():
        match = lock_match(match_id)
        if match.status != LIVE or match.seat(number).status != GUEST:
            raise Stale("this match cannot be kept any more")
        bans.check(player)
        accounts.confirm(player, now)
        unreachable.reached(player, now)
        accounts.change(player, name=says.name, language=says.language, zone=says.zone)
        MatchSeat.update(player=player, status=JOINED).where(
            MatchSeat.match == match.id, MatchSeat.number == number
        ).execute()
        epoch = epochs.raise_seat(match.id, number, now)
        _tell_of_turn(get_match(match.id), number, epoch, now)


def _tell_of_turn(match: MatchRecord, number: int, epoch: int, now: int) -> None:
    for turn in open_turns(match.id):
        if turn.seat == number:
            about = {"from": turn.opened_seq, "seq": match.head_seq}
            key = f"{turn.id}:{epoch}"
            letter = letter_queue.to_seat(match, match.seat(number), "turn", key, turn.id, **about)
            letter_queue.queue([letter], now)


# --- the end of what is deserted ------------------------------------------------------------------


def end_deserted(now: int) -> int:
    """Call off the matches in which no guest has played for a week; how many."""
    return sum(_ended(match, now) for match in column(_deserted(now)))


def _ended(match: str, now: int) -> bool:
    """Looked at again while nobody else can write to it; one bad match stops no other."""
    try:
        with writing():
            lock_match(match)
            if not _deserted(now).where(Match.id == match).exists():
                return False
            matches.cancel(match, "", now)
            return True
    except Exception as error:  # whatever is wrong with one match, the others are ended
        log.error("the match %s of a guest cannot be ended: %s", match, whereabouts(error))
        return False


def _deserted(now: int) -> Any:
    return _all_live().where(~fn.EXISTS(_entries_after(now - PATIENCE)))


def _all_live() -> Any:
    return (
        Match.select(Match.id)
        .join(MatchSeat)
        .where(Match.status == LIVE, MatchSeat.status == GUEST)
    )


def _entries_after(at: int) -> Any:
    return Entry.select(Entry.seq).where(Entry.match == Match.id, Entry.at > at)


def ends_at(match: MatchRecord) -> int:
    """When it would be called off if nobody played on."""
    newest = Entry.select(fn.MAX(Entry.at)).where(Entry.match == match.id)
    return int(newest.scalar() or match.created_at) + PATIENCE


def stop_remarks(match_id: str) -> None:
    with writing():
        Match.update(has_remarks=False).where(Match.id == match_id).execute()
