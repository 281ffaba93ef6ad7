"""What strangers may ask for: within limits, and without learning who plays here.

Whoever asks too much for one address gets the same answer and no letter; whoever asks too much in
all is told so, which says nothing about any address.
"""

from __future__ import annotations

from typing import Any

from engine.text import printable
from pbem.db.models import Match, MatchSeat, Player
from pbem.db.store import hold_match, writing
from pbem.errors import Missing, Refused, Stale
from pbem.services.match import joining, matches
from pbem.services.match.matches import Wanted
from pbem.services.players import accounts, bans, limits
from pbem.services.players.limits import Asker
from pbem.services.records.addresses import canonical_address
from pbem.services.records.match_rows import (
    FORMING,
    INVITED,
    JOINED,
    OPEN,
    MatchRecord,
    SeatRecord,
    find_match,
    lock_match,
)
from pbem.services.records.player_rows import PlayerRecord, find_player, player_at

MOST_PENDING = 20
"""Invitations of one address that wait, or matches of one that wait for others."""


def start(wanted: Wanted, asker: Asker, now: int) -> str | None:
    """A new match, or None when one of its people has had enough letters for today.

    None too when whoever starts it is kept out.
    """
    seated = [mail for mail in wanted.addresses.values() if mail]
    with writing():
        limits.ask("start", asker, now, letters=len(seated))
        if wanted.creator is not None and bans.is_refused(wanted.creator):
            return None
        if any(has_enough(mail) for mail in seated):
            return None
        if wanted.creator and not _may_start(wanted.creator, asker, now):
            return None
        return matches.create(wanted, now)


def _may_start(mail: str, asker: Asker, now: int) -> bool:
    """Whether an address may get one more letter to confirm; players may have more of them."""
    player = player_at(mail)
    is_player = player is not None and player.confirmed_at is not None
    return limits.may_write("start_player" if is_player else "start", mail, now, asker.network)


def open_seat(match_id: str) -> tuple[MatchRecord, SeatRecord]:
    """The seat of a match that anybody may take; Stale when there is none any more."""
    match = find_match(match_id)
    if match is None:
        raise Missing("there is no match %(match)s", match=printable(match_id[:40]))
    seat = next((seat for seat in match.seats if seat.status == OPEN), None)
    if match.status != FORMING or seat is None or not joining.is_vouched_for(match):
        raise Stale("this match has no free seat any more")
    return match, seat


def ask_to_join(match_id: str, mail: str, language: str, now: int) -> None:
    """A letter about an open seat; nobody is told whether its reader sits there already."""
    with writing():
        match, _ = open_seat(match_id)
        player = player_at(mail)
        sits_there = player is not None and player.id in [seat.player for seat in match.seats]
        if has_enough(mail) or sits_there or bans.is_refused(mail):
            return
        if not _is_welcome(match, player, now):
            return
        if limits.may_write("ask_to_join", mail, now, match_id):
            joining.ask_to_join(match_id, mail, language, now)


def invite_instead(match_id: str, number: int, mail: str, now: int) -> None:
    """Whoever has begun a match asks somebody else to take a seat.

    One answer for all who cannot be asked: it tells nothing about an address.
    """
    with writing():
        match = lock_match(match_id)
        limits.by_seat("invite_instead", match.id, number, now)
        player = player_at(mail)
        sits_there = player is not None and any(
            seat.player == player.id and seat.status in (JOINED, INVITED) for seat in match.seats
        )
        if has_enough(mail) or sits_there or bans.is_refused(mail):
            raise Refused(
                "%(address)s cannot be invited to this match; enter another address", address=mail
            )
        host = find_player(match.creator) if match.creator is not None else None
        language = host.language if host else "en"
        asked = accounts.known_or_new(mail, now, language).id
        joining.invite_instead(match_id, number, asked, now)


def _is_welcome(match: MatchRecord, player: PlayerRecord | None, now: int) -> bool:
    if player is None:
        return not match.reliable_only
    return joining.is_welcome(match, player.id, now)


def confirm(player: int, match: str, zone: str, now: int) -> None:
    """An address is confirmed with the time zone of its owner, who vouches for a match."""
    with writing():
        hold_match(match)
        accounts.change(player, zone=zone)
        joining.confirmed(player, now, match)


def has_enough(mail: str) -> bool:
    """Whether so much waits for an address, however it is written, that nothing more should.

    What nobody has vouched for does not count: strangers could shut its owner out by it.
    """
    owner = Player.canonical_address == canonical_address(mail)
    started = _vouched_for().join_from(Match, Player, on=Match.creator == Player.id).where(owner)
    invited = _vouched_for().join_from(Match, MatchSeat).join(Player)
    invited = invited.where(owner, MatchSeat.status == INVITED)
    return bool(max(started.count(), invited.count()) >= MOST_PENDING)


def _vouched_for() -> Any:
    """Matches that have not begun and whose creators have confirmed them."""
    seat = MatchSeat.alias()
    is_creators = (seat.player == Match.creator) & (seat.status == JOINED)
    creators = Match.select().join(seat, on=(seat.match == Match.id) & is_creators)
    return creators.where(Match.status == FORMING)
