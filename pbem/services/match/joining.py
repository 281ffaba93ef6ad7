"""Seats taken before a match begins: vouched for, invited, accepted, declined; then the deal."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from engine.abilities import StandIns
from engine.log import Entry
from pbem.db.models import Match, MatchSeat
from pbem.db.reading import column
from pbem.db.store import hold_matches, writing
from pbem.errors import Refused, Stale
from pbem.services.match import match_log, turns
from pbem.services.players import accounts, bans, blocks, names, punctuality, seat_alerts
from pbem.services.records import epochs, letter_queue
from pbem.services.records.letter_queue import QueuedLetter
from pbem.services.records.match_rows import (
    ANONYMOUS,
    CANCELLED,
    DECLINED,
    FORMING,
    GUEST,
    INVITED,
    JOINED,
    LIVE,
    MACHINE,
    OPEN,
    MatchRecord,
    SeatRecord,
    get_match,
    lock_match,
)
from pbem.services.records.player_rows import get_player
from pbem.services.seats import invitations, unreachable
from pbem.services.time import alarms


def invite_all(match: MatchRecord, now: int) -> None:
    """One letter to everybody who was asked to sit down, but for who asks."""
    asked: set[int | None] = {None, match.creator}
    for seat in match.seats:
        if seat.status == INVITED and seat.player is not None and seat.player not in asked:
            asked.add(seat.player)
            invitations.queue(match, seat, seat.player, now)


def confirmed(player: int, now: int, match: str | None = None) -> list[str]:
    """An address is confirmed and vouches for a match, or for all it has started; their ids."""
    with writing():
        bans.check(player)
        forming = Match.select(Match.id).where(Match.creator == player, Match.status == FORMING)
        vouched = [found for found in column(forming) if match in (None, found)]
        hold_matches(vouched)
        accounts.confirm(player, now)
        unreachable.reached(player, now)
        for found in vouched:
            MatchSeat.update(status=JOINED).where(
                MatchSeat.match == found, MatchSeat.player == player
            ).execute()
            invite_all(get_match(found), now)
            seat_alerts.tell(get_match(found), now)
            start_if_full(found, now)
        return vouched


def is_vouched_for(match: MatchRecord) -> bool:
    """Whether whoever started the match has said so by letter; an operator need not."""
    sits = [seat for seat in match.seats if seat.player == match.creator and seat.status == JOINED]
    return match.creator is None or bool(sits)


def ask_to_join(match_id: str, mail: str, language: str, now: int) -> None:
    """Somebody wants an open seat: a letter to the address, which confirms it."""
    with writing():
        match = lock_match(match_id)
        seat = next((seat for seat in match.seats if seat.status == OPEN), None)
        if match.status != FORMING or seat is None:
            raise Stale("this match has no free seat any more")
        player = accounts.known_or_new(mail, now, language)
        if not is_welcome(match, player.id, now):
            raise Stale("this match has no free seat any more")
        if _has_other_seat(match, player.id):
            raise Refused("this address already has a seat in this match")
        invitations.queue(match, seat, player.id, now)


def is_welcome(match: MatchRecord, player: int, now: int) -> bool:
    """Whether somebody may take a seat that is open to everybody.

    Not whom one of those who wait there has blocked, nor whoever is too often late for the host.
    """
    people = {seat.player for seat in match.seats if seat.status == JOINED} | {match.creator}
    if blocks.any_has_blocked([one for one in people if one is not None], player):
        return False
    return not match.reliable_only or punctuality.is_reliable(player, now)


class Joining(NamedTuple):
    """What a person says when accepting a seat."""

    name: str
    language: str
    zone: str
    phrase: str


def accept(match_id: str, number: int, player: int, joining: Joining, now: int) -> None:
    """Take the seat of an invitation; the last one to sit down starts the match."""
    with writing():
        match = lock_match(match_id)
        seat = match.seat(number)
        if match.status != FORMING or not _may_sit(seat, player):
            raise Stale("this seat is no longer free")
        if seat.status == OPEN and not is_welcome(match, player, now):
            raise Stale("this seat is no longer free")
        taken = answered_with(match, seat)
        if _has_other_seat(match, player, taken):
            raise Refused("this address already has a seat in this match")
        bans.check(player)
        accounts.confirm(player, now)
        unreachable.reached(player, now)
        accounts.change(player, name=joining.name, language=joining.language, zone=joining.zone)
        names.check_apart(match_id, player, get_player(player).name)
        for one in taken:
            _sit_down(match, one, player, joining.phrase)
        start_if_full(match_id, now)
        _ask_about_computer(match_id, number, now)


def _ask_about_computer(match_id: str, number: int, now: int) -> None:
    """Who sits down where the host has offered free seats to the computer is asked, too."""
    match = get_match(match_id)
    hosts = [seat for seat in match.seats if seat.player == match.creator]
    is_offered = any(seat.status == JOINED and seat.machine_wanted for seat in hosts)
    if match.status == FORMING and is_offered and any(s.status == OPEN for s in match.seats):
        asked = letter_queue.to_seat(match, match.seat(number), "computer", str(now))
        letter_queue.queue([asked], now)


def answered_with(match: MatchRecord, seat: SeatRecord) -> list[SeatRecord]:
    """The seats that one answer is for.

    Who has played several is invited to as many in a rematch, and says yes or no once.
    """
    if match.rematch_of is None or seat.status != INVITED:
        return [seat]
    return [one for one in match.seats if (one.player, one.status) == (seat.player, INVITED)]


def _has_other_seat(match: MatchRecord, player: int, but: Sequence[SeatRecord] = ()) -> bool:
    """Whether a player sits in a match, or is asked to, elsewhere than on some seats."""
    return any(
        seat.player == player and seat.status != DECLINED and seat not in but
        for seat in match.seats
    )


def _may_sit(seat: SeatRecord, player: int) -> bool:
    return seat.status == OPEN or (seat.status == INVITED and seat.player == player)


def _sit_down(match: MatchRecord, seat: SeatRecord, player: int, phrase: str) -> None:
    added = phrase_added(match, phrase)
    _change_seat(match, seat.number, player=player, status=JOINED, phrase=added)


def phrase_added(match: MatchRecord, typed: str) -> str:
    """What a player adds to the shuffle, as everybody may read it in the file of the match.

    Where nobody is to know who plays, it is the fingerprint of what was typed.
    """
    phrase = accounts.checked_phrase(typed)
    if not phrase or match.visibility != ANONYMOUS:
        return phrase
    return sha256(phrase.encode()).hexdigest()


def _change_seat(match: MatchRecord, number: int, **columns: Any) -> None:
    seat = (MatchSeat.match == match.id) & (MatchSeat.number == number)
    MatchSeat.update(**columns).where(seat).execute()


def decline(match_id: str, number: int, player: int, now: int) -> None:
    """Refuse an invitation, of which whoever sits there is told.

    A match of two is off by it. In one of many the seat is free, and whoever has begun the match
    may ask somebody else.
    """
    with writing():
        match = lock_match(match_id)
        seat = match.seat(number)
        if match.status != FORMING or not _may_sit(seat, player):
            raise Stale("this seat is no longer free")
        if seat.status == OPEN:
            return
        for one in answered_with(match, seat):
            _change_seat(match, one.number, status=DECLINED)
        if len(match.seats) == 2 or match.creator is None:
            call_off(match, now)
        key = f"declined:{number}:{player}:{seat.epoch}"
        letter_queue.queue(letter_queue.to_all_seats(match, "declined", key, by=number), now)


def call_off(match: MatchRecord, now: int) -> None:
    """The match is not played, or not played on."""
    alarms.disarm(alarms.LAPSE, match.id)
    off = Match.update(status=CANCELLED, ended_at=now, listed=False)
    off.where(Match.id == match.id).execute()


# --- seats that nobody has taken -----------------------------------------------------------------

FREE = (OPEN, INVITED, DECLINED)


def invite_instead(match_id: str, number: int, player: int, now: int) -> None:
    """Somebody else is asked to take a seat; who was asked before cannot take it any more."""
    with writing():
        match = _put(match_id, number, player, INVITED, now)
        invitations.queue(match, match.seat(number), player, now)


def open_to_all(match_id: str, number: int, now: int) -> None:
    """Anybody may take the seat."""
    with writing():
        _put(match_id, number, None, OPEN, now)


def leave_to_machine(match_id: str, number: int, now: int) -> None:
    """The stand-in player of the game plays the seat; if it was the last one, the match begins."""
    with writing():
        if not isinstance(get_match(match_id).game, StandIns):
            raise Refused("the computer cannot play this game; every seat needs a person")
        _put(match_id, number, None, MACHINE, now)
        start_if_full(match_id, now)


def _put(match_id: str, number: int, player: int | None, status: str, now: int) -> MatchRecord:
    match = lock_match(match_id)
    if match.status != FORMING or match.seat(number).status not in FREE:
        raise Stale("this seat is no longer free")
    _change_seat(match, number, player=player, status=status, phrase="")
    epochs.raise_seat(match_id, number, now)
    match = get_match(match_id)
    is_listed = any(seat.status == OPEN for seat in match.seats)
    Match.update(listed=is_listed).where(Match.id == match_id).execute()
    return match


# --- the deal ------------------------------------------------------------------------------------


def start_if_full(match_id: str, now: int) -> None:
    """Deal if every seat has somebody who plays it; runs in the caller's transaction."""
    match = get_match(match_id)
    if all(seat.status in (JOINED, MACHINE, GUEST) for seat in match.seats):
        _start(match, now)


def _draw_sides(match: MatchRecord) -> MatchRecord:
    """Who plays what, with the phrase of each; no die has fallen yet."""
    people = [(seat.player, seat.phrase, seat.status) for seat in match.seats]
    secrets.SystemRandom().shuffle(people)
    for seat, (player, phrase, status) in zip(match.seats, people, strict=True):
        _change_seat(match, seat.number, player=player, phrase=phrase, status=status)
    return get_match(match.id)


def _start(match: MatchRecord, now: int) -> None:
    """Deal: the first entry, the first snapshot, the first turns and letters."""
    if match.by_lot:
        match = _draw_sides(match)
    dice = match_log.LiveDice(match, 0)
    step = match.game.new_game(match.setup, dice)
    match_log.append(match, [Entry(0, "setup", "", "", dice.draws)], now, [step.events])
    begun = Match.update(status=LIVE, started_at=now, listed=False)
    begun.where(Match.id == match.id).execute()
    alarms.disarm(alarms.LAPSE, match.id)
    match_log.keep_snapshot(match, 0, step.state)
    match = get_match(match.id)
    opened = turns.open_first(match, step.state, now)
    letter_queue.queue(_first_letters(match, opened), now)


def _first_letters(match: MatchRecord, opened: Mapping[int, int]) -> list[QueuedLetter]:
    """To who is asked that of the turn; to all that it has begun, unless the other has told it."""
    about = {"from": 0, "seq": 0, "begins": True}
    asked = [
        letter_queue.to_seat(match, match.seat(number), "turn", str(turn), turn, **about)
        for number, turn in opened.items()
        if match.seat(number).player is not None
    ]
    return [*asked, *letter_queue.to_all_seats(match, "started", "started", seq=0)]
