"""What strangers may ask for: within limits, and without learning who plays here.

Whoever asks too much gets the same answer and no letter.
"""

from __future__ import annotations

from engine.text import printable
from pbem.errors import Missing, Stale
from pbem.services import bans, matches, people
from pbem.services.matches import DAY, INVITATIONS_A_DAY, Wanted
from pbem.services.records import (
    FORMING,
    INVITED,
    OPEN,
    MatchRecord,
    SeatRecord,
    find_match,
    player_at,
)
from pbem.store import row, writing


def start(wanted: Wanted, now: int) -> str | None:
    """A new match, or None when one of its people has had enough letters for today.

    None too when whoever starts it is kept out.
    """
    seated = [mail for mail in wanted.addresses.values() if mail]
    with writing():
        if wanted.creator is not None and bans.is_refused(wanted.creator):
            return None
        if not all(may_write_to(mail, now) for mail in seated):
            return None
        return matches.create(wanted, now)


def open_seat(match_id: str) -> tuple[MatchRecord, SeatRecord]:
    """The seat of a match that anybody may take; Stale when there is none any more."""
    match = find_match(match_id)
    if match is None:
        raise Missing("there is no match %(match)s", match=printable(match_id[:40]))
    seat = next((seat for seat in match.seats if seat.status == OPEN), None)
    if match.status != FORMING or seat is None or not matches.is_vouched_for(match):
        raise Stale("no seat of this match is open any more")
    return match, seat


def ask_to_join(match_id: str, mail: str, language: str, now: int) -> None:
    """A letter about an open seat; nobody is told whether its reader sits there already."""
    with writing():
        match, _ = open_seat(match_id)
        player = player_at(mail)
        sits_there = player is not None and player.id in [seat.player for seat in match.seats]
        if may_write_to(mail, now) and not sits_there and not bans.is_refused(mail):
            matches.ask_to_join(match_id, mail, language, now)


def confirm(player: int, match: str, zone: str, now: int) -> None:
    """An address is confirmed with the time zone of its owner, who vouches for a match."""
    with writing():
        people.change(player, zone=zone)
        matches.confirmed(player, now, match)


def may_write_to(mail: str, now: int) -> bool:
    """Whether an address may get one more letter that it did not ask for."""
    known = player_at(mail)
    player = 0 if known is None else known.id
    counts = row(
        "SELECT (SELECT COUNT(*) FROM outbox WHERE player_id = ? AND created_at > ?"
        " AND kind IN ('confirm', 'invitation')),"
        " (SELECT COUNT(*) FROM seat s JOIN match m ON m.id = s.match_id"
        "  WHERE s.player_id = ? AND s.status = ? AND m.status = ?),"
        " (SELECT COUNT(*) FROM match WHERE creator_id = ? AND status = ?)",
        player,
        now - DAY,
        player,
        INVITED,
        FORMING,
        player,
        FORMING,
    )
    return counts is not None and max(counts) < INVITATIONS_A_DAY
